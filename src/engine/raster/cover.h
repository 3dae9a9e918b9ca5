/* cover.h: which pixels of a tile lie inside of some edges. cover_find.c is
 * the reference and does everything; x86/ has the same in vectors, for edges
 * whose values fit into 32 bits. */
#ifndef ENGINE_RASTER_COVER_H
#define ENGINE_RASTER_COVER_H

#include "base/base.h"

#define COVER_TILE_PX 64
#define COVER_BLOCKS 256
#define COVER_ROOM (COVER_BLOCKS + 3) /* four may be read at a time */
#define COVER_SAMPLES 16
#define COVER_EDGE_COUNT 4

/* Inside where c + a * x + b * y >= 0 for all edges, x and y in pixels from
 * the tile's corner, and in the box: bit x of columns, bit y of rows. c is per
 * sample; one sample stands for all that have the same position. */
struct cover_job {
    unsigned edges, samples;
    int64_t a[COVER_EDGE_COUNT], b[COVER_EDGE_COUNT];
    int64_t c[COVER_EDGE_COUNT][COVER_SAMPLES];
    uint64_t columns, rows;
    bool narrow; /* no value within the tile leaves 32 bits, that is known */
};

/* A 4x4 block, pixels from the tile's corner; bit 4 * quad + pixel of the
 * mask, quads and the pixels within them in the order TL TR BL BR. */
struct cover_block {
    uint8_t x, y;
    uint16_t mask; /* pixels with a sample inside */
};

/* Blocks with something in them, row by row within 16x16 squares, those row
 * by row as well: side effects of shaders are in this order. */
struct cover_list {
    unsigned count;
    struct cover_block block[COVER_ROOM];
    /* Per block and sample; only with several samples. */
    alignas(32) uint16_t sample[COVER_BLOCKS][COVER_SAMPLES];
};

/* Primitives whose blocks are in one list, no more than a batch takes:
 * those of primitive k are first[k] .. first[k + 1] - 1, block i is of
 * primitive of[i]. */
#define COVER_MIXED 16
#define COVER_MIXED_BLOCKS 64
struct setup;
struct cover_mixed {
    struct setup *const *setup;
    unsigned count;
    uint8_t first[COVER_MIXED + 1];
    uint8_t of[COVER_MIXED_BLOCKS];
};

/* Leaves in job->edges what cuts the tile; false if nothing is inside. */
bool cover_trim(struct cover_job *job);

/* Blocks come behind those that the list has, with room for all of them. */
typedef void cover_find_fn(const struct cover_job *job,
                           struct cover_list *list);
cover_find_fn cover_find_ref, cover_find_avx2, cover_find_avx512;
/* The best for this job on this processor. */
cover_find_fn cover_find;

/* The same of a primitive whose pixels are known, as struct small has them; x,
 * y: pixels from the tile's corner to the first block, multiples of 4. */
#define COVER_SMALL_BLOCKS 16
typedef void cover_small_fn(const uint64_t square[4], int32_t x, int32_t y,
                            struct cover_list *list);
cover_small_fn cover_small_ref, cover_small_avx2, cover_small_avx512;
cover_small_fn cover_small;

/* The pixels of some columns and rows of a block, a bit each. */
static inline unsigned
cover_pixels(unsigned column_set, unsigned row_set)
{
    static const uint16_t columns[16] = {
        0x0000, 0x0505, 0x0a0a, 0x0f0f, 0x5050, 0x5555, 0x5a5a, 0x5f5f,
        0xa0a0, 0xa5a5, 0xaaaa, 0xafaf, 0xf0f0, 0xf5f5, 0xfafa, 0xffff,
    };
    static const uint16_t rows[16] = {
        0x0000, 0x0033, 0x00cc, 0x00ff, 0x3300, 0x3333, 0x33cc, 0x33ff,
        0xcc00, 0xcc33, 0xcccc, 0xccff, 0xff00, 0xff33, 0xffcc, 0xffff,
    };
    return (unsigned)columns[column_set] & rows[row_set];
}

/* The box's part of the block at (x, y). */
static inline unsigned
cover_box_mask(const struct cover_job *job, unsigned x, unsigned y)
{
    return cover_pixels(job->columns >> x & 15, job->rows >> y & 15);
}

#endif
