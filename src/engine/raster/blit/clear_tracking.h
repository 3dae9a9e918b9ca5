/* clear_tracking.h: clear tracking: images that still hold their clear value
 * except in some tiles. Clearing such an image again writes only these tiles,
 * as hardware does with its auxiliary surfaces. Memory holds the same bytes at
 * all times.
 *
 * So every write has to be known. Draws mark the image tile by tile. Any other
 * write of this context's batches ends the tracking of images that it may
 * touch. vm_is_ours() knows all other writers and is asked when an image is
 * cleared: images that another process can write are not tracked, nor are
 * images too small or too large to gain. Part of a context's raster memory; its
 * streamer thread only, between draws. */
#ifndef ENGINE_RASTER_BLIT_CLEAR_TRACKING_H
#define ENGINE_RASTER_BLIT_CLEAR_TRACKING_H

#include "engine/vm/vm.h"
#include "sampler/sampler.h"
#include "engine/raster/block_layout.h"

#define CLEARED_IMAGES 8
/* Larger images are not tracked, nor are images of only a few tiles. */
#define CLEARED_TILES 4096
#define CLEARED_MIN_B (64 * 1024)

struct cleared_image {
    struct image image;
    uint8_t value[16];
    uint64_t epoch;     /* see vm_is_ours() */
    unsigned row_tiles; /* tiles of a row: COVER_TILE_PX each way */
    unsigned tile_rows;
    uint64_t drawn[CLEARED_TILES / 64]; /* bit per tile */
};

struct cleared {
    unsigned count, next; /* next: the image to replace */
    struct cleared_image image[CLEARED_IMAGES];
};

struct draw;
struct raster;

/* The tracked image that holds the value except in drawn tiles; NULL if
 * unknown. */
struct cleared_image *cleared_find(struct cleared *c,
                                   const struct engine_vm *vm,
                                   const struct image *im,
                                   const uint8_t value[16]);
/* All of the image has just been filled with the value. */
void cleared_add(struct cleared *c, const struct engine_vm *vm,
                 const struct image *im, const uint8_t value[16]);
/* Ends tracking of images that overlap this one: some of it has been or will be
 * written. */
void cleared_drop(struct cleared *c, const struct image *im);
/* Likewise for a write of some bytes, or of any. */
void cleared_drop_bytes(struct cleared *c, const uint8_t *at, uint64_t size_B);
void cleared_forget(struct cleared *c);
static inline bool
cleared_is_drawn(const struct cleared_image *k, unsigned tile_x,
                 unsigned tile_y)
{
    unsigned n = tile_y * k->row_tiles + tile_x;
    return k->drawn[n / 64] >> n % 64 & 1;
}
/* How many tiles are drawn. */
unsigned cleared_count(const struct cleared_image *k);
/* Marks the tile whose corner is pixel (x, y) as drawn. */
void cleared_mark(struct cleared_image *k, int32_t x, int32_t y);
/* Marks or drops the images that a flush draws to: in its tiles (raster.bin),
 * or anywhere. */
void cleared_draw(struct raster *r, bool in_tiles);

#endif
