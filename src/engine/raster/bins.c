/* bins.c: primitives to the tiles that they touch, tiles to the workers. */
#include "engine/raster/raster.h"
#include "base/pool.h"

#include <stdlib.h>

/* Below this many pixels waking the pool costs more than it gains. */
#define INLINE_PX 8192

static struct worker *
worker_get(struct scene *sc, unsigned index)
{
    struct worker *w = sc->worker[index];
    if (w && w->serial == sc->serial)
        return w;
    if (!w)
        w = aligned_alloc(64, ALIGN_POT(sizeof *w, 64));
    if (!w)
        return NULL;
    /* Not all of it: views are large and filled in when needed. */
    memset(w, 0, offsetof(struct worker, target));
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        w->target[i].ready = false;
    w->scene = sc;
    w->draw = sc->draw;
    w->index = index;
    w->serial = sc->serial;
    w->depth_layer = -1;
    w->batch.count = w->batch.prims = 0;
    w->batch.scattered = false;
    w->batch.pending = (struct batch_quads){0};
    if (sc->ps)
        payload_prepare(w);
    sc->worker[index] = w;
    return w;
}

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

static void
draw_tile(void *ctx, unsigned index, unsigned worker)
{
    struct scene *sc = ctx;
    const struct bin *bin = &sc->bin[index];
    struct worker *w = worker_get(sc, worker);
    if (!w)
        return;
    vm_thread_enter();
    if (w->tile_x != bin->x || w->tile_y != bin->y) {
        w->tile_x = bin->x;
        w->tile_y = bin->y;
        target_forget_views(w);
        depth_forget_views(w);
    }
    for (unsigned i = hidden_primitives(w, bin); i < bin->count; i++) {
        if (atomic_load_explicit(sc->draw->reset, memory_order_relaxed))
            break;
        cover_setup(w, bin->setup[i]);
        quad_end_primitive(w, bin->setup[i]);
    }
    quad_flush(w);
    report_counts(w);
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
add_up(const struct scene *sc)
{
    struct total t = {0};
    int32_t x0 = SCREEN_MAX_PX, y0 = SCREEN_MAX_PX, x1 = 0, y1 = 0;
    for (unsigned k = 0; k < sc->list_count; k++) {
        const struct prim_list *l = sc->list[k];
        if (!l)
            continue;
        t.setups += l->count;
        t.pairs += l->pair_count;
        t.work_px += l->work_px;
        for (unsigned i = 0; i < l->count; i++) {
            const struct setup_ref *r = &l->ref[i];
            x0 = MIN2(x0, r->tx0);
            y0 = MIN2(y0, r->ty0);
            x1 = MAX2(x1, r->tx1);
            y1 = MAX2(y1, r->ty1);
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
pack_bins(struct scene *sc, struct bin *bins, unsigned count)
{
    unsigned used = 0;
    for (unsigned i = 0; i < count; i++) {
        if (bins[i].count)
            bins[used++] = bins[i];
    }
    sc->bin = bins;
    sc->tile_count = used;
}

static void
fill_bins(struct scene *sc, const struct total *t, struct bin *bins,
          struct setup **room)
{
    const struct grid *g = &t->grid;
    for (unsigned i = 0; i < sc->list_count; i++) {
        if (sc->list[i])
            for_each_tile(sc->list[i], g, count_setup, bins);
    }
    place_bins(bins, g, room);
    for (unsigned i = 0; i < sc->list_count; i++) {
        if (sc->list[i])
            for_each_tile(sc->list[i], g, put_setup, bins);
    }
    pack_bins(sc, bins, g->width * g->height);
}

void
bins_draw(struct scene *sc)
{
    struct total t = add_up(sc);
    if (!t.setups)
        return;
    struct bin *bins = calloc(t.grid.width * t.grid.height, sizeof *bins);
    struct setup **room = malloc((size_t)t.pairs * sizeof *room);
    if (bins && room) {
        fill_bins(sc, &t, bins, room);
        stats_add(STAT_tiles, sc->tile_count);
        trace(raster, "%llu primitives in %u tiles",
              (unsigned long long)t.setups, sc->tile_count);
        if (sc->tile_count == 1 || t.work_px < INLINE_PX) {
            for (unsigned i = 0; i < sc->tile_count; i++)
                draw_tile(sc, i, 0);
        } else {
            pool_for(sc->draw->pool, sc->tile_count, draw_tile, sc);
        }
    } else {
        unimp("out of memory for bins");
    }
    free(bins);
    free(room);
}
