/* tile_coverage.c: finds the blocks that a primitive covers in a tile. */
#include "engine/raster/coverage/coverage.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/shade/shade.h"

/* Boxes this large get a depth test as a whole; they are drawn alone. */
#define HIDDEN_MIN_PX 256

struct box {
    int32_t x0, y0, x1, y1;
};

/* Stipple and smooth primitives need more than coverage. */
static bool
is_special(const struct setup *s)
{
    return s->poly_stipple || s->line_stipple || s->round || s->smooth;
}

/* Bits lo to hi - 1. */
static uint64_t
bit_range(int32_t lo, int32_t hi)
{
    uint64_t upto = hi == 64 ? UINT64_MAX : (UINT64_C(1) << hi) - 1;
    return upto & UINT64_MAX << lo;
}

/* Widens a triangle's box to whole blocks, up to the clip rectangle. Its edges
 * already exclude all pixels outside of its own box. */
static struct box
edges_box(const struct setup *s, const struct box *box)
{
    const struct scene *sc = s->scene;
    unsigned vp = s->viewport;
    struct box b = *box;
    if (s->cover != COVER_EDGES || s->kind != PRIM_TRIANGLE || s->conservative)
        return b;
    b.x0 = b.x0 > sc->clip_x0[vp] ? MAX2(b.x0 & ~3, sc->clip_x0[vp]) : b.x0;
    b.y0 = b.y0 > sc->clip_y0[vp] ? MAX2(b.y0 & ~3, sc->clip_y0[vp]) : b.y0;
    b.x1 = b.x1 < sc->clip_x1[vp] ? MIN2((b.x1 + 3) & ~3, sc->clip_x1[vp])
                                  : b.x1;
    b.y1 = b.y1 < sc->clip_y1[vp] ? MIN2((b.y1 + 3) & ~3, sc->clip_y1[vp])
                                  : b.y1;
    return b;
}

/* The fraction of an edge function stays constant over whole steps of a pixel:
 * it is dropped from the constant. */
static void
job_init(struct cover_job *job, const struct worker *w, const struct setup *s,
         const struct box *box)
{
    const struct scene *sc = s->scene;
    int64_t x = (int64_t)w->tile_x * SUBPIXEL,
            y = (int64_t)w->tile_y * SUBPIXEL;
    job->samples = sc->ms_raster && !s->conservative ? sc->samples : 1;
    job->edges = s->edge_count;
    /* The tile lies within 80 pixels of all vertices: 64 of its own, 16 of a
     * narrow primitive. */
    job->narrow = s->narrow;
    job->columns = bit_range(box->x0 - w->tile_x, box->x1 - w->tile_x);
    job->rows = bit_range(box->y0 - w->tile_y, box->y1 - w->tile_y);
    for (unsigned e = 0; e < s->edge_count; e++) {
        const struct edge *edge = &s->edge[e];
        int64_t v = edge->a * x + edge->b * y + edge->c;
        job->a[e] = edge->a;
        job->b[e] = edge->b;
        for (unsigned i = 0; i < job->samples; i++) {
            int64_t sx = s->conservative ? SUBPIXEL / 2 : sc->sample_x[i];
            int64_t sy = s->conservative ? SUBPIXEL / 2 : sc->sample_y[i];
            job->c[e][i] = (v + edge->a * sx + edge->b * sy) >> 8;
        }
    }
}

/* Coverage that setup has found. */
static void
find_small(struct worker *w, const struct setup *s)
{
    w->cover.count = 0;
    cover_small(s->square, (s->x0 & ~3) - w->tile_x, (s->y0 & ~3) - w->tile_y,
                &w->cover);
}

static struct box
box_in_tile(const struct worker *w, const struct setup *s)
{
    return (struct box){MAX2(s->x0, w->tile_x), MAX2(s->y0, w->tile_y),
                        MIN2(s->x1, w->tile_x + TILE_PX),
                        MIN2(s->y1, w->tile_y + TILE_PX)};
}

