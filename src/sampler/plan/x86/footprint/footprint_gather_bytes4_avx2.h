/* footprint_gather_bytes4_avx2.h: filters texels of four bytes for scattered
 * lanes; a part of footprint_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GATHER_BYTES4_AVX2_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GATHER_BYTES4_AVX2_H

#include "sampler/plan/x86/footprint/footprint_gather.h"
#include "sampler/plan/x86/footprint/footprint_bytes4.h"

/* Offsets of the four corners of each lane. */
struct gathered_places {
    alignas(32) int32_t upper_left[LANES], upper_right[LANES];
    alignas(32) int32_t lower_left[LANES], lower_right[LANES];
};

INLINE __m128i
gather_lane(const uint8_t *mem, const struct gathered_places *at, unsigned i)
{
    const int32_t from[4] = {at->upper_left[i], at->upper_right[i],
                             at->lower_left[i], at->lower_right[i]};
    return v_load4(mem, from);
}

INLINE struct sums
gather_half(const struct sample_plan *p, const struct footprint_level *lv,
            vfloat u, vfloat v)
{
    struct gathered_places at;
    struct lanes_axis x = axis_of_four(p, 0, u, lv->w, lv->w_fx8);
    struct lanes_axis y = axis_of_four(p, 1, v, lv->h, lv->h_fx8);
    struct places_of_four from = find_places_of_four(p, lv, &x, &y);
    v_offsets(from.upper_left, at.upper_left);
    v_offsets(from.upper_right, at.upper_right);
    v_offsets(from.lower_left, at.lower_left);
    v_offsets(from.lower_right, at.lower_right);
    __m256i columns = column_weights(x.w1), rows = row_weights(y.w1);
    const __m256i sign = _mm256_set1_epi8((char)0x80);
    struct sums s;
#define TWO(k)                                                             \
    s.f[k] = filter_corners(                                               \
        _mm256_xor_si256(_mm256_set_m128i(gather_lane(p->mem, &at, k + 4), \
                                          gather_lane(p->mem, &at, k)),    \
                         sign),                                            \
        _mm256_shuffle_epi32(columns, (k)*0x55),                           \
        _mm256_shuffle_epi32(rows, (k)*0x55))
    TWO(0);
    TWO(1);
    TWO(2);
    TWO(3);
#undef TWO
    return s;
}

/* Not inline, so that the common case needs no stack. */
static __attribute__((noinline)) void
sum_gather(const struct sample_plan *p, unsigned level, __m256 u0, __m256 u1,
           __m256 v0, __m256 v1, struct both_sums *out)
{
    struct footprint_level lv = get_footprint_level(p, level);
    out->low = gather_half(p, &lv, (vfloat)u0, (vfloat)v0);
    out->high = gather_half(p, &lv, (vfloat)u1, (vfloat)v1);
}

#endif
