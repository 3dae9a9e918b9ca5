/* draw_merge.c: merges 3DPRIMITIVEs without commands between them into one
 * draw.
 *
 * Programs draw a model piece by piece from one index buffer. Separately each
 * piece would pay for its own state, scene and threads; merged they fill vertex
 * threads and tiles. The draw is held until any other command comes, so that
 * merging has no visible effect. The pieces are lists, their primitives are
 * drawn in order, and nothing depends on where a piece begins.
 *
 * Objects drawn one by one mostly differ in a matrix, and the driver sends only
 * that between them. Small objects are merged, too, into a draw whose ranges
 * have their own constants.
 *
 * Draws that cannot be merged may still share tiles: see raster/bin/defer.c. */
#include "engine/freeze/draw_private.h"
#include "base/perf.h"

/* Enough to keep all workers busy. */
#define MAX_VERTICES 65536
/* Merging larger pieces with their own constants would save no time. */
#define MAX_VARIED 256

/* Vertices per primitive of a list; 0: not a list. */
static unsigned
list_size(unsigned topology)
{
    switch (topology) {
    case GEN9_3DPRIM_POINTLIST: return 1;
    case GEN9_3DPRIM_LINELIST: return 2;
    case GEN9_3DPRIM_TRILIST: return 3;
    default: return 0;
    }
}

/* Primitive IDs would restart at 0 in each piece. */
static bool
uses_primitive_id(const struct draw *draw)
{
    const struct gen9_3dstate_sbe *sbe = &draw->sbe;
    if (sbe->primitive_id_override_component_x ||
        sbe->primitive_id_override_component_y ||
        sbe->primitive_id_override_component_z ||
        sbe->primitive_id_override_component_w)
        return true;
    for (unsigned i = 0; i < ARRAY_SIZE(draw->sbe_swiz.attribute); i++)
        if (draw->sbe_swiz.attribute[i].constant_source ==
            GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_CONSTANT_SOURCE_PRIM_ID)
            return true;
    return false;
}

static bool
has_stages(const struct draw *draw)
{
    return draw->stage[STAGE_HS].enabled || draw->te.te_enable ||
           draw->stage[STAGE_DS].enabled || draw->stage[STAGE_GS].enabled ||
           draw->so.so_function_enable;
}

bool
draw_only_draws(const struct draw *draw)
{
    const struct shader_stage *vs = &draw->stage[STAGE_VS];
    bool pure = !vs->enabled || (vs->kernel && eu_kernel_is_pure(vs->kernel));
    /* Several threads may clear in larger draws. */
    bool once = draw->vertex_count <= 3 && draw->instance_count <= 1;
    return pure && !has_stages(draw) && (!draw->fast_clear || once) &&
           !draw->ps_extra.pixel_shader_has_uav;
}

static bool
copies_buffer(const struct draw *draw)
{
    const struct kernel_summary *m = draw->stage[STAGE_PS].summary;
    return m && m->kind == SUMMARY_FROM_BUFFER;
}

bool
draw_may_wait(const struct draw *draw)
{
    /* A rectangle is drawn without EU threads only if it is not deferred. */
    return draw_only_draws(draw) && !draw->fast_clear && !draw->resolve &&
           draw->topology != GEN9_3DPRIM_RECTLIST && !copies_buffer(draw) &&
           !draw->oa && !perf_leaves_out(PERF_WAIT);
}

bool
draw_merge_possible(const struct draw *draw)
{
    unsigned size = list_size(draw->topology);
    bool plain = draw->indexed && draw->instance_count == 1 && size &&
                 draw->vertex_count && draw->vertex_count % size == 0 &&
                 !draw->vf.indexed_draw_cut_index_enable;
    /* A piece may read memory that the previous one has written. */
    bool writes = draw->vs.accesses_uav || draw->ps_extra.pixel_shader_has_uav;
    return plain && !has_stages(draw) && !writes && !draw->fast_clear &&
           !draw->resolve && !uses_primitive_id(draw) && !draw->oa &&
           !perf_leaves_out(PERF_MERGE);
}

bool
draw_merge_varied_possible(const struct draw *draw)
{
    return draw_merge_possible(draw) && draw->topology == GEN9_3DPRIM_TRILIST &&
           draw_is_plain(draw) && draw->stage[STAGE_VS].enabled &&
           draw->urb_entry_B[0] <= DRAW_VARIED_ENTRY_B &&
           draw->vertex_count <= MAX_VARIED;
}

/* Adds a range with the constants that the packets have now. False: limits. */
static bool
add_varied(struct engine_context *ctx, const struct draw_primitive *prim)
{
    struct draw_memory *m = ctx->draw_memory;
    struct draw *draw = draw_now(m);
    const struct shader_stage *vs = &draw->stage[STAGE_VS];
    /* The draw may have grown since draw_merge_varied_possible(). */
    bool first = !draw->vs_varies;
    if ((first && draw->vertex_count > MAX_VARIED) ||
        prim->vertex_count > MAX_VARIED ||
        draw->vertex_count + prim->vertex_count > DRAW_VARIED_VERTICES ||
        draw->range_count >= DRAW_VARIED_RANGES)
        return false;
    unsigned at_grf = first ? 0 : m->varied_grf;
    const uint32_t *push = m->range[draw->range_count - 1].vs_push;
    if (first)
        push = vs->push;
    if (ctx->hw->dirty) {
        uint32_t *to = m->varied + at_grf * 8;
        int grf = draw_stage_push(ctx, vs, to, DRAW_VARIED_GRF - at_grf);
        if (grf < 0 || (unsigned)grf != vs->push_grf)
            return false;
        push = to;
        at_grf += (unsigned)grf;
    }
    for (unsigned i = 0; first && i < draw->range_count; i++)
        m->range[i].vs_push = vs->push;
    m->varied_grf = at_grf;
    draw->vs_varies = true;
    m->range[draw->range_count++] = (struct draw_range){
        draw->vertex_count, prim->start_vertex, push};
    ctx->hw->dirty = 0;
    return true;
}

static bool
add_range(struct draw_memory *m, const struct draw_primitive *prim)
{
    struct draw *draw = draw_now(m);
    const struct draw_range *last = &m->range[draw->range_count - 1];
    uint64_t end = (uint64_t)last->start_vertex + draw->vertex_count -
                   last->first;
    if (end == prim->start_vertex)
        return true;
    if (draw->range_count == DRAW_MAX_RANGES)
        return false;
    m->range[draw->range_count++] = (struct draw_range){
        .first = draw->vertex_count, .start_vertex = prim->start_vertex};
    return true;
}

bool
draw_merge(struct engine_context *ctx, const struct draw_primitive *prim)
{
    struct draw *draw = draw_now(ctx->draw_memory);
    if (!prim->indexed || prim->instance_count != 1 ||
        prim->vertex_count % list_size(draw->topology) ||
        prim->start_instance != draw->start_instance ||
        prim->base_vertex != draw->base_vertex ||
        prim->vertex_count > MAX_VERTICES ||
        draw->vertex_count > MAX_VERTICES - prim->vertex_count)
        return false;
    if (draw->vs_varies || ctx->hw->dirty) {
        if (!add_varied(ctx, prim))
            return false;
    } else if (!add_range(ctx->draw_memory, prim)) {
        return false;
    }
    draw->vertex_count += prim->vertex_count;
    trace(draw, "#%llu: %u more vertices from %u", (unsigned long long)draw->id,
          prim->vertex_count, prim->start_vertex);
    return true;
}
