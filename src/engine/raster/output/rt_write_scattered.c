/* rt_write_scattered.c: render target writes of lanes that do not form a block
 * of the surface: copies their elements to a private block and back. */
#include "engine/raster/output/rt_write_block.h"
#include "engine/raster/block_layout.h"

/* A private block, laid out like four rows of a Y tile. */
struct copy {
    alignas(64) uint8_t mem[BLOCK_LANES * 16];
    uint8_t *at[BLOCK_LANES]; /* each lane's element in the surface */
};

static inline uint8_t *
copy_at(struct copy *k, unsigned lane, unsigned element_B)
{
    unsigned row_B = lane_x(lane) * element_B;
    return k->mem + row_B / 16 * 64 + lane_y(lane) * MIN2(16, 4 * element_B) +
           row_B % 16;
}

/* Fills at[]; returns the lanes that lie in the surface. */
static uint32_t
find_lanes(struct copy *k, const struct worker *w, const struct view *v,
           const struct quad *quad, uint32_t mask)
{
    for (unsigned i = 0; i < BLOCK_LANES; i += 4, quad++) {
        unsigned bits = mask >> i & 15;
        if (!bits)
            continue;
        unsigned x = (unsigned)(quad->x - w->tile_x);
        unsigned y = (unsigned)(quad->y - w->tile_y);
        if (v->safe && x + 1 < v->width && y + 1 < v->height) {
            uint8_t *top = v->mem + v->y_B[y], *low = v->mem + v->y_B[y + 1];
            k->at[i] = top + v->x_B[x];
            k->at[i + 1] = top + v->x_B[x + 1];
            k->at[i + 2] = low + v->x_B[x];
            k->at[i + 3] = low + v->x_B[x + 1];
            continue;
        }
        for (; bits; bits &= bits - 1) {
            unsigned p = (unsigned)__builtin_ctz(bits);
            k->at[i + p] = view_at(v, x + (p & 1), y + (p >> 1));
            if (!k->at[i + p])
                mask &= ~(1u << (i + p));
        }
    }
    return mask;
}

static inline void
copy_bytes(uint8_t *copy, uint8_t *at, size_t size_B, bool back)
{
    if (back)
        memcpy(at, copy, size_B);
    else
        memcpy(copy, at, size_B);
}

/* Copies elements from the surface to the private block, or back. Two pixels of
 * a row are mostly adjacent. */
static inline void
copy_lanes(struct copy *k, uint32_t mask, unsigned size_B, bool back)
{
    for (unsigned i = 0; i < BLOCK_LANES; i += 2) {
        unsigned bits = mask >> i & 3;
        uint8_t *left = copy_at(k, i, size_B);
        if (size_B <= 8 && bits == 3 && k->at[i + 1] == k->at[i] + size_B) {
            copy_bytes(left, k->at[i], 2 * size_B, back);
            continue;
        }
        if (bits & 1)
            copy_bytes(left, k->at[i], size_B, back);
        if (bits & 2)
            copy_bytes(copy_at(k, i + 1, size_B), k->at[i + 1], size_B, back);
    }
}

/* With constant sizes, memcpy() becomes moves. */
static void
copy_elements(struct copy *k, uint32_t mask, unsigned size_B, bool back)
{
    switch (size_B) {
    case 1: copy_lanes(k, mask, 1, back); break;
    case 2: copy_lanes(k, mask, 2, back); break;
    case 4: copy_lanes(k, mask, 4, back); break;
    case 8: copy_lanes(k, mask, 8, back); break;
    default: copy_lanes(k, mask, 16, back); break;
    }
}

void
target_write_lanes(struct worker *w, struct target *t, struct rt_block b,
                   const struct view *v, const struct quad *quad, uint32_t mask)
{
    struct copy k;
    unsigned size_B = t->element_B;
    mask = find_lanes(&k, w, v, quad, mask);
    if (t->rt.reads) {
        memset(k.mem, 0, sizeof k.mem);
        copy_elements(&k, mask, size_B, false);
    }
    const struct rt_plane plane = {k.mem, 0xffff};
    b.plane = &plane;
    b.planes = 1;
    b.pitch_B = MIN2(16, 4 * size_B);
    b.column_B = 64;
    run_target(t, &b);
    copy_elements(&k, mask, size_B, true);
}
