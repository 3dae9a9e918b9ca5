/* blt_tile.c: addresses of bytes in linear and tiled surfaces, of columns and
 * pitches of any sign. BDW PRM vol 5, "Memory Views", tiling. */
#include "engine/blt/blit.h"

const struct std_tile blt_linear = {0};
/* 512 bytes x 8 rows, row after row. */
const struct std_tile blt_tile_x = {.x_mask = 0x1ff,
                                    .y_mask = 0xe00,
                                    .size_log2_B = 12,
                                    .width_log2_B = 9,
                                    .height_log2 = 3};
/* 128 bytes x 32 rows, in columns of 16 bytes. */
const struct std_tile blt_tile_y = {.x_mask = 0xe0f,
                                    .y_mask = 0x1f0,
                                    .size_log2_B = 12,
                                    .width_log2_B = 7,
                                    .height_log2 = 5};

/* The tile's number; the tile that begins at the base is 0. */
static int64_t
tile_number(const struct blt_surface *s, int64_t x_B, int64_t y)
{
    const struct std_tile *t = &s->tile;
    int64_t tiles_per_row = s->pitch_B / (1 << t->width_log2_B);
    return (y >> t->height_log2) * tiles_per_row + (x_B >> t->width_log2_B);
}

gpu_va
blt_address(const struct blt_surface *s, int64_t x_B, int64_t y)
{
    const struct std_tile *t = &s->tile;
    if (!blt_is_tiled(s))
        return s->base + (uint64_t)(y * s->pitch_B + x_B);
    uint32_t within = bits_deposit((uint32_t)x_B, t->x_mask) |
                      bits_deposit((uint32_t)y, t->y_mask);
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
    if (blt_is_tiled(s)) {
        int64_t tile_B = INT64_C(1) << s->tile.size_log2_B;
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
