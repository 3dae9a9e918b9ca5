/* format_convert.h: converts one channel between memory and register. Pure
 * arithmetic on integers and correctly rounded operations; it relies on the
 * default rounding mode only. Rules: BDW PRM vol 5, "Memory Views", and D3D10's
 * conversion rules, which the PRM follows. */
#ifndef SAMPLER_FORMAT_FORMAT_CONVERT_H
#define SAMPLER_FORMAT_FORMAT_CONVERT_H

#include "base/base.h"
#include "base/half.h"
#include "sampler/format/rt_unorm.h"

/* v >> shift, rounded to nearest even. shift is 1..63. */
static inline uint64_t
convert_shift_rtne(uint64_t v, unsigned shift)
{
    uint64_t half = UINT64_C(1) << (shift - 1);
    return (v + half - 1 + ((v >> shift) & 1)) >> shift;
}

/* f * max rounded to nearest even, f clamped to [0, 1]; NaN gives 0.
 * max < 2^32. Exact: the product of mantissa and max fits 64 bits. */
static inline uint32_t
convert_unorm_from_float(float f, uint32_t max)
{
    uint32_t u = bits_from_float(f);
    if (u >= 0x3f800000)
        return u > 0x7f800000 ? 0 : max; /* negative values compare high */
    unsigned exponent = u >> 23;
    if (exponent < 127 - 34)
        return 0;
    uint64_t mantissa = (u & 0x7fffff) | 0x800000;
    return (uint32_t)convert_shift_rtne(mantissa * max, 150 - exponent);
}

static inline int32_t
convert_snorm_from_float(float f, uint32_t max)
{
    uint32_t u = bits_from_float(f);
    int32_t v = (int32_t)convert_unorm_from_float(
        float_from_bits(u & 0x7fffffff), max);
    return u >> 31 ? -v : v;
}

/* Correctly rounded up to 24 bits. Wider channels exist only in vertex buffers
 * and are rounded twice. */
static inline float
convert_float_from_unorm(uint32_t v, uint32_t max)
{
    return max < 1u << 24 ? (float)v / (float)max
                          : (float)((double)v / (double)max);
}

static inline float
convert_float_from_snorm(int32_t v, int32_t max)
{
    if (v < -max)
        v = -max;
    return max < 1 << 24 ? (float)v / (float)max
                         : (float)((double)v / (double)max);
}

/* Packs to unsigned small floats: 5 bits of exponent, man_bits of mantissa. */
static inline uint32_t
convert_small_from_float(uint32_t abs, unsigned man_bits)
{
    unsigned shift = 23 - man_bits;
    if (abs > 0x7f800000)
        return 0x1fu << man_bits | 1u << (man_bits - 1) |
               (abs & 0x7fffff) >> shift;
    if (abs >= 0x47800000) /* 2^16 and up */
        return 0x1fu << man_bits;
    unsigned exponent = abs >> 23;
    if (exponent >= 113) /* 2^-14: normal; rounding may carry to infinity */
        return (uint32_t)convert_shift_rtne(abs - (112u << 23), shift);
    if (exponent < 113 - 24)
        return 0;
    uint32_t mantissa = (abs & 0x7fffff) | 0x800000;
    return (uint32_t)convert_shift_rtne(mantissa, shift + 113 - exponent);
}

static inline float
convert_float_from_small(uint32_t v, unsigned man_bits)
{
    uint32_t exponent = v >> man_bits;
    uint32_t mantissa = v & ((1u << man_bits) - 1);
    if (exponent == 0) /* denormal, exact in float */
        return (float)mantissa * float_from_bits((127u - 14 - man_bits) << 23);
    exponent = exponent == 31 ? 255 : exponent + 112;
    return float_from_bits(exponent << 23 | mantissa << (23 - man_bits));
}

static inline uint16_t
convert_half_from_float(float f)
{
    return (uint16_t)half_from_f_bits(bits_from_float(f), 0);
}

static inline float
convert_float_from_half(uint16_t h)
{
    return float_from_bits(half_widen(h));
}

/* Negative numbers become 0, NaN stays NaN. Guess: numbers that are too large
 * become infinity, as for half floats. */
static inline uint32_t
convert_ufloat_from_float(float f, unsigned man_bits)
{
    uint32_t u = bits_from_float(f);
    if (u >> 31)
        return u > 0xff800000
                   ? convert_small_from_float(u & 0x7fffffff, man_bits)
                   : 0;
    return convert_small_from_float(u, man_bits);
}

#endif
