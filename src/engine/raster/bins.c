/* bins.c: primitives to the tiles that they touch, tiles to the workers. */
#include "engine/raster/raster.h"
#include "base/pool.h"

#include <stdlib.h>

/* Below this many pixels waking the pool costs more than it gains. */
#define INLINE_PX 8192

static void
report_counts(struct worker *w)
{
    struct scene *sc = w->scene;
    struct pipeline_stats *st = w->draw->stats;
    if (sc->count_depth && w->depth_count)
        atomic_fetch_add(&st->ps_depth_count, w->depth_count);
    if (sc->count_ps && w->ps_count)
        /* Gen8 counts each invocation four times: observed, the stock
         * driver divides. */
        atomic_fetch_add(&st->ps_invocations,
                         w->ps_count * (w->draw->gen == 8 ? 4 : 1));
    stats_add(STAT_threads_ps, w->threads);
    stats_add(STAT_pixels, w->pixels);
    w->depth_count = w->ps_count = w->threads = w->pixels = 0;
}

/* Makes the worker one of this scene. Addresses that were found for another
 * scene of the same flush stay. */
static void
use_scene(struct worker *w, struct scene *sc)
{
    bool goes_on = w->flush == sc->raster->flush;
    w->flush = sc->raster->flush;
    if (w->serial == sc->serial)
        return;
    struct {
        unsigned index, flush;
        int32_t x, y;
        uint32_t depth, stencil;
        int layer;
    } keep = {w->index,
              w->flush,
              w->tile_x,
              w->tile_y,
              goes_on ? w->depth_ready : 0,
              goes_on ? w->stencil_ready : 0,
              goes_on ? w->depth_layer : -1};
    /* Not all of it: views are large and filled in when needed. */
    memset(w, 0, offsetof(struct worker, target));
    w->index = keep.index;
    w->flush = keep.flush;
    w->tile_x = keep.x;
    w->tile_y = keep.y;
    w->depth_ready = keep.depth;
    w->stencil_ready = keep.stencil;
    w->depth_layer = keep.layer;
    for (unsigned i = 0; i < DRAW_MAX_RT; i++) {
        w->target[i].ready = false;
        if (!goes_on)
            w->target[i].known = false;
    }
    w->scene = sc;
    w->draw = sc->draw;
    w->serial = sc->serial;
    w->batch.count = w->batch.prims = 0;
    w->batch.scattered = false;
    w->batch.pending = (struct batch_quads){0};
    if (sc->ps)
        payload_prepare(w);
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
    w->index = index;
    w->serial = 0;
    w->flush = r->flush - 1;
    w->tile_x = w->tile_y = -1;
    return r->worker[index] = w;
}

static void
end_scene(struct worker *w)
{
    quad_flush(w);
    report_counts(w);
}

/* A small primitive takes less time than to get it from where another core or
 * an earlier stage has left it: its attributes are right behind it. */
#define AHEAD 4
#define AHEAD_B 512

static inline void
look_ahead(const struct bin *bin, unsigned i)
{
    if (bin->count - i <= AHEAD)
        return;
    const char *p = (const char *)bin->setup[i + AHEAD];
    for (unsigned at_B = 0; at_B < AHEAD_B; at_B += 64)
        __builtin_prefetch(p + at_B);
}

static void
draw_bin(struct worker *w, const struct bin *bin)
{
    const atomic_bool *reset = bin->setup[0]->scene->draw->reset;
    unsigned first = hidden_primitives(w, bin);
    /* The two triangles of a rectangle. */
    w->drawn_once = bin->count - first <= 2;
    w->streams = false;
    for (unsigned i = first; i < bin->count; i++) {
        struct setup *s = bin->setup[i];
        look_ahead(bin, i);
        if (atomic_load_explicit(reset, memory_order_relaxed))
            break;
        if (s->scene != w->scene) {
            end_scene(w);
            use_scene(w, s->scene);
        }
        cover_setup(w, s);
        quad_end_primitive(w, s);
    }
    end_scene(w);
    if (w->streams)
        _mm_sfence();
}

static void
draw_tile(void *ctx, unsigned index, unsigned worker)
{
    struct raster *r = ctx;
    const struct bin *bin = &r->bin[index];
    struct worker *w = worker_get(r, worker);
    if (!w)
        return;
    vm_thread_enter();
    use_scene(w, bin->setup[0]->scene);
    if (w->tile_x != bin->x || w->tile_y != bin->y) {
        w->tile_x = bin->x;
        w->tile_y = bin->y;
        target_forget_views(w);
        depth_forget_views(w);
    }
    draw_bin(w, bin);
    vm_thread_leave();
}

struct grid {
    int32_t x0, y0; /* tiles */
    unsigned width, height;
};

/* What the lists of a flush hold together. */
struct total {
    struct grid grid;
    uint64_t setups, pairs, work_px;
};

