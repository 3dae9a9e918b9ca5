/* depth_kernels.h: kernels for the depth test of 4x4 blocks. One source
 * (x86/depth_tmpl.h), a function per format and instruction set;
 * depth_test_block.c is the reference. Chosen by depth_state_init(). Pure but
 * for the buffer; called in the default float mode. */
#ifndef ENGINE_RASTER_DEPTH_DEPTH_KERNELS_H
#define ENGINE_RASTER_DEPTH_DEPTH_KERNELS_H

#include "engine/raster/block_layout.h"

/* z(column, row) = (c + dx * (x + column)) + dy * (y + row), clamped to
 * what depth_limits() has. */
struct depth_in {
    double c, dx, dy, x, y;
    float lo, hi;
    uint8_t *at;
    uint32_t pitch_B; /* from row to row */
    uint16_t mask;    /* pixels to be tested, 4 * row + column */
    uint8_t pass;     /* less, equal, greater, unordered */
    bool write;
};

/* Returns the pixels of mask that pass. */
typedef uint16_t (*depth_fn)(const struct depth_in *in);

/* Bits by quad and pixel (see block_layout.h) to bits by row and column, or
 * back: swaps the middle two bits of the index. */
static inline uint16_t
depth_transpose(uint16_t m)
{
    return (uint16_t)((m & 0xc3c3) | (m & 0x0c0c) << 2 | (m & 0x3030) >> 2);
}

/* Addresses of a tile's pixels: (x, y) at mem + x_B[x] + y_B[y]. */
struct depth_places {
    uint8_t *mem;
    const uint64_t *x_B, *y_B;
};

/* Tests many blocks of a tile whose corner is (in->x, in->y). live[i] gets the
 * pixels of block i that pass, as in block_layout.h. */
typedef void (*depth_list_fn)(const struct depth_in *in,
                              const struct depth_places *to,
                              const struct cover_block *block, unsigned count,
                              uint16_t *live);

/* Likewise for several primitives, which bring their own depths and clamps;
 * in->x and in->y are pixels of the target. */
typedef void (*depth_mixed_fn)(const struct depth_in *in,
                               const struct depth_places *to,
                               const struct cover_multi_prim *m,
                               const struct cover_block *block, unsigned count,
                               uint16_t *live);

/* Compares one depth, as stored, with whole 4x4 blocks: pixels [x0, x1) x [y0,
 * y1), multiples of 4, at mem + x_B[x] + y_B[y]. */
struct depth_scan {
    const uint8_t *mem;
    const uint64_t *x_B, *y_B;
    unsigned x0, y0, x1, y1;
    uint32_t pitch_B;
    uint32_t depth;
    uint8_t pass;
};

/* Whether the depth passes anywhere. */
typedef bool (*depth_scan_fn)(const struct depth_scan *s);

/* Index: enum depth_kind; DEPTH_NONE is NULL. */
extern const depth_fn depth_avx2[4], depth_avx512[4];
extern const depth_list_fn depth_list_avx2[4], depth_list_avx512[4];
extern const depth_mixed_fn depth_mixed_avx2[4], depth_mixed_avx512[4];
extern const depth_scan_fn depth_scan_avx2[4], depth_scan_avx512[4];

#endif