/* False if s covers nothing in the tile. */
static bool
begin(struct worker *w, const struct setup *s, struct box *box,
      struct cover_job *job)
{
    *box = box_in_tile(w, s);
    if (box->x0 >= box->x1 || box->y0 >= box->y1)
        return false;
    struct box wide = edges_box(s, box);
    job_init(job, w, s, &wide);
    /* Skips edge rejection for narrow triangles: most of their edges cut the
     * tile. */
    return s->narrow || cover_reject_edges(job);
}

unsigned
cover_blocks(struct worker *w, const struct setup *s)
{
    struct box box;
    struct cover_job job;
    if (s->small) {
        find_small(w, s);
        return 1;
    }
    if (!begin(w, s, &box, &job))
        return 0;
    w->cover.count = 0;
    cover_find(&job, &w->cover);
    return job.samples;
}

void
cover_setup(struct worker *w, const struct setup *s)
{
    struct box box;
    struct cover_job job;
    if (s->small) {
        find_small(w, s);
        shade_primitive(w, s, 1);
        return;
    }
    if (s->cover == COVER_LINE) {
        cover_line(w, s);
        return;
    }
    if (!begin(w, s, &box, &job) ||
        ((box.x1 - box.x0) * (box.y1 - box.y0) >= HIDDEN_MIN_PX &&
         !w->draw->oa &&
         depth_rejects_box(w, s, box.x0, box.y0, box.x1, box.y1)))
        return;
    w->cover.count = 0;
    cover_find(&job, &w->cover);
    shade_primitive(w, s, job.samples);
}

/* Upper bound of the blocks in the tile; COVER_BLOCKS if s must be drawn alone.
 */
static unsigned
blocks_at_most(const struct worker *w, const struct setup *s)
{
    if (s->small)
        return COVER_SMALL_BLOCKS;
    const struct box b = box_in_tile(w, s);
    if (s->cover != COVER_EDGES || is_special(s) ||
        (b.x1 - b.x0) * (b.y1 - b.y0) >= HIDDEN_MIN_PX)
        return COVER_BLOCKS;
    return (unsigned)(((b.x1 + 3) >> 2) - (b.x0 >> 2)) *
           (unsigned)(((b.y1 + 3) >> 2) - (b.y0 >> 2));
}

static void
add_to_mix(struct worker *w, const struct setup *s, struct cover_multi_prim *m)
{
    struct cover_list *list = &w->cover;
    struct box box;
    struct cover_job job;
    unsigned first = list->count;
    m->first[m->count] = (uint8_t)first;
    if (s->small) {
        memset(m->of + first, (int)m->count, COVER_SMALL_BLOCKS);
        cover_small(s->square, (s->x0 & ~3) - w->tile_x,
                    (s->y0 & ~3) - w->tile_y, list);
    } else if (begin(w, s, &box, &job)) {
        cover_find(&job, list);
        memset(m->of + first, (int)m->count, list->count - first);
    }
    m->count++;
}

unsigned
cover_multi_prim_setups(struct worker *w, struct setup *const *setup,
                        unsigned count)
{
    struct cover_list *list = &w->cover;
    struct cover_multi_prim m;
    if (!w->multi_prim_batches)
        return 0;
    m.setup = setup;
    m.count = list->count = 0;
    while (m.count < MIN2(count, COVER_MIXED)) {
        const struct setup *s = setup[m.count];
        if (s->scene != w->scene || s->layer != setup[0]->layer ||
            list->count + blocks_at_most(w, s) > COVER_MIXED_BLOCKS)
            break;
        cover_fetch_ahead(&setup[m.count], count - m.count, COVER_MIXED);
        add_to_mix(w, s, &m);
    }
    m.first[m.count] = (uint8_t)list->count;
    stats_add(STAT_shade_multi_prim, m.count);
    if (list->count)
        payload_add_mixed(w, &m, list);
    return m.count;
}
