/* test_interpolate.c: the reference of interpolate_ops against numbers. */
#include <criterion/criterion.h>

#include "engine/raster/shade/interpolate.h"

/* The order of lanes and registers is the payload's. */
Test(plane, reference_layout)
{
    const struct plane px = {0, 1, 0}, py = {1000, 0, 1}, two = {2, 0, 0};
    const struct lane_quads at = {{0, 10, 20, 30}, {100, 200, 300, 400}};
    float out[1][32], v[1][16];
    interpolate_ops_ref.weights(&px, &py, NULL, &at, 1, out);
    cr_assert_eq(out[0][0], 0.5f);
    cr_assert_eq(out[0][5], 11.5f);
    cr_assert_eq(out[0][8 + 6], 1201.5f);
    cr_assert_eq(out[0][16 + 7], 31.5f);
    cr_assert_eq(out[0][24 + 2], 1301.5f);
    interpolate_ops_ref.weights(&px, &py, &two, &at, 1, out);
    cr_assert_eq(out[0][24 + 2], 1301.5f / 2);
    interpolate_ops_ref.value(&two, true, &at, 1, v);
    cr_assert_eq(v[0][15], 0.5f);
}

Test(plane, reference_count)
{
    const struct eu_chain_entry row[3] = {{.captured_mask = 0xffff8001},
                                          {.captured_mask = 0xffff},
                                          {.captured_mask = 0x110000}};
    cr_assert_eq(interpolate_ops_ref.count_caught(row, 3), 18);
    cr_assert_eq(interpolate_ops_ref.count_caught(row, 0), 0);
}

/* A block equals its four quads. */
Test(plane, reference_blocks)
{
    const struct batch_block block[2] = {{.x = 8, .y = 4}, {.x = 12, .y = 64}};
    const struct block_places at = {block, 2, 3.25, -1.5};
    const struct plane px = {0, 1, 0}, py = {1000, 0, 1};
    float out[2][32], v[2][16];
    interpolate_ops_ref.block_weights(&px, &py, NULL, &at, out);
    cr_assert_eq(out[0][0], 5.25f);
    cr_assert_eq(out[0][5], 8.25f);
    cr_assert_eq(out[1][8 + 6], 1000 + 64 + 1.5f + 1.5f);
    cr_assert_eq(out[1][16 + 7], 12 - 3.25f + 3.5f);
    interpolate_ops_ref.block_value(&py, false, &at, v);
    cr_assert_eq(v[0][15], 1000 + 4 + 1.5f + 3.5f);
}
