/* lod_tmpl.h: levels of detail, as in lod.c; a part of sample_tmpl.h. */
#ifndef SAMPLER_PLAN_X86_LOD_TMPL_H
#define SAMPLER_PLAN_X86_LOD_TMPL_H

#include "sampler/plan/x86/address_tmpl.h"

/* Four LODs: one for each quad, or for the lanes of one quad. */
struct four_lods {
    int4 level, beta, mag;
};

struct lanes_lod {
    bool same; /* all lanes have level `one` */
    unsigned one;
    bool blend; /* some beta is not zero */
    vint level, beta;
    vmask mag;
};

/* lod.c's log2_root() */
INLINE float4
log2_root(float4 squared)
{
    int4 bits = (int4)squared;
    int4 exponent = (bits >> 23) - 127;
    float4 mantissa = (float4)((bits & 0x7fffff) | 127 << 23);
    double4 m = __builtin_convertvector(mantissa, double4);
    long4 big = m > 1.4142135;
    m = (double4)(((long4)(m * 0.5) & big) | ((long4)m & ~big));
    double4 e = __builtin_convertvector(exponent, double4);
    e += (double4)((long4)(double4){1.0, 1.0, 1.0, 1.0} & big);
    double4 z = (m - 1.0) / (m + 1.0), z2 = z * z;
    double4 p = 1.0 / 7.0 + z2 * (1.0 / 9.0);
    p = 1.0 / 5.0 + z2 * p;
    p = 1.0 / 3.0 + z2 * p;
    p = 1.0 + z2 * p;
    double4 log2 = e + 2.8853900817779268 * z * p;
    int4 root = (int4) __builtin_convertvector(0.5 * log2, float4);
    int4 high = squared > 3.0e38f, sound = squared >= 1.17549435e-38f;
    const float4 limit = {32.0f, 32.0f, 32.0f, 32.0f};
    root = (root & ~high) | ((int4)limit & high);
    return (float4)((root & sound) | ((int4)-limit & ~sound));
}

INLINE float4
min4(float4 a, float4 b)
{
    return (float4)_mm_min_ps((__m128)a, (__m128)b);
}

/* b where one is NaN */
INLINE float4
max4(float4 a, float4 b)
{
    return (float4)_mm_max_ps((__m128)a, (__m128)b);
}

INLINE int4
clamp4(int4 v, int32_t min, int32_t max)
{
    __m128i low = _mm_min_epi32((__m128i)v, _mm_set1_epi32(max));
    return (int4)_mm_max_epi32(low, _mm_set1_epi32(min));
}

INLINE float4
splat4(float f)
{
    return (float4){f, f, f, f};
}

