/* test_quotients.c: the kernels' replacements of divisions, compared with the
 * divisions for all possible numbers. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/base.h"

/* All sums of a bilinear filter become the bytes that a render target makes of
 * the colours: truncated after 16 binary places, rounded half up. See
 * round_sum(). */
Test(quotients, rounds_sums_as_colors)
{
    for (int32_t n = 0; n <= 255 << 16; n++) {
        int32_t sum = n - (1 << 23) + (1 << 15) - 254;
        int32_t top = (int32_t)((uint32_t)sum >> 24);
        uint32_t byte = (uint32_t)((sum + (sum >> 16) + top) >> 16) + 128;
        double color = (double)((float)n / 65536.0f / 255.0f);
        double places = floor(color * 65536.0);
        cr_assert_eq(byte, (uint32_t)floor(places * 255.0 / 65536.0 + 0.5));
    }
}

/* The quotients by 255 of all floats between one and two have the mantissas of
 * all floats that a filter divides. */
Test(quotients, multiplies_instead_of_dividing_by_255)
{
    const double inv = 1.0 / 255.0;
    const float high = (float)inv, low = (float)(inv - (double)high);
    for (uint32_t i = 0x3f800000; i < 0x40000000; i++) {
        float n = float_from_bits(i);
        cr_assert_eq(bits_from_float(__builtin_fmaf(n, high, n * low)),
                     bits_from_float(n / 255.0f));
    }
}

/* A quotient by 2^24 - 1 is the float above the quotient by 2^24. */
Test(quotients, counts_units_instead_of_dividing_by_2_24_less_1)
{
    for (uint32_t n = 1; n < 1u << 24; n++)
        cr_assert_eq(bits_from_float((float)n * 0x1p-24f) + 1,
                     bits_from_float((float)n / 16777215.0f));
}

static float
divided(float n, float d)
{
    float inv = 1.0f / d, q = n * inv;
    return __builtin_fmaf(__builtin_fmaf(-q, d, n), inv, q);
}

/* All quotients of channels of up to 16 bits, or of 24. */
Test(quotients, divides_as_the_processor_does)
{
    for (unsigned bits = 1; bits <= 24; bits += bits == 16 ? 8 : 1) {
        float max = (float)((1u << bits) - 1);
        for (uint32_t n = 0; n < 1u << bits; n++)
            cr_assert_eq(bits_from_float(divided((float)n, max)),
                         bits_from_float((float)n / max));
    }
}

/* All quotients of a bilinear filter of bytes. */
Test(quotients, divides_by_255_as_the_processor_does)
{
    for (uint32_t n = 0; n <= 255u << 16; n++) {
        float x = (float)n / 65536.0f;
        cr_assert_eq(bits_from_float(divided(x, 255.0f)),
                     bits_from_float(x / 255.0f));
    }
}
