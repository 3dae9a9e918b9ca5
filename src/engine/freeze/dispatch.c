/* dispatch.c: freezes hw_state into a struct dispatch and runs it. */
#include "engine/compute/compute.h"

#include "engine/freeze/draw_private.h"
#include "engine/oa/oa.h"
#include "engine/pixels/pixels.h"
#include "engine/scope/scope.h"
#include "engine/timeline/timeline.h"

static uint32_t
slm_size_B(unsigned code, unsigned gen)
{
    if (!code)
        return 0;
    /* Gen9 encodes powers of two from 1 KB on, Gen8 counts units of 4 KB. */
    return gen >= 9 ? 1024u << MIN2(code - 1, 6) : MIN2(code, 16) * 4096u;
}

static void
resolve_grid(const struct hw_state *hw, struct dispatch *d)
{
    struct gen9_gpgpu_walker *w = &d->walker;
    if (w->indirect_parameter_enable) {
        const uint32_t *dim = &hw->reg[REG_GPGPU_DISPATCHDIM / 4];
        w->thread_group_id_x_dimension = dim[0];
        w->thread_group_id_y_dimension = dim[1];
        w->thread_group_id_z_dimension = dim[2];
    }
    d->group_start[0] = w->thread_group_id_starting_x;
    d->group_start[1] = w->thread_group_id_starting_y;
    d->group_start[2] = w->thread_group_id_starting_resume_z;
    d->group_end[0] = w->thread_group_id_x_dimension;
    d->group_end[1] = w->thread_group_id_y_dimension;
    d->group_end[2] = w->thread_group_id_z_dimension;
    d->right_mask = w->right_execution_mask;
    d->bottom_mask = w->bottom_execution_mask;
    d->threads_per_group = (w->thread_width_counter_maximum + 1) *
                           (w->thread_height_counter_maximum + 1) *
                           (w->thread_depth_counter_maximum + 1);
}

/* cache: NULL, or the stage's own: dispatch_resolve_own(). */
static bool
resolve_stage(struct engine_context *ctx, struct dispatch *d,
              struct stage_cache *cache)
{
    const struct hw_state *hw = ctx->hw;
    struct shader_stage *stage = &d->stage;
    struct gen9_media_vfe_state vfe;
    gen9_media_vfe_state_unpack(&vfe, hw_packet(hw, HW_MEDIA_VFE_STATE));
    if (cache)
        draw_stage_base(ctx, stage, STAGE_CS);
    else
        draw_stage_common(ctx, stage, STAGE_CS);
    if (cache)
        stage->cache = cache;
    stage->simd = 8u << MIN2(d->walker.simd_size, 2);
    stage->binding_table_offset = (uint32_t)d->idd.binding_table_pointer;
    stage->sampler_offset = (uint32_t)d->idd.sampler_state_pointer;
    stage->alt_mode = d->idd.floating_point_mode;
    stage->rounding = (uint8_t)d->idd.rounding_mode;
    stage->spf = d->idd.single_program_flow;
    stage->grf_start = 1;
    stage->scratch_va = vfe.scratch_space_base_pointer;
    stage->scratch_code = vfe.per_thread_scratch_space;
    stage->scratch_enabled = vfe.scratch_space_base_pointer != 0;
    d->max_concurrent_threads = vfe.maximum_number_of_threads + 1;
    gpu_va kernel = hw->instruction_base + d->idd.kernel_start_pointer;
    stage->kernel = cache ? draw_get_kernel(ctx, kernel)
                          : draw_find_kernel(ctx, kernel);
    stage->enabled = stage->kernel != NULL;
    if (!stage->enabled)
        guest_error("dispatch has no kernel at 0x%llx",
                    (unsigned long long)d->idd.kernel_start_pointer);
    return stage->enabled;
}

/* Constants are in the CURBE, or in the walker's indirect data. */
static void
resolve_constants(const struct hw_state *hw, struct dispatch *d)
{
    d->cross_thread_grf = d->idd.cross_thread_constant_data_read_length;
    d->per_thread_grf = d->idd.constant_urb_entry_read_length;
    if (d->walker.indirect_data_length) {
        d->curbe = vm_ptr(d->stage.vm,
                          hw->indirect_base +
                              d->walker.indirect_data_start_address);
        d->curbe_B = (uint32_t)d->walker.indirect_data_length;
        d->own_first = true;
        return;
    }
    uint32_t skip_B = d->idd.constant_urb_entry_read_offset * EU_GRF_B;
    skip_B = MIN2(skip_B, hw->curbe_B);
    d->curbe = hw->curbe + skip_B;
    d->curbe_B = hw->curbe_B - skip_B;
}

bool
dispatch_begin(struct engine_context *ctx, struct dispatch *d,
               unsigned descriptor)
{
    if (!draw_memory_get(ctx)) {
        guest_error("no memory for a dispatch");
        return false;
    }
    ctx->oa = pixels_has_texels() ? pixels_counters(&ctx->draw_memory->pixels)
                                  : NULL;
    if (!ctx->oa)
        ctx->oa = oa_counting(ctx->engine);
    if (descriptor >= HW_DESCRIPTORS) {
        guest_error("interface descriptor %u", descriptor);
        return false;
    }
    gen9_interface_descriptor_data_unpack(
        &d->idd, ctx->hw->interface_descriptor[descriptor]);
    return true;
}

static bool
resolve(struct engine_context *ctx, struct dispatch *d,
        struct stage_cache *cache)
{
    if (!resolve_stage(ctx, d, cache))
        return false;
    resolve_constants(ctx->hw, d);
    d->slm_B = slm_size_B(d->idd.shared_local_memory_size, d->stage.gen);
    d->pool = engine_pool(ctx->engine);
    d->stats = &ctx->hw->stats;
    d->reset = &ctx->reset;
    d->hang = &ctx->hang;
    return true;
}

bool
dispatch_resolve(struct engine_context *ctx, struct dispatch *d)
{
    return resolve(ctx, d, NULL);
}

bool
dispatch_resolve_own(struct engine_context *ctx, struct dispatch *d,
                     struct stage_cache *cache)
{
    return resolve(ctx, d, cache);
}

void
dispatch_execute(struct engine_context *ctx, const struct dispatch *d,
                 void (*run)(const void *), const void *what)
{
    stats_add(STAT_dispatches, 1);
    draw_note_any_write(ctx);
    struct eu_profile_unit *unit = scope_begin_dispatch(ctx);
    uint64_t begin_ns = timeline_begin();
    run(what);
    timeline_dispatch(ctx, d, begin_ns);
    scope_end_dispatch(ctx, d, unit);
    pixels_dispatch(ctx->draw_memory->pixels, ctx);
    stage_cache_reset(d->stage.cache);
}

static void
run_groups(const void *d)
{
    compute_dispatch(d);
}

bool
dispatch_run(struct engine_context *ctx, const uint32_t *walker)
{
    struct dispatch d = {0};
    gen9_gpgpu_walker_unpack(&d.walker, walker);
    if (!dispatch_begin(ctx, &d, d.walker.interface_descriptor_offset))
        return false;
    resolve_grid(ctx->hw, &d);
    if (!dispatch_resolve(ctx, &d))
        return false;
    trace(dispatch, "simd%u, %u threads a group, groups %u,%u,%u..%u,%u,%u",
          d.stage.simd, d.threads_per_group, d.group_start[0], d.group_start[1],
          d.group_start[2], d.group_end[0], d.group_end[1], d.group_end[2]);
    dispatch_execute(ctx, &d, run_groups, &d);
    return true;
}
