/* image_tiles.h: declarations that image.c and image_copy.c share. Internal to
 * the room. */
#ifndef SAMPLER_SURFACE_IMAGE_TILES_H
#define SAMPLER_SURFACE_IMAGE_TILES_H

#include "sampler/surface/image.h"
#include "sampler/surface/tiling.h"

struct image_tile_size {
    uint16_t width_B, height;
};

/* By enum surface_tiling; zero for linear surfaces. */
extern const struct image_tile_size image_tile_size[4];

/* Offset of the tile that holds a byte. */
uint64_t image_tile_B(const struct image *im, uint32_t x_B, uint32_t y);

#endif
