/* test_half.c: base/half.h against values computed with powers of two. */
#include <criterion/criterion.h>

#include "base/half.h"

#include <math.h>

static bool
is_nan(uint32_t h)
{
    return (h & 0x7fff) > 0x7c00;
}

/* The value by the definition of the format. */
static float
value_of(uint32_t h)
{
    int exp = (int)(h >> 10 & 31);
    float man = (float)(h & 0x3ff), sign = h & 0x8000 ? -1.0f : 1.0f;
    if (exp == 31)
        return sign * INFINITY;
    return sign * (exp ? ldexpf(man + 1024, exp - 25) : ldexpf(man, -24));
}

Test(half, every_number_widens_exactly)
{
    for (uint32_t h = 0; h <= UINT16_MAX; h++)
        if (!is_nan(h))
            cr_assert_eq(half_widen(h), bits_from_float(value_of(h)), "%x", h);
}

Test(half, nans_keep_their_bits_or_become_quiet)
{
    for (uint32_t h = 0; h <= UINT16_MAX; h++) {
        uint32_t bits = (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13;
        if (!is_nan(h)) {
            cr_assert_eq(half_to_f_bits(h), half_widen(h), "%x", h);
            continue;
        }
        cr_assert_eq(half_widen(h), bits, "%x", h);
        cr_assert_eq(half_to_f_bits(h), bits | 0x400000, "%x", h);
    }
}

Test(half, every_half_comes_back_in_every_rounding_mode)
{
    for (uint32_t h = 0; h <= UINT16_MAX; h++)
        for (unsigned rounding = 0; rounding < 4; rounding++)
            cr_assert_eq(half_from_f_bits(half_widen(h), rounding),
                         is_nan(h) ? h | 0x200 : h, "%x %u", h, rounding);
}

Test(half, what_lies_between_rounds_as_asked)
{
    for (uint32_t h = 0; h < 0x7bff; h++) {
        uint32_t low = half_widen(h), high = half_widen(h + 1);
        float a = float_from_bits(low), b = float_from_bits(high);
        uint32_t middle = bits_from_float((a + b) / 2);
        cr_assert_eq(half_from_f_bits(middle, 0), h + (h & 1), "%x", h);
        cr_assert_eq(half_from_f_bits(middle - 1, 0), h, "%x", h);
        cr_assert_eq(half_from_f_bits(middle + 1, 0), h + 1, "%x", h);
        cr_assert_eq(half_from_f_bits(low + 1, 1), h + 1, "%x", h);
        cr_assert_eq(half_from_f_bits(low + 1, 2), h, "%x", h);
        cr_assert_eq(half_from_f_bits(high - 1, 3), h, "%x", h);
    }
}
