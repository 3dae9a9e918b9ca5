/* tile_bins.c: merges the sorted lists of a flush into bins, one per tile, and
 * gives bins to workers. */
#include "engine/raster/bin/bin.h"
#include "engine/raster/coverage/coverage.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"
#include "base/pool.h"

#include <limits.h>
#include <stdlib.h>

/* Below this many pixels, waking the pool costs more than it gains. */
#define INLINE_PX 8192
/* Likewise below this many primitives that are yet to be sorted. */
#define INLINE_SETUPS 1024

static void
add_counts(struct worker *w)
{
    const struct scene *sc = w->scene;
    if (sc->count_depth)
        w->depth_sum += w->depth_count;
    if (sc->count_ps)
        w->ps_sum += w->ps_count;
    stats_add(STAT_threads_ps, w->threads);
    stats_add(STAT_pixels, w->pixels);
    for (unsigned i = 0; sc->draw->oa && i < OA_PIXEL_EVENTS; i++) {
        oa_add(sc->draw->oa, w->index, i, w->oa[i]);
        w->oa[i] = 0;
    }
    w->depth_count = w->ps_count = w->threads = w->pixels = 0;
}

/* Adds the counts of all workers once per flush: counters that several cores
 * write take longer than some tiles. */
static void
report_counts(struct raster *r)
{
    const struct draw *d = r->scene[0]->draw;
    uint64_t depth_count = 0, ps_count = 0;
    for (unsigned i = 0; i < r->worker_count; i++) {
        struct worker *w = r->worker[i];
        if (!w)
            continue;
        depth_count += w->depth_sum;
        ps_count += w->ps_sum;
        w->depth_sum = w->ps_sum = 0;
        w->tiles_done = 0;
    }
    atomic_fetch_add(&d->stats->ps_depth_count, depth_count);
    /* Observed: Gen8 counts each invocation four times; the stock driver
     * divides. */
    atomic_fetch_add(&d->stats->ps_invocations,
                     ps_count * (d->gen == 8 ? 4 : 1));
}

/* Switches the worker to a scene. Addresses of depth and stencil survive
 * between scenes of one flush. Addresses of colour targets survive longer: a
 * target knows its surface. */
static void
use_scene(struct worker *w, struct scene *sc)
{
    bool goes_on = w->flush == sc->raster->flush;
    w->flush = sc->raster->flush;
    if (!goes_on)
        target_begin_flush(w);
    if (w->serial == sc->serial)
        return;
    struct {
        unsigned index, flush;
        int32_t x, y;
        uint32_t depth, stencil;
        int layer, ended;
    } keep = {w->index,
              w->flush,
              w->tile_x,
              w->tile_y,
              goes_on ? w->depth_ready : 0,
              goes_on ? w->stencil_ready : 0,
              goes_on ? w->depth_layer : -1,
              goes_on ? w->depth_ended : -1};
    /* Stops before the targets: views are large and filled in when needed. */
    memset(w, 0, offsetof(struct worker, target));
    w->index = keep.index;
    w->flush = keep.flush;
    w->tile_x = keep.x;
    w->tile_y = keep.y;
    w->depth_ready = keep.depth;
    w->stencil_ready = keep.stencil;
    w->depth_layer = keep.layer;
    w->depth_ended = keep.ended;
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        w->target[i].ready = false;
    w->scene = sc;
    w->draw = sc->draw;
    w->serial = sc->serial;
    w->batch.count = w->batch.prims = 0;
    w->batch.scattered = false;
    w->batch.pending = (struct batch_quads){0};
    if (sc->ps)
        payload_prepare(w);
    shade_choose_paths(w);
}

/* Initialises the fields that are read before they are written. The rest is
 * large and mostly unused. */
static void
worker_init(struct worker *w, const struct raster *r, unsigned index)
{
    w->index = index;
    w->serial = 0;
    w->flush = r->flush - 1;
    w->tile_x = w->tile_y = -1;
    w->batch.centres.x_px = w->batch.centres.y_px = -1;
    w->depth_sum = w->ps_sum = 0;
    w->tiles_done = w->until_look = 0;
    w->streams = false;
    w->batch.begun = (struct rt_begun){.at = NULL}; /* and no hint */
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        w->target[i].known = w->target[i].has_codes = false;
    for (unsigned s = 0; s < MAX_SAMPLES; s++) {
        w->depth[s].tabled = w->stencil[s].tabled = false;
        for (unsigned i = 0; i < DRAW_MAX_RT; i++)
            w->target[i].view[s].tabled = false;
    }
}

