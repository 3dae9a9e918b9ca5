/* bin_sort.c: sorts the primitives of a list by the tiles that they touch, in
 * drawing order. Lists are independent, so that several workers can sort at a
 * time. */
#include "engine/raster/bin/bin.h"

static struct tile_grid
find_grid(const struct prim_list *l)
{
    unsigned x0 = UINT8_MAX, y0 = UINT8_MAX, x1 = 0, y1 = 0;
    for (unsigned i = 0; i < l->count; i++) {
        const struct setup_ref *ref = &l->ref[i];
        x0 = MIN2(x0, ref->tx0);
        y0 = MIN2(y0, ref->ty0);
        x1 = MAX2(x1, ref->tx1);
        y1 = MAX2(y1, ref->ty1);
    }
    return (struct tile_grid){x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

/* Whether the whole tile lies outside of an edge. Small setups may lack edge[],
 * see setup.h. */
static bool
misses_tile(const struct setup *s, unsigned tx, unsigned ty)
{
    const int64_t size = TILE_PX * SUBPIXEL;
    int64_t x = tx * size, y = ty * size;
    for (unsigned i = 0; i < s->edge_count && !s->small; i++) {
        const struct edge *e = &s->edge[i];
        int64_t v = e->a * x + e->b * y + e->c + (e->a > 0 ? e->a * size : 0) +
                    (e->b > 0 ? e->b * size : 0);
        if (v < 0)
            return true;
    }
    return false;
}

static bool
is_in_one_tile(const struct setup_ref *r)
{
    return r->tx0 == r->tx1 && r->ty0 == r->ty1;
}

static struct tile_part *
part_at(struct prim_list *l, unsigned tx, unsigned ty)
{
    return &l->part[(ty - l->grid.y0) * l->grid.width + (tx - l->grid.x0)];
}

/* Counts the primitives of each tile. hit has a bit for each pair of a
 * primitive and a tile that its box touches: set if no edge excludes the tile.
 * Primitives within one tile are the most frequent; they have no test and no
 * bit. */
static void
count_pairs(struct prim_list *l, uint8_t *hit)
{
    size_t bit = 0;
    for (unsigned i = 0; i < l->count; i++) {
        const struct setup_ref *r = &l->ref[i];
        if (is_in_one_tile(r)) {
            struct tile_part *p = part_at(l, r->tx0, r->ty0);
            p->count++;
            p->large |= r->large;
            continue;
        }
        for (unsigned ty = r->ty0; ty <= r->ty1; ty++) {
            for (unsigned tx = r->tx0; tx <= r->tx1; tx++, bit++) {
                if (misses_tile(r->setup, tx, ty))
                    continue;
                struct tile_part *p = part_at(l, tx, ty);
                hit[bit / 8] |= (uint8_t)(1 << bit % 8);
                p->count++;
                p->large |= r->large;
            }
        }
    }
}

static void
put(struct tile_part *p, struct setup *s)
{
    p->setup[p->count++] = s;
}

static void
put_pairs(struct prim_list *l, const uint8_t *hit)
{
    size_t bit = 0;
    for (unsigned i = 0; i < l->count; i++) {
        const struct setup_ref *r = &l->ref[i];
        if (is_in_one_tile(r)) {
            put(part_at(l, r->tx0, r->ty0), r->setup);
            continue;
        }
        for (unsigned ty = r->ty0; ty <= r->ty1; ty++) {
            for (unsigned tx = r->tx0; tx <= r->tx1; tx++, bit++) {
                if (hit[bit / 8] >> bit % 8 & 1)
                    put(part_at(l, tx, ty), r->setup);
            }
        }
    }
}

/* Gives each tile its part of `room`, and zeroes the counts. */
static void
place_parts(struct prim_list *l, struct setup **room)
{
    for (unsigned i = 0; i < l->grid.width * l->grid.height; i++) {
        struct tile_part *p = &l->part[i];
        p->setup = room;
        room += p->count;
        p->count = 0;
    }
}

bool
list_sort(struct prim_list *l)
{
    if (l->sorted == l->count)
        return true;
    l->grid = find_grid(l);
    size_t tiles = (size_t)l->grid.width * l->grid.height;
    size_t pairs = (size_t)l->pair_count;
    struct setup **room = arena_take(&l->arena, pairs * sizeof *room, 8);
    uint8_t *hit = arena_alloc(&l->arena, pairs / 8 + 1, 8);
    l->part = arena_alloc(&l->arena, tiles * sizeof *l->part, 8);
    if (!room || !hit || !l->part)
        return false;
    count_pairs(l, hit);
    place_parts(l, room);
    put_pairs(l, hit);
    l->sorted = l->count;
    return true;
}

void
scene_sort(struct prim_list *l)
{
    if (l && l->count)
        list_sort(l);
}
