/* tiling.h: where a byte of a two-dimensional surface lies in memory.
 * Pure arithmetic, any thread. Layouts: BDW PRM vol 5, "Memory Views", tiling.
 * There is no bit 6 swizzling on Gen8 and later. */
#ifndef SAMPLER_TILING_H
#define SAMPLER_TILING_H

#include "sampler/sampler.h"

#define TILE_SIZE_B 4096

/* X: 512 bytes x 8 rows, row after row. */
static inline uint64_t
tiling_offset_x_B(uint32_t x_B, uint32_t y, uint32_t pitch_B)
{
    uint64_t tile = (uint64_t)(y / 8) * (pitch_B / 512) + x_B / 512;
    return tile * TILE_SIZE_B + (y % 8) * 512 + x_B % 512;
}

/* Y: 128 bytes x 32 rows, in columns of 16 bytes. */
static inline uint64_t
tiling_offset_y_B(uint32_t x_B, uint32_t y, uint32_t pitch_B)
{
    uint64_t tile = (uint64_t)(y / 32) * (pitch_B / 128) + x_B / 128;
    return tile * TILE_SIZE_B + (x_B % 128 / 16) * 512 + (y % 32) * 16 +
           x_B % 16;
}

/* W: 64 x 64 bytes; blocks of 8 x 8 in columns, and the low three bits of x
 * and y interleaved within a block. The pitch counts 128 bytes per tile. */
static inline uint64_t
tiling_offset_w_B(uint32_t x_B, uint32_t y, uint32_t pitch_B)
{
    uint64_t tile = (uint64_t)(y / 64) * (pitch_B / 128) + x_B / 64;
    uint32_t within = (x_B >> 3 & 7) << 9 | (y >> 2 & 15) << 5 |
                      (x_B >> 2 & 1) << 4 | (y >> 1 & 1) << 3 |
                      (x_B >> 1 & 1) << 2 | (y & 1) << 1 | (x_B & 1);
    return tile * TILE_SIZE_B + within;
}

static inline uint64_t
tiling_offset_B(enum surface_tiling tiling, uint32_t x_B, uint32_t y,
                uint32_t pitch_B)
{
    switch (tiling) {
    case TILING_LINEAR: return (uint64_t)y * pitch_B + x_B;
    case TILING_X: return tiling_offset_x_B(x_B, y, pitch_B);
    case TILING_Y: return tiling_offset_y_B(x_B, y, pitch_B);
    case TILING_W: return tiling_offset_w_B(x_B, y, pitch_B);
    }
    return 0;
}

/* What tiling_offset_B() does, in shifts and masks. False if elements have no
 * power of two bytes. Not for W. */
bool sample_tiling_init(struct sample_tiling *t, const struct surface *s);

/* Position of sample `sample` of pixel (*x, *y) in an interleaved (IMS)
 * surface: blocks of 2x2 pixels spread over the samples. */
void tiling_interleave(unsigned samples, unsigned sample, uint32_t *x,
                       uint32_t *y);

#endif
