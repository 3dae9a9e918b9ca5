/* tiling.h: offset of a byte in a two-dimensional tiled surface. Pure
 * arithmetic, any thread. Layouts: BDW PRM vol 5, "Memory Views", tiling. Gen8
 * and later have no bit 6 swizzling.
 *
 * Who calls: this room, and engine's blitter and video engine, whose surfaces
 * have no struct surface. */
#ifndef SAMPLER_SURFACE_TILING_H
#define SAMPLER_SURFACE_TILING_H

#include "sampler/surface/surface.h"

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

/* W: 64 x 64 bytes. Blocks of 8 x 8 are in columns; within a block the low
 * three bits of x and y are interleaved. A tile takes 128 bytes of the pitch.
 */
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
    case TILING_YF:
    case TILING_YS: break; /* depends on the element: std_offset_B() */
    }
    return 0;
}

/* ---- standard tilings: tiling_std.c ------------------------------------- */

/* Initialises the tile of a surface whose type, tiling, format and samples are
 * set. */
void std_tile_init(struct std_tile *t, const struct surface *s);
/* The tile of a 2D surface of one sample a pixel, whose elements have
 * 2^element_log2_B bytes, up to 16: TileYS or TileYF. */
struct std_tile std_tile_2d(unsigned element_log2_B, bool ys);
/* Corner within its tile of a level of the MIP tail, numbered from the tail's
 * first level. */
void std_tail_origin(const struct surface *s, unsigned level, uint32_t *x_B,
                     uint32_t *y, uint32_t *z);
/* z: the slice within a tile. `row` includes the tiles of earlier slices. */
uint64_t std_offset_B(const struct std_tile *t, uint32_t x_B, uint32_t row,
                      uint32_t z, uint32_t pitch_B);

/* tiling_offset_B() as shifts and masks, for elements of a power of two bytes.
 * Returns false for other elements, for W and for standard tilings. */
bool sample_tiling_init(struct sample_tiling *t, const struct surface *s);

/* Position of sample `sample` of pixel (*x, *y) in an interleaved (IMS)
 * surface: blocks of 2x2 pixels spread over the samples. */
void tiling_interleave(unsigned samples, unsigned sample, uint32_t *x,
                       uint32_t *y);

#endif
