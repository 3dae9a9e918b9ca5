/* prim_list.c: lists of setups, each with one owner, in drawing order. */
#include "engine/raster/scene.h"

#include <stdlib.h>

#define ARENA_BLOCK_B (64 * 1024)
/* Bytes kept between flushes, for a list that one core or several draw. Fresh
 * pages cost more than the rest of a small primitive's setup. */
#define ARENA_KEPT_ALONE_B (384u * 1024)
#define ARENA_KEPT_B (8u * 1024 * 1024)
#define MAX_SETUPS 16384
#define MAX_PAIRS 1000000

/* Aligned so that lists of two owners share no cache line. */
struct prim_list *
list_create(bool alone)
{
    struct prim_list *l = aligned_alloc(128, ALIGN_POT(sizeof *l, (size_t)128));
    if (!l)
        return NULL;
    memset(l, 0, sizeof *l);
    l->shared = !alone;
    arena_init(&l->arena, ARENA_BLOCK_B,
               alone ? ARENA_KEPT_ALONE_B : ARENA_KEPT_B);
    return l;
}

void
list_reset(struct prim_list *l)
{
    stats_add(STAT_prims_raster, l->count);
    l->count = l->sorted = 0;
    l->pair_count = 0;
    l->work_px = 0;
    arena_reset(&l->arena);
}

void
list_destroy(struct prim_list *l)
{
    if (!l)
        return;
    arena_finish(&l->arena);
    free(l->ref);
    free(l);
}

bool
list_is_full(const struct prim_list *l)
{
    return l->count >= MAX_SETUPS || l->pair_count >= MAX_PAIRS ||
           l->arena.used_B >= l->scene->raster->list_max_B;
}

struct setup *
setup_new(struct prim_list *l, const struct prim *prim)
{
    struct setup *s = arena_take(&l->arena, sizeof *s, alignof(struct setup));
    if (!s) {
        unimp("out of memory for primitives");
        return NULL;
    }
    memset(s, 0, offsetof(struct setup, attr));
    s->scene = l->scene;
    s->kind = prim->kind;
    s->viewport = prim->viewport < DRAW_MAX_VIEWPORTS ? prim->viewport : 0;
    s->layer = prim->layer;
    depth_limits(&l->scene->ds, &l->scene->draw->cc_viewport[s->viewport],
                 &s->z_lo, &s->z_hi);
    return s;
}

static_assert(SCREEN_MAX_PX / TILE_PX <= 256, "tiles have numbers of 8 bits");

static bool
grow(struct prim_list *l)
{
    if (l->count < l->capacity)
        return true;
    unsigned capacity = MAX2(l->capacity * 2, 256u);
    struct setup_ref *p = realloc(l->ref, capacity * sizeof *p);
    if (!p)
        return false;
    l->ref = p;
    l->capacity = capacity;
    return true;
}

void
setup_finish(struct prim_list *l, struct setup *s)
{
    if (s->x0 >= s->x1 || s->y0 >= s->y1 || !s->attr || !grow(l))
        return;
    struct setup_ref *r = &l->ref[l->count++];
    *r = (struct setup_ref){
        .setup = s,
        .tx0 = (uint8_t)((unsigned)s->x0 / TILE_PX),
        .ty0 = (uint8_t)((unsigned)s->y0 / TILE_PX),
        .tx1 = (uint8_t)((unsigned)(s->x1 - 1) / TILE_PX),
        .ty1 = (uint8_t)((unsigned)(s->y1 - 1) / TILE_PX),
        .large = !s->small,
    };
    l->pair_count += (r->tx1 - r->tx0 + 1u) * (r->ty1 - r->ty0 + 1u);
    l->work_px += (uint64_t)(s->x1 - s->x0) * (unsigned)(s->y1 - s->y0);
}