static struct total
add_up(const struct raster *r)
{
    struct total t = {0};
    int32_t x0 = SCREEN_MAX_PX, y0 = SCREEN_MAX_PX, x1 = 0, y1 = 0;
    for (unsigned k = 0; k < r->list_count; k++) {
        const struct prim_list *l = r->list[k];
        if (!l)
            continue;
        t.setups += l->count;
        t.pairs += l->pair_count;
        t.work_px += l->work_px;
        for (unsigned i = 0; i < l->count; i++) {
            const struct setup_ref *ref = &l->ref[i];
            x0 = MIN2(x0, ref->tx0);
            y0 = MIN2(y0, ref->ty0);
            x1 = MAX2(x1, ref->tx1);
            y1 = MAX2(y1, ref->ty1);
        }
    }
    t.grid = (struct grid){x0, y0, (unsigned)(x1 - x0 + 1),
                           (unsigned)(y1 - y0 + 1)};
    return t;
}

/* Whether the tile lies outside of one of the edges. */
static bool
misses_tile(const struct setup *s, unsigned tx, unsigned ty)
{
    const int64_t size = TILE_PX * SUBPIXEL;
    int64_t x = tx * size, y = ty * size;
    for (unsigned i = 0; i < s->edge_count; i++) {
        const struct edge *e = &s->edge[i];
        int64_t v = e->a * x + e->b * y + e->c + (e->a > 0 ? e->a * size : 0) +
                    (e->b > 0 ? e->b * size : 0);
        if (v < 0)
            return true;
    }
    return false;
}

static struct bin *
bin_at(struct bin *bins, const struct grid *g, unsigned tx, unsigned ty)
{
    return &bins[(ty - (unsigned)g->y0) * g->width + (tx - (unsigned)g->x0)];
}

/* Most primitives are small: those of one tile are not tested against it. */
static void
for_each_tile(const struct prim_list *l, const struct grid *g,
              void (*fn)(struct bin *bin, struct setup *s), struct bin *bins)
{
    for (unsigned i = 0; i < l->count; i++) {
        const struct setup_ref *r = &l->ref[i];
        if (r->tx0 == r->tx1 && r->ty0 == r->ty1) {
            fn(bin_at(bins, g, r->tx0, r->ty0), r->setup);
            continue;
        }
        for (unsigned ty = r->ty0; ty <= r->ty1; ty++) {
            for (unsigned tx = r->tx0; tx <= r->tx1; tx++) {
                if (!misses_tile(r->setup, tx, ty))
                    fn(bin_at(bins, g, tx, ty), r->setup);
            }
        }
    }
}

static void
count_setup(struct bin *bin, struct setup *s)
{
    bin->count++;
}

static void
put_setup(struct bin *bin, struct setup *s)
{
    bin->setup[bin->count++] = s;
}

/* Gives each bin its part of `room`. */
static void
place_bins(struct bin *bins, const struct grid *g, struct setup **room)
{
    for (unsigned i = 0; i < g->width * g->height; i++) {
        struct bin *b = &bins[i];
        b->x = (g->x0 + (int32_t)(i % g->width)) * TILE_PX;
        b->y = (g->y0 + (int32_t)(i / g->width)) * TILE_PX;
        b->setup = room;
        room += b->count;
        b->count = 0;
    }
}

/* Bins with something in them, to the front. */
static void
pack_bins(struct raster *r, struct bin *bins, unsigned count)
{
    unsigned used = 0;
    for (unsigned i = 0; i < count; i++) {
        if (bins[i].count)
            bins[used++] = bins[i];
    }
    r->bin = bins;
    r->tile_count = used;
}

static void
fill_bins(struct raster *r, const struct total *t, struct bin *bins,
          struct setup **room)
{
    const struct grid *g = &t->grid;
    for (unsigned i = 0; i < r->list_count; i++) {
        if (r->list[i])
            for_each_tile(r->list[i], g, count_setup, bins);
    }
    place_bins(bins, g, room);
    for (unsigned i = 0; i < r->list_count; i++) {
        if (r->list[i])
            for_each_tile(r->list[i], g, put_setup, bins);
    }
    pack_bins(r, bins, g->width * g->height);
}

void
bins_draw(struct raster *r)
{
    struct total t = add_up(r);
    if (!t.setups)
        return;
    struct bin *bins = calloc(t.grid.width * t.grid.height, sizeof *bins);
    struct setup **room = malloc((size_t)t.pairs * sizeof *room);
    if (bins && room) {
        fill_bins(r, &t, bins, room);
        stats_add(STAT_tiles, r->tile_count);
        trace(raster, "%llu primitives in %u tiles",
              (unsigned long long)t.setups, r->tile_count);
        if (r->tile_count == 1 || t.work_px < INLINE_PX) {
            for (unsigned i = 0; i < r->tile_count; i++)
                draw_tile(r, i, 0);
        } else {
            pool_for(r->scene[0]->draw->pool, r->tile_count, draw_tile, r);
        }
    } else {
        unimp("out of memory for bins");
    }
    free(bins);
    free(room);
}
