/* block_layout.h: the layout of a tile of 64x64 pixels in 4x4 blocks. Lists of
 * covered blocks, counting in masks, and the lane order of a block's sixteen
 * pixels: quads TL TR BL BR, pixels of a quad likewise. Data header of raster/;
 * pure. */
#ifndef ENGINE_RASTER_BLOCK_LAYOUT_H
#define ENGINE_RASTER_BLOCK_LAYOUT_H

#include "base/base.h"

#define COVER_TILE_PX 64
#define COVER_BLOCKS 256
#define COVER_ROOM (COVER_BLOCKS + 3) /* kernels load four at a time */
#define COVER_SAMPLES 16
#define COVER_EDGE_COUNT 4

#define BLOCK_LANES 16
#define BLOCK_PX 4

static inline unsigned
lane_x(unsigned lane)
{
    return (lane >> 2 & 1) * 2 + (lane & 1);
}

static inline unsigned
lane_y(unsigned lane)
{
    return (lane >> 3) * 2 + (lane >> 1 & 1);
}

/* A 4x4 block, in pixels from the tile's corner. Mask bit 4 * quad + pixel,
 * both in the order TL TR BL BR. */
struct cover_block {
    uint8_t x, y;
    uint16_t mask; /* pixels with a sample inside */
};

/* Blocks that are not empty, row by row within 16x16 squares, the squares row
 * by row. Side effects of shaders occur in this order. */
struct cover_list {
    unsigned count;
    struct cover_block block[COVER_ROOM];
    /* Masks per block and sample; only if multisampled. */
    alignas(32) uint16_t sample[COVER_BLOCKS][COVER_SAMPLES];
};

/* Primitives whose blocks share a list, at most a batch: primitive k has blocks
 * first[k] .. first[k + 1] - 1, block i belongs to primitive of[i]. */
#define COVER_MIXED 16
#define COVER_MIXED_BLOCKS 64
struct setup;
struct cover_multi_prim {
    struct setup *const *setup;
    unsigned count;
    uint8_t first[COVER_MIXED + 1];
    uint8_t of[COVER_MIXED_BLOCKS];
};

/* The pixels of a block in both a set of columns and a set of rows, a bit each.
 */
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

/* For loops over lanes: compiled for several CPUs, with equal results (no
 * contraction). Not with clang 14, which gives the dispatcher a name that other
 * files do not find. Not with TSan, whose runtime is not yet there when the
 * dispatcher runs. */
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define RASTER_LANES __attribute__((target_clones("avx2", "default")))
#else
#define RASTER_LANES
#endif

/* Without POPCNT, which the oldest x86-64 lacks, the builtin would be a call.
 */
static inline unsigned
count_bits(uint32_t v)
{
    v -= v >> 1 & 0x55555555;
    v = (v & 0x33333333) + (v >> 2 & 0x33333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f;
    return v * 0x01010101 >> 24;
}

/* count_bits() of a block's mask; most are whole. */
static inline unsigned
count_block_bits(uint32_t v)
{
    return v == 0xffff ? 16 : count_bits(v);
}

/* count_bits() of the masks of four blocks. */
static inline unsigned
count_four_blocks(uint64_t v)
{
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) +
        (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return v * UINT64_C(0x0101010101010101) >> 56;
}

/* Whether the block has enough live quads for its own thread. */
static inline bool
block_fills_thread(unsigned mask)
{
    unsigned any = mask | mask >> 2;
    any = (any | any >> 1) & 0x1111; /* a bit for each quad */
    return mask == 0xffff || count_bits(any) >= 3;
}

#endif
