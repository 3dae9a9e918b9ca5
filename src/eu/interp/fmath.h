/* fmath.h: float arithmetic that both paths of the interpreter share.
 *
 * Everything is built from IEEE +, -, *, / and conversions in a fixed order,
 * without branches, so that a vectorised loop gives the bits of the scalar
 * one on every host. The math functions are evaluated in double: the error is
 * far below one F ulp. BDW PRM vol 7 "math - Extended Math Function";
 * special cases: ILK PRM vol 4 pt 1 "Extended Math". */
#ifndef EU_FMATH_H
#define EU_FMATH_H

#include <math.h>

#include "base/base.h"
#include "eu/isa/insn.h"

#define FMATH_INLINE static inline __attribute__((always_inline))

FMATH_INLINE double
fmath_double_from_bits(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

/* ---- rounding to integral values ---- */

FMATH_INLINE float
fmath_copysign(float magnitude, float sign)
{
    return float_from_bits((bits_from_float(magnitude) & 0x7fffffff) |
                           (bits_from_float(sign) & 0x80000000));
}

FMATH_INLINE float
fmath_trunc(float x)
{
    /* From 2^23 on every value is integral; NaN fails the comparison. */
    bool small = (bits_from_float(x) & 0x7fffffff) < 0x4b000000;
    float t = (float)(int32_t)(small ? x : 0.0f);
    return small ? fmath_copysign(t, x) : x;
}

FMATH_INLINE float
fmath_floor(float x)
{
    float t = fmath_trunc(x);
    return t > x ? t - 1.0f : t;
}

FMATH_INLINE float
fmath_ceil(float x)
{
    float t = fmath_trunc(x);
    return t < x ? fmath_copysign(t + 1.0f, x) : t;
}

FMATH_INLINE float
fmath_rnde(float x)
{
    float t = fmath_trunc(x), d = x - t; /* exact, with the sign of x */
    bool small = (bits_from_float(x) & 0x7fffffff) < 0x4b000000;
    int32_t odd = (int32_t)(small ? t : 0.0f) & 1;
    float mag = fmath_copysign(d, 1.0f);
    bool away = (mag > 0.5f) | ((mag == 0.5f) & odd);
    float up = t + fmath_copysign(1.0f, x);
    return small & away ? up : t;
}

/* In [0, 1): what would round to 1 becomes the largest number below. */
FMATH_INLINE float
fmath_frc(float x)
{
    float r = x - fmath_floor(x);
    return r >= 1.0f ? float_from_bits(0x3f7fffff) : r;
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
    return (first | b_nan) & !a_nan ? a : b;
}

FMATH_INLINE uint32_t
fmath_max_bits(uint32_t a, uint32_t b)
{
    bool a_nan = (a & 0x7fffffff) > 0x7f800000;
    bool b_nan = (b & 0x7fffffff) > 0x7f800000;
    bool first = fmath_order(a) > fmath_order(b);
    return (first | b_nan) & !a_nan ? a : b;
}

/* ---- math ---- */

#define FMATH_NAN float_from_bits(0x7fc00000)
#define FMATH_INF float_from_bits(0x7f800000)

/* 2^y for |y| that matters to F; NaN is the caller's. */
FMATH_INLINE double
fmath_exp2_d(double y)
{
    y = y < -200.0 ? -200.0 : y;
    y = y > 200.0 ? 200.0 : y;
    int32_t n = (int32_t)(y + (y < 0.0 ? -0.5 : 0.5));
    double f = (y - (double)n) * 0.69314718055994530942;
    double p = 1.0 / 39916800;
    p = p * f + 1.0 / 3628800;
    p = p * f + 1.0 / 362880;
    p = p * f + 1.0 / 40320;
    p = p * f + 1.0 / 5040;
    p = p * f + 1.0 / 720;
    p = p * f + 1.0 / 120;
    p = p * f + 1.0 / 24;
    p = p * f + 1.0 / 6;
    p = p * f + 0.5;
    p = p * f + 1.0;
    p = p * f + 1.0;
    return p * fmath_double_from_bits((uint64_t)(int64_t)(n + 1023) << 52);
}

/* log2 of a positive finite number. */
FMATH_INLINE double
fmath_log2_d(float x)
{
    bool tiny = bits_from_float(x) < 0x00800000;
    float scaled = x * 16777216.0f;
    uint32_t b = bits_from_float(tiny ? scaled : x);
    int32_t e = (int32_t)(b >> 23) - 127 - (tiny ? 24 : 0);
    uint32_t m = (b & 0x7fffff) | 0x3f800000;
    bool high = m > 0x3fb504f3; /* sqrt(2) */
    m -= high ? 0x00800000 : 0;
    e += high ? 1 : 0;
    double d = (double)float_from_bits(m);
    double s = (d - 1.0) / (d + 1.0), s2 = s * s;
    double p = 1.0 / 17;
    p = p * s2 + 1.0 / 15;
    p = p * s2 + 1.0 / 13;
    p = p * s2 + 1.0 / 11;
    p = p * s2 + 1.0 / 9;
    p = p * s2 + 1.0 / 7;
    p = p * s2 + 1.0 / 5;
    p = p * s2 + 1.0 / 3;
    p = p * s2 + 1.0;
    return (double)e + s * 2.88539008177792681472 * p;
}

FMATH_INLINE float
fmath_exp(float x)
{
    bool nan = x != x;
    float r = (float)fmath_exp2_d(nan ? 0.0 : (double)x);
    return nan ? FMATH_NAN : r;
}

FMATH_INLINE float
fmath_log(float x)
{
    bool plain = (x > 0.0f) & (x < FMATH_INF);
    float r = (float)fmath_log2_d(plain ? x : 1.0f);
    float special = x == 0.0f ? -FMATH_INF : x > 0.0f ? x : FMATH_NAN;
    return plain ? r : special;
}

/* 2^(y * log2|x|), so 0^0, inf^0 and 1^inf are NaN. */
FMATH_INLINE float
fmath_pow(float x, float y)
{
    float a = fmath_copysign(x, 1.0f);
    bool plain = (a > 0.0f) & (a < FMATH_INF);
    double l = fmath_log2_d(plain ? a : 1.0f);
    double special = a == 0.0f ? -(double)FMATH_INF : (double)a;
    double e = (plain ? l : special) * (double)y;
    bool nan = e != e;
    float r = (float)fmath_exp2_d(nan ? 0.0 : e);
    return nan ? FMATH_NAN : r;
}

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

FMATH_INLINE float
fmath_rsq(float x)
{
    /* Through double so that it is rounded once; -0 gives +inf. */
    double d = x == 0.0f ? 0.0 : (double)x;
    return (float)(1.0 / __builtin_sqrt(d));
}

#define FMATH_TRIG_MAX 1048576.0f

/* sin(x + quarters * pi/2) for |x| up to FMATH_TRIG_MAX. */
FMATH_INLINE float
fmath_sin_quarters(float x, int32_t quarters)
{
    bool in = fmath_copysign(x, 1.0f) <= FMATH_TRIG_MAX;
    double d = in ? (double)x : 0.0;
    double k = d * 0.63661977236758134308;
    int32_t n = (int32_t)(k + (k < 0.0 ? -0.5 : 0.5));
    double dn = (double)n;
    /* pi/2 in two parts; the first has 33 bits, so dn * it is exact. */
    double r = d - dn * 1.57079632673412561417;
    r = r - dn * 6.07710050650619224932e-11;
    double r2 = r * r;

    double s = -1.0 / 1307674368000.0;
    s = s * r2 + 1.0 / 6227020800.0;
    s = s * r2 - 1.0 / 39916800;
    s = s * r2 + 1.0 / 362880;
    s = s * r2 - 1.0 / 5040;
    s = s * r2 + 1.0 / 120;
    s = s * r2 - 1.0 / 6;
    s = s * r2 * r + r;

    double c = 1.0 / 20922789888000.0;
    c = c * r2 - 1.0 / 87178291200.0;
    c = c * r2 + 1.0 / 479001600;
    c = c * r2 - 1.0 / 3628800;
    c = c * r2 + 1.0 / 40320;
    c = c * r2 - 1.0 / 720;
    c = c * r2 + 1.0 / 24;
    c = c * r2 - 0.5;
    c = c * r2 + 1.0;

    int32_t q = n + quarters;
    float v = (float)(q & 1 ? c : s);
    v = q & 2 ? -v : v;
    return in ? v : FMATH_NAN;
}

FMATH_INLINE float
fmath_sin(float x)
{
    float r = fmath_sin_quarters(x, 0);
    return x == 0.0f ? fmath_copysign(0.0f, x) : r;
}

FMATH_INLINE float
fmath_cos(float x)
{
    return fmath_sin_quarters(x, 1);
}

/* The rest of the number line, one lane at a time: host sin in double. */
FMATH_INLINE bool
fmath_trig_is_large(float x)
{
    uint32_t b = bits_from_float(x) & 0x7fffffff;
    return (b > 0x49800000) & (b < 0x7f800000);
}

FMATH_INLINE float
fmath_trig_large(float x, bool is_cos)
{
    return (float)(is_cos ? cos((double)x) : sin((double)x));
}

#endif
