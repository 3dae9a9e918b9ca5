/* test_tiling.c: address bits of the tilings, against the bit tables of the PRM
 * (BDW vol 5, "Memory Views"), which map each address bit to a coordinate bit.
 */
#include <criterion/criterion.h>

#include "sampler/surface/tiling.h"

/* One row per tiling, address bit 11 first: "x3" is bit 3 of the byte column,
 * "y0" bit 0 of the row. */
static const char *const bits_x = "y2 y1 y0 x8 x7 x6 x5 x4 x3 x2 x1 x0";
static const char *const bits_y = "x6 x5 x4 y4 y3 y2 y1 y0 x3 x2 x1 x0";
static const char *const bits_w = "x5 x4 x3 y5 y4 y3 y2 x2 y1 x1 y0 x0";

static uint32_t
by_table(const char *bits, uint32_t x, uint32_t y)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < 12; i++, bits += 3) {
        unsigned n = (unsigned)(bits[1] - '0');
        out = out << 1 | ((bits[0] == 'x' ? x : y) >> n & 1);
    }
    return out;
}

static void
check_tile(enum surface_tiling tiling, const char *bits, uint32_t w, uint32_t h,
           uint32_t pitch_B, uint32_t tiles_in_row)
{
    for (uint32_t y = 0; y < 2 * h; y++) {
        for (uint32_t x = 0; x < 2 * w; x++) {
            uint64_t tile = (uint64_t)(y / h) * tiles_in_row + x / w;
            uint64_t want = tile * 4096 + by_table(bits, x % w, y % h);
            uint64_t got = tiling_offset_B(tiling, x, y, pitch_B);
            cr_assert_eq(got, want, "(%u, %u): %#lx, not %#lx", x, y,
                         (unsigned long)got, (unsigned long)want);
        }
    }
}

Test(tiling, x_major)
{
    check_tile(TILING_X, bits_x, 512, 8, 5 * 512, 5);
}

Test(tiling, y_major)
{
    check_tile(TILING_Y, bits_y, 128, 32, 7 * 128, 7);
}

Test(tiling, w_counts_two_tile_widths_of_pitch)
{
    check_tile(TILING_W, bits_w, 64, 64, 3 * 128, 3);
}

Test(tiling, linear)
{
    cr_assert_eq(tiling_offset_B(TILING_LINEAR, 5, 7, 100), 705);
    cr_assert_eq(tiling_offset_B(TILING_LINEAR, 0, 0xffffffff, 0x40000),
                 UINT64_C(0xffffffff) * 0x40000);
}

static void
check_interleave(unsigned samples, unsigned scale_x, unsigned scale_y)
{
    enum { W = 8, H = 6 };
    bool seen[W * 4 * H * 4] = {false};
    for (uint32_t y = 0; y < H; y++) {
        for (uint32_t x = 0; x < W; x++) {
            for (unsigned s = 0; s < samples; s++) {
                uint32_t sx = x, sy = y;
                tiling_interleave(samples, s, &sx, &sy);
                cr_assert_lt(sx, W * scale_x);
                cr_assert_lt(sy, H * scale_y);
                bool *cell = &seen[sy * W * scale_x + sx];
                cr_assert(!*cell, "two samples at (%u, %u)", sx, sy);
                *cell = true;
            }
        }
    }
}

Test(tiling, interleave_places_every_sample_once)
{
    check_interleave(2, 2, 1);
    check_interleave(4, 2, 2);
    check_interleave(8, 4, 2);
    check_interleave(16, 4, 4);
}

/* The PRM's 4x example: a 2x2 pixel block becomes 4x4, samples 0 and 1 side
 * by side, 2 and 3 below. */
Test(tiling, interleave_4x_block)
{
    static const struct {
        uint32_t x, y;
        unsigned sample;
        uint32_t sx, sy;
    } want[] = {
        {0, 0, 0, 0, 0}, {1, 0, 0, 1, 0}, {0, 1, 0, 0, 1}, {1, 1, 0, 1, 1},
        {0, 0, 1, 2, 0}, {1, 1, 1, 3, 1}, {0, 0, 2, 0, 2}, {1, 1, 3, 3, 3},
        {2, 0, 0, 4, 0}, {3, 3, 3, 7, 7},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
        uint32_t x = want[i].x, y = want[i].y;
        tiling_interleave(4, want[i].sample, &x, &y);
        cr_assert_eq(x, want[i].sx, "row %u", i);
        cr_assert_eq(y, want[i].sy, "row %u", i);
    }
}

Test(tiling, interleave_8x_and_16x)
{
    uint32_t x = 1, y = 1;
    tiling_interleave(8, 5, &x, &y); /* bits 0 and 2 of the sample */
    cr_assert_eq(x, 1 + 2 + 4);
    cr_assert_eq(y, 1);
    x = 2, y = 2;
    tiling_interleave(16, 10, &x, &y); /* bits 1 and 3 */
    cr_assert_eq(x, 8);
    cr_assert_eq(y, 8 + 2 + 4);
}
