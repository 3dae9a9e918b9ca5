/* draw.c: freezes hw_state into a struct draw and runs it. */
#include "engine/freeze/draw_private.h"
#include "engine/geom/geom.h"
#include "engine/oa/oa.h"
#include "engine/pixels/pixels.h"
#include "engine/raster/raster.h"
#include "engine/scanout/scanout.h"
#include "engine/scope/scope.h"
#include "engine/timeline/timeline.h"

#include <stdlib.h>

static struct draw_slot *
slot_create(struct stage_cache *common)
{
    struct draw_slot *slot = calloc(1, sizeof *slot);
    if (slot)
        stage_cache_init(&slot->cache, common);
    return slot;
}

struct draw_memory *
draw_memory_get(struct engine_context *ctx)
{
    if (!ctx->draw_memory) {
        struct draw_memory *m = calloc(1, sizeof *m);
        if (!m)
            return NULL;
        for (unsigned i = 0; i < STAGE_COUNT; i++)
            stage_cache_init(&m->cache[i], NULL);
        m->slot[0] = slot_create(&m->cache[STAGE_PS]);
        ctx->draw_memory = m;
        if (!m->slot[0])
            draw_memory_free(ctx);
    }
    return ctx->draw_memory;
}

static void
kernel_clear(struct kernel_slot *slot)
{
    eu_kernel_unref(slot->kernel);
    free(slot->code);
    *slot = (struct kernel_slot){0};
}

void
draw_memory_free(struct engine_context *ctx)
{
    struct draw_memory *m = ctx->draw_memory;
    if (!m)
        return;
    raster_free(m->raster);
    for (unsigned i = 0; i < DRAW_SLOTS; i++) {
        if (m->slot[i])
            stage_cache_finish(&m->slot[i]->cache);
        free(m->slot[i]);
    }
    for (unsigned i = 0; i < STAGE_COUNT; i++)
        stage_cache_finish(&m->cache[i]);
    for (unsigned i = 0; i < KERNEL_SLOTS; i++)
        if (m->kernels[i].kernel)
            kernel_clear(&m->kernels[i]);
    geom_kept_free(m->geom);
    pixels_free(m->pixels);
    media_queue_free(m->media_queue);
    free(m);
    ctx->draw_memory = NULL;
}

/* Draws the deferred pixels and ends their draws. */
static void
finish_pixels(struct engine_context *ctx)
{
    if (!ctx->draw_waits)
        return;
    ctx->draw_waits = false;
    struct draw_memory *m = ctx->draw_memory;
    raster_flush(m->raster);
    /* The slots before this one are free now: continue in slot 0. */
    struct draw_slot *now = m->slot[m->at];
    m->slot[m->at] = m->slot[0];
    m->slot[0] = now;
    m->at = 0;
}

/* ---- kernels ----------------------------------------------------------- */

/* Guess: no kernel is longer; jumps reach 2 GB, but instruction caches are
 * small. */
#define KERNEL_MAX_B (UINT64_C(16) << 20)

const struct eu_kernel *
draw_get_kernel(struct engine_context *ctx, gpu_va va)
{
    enum eu_gen gen = ctx->engine->config.gen == 8 ? EU_GEN8 : EU_GEN9;
    size_t avail_B = MIN2(vm_limit_B(ctx->vm, va), KERNEL_MAX_B);
    const void *code = vm_ptr(ctx->vm, va);
    return ctx->oa ? eu_kernel_get_counted(code, avail_B, gen)
                   : eu_kernel_get(code, avail_B, gen);
}

const struct eu_kernel *
draw_find_kernel(struct engine_context *ctx, gpu_va va)
{
    struct draw_memory *m = draw_memory_get(ctx);
    if (!m)
        return NULL;
    struct kernel_slot *slot = &m->kernels[(va >> 6) % KERNEL_SLOTS];
    const void *code = vm_ptr(ctx->vm, va);
    bool counted = ctx->oa;
    if (slot->kernel && slot->va == va && slot->counted == counted &&
        !memcmp(slot->code, code, slot->size_B))
        return slot->kernel;
    if (slot->kernel) {
        finish_pixels(ctx); /* deferred pixels may use it */
        kernel_clear(slot);
    }
    slot->kernel = draw_get_kernel(ctx, va);
    slot->counted = counted;
    if (!slot->kernel)
        return NULL;
    slot->va = va;
    slot->size_B = eu_kernel_size_B(slot->kernel);
    slot->code = malloc(slot->size_B);
    if (!slot->code) {
        kernel_clear(slot);
        return NULL;
    }
    memcpy(slot->code, code, slot->size_B);
    return slot->kernel;
}

