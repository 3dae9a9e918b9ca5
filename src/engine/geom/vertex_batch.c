/* vertex_batch.c: batches: vertices by key, each once, and the objects that use
 * them. */
#include "engine/geom/vertex_batch.h"

#include <stdlib.h>

#define FEW_KEYS 256

static void
batch_reset(struct batch *b)
{
    if (b->numbered)
        memset(b->slot, 0, sizeof *b->slot * b->key_range);
    else if (b->vert_count)
        memset(b->slot, 0, sizeof *b->slot * (b->slot_mask + 1));
    b->numbered = false;
    b->vert_count = b->object_count = b->index_count = b->tri_count = 0;
    b->piece_count = b->have = 0;
}

void
batch_run(struct geom *g)
{
    struct batch *b = &g->batch;
    if (hang_is_late(g->draw->hang, g->begun_ns))
        geom_look_at_clock(g);
    if (b->tri_count && !geom_stopped(g)) {
        vs_run(g);
        /* A failed thread leaves vertices without a VUE. */
        if (!geom_stopped(g))
            tris_run(g);
    }
    if (b->object_count && !geom_stopped(g)) {
        vs_run(g);
        for (unsigned i = 0; i < b->object_count && !geom_stopped(g); i++) {
            const struct batch_object *bo = &b->object[i];
            struct geom_vert *v[GEOM_MAX_OBJECT_VERTS];
            for (unsigned k = 0; k < bo->o.count; k++)
                v[k] = &b->vert[b->index[bo->first + k]];
            if (g->tess)
                hsds_patch(g, &bo->o, v);
            else
                geom_shaded(g, &bo->o, v);
        }
        if (g->tess)
            hsds_flush(g);
        if (g->gs)
            gs_flush(g);
    }
    batch_reset(b);
}

void
batch_object(void *ctx, const struct geom_assembled *in)
{
    struct geom *g = ctx;
    struct batch *b = &g->batch;
    if (!batch_has_room(b, in->o.count) ||
        b->index_count + in->o.count > b->index_cap ||
        b->object_count == b->object_cap)
        batch_run(g);
    struct batch_object *bo = &b->object[b->object_count++];
    bo->o = in->o;
    bo->first = b->index_count;
    for (unsigned i = 0; i < in->o.count; i++)
        b->index[b->index_count++] = batch_vertex(g, in->key[i]);
    /* Two halves of a quad count as one primitive. */
    if (in->o.family != FAMILY_POLYGON || (in->o.edge_mask & 4))
        g->ia_primitives++;
}

/* Unrolled, because a loop's jump takes as long as the rest. `one` is kept in a
 * register: 16-bit immediates slow down some decoders more than the store. */
static void
mark(uint16_t *slot, const uint32_t *key, size_t count, uint32_t least_key)
{
    uint16_t one = 1;
    __asm__("" : "+r"(one));
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (size_t k = 0; k < 8; k++)
            slot[key[i + k] - least_key] = one;
    }
    for (; i < count; i++)
        slot[key[i] - least_key] = one;
}

static void
number_marked(struct batch *b, uint32_t least_key, uint32_t range)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < range; i++) {
        uint16_t used = b->slot[i];
        b->slot[i] = (uint16_t)n;
        b->key[n] = least_key + i; /* may be one beyond the room */
        n += used;
    }
}

/* Marks are bits in a few words: bytes stored one by one could not be read back
 * as words without a stall. */
uint32_t
batch_number_few(struct batch *b, const uint32_t *key, uint32_t count,
                 uint32_t least_key, uint32_t range)
{
    uint64_t marks[BATCH_FEW_RANGE / 64] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = key[i] - least_key;
        marks[at / 64] |= UINT64_C(1) << (at % 64);
    }
    uint32_t n = b->vert_count;
    for (uint32_t from = 0; from < range; from += 64) {
        for (uint64_t m = marks[from / 64]; m; m &= m - 1) {
            uint32_t at = from + (uint32_t)__builtin_ctzll(m);
            b->slot[at] = (uint16_t)n;
            b->key[n++] = least_key + at;
        }
    }
    return n - b->vert_count;
}

/* Reuses vertices that the previous chunk has shaded: chunks of a grid end with
 * the vertices that the next one begins with. Whole threads only. */
static void
take_over(struct geom *g)
{
    struct batch *b = &g->batch;
    uint32_t from = b->least_key - b->shaded_key;
    if (b->vert_count != b->key_range || g->instance != b->shaded_instance ||
        from >= b->shaded_count)
        return;
    uint32_t count = MIN2(b->shaded_count - from, b->vert_count);
    b->have = count / GEOM_THREAD_VERTS * GEOM_THREAD_VERTS;
    if (!from)
        return;
    memmove(geom_entry(g, &g->vs_urb, 0), geom_entry(g, &g->vs_urb, from),
            (size_t)g->vs_urb.entry_B * b->have);
    memmove(b->codes, b->codes + from, sizeof *b->codes * b->have);
    for (uint32_t i = 0; i < b->have; i++) {
        b->vert[i] = b->vert[from + i];
        b->vert[i].p.v.vue = geom_entry(g, &g->vs_urb, i);
    }
}

