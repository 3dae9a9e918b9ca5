/* vertex_batch.h: finds or adds a batch's vertices by key. Internal to geom/:
 * used by files that fill batches. */
#ifndef ENGINE_GEOM_VERTEX_BATCH_H
#define ENGINE_GEOM_VERTEX_BATCH_H

#include "engine/geom/geom.h"

/* Room beyond a batch's capacity: an object is accepted before it is known
 * which of its vertices are new. */
#define BATCH_SLACK GEOM_MAX_OBJECT_VERTS

/* Largest key range of batch_number_few(). */
#define BATCH_FEW_RANGE 512

/* Numbers few keys of a small range, after the batch's vertices: slot[key -
 * least_key]. Returns the number of vertices. */
uint32_t batch_number_few(struct batch *b, const uint32_t *key, uint32_t count,
                          uint32_t least_key, uint32_t range);

static inline bool
batch_has_room(const struct batch *b, unsigned verts)
{
    return b->vert_count + verts <= b->vert_cap + BATCH_SLACK;
}

static inline uint32_t
batch_new_vertex(struct geom *g, uint32_t key)
{
    struct batch *b = &g->batch;
    uint32_t i = b->vert_count++;
    b->vert[i] = (struct geom_vert){
        .p.v.vue = geom_entry(g, &g->vs_urb, i),
        .viewport = GEOM_VIEWPORT_NONE,
        .edge_flag = true,
    };
    b->key[i] = key;
    b->instance[i] = g->instance;
    return i;
}

/* The batch's vertex with a key, added if new; the caller has checked for room.
 * Neighbouring keys have neighbouring slots. On a collision, a key moves by its
 * own odd step. */
static inline uint32_t
batch_vertex(struct geom *g, uint32_t key)
{
    struct batch *b = &g->batch;
    uint32_t hash = key + g->instance * 0x85ebca77u;
    for (uint32_t h = hash;; h += hash * 0x9e3779b1u >> b->slot_shift | 1) {
        uint16_t *s = &b->slot[h & b->slot_mask];
        if (!*s) {
            uint32_t i = batch_new_vertex(g, key);
            *s = (uint16_t)(i + 1);
            return i;
        }
        uint32_t i = *s - 1u;
        if (b->key[i] == key &&
            (g->draw->instance_count == 1 || b->instance[i] == g->instance))
            return i;
    }
}

/* As batch_vertex(), for keys without collisions. */
static inline uint32_t
batch_unique_vertex(struct geom *g, uint32_t key)
{
    struct batch *b = &g->batch;
    uint16_t *s = &b->slot[key & b->slot_mask];
    if (!*s)
        *s = (uint16_t)(batch_new_vertex(g, key) + 1);
    return *s - 1u;
}

#endif
