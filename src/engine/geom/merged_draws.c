/* merged_draws.c: draws that merge several, with separate vertex shader
 * constants but equal state. They run as one batch: its vertices lie piece by
 * piece, and each piece begins with a new thread. */
#include "engine/geom/vertex_batch.h"
#include "engine/geom/vue_transpose.h"

static unsigned
piece_vertices(const struct draw *draw, unsigned i)
{
    uint32_t end = i + 1 < draw->range_count ? draw->range[i + 1].first
                                             : draw->vertex_count;
    return end - draw->range[i].first;
}

unsigned
pieces_room(const struct draw *draw)
{
    unsigned room = 0;
    for (unsigned i = 0; i < draw->range_count; i++)
        room += ALIGN_POT(piece_vertices(draw, i), GEOM_THREAD_VERTS);
    return room;
}

/* Numbers the piece's vertices, in slot[key - lo]. */
static void
number_near(struct batch *b, const uint32_t *key, unsigned count, uint32_t lo,
            uint32_t range)
{
    unsigned used = batch_number_few(b, key, count, lo, range);
    for (unsigned i = 0; i < used; i++)
        b->instance[b->vert_count + i] = 0;
    b->vert_count += used;
}

/* Stores members separately: a struct copy would load them together right after
 * the stores and stall. */
static inline void
put_triangle(struct batch *b, uint32_t prim_id, uint32_t v0, uint32_t v1,
             uint32_t v2)
{
    struct prim_tri *t = &b->tri[b->tri_count++];
    t->corner[0] = (uint16_t)v0;
    t->corner[1] = (uint16_t)v1;
    t->corner[2] = (uint16_t)v2;
    t->primitive_id = prim_id;
}

static void
add_triangles(struct batch *b, const uint32_t *key, unsigned count, uint32_t lo,
              uint32_t prim_id)
{
    for (unsigned i = 0; i < count; i += 3, key += 3)
        put_triangle(b, prim_id++, b->slot[key[0] - lo], b->slot[key[1] - lo],
                     b->slot[key[2] - lo]);
}

/* Adds a piece with distant keys, for which it uses the hash table alone. */
static void
add_far(struct geom *g, const uint32_t *key, unsigned count, uint32_t prim_id)
{
    struct batch *b = &g->batch;
    memset(b->slot, 0, sizeof *b->slot * (b->slot_mask + 1));
    for (unsigned i = 0; i < count; i += 3, key += 3) {
        struct prim_tri t = {.primitive_id = prim_id++};
        for (unsigned k = 0; k < 3; k++)
            t.corner[k] = (uint16_t)batch_vertex(g, key[k]);
        b->tri[b->tri_count++] = t;
    }
}

/* Whether the keys equal the previous piece's plus a constant. */
static bool
is_same_mesh(const uint32_t *key, const uint32_t *before, unsigned count)
{
    uint32_t differs = 0, step = key[0] - before[0];
    for (unsigned i = 0; i < count; i++)
        differs |= key[i] - before[i] - step;
    return !differs;
}

/* Adds a copy of the previous piece with all keys higher by `step`. */
static void
add_same(struct batch *b, uint32_t step, unsigned triangles, uint32_t prim_id)
{
    const struct batch_piece *before = &b->piece[b->piece_count - 1];
    const uint32_t *key = b->key + before->first;
    const struct prim_tri *tri = b->tri + b->tri_count - triangles;
    unsigned further = b->vert_count - before->first;
    for (unsigned i = 0; i < before->count; i++) {
        b->key[b->vert_count + i] = key[i] + step;
        b->instance[b->vert_count + i] = 0;
    }
    b->vert_count += before->count;
    for (unsigned i = 0; i < triangles; i++) {
        put_triangle(b, prim_id++, tri[i].corner[0] + further,
                     tri[i].corner[1] + further, tri[i].corner[2] + further);
    }
}

static void
add_new(struct geom *g, const uint32_t *key, unsigned count, uint32_t prim_id)
{
    struct batch *b = &g->batch;
    uint32_t lo, hi;
    g->lanes->range(key, count, &lo, &hi);
    if (hi - lo < MIN2(b->slot_mask, BATCH_FEW_RANGE)) {
        number_near(b, key, count, lo, hi - lo + 1);
        add_triangles(b, key, count, lo, prim_id);
    } else {
        add_far(g, key, count, prim_id);
    }
}

/* Compares each piece with the previous one, because objects drawn one by one
 * often share a mesh. */
void
pieces_add(struct geom *g)
{
    const struct draw *draw = g->draw;
    struct batch *b = &g->batch;
    uint32_t *key = b->tri_key;
    unsigned before = 0; /* the previous piece's indices */
    for (unsigned i = 0; i < draw->range_count; i++) {
        const struct draw_range *range = &draw->range[i];
        unsigned count = piece_vertices(draw, i), first = b->vert_count;
        if (!count)
            continue;
        chunk_read_indices(draw, range->start_vertex, count, key);
        if (count == before && is_same_mesh(key, key - count, count))
            add_same(b, key[0] - key[-(int)count], count / 3, range->first / 3);
        else
            add_new(g, key, count, range->first / 3);
        b->piece[b->piece_count++] = (struct batch_piece){
            .first = first,
            .count = b->vert_count - first,
            .push = range->vs_push,
        };
        b->vert_count = ALIGN_POT(b->vert_count, GEOM_THREAD_VERTS);
        before = count;
        key += count;
    }
    g->ia_vertices += draw->vertex_count;
    g->ia_primitives += b->tri_count;
}
