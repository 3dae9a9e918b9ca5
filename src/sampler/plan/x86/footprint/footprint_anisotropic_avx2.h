/* footprint_anisotropic_avx2.h: filters texels of four bytes along an axis, if
 * all quads take the same number of samples on the same level; a part of
 * footprint_avx2.c. Each sample is a linear filter of sixteen lanes. Colours
 * are summed with their channels side by side, and transposed once per level.
 *
 * Callers may flush denormals: messages that could have one are left out. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_ANISOTROPIC_AVX2_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_ANISOTROPIC_AVX2_H

#include "sampler/plan/x86/footprint/footprint_grid_axes.h"
#include "sampler/plan/x86/footprint/footprint_level_avx2.h"
#include "sampler/plan/x86/lod_tmpl.h"

/* Offset of the texel 16 columns to the right, mostly: see ask_ahead(). */
#define AHEAD_B (4 * SAMPLE_COLUMN_B)

/* ---- one sample ---- */

/* Filters two rows of texels in x, then in y: one row of pixels. */
INLINE void
filter_row_pair(const struct grid_columns *c, const uint8_t *left,
                uint32_t to_right_B, const struct grid_axis *row, unsigned i,
                __m256i weights, __m256i out[2])
{
    const uint8_t *above = left + (uint32_t)row->first_B[i];
    const uint8_t *below = left + (uint32_t)row->second_B[i];
    _mm_prefetch(above + AHEAD_B, _MM_HINT_T0);
    __m256i a = filter_row(c, above, above + to_right_B);
    __m256i b = filter_row(c, below, below + to_right_B);
    out[0] = _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights);
    out[1] = _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights);
}

/* filter_grid() for rows of texels at any distance, inside the level: a
 * stretched picture. */
INLINE bool
filter_rows_apart(const struct sample_plan *p, const struct footprint_level *lv,
                  struct both place, struct both x, struct both y,
                  struct both_sums *out)
{
    const __m256i most = _mm256_set1_epi32((int32_t)0xffff0006);
    uint32_t at = (uint32_t)_mm_cvtsi128_si32(
                      _mm256_castsi256_si128((__m256i)place.low)) &
                  0xfffc;
    __m256i base = _mm256_set1_epi32((int32_t)at);
    __m256i low = _mm256_sub_epi16((__m256i)place.low, base);
    __m256i high = _mm256_sub_epi16((__m256i)place.high, base);
    __m256i beyond = _mm256_or_si256(_mm256_subs_epu16(low, most),
                                     _mm256_subs_epu16(high, most));
    beyond = _mm256_or_si256(beyond, differ_from_grid(x, y));
    if (!_mm256_testz_si256(beyond, beyond))
        return false;
    struct grid_axis row;
    put_rows(p, lv->number, four_rows((struct both){y.low >> 8, y.high >> 8}),
             &row);
    struct grid_columns c = find_columns((vint)low, column_weights(x.low));
    uint32_t bx = (at + lv->x_el) >> 2;
    uint32_t to_right_B = bx < p->square.last_x ? SAMPLE_COLUMN_B : 0;
    const uint8_t *left = p->mem + bx * SAMPLE_COLUMN_B;
    __m256i w = row_weights(y.low);
    filter_row_pair(&c, left, to_right_B, &row, 0,
                    _mm256_shuffle_epi32(w, 0x00), out->low.f);
    filter_row_pair(&c, left, to_right_B, &row, 1,
                    _mm256_shuffle_epi32(w, 0xaa), out->low.f + 2);
    w = row_weights(y.high);
    filter_row_pair(&c, left, to_right_B, &row, 2,
                    _mm256_shuffle_epi32(w, 0x00), out->high.f);
    filter_row_pair(&c, left, to_right_B, &row, 3,
                    _mm256_shuffle_epi32(w, 0xaa), out->high.f + 2);
    return true;
}

/* ---- the axis ---- */

/* For two quads each. */
struct ways_half {
    vfloat step_u, step_v, end, ratio;
};

struct ways {
    struct ways_half low, high;
    unsigned count;
    unsigned level;
    int4 beta;
};

/* v_steps() of four quads. */
INLINE float8
steps_of_four(vfloat low, vfloat high)
{
    return (float8)_mm256_shuffle_ps((__m256)v_steps(low),
                                     (__m256)v_steps(high), 0x44);
}

INLINE struct ways_half
ways_of_half(const struct quads_ellipse *e, float4 end, bool second)
{
#define HALF(q) \
    v_spread(second ? (float4)_mm_movehl_ps((__m128)(q), (__m128)(q)) : (q))
    return (struct ways_half){HALF(e->step_u), HALF(e->step_v), HALF(end),
                              HALF(e->ratio)};
#undef HALF
}

/* Whether some number is neither zero nor at least 2^exponent. */
INLINE bool
is_tiny4(float4 v, int32_t exponent)
{
    int4 magnitude = ((int4)v & 0x7fffffff) - 1;
    int4 least = (int4)_mm_set1_epi32(((127 + exponent) << 23) - 1);
    int4 ok = (int4)_mm_cmpeq_epi32(
        _mm_max_epu32((__m128i)magnitude, (__m128i)least), (__m128i)magnitude);
    return _mm_movemask_ps((__m128)ok) != 0xf;
}

INLINE bool
is_tiny(vfloat v, int32_t exponent)
{
    vint magnitude = ((vint)v & 0x7fffffff) - 1;
    return v_any(v_less_u(magnitude, v_isplat(((127 + exponent) << 23) - 1)));
}

