/* draw_stage.c: freezes the shader stages of a draw: kernels, constants,
 * tables. */
#include "engine/freeze/draw_private.h"
#include "engine/msg/msg.h"

/* Offsets of each stage's common packets in hw_state.packet. */
static const struct {
    int constants, binding_table, samplers;
} packets[STAGE_COUNT] = {
#define STAGE(s)                                                        \
    {                                                                   \
        HW_3DSTATE_CONSTANT_##s, HW_3DSTATE_BINDING_TABLE_POINTERS_##s, \
            HW_3DSTATE_SAMPLER_STATE_POINTERS_##s                       \
    }
    [STAGE_VS] = STAGE(VS), [STAGE_HS] = STAGE(HS), [STAGE_DS] = STAGE(DS),
    [STAGE_GS] = STAGE(GS), [STAGE_PS] = STAGE(PS), [STAGE_CS] = {-1, -1, -1},
#undef STAGE
};

/* Shader clocks are virtual, so that results do not depend on the host's speed.
 * They advance within a thread and jump ahead from draw to draw. */
#define CLOCK_STEP (UINT64_C(1) << 24)

void
draw_stage_base(struct engine_context *ctx, struct shader_stage *stage,
                enum stage_kind kind)
{
    const struct hw_state *hw = ctx->hw;
    memset(stage, 0, sizeof *stage);
    stage->kind = kind;
    stage->gen = ctx->engine->config.gen;
    stage->vm = ctx->vm;
    stage->oa = ctx->oa;
    stage->send = msg_stage_sender(stage->oa);
    stage->find_pixels = msg_find_pixels;
    stage->simd = 8;
    stage->general_base_va = hw->general_base;
    stage->surface_base_va = hw->surface_base;
    stage->dynamic_base_va = hw->dynamic_base;
    stage->bindless_base_va = hw->bindless_base;
    memcpy(stage->chroma_key, hw->chroma_key, sizeof stage->chroma_key);
    struct gen9_3dstate_monofilter_size mono;
    gen9_3dstate_monofilter_size_unpack(
        &mono, hw_packet(hw, HW_3DSTATE_MONOFILTER_SIZE));
    stage->mono_width = (uint8_t)mono.monochrome_filter_width;
    stage->mono_height = (uint8_t)mono.monochrome_filter_height;
    stage->palette = hw->palette;
    stage->clock = CLOCK_STEP *
                   atomic_fetch_add_explicit(&ctx->engine->shader_clock, 1,
                                             memory_order_relaxed);
}

void
draw_stage_common(struct engine_context *ctx, struct shader_stage *stage,
                  enum stage_kind kind)
{
    const struct hw_state *hw = ctx->hw;
    struct draw_memory *m = ctx->draw_memory;
    draw_stage_base(ctx, stage, kind);
    stage->cache = kind == STAGE_PS ? &m->slot[m->at]->cache : &m->cache[kind];
    stage_cache_reset(stage->cache);
    if (kind == STAGE_CS)
        return;
    stage->binding_table_offset = hw_packet(hw,
                                            packets[kind].binding_table)[1] &
                                  0xffe0;
    stage->sampler_offset = hw_packet(hw, packets[kind].samplers)[1] & ~31u;
}

/* Constant buffer 0 is relative to Dynamic State Base unless a masked register
 * says otherwise: CS_DEBUG_MODE2 bit 4, on Gen8 INSTPM bit 6. */
static bool
constant_0_is_absolute(const struct hw_state *hw, unsigned gen)
{
    return gen >= 9 ? hw->reg[0x20d8 / 4] >> 4 & 1
                    : hw->reg[0x20c0 / 4] >> 6 & 1;
}

int
draw_stage_push(struct engine_context *ctx, const struct shader_stage *stage,
                uint32_t *push, unsigned max_grf)
{
    const struct hw_state *hw = ctx->hw;
    struct gen9_3dstate_constant_body body;
    gen9_3dstate_constant_body_unpack(
        &body, hw_packet(hw, packets[stage->kind].constants) + 1);
    unsigned at_grf = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned grf = body.read_length[i];
        if (grf > max_grf - at_grf)
            return -1;
        gpu_va va = body.buffer[i];
        if (i == 0 && !constant_0_is_absolute(hw, stage->gen))
            va += hw->dynamic_base;
        memcpy(push + at_grf * 8, vm_ptr(stage->vm, va), grf * EU_GRF_B);
        at_grf += grf;
    }
    return (int)at_grf;
}

/* False after a guest error. */
static bool
load_push(struct engine_context *ctx, struct shader_stage *stage)
{
    struct draw_memory *m = ctx->draw_memory;
    uint32_t *push = stage->kind == STAGE_PS ? m->slot[m->at]->push
                                             : m->push[stage->kind];
    int grf = draw_stage_push(ctx, stage, push, PUSH_MAX_GRF);
    if (grf < 0) {
        guest_error("constants of stage %u exceed the register file",
                    stage->kind);
        return false;
    }
    stage->push = grf ? push : NULL;
    stage->push_grf = (unsigned)grf;
    return true;
}

