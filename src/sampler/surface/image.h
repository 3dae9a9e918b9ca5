/* image.h: rectangles of one level, layer and sample of a surface, as rows of
 * bytes. Fills and copies rectangles by whole tiles and cache lines if no texel
 * needs decoding. Coordinates are elements from the level's corner.
 *
 * Who calls: the engine by sampler.h (clears, blits, control surfaces). Any
 * thread; threads that write must not share lines of memory, see IMAGE_BAND. */
#ifndef SAMPLER_SURFACE_IMAGE_H
#define SAMPLER_SURFACE_IMAGE_H

#include "sampler/surface/surface.h"

struct image {
    uint8_t *mem;
    uint8_t tiling; /* enum surface_tiling */
    uint32_t pitch_B;
    uint32_t x_B, y; /* of the corner */
    uint32_t width, height;
    unsigned element_B;
};

/* Rows of one piece of work: a multiple of every tile's height. */
#define IMAGE_BAND 64

/* Returns false if the level has no such form, or is not wholly within the
 * surface's memory. */
bool image_init(struct image *im, const struct surface *s, unsigned level,
                unsigned slice, unsigned sample);
/* All samples of an interleaved surface, as elements. */
bool image_init_samples(struct image *im, const struct surface *s,
                        unsigned level, unsigned slice);
/* The multisample control surface of one layer. An element is an entry of
 * entry_B bytes. */
bool image_init_mcs(struct image *im, const struct surface *s, unsigned slice,
                    unsigned entry_B);
/* Address of an element. */
uint8_t *image_at(const struct image *im, uint32_t x, uint32_t y);
/* The number of bands that rows [y0, y1) touch, and the rows of one band. */
unsigned image_bands(const struct image *im, uint32_t y0, uint32_t y1);
void image_band(const struct image *im, unsigned index, uint32_t *y0,
                uint32_t *y1);

/* The rectangle must lie in the image. `value` repeats an element, whose size
 * is a power of two. */
void image_fill(const struct image *im, uint32_t x0, uint32_t y0, uint32_t x1,
                uint32_t y1, const uint8_t value[16]);
/* Both rectangles must lie in their images and must not overlap. Elements must
 * have one size. */
void image_copy(const struct image *to, uint32_t to_x, uint32_t to_y,
                const struct image *from, uint32_t from_x, uint32_t from_y,
                uint32_t width, uint32_t height);
struct image_rect {
    const struct image *image;
    uint32_t x, y, width, height;
};
/* Returns the size of the range from *begin on that holds all of the rectangle,
 * which is not empty. */
uint64_t image_span(const struct image_rect *rect, const uint8_t **begin);
/* Whether the two rectangles may have bytes in common. */
bool image_overlap(const struct image_rect *a, const struct image_rect *b);

#endif
