/* cleared.h: images that hold the value which they were cleared to, but for
 * some tiles. Clearing them to it again writes those tiles only, as hardware
 * does with its auxiliary surfaces; memory holds the same bytes at all times.
 *
 * So everything that writes has to be known. What is drawn to the image is
 * marked, tile by tile. Anything else that batches of this context may write
 * ends what is known of the images it may touch. All other writers are
 * vm_is_ours()'s business, which is asked when an image is cleared: images that
 * somebody else can write, and those that are of no use, are not kept.
 * A context's; its thread only, between draws. */
#ifndef ENGINE_RASTER_CLEARED_H
#define ENGINE_RASTER_CLEARED_H

#include "engine/msg/msg.h"
#include "engine/raster/cover.h"

#define CLEARED_IMAGES 8
/* Larger ones are not kept, nor are those that are smaller than a few tiles. */
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
    unsigned count, next; /* the one to be given up for another */
    struct cleared_image image[CLEARED_IMAGES];
};

struct draw;
struct raster;

/* The one that holds the value but for drawn tiles, NULL if nobody knows. */
struct cleared_image *cleared_find(struct cleared *c,
                                   const struct engine_vm *vm,
                                   const struct image *im,
                                   const uint8_t value[16]);
/* All of the image has just been filled. */
void cleared_add(struct cleared *c, const struct engine_vm *vm,
                 const struct image *im, const uint8_t value[16]);
/* Some of the image has been or will be written. */
void cleared_drop(struct cleared *c, const struct image *im);
/* The same of some bytes, or of anything. */
void cleared_drop_bytes(struct cleared *c, const uint8_t *at, uint64_t size_B);
void cleared_forget(struct cleared *c);
static inline bool
cleared_is_drawn(const struct cleared_image *k, unsigned tile_x,
                 unsigned tile_y)
{
    unsigned n = tile_y * k->row_tiles + tile_x;
    return k->drawn[n / 64] >> n % 64 & 1;
}
/* How many tiles are. */
unsigned cleared_count(const struct cleared_image *k);
/* Something is drawn in the tile whose corner is pixel (x, y). */
void cleared_mark(struct cleared_image *k, int32_t x, int32_t y);
/* What a flush draws to: in its tiles (raster.bin), or anywhere. */
void cleared_draw(struct raster *r, bool in_tiles);

#endif