/* Neither the ellipse, nor the LOD, nor coordinates of samples can become
 * denormal from such numbers. */
INLINE bool
may_be_denormal(const struct quads_ellipse *e, vfloat u0, vfloat u1, vfloat v0,
                vfloat v1)
{
    return is_tiny(u0, -60) || is_tiny(u1, -60) || is_tiny(v0, -60) ||
           is_tiny(v1, -60) || is_tiny4(e->major, -40) ||
           is_tiny4(e->axis[0], -30) || is_tiny4(e->axis[1], -30);
}

/* Returns false if quads differ, or if some quad needs one sample. */
INLINE bool
find_ways(const struct sample_plan *p, vfloat u0, vfloat u1, vfloat v0,
          vfloat v1, struct ways *out)
{
    const struct sample_lod_plan *plan = &p->lod;
    struct quads_ellipse e = quads_ellipse(
        plan, steps_of_four(u0, u1) * plan->size[0],
        steps_of_four(v0, v1) * plan->size[1]);
    __m128 ways = (__m128)e.ways;
    __m128 differs = _mm_cmpneq_ps(ways, _mm_broadcastss_ps(ways));
    out->count = (unsigned)_mm_cvttss_si32(ways);
    if (_mm_movemask_ps(differs) || out->count < 2 ||
        may_be_denormal(&e, u0, u1, v0, v1))
        return false;
    struct four_lods q = choose_level(plan, quads_lod(plan, e.squared, NULL));
    int4 simple = (q.mag & (p->mag_anisotropic ? 0 : -1)) |
                  (~q.mag & (p->min_anisotropic ? 0 : -1));
    int4 other = (q.level ^ (int4)_mm_broadcastd_epi32((__m128i)q.level)) |
                 simple;
    float4 end = splat4(0.5f) * (e.ratio - (e.ways - splat4(2.0f)));
    out->low = ways_of_half(&e, end, false);
    out->high = ways_of_half(&e, end, true);
    out->level = (unsigned)_mm_cvtsi128_si32((__m128i)q.level);
    out->beta = q.beta;
    return _mm_testz_si128((__m128i)other, (__m128i)other);
}

/* ---- sums of samples ---- */

/* Channels side by side as in `sums`, times 255 * 65536. */
struct way_sums {
    vfloat low[4], high[4];
};

INLINE void
add_half(const struct sums *s, bool is_end, vfloat end, vfloat sum[4])
{
    for (unsigned k = 0; k < 4; k++) {
        vfloat v = v_float((vint)s->f[k] + (128 << 16));
        sum[k] += is_end ? v * end : v;
    }
}

INLINE struct lanes_color
color_of_ways(const vfloat sum[4], vfloat ratio)
{
    const __m256i f[4] = {(__m256i)sum[0], (__m256i)sum[1], (__m256i)sum[2],
                          (__m256i)sum[3]};
    struct lanes_color c = transpose_pixels(f);
    for (unsigned i = 0; i < 4; i++)
        c.c[i] /= ratio;
    return c;
}

/* Not inline, so that the common case keeps its registers. */
static __attribute__((noinline)) void
sum_elsewhere(const struct sample_plan *p, const struct footprint_level *lv,
              const struct coordinates *at, const struct fixed *f,
              struct both_sums *out)
{
    sum_level(p, SAMPLE_BYTES4, NULL, lv, at, f, out);
}

INLINE struct coordinates
find_way(const struct coordinates *at, const struct ways *w, float t)
{
    return (struct coordinates){
        .u_low = at->u_low + w->low.step_u * v_splat(t),
        .v_low = at->v_low + w->low.step_v * v_splat(t),
        .u_high = at->u_high + w->high.step_u * v_splat(t),
        .v_high = at->v_high + w->high.step_v * v_splat(t),
    };
}

INLINE void
sum_ways(const struct sample_plan *p, const struct footprint_level *lv,
         const struct coordinates *at, const struct ways *w,
         struct filtered *out)
{
    struct way_sums sum = {.low = {{0}}};
    const float last = (float)(w->count - 1);
    for (unsigned i = 0; i < w->count; i++) {
        struct coordinates way = find_way(at, w, (float)i - 0.5f * last);
        struct fixed f = find_fixed(p, lv, &way);
        struct both_sums s;
        if (!all_inside(lv, f.place, 1) ||
            !filter_rows_apart(p, lv, f.place, f.x, f.y, &s)) {
            struct both_sums far; /* `s` stays in registers */
            sum_elsewhere(p, lv, &way, &f, &far);
            s = far;
        }
        bool is_end = i == 0 || i == w->count - 1;
        add_half(&s.low, is_end, w->low.end, sum.low);
        add_half(&s.high, is_end, w->high.end, sum.high);
    }
    out->low = color_of_ways(sum.low, w->low.ratio);
    out->high = color_of_ways(sum.high, w->high.ratio);
}

INLINE bool
find_anisotropic(const struct sample_plan *p, const struct coordinates *at,
                 struct filtered *color)
{
    struct ways w;
    struct filtered second;
    if (!find_ways(p, at->u_low, at->u_high, at->v_low, at->v_high, &w))
        return false;
    struct footprint_level lv = get_footprint_level(p, w.level);
    sum_ways(p, &lv, at, &w, color);
    if (p->lod.blends && !_mm_testz_si128((__m128i)w.beta, (__m128i)w.beta)) {
        lv = get_footprint_level(p, w.level + 1);
        sum_ways(p, &lv, at, &w, &second);
        mix_levels(SAMPLE_BYTES4, color, &second, w.beta);
    }
    return true;
}

#endif