static bool
load_kernel(struct engine_context *ctx, struct shader_stage *stage,
            uint64_t ksp)
{
    stage->kernel = draw_find_kernel(ctx, ctx->hw->instruction_base + ksp);
    if (!stage->kernel)
        guest_error("stage %u has no kernel at 0x%llx", stage->kind,
                    (unsigned long long)ksp);
    stage->enabled = stage->kernel != NULL;
    return stage->enabled;
}

static void
set_scratch(struct shader_stage *stage, uint64_t base, uint32_t code)
{
    stage->scratch_va = base;
    stage->scratch_code = code;
    stage->scratch_enabled = base != 0;
}

static bool
load_vs(struct engine_context *ctx, struct draw *draw)
{
    struct gen9_3dstate_vs *vs = &draw->vs;
    struct shader_stage *stage = &draw->stage[STAGE_VS];
    gen9_3dstate_vs_unpack(vs, hw_packet(ctx->hw, HW_3DSTATE_VS));
    if (!vs->enable)
        return true;
    if (!vs->simd8_dispatch_enable) {
        unimp("vertex shaders in SIMD4x2");
        return true;
    }
    stage->grf_start = vs->dispatch_grf_start_register_for_urb_data;
    stage->alt_mode = vs->floating_point_mode;
    stage->vector_mask_enable = vs->vector_mask_enable;
    set_scratch(stage, vs->scratch_space_base_pointer,
                vs->per_thread_scratch_space);
    return load_kernel(ctx, stage, vs->kernel_start_pointer) &&
           load_push(ctx, stage);
}

static bool
load_hs(struct engine_context *ctx, struct draw *draw)
{
    struct gen9_3dstate_hs *hs = &draw->hs;
    struct shader_stage *stage = &draw->stage[STAGE_HS];
    gen9_3dstate_hs_unpack(hs, hw_packet(ctx->hw, HW_3DSTATE_HS));
    if (!hs->enable)
        return true;
    stage->grf_start = hs->dispatch_grf_start_register_for_urb_data |
                       hs->dispatch_grf_start_register_for_urb_data_5 << 5;
    stage->alt_mode = hs->floating_point_mode;
    stage->vector_mask_enable = hs->vector_mask_enable;
    stage->spf = hs->single_program_flow;
    set_scratch(stage, hs->scratch_space_base_pointer,
                hs->per_thread_scratch_space);
    return load_kernel(ctx, stage, hs->kernel_start_pointer) &&
           load_push(ctx, stage);
}

static bool
load_ds(struct engine_context *ctx, struct draw *draw)
{
    struct gen9_3dstate_ds *ds = &draw->ds;
    struct shader_stage *stage = &draw->stage[STAGE_DS];
    gen9_3dstate_ds_unpack(ds, hw_packet(ctx->hw, HW_3DSTATE_DS));
    if (!ds->enable)
        return true;
    stage->grf_start = ds->dispatch_grf_start_register_for_urb_data;
    stage->alt_mode = ds->floating_point_mode;
    stage->vector_mask_enable = ds->vector_mask_enable;
    set_scratch(stage, ds->scratch_space_base_pointer,
                ds->per_thread_scratch_space);
    return load_kernel(ctx, stage, ds->kernel_start_pointer) &&
           load_push(ctx, stage);
}

static bool
load_gs(struct engine_context *ctx, struct draw *draw)
{
    struct gen9_3dstate_gs *gs = &draw->gs;
    struct shader_stage *stage = &draw->stage[STAGE_GS];
    gen9_3dstate_gs_unpack(gs, hw_packet(ctx->hw, HW_3DSTATE_GS));
    if (!gs->enable)
        return true;
    stage->grf_start = gs->dispatch_grf_start_register_for_urb_data |
                       gs->dispatch_grf_start_register_for_urb_data_5_4 << 4;
    stage->alt_mode = gs->floating_point_mode;
    stage->vector_mask_enable = gs->vector_mask_enable;
    stage->spf = gs->single_program_flow;
    set_scratch(stage, gs->scratch_space_base_pointer,
                gs->per_thread_scratch_space);
    return load_kernel(ctx, stage, gs->kernel_start_pointer) &&
           load_push(ctx, stage);
}

/* Several widths may be enabled; any one is correct. KSP 0 belongs to the
 * narrowest enabled width. KSP 1 is always SIMD32's and KSP 2 SIMD16's if a
 * narrower width is enabled. Observed: brw_wm_state of the stock driver; KBL
 * PRM vol 2a 3DSTATE_PS. */
