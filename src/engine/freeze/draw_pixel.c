/* draw_pixel.c: freezes viewports, set-up state, blending, depth and
 * stencil. */
#include "engine/freeze/draw_private.h"
#include "base/perf.h"
#include "engine/state/aux_state.h"

/* SURFACE_FORMAT codes. */
enum {
    FORMAT_R32_FLOAT = 0x0d8,
    FORMAT_R24_UNORM_X8 = 0x0d9,
    FORMAT_R16_UNORM = 0x10a,
    FORMAT_R8_UINT = 0x143,
};

/* Reads state through a pointer packet. State is zero unless the draw uses it
 * and the pointer was ever sent: an unused pointer may lead to freed memory. */
static void
read_state(const struct engine_context *ctx, unsigned packet, uint32_t mask,
           bool used, void *to, size_t size_B)
{
    const uint32_t *dw = hw_packet(ctx->hw, packet);
    memset(to, 0, size_B);
    if (!used || !dw[0])
        return;
    /* Arrays are read whole, but the driver may have written only a few entries
     * at the end of its buffer. */
    gpu_va va = ctx->hw->dynamic_base + (dw[1] & mask);
    if ((va & 4095) + size_B > 4096)
        size_B = MAX2(vm_mapped_B(ctx->vm, va, size_B), 1);
    memcpy(to, vm_ptr(ctx->vm, va), size_B);
}

/* Source of a part of struct pixel_memory. */
struct source {
    unsigned packet;
    uint32_t mask; /* of the pointer */
    bool used;
    void *to;
    size_t size_B;
};
#define SOURCES 5

static void
find_sources(const struct engine_context *ctx, const struct draw *draw,
             struct pixel_memory *m, struct source source[SOURCES])
{
    const struct hw_state *hw = ctx->hw;
    unsigned count = MIN2(draw->clip.maximum_vp_index + 1, DRAW_MAX_VIEWPORTS);
    /* Observed: BLORP neither clips nor transforms, and leaves the pointer
     * stale. */
    bool clip = draw->sf.viewport_transform_enable || draw->clip.clip_enable;
    bool scissor = draw->raster.scissor_rectangle_enable;
    bool blend = hw_packet(hw, HW_3DSTATE_BLEND_STATE_POINTERS)[1] & 1;
    bool cc = hw_packet(hw, HW_3DSTATE_CC_STATE_POINTERS)[1] & 1;
    source[0] = (struct source){HW_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP,
                                ~63u, clip, m->sf, count * sizeof m->sf[0]};
    source[1] = (struct source){HW_3DSTATE_VIEWPORT_STATE_POINTERS_CC, ~31u,
                                true, m->cc, count * sizeof m->cc[0]};
    source[2] = (struct source){HW_3DSTATE_SCISSOR_STATE_POINTERS, ~31u,
                                scissor, m->scissor,
                                count * sizeof m->scissor[0]};
    source[3] = (struct source){HW_3DSTATE_BLEND_STATE_POINTERS, ~63u, blend,
                                m->blend, sizeof m->blend};
    source[4] = (struct source){HW_3DSTATE_CC_STATE_POINTERS, ~63u, cc,
                                m->color_calc, sizeof m->color_calc};
}

static void
read_all(const struct engine_context *ctx, const struct draw *draw,
         struct pixel_memory *m)
{
    struct source s[SOURCES];
    find_sources(ctx, draw, m, s);
    for (unsigned i = 0; i < SOURCES; i++)
        read_state(ctx, s[i].packet, s[i].mask, s[i].used, s[i].to,
                   s[i].size_B);
}

bool
draw_pixel_is_same(struct engine_context *ctx, const struct draw *draw)
{
    struct source s[SOURCES];
    find_sources(ctx, draw, &ctx->draw_memory->pixel, s);
    for (unsigned i = 0; i < SOURCES; i++) {
        uint32_t now[sizeof(struct pixel_memory) / 4];
        read_state(ctx, s[i].packet, s[i].mask, s[i].used, now, s[i].size_B);
        if (memcmp(now, s[i].to, s[i].size_B))
            return false;
    }
    return true;
}

