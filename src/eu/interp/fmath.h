/* fmath.h: float arithmetic that both paths of the interpreter share.
 *
 * Everything is built from IEEE +, -, *, / and conversions in a fixed order,
 * without branches. So vectorised and scalar loops give equal bits on every
 * host. Extended math: fmath_ext.h. */
#ifndef EU_FMATH_H
#define EU_FMATH_H

#include <math.h>

#include "base/base.h"
#include "eu/isa/insn.h"

#define FMATH_INLINE static inline __attribute__((always_inline))

/* ---- rounding to integral values ---- */

FMATH_INLINE float
fmath_copysign(float magnitude, float sign)
{
    return float_from_bits((bits_from_float(magnitude) & 0x7fffffff) |
                           (bits_from_float(sign) & 0x80000000));
}

/* Selects with bit masks: compilers vectorise them more reliably than
 * conditional expressions. */
FMATH_INLINE uint32_t
fmath_mask(bool condition)
{
    return -(uint32_t)condition;
}

FMATH_INLINE float
fmath_choose(uint32_t mask, float a, float b)
{
    return float_from_bits((bits_from_float(a) & mask) |
                           (bits_from_float(b) & ~mask));
}

/* From 2^23 on every value is integral; NaN is not small either. */
FMATH_INLINE uint32_t
fmath_is_small(float x)
{
    return fmath_mask((bits_from_float(x) & 0x7fffffff) < 0x4b000000);
}

FMATH_INLINE float
fmath_trunc(float x)
{
    uint32_t small = fmath_is_small(x);
    float in = float_from_bits(bits_from_float(x) & small);
    float t = fmath_copysign((float)(int32_t)in, x);
    /* The addition makes a signalling NaN a quiet one. */
    return fmath_choose(small, t, x + 0.0f);
}

FMATH_INLINE float
fmath_floor(float x)
{
    float t = fmath_trunc(x);
    return fmath_choose(fmath_mask(t > x), t - 1.0f, t);
}

FMATH_INLINE float
fmath_ceil(float x)
{
    float t = fmath_trunc(x);
    return fmath_choose(fmath_mask(t < x), fmath_copysign(t + 1.0f, x), t);
}

FMATH_INLINE float
fmath_rnde(float x)
{
    float t = fmath_trunc(x), d = fmath_copysign(x - t, 1.0f); /* exact */
    uint32_t small = fmath_is_small(x);
    int32_t whole = (int32_t)float_from_bits(bits_from_float(t) & small);
    uint32_t odd = fmath_mask(whole & 1);
    uint32_t away = fmath_mask(d > 0.5f) | (fmath_mask(d == 0.5f) & odd);
    float up = t + fmath_copysign(1.0f, x);
    return fmath_choose(small & away, up, t);
}

/* Result in [0, 1): a value that would round to 1 becomes the largest number
 * below 1. */
FMATH_INLINE float
fmath_frc(float x)
{
    float r = x - fmath_floor(x);
    return fmath_choose(fmath_mask(r >= 1.0f), float_from_bits(0x3f7fffff), r);
}

/* ---- combinations ---- */

FMATH_INLINE float
fmath_fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

/* Guess: the order of roundings; only the formula is documented. */
FMATH_INLINE float
fmath_lrp(float a, float x, float y)
{
    return fmath_fma(a, x, (1.0f - a) * y);
}

/* Guess, as in fmath_lrp(): the product with v is added first. */
FMATH_INLINE float
fmath_pln(float p, float q, float r, float u, float v)
{
    return fmath_fma(p, u, fmath_fma(q, v, r));
}

/* To [0, 1]; NaN and -0 become +0. */
FMATH_INLINE float
fmath_saturate(float x)
{
    float r = x > 0.0f ? x : 0.0f;
    return r < 1.0f ? r : 1.0f;
}

/* Order of the bit patterns: -NaN < -inf < ... < -0 < +0 < ... < +NaN. */
FMATH_INLINE int32_t
fmath_order(uint32_t bits)
{
    return (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) & 0x7fffffff));
}

/* SEL.L and SEL.GE: a number wins over NaN, src1 if both are NaN. */
FMATH_INLINE uint32_t
fmath_min_bits(uint32_t a, uint32_t b)
{
    bool a_nan = (a & 0x7fffffff) > 0x7f800000;
    bool b_nan = (b & 0x7fffffff) > 0x7f800000;
    bool first = fmath_order(a) < fmath_order(b);
    return ((first | b_nan) & !a_nan) ? a : b;
}

FMATH_INLINE uint32_t
fmath_max_bits(uint32_t a, uint32_t b)
{
    bool a_nan = (a & 0x7fffffff) > 0x7f800000;
    bool b_nan = (b & 0x7fffffff) > 0x7f800000;
    bool first = fmath_order(a) > fmath_order(b);
    return ((first | b_nan) & !a_nan) ? a : b;
}

/* ---- math ---- */

#define FMATH_INF float_from_bits(0x7f800000)

FMATH_INLINE float
fmath_inv(float x)
{
    return 1.0f / x;
}

FMATH_INLINE float
fmath_sqrt(float x)
{
    return __builtin_sqrtf(x);
}

#endif
