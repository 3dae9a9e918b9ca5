/* depth_lanes.h: the depth test of a 4x4 block in wide registers. As in rt.h:
 * one source (x86/depth_tmpl.h), a function per format and instruction set;
 * depth_block.c is their reference. Called in the default float mode. */
#ifndef RASTER_DEPTH_LANES_H
#define RASTER_DEPTH_LANES_H

#include "base/base.h"

/* z(column, row) = (c + dx * (x + column)) + dy * (y + row), clamped. */
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

/* Many blocks that have all but these in common; mask: to those that pass.
 * Without slopes nobody looks at x and y. */
struct depth_item {
    double x, y;
    uint8_t *at;
    uint16_t mask;
};
typedef void (*depth_list_fn)(const struct depth_in *in,
                              struct depth_item *item, unsigned count);

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
extern const depth_scan_fn depth_scan_avx2[4], depth_scan_avx512[4];

#endif
