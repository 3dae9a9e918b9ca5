/* output.c: passes objects of the last shader stage to stream output and the
 * clipper. */
#include "engine/geom/geom.h"

bool
output_init(struct geom *g)
{
    return clip_init(g);
}

/* Drops adjacent vertices. Returns the number of remaining ones. */
static unsigned
without_adjacency(const struct geom_object *o, struct geom_vert *const *v,
                  struct geom_vert **out)
{
    switch (o->kind) {
    case GEOM_LINE_ADJ:
        out[0] = v[1];
        out[1] = v[2];
        return 2;
    case GEOM_TRI_ADJ:
        for (unsigned i = 0; i < 3; i++)
            out[i] = v[i * 2];
        return 3;
    case GEOM_PATCH: return 0;
    default:
        for (unsigned i = 0; i < o->count; i++)
            out[i] = v[i];
        return o->count;
    }
}

static void
reorder(const struct geom_object *o, struct geom_vert *const *v, unsigned count,
        bool trailing, struct geom_vert **out)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = v[o->odd && count == 3 ? assemble_odd_order(i, trailing) : i];
}

unsigned
output_provoking(const struct draw *draw, const struct geom_object *o,
                 unsigned count)
{
    static const uint8_t in_trailing[3] = {1, 0, 2};
    const struct gen9_3dstate_sf *sf = &draw->sf;
    unsigned select;
    if (count == 1 || o->family == FAMILY_POLYGON || o->kind == GEOM_RECT)
        return 0;
    if (count == 2)
        return MIN2(sf->line_strip_list_provoking_vertex_select, 1);
    if (o->family == FAMILY_FAN)
        select = sf->triangle_fan_provoking_vertex_select;
    else
        select = sf->triangle_strip_list_provoking_vertex_select;
    select = MIN2(select, 2);
    return o->odd ? in_trailing[select] : select;
}

void
output_object(struct geom *g, const struct geom_object *o,
              struct geom_vert *const *v, unsigned stream)
{
    const struct draw *draw = g->draw;
    struct geom_vert *plain[3], *ordered[3];
    unsigned count = without_adjacency(o, v, plain);
    bool so = draw->so.so_function_enable;
    if (!count) {
        guest_error("patch list without tessellation");
        return;
    }
    if (so) {
        bool trailing = draw->so.reorder_mode ==
                        GEN9_3DSTATE_GS_REORDER_MODE_TRAILING;
        reorder(o, plain, count, trailing, ordered);
        streamout_object(g, stream, ordered, count);
    }
    /* Observed: anv discards all rasterisation this way, with stream output
     * off. */
    if (draw->so.rendering_disable)
        return;
    if (stream != (so ? draw->so.render_stream_select : 0))
        return;
    struct geom_object flat = *o;
    flat.kind = (uint8_t)(o->kind == GEOM_RECT ? GEOM_RECT
                          : count == 1         ? GEOM_POINT
                          : count == 2         ? GEOM_LINE
                                               : GEOM_TRI);
    flat.count = (uint8_t)count;
    reorder(o, plain, count, true, ordered);
    clip_object(g, &flat, ordered, output_provoking(draw, o, count));
}

void
output_finish(struct geom *g)
{
    streamout_finish(g);
    if (g->draw->clip.statistics_enable) {
        struct pipeline_stats *stats = g->draw->stats;
        atomic_fetch_add(&stats->cl_invocations, g->cl_invocations);
        atomic_fetch_add(&stats->cl_primitives, g->cl_primitives);
    }
}
