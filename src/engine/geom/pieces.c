/* pieces.c: draws that stand for several, of which each has a vertex shader's
 * constants of its own. All else they have in common, so they are one batch:
 * its vertices lie piece by piece, each beginning with a thread. */
#include "engine/geom/batch.h"
#include "engine/geom/lanes.h"

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

/* Numbers for the piece's vertices, from slot[key - lo] on. */
static void
number_near(struct batch *b, const uint32_t *key, unsigned count, uint32_t lo,
            uint32_t range)
{
    unsigned used = batch_number_few(b, key, count, lo, range);
    for (unsigned i = 0; i < used; i++)
        b->instance[b->vert_count + i] = 0;
    b->vert_count += used;
}

static void
add_triangles(struct batch *b, const uint32_t *key, unsigned count, uint32_t lo,
              uint32_t prim_id)
{
    for (unsigned i = 0; i < count; i += 3, key += 3)
        b->tri[b->tri_count++] = (struct prim_tri){
            .corner = {b->slot[key[0] - lo], b->slot[key[1] - lo],
                       b->slot[key[2] - lo]},
            .primitive_id = prim_id++,
        };
}

/* The keys are far apart: the table is for this piece alone. */
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

void
pieces_add(struct geom *g)
{
    const struct draw *draw = g->draw;
    struct batch *b = &g->batch;
    uint32_t *key = b->tri_key;
    for (unsigned i = 0; i < draw->range_count; i++) {
        const struct draw_range *range = &draw->range[i];
        unsigned count = piece_vertices(draw, i), first = b->vert_count;
        uint32_t lo, hi;
        if (!count)
            continue;
        chunk_read_indices(draw, range->start_vertex, count, key);
        g->lanes->range(key, count, &lo, &hi);
        if (hi - lo < MIN2(b->slot_mask, BATCH_FEW_RANGE)) {
            number_near(b, key, count, lo, hi - lo + 1);
            add_triangles(b, key, count, lo, range->first / 3);
        } else {
            add_far(g, key, count, range->first / 3);
        }
        b->piece[b->piece_count++] = (struct batch_piece){
            .first = first,
            .count = b->vert_count - first,
            .push = range->vs_push,
        };
        b->vert_count = ALIGN_POT(b->vert_count, GEOM_THREAD_VERTS);
    }
    g->ia_vertices += draw->vertex_count;
    g->ia_primitives += b->tri_count;
}