const struct kernel_summary *
draw_find_summary(struct engine_context *ctx, gpu_va va, unsigned simd,
                  unsigned grf_start)
{
    struct draw_memory *m = draw_memory_get(ctx);
    struct kernel_slot *slot = m ? &m->kernels[(va >> 6) % KERNEL_SLOTS] : NULL;
    if (!slot || !slot->kernel || slot->va != va)
        return NULL;
    if (slot->simd != simd || slot->grf_start != grf_start) {
        finish_pixels(ctx); /* deferred pixels may use it */
        slot->simd = simd;
        slot->grf_start = grf_start;
        enum eu_gen gen = ctx->engine->config.gen == 8 ? EU_GEN8 : EU_GEN9;
        kernel_summary_find(&slot->summary, slot->code, slot->size_B, gen, simd,
                            grf_start);
        trace(draw, "kernel at 0x%llx: summary %u", (unsigned long long)va,
              slot->summary.kind);
    }
    return &slot->summary;
}

/* ---- the draw ---------------------------------------------------------- */

static struct draw_primitive
read_primitive(const struct hw_state *hw, const uint32_t *dw)
{
    struct gen9_3dprimitive p;
    gen9_3dprimitive_unpack(&p, dw);
    struct gen9_3dstate_vf_topology topology;
    gen9_3dstate_vf_topology_unpack(&topology,
                                    hw_packet(hw, HW_3DSTATE_VF_TOPOLOGY));
    struct draw_primitive prim = {
        /* Observed: since Gen8 the separate packet wins; stock iris leaves the
         * field of 3DPRIMITIVE zero. */
        .topology = topology.primitive_topology_type,
        .indexed = p.vertex_access_type,
        .vertex_count = p.vertex_count_per_instance,
        .start_vertex = p.start_vertex_location,
        .instance_count = p.instance_count,
        .start_instance = p.start_instance_location,
        .base_vertex = p.base_vertex_location,
    };
    if (p.indirect_parameter_enable) {
        const uint32_t *reg = hw->reg;
        prim.vertex_count = reg[REG_3DPRIM_VERTEX_COUNT / 4];
        prim.start_vertex = reg[REG_3DPRIM_START_VERTEX / 4];
        prim.instance_count = reg[REG_3DPRIM_INSTANCE_COUNT / 4];
        prim.start_instance = reg[REG_3DPRIM_START_INSTANCE / 4];
        prim.base_vertex = (int32_t)reg[REG_3DPRIM_BASE_VERTEX / 4];
    }
    return prim;
}

/* Guess: hardware would take a minute for this, and be reset. */
#define MAX_VERTICES (UINT64_C(1) << 36)

static void
set_primitive(struct draw_memory *m, const struct draw_primitive *p)
{
    struct draw *draw = draw_now(m);
    draw->topology = p->topology;
    draw->indexed = p->indexed;
    draw->vertex_count = p->vertex_count;
    draw->start_vertex = p->start_vertex;
    draw->instance_count = p->instance_count;
    draw->start_instance = p->start_instance;
    draw->base_vertex = p->base_vertex;
    draw->range_count = 1;
    draw->range = m->range;
    m->range[0] = (struct draw_range){.start_vertex = p->start_vertex};
    draw->vs_varies = false;
}

/* Adds parts that read memory which may have changed: constants and surfaces of
 * the enabled shaders, and the pixel shader even if disabled, because its
 * surfaces are the render targets. */
static unsigned
find_changed(struct engine_context *ctx, const struct draw *draw,
             unsigned parts)
{
    for (unsigned i = 0; i < STAGE_CS; i++) {
        if (draw->stage[i].enabled || i == STAGE_PS)
            parts |= hw_part_stage(i);
    }
    if (draw->so.so_function_enable)
        parts |= HW_PART_STREAMOUT;
    if (!(parts & HW_PART_PIXEL) && !draw_pixel_is_same(ctx, draw))
        parts |= HW_PART_PIXEL;
    return parts;
}

