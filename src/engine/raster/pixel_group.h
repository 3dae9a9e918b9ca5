/* pixel_group.h: the quads of a pixel shader thread, and places within a pixel.
 * Called by shade, output and the pixel interpolator's messages. Any worker,
 * for its own groups. */
#ifndef ENGINE_RASTER_PIXEL_GROUP_H
#define ENGINE_RASTER_PIXEL_GROUP_H

#include "engine/raster/worker.h"

/* The upper left corners of a block's quads. */
static inline void
batch_corners(const struct block_batch *b, unsigned n, int32_t x[4],
              int32_t y[4])
{
    const struct batch_block *k = &b->block[n];
    for (unsigned i = 0; i < 4; i++) {
        x[i] = k->scattered ? b->quads[n].x[i] : k->x + (int32_t)(i & 1) * 2;
        y[i] = k->scattered ? b->quads[n].y[i] : k->y + (int32_t)(i >> 1) * 2;
    }
}

/* Makes w->block_group the quads of the batch's block n. */
void group_use_block(struct worker *w, unsigned n);
/* Only sets the positions of its quads. */
void group_use_place(struct worker *w, unsigned n);
/* Spreads four bits to the coverage words of a quad's pixels. */
static inline void
group_spread(uint16_t cover[4], unsigned bits)
{
    uint64_t v = (bits & 1) | (uint64_t)(bits & 2) << 15 |
                 (uint64_t)(bits & 4) << 30 | (uint64_t)(bits & 8) << 45;
    memcpy(cover, &v, sizeof v);
}
/* Barycentric weights of v1 and v2 at a position in pixels. */
void pixel_barycentrics(const struct setup *s, bool perspective, float x,
                        float y, float *b1, float *b2);
/* The centroid of a pixel, from its upper left corner. */
void pixel_centroid(const struct scene *scene, uint16_t cover, float *x,
                    float *y);

#endif
