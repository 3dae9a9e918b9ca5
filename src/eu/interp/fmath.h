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

/* Choices are made with bit masks: compilers turn those into vector code
 * more reliably than conditional expressions. */
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

FMATH_INLINE uint64_t
fmath_bits_from_double(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

FMATH_INLINE double
fmath_choose_d(bool condition, double a, double b)
{
    uint64_t mask = -(uint64_t)condition;
    return fmath_double_from_bits((fmath_bits_from_double(a) & mask) |
                                  (fmath_bits_from_double(b) & ~mask));
}

/* 0.5 with the sign of x: adding it and truncating rounds to nearest. */
FMATH_INLINE double
fmath_half_like(double x)
{
    uint64_t sign = fmath_bits_from_double(x) & (UINT64_C(1) << 63);
    return fmath_double_from_bits(sign | fmath_bits_from_double(0.5));
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

/* In [0, 1): what would round to 1 becomes the largest number below. */
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

/* The same guess: v's product is added first. */
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

#define FMATH_NAN float_from_bits(0x7fc00000)
#define FMATH_INF float_from_bits(0x7f800000)

/* 2^y for |y| that matters to F. NaN is taken for a bound. */
FMATH_INLINE double
fmath_exp2_d(double y)
{
    y = fmath_choose_d(y > -200.0, y, -200.0);
    y = fmath_choose_d(y < 200.0, y, 200.0);
    int32_t n = (int32_t)(y + fmath_half_like(y));
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
    uint32_t tiny = fmath_mask(bits_from_float(x) < 0x00800000);
    uint32_t b = bits_from_float(fmath_choose(tiny, x * 16777216.0f, x));
    int32_t e = (int32_t)(b >> 23) - 127 - (int32_t)(tiny & 24);
    uint32_t m = (b & 0x7fffff) | 0x3f800000;
    uint32_t high = fmath_mask(m > 0x3fb504f3); /* sqrt(2) */
    m -= high & 0x00800000;
    e += (int32_t)(high & 1);
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
    uint32_t nan = fmath_mask(x != x);
    float in = float_from_bits(bits_from_float(x) & ~nan);
    return fmath_choose(nan, FMATH_NAN, (float)fmath_exp2_d((double)in));
}

FMATH_INLINE float
fmath_log(float x)
{
    uint32_t positive = fmath_mask(x > 0.0f), zero = fmath_mask(x == 0.0f);
    uint32_t plain = positive & fmath_mask(x < FMATH_INF);
    float r = (float)fmath_log2_d(fmath_choose(plain, x, 1.0f));
    float special = fmath_choose(positive, x, FMATH_NAN);
    special = fmath_choose(zero, -FMATH_INF, special);
    return fmath_choose(plain, r, special);
}

/* 2^(y * log2|x|), so 0^0, inf^0 and 1^inf are NaN. */
FMATH_INLINE float
fmath_pow(float x, float y)
{
    float a = fmath_copysign(x, 1.0f);
    uint32_t zero = fmath_mask(a == 0.0f);
    uint32_t plain = fmath_mask(a > 0.0f) & fmath_mask(a < FMATH_INF);
    double l = fmath_log2_d(fmath_choose(plain, a, 1.0f));
    /* The sum is the one that counts: 0 + l, or special + 0. */
    float special = fmath_choose(zero, -FMATH_INF, a);
    double e = l + (double)float_from_bits(bits_from_float(special) & ~plain);
    e = e * (double)y;
    uint32_t nan = fmath_mask(e != e);
    float r = (float)fmath_exp2_d(e);
    return fmath_choose(nan, FMATH_NAN, r);
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
    uint32_t zero = fmath_mask(x == 0.0f);
    float in = float_from_bits(bits_from_float(x) & ~zero);
    return (float)(1.0 / __builtin_sqrt((double)in));
}

/* sin(x + quarters * pi/2) for |x| up to 2^20. */
FMATH_INLINE float
fmath_sin_quarters(float x, int32_t quarters)
{
    uint32_t bits = bits_from_float(x);
    uint32_t in = (bits & 0x7fffffff) <= 0x49800000 ? UINT32_MAX : 0;
    double d = (double)float_from_bits(bits & in);
    double k = d * 0.63661977236758134308;
    int32_t n = (int32_t)(k + fmath_half_like(k));
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
    uint32_t is_cos = (uint32_t) - (q & 1);
    uint32_t v = (bits_from_float((float)c) & is_cos) |
                 (bits_from_float((float)s) & ~is_cos);
    v ^= (uint32_t)(q & 2) << 30;
    return float_from_bits((v & in) | (0x7fc00000 & ~in));
}

FMATH_INLINE float
fmath_sin(float x)
{
    /* The sign of zero would get lost. */
    uint32_t r = bits_from_float(fmath_sin_quarters(x, 0));
    uint32_t zero = x == 0.0f ? UINT32_MAX : 0;
    return float_from_bits((r & ~zero) |
                           (bits_from_float(x) & zero & 0x80000000));
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