/* Makes the parts anew that have changed since the previous draw. */
static bool
update(struct engine_context *ctx, struct draw *draw)
{
    unsigned parts = ctx->hw->dirty;
    if (parts & HW_PART_MEMORY)
        parts = find_changed(ctx, draw, parts);
    /* On Gen8, the pixel state reads bits of the shader's packet. */
    if (draw->gen < 9 && parts & HW_PART_PS)
        parts |= HW_PART_PIXEL;
    ctx->hw->dirty = HW_PART_ALL;
    if (parts & HW_PART_INPUT) {
        draw_input_vertices(ctx, draw);
        draw->input_serial++;
    }
    if (!draw_stage_all(ctx, draw, parts))
        return false;
    if (parts & HW_PART_STREAMOUT)
        draw_input_streamout(ctx, draw);
    if (parts & HW_PART_PIXEL)
        draw_pixel_state(ctx, draw);
    if (parts & (HW_PART_PIXEL | HW_PART_PS | HW_PART_MEMORY))
        draw->pixel_serial++;
    draw->deferrable = draw_may_wait(draw);
    ctx->hw->dirty = 0;
    return true;
}

/* Pixels of the draw are deferred, so it must stay unchanged: continue with a
 * copy. */
static void
leave_draw(struct engine_context *ctx)
{
    struct draw_memory *m = ctx->draw_memory;
    if (m->at + 1 < DRAW_SLOTS && !m->slot[m->at + 1])
        m->slot[m->at + 1] = slot_create(&m->cache[STAGE_PS]);
    if (m->at + 1 == DRAW_SLOTS || !m->slot[m->at + 1]) {
        finish_pixels(ctx);
        return;
    }
    memcpy(&m->slot[m->at + 1]->draw, &m->slot[m->at]->draw,
           offsetof(struct draw, so_stream));
    m->at++;
    /* These parts of the copy still refer to the old slot. */
    ctx->hw->dirty |= HW_PART_PS | HW_PART_STREAMOUT;
}

static struct draw *
create_draw(struct engine_context *ctx, const struct draw_primitive *prim)
{
    struct draw_memory *m = draw_memory_get(ctx);
    if (!m) {
        guest_error("no memory for a draw");
        return NULL;
    }
    uint64_t vertices = (uint64_t)prim->vertex_count * prim->instance_count;
    if (vertices > MAX_VERTICES) {
        guest_error("draw of %llu vertices", (unsigned long long)vertices);
        return NULL;
    }
    /* Clear blocks will be filled with another depth. */
    if (ctx->draw_waits && draw_pixel_clears_anew(ctx->hw, draw_now(m)))
        finish_pixels(ctx);
    if (ctx->draw_waits && ctx->hw->dirty & (HW_PART_PIXEL | HW_PART_PS))
        leave_draw(ctx);
    struct draw *draw = draw_now(m);
    ctx->oa = pixels_counters(&m->pixels);
    if (!ctx->oa)
        ctx->oa = oa_counting(ctx->engine);
    if (draw->oa != ctx->oa) {
        finish_pixels(ctx);
        draw = draw_now(m);
        draw->oa = ctx->oa;
        ctx->hw->dirty |= HW_PART_ALL;
    }
    draw->totals = pixels_totals(m->pixels);
    draw->id = atomic_fetch_add(&ctx->engine->draw_id, 1) + 1;
    draw->gen = ctx->engine->config.gen;
    draw->vm = ctx->vm;
    draw->pool = engine_pool(ctx->engine);
    draw->stats = &ctx->hw->stats;
    draw->reset = &ctx->reset;
    draw->hang = &ctx->hang;
    draw->kept_raster = &m->raster;
    draw->kept_geom = &m->geom;
    set_primitive(m, prim);
    return update(ctx, draw) ? draw : NULL;
}

static void
trace_draw(const struct draw *draw)
{
    trace(draw,
          "#%llu topology %u, %u vertices from %u, %u instances, %s%s%s%s%s%s"
          "simd%u, %u samples, depth %s, stencil %s%s%s",
          (unsigned long long)draw->id, draw->topology, draw->vertex_count,
          draw->start_vertex, draw->instance_count,
          draw->indexed ? "indexed, " : "",
          draw->stage[STAGE_VS].enabled ? "VS " : "",
          draw->stage[STAGE_HS].enabled ? "HS " : "",
          draw->stage[STAGE_DS].enabled ? "DS " : "",
          draw->stage[STAGE_GS].enabled ? "GS " : "",
          draw->stage[STAGE_PS].enabled ? "PS " : "no PS ",
          draw->stage[STAGE_PS].simd, draw->samples,
          draw->depth.type == SURFACE_NULL ? "none" : draw->depth.fmt->name,
          draw->stencil.type == SURFACE_NULL ? "none" : "yes",
          draw->fast_clear ? ", fast clear" : "",
          draw->resolve ? ", resolve" : "");
}