INLINE float4
fma4(float4 a, float4 b, float4 c)
{
    return (float4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
}

INLINE int4
choose4i(int4 m, int4 a, int4 b)
{
    return (a & m) | (b & ~m);
}

/* Squared length of the longer derivative, for each quad. */
INLINE float4
quad_footprint(const struct sample_lod_plan *lod, vfloat u, vfloat v)
{
    float8 x = v_steps(u) * lod->size[0], y = v_steps(v) * lod->size[1];
    __m256 length = (__m256)(x * x + y * y);
    return max4((float4)_mm256_castps256_ps128(length),
                (float4)_mm256_extractf128_ps(length, 1));
}

/* log2(squared) to within 1/100000; very small for NaN and zero. */
INLINE float4
log2_roughly(float4 squared)
{
    const int32_t three_quarters = 0x3f400000;
    int4 bits = (int4)max4(squared, splat4(0.0f)); /* 0 for NaN */
    int4 exponent = (bits - three_quarters) >> 23;
    float4 t = (float4)(bits - (exponent << 23)) - splat4(1.0f), t2 = t * t;
    /* log2(1 + t) / t from -1/4 to 1/2, to within 4e-6 */
    float4 a = fma4(t, splat4(-0.72117598f), splat4(1.44269006f));
    float4 b = fma4(t, splat4(-0.36952985f), splat4(0.48138301f));
    float4 c = fma4(t, splat4(-0.14939508f), splat4(0.29326885f));
    return fma4(fma4(fma4(c, t2, b), t2, a), t,
                __builtin_convertvector(exponent, float4));
}

/* log2_root() to within 1/50000, which takes a third of the time. */
INLINE float4
log2_root_roughly(float4 squared)
{
    float4 log2 = log2_roughly(squared), limit = splat4(64.0f);
    return min4(max4(log2, -limit), limit) * splat4(0.5f);
}

/* lod.c's fixed_lod(); NaN becomes the least LOD. */
INLINE int4
fixed_lod(float4 lod, float rounding)
{
    lod = min4(max4(lod, splat4(-32.0f)), splat4(32.0f));
    __m128 x = (__m128)(lod * splat4(SAMPLE_ONE) + splat4(rounding));
    return (int4)_mm_cvttps_epi32(_mm_floor_ps(x));
}

/* The LOD in 1/256, with the bits of lod.c. The exact logarithm is only needed
 * near a rounding boundary. */
INLINE int4
derived_lod(const struct sample_lod_plan *plan, float4 squared, float4 given)
{
    const float4 margin = splat4(1.0f / 128.0f), bias = splat4(plan->bias);
    float4 lod = log2_root_roughly(squared) + given + bias;
    float4 x = fma4(lod, splat4(SAMPLE_ONE), splat4(plan->rounding));
    float4 rest = x - (float4)_mm_floor_ps((__m128)x);
    int4 sure = (rest > margin) & (rest < splat4(1.0f) - margin);
    if (_mm_movemask_ps((__m128)sure) != 0xf)
        lod = log2_root(squared) + given + bias;
    return fixed_lod(lod, plan->rounding);
}

/* Sets the hint: the range of squared lengths that surely give this LOD. x
 * changes by 128 per power of two. So `squared` may shrink by `rest` and grow
 * by 1 - `rest` steps, less a margin for the logarithm's error. 2^d is at least
 * 1 + 0.69 d, and 2^-d at most 1 - 0.68 d for d up to 1/128. */
INLINE void
note_lod(struct sample_lod_hint *hint, const struct sample_lod_plan *plan,
         float4 squared, __m128 whole, __m128 rest)
{
    const float margin = 1.0f / 128.0f, per_step = 1.0f / 128.0f;
    __m128 differs = _mm_cmpneq_ps(whole, _mm_broadcastss_ps(whole));
    if (_mm_movemask_ps(differs) != 0)
        return;
    float r = _mm_cvtss_f32(rest), s = squared[0];
    float down = r > margin ? (r - margin) * per_step : 0.0f;
    float up = r < 1.0f - margin ? (1.0f - margin - r) * per_step : 0.0f;
    *hint = (struct sample_lod_hint){
        .least = s * (1.0f - 0.68f * down),
        .most = s * (1.0f + 0.69f * up),
        .bias = plan->bias,
        .rounding = plan->rounding,
        .lod = _mm_cvttss_si32(whole),
    };
}

/* derived_lod() for lanes that pass no LOD or bias. Results out of range are
 * not clamped to 32 or -32; they are beyond all levels, too. The errors of the
 * logarithm and of x together are less than 1/500. */
INLINE int4
quads_lod(const struct sample_lod_plan *plan, float4 squared,
          struct sample_lod_hint *hint)
{
    const __m128 margin = _mm_set1_ps(1.0f / 256.0f);
    const __m128 end = _mm_set1_ps(1.0f - 1.0f / 256.0f);
    __m128 x = (__m128)fma4(log2_roughly(squared), splat4(SAMPLE_ONE / 2),
                            splat4(plan->bias * SAMPLE_ONE + plan->rounding));
    __m128 whole = _mm_floor_ps(x), rest = _mm_sub_ps(x, whole);
    __m128 sure = _mm_and_ps(_mm_cmp_ps(rest, margin, _CMP_GT_OQ),
                             _mm_cmp_ps(rest, end, _CMP_LT_OQ));
    if (__builtin_expect(_mm_movemask_ps(sure) != 0xf, 0))
        return fixed_lod(log2_root(squared) + splat4(plan->bias),
                         plan->rounding);
    if (hint)
        note_lod(hint, plan, squared, whole, rest);
    return (int4)_mm_cvttps_epi32(whole);
}

/* quads_lod() with speculation: if the hint fits, nothing waits for the LOD. */
INLINE int4
expected_lod(const struct sample_lod_plan *plan, float4 squared,
             struct sample_lod_hint *hint)
{
    int4 between = (squared > splat4(hint->least)) &
                   (squared < splat4(hint->most));
    if (__builtin_expect(_mm_movemask_ps((__m128)between) == 0xf &&
                             hint->bias == plan->bias &&
                             hint->rounding == plan->rounding,
                         1))
        return (int4)_mm_set1_epi32(hint->lod);
    return quads_lod(plan, squared, hint);
}

/* lod.c's clamp_lod() and lod_select() */
INLINE struct four_lods
choose_level(const struct sample_lod_plan *plan, int4 lod)
{
    const int4 alone = {plan->alone, plan->alone, plan->alone, plan->alone};
    struct four_lods out = {.beta = {0, 0, 0, 0}};
    if (plan->preclamp)
        lod = clamp4(lod, plan->preclamp_min, plan->preclamp_max);
    out.mag = lod <= plan->base;
    int4 chosen = alone;
    if (plan->mip_filter != MIP_NONE) {
        chosen = clamp4(lod, plan->min, plan->max); /* from 0 to mips */
        if (plan->mip_filter == MIP_NEAREST)
            chosen = (chosen + SAMPLE_ONE / 2) & -SAMPLE_ONE;
        if (!plan->mag_by_mip)
            chosen = choose4i(out.mag, alone, chosen);
        out.beta = chosen & (SAMPLE_ONE - 1);
    }
    out.level = (chosen >> 8) + plan->level0;
    return out;
}

/* lod.c's lod_anisotropic(), a quad per element: samples along the longer axis.
 */
struct quads_ellipse {
    float4 major, axis[2]; /* the longer axis: half of its length, direction */
    float4 squared;        /* width, for the LOD */
    float4 ways, ratio;
    float4 step_u, step_v; /* between samples */
};

struct lanes_footprint {
    float4 squared;
    vfloat ways, ratio;
    vfloat step_u, step_v;
};

INLINE double4
choose4(long4 m, double4 a, double4 b)
{
    return (double4)(((long4)a & m) | ((long4)b & ~m));
}

INLINE float4
choose4f(int4 m, float4 a, float4 b)
{
    return (float4)(((int4)a & m) | ((int4)b & ~m));
}

/* lod.c's ellipse_axes() with a quad per element: the derivatives of u and v by
 * x and y. */
INLINE void
ellipse_axes(double4 ux, double4 uy, double4 vx, double4 vy, float4 *major,
             float4 *minor, float4 axis[2])
{
    const double4 zero = {0.0, 0.0, 0.0, 0.0}, one = {1.0, 1.0, 1.0, 1.0};
    double4 a = ux * ux + uy * uy, b = ux * vx + uy * vy, c = vx * vx + vy * vy;
    double4 root = (double4)_mm256_sqrt_pd(
        (__m256d)((a - c) * (a - c) + 4.0 * b * b));
    double4 high = 0.5 * (a + c + root);
    double4 det = ux * vy - vx * uy;
    double4 low = choose4(high > zero, det * det / high, zero);
    double4 x = choose4(a >= c, high - c, b), y = choose4(a >= c, b, high - a);
    double4 length = (double4)_mm256_sqrt_pd((__m256d)(x * x + y * y));
    long4 some = length > zero;
    *major = (float4)_mm256_cvtpd_ps(_mm256_sqrt_pd((__m256d)high));
    *minor = (float4)_mm256_cvtpd_ps(_mm256_sqrt_pd((__m256d)low));
    axis[0] = __builtin_convertvector(choose4(some, x / length, one), float4);
    axis[1] = __builtin_convertvector(choose4(some, y / length, zero), float4);
}

INLINE double4
half_of(float8 v, unsigned half)
{
    float4 f = half ? (float4)_mm256_extractf128_ps((__m256)v, 1)
                    : (float4)_mm256_castps256_ps128((__m256)v);
    return __builtin_convertvector(f, double4);
}

/* x, y: v_steps() of the coordinates, times lod.size. */
INLINE struct quads_ellipse
quads_ellipse(const struct sample_lod_plan *plan, float8 x, float8 y)
{
    struct quads_ellipse e;
    float4 minor, max = splat4(plan->max_anisotropy);
    ellipse_axes(half_of(x, 0), half_of(x, 1), half_of(y, 0), half_of(y, 1),
                 &e.major, &minor, e.axis);
    float4 one = splat4(1.0f), two = splat4(2.0f);
    float4 ratio = choose4f(minor * max > e.major, e.major / minor, max);
    e.ratio = choose4f((ratio > one) & (e.major < splat4(1e18f)), ratio, one);
    float4 width = e.major / e.ratio;
    float4 ways = (float4)_mm_ceil_ps((__m128)(splat4(0.5f) * e.ratio)) * two;
    ways = choose4f(e.ratio <= two, two, ways);
    ways = choose4f(ways < splat4(16.0f), ways, splat4(16.0f));
    e.ways = choose4f(e.ratio > one, ways, one);
    float4 step = choose4f(e.ratio < two, width * (e.ratio - one), width);
    e.squared = width * width;
    e.step_u = e.axis[0] * step / splat4(plan->size[0]);
    e.step_v = e.axis[1] * step / splat4(plan->size[1]);
    return e;
}

INLINE struct lanes_footprint
anisotropic_footprint(const struct sample_lod_plan *plan, vfloat u, vfloat v)
{
    struct quads_ellipse e = quads_ellipse(plan, v_steps(u) * plan->size[0],
                                           v_steps(v) * plan->size[1]);
    return (struct lanes_footprint){
        .squared = e.squared,
        .ways = v_spread(e.ways),
        .ratio = v_spread(e.ratio),
        .step_u = v_spread(e.step_u),
        .step_v = v_spread(e.step_v),
    };
}

/* Returns n without a data dependency: the branch predictor guesses the loop
 * count, and later loads start early. */
INLINE unsigned
expect_level(unsigned n)
{
    /* The asm keeps compilers from seeing that i and n are equal. */
    unsigned i = 0, seen = 0;
    while (seen != n) {
        seen = ++i;
        __asm__("" : "+r"(seen));
    }
    return i;
}

/* Computes one LOD per quad. `hint`: NULL, or the caller's hint from its last
 * message. */
INLINE void
lods_of_quads(const struct sample_lod_plan *plan, float4 squared,
              struct sample_lod_hint *hint, struct lanes_lod *out)
{
    int4 lod = hint ? expected_lod(plan, squared, hint)
                    : quads_lod(plan, squared, NULL);
    struct four_lods q = choose_level(plan, lod);
    __m128i level = (__m128i)q.level;
    __m128i differs = _mm_xor_si128(level, _mm_broadcastd_epi32(level));
    out->one = (unsigned)_mm_cvtsi128_si32(level);
    out->same = _mm_testz_si128(differs, differs);
    out->blend = !_mm_testz_si128((__m128i)q.beta, (__m128i)q.beta);
    out->level = (vint)v_spread((float4)q.level);
    out->beta = (vint)v_spread((float4)q.beta);
    out->mag = v_less((vint)v_spread((float4)q.mag), v_isplat(0));
}

/* Each lane passes a LOD, or a bias to its quad's LOD. */
static __attribute__((noinline)) void
lods_of_lanes(const struct sample_lod_plan *plan, float4 squared, vfloat given,
              struct lanes_lod *out)
{
    alignas(64) float lod[LANES];
    alignas(64) int32_t level[LANES], beta[LANES], mag[LANES];
    __builtin_memcpy(lod, &given, sizeof lod);
    for (unsigned k = 0; k < LANES / 4; k++) {
        float4 four = (float4)_mm_load_ps(lod + 4 * k);
        struct four_lods l = choose_level(
            plan, plan->derived
                      ? derived_lod(plan, splat4(squared[k]), four)
                      : fixed_lod(four + splat4(plan->bias), plan->rounding));
        __builtin_memcpy(level + 4 * k, &l.level, 16);
        __builtin_memcpy(beta + 4 * k, &l.beta, 16);
        __builtin_memcpy(mag + 4 * k, &l.mag, 16);
    }
    __builtin_memcpy(&out->level, level, sizeof level);
    __builtin_memcpy(&out->beta, beta, sizeof beta);
    vint less;
    __builtin_memcpy(&less, mag, sizeof mag);
    out->mag = v_less(less, v_isplat(0));
    out->one = (unsigned)level[0];
    out->same = !v_any(v_not(v_equal(out->level, v_isplat(level[0]))));
    out->blend = v_any(v_less(v_isplat(0), out->beta));
}

INLINE void
find_levels(const struct sample_plan *p, const struct sample_lanes *in,
            unsigned lane, float4 squared, struct lanes_lod *out)
{
    const struct sample_lod_plan *plan = &p->lod;
    if (plan->fixed) {
        *out = (struct lanes_lod){
            .same = true,
            .one = (unsigned)plan->level,
            .blend = plan->beta != 0,
            .level = v_isplat(plan->level),
            .beta = v_isplat(plan->beta),
            .mag = v_live(plan->mag ? 0xffff : 0),
        };
        return;
    }
    /* Absent quads repeat present ones, so that they do not differ. */
    if (LANES == 16 && in->lanes == 8)
        squared = (float4){squared[0], squared[1], squared[0], squared[1]};
    if (plan->lane) {
        vfloat given = (vfloat)v_load(in->lod + lane, in->lanes - lane);
        lods_of_lanes(plan, squared, given, out);
    } else {
        lods_of_quads(plan, squared, NULL, out);
    }
    out->blend &= plan->blends;
}

#endif