static struct worker *
worker_get(struct raster *r, unsigned index)
{
    struct worker *w = r->worker[index];
    if (w)
        return w;
    w = aligned_alloc(64, ALIGN_POT(sizeof *w, 64));
    if (!w)
        return NULL;
    worker_init(w, r, index);
    return r->worker[index] = w;
}

static void
end_scene(struct worker *w)
{
    quad_flush(w);
    add_counts(w);
}

/* Orders stores that bypassed the caches before any other thread reads them. */
static void
end_streams(struct worker *w)
{
    if (w->streams)
        _mm_sfence();
    w->streams = false;
}

#define AHEAD 4

/* Hang check: at every few primitives, estimates whether all tiles would take
 * too long. Assumes that all workers have progressed equally. done, total:
 * primitives of this tile. */
static bool
is_hopeless(const struct raster *r, struct worker *w, unsigned done,
            unsigned total)
{
    const unsigned prims_per_look = 4;
    const struct draw *draw = w->scene->draw;
    if (w->until_look--)
        return false;
    w->until_look = prims_per_look - 1;
    if (!hang_is_late(draw->hang, r->begun_ns))
        return false;
    double tiles = w->tiles_done + (double)done / total;
    if (!hang_is_hopeless(draw->hang, r->begun_ns, tiles * r->worker_count,
                          r->tile_count, "drawing of pixels"))
        return false;
    atomic_store(draw->reset, true);
    return true;
}

static void
draw_bin(const struct raster *r, struct worker *w, const struct bin *bin)
{
    atomic_bool *reset = bin->setup[0]->scene->draw->reset;
    unsigned first = opaque_cull(w, bin);
    /* Assumes that two primitives are the triangles of a rectangle. */
    w->no_overdraw = bin->count - first <= 2;
    for (unsigned i = first, drawn; i < bin->count; i += drawn) {
        struct setup *s = bin->setup[i];
        if (atomic_load_explicit(reset, memory_order_relaxed) ||
            is_hopeless(r, w, i, bin->count))
            break;
        if (s->scene != w->scene) {
            end_scene(w);
            use_scene(w, s->scene);
        }
        drawn = cover_multi_prim_setups(w, &bin->setup[i], bin->count - i);
        if (drawn)
            continue;
        cover_fetch_ahead(&bin->setup[i], bin->count - i, AHEAD);
        cover_setup(w, s);
        quad_end_primitive(w, s);
        drawn = 1;
    }
    end_scene(w);
}

static bool
is_empty(const struct prim_list *l)
{
    return !l || !l->count;
}

/* Copies the tile's primitives into its bin, list by list. */
static void
gather(const struct raster *r, const struct bin *bin)
{
    unsigned tx = (unsigned)bin->x / TILE_PX, ty = (unsigned)bin->y / TILE_PX;
    struct setup **to = bin->setup;
    for (unsigned i = 0; i < r->list_count; i++) {
        const struct prim_list *l = r->list[i];
        if (is_empty(l) || tx - l->grid.x0 >= l->grid.width ||
            ty - l->grid.y0 >= l->grid.height)
            continue;
        const struct tile_part *p =
            &l->part[(ty - l->grid.y0) * l->grid.width + (tx - l->grid.x0)];
        if (p->count)
            memcpy(to, p->setup, p->count * sizeof *to);
        to += p->count;
    }
}

static void
draw_tile(void *ctx, unsigned index, unsigned worker)
{
    struct raster *r = ctx;
    const struct bin *bin = &r->bin[index];
    struct worker *w = worker_get(r, worker);
    if (!w)
        return;
    if (r->gathers)
        gather(r, bin);
    vm_thread_enter();
    use_scene(w, bin->setup[0]->scene);
    if (w->tile_x != bin->x || w->tile_y != bin->y) {
        w->tile_x = bin->x;
        w->tile_y = bin->y;
        target_forget_views(w);
        depth_forget_views(w);
    }
    draw_bin(r, w, bin);
    w->tiles_done++;
    /* Worker 0 is the thread of the flush: one fence for all its tiles, in
     * draw_tiles(). */
    if (worker)
        end_streams(w);
    vm_thread_leave();
}

/* ---- tiles -------------------------------------------------------------- */

struct sort {
    struct raster *r;
    atomic_bool failed;
};

static void
sort_list(void *ctx, unsigned index, unsigned worker)
{
    struct sort *sort = ctx;
    struct prim_list *l = sort->r->list[index];
    if (!is_empty(l) && !list_sort(l))
        atomic_store(&sort->failed, true);
}

/* Sums over the lists of a flush. */
struct total {
    struct tile_grid grid;
    unsigned lists;
    unsigned used; /* number of the last of them, plus one */
    uint64_t setups, unsorted, pairs, work_px;
};

