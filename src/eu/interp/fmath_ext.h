/* fmath_ext.h: extended math in F: EXP, LOG, POW, RSQ, SIN, COS.
 *
 * Uses only +, -, *, fused multiply-add, integers and tables, in a fixed order.
 * While rounding to nearest, both tiers and all hosts give equal bits. The JIT
 * (lower_math.c and its neighbours) repeats these steps and shares the tables.
 * BDW PRM vol 7 "math - Extended Math Function"; special cases: ILK PRM vol 4
 * pt 1 "Extended Math". NaNs are the host's: a NaN operand becomes quiet, an
 * invalid operation gives 0xffc00000.
 *
 * The coefficients are minimax approximations: Remez's exchange algorithm in 50
 * digits, then a search over neighbouring F values for the least error after
 * rounding. Quoted errors are maxima over all F values that matter; the tests
 * try a sample. */
#ifndef EU_FMATH_EXT_H
#define EU_FMATH_EXT_H

#include "eu/interp/fmath.h"

/* Polynomials are sums of pairs times powers of x, so that the pairs are
 * independent. Loops here would keep compilers from vectorising the loop over
 * the lanes. */
FMATH_INLINE float
fmath_pair(float x, const float c[2])
{
    return fmath_fma(c[1], x, c[0]);
}

/* (p * x + c[1]) * x + c[0] */
FMATH_INLINE float
fmath_horner(float p, float x, const float c[2])
{
    return fmath_fma(fmath_fma(p, x, c[1]), x, c[0]);
}

/* ---- RSQ: at most 0.91 ulp ---- */

/* Seeds, by the exponent's parity and four bits of the mantissa: seed - (x >>
 * 1) is 1/sqrt(x) to 1.5 %. Entry 15 is larger than the best seed: four times
 * the seed's square must not be denormal below 2^128. */
static const uint32_t fmath_rsq_seed[32] = {
    0x5f344e00, 0x5f332200, 0x5f326300, 0x5f320200, 0x5f31f400, 0x5f323100,
    0x5f32ae00, 0x5f336500, 0x5f345000, 0x5f356900, 0x5f36ae00, 0x5f381900,
    0x5f39a700, 0x5f3b5500, 0x5f3d2000, 0x5f400000, 0x5f3e2400, 0x5f3ad400,
    0x5f381e00, 0x5f35ee00, 0x5f343400, 0x5f32e100, 0x5f31e900, 0x5f314400,
    0x5f30e900, 0x5f30cd00, 0x5f30f200, 0x5f314b00, 0x5f31d600, 0x5f328e00,
    0x5f337000, 0x5f347800};
/* ((1 - e/4)^-1/2 - 1) / e */
static const float fmath_rsq_coef[3] = {0x1.00002p-3f, 0x1.800e86p-6f,
                                        0x1.392db2p-8f};

FMATH_INLINE float
fmath_rsq(float x)
{
    uint32_t tiny = fmath_mask((bits_from_float(x) & 0x7fffffff) < 0x00800000);
    uint32_t plain = fmath_mask(x > 0.0f) & fmath_mask(x < FMATH_INF);
    float v = fmath_choose(tiny, x * 0x1p24f, x);
    uint32_t b = bits_from_float(v);
    uint32_t seed = fmath_rsq_seed[b >> 19 & 31] - (b >> 1);
    float y = float_from_bits(seed), y4 = float_from_bits(seed + 0x01000000);
    float e = fmath_fma(-v, y * y4, 4.0f);
    float p = fmath_horner(fmath_rsq_coef[2], e, fmath_rsq_coef);
    y = fmath_fma(y * e, p, y);
    y = fmath_choose(tiny, y * 0x1p12f, y);
    return fmath_choose(plain, y, 1.0f / __builtin_sqrtf(x));
}

/* ---- EXP: at most 0.99 ulp ---- */

