/* test_address.c: address modes, by tables written by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "sample_helper.h"

#define B ADDRESS_BORDER

/* Texels -5..8 of an axis of four. */
static const struct wrap_row {
    unsigned wrap;
    int32_t texel[14];
} wrap_table[] = {
    {GEN9_TCM_WRAP, {3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0}},
    {GEN9_TCM_MIRROR, {3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0}},
    {GEN9_TCM_CLAMP, {0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3}},
    {GEN9_TCM_CLAMP_BORDER, {B, B, B, B, B, 0, 1, 2, 3, B, B, B, B, B}},
    {GEN9_TCM_MIRROR_ONCE, {3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3}},
    {GEN9_TCM_HALF_BORDER, {B, B, B, B, B, 0, 1, 2, 3, B, B, B, B, B}},
    {7 /* reserved */, {0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3}},
};

Test(address, wrap_table)
{
    for (unsigned r = 0; r < ARRAY_SIZE(wrap_table); r++)
        for (int i = -5; i <= 8; i++)
            cr_expect_eq(address_wrap(wrap_table[r].wrap, i, 4),
                         wrap_table[r].texel[i + 5], "mode %u texel %d",
                         wrap_table[r].wrap, i);
}

Test(address, nearest_follows_the_table)
{
    for (unsigned r = 0; r < 5; r++)
        for (int i = -5; i <= 8; i++) {
            float u = ((float)i + 0.5f) / 4.0f;
            cr_expect_eq(address_nearest(wrap_table[r].wrap, u, 4, false, 0),
                         wrap_table[r].texel[i + 5], "mode %u texel %d",
                         wrap_table[r].wrap, i);
        }
}

Test(address, nearest_of_gl_clamp_stays_inside)
{
    cr_expect_eq(address_nearest(GEN9_TCM_HALF_BORDER, -3.0f, 4, false, 0), 0);
    cr_expect_eq(address_nearest(GEN9_TCM_HALF_BORDER, 1.0f, 4, false, 0), 3);
    cr_expect_eq(address_nearest(GEN9_TCM_HALF_BORDER, 9.0f, 4, false, 0), 3);
    /* Offsets count from the coordinate's texel, not from the edge. */
    cr_expect_eq(address_nearest(GEN9_TCM_HALF_BORDER, -3.0f, 4, false, 2), 0);
}

Test(address, offset_moves_before_wrapping)
{
    cr_expect_eq(address_nearest(GEN9_TCM_WRAP, 0.9f, 4, false, 1), 0);
    cr_expect_eq(address_nearest(GEN9_TCM_CLAMP, 0.1f, 4, false, -8), 0);
    cr_expect_eq(address_nearest(GEN9_TCM_CLAMP_BORDER, 0.9f, 4, false, 1), B);
}

Test(address, linear_weights_have_eight_bits)
{
    /* 0.3 * 4 - 0.5 = 0.7 = 179.2 / 256 */
    struct address a = address_linear(GEN9_TCM_CLAMP, 0.3f, 4, false, 0, true);
    cr_expect_eq(a.i0, 0);
    cr_expect_eq(a.i1, 1);
    cr_expect_eq(a.w1, 179);
    /* 0.35 * 4 - 0.5 = 0.9 = 230.4: nearest below, 0.351 -> 231.4 */
    cr_expect_eq(address_linear(GEN9_TCM_CLAMP, .35f, 4, false, 0, true).w1,
                 230);
    /* 0.3515 * 4 - 0.5 = 0.906 = 231.9: rounded up or truncated */
    cr_expect_eq(address_linear(GEN9_TCM_CLAMP, .3515f, 4, false, 0, true).w1,
                 232);
    cr_expect_eq(address_linear(GEN9_TCM_CLAMP, .3515f, 4, false, 0, false).w1,
                 231);
}

Test(address, linear_at_a_texel_centre_reads_one_texel)
{
    struct address a = address_linear(GEN9_TCM_CLAMP, 2.5f / 4.0f, 4, false, 0,
                                      true);
    cr_expect_eq(a.i0, 2);
    cr_expect_eq(a.w1, 0);
}

Test(address, linear_wraps_both_texels)
{
    struct address a = address_linear(GEN9_TCM_WRAP, 0.0f, 4, false, 0, true);
    cr_expect_eq(a.i0, 3);
    cr_expect_eq(a.i1, 0);
    cr_expect_eq(a.w1, 128);
    a = address_linear(GEN9_TCM_MIRROR, 1.0f, 4, false, 0, true);
    cr_expect_eq(a.i0, 3);
    cr_expect_eq(a.i1, 3);
}

/* GL_CLAMP: beyond the edge half texel and half border, never further. */
Test(address, half_border)
{
    struct address a = address_linear(GEN9_TCM_HALF_BORDER, -7.0f, 4, false, 0,
                                      true);
    cr_expect_eq(a.i0, B);
    cr_expect_eq(a.i1, 0);
    cr_expect_eq(a.w1, 128);
    a = address_linear(GEN9_TCM_HALF_BORDER, 7.0f, 4, false, 0, true);
    cr_expect_eq(a.i0, 3);
    cr_expect_eq(a.i1, B);
    cr_expect_eq(a.w1, 128);
}

Test(address, texel_units)
{
    cr_expect_eq(address_nearest(GEN9_TCM_CLAMP, 2.75f, 4, true, 0), 2);
    struct address a = address_linear(GEN9_TCM_CLAMP, 2.75f, 4, true, 0, true);
    cr_expect_eq(a.i0, 2);
    cr_expect_eq(a.w1, 64);
}

Test(address, hostile_coordinates_stay_in_range)
{
    static const float bad[] = {NAN,    INFINITY, -INFINITY, 3e38f,
                                -3e38f, 1e10f,    -1e10f,    -1e-30f};
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
        for (unsigned wrap = 0; wrap < 8; wrap++)
            for (unsigned texels = 0; texels < 2; texels++) {
                int32_t n = address_nearest(wrap, bad[i], 5, texels, -8);
                cr_expect(n >= -1 && n < 5);
                struct address a = address_linear(wrap, bad[i], 5, texels, 7,
                                                  true);
                if (wrap == GEN9_TCM_CUBE)
                    continue;
                cr_expect(a.i0 >= -1 && a.i0 < 5 && a.i1 >= -1 && a.i1 < 5);
                cr_expect(a.w1 >= 0 && a.w1 < 256);
            }
}
