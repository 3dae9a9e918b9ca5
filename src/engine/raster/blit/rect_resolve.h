/* rect_resolve.h: multisample resolve of rectangles without threads: each pixel
 * is the average of the source's samples. Private to blit/. Any worker. */
#ifndef ENGINE_RASTER_BLIT_RECT_RESOLVE_H
#define ENGINE_RASTER_BLIT_RECT_RESOLVE_H

#include "engine/raster/worker.h"

struct rect_resolve {
    unsigned samples;
    bool mcs;
    uint64_t mcs_clear; /* entry of a pixel that has the clear colour */
    struct image plane[8], control; /* control: MCS */
    uint8_t clear[16];              /* the element, repeated */
    uint32_t from_x, from_y;        /* source of pixel (to_x, to_y) */
    uint32_t to_x, to_y, width;
    struct image to;
};

/* Whether the format has UNORM bytes only. */
bool rect_resolve_supports(const struct format_info *fmt);
/* Averages n = 2, 4 or 8 arrays of UNORM bytes. Gives the bits of a shader that
 * converts to float, adds in pairs, scales, and converts back. */
void rect_resolve_average(const uint8_t *const from[8], unsigned n,
                          size_t size_B, uint8_t *to);
/* Rows [y0, y1) of the target. */
void rect_resolve_draw(const struct rect_resolve *r, uint32_t y0, uint32_t y1);

#endif
