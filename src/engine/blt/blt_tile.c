/* blt_tile.c: addresses of bytes in linear and tiled surfaces. BDW PRM vol 5,
 * "Memory Views", tiling; SKL PRM vol 5, "Memory Views", standard tilings. */
#include "engine/blt/blit.h"

/* 512 bytes x 8 rows, row after row. */
const struct blt_tiling blt_tile_x = {0x1ff, 0xe00, 9, 3, 12, 9};
/* 128 bytes x 32 rows, in columns of 16 bytes. */
const struct blt_tiling blt_tile_y = {0xe0f, 0x1f0, 7, 5, 12, 4};

/* By TileYS and log2 of a pixel's bytes. */
static const struct blt_tiling standard[2][5] = {
    {
        {0x0a0f, 0x05f0, 6, 6, 12, 4},
        {0x0a8f, 0x0570, 7, 5, 12, 4},
        {0x0a8f, 0x0570, 7, 5, 12, 4},
        {0x0acf, 0x0530, 8, 4, 12, 4},
        {0x0acf, 0x0530, 8, 4, 12, 4},
    },
    {
        {0xaa0f, 0x55f0, 8, 8, 16, 4},
        {0xaa8f, 0x5570, 9, 7, 16, 4},
        {0xaa8f, 0x5570, 9, 7, 16, 4},
        {0xaacf, 0x5530, 10, 6, 16, 4},
        {0xaacf, 0x5530, 10, 6, 16, 4},
    },
};

const struct blt_tiling *
blt_tile_std(bool ys, unsigned log2_B)
{
    return &standard[ys][log2_B];
}

/* Puts the low bits of v at the ones of the mask. */
static uint32_t
spread_bits(uint32_t v, uint32_t mask)
{
    uint32_t out = 0;
    for (; mask; mask &= mask - 1, v >>= 1)
        out |= v & 1 ? mask & -mask : 0;
    return out;
}

/* The tile's number; the tile that begins at the base is 0. */
static int64_t
tile_number(const struct blt_surface *s, int64_t x_B, int64_t y)
{
    const struct blt_tiling *t = s->tiling;
    int64_t tiles_per_row = s->pitch_B / (1 << t->width_log2_B);
    return (y >> t->height_log2) * tiles_per_row + (x_B >> t->width_log2_B);
}

gpu_va
blt_address(const struct blt_surface *s, int64_t x_B, int64_t y)
{
    const struct blt_tiling *t = s->tiling;
    if (!t)
        return s->base + (uint64_t)(y * s->pitch_B + x_B);
    uint32_t within = spread_bits((uint32_t)x_B, t->x_mask) |
                      spread_bits((uint32_t)y, t->y_mask);
    return s->base + ((uint64_t)tile_number(s, x_B, y) << t->size_log2_B) +
           within;
}

bool
blt_extent(const struct engine_vm *vm, const struct blt_surface *s,
           const int64_t x_B[2], const int32_t y[2], uint64_t *begin,
           uint64_t *end)
{
    int64_t first, last, last_B = 1;
    if (vm_has_moved(vm))
        return false;
    if (s->tiling) {
        int64_t tile_B = INT64_C(1) << s->tiling->size_log2_B;
        first = tile_number(s, x_B[0], y[0]) * tile_B;
        last = tile_number(s, x_B[1] - 1, y[1] - 1) * tile_B;
        /* With a negative pitch the last row is the first in memory. */
        int64_t left = tile_number(s, x_B[0], y[1] - 1) * tile_B;
        int64_t right = tile_number(s, x_B[1] - 1, y[0]) * tile_B;
        first = MIN2(first, left);
        last = MAX2(last, right);
        last_B = tile_B;
    } else {
        int64_t a = (int64_t)y[0] * s->pitch_B;
        int64_t b = (int64_t)(y[1] - 1) * s->pitch_B;
        first = MIN2(a, b) + x_B[0];
        last = MAX2(a, b) + x_B[1] - 1;
    }
    int64_t base = (int64_t)(s->base & vm->mask);
    if (base + first < 0 || base + last + last_B > (int64_t)vm->mask + 1)
        return false;
    *begin = (uint64_t)(base + first);
    *end = (uint64_t)(base + last + last_B);
    return true;
}
