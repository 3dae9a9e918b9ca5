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

/* By enum depth_kind; none for DEPTH_NONE. */
extern const depth_fn depth_avx2[4], depth_avx512[4];

#endif
