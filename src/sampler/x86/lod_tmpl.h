/* lod_tmpl.h: levels of detail, as lod.c has it; a part of sample_tmpl.h. */
#ifndef SAMPLER_LOD_TMPL_H
#define SAMPLER_LOD_TMPL_H

#include "sampler/x86/address_tmpl.h"

typedef int32_t int4 __attribute__((vector_size(16)));
typedef int64_t long4 __attribute__((vector_size(32)));

struct lanes_lod {
    vint level, beta;
    vmask mag;
    bool blend; /* some beta is not zero */
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

/* Square of what the longer derivative is long, for all lanes of a quad. */
INLINE vfloat
footprint(const struct sample_lod_plan *lod, vfloat u, vfloat v)
{
    vfloat w = v_splat(lod->size[0]), h = v_splat(lod->size[1]);
    vfloat u0 = v_quad(u, 0), v0 = v_quad(v, 0);
    vfloat dudx = (v_quad(u, 1) - u0) * w, dudy = (v_quad(u, 2) - u0) * w;
    vfloat dvdx = (v_quad(v, 1) - v0) * h, dvdy = (v_quad(v, 2) - v0) * h;
    vfloat x = dudx * dudx + dvdx * dvdx, y = dudy * dudy + dvdy * dvdy;
    return v_fmax(x, y);
}

/* lod.c's fixed_lod(); NaN is the least. */
INLINE vint
fixed_lod(vfloat lod)
{
    lod = v_fmin(v_fmax(lod, v_splat(-32.0f)), v_splat(32.0f));
    return v_ifloor(lod * v_splat(SAMPLE_ONE) + v_splat(0.5f));
}

/* log2_root() to within 1/50000, which takes a third of the time. */
INLINE vfloat
log2_root_roughly(vfloat squared)
{
    const int32_t three_quarters = 0x3f400000;
    vint bits = (vint)v_fmax(squared, v_splat(0.0f)); /* 0 for NaN */
    vint exponent = (bits - three_quarters) >> 23;
    vfloat t = (vfloat)(bits - (exponent << 23)) - v_splat(1.0f), t2 = t * t;
    /* log2(1 + t) / t from -1/4 to 1/2, to within 4e-6 */
    vfloat a = v_fma(t, v_splat(-0.72117598f), v_splat(1.44269006f));
    vfloat b = v_fma(t, v_splat(-0.36952985f), v_splat(0.48138301f));
    vfloat c = v_fma(t, v_splat(-0.14939508f), v_splat(0.29326885f));
    vfloat log2 = v_fma(v_fma(v_fma(c, t2, b), t2, a), t, v_float(exponent));
    vfloat limit = v_splat(64.0f);
    return v_fmin(v_fmax(log2, -limit), limit) * v_splat(0.5f);
}

/* The LOD in 1/256. Only near a half the last bits of the logarithm decide how
 * it is rounded; there it has to be what lod.c computes. */
INLINE vint
derived_lod(vfloat squared, vfloat given, float bias, vmask live)
{
    const float margin = 1.0f / 128.0f;
    vfloat lod = log2_root_roughly(squared) + given + v_splat(bias);
    vfloat x = v_fma(lod, v_splat(SAMPLE_ONE), v_splat(0.5f));
    vfloat rest = x - v_floor(x);
    vmask sure = v_and(v_fless(v_splat(margin), rest),
                       v_fless(rest, v_splat(1.0f - margin)));
    if (v_any(v_and(live, v_not(sure))))
        lod = v_spread(log2_root(v_quads(squared))) + given + v_splat(bias);
    return fixed_lod(lod);
}

/* lod.c's clamp_lod() and lod_select() */
INLINE void
choose_level(const struct sample_lod_plan *plan, vint lod,
             struct lanes_lod *out)
{
    if (plan->preclamp)
        lod = v_max(v_min(lod, v_isplat(plan->preclamp_max)),
                    v_isplat(plan->preclamp_min));
    out->mag = v_not(v_less(v_isplat(plan->base), lod));
    vint chosen = v_isplat(plan->alone);
    out->beta = v_isplat(0);
    if (plan->mip_filter != MIP_NONE) {
        chosen = v_max(v_min(lod, v_isplat(plan->max)), v_isplat(plan->min));
        if (plan->mip_filter == MIP_NEAREST)
            chosen = (chosen + SAMPLE_ONE / 2) & -SAMPLE_ONE;
        chosen = v_min(v_max(chosen, v_isplat(0)), v_isplat(plan->mips));
        if (!plan->mag_by_mip)
            chosen = v_iselect(out->mag, v_isplat(plan->alone), chosen);
        out->beta = chosen & (SAMPLE_ONE - 1);
    }
    out->level = (chosen >> 8) + plan->level0;
}

/* What lod.c's lod_anisotropic() finds: samples along the longer axis. */
struct lanes_footprint {
    vfloat squared; /* width, for the LOD */
    vfloat ways, ratio;
    vfloat step_u, step_v; /* from sample to sample */
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

INLINE float4
splat4(float f)
{
    return (float4){f, f, f, f};
}

/* lod.c's ellipse(), a quad per element: derivatives by u and v, x and y. */
INLINE void
ellipse(double4 ux, double4 uy, double4 vx, double4 vy, float4 *major,
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
quad_deriv(vfloat v, vfloat v0, vfloat size)
{
    return __builtin_convertvector(v_quads((v - v0) * size), double4);
}

INLINE struct lanes_footprint
anisotropic_footprint(const struct sample_lod_plan *plan, vfloat u, vfloat v)
{
    vfloat w = v_splat(plan->size[0]), h = v_splat(plan->size[1]);
    vfloat u0 = v_quad(u, 0), v0 = v_quad(v, 0);
    float4 major, minor, axis[2], max = splat4(plan->max_anisotropy);
    ellipse(quad_deriv(v_quad(u, 1), u0, w), quad_deriv(v_quad(u, 2), u0, w),
            quad_deriv(v_quad(v, 1), v0, h), quad_deriv(v_quad(v, 2), v0, h),
            &major, &minor, axis);
    float4 one = splat4(1.0f), two = splat4(2.0f);
    float4 ratio = choose4f(minor * max > major, major / minor, max);
    ratio = choose4f((ratio > one) & (major < splat4(1e18f)), ratio, one);
    float4 width = major / ratio;
    float4 ways = (float4)_mm_ceil_ps((__m128)(splat4(0.5f) * ratio)) * two;
    ways = choose4f(ratio <= two, two, ways);
    ways = choose4f(ways < splat4(16.0f), ways, splat4(16.0f));
    ways = choose4f(ratio > one, ways, one);
    float4 step = choose4f(ratio < two, width * (ratio - one), width);
    return (struct lanes_footprint){
        .squared = v_spread(width * width),
        .ways = v_spread(ways),
        .ratio = v_spread(ratio),
        .step_u = v_spread(axis[0] * step / splat4(plan->size[0])),
        .step_v = v_spread(axis[1] * step / splat4(plan->size[1])),
    };
}

/* `fp` is NULL unless filters are anisotropic. */
INLINE void
find_levels(const struct sample_plan *p, const struct sample_lanes *in,
            unsigned lane, vmask live, vfloat u, vfloat v,
            const struct lanes_footprint *fp, struct lanes_lod *out)
{
    const struct sample_lod_plan *plan = &p->lod;
    if (plan->fixed) {
        out->level = v_isplat(plan->level);
        out->beta = v_isplat(plan->beta);
        out->mag = v_live(plan->mag ? 0xffff : 0);
        out->blend = plan->beta != 0;
        return;
    }
    vfloat given = v_splat(0.0f);
    if (plan->lane)
        given = (vfloat)v_load(in->lod + lane, in->lanes - lane);
    vint lod;
    if (plan->derived)
        lod = derived_lod(fp ? fp->squared : footprint(plan, u, v), given,
                          plan->bias, live);
    else
        lod = fixed_lod(given + v_splat(plan->bias));
    choose_level(plan, lod, out);
    out->blend = plan->blends &&
                 v_any(v_and(live, v_less(v_isplat(0), out->beta)));
}

#endif
