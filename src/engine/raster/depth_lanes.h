/* depth_lanes.h: the depth test of a 4x4 block in wide registers. As in rt.h:
 * one source (x86/depth_tmpl.h), a function per format and instruction set;
 * depth_block.c is their reference. Called in the default float mode. */
#ifndef RASTER_DEPTH_LANES_H
#define RASTER_DEPTH_LANES_H

#include "engine/raster/cover.h"

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

/* Returns the pixels that pass, in the same order. */
typedef uint16_t (*depth_fn)(const struct depth_in *in);

/* Bits by quad and pixel (see cover.h) to bits by row and column, or back: the
 * middle two bits of the index change places. */
static inline uint16_t
depth_transpose(uint16_t m)
{
    return (uint16_t)((m & 0xc3c3) | (m & 0x0c0c) << 2 | (m & 0x3030) >> 2);
}

/* Where a tile's blocks lie: (x, y) at mem + x_B[x] + y_B[y]. */
struct depth_places {
    uint8_t *mem;
    const uint64_t *x_B, *y_B;
};

/* Many blocks of a tile, of which in->x and in->y are the corner; lit: those of
 * their pixels that pass, both as in cover.h. */
typedef void (*depth_list_fn)(const struct depth_in *in,
                              const struct depth_places *to,
                              const struct cover_block *block, unsigned count,
                              uint16_t *lit);

/* The same of several primitives: in has no depths and no clamp of its own, x
 * and y are pixels of the target. */
typedef void (*depth_mixed_fn)(const struct depth_in *in,
                               const struct depth_places *to,
                               const struct cover_mixed *m,
                               const struct cover_block *block, unsigned count,
                               uint16_t *lit);

/* One depth, as stored, against whole 4x4 blocks: pixels [x0, x1) x [y0, y1),
 * multiples of 4, at mem + x_B[x] + y_B[y]. */
struct depth_scan {
    const uint8_t *mem;
    const uint64_t *x_B, *y_B;
    unsigned x0, y0, x1, y1;
    uint32_t pitch_B;
    uint32_t depth;
    uint8_t pass;
};

/* Whether it passes anywhere. */
typedef bool (*depth_scan_fn)(const struct depth_scan *s);

/* By enum depth_kind; none for DEPTH_NONE. */
extern const depth_fn depth_avx2[4], depth_avx512[4];
extern const depth_list_fn depth_list_avx2[4], depth_list_avx512[4];
extern const depth_mixed_fn depth_mixed_avx2[4], depth_mixed_avx512[4];
extern const depth_scan_fn depth_scan_avx2[4], depth_scan_avx512[4];

#endif
