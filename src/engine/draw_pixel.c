/* draw_pixel.c: viewports, set-up state, blending, depth and stencil. */
#include "engine/draw_private.h"
#include "base/perf.h"

/* SURFACE_FORMAT codes. */
enum {
    FORMAT_R32_FLOAT = 0x0d8,
    FORMAT_R24_UNORM_X8 = 0x0d9,
    FORMAT_R16_UNORM = 0x10a,
    FORMAT_R8_UINT = 0x143,
};

/* State behind a pointer packet: zero unless the draw uses it and the pointer
 * was ever sent. What a draw does not use may point to freed memory. */
static void
read_state(const struct engine_context *ctx, unsigned packet, uint32_t mask,
           bool used, void *to, size_t size_B)
{
    const uint32_t *dw = hw_packet(ctx->hw, packet);
    memset(to, 0, size_B);
    if (!used || !dw[0])
        return;
    /* Arrays are read whole, though the driver may have written only a few
     * entries, at the end of its buffer. */
    gpu_va va = ctx->hw->dynamic_base + (dw[1] & mask);
    if ((va & 4095) + size_B > 4096)
        size_B = MAX2(vm_mapped_B(ctx->vm, va, size_B), 1);
    memcpy(to, vm_ptr(ctx->vm, va), size_B);
}

/* Where a part of struct pixel_memory comes from. */
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
    /* BLORP neither clips nor transforms, and leaves the pointer stale. */
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

/* Sample positions by sample count: first dword of the packet and first byte
 * in it. x is in the upper half of each byte. */
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

/* What Gen8's packets say in other bits, or do not say. BDW PRM vol 2d. */
static void
translate_gen8(const struct hw_state *hw, struct draw *draw)
{
    for (unsigned i = 0; i < 32; i++)
        draw->sbe.attribute_active_component_format[i] =
            GEN9_3DSTATE_SBE_ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_XYZW;
    /* One bit tests against both planes. */
    draw->raster.viewport_z_far_clip_test_enable =
        draw->raster.viewport_z_near_clip_test_enable;
    bool coverage = hw_packet(hw, HW_3DSTATE_PS_EXTRA)[1] >> 1 & 1;
    draw->ps_extra.input_coverage_mask_state =
        coverage ? GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_NORMAL
                 : GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_NONE;
    draw->ps_extra.pixel_shader_computes_stencil = false;
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

/* Color Dither Enable has no effect. The stock driver sets it for all whose
 * client has not turned GL_DITHER off, which is the default, while the pattern
 * and which formats have it are not documented. OpenGL leaves the algorithm to
 * the implementation, and the nearest value, which is what comes out, is one of
 * the two that it allows; a pattern of our own would differ from Kaby Lake's
 * as much and would differ from other drivers' as well. */
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
    s->limit_B = vm_limit_B(va);
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

/* What depth and stencil have in common comes from 3DSTATE_DEPTH_BUFFER. */
static void
set_common(struct surface *s, const struct gen9_3dstate_depth_buffer *db,
           unsigned format, unsigned samples)
{
    memset(s, 0, sizeof *s);
    s->format = (uint16_t)format;
    s->fmt = format_info(format);
    /* Cube faces are layers. */
    s->type = db->surface_type == SURFACE_CUBE ? SURFACE_2D
                                               : (uint8_t)db->surface_type;
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
          struct engine_vm *vm, unsigned samples)
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
    if (db->tiled_resource_mode)
        unimp("depth in tiled resource mode %u", db->tiled_resource_mode);
    set_common(s, db, format, samples);
    s->tiling = TILING_Y;
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
            unsigned samples)
{
    if (!sb->stencil_buffer_enable || !sb->surface_base_address ||
        db->surface_type == SURFACE_NULL) {
        set_null(s);
        return;
    }
    set_common(s, db, FORMAT_R8_UINT, samples);
    s->tiling = TILING_W;
    /* 128 bytes per column of 64 texels: twice what a row of the tile has,
     * as in RENDER_SURFACE_STATE. */
    s->row_pitch_B = sb->surface_pitch + 1;
    s->qpitch_el_rows = sb->surface_qpitch << 2;
    s->halign_el = 8;
    s->valign_el = 8;
    set_memory(s, vm, sb->surface_base_address);
    surface_layout(s);
}

void
draw_pixel_depth(const struct hw_state *hw, struct engine_vm *vm,
                 unsigned samples, struct surface *depth,
                 struct surface *stencil, unsigned *level)
{
    struct gen9_3dstate_depth_buffer db;
    struct gen9_3dstate_stencil_buffer sb;
    gen9_3dstate_depth_buffer_unpack(&db,
                                     hw_packet(hw, HW_3DSTATE_DEPTH_BUFFER));
    gen9_3dstate_stencil_buffer_unpack(
        &sb, hw_packet(hw, HW_3DSTATE_STENCIL_BUFFER));
    /* Never written, or not wanted. */
    if (!hw_packet(hw, HW_3DSTATE_DEPTH_BUFFER)[0] ||
        perf_leaves_out(PERF_DEPTH))
        db.surface_type = SURFACE_NULL;
    set_depth(depth, &db, vm, samples);
    set_stencil(stencil, &db, &sb, vm, samples);
    *level = MIN2(db.lod, SURFACE_LEVELS - 1);
}

static void
depth_state(struct engine_context *ctx, struct draw *draw)
{
    struct gen9_3dstate_depth_buffer db;
    gen9_3dstate_depth_buffer_unpack(
        &db, hw_packet(ctx->hw, HW_3DSTATE_DEPTH_BUFFER));
    draw_pixel_depth(ctx->hw, ctx->vm, draw->samples, &draw->depth,
                     &draw->stencil, &draw->depth_level);
    draw->stencil_level = draw->depth_level;
    draw->depth_write_ok = db.depth_write_enable;
    draw->stencil_write_ok = db.stencil_write_enable;
    draw->depth_min_array = db.minimum_array_element;
    draw->depth_view_extent = db.render_target_view_extent;
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