void
draw_release(struct engine_context *ctx)
{
    if (!ctx->draw_held)
        return;
    ctx->draw_held = false;
    struct draw_memory *m = ctx->draw_memory;
    const struct draw *draw = draw_now(m);
    if (draw->stage[STAGE_PS].enabled && !draw->resolve)
        target_note(ctx->engine, draw);
    if (!draw->deferrable)
        finish_pixels(ctx);
    if (!draw->deferrable && !draw_only_draws(draw))
        raster_note_any_write(m->raster);
    struct eu_profile_unit *unit = scope_begin_draw(ctx, draw);
    uint64_t begin_ns = timeline_begin();
    geom_draw(draw);
    timeline_draw(ctx, draw, begin_ns);
    pixels_draw(m->pixels, ctx, draw);
    scope_end_draw(ctx, draw, unit);
    ctx->draw_waits = raster_has_deferred(m->raster);
    /* The stage still has the constants of the first range. */
    if (draw->vs_varies)
        ctx->hw->dirty |= HW_PART_VS;
}

void
draw_finish(struct engine_context *ctx)
{
    draw_release(ctx);
    finish_pixels(ctx);
}

bool
draw_run(struct engine_context *ctx, const uint32_t *dw)
{
    struct draw_primitive prim = read_primitive(ctx->hw, dw);
    stats_add(STAT_draws, 1);
    if (ctx->draw_held && draw_merge(ctx, &prim))
        return true;
    draw_release(ctx);
    struct draw *draw = create_draw(ctx, &prim);
    if (!draw)
        return false;
    trace_draw(draw);
    ctx->draw_held = true;
    ctx->draw_varies = draw_merge_varied_possible(draw);
    if (!draw_merge_possible(draw))
        draw_release(ctx);
    return true;
}

void
draw_note_write(struct engine_context *ctx, gpu_va va, uint64_t size_B)
{
    if (ctx->draw_memory)
        raster_note_write(ctx->draw_memory->raster, vm_ptr(ctx->vm, va),
                          size_B);
}

void
draw_note_any_write(struct engine_context *ctx)
{
    if (ctx->draw_memory)
        raster_note_any_write(ctx->draw_memory->raster);
}

/* ---- HiZ operations ---------------------------------------------------- */

void
draw_hz_op(struct engine_context *ctx)
{
    const struct hw_state *hw = ctx->hw;
    struct gen9_3dstate_wm_hz_op p;
    gen9_3dstate_wm_hz_op_unpack(&p, hw_packet(hw, HW_3DSTATE_WM_HZ_OP));
    struct gen9_3dstate_depth_buffer db;
    gen9_3dstate_depth_buffer_unpack(&db,
                                     hw_packet(hw, HW_3DSTATE_DEPTH_BUFFER));
    struct hz_op op = {
        .vm = ctx->vm,
        .pool = engine_pool(ctx->engine),
        .raster = ctx->draw_memory ? ctx->draw_memory->raster : NULL,
        .depth_clear = p.depth_buffer_clear_enable,
        .stencil_clear = p.stencil_buffer_clear_enable,
        .depth_resolve = p.depth_buffer_resolve_enable,
        .hiz_resolve = p.hierarchical_depth_buffer_resolve_enable,
        .x_min = p.clear_rectangle_x_min,
        .y_min = p.clear_rectangle_y_min,
        .x_max = p.clear_rectangle_x_max,
        .y_max = p.clear_rectangle_y_max,
        .stencil_value = (uint8_t)p.stencil_clear_value,
        .samples = 1u << MIN2(p.number_of_multisamples, 4),
        .sample_mask = p.sample_mask,
        .min_array = db.minimum_array_element,
    };
    draw_pixel_depth(ctx, op.samples, &op.depth, &op.stencil, &op.depth_level);
    op.stencil_level = op.depth_level;
    op.depth_value = draw_pixel_clear_depth(hw);
    trace(draw,
          "HiZ op:%s%s%s%s %u,%u..%u,%u layer %u level %u depth %f stencil "
          "%u, HiZ at 0x%llx",
          op.depth_clear ? " depth clear" : "",
          op.stencil_clear ? " stencil clear" : "",
          op.depth_resolve ? " depth resolve" : "",
          op.hiz_resolve ? " HiZ resolve" : "", op.x_min, op.y_min, op.x_max,
          op.y_max, op.min_array, op.depth_level, (double)op.depth_value,
          op.stencil_value, (unsigned long long)op.depth.aux_va);
    raster_hz_op(&op);
}