static void
viewports(const struct pixel_memory *m, struct draw *draw)
{
    unsigned count = MIN2(draw->clip.maximum_vp_index + 1, DRAW_MAX_VIEWPORTS);
    for (unsigned i = 0; i < count; i++) {
        gen9_sf_clip_viewport_unpack(&draw->viewport[i], m->sf[i]);
        gen9_cc_viewport_unpack(&draw->cc_viewport[i], m->cc[i]);
        gen9_scissor_rect_unpack(&draw->scissor[i], m->scissor[i]);
    }
}

/* Sample positions. `byte` is the sample's place in the packet; x is in the
 * upper half of the byte. */
static void
sample_positions(const struct hw_state *hw, struct draw *draw)
{
    const uint32_t *dw = hw_packet(hw, HW_3DSTATE_SAMPLE_PATTERN);
    for (unsigned i = 0; i < draw->samples; i++) {
        unsigned byte;
        switch (draw->samples) {
        case 1: byte = 8 * 4 + 2; break;
        case 2: byte = 8 * 4 + i; break;
        case 4: byte = 7 * 4 + i; break;
        case 8: /* samples 4..7 come first */
            byte = i < 4 ? 6 * 4 + i : 5 * 4 + i - 4;
            break;
        default: byte = 1 * 4 + i;
        }
        uint32_t v = dw[byte / 4] >> (byte % 4 * 8);
        draw->sample_y[i] = v & 15;
        draw->sample_x[i] = v >> 4 & 15;
    }
}

/* Fields that Gen8's packets have in other bits or lack. BDW PRM vol 2d. */
static void
translate_gen8(const struct hw_state *hw, struct draw *draw)
{
    for (unsigned i = 0; i < 32; i++)
        draw->sbe.attribute_active_component_format[i] =
            GEN9_3DSTATE_SBE_ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_XYZW;
    /* One bit enables the tests against both planes. */
    draw->raster.viewport_z_far_clip_test_enable =
        draw->raster.viewport_z_near_clip_test_enable;
    bool coverage = hw_packet(hw, HW_3DSTATE_PS_EXTRA)[1] >> 1 & 1;
    draw->ps_extra.input_coverage_mask_state =
        coverage ? GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_NORMAL
                 : GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_NONE;
    draw->ps_extra.pixel_shader_computes_stencil = false;
    /* U3.7, in another dword. */
    uint32_t line_width = bits_get(hw_packet(hw, HW_3DSTATE_SF)[2], 18, 27);
    draw->sf.line_width = (float)line_width / 128;
}

static void
setup_state(const struct hw_state *hw, struct draw *draw)
{
    gen9_3dstate_clip_unpack(&draw->clip, hw_packet(hw, HW_3DSTATE_CLIP));
    gen9_3dstate_sf_unpack(&draw->sf, hw_packet(hw, HW_3DSTATE_SF));
    gen9_3dstate_raster_unpack(&draw->raster, hw_packet(hw, HW_3DSTATE_RASTER));
    gen9_3dstate_sbe_unpack(&draw->sbe, hw_packet(hw, HW_3DSTATE_SBE));
    gen9_3dstate_sbe_swiz_unpack(&draw->sbe_swiz,
                                 hw_packet(hw, HW_3DSTATE_SBE_SWIZ));
    gen9_3dstate_multisample_unpack(&draw->multisample,
                                    hw_packet(hw, HW_3DSTATE_MULTISAMPLE));
    draw->samples = 1u << MIN2(draw->multisample.number_of_multisamples, 4);
    sample_positions(hw, draw);
    draw->sample_mask = hw_packet(hw, HW_3DSTATE_SAMPLE_MASK)[1] & 0xffff;
    gen9_3dstate_drawing_rectangle_unpack(
        &draw->drawing_rect, hw_packet(hw, HW_3DSTATE_DRAWING_RECTANGLE));
    memcpy(draw->poly_stipple,
           hw_packet(hw, HW_3DSTATE_POLY_STIPPLE_PATTERN) + 1,
           sizeof draw->poly_stipple);
    gen9_3dstate_poly_stipple_offset_unpack(
        &draw->poly_stipple_offset,
        hw_packet(hw, HW_3DSTATE_POLY_STIPPLE_OFFSET));
    gen9_3dstate_line_stipple_unpack(&draw->line_stipple,
                                     hw_packet(hw, HW_3DSTATE_LINE_STIPPLE));
    gen9_3dstate_aa_line_parameters_unpack(
        &draw->aa_line, hw_packet(hw, HW_3DSTATE_AA_LINE_PARAMETERS));
}