static struct total
add_up(const struct raster *r)
{
    struct total t = {0};
    for (unsigned k = 0; k < r->list_count; k++) {
        const struct prim_list *l = r->list[k];
        if (is_empty(l))
            continue;
        t.lists++;
        t.used = k + 1;
        t.setups += l->count;
        t.unsorted += l->sorted == l->count ? 0 : l->count;
        t.pairs += l->pair_count;
        t.work_px += l->work_px;
    }
    return t;
}

static bool
sort_lists(struct raster *r, const struct total *t)
{
    struct sort sort = {.r = r};
    if (t->lists > 1 && t->unsorted > INLINE_SETUPS) {
        pool_for(r->scene[0]->draw->pool, t->used, sort_list, &sort);
    } else {
        for (unsigned i = 0; i < r->list_count; i++)
            sort_list(&sort, i, 0);
    }
    return !sort.failed;
}

static struct tile_grid
join_grids(const struct raster *r)
{
    struct tile_grid all = {UINT_MAX, UINT_MAX, 0, 0};
    unsigned x1 = 0, y1 = 0;
    for (unsigned i = 0; i < r->list_count; i++) {
        if (is_empty(r->list[i]))
            continue;
        const struct tile_grid *g = &r->list[i]->grid;
        all.x0 = MIN2(all.x0, g->x0);
        all.y0 = MIN2(all.y0, g->y0);
        x1 = MAX2(x1, g->x0 + g->width);
        y1 = MAX2(y1, g->y0 + g->height);
    }
    all.width = x1 - all.x0;
    all.height = y1 - all.y0;
    return all;
}

static void
count_list(const struct prim_list *l, const struct tile_grid *g,
           struct bin *bins)
{
    const struct tile_part *p = l->part;
    bins += (l->grid.y0 - g->y0) * g->width + (l->grid.x0 - g->x0);
    for (unsigned y = 0; y < l->grid.height; y++, bins += g->width) {
        for (unsigned x = 0; x < l->grid.width; x++, p++) {
            bins[x].setup = p->setup;
            bins[x].count += p->count;
            bins[x].large |= p->large;
        }
    }
}

/* Moves bins that have primitives to the front and gives each its position and
 * its part of `room`. room is NULL if there is only one list: bins then use its
 * parts directly. */
static void
place_bins(struct raster *r, const struct tile_grid *g, struct bin *bins,
           struct setup **room)
{
    unsigned used = 0;
    for (unsigned i = 0; i < g->width * g->height; i++) {
        struct bin *b = &bins[i];
        if (!b->count)
            continue;
        b->x = (int32_t)(g->x0 + i % g->width) * TILE_PX;
        b->y = (int32_t)(g->y0 + i / g->width) * TILE_PX;
        if (room) {
            b->setup = room;
            room += b->count;
        }
        bins[used++] = *b;
    }
    r->bin = bins;
    r->tile_count = used;
    r->gathers = room;
}

static void
draw_tiles(struct raster *r, const struct total *t)
{
    stats_add(STAT_tiles, r->tile_count);
    r->begun_ns = clock_tick_ns();
    trace(raster, "%llu primitives in %u tiles", (unsigned long long)t->setups,
          r->tile_count);
    if (r->tile_count == 1 || t->work_px < INLINE_PX) {
        for (unsigned i = 0; i < r->tile_count; i++)
            draw_tile(r, i, 0);
    } else {
        pool_for(r->scene[0]->draw->pool, r->tile_count, draw_tile, r);
    }
    if (r->worker[0])
        end_streams(r->worker[0]);
}

void
bins_draw(struct raster *r)
{
    struct total t = add_up(r);
    if (!t.setups)
        return;
    bool ok = sort_lists(r, &t);
    struct tile_grid grid = ok ? join_grids(r) : (struct tile_grid){0};
    struct bin *bins = ok ? calloc(grid.width * grid.height, sizeof *bins)
                          : NULL;
    struct setup **room = t.lists > 1 ? malloc((size_t)t.pairs * sizeof *room)
                                      : NULL;
    if (bins && (room || t.lists == 1)) {
        for (unsigned i = 0; i < r->list_count; i++) {
            if (!is_empty(r->list[i]))
                count_list(r->list[i], &grid, bins);
        }
        place_bins(r, &grid, bins, room);
        cleared_draw(r, true);
        if (r->scene[0]->draw->oa)
            oa_add(r->scene[0]->draw->oa, 0, OA_SETUPS, t.setups);
        draw_tiles(r, &t);
        report_counts(r);
    } else {
        unimp("out of memory for bins");
    }
    free(bins);
    free(room);
}