/* 2^(i/16) */
static const float fmath_exp_table[16] = {
    0x1p+0f,        0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f,
    0x1.306fep+0f,  0x1.3dea64p+0f, 0x1.4bfdaep+0f, 0x1.5ab07ep+0f,
    0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f,
    0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};
/* (2^f - 1) / f, |f| <= 1/32 */
static const float fmath_exp_coef[3] = {0x1.62e43p-1f, 0x1.ebfff4p-3f,
                                        0x1.c6b46ap-5f};
#define FMATH_EXP_BOUND 160.0f /* nothing but 0 and infinity beyond */

FMATH_INLINE float
fmath_exp(float x)
{
    float z = fmath_choose(fmath_mask(x < -FMATH_EXP_BOUND), -FMATH_EXP_BOUND,
                           x);
    z = fmath_choose(fmath_mask(z > FMATH_EXP_BOUND), FMATH_EXP_BOUND, z);
    float n16 = fmath_rnde(z * 16.0f), f = z - n16 * 0x1p-4f;
    uint32_t number = fmath_mask(n16 == n16);
    int32_t i = (int32_t)float_from_bits(bits_from_float(n16) & number);
    float t = fmath_exp_table[i & 15];
    float p = fmath_fma(fmath_pair(f, fmath_exp_coef + 1), f,
                        fmath_exp_coef[0]);
    p = fmath_fma(p, f * t, t);
    /* Scales in two steps, of which the first is exact: p * 2^n may be
     * denormal. */
    i >>= 4;
    uint32_t half = (uint32_t)(i >> 1), rest = (uint32_t)i - half;
    p = float_from_bits(bits_from_float(p) + (half << 23));
    p *= float_from_bits(0x3f800000 + (rest << 23));
    /* Rounding towards zero would overflow to a finite number. */
    return fmath_choose(fmath_mask(x == FMATH_INF), FMATH_INF, p);
}

/* ---- LOG: at most 2.0 ulp, 2^-22.4 ---- */

/* By the four highest bits of the mantissa: a factor that makes m nearly 1, and
 * -log2 of the factor, plus 1 if m < 1. Factors are near the middle of 1/m,
 * chosen so that their logarithms are nearly F values, even with 1 added: the 1
 * cancels for x just below 1. */
static const float fmath_log_factor[16] = {
    0x1p+0f,        0x1.d41bfap-1f, 0x1.bacf3cp-1f, 0x1.a418b6p-1f,
    0x1.8f9758p-1f, 0x1.7d0532p-1f, 0x1.6c281ep-1f, 0x1.5c8c4ap-1f,
    0x1.4e5cc8p+0f, 0x1.4145d6p+0f, 0x1.3538d4p+0f, 0x1.29db34p+0f,
    0x1.1f8e2ap+0f, 0x1.15c3fcp+0f, 0x1.0c5472p+0f, 0x1p+0f};
static const float fmath_log_table[16] = {
    0x0p+0f,        0x1.08cd9ep-3f, 0x1.acf81cp-3f, 0x1.2445eap-2f,
    0x1.6e33bp-2f,  0x1.b481bp-2f,  0x1.f761e6p-2f, 0x1.1c0cf8p-1f,
    0x1.3abe08p-1f, 0x1.583d9ap-1f, 0x1.747bp-1f,   0x1.90246p-1f,
    0x1.aa23c8p-1f, 0x1.c3b9bp-1f,  0x1.dd40f4p-1f, 0x1p+0f};
/* log2(1 + r) / r, -1/32 <= r < 1/16 */
static const float fmath_log_coef[5] = {0x1.715476p+0f, -0x1.715478p-1f,
                                        0x1.ec75f6p-2f, -0x1.716c82p-2f,
                                        0x1.1597c6p-2f};