static void
use_numbers(struct geom *g, uint32_t used, uint32_t least_key, uint32_t range)
{
    struct batch *b = &g->batch;
    for (uint32_t i = 0; i < used; i++)
        b->instance[i] = g->instance;
    b->vert_count = used;
    b->numbered = true;
    b->least_key = least_key;
    b->key_range = range;
    take_over(g);
}

static uint32_t
mark_all(struct batch *b, const uint32_t *key, uint32_t count,
         uint32_t least_key, uint32_t range)
{
    uint32_t used = 0;
    mark(b->slot, key, count, least_key);
    for (uint32_t i = 0; i < range; i++)
        used += b->slot[i];
    return used;
}

/* Numbers keys of a dense range without hashing: each key marks its slot, then
 * the marked slots are counted. Without an index buffer, the keys are the whole
 * range if they are as many; a fan's first key may repeat, or be far from the
 * others. */
bool
batch_number(struct geom *g, const uint32_t *key, uint32_t count,
             uint32_t least_key, uint32_t range)
{
    struct batch *b = &g->batch;
    uint32_t room = b->vert_cap + BATCH_SLACK;
    if (b->vert_count || range > b->slot_mask)
        return false;
    bool dense = !g->draw->indexed && count == range;
    if (!dense && range <= BATCH_FEW_RANGE && count <= FEW_KEYS &&
        MIN2(count, range) <= room) {
        use_numbers(g, batch_number_few(b, key, count, least_key, range),
                    least_key, range);
        return true;
    }
    uint32_t used = range;
    if (!dense)
        used = mark_all(b, key, count, least_key, range);
    if (used > room) {
        memset(b->slot, 0, sizeof *b->slot * range);
        return false;
    }
    if (used == range) {
        for (uint32_t i = 0; i < range; i++) {
            b->slot[i] = (uint16_t)i;
            b->key[i] = least_key + i;
        }
    } else {
        number_marked(b, least_key, range);
    }
    use_numbers(g, used, least_key, range);
    return true;
}

/* Does not split a small instance, so that none of its vertices is shaded
 * twice. */
void
batch_instance(struct geom *g)
{
    struct batch *b = &g->batch;
    uint32_t count = g->draw->vertex_count;
    if (count <= b->vert_cap && b->vert_count > b->vert_cap - count)
        batch_run(g);
}

/* Allocates all arrays as one block, which begins with slot[]. */
static bool
allocate(struct geom *g, uint32_t slots)
{
    struct batch *b = &g->batch;
    bool tris = g->tris;
    size_t room = b->vert_cap + BATCH_SLACK + GEOM_PAD_VERTS;
    size_t objects = tris ? 0 : b->object_cap;
    size_t keys = MIN2(GEOM_CHUNK_PRIMS * 3u, g->draw->vertex_count) + 3;
    size_t pieces = g->draw->vs_varies ? g->draw->range_count : 0;
    void *at[10];
    const size_t size_B[10] = {
        sizeof *b->slot * slots,
        sizeof *b->vert * room,
        sizeof *b->key * (room + 1),
        sizeof *b->instance * room,
        sizeof *b->object * objects,
        sizeof *b->index * (tris ? 0 : b->index_cap),
        tris ? sizeof *b->tri * b->object_cap : 0,
        tris ? sizeof *b->codes * room : 0,
        tris ? sizeof *b->tri_key * keys : 0,
        sizeof *b->piece * pieces,
    };
    size_t total_B = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(at); i++)
        total_B += ALIGN_POT(size_B[i], (size_t)64);
    uint8_t *p = geom_take(g, GEOM_BATCH, total_B);
    if (!p)
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
        at[i] = p;
        p += ALIGN_POT(size_B[i], (size_t)64);
    }
    b->slot = memset(at[0], 0, size_B[0]);
    b->vert = at[1];
    b->key = at[2];
    b->instance = at[3];
    b->object = at[4];
    b->index = at[5];
    b->tri = at[6];
    b->codes = at[7];
    b->tri_key = at[8];
    b->piece = at[9];
    return true;
}

bool
batch_init(struct geom *g)
{
    struct batch *b = &g->batch;
    const struct draw *draw = g->draw;
    uint64_t total = draw->vs_varies
                         ? pieces_room(draw)
                         : (uint64_t)draw->vertex_count * draw->instance_count;
    uint64_t cap = MIN2(GEOM_STAGE_URB_B / g->vs_urb.entry_B,
                        (uint64_t)GEOM_BATCH_VERTS);
    cap = MAX2(MIN2(cap, total), (uint64_t)GEOM_MAX_OBJECT_VERTS);
    b->vert_cap = (unsigned)cap;
    uint64_t objects = draw->vs_varies ? draw->vertex_count : total * 2 + 2;
    b->object_cap = (unsigned)MIN2(objects, (uint64_t)GEOM_BATCH_OBJECTS);
    b->index_cap = MAX2(b->object_cap * 4, GEOM_MAX_OBJECT_VERTS);
    uint32_t slots = 64;
    while (slots < (cap + BATCH_SLACK) * 2)
        slots *= 2;
    b->slot_mask = slots - 1;
    b->slot_shift = 32 - (unsigned)__builtin_ctz(slots);
    g->vs_urb.entries = b->vert_cap + BATCH_SLACK + GEOM_PAD_VERTS;
    return allocate(g, slots);
}

void
batch_finish(struct geom *g)
{
    geom_give(g, GEOM_BATCH, g->batch.slot);
}
