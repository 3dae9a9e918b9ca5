/* image.h: what image.c and image_copy.c share. Internal to the room. */
#ifndef SAMPLER_IMAGE_H
#define SAMPLER_IMAGE_H

#include "sampler/tiling.h"

struct image_tile_size {
    uint16_t width_B, height;
};

/* By enum surface_tiling; zero for linear surfaces. */
extern const struct image_tile_size image_tile_size[4];

/* Where the tile of a byte begins. */
uint64_t image_tile_B(const struct image *im, uint32_t x_B, uint32_t y);

#endif
