/* footprint_level_avx2.h: filters the texels of one level linearly; a part of
 * footprint_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_LEVEL_AVX2_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_LEVEL_AVX2_H

#include "sampler/plan/x86/color_tmpl.h"
#include "sampler/plan/x86/footprint/footprint_bytes1_avx2.h"
#include "sampler/plan/x86/footprint/footprint_float_copy.h"
#include "sampler/plan/x86/footprint/footprint_gather_bytes4_avx2.h"
#include "sampler/plan/x86/footprint/footprint_grid_bytes.h"

/* ---- filters ---- */

/* Loads the four corners of each lane from the copy. */
INLINE void
take_corners(const struct copy *c, vint in, struct lanes_bits t[4])
{
    alignas(32) int32_t from[LANES];
    const vint sign = v_isplat((int32_t)0x80808080);
    __m256i q[4];
    find_offsets(in, from);
    for (unsigned k = 0; k < 4; k++) {
        const uint8_t *a = c->row[0] + from[k], *b = c->row[0] + from[k + 4];
        q[k] = _mm256_set_m128i(v_load8_pair(b, b + COPY_PITCH_B),
                                v_load8_pair(a, a + COPY_PITCH_B));
    }
    __m256i upper01 = _mm256_unpacklo_epi32(q[0], q[1]);
    __m256i upper23 = _mm256_unpacklo_epi32(q[2], q[3]);
    __m256i lower01 = _mm256_unpackhi_epi32(q[0], q[1]);
    __m256i lower23 = _mm256_unpackhi_epi32(q[2], q[3]);
    t[0].dw[0] = (vint)_mm256_unpacklo_epi64(upper01, upper23) ^ sign;
    t[1].dw[0] = (vint)_mm256_unpackhi_epi64(upper01, upper23) ^ sign;
    t[2].dw[0] = (vint)_mm256_unpacklo_epi64(lower01, lower23) ^ sign;
    t[3].dw[0] = (vint)_mm256_unpackhi_epi64(lower01, lower23) ^ sign;
}

INLINE struct lanes_color
filter_half(const struct sample_plan *p, enum sample_texel kind,
            const struct copy *c, vint in, vint x, vint y, vfloat ref)
{
    struct lanes_bits t[4];
    take_corners(c, in, t);
    return linear_color(p, kind, t, x & 0xff, y & 0xff, ref);
}

/* ---- one level ---- */

struct coordinates {
    vfloat u_low, v_low, u_high, v_high;
    vfloat ref_low, ref_high; /* references of a comparison */
};

INLINE struct coordinates
make_coordinates(__m256 u0, __m256 u1, __m256 v0, __m256 v1)
{
    return (struct coordinates){.u_low = (vfloat)u0,
                                .u_high = (vfloat)u1,
                                .v_low = (vfloat)v0,
                                .v_high = (vfloat)v1};
}

/* Coordinates in 1/256 texels, and the texels' columns and rows. */
struct fixed {
    struct both x, y, place;
};

INLINE struct fixed
find_fixed(const struct sample_plan *p, const struct footprint_level *lv,
           const struct coordinates *at)
{
    struct fixed f = {
        .x = {linear_fixed(p, 0, at->u_low, lv->w_fx8),
              linear_fixed(p, 0, at->u_high, lv->w_fx8)},
        .y = {linear_fixed(p, 1, at->v_low, lv->h_fx8),
              linear_fixed(p, 1, at->v_high, lv->h_fx8)},
    };
    f.place.low = pack_texels(f.x.low, f.y.low);
    f.place.high = pack_texels(f.x.high, f.y.high);
    return f;
}

/* Filters bytes within one footprint. */
INLINE bool
sum_footprint(const struct sample_plan *p, enum sample_texel kind,
              struct block_cache *blocks, const struct footprint_level *lv,
              const struct fixed *f, struct both_sums *out)
{
    struct copy copy;
    if (!all_inside(lv, f->place, 1))
        return false;
    if (filter_grid(p, kind, blocks, lv, f->place, f->x, f->y, out))
        return true;
    if (lie_apart(f->place))
        return false;
    struct near n = find_near(lv, f->place, 1);
    if (!copy_texels(p, kind, blocks, &n, &copy))
        return false;
    out->low = filter_copy(&copy, n.in.low, f->x.low, f->y.low);
    out->high = filter_copy(&copy, n.in.high, f->x.high, f->y.high);
    return true;
}

/* Filters bytes of a footprint or, for SAMPLE_BYTES4, of scattered lanes. */
INLINE bool
sum_level(const struct sample_plan *p, enum sample_texel kind,
          struct block_cache *blocks, const struct footprint_level *lv,
          const struct coordinates *at, const struct fixed *f,
          struct both_sums *out)
{
    if (sum_footprint(p, kind, blocks, lv, f, out))
        return true;
    if (kind != SAMPLE_BYTES4)
        return false;
    struct both_sums far; /* `out` stays in registers */
    sum_gather(p, lv->number, (__m256)at->u_low, (__m256)at->u_high,
               (__m256)at->v_low, (__m256)at->v_high, &far);
    *out = far;
    return true;
}

INLINE bool
linear_level(const struct sample_plan *p, enum sample_texel kind,
             struct block_cache *blocks, const struct footprint_level *lv,
             const struct coordinates *at, const struct fixed *f,
             struct filtered *out)
{
    struct copy copy;
    struct both_sums sums;
    struct both sum;
    if (kind == SAMPLE_BYTES1) {
        if (!sum_bytes(p, lv, f->place, f->x, f->y, &sum))
            return false;
        *out = (struct filtered){color_of_sum(sum.low), color_of_sum(sum.high)};
        return true;
    }
    if (is_scaled(kind)) {
        if (!sum_level(p, kind, blocks, lv, at, f, &sums))
            return false;
        *out = (struct filtered){transpose_sums(&sums.low),
                                 transpose_sums(&sums.high)};
        return true;
    }
    if (!all_inside(lv, f->place, 1))
        return false;
    struct near n = find_near(lv, f->place, 1);
    if (kind == SAMPLE_SRGB || kind == SAMPLE_BLOCKS)
        return filter_floats(p, kind, blocks, &n, f->x, f->y, out);
    if (!copy_texels(p, kind, blocks, &n, &copy))
        return false;
    out->low = filter_half(p, kind, &copy, n.in.low, f->x.low, f->y.low,
                           at->ref_low);
    out->high = filter_half(p, kind, &copy, n.in.high, f->x.high, f->y.high,
                            at->ref_high);
    return true;
}

INLINE void
mix_levels(enum sample_texel kind, struct filtered *color,
           const struct filtered *second, int4 beta)
{
    float4 high = (float4)_mm_unpackhi_epi64((__m128i)beta, (__m128i)beta);
    color->low = mix_colors(kind, color->low, second->low,
                            (vint)v_spread((float4)beta));
    color->high = mix_colors(kind, color->high, second->high,
                             (vint)v_spread(high));
}

#endif