static void
choose_ps_width(const struct gen9_3dstate_ps *ps, struct shader_stage *stage,
                uint64_t *ksp)
{
    bool s8 = ps->_8_pixel_dispatch_enable;
    bool s16 = ps->_16_pixel_dispatch_enable;
    bool s32 = ps->_32_pixel_dispatch_enable;
    const uint64_t ksps[3] = {ps->kernel_start_pointer_0,
                              ps->kernel_start_pointer_1,
                              ps->kernel_start_pointer_2};
    const unsigned grfs[3] = {
        ps->dispatch_grf_start_register_for_constant_setup_data_0,
        ps->dispatch_grf_start_register_for_constant_setup_data_1,
        ps->dispatch_grf_start_register_for_constant_setup_data_2};
    unsigned which = 0;
    if (s16) {
        stage->simd = 16;
        which = s8 || s32 ? 2 : 0;
    } else if (s8) {
        stage->simd = 8;
    } else {
        stage->simd = 32;
    }
    *ksp = ksps[which];
    stage->grf_start = grfs[which];
}

/* Drivers copy buffers by strips of two triangles. */
static bool
may_be_rect(const struct draw *draw)
{
    return draw->topology == GEN9_3DPRIM_RECTLIST ||
           (draw->topology == GEN9_3DPRIM_TRISTRIP && draw->vertex_count == 4);
}

static bool
load_ps(struct engine_context *ctx, struct draw *draw)
{
    struct gen9_3dstate_ps *ps = &draw->ps;
    struct shader_stage *stage = &draw->stage[STAGE_PS];
    gen9_3dstate_ps_unpack(ps, hw_packet(ctx->hw, HW_3DSTATE_PS));
    gen9_3dstate_ps_extra_unpack(&draw->ps_extra,
                                 hw_packet(ctx->hw, HW_3DSTATE_PS_EXTRA));
    struct gen9_3dstate_wm_chromakey key;
    gen9_3dstate_wm_chromakey_unpack(
        &key, hw_packet(ctx->hw, HW_3DSTATE_WM_CHROMAKEY));
    draw->ps_extra.pixel_shader_kills_pixel |= key.chromakey_kill_enable;
    draw->fast_clear = ps->render_target_fast_clear_enable;
    draw->resolve = ps->render_target_resolve_type != 0;
    stage->aux_op = draw->fast_clear || draw->resolve;
    bool any_width = ps->_8_pixel_dispatch_enable ||
                     ps->_16_pixel_dispatch_enable ||
                     ps->_32_pixel_dispatch_enable;
    if (!draw->ps_extra.pixel_shader_valid || !any_width)
        return true;
    uint64_t ksp;
    choose_ps_width(ps, stage, &ksp);
    stage->alt_mode = ps->floating_point_mode;
    stage->denorm_f_retain = ps->single_precision_denormal_mode;
    stage->rounding = (uint8_t)ps->rounding_mode;
    stage->vector_mask_enable = ps->vector_mask_enable;
    stage->spf = ps->single_program_flow;
    set_scratch(stage, ps->scratch_space_base_pointer,
                ps->per_thread_scratch_space);
    if (!load_kernel(ctx, stage, ksp))
        return false;
    if (may_be_rect(draw))
        stage->summary = draw_find_summary(ctx, ctx->hw->instruction_base + ksp,
                                           stage->simd, stage->grf_start);
    return !ps->push_constant_enable || load_push(ctx, stage);
}

bool
draw_stage_all(struct engine_context *ctx, struct draw *draw, unsigned parts)
{
    static bool (*const load[STAGE_CS])(struct engine_context *,
                                        struct draw *) = {
        [STAGE_VS] = load_vs, [STAGE_HS] = load_hs, [STAGE_DS] = load_ds,
        [STAGE_GS] = load_gs, [STAGE_PS] = load_ps,
    };
    static const uint16_t urb[4] = {HW_3DSTATE_URB_VS, HW_3DSTATE_URB_HS,
                                    HW_3DSTATE_URB_DS, HW_3DSTATE_URB_GS};
    for (unsigned i = 0; i < 4; i++) {
        struct gen9_3dstate_urb_vs p; /* same layout for all four */
        gen9_3dstate_urb_vs_unpack(&p, hw_packet(ctx->hw, urb[i]));
        draw->urb_entry_B[i] = (p.vs_urb_entry_allocation_size + 1) * 64;
    }
    gen9_3dstate_te_unpack(&draw->te, hw_packet(ctx->hw, HW_3DSTATE_TE));
    for (unsigned i = 0; i < STAGE_CS; i++) {
        if (!(parts & hw_part_stage(i)))
            continue;
        draw_stage_common(ctx, &draw->stage[i], i);
        if (!load[i](ctx, draw))
            return false;
    }
    return true;
}