/* Ignores Color Dither Enable. Observed: the stock driver sets it unless the
 * client turns GL_DITHER off, which is on by default. The pattern and its
 * formats are undocumented. OpenGL allows the nearest value, which this engine
 * writes. Another pattern would differ as much from Kaby Lake's, and from other
 * drivers' as well. */
static void
blend_state(const struct hw_state *hw, const struct pixel_memory *m,
            struct draw *draw)
{
    gen9_blend_state_unpack(&draw->blend, m->blend);
    for (unsigned i = 0; i < DRAW_MAX_RT; i++) {
        struct gen9_blend_state_entry *e = &draw->blend_entry[i];
        gen9_blend_state_entry_unpack(e, m->blend + 1 + i * 2);
        if (perf_leaves_out(PERF_BLEND))
            e->color_buffer_blend_enable = e->logic_op_enable = false;
    }
    gen9_color_calc_state_unpack(&draw->cc, m->color_calc);
    gen9_3dstate_ps_blend_unpack(&draw->ps_blend,
                                 hw_packet(hw, HW_3DSTATE_PS_BLEND));
    gen9_3dstate_wm_unpack(&draw->wm, hw_packet(hw, HW_3DSTATE_WM));
    struct gen9_3dstate_wm_depth_stencil *ds = &draw->wm_ds;
    gen9_3dstate_wm_depth_stencil_unpack(
        ds, hw_packet(hw, HW_3DSTATE_WM_DEPTH_STENCIL));
    if (draw->gen < 9) {
        /* BDW: the references are in COLOR_CALC_STATE dword 0. */
        ds->stencil_reference_value = bits_get(m->color_calc[0], 24, 31);
        ds->backface_stencil_reference_value = bits_get(m->color_calc[0], 16,
                                                        23);
    }
}

/* ---- depth and stencil buffers ----------------------------------------- */

static void
set_memory(struct surface *s, struct engine_vm *vm, gpu_va va)
{
    s->base_va = va;
    s->mem = vm_ptr(vm, va);
    s->limit_B = vm_limit_B(vm, va);
}

static void
set_null(struct surface *s)
{
    memset(s, 0, sizeof *s);
    s->type = SURFACE_NULL;
    s->format = FORMAT_R32_FLOAT;
    s->fmt = format_info(s->format);
    s->samples = 1;
}

/* Sets the fields that depth and stencil share, from 3DSTATE_DEPTH_BUFFER. */
static void
set_common(struct surface *s, const struct gen9_3dstate_depth_buffer *db,
           unsigned format, unsigned samples, enum surface_tiling tiling,
           unsigned gen)
{
    memset(s, 0, sizeof *s);
    s->format = (uint16_t)format;
    s->fmt = format_info(format);
    /* Cube faces are layers. */
    s->type = db->surface_type == SURFACE_CUBE ? SURFACE_2D
                                               : (uint8_t)db->surface_type;
    s->tiling = (uint8_t)tiling;
    s->layout = (uint8_t)surface_choose_layout(s, gen);
    s->is_array = true;
    s->width = db->width + 1;
    s->height = db->height + 1;
    s->depth = db->depth + 1;
    s->samples = (uint8_t)samples;
    s->interleaved = samples > 1;
    s->mip_count_minus1 = (uint8_t)db->lod;
    s->min_array = (uint16_t)db->minimum_array_element;
    s->view_extent_minus1 = (uint16_t)db->render_target_view_extent;
    s->swizzle[0] = 4;
    s->swizzle[1] = 5;
    s->swizzle[2] = 6;
    s->swizzle[3] = 7;
}