FMATH_INLINE float
fmath_log(float x)
{
    uint32_t tiny = fmath_mask(bits_from_float(x) < 0x00800000);
    uint32_t plain = fmath_mask(x > 0.0f) & fmath_mask(x < FMATH_INF);
    uint32_t b = bits_from_float(fmath_choose(tiny, x * 0x1p24f, x));
    int32_t e = (int32_t)(b >> 23) - 127 - (int32_t)(tiny & 24);
    uint32_t i = b >> 19 & 15;
    /* 3/4 <= m < 3/2; for m < 1 the table includes the exponent's 1. */
    float m = float_from_bits(((b - 0x3f400000) & 0x007fffff) + 0x3f400000);
    float r = fmath_fma(m, fmath_log_factor[i], -1.0f);
    const float *c = fmath_log_coef;
    float r2 = r * r;
    float p = fmath_fma(fmath_pair(r, c + 3), r2, fmath_pair(r, c + 1));
    float l = fmath_fma(c[0], r, (float)e + fmath_log_table[i]);
    l = fmath_fma(p, r2, l);
    float special = fmath_choose(fmath_mask(x < 0.0f),
                                 float_from_bits(0xffc00000), x + x);
    special = fmath_choose(fmath_mask(x == 0.0f), -FMATH_INF, special);
    return fmath_choose(plain, l, special);
}

/* ---- POW: 2^(y * log2|x|) ---- */

/* So 0^0, inf^0 and 1^inf are NaN. */
FMATH_INLINE float
fmath_pow(float x, float y)
{
    float l = fmath_log(fmath_copysign(x, 1.0f));
    return fmath_exp(fmath_choose(fmath_mask(l != l), l, l * y));
}

/* ---- SIN, COS ---- */

#define FMATH_2_PI 0x1.45f306p-1f
#define FMATH_ROUND 0x1.8p23f /* x + this has x's integer in the low bits */
/* pi/2 in two parts, both positive, so that -0 stays -0. */
#define FMATH_PI_2_HIGH 0x1.921fb4p+0f
#define FMATH_PI_2_LOW 0x1.4442d2p-24f

/* (sin r / r - 1) / r^2 and (cos r - 1) / r^2 in powers of r^2,
 * |r| <= 1.01 pi/4 */
static const float fmath_sin_coef[3] = {-0x1.55553ep-3f, 0x1.110532p-7f,
                                        -0x1.98b66p-13f};
static const float fmath_cos_coef[3] = {-0x1.ffffb6p-2f, 0x1.553ec2p-5f,
                                        -0x1.644dd4p-10f};

/* sin(x + quarters * pi/2) for |x| up to 2^20. */
FMATH_INLINE float
fmath_sin_quarters(float x, uint32_t quarters)
{
    float t = fmath_fma(x, FMATH_2_PI, FMATH_ROUND), n = t - FMATH_ROUND;
    uint32_t q = bits_from_float(t) + quarters;
    float r = fmath_fma(n, -FMATH_PI_2_HIGH, x);
    r = fmath_fma(n, -FMATH_PI_2_LOW, r);
    float r2 = r * r;
    /* sin r or cos r, or its negative: c * (1 + p * r2). */
    uint32_t odd = fmath_mask(q & 1), sign = (q & 2) << 30;
    const float *s = fmath_sin_coef, *o = fmath_cos_coef;
    float c[2] = {fmath_choose(odd, o[0], s[0]), fmath_choose(odd, o[1], s[1])};
    float p = fmath_horner(fmath_choose(odd, o[2], s[2]), r2, c);
    p = fmath_fma(p, r2, 1.0f);
    float one = float_from_bits(0x3f800000 | sign);
    float by_r = fmath_choose(odd, 0.0f, one);
    float by_1 = fmath_choose(odd, one, -0.0f); /* keeps the sign of zero */
    return fmath_fma(r, by_r, by_1) * p;
}

FMATH_INLINE float
fmath_sin(float x)
{
    return fmath_sin_quarters(x, 0);
}

FMATH_INLINE float
fmath_cos(float x)
{
    return fmath_sin_quarters(x, 1);
}

/* Larger |x|, one lane at a time: the host's sin() in double. */
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
