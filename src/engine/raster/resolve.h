/* resolve.h: rectangles whose pixels are the average of a surface's samples,
 * without threads. Internal to raster/. */
#ifndef ENGINE_RASTER_RESOLVE_H
#define ENGINE_RASTER_RESOLVE_H

#include "engine/raster/raster.h"

struct resolve {
    unsigned samples;
    bool mcs;
    uint64_t mcs_clear; /* an entry that stands for the clear colour */
    struct image plane[8], control; /* control: MCS */
    uint8_t clear[16];              /* the element, repeated */
    uint32_t from_x, from_y;        /* of the pixel that (to_x, to_y) gets */
    uint32_t to_x, to_y, width;
    struct image to;
};

/* Bytes that are averages of n = 2, 4 or 8 bytes taken as 0..1, in pairs: the
 * same as converting to float, adding, scaling, and converting back. */
void resolve_average(const uint8_t *const from[8], unsigned n, size_t size_B,
                     uint8_t *to);
/* Rows [y0, y1) of the target. */
void resolve_draw(const struct resolve *r, uint32_t y0, uint32_t y1);

#endif