static unsigned
depth_format(unsigned format)
{
    switch (format) {
    case GEN9_3DSTATE_DEPTH_BUFFER_SURFACE_FORMAT_D32_FLOAT:
        return FORMAT_R32_FLOAT;
    case GEN9_3DSTATE_DEPTH_BUFFER_SURFACE_FORMAT_D24_UNORM_X8_UINT:
        return FORMAT_R24_UNORM_X8;
    case GEN9_3DSTATE_DEPTH_BUFFER_SURFACE_FORMAT_D16_UNORM:
        return FORMAT_R16_UNORM;
    default: return 0;
    }
}

static void
set_depth(struct surface *s, const struct gen9_3dstate_depth_buffer *db,
          struct engine_vm *vm, unsigned samples, unsigned gen)
{
    unsigned format = depth_format(db->surface_format);
    /* Observed: with stencil alone the packet has a type but no address. */
    if (db->surface_type == SURFACE_NULL || !db->surface_base_address) {
        set_null(s);
        return;
    }
    if (!format) {
        guest_error("depth format %u", db->surface_format);
        set_null(s);
        return;
    }
    unsigned mode = gen >= 9 ? db->tiled_resource_mode : 0;
    if (mode > 2) {
        guest_error("depth in reserved tiled resource mode");
        set_null(s);
        return;
    }
    static const uint8_t tilings[] = {TILING_Y, TILING_YF, TILING_YS};
    set_common(s, db, format, samples, tilings[mode], gen);
    s->mip_tail_start = (uint8_t)db->mip_tail_start_lod;
    s->row_pitch_B = db->surface_pitch + 1;
    s->qpitch_el_rows = db->surface_qpitch << 2;
    /* KBL PRM vol 2d RENDER_SURFACE_STATE, Surface Horizontal Alignment: a
     * Z16 depth buffer supports an alignment of 8 only, the others of 4. */
    s->halign_el = format == FORMAT_R16_UNORM ? 8 : 4;
    s->valign_el = 4;
    set_memory(s, vm, db->surface_base_address);
    surface_layout(s);
}

static void
set_stencil(struct surface *s, const struct gen9_3dstate_depth_buffer *db,
            const struct gen9_3dstate_stencil_buffer *sb, struct engine_vm *vm,
            unsigned samples, unsigned gen)
{
    if (!sb->stencil_buffer_enable || !sb->surface_base_address ||
        db->surface_type == SURFACE_NULL) {
        set_null(s);
        return;
    }
    set_common(s, db, FORMAT_R8_UINT, samples, TILING_W, gen);
    /* 128 bytes per column of 64 texels: twice a row of the tile, as in
     * RENDER_SURFACE_STATE. */
    s->row_pitch_B = sb->surface_pitch + 1;
    s->qpitch_el_rows = sb->surface_qpitch << 2;
    s->halign_el = 8;
    s->valign_el = 8;
    set_memory(s, vm, sb->surface_base_address);
    surface_layout(s);
}

float
draw_pixel_clear_depth(const struct hw_state *hw)
{
    struct gen9_3dstate_clear_params p;
    gen9_3dstate_clear_params_unpack(&p,
                                     hw_packet(hw, HW_3DSTATE_CLEAR_PARAMS));
    return p.depth_clear_value;
}

bool
draw_pixel_clears_anew(const struct hw_state *hw, const struct draw *draw)
{
    const uint32_t *dw = hw_packet(hw, HW_3DSTATE_CLEAR_PARAMS);
    return draw->depth.aux == AUX_HIZ && dw[1] != draw->depth.clear_color.u[0];
}

