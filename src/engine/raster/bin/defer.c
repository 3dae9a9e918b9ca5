/* defer.c: the raster memory of a context, and deferred scenes, whose pixels
 * are drawn together with later ones. Their primitives share the lists, in
 * drawing order; each primitive knows its scene. */
#include "engine/raster/bin/bin.h"
#include "engine/raster/blit/blit.h"
#include "base/pool.h"

#include <stdlib.h>

/* Bytes of setups before a flush. Few stay in the cache of a single core that
 * makes and draws them; many keep several cores busy. */
#define LIST_MAX_ALONE_B (384u * 1024)
#define LIST_MAX_B (8u * 1024 * 1024)
/* Lists of deferred draws: enough for the lists that several workers make of
 * one draw. */
#define MAX_LISTS 64

static struct raster *
create(unsigned workers)
{
    struct raster *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->worker = calloc(workers, sizeof(struct worker *));
    r->worker_count = workers;
    r->list_max_B = workers > 1 ? LIST_MAX_B : LIST_MAX_ALONE_B;
    if (r->worker)
        return r;
    free(r);
    return NULL;
}

void
raster_free(struct raster *r)
{
    if (!r)
        return;
    for (unsigned i = 0; i < r->worker_count; i++)
        free(r->worker[i]);
    free(r->worker);
    for (unsigned i = 0; i < r->list_count; i++)
        list_destroy(r->list[i]);
    free(r->list);
    for (unsigned i = 0; i < RASTER_SCENES; i++)
        free(r->scene[i]);
    free(r);
}

/* The context's raster memory, or a new one for this draw alone. */
static struct raster *
find(const struct draw *draw)
{
    unsigned workers = pool_workers(draw->pool);
    struct raster *r = draw->kept_raster ? *draw->kept_raster : NULL;
    if (r && r->worker_count == workers)
        return r;
    raster_flush(r);
    raster_free(r);
    r = create(workers);
    if (draw->kept_raster)
        *draw->kept_raster = r;
    return r;
}

/* Keeps the last scene: the next draw may reuse it. */
static void
keep_last(struct raster *r)
{
    if (!r->scene_count)
        return;
    struct scene *last = r->scene[r->scene_count - 1];
    r->scene[r->scene_count - 1] = r->scene[0];
    r->scene[0] = last;
    r->scene_count = 1;
}

bool
raster_has_deferred(const struct raster *r)
{
    for (unsigned i = 0; r && i < r->list_count; i++) {
        if (r->list[i] && r->list[i]->count)
            return true;
    }
    return false;
}

void
raster_flush(struct raster *r)
{
    if (!raster_has_deferred(r))
        return;
    const struct draw *draw = r->scene[r->scene_count - 1]->draw;
    if (!atomic_load(draw->reset)) {
        if (rect_blit(r))
            cleared_draw(r, false);
        else
            bins_draw(r);
    }
    for (unsigned i = 0; i < r->list_count; i++) {
        if (r->list[i])
            list_reset(r->list[i]);
    }
    r->first_list = 0;
    r->flush++;
    keep_last(r);
}

void
raster_note_write(struct raster *r, const void *at, uint64_t size_B)
{
    if (r)
        cleared_drop_bytes(&r->cleared, at, size_B);
}

void
raster_note_any_write(struct raster *r)
{
    if (r)
        cleared_forget(&r->cleared);
}

void
scene_flush(struct scene *sc)
{
    raster_flush(sc->raster);
}

/* Places the lists of the next draw after deferred primitives. */
static void
follow(struct raster *r)
{
    unsigned last = r->list_count;
    while (last && (!r->list[last - 1] || !r->list[last - 1]->count))
        last--;
    r->first_list = last ? last - 1 : 0;
    if (r->first_list >= MAX_LISTS)
        raster_flush(r);
}

static bool
same_surface(const struct surface *a, const struct surface *b)
{
    return !memcmp(a, b, sizeof *a);
}

/* Whether the scene draws to the same surfaces as the deferred scenes. A draw
 * that reads pixels of an earlier draw needs no check: the hardware wants a
 * command between them that is more than state. */
static bool
joins(const struct scene *sc, const struct scene *last)
{
    const struct draw *a = sc->draw, *b = last->draw;
    return sc->deferrable && a->deferrable &&
           (!sc->aims || !last->aims ||
            same_surface(&sc->target, &last->target)) &&
           sc->samples == last->samples && a->depth_level == b->depth_level &&
           a->depth_min_array == b->depth_min_array &&
           same_surface(&a->depth, &b->depth) &&
           same_surface(&a->stencil, &b->stencil);
}

static struct scene *
add_scene(struct raster *r, const struct draw *draw)
{
    if (!raster_has_deferred(r))
        r->scene_count = 0;
    else if (r->scene_count == RASTER_SCENES)
        raster_flush(r);
    unsigned n = r->scene_count;
    if (!r->scene[n])
        r->scene[n] = malloc(sizeof *r->scene[n]);
    struct scene *sc = r->scene[n];
    if (!sc)
        return NULL;
    scene_init(sc, r, draw);
    sc->serial = ++r->serial;
    const struct scene *last = n ? r->scene[n - 1] : NULL;
    if (last && !sc->aims) {
        /* A scene without a colour target inherits the earlier one, for joins()
         * of the next scene. */
        sc->aims = last->aims;
        sc->target = last->target;
    }
    if (last && !joins(sc, last)) {
        raster_flush(r);
        r->scene[n] = r->scene[0];
        r->scene[0] = sc;
        n = 0;
    }
    r->scene_count = n + 1;
    return sc;
}

struct scene *
scene_create(const struct draw *draw)
{
    struct raster *r = find(draw);
    if (!r)
        return NULL;
    follow(r);
    struct scene *sc = r->scene_count ? r->scene[r->scene_count - 1] : NULL;
    if (!sc || sc->draw != draw || sc->pixel_serial != draw->pixel_serial)
        sc = add_scene(r, draw);
    if (sc)
        sc->last_cleared_layer = -1;
    else if (!draw->kept_raster)
        raster_free(r);
    return sc;
}

void
scene_destroy(struct scene *sc)
{
    if (!sc)
        return;
    const struct draw *draw = sc->draw;
    if (draw->kept_raster && draw->deferrable && sc->deferrable) {
        stats_add(STAT_waits, 1);
        return;
    }
    raster_flush(sc->raster);
    if (!draw->kept_raster)
        raster_free(sc->raster);
}