static void
set_hiz(struct surface *s, const struct gen9_3dstate_depth_buffer *db,
        const struct hw_state *hw, struct engine_vm *vm)
{
    struct gen9_3dstate_hier_depth_buffer p;
    gen9_3dstate_hier_depth_buffer_unpack(
        &p, hw_packet(hw, HW_3DSTATE_HIER_DEPTH_BUFFER));
    if (s->type == SURFACE_NULL || !db->hierarchical_depth_buffer_enable ||
        !p.surface_base_address)
        return;
    s->aux = AUX_HIZ;
    s->aux_va = p.surface_base_address;
    s->aux_mem = vm_ptr(vm, s->aux_va);
    s->aux_limit_B = vm_limit_B(vm, s->aux_va);
    s->aux_row_pitch_B = p.surface_pitch + 1;
    s->aux_qpitch_el_rows = p.surface_qpitch << 2;
    s->clear_color.f[0] = draw_pixel_clear_depth(hw);
}

void
draw_pixel_depth(const struct engine_context *ctx, unsigned samples,
                 struct surface *depth, struct surface *stencil,
                 unsigned *level)
{
    const struct hw_state *hw = ctx->hw;
    unsigned gen = ctx->engine->config.gen;
    struct gen9_3dstate_depth_buffer db;
    struct gen9_3dstate_stencil_buffer sb;
    gen9_3dstate_depth_buffer_unpack(&db,
                                     hw_packet(hw, HW_3DSTATE_DEPTH_BUFFER));
    gen9_3dstate_stencil_buffer_unpack(
        &sb, hw_packet(hw, HW_3DSTATE_STENCIL_BUFFER));
    /* No packet yet, or switched off. */
    if (!hw_packet(hw, HW_3DSTATE_DEPTH_BUFFER)[0] ||
        perf_leaves_out(PERF_DEPTH))
        db.surface_type = SURFACE_NULL;
    set_depth(depth, &db, ctx->vm, samples, gen);
    set_hiz(depth, &db, hw, ctx->vm);
    set_stencil(stencil, &db, &sb, ctx->vm, samples, gen);
    *level = MIN2(db.lod, SURFACE_LEVELS - 1);
}

/* Fills clear blocks, so that depth tests read plain memory. */
static void
bind_depth(struct engine_context *ctx, const struct draw *draw)
{
    struct draw_memory *m = ctx->draw_memory;
    const struct surface *s = &draw->depth;
    if (s->aux != AUX_HIZ || (m->bound && m->bound == aux_generation(ctx->vm) &&
                              !memcmp(&m->bound_depth, s, sizeof *s)))
        return;
    m->bound = aux_bind_slices(ctx->vm, s, draw->depth_level,
                               draw->depth_min_array,
                               draw->depth_view_extent + 1);
    m->bound_depth = *s;
}

static void
depth_state(struct engine_context *ctx, struct draw *draw)
{
    struct gen9_3dstate_depth_buffer db;
    gen9_3dstate_depth_buffer_unpack(
        &db, hw_packet(ctx->hw, HW_3DSTATE_DEPTH_BUFFER));
    draw_pixel_depth(ctx, draw->samples, &draw->depth, &draw->stencil,
                     &draw->depth_level);
    draw->stencil_level = draw->depth_level;
    draw->depth_write_ok = db.depth_write_enable;
    draw->stencil_write_ok = db.stencil_write_enable;
    draw->depth_min_array = db.minimum_array_element;
    draw->depth_view_extent = db.render_target_view_extent;
    bind_depth(ctx, draw);
}

void
draw_pixel_state(struct engine_context *ctx, struct draw *draw)
{
    setup_state(ctx->hw, draw);
    if (draw->gen < 9)
        translate_gen8(ctx->hw, draw);
    struct pixel_memory *m = &ctx->draw_memory->pixel;
    read_all(ctx, draw, m);
    viewports(m, draw);
    blend_state(ctx->hw, m, draw);
    depth_state(ctx, draw);
}
