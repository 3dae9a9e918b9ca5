/* simd16_avx2.h: vectors of sixteen lanes in two registers, with the same names
 * as in simd16_avx512.h, for kernels that work on a block of 4x4 whatever the
 * instruction set (render targets, depth). Arithmetic follows MXCSR. */
#ifndef BASE_SIMD_SIMD16_AVX2_H
#define BASE_SIMD_SIMD16_AVX2_H

#include <immintrin.h>

#include "base/base.h"
#include "base/unroll.h"

typedef struct {
    __m256 low, high;
} vf;
typedef struct {
    __m256i low, high;
} vi;

/* Four vectors as arguments of a function, and as an array inside of it. */
#define F_ARGS                                                        \
    __m256 r0, __m256 r1, __m256 g0, __m256 g1, __m256 b0, __m256 b1, \
        __m256 a0, __m256 a1
#define F_NAMES r0, r1, g0, g1, b0, b1, a0, a1
#define F_PASSED                      \
    {                                 \
        {r0, r1}, {g0, g1}, {b0, b1}, \
        {                             \
            a0, a1                    \
        }                             \
    }

LANES_INLINE vf
f_load(const void *p)
{
    const float *f = p;
    return (vf){_mm256_loadu_ps(f), _mm256_loadu_ps(f + 8)};
}

LANES_INLINE vf
f_all(float v)
{
    return (vf){_mm256_set1_ps(v), _mm256_set1_ps(v)};
}

/* Hides a vector's value from compilers; all lanes must be equal. */
LANES_INLINE vf
f_opaque(vf v)
{
    __asm__("" : "+x"(v.low));
    return (vf){v.low, v.low};
}

LANES_INLINE vi
i_all(uint32_t v)
{
    return (vi){_mm256_set1_epi32((int)v), _mm256_set1_epi32((int)v)};
}

LANES_INLINE vi
i_from_bits(vf v)
{
    return (vi){_mm256_castps_si256(v.low), _mm256_castps_si256(v.high)};
}

LANES_INLINE vf
f_from_bits(vi v)
{
    return (vf){_mm256_castsi256_ps(v.low), _mm256_castsi256_ps(v.high)};
}

LANES_INLINE vf
f_add(vf a, vf b)
{
    return (vf){_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}

LANES_INLINE vf
f_sub(vf a, vf b)
{
    return (vf){_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}

LANES_INLINE vf
f_mul(vf a, vf b)
{
    return (vf){_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}

/* a * b + c, rounded once. */
LANES_INLINE vf
f_fma(vf a, vf b, vf c)
{
    return (vf){_mm256_fmadd_ps(a.low, b.low, c.low),
                _mm256_fmadd_ps(a.high, b.high, c.high)};
}

/* CUT_BASE plus v, v truncated to 16 binary places; v must not be below zero.
 * For zero the result is 2^-17 less. Adds one unit of the last place less than
 * one, so that the sum is never rounded up to the next multiple of 2^-16. */
#define CUT_BASE 1.0f

LANES_INLINE vf
f_cut_16(vf v)
{
    const __m256 base = _mm256_set1_ps(0x1.fffffep-1f);
    const __m256 mask = _mm256_castsi256_ps(_mm256_set1_epi32(-128));
    return (vf){_mm256_and_ps(_mm256_add_ps(v.low, base), mask),
                _mm256_and_ps(_mm256_add_ps(v.high, base), mask)};
}

LANES_INLINE __m256i
places_16(__m256 v)
{
    /* MINPS returns its second operand if that is NaN. NaN converts to INT_MIN,
     * like every value far below 0. */
    __m256 most = _mm256_min_ps(_mm256_set1_ps(1), v);
    return _mm256_cvttps_epi32(_mm256_mul_ps(most, _mm256_set1_ps(65536)));
}

/* The first 16 binary places of 0..1 as an integer. Below 0 and NaN: not above
 * 0; above 1: at least the value for 1. */
LANES_INLINE vi
i_places_16(vf v)
{
    return (vi){places_16(v.low), places_16(v.high)};
}

/* a > b ? a : b and a < b ? a : b. */
LANES_INLINE vf
f_max(vf a, vf b)
{
    return (vf){_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}

LANES_INLINE vf
f_min(vf a, vf b)
{
    return (vf){_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)};
}

LANES_INLINE __m256
unless_nan(__m256 x, __m256 a, __m256 b)
{
    return _mm256_blendv_ps(a, b, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

/* a, or b where x is NaN. */
LANES_INLINE vf
f_unless_nan(vf x, vf a, vf b)
{
    return (vf){unless_nan(x.low, a.low, b.low),
                unless_nan(x.high, a.high, b.high)};
}

/* Whether any lane of four vectors is NaN. */
LANES_INLINE bool
f_any_nan(const vf v[4])
{
    __m256 low = _mm256_or_ps(_mm256_cmp_ps(v[0].low, v[1].low, _CMP_UNORD_Q),
                              _mm256_cmp_ps(v[2].low, v[3].low, _CMP_UNORD_Q));
    __m256 high = _mm256_or_ps(
        _mm256_cmp_ps(v[0].high, v[1].high, _CMP_UNORD_Q),
        _mm256_cmp_ps(v[2].high, v[3].high, _CMP_UNORD_Q));
    return _mm256_movemask_ps(_mm256_or_ps(low, high));
}

LANES_INLINE vf
f_from_int(vi v)
{
    return (vf){_mm256_cvtepi32_ps(v.low), _mm256_cvtepi32_ps(v.high)};
}

/* Rounded to the nearest integer. */
LANES_INLINE vi
i_nearest(vf v)
{
    return (vi){_mm256_cvtps_epi32(v.low), _mm256_cvtps_epi32(v.high)};
}

LANES_INLINE vi
i_and(vi a, vi b)
{
    return (vi){_mm256_and_si256(a.low, b.low),
                _mm256_and_si256(a.high, b.high)};
}

LANES_INLINE vi
i_or(vi a, vi b)
{
    return (vi){_mm256_or_si256(a.low, b.low), _mm256_or_si256(a.high, b.high)};
}

LANES_INLINE vi
i_xor(vi a, vi b, vi c)
{
    return (vi){
        _mm256_xor_si256(_mm256_xor_si256(a.low, b.low), c.low),
        _mm256_xor_si256(_mm256_xor_si256(a.high, b.high), c.high),
    };
}

/* a ^ flip and (a & b) ^ flip. */
LANES_INLINE vi
i_flip(vi a, vi flip)
{
    return (vi){_mm256_xor_si256(a.low, flip.low),
                _mm256_xor_si256(a.high, flip.high)};
}

LANES_INLINE vi
i_and_flip(vi a, vi b, vi flip)
{
    return i_flip(i_and(a, b), flip);
}

LANES_INLINE vi
i_add(vi a, vi b)
{
    return (vi){_mm256_add_epi32(a.low, b.low),
                _mm256_add_epi32(a.high, b.high)};
}

LANES_INLINE vi
i_sub(vi a, vi b)
{
    return (vi){_mm256_sub_epi32(a.low, b.low),
                _mm256_sub_epi32(a.high, b.high)};
}

LANES_INLINE vi
i_shl(vi v, unsigned n)
{
    return (vi){_mm256_slli_epi32(v.low, (int)n),
                _mm256_slli_epi32(v.high, (int)n)};
}

LANES_INLINE vi
i_shr(vi v, unsigned n)
{
    return (vi){_mm256_srli_epi32(v.low, (int)n),
                _mm256_srli_epi32(v.high, (int)n)};
}

LANES_INLINE __m256i
if_greater(__m256i a, __m256i b, __m256i x, __m256i y)
{
    return _mm256_blendv_epi8(y, x, _mm256_cmpgt_epi32(a, b));
}

/* Unsigned minimum. */
LANES_INLINE vi
i_least(vi a, vi b)
{
    return (vi){_mm256_min_epu32(a.low, b.low),
                _mm256_min_epu32(a.high, b.high)};
}

/* Signed maximum. */
LANES_INLINE vi
i_greatest(vi a, vi b)
{
    return (vi){_mm256_max_epi32(a.low, b.low),
                _mm256_max_epi32(a.high, b.high)};
}

/* Signed a > b ? x : y. */
LANES_INLINE vi
i_if_greater(vi a, vi b, vi x, vi y)
{
    return (vi){if_greater(a.low, b.low, x.low, y.low),
                if_greater(a.high, b.high, x.high, y.high)};
}

LANES_INLINE __m256i
merge(__m256i a, __m256i b, __m256i which)
{
    return _mm256_or_si256(_mm256_andnot_si256(which, a),
                           _mm256_and_si256(which, b));
}

/* Bits of a where `which` is zero, of b where it is one. */
LANES_INLINE vi
i_merge(vi a, vi b, vi which)
{
    return (vi){merge(a.low, b.low, which.low),
                merge(a.high, b.high, which.high)};
}

LANES_INLINE __m256i
lanes(uint32_t mask)
{
    const __m256i bit = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    __m256i m = _mm256_set1_epi32((int)mask);
    return _mm256_cmpeq_epi32(_mm256_and_si256(m, bit), bit);
}

/* All ones in the lanes of a mask. */
LANES_INLINE vi
i_lanes(uint32_t mask)
{
    return (vi){lanes(mask), lanes(mask >> 8)};
}

/* Half floats in the low halves of the lanes. */
LANES_INLINE vi
i_half_from_float(vf v)
{
    return (vi){
        _mm256_cvtepu16_epi32(_mm256_cvtps_ph(v.low, 0)),
        _mm256_cvtepu16_epi32(_mm256_cvtps_ph(v.high, 0)),
    };
}

LANES_INLINE vf
f_from_half(vi v)
{
    __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(v.low, v.high),
                                             0xd8);
    return (vf){_mm256_cvtph_ps(_mm256_castsi256_si128(words)),
                _mm256_cvtph_ps(_mm256_extracti128_si256(words, 1))};
}

/* ---- sets of lanes ---- */

typedef vi vl;

LANES_INLINE vl
l_of_bits(uint32_t bits)
{
    return i_lanes(bits);
}

LANES_INLINE unsigned
l_bits(vl set)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(set.low)) |
           (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(set.high)) << 8;
}

LANES_INLINE vl
l_and(vl a, vl b)
{
    return i_and(a, b);
}

LANES_INLINE vl
l_xor(vl a, vl b)
{
    return i_flip(a, b);
}

/* Subsets of `set` where a < b and where a == b, for integers and floats. */
LANES_INLINE vl
l_less(vl set, vi a, vi b)
{
    return i_and(set, (vi){_mm256_cmpgt_epi32(b.low, a.low),
                           _mm256_cmpgt_epi32(b.high, a.high)});
}

LANES_INLINE vl
l_equal(vl set, vi a, vi b)
{
    return i_and(set, (vi){_mm256_cmpeq_epi32(a.low, b.low),
                           _mm256_cmpeq_epi32(a.high, b.high)});
}

LANES_INLINE vl
l_below(vl set, vf a, vf b)
{
    vf is = {_mm256_cmp_ps(a.low, b.low, _CMP_LT_OQ),
             _mm256_cmp_ps(a.high, b.high, _CMP_LT_OQ)};
    return i_and(set, i_from_bits(is));
}

LANES_INLINE vl
l_same(vl set, vf a, vf b)
{
    vf is = {_mm256_cmp_ps(a.low, b.low, _CMP_EQ_OQ),
             _mm256_cmp_ps(a.high, b.high, _CMP_EQ_OQ)};
    return i_and(set, i_from_bits(is));
}

/* b in the lanes of the set, a in the others. */
LANES_INLINE vi
i_pick(vl set, vi a, vi b)
{
    return (vi){_mm256_blendv_epi8(a.low, b.low, set.low),
                _mm256_blendv_epi8(a.high, b.high, set.high)};
}

/* i_pick(), but only the bits of b that are one in `which`. */
LANES_INLINE vi
i_pick_bits(vl set, vi a, vi b, vi which)
{
    return i_merge(a, b, i_and(set, which));
}

/* ---- double precision: rows of four lanes ---- */

/* Sums of a column's x and a row's y. */
LANES_INLINE vf
f_of_sums(__m256d x, __m256d y)
{
    __m128 row0 = _mm256_cvtpd_ps(
        _mm256_add_pd(x, _mm256_permute4x64_pd(y, 0x00)));
    __m128 row1 = _mm256_cvtpd_ps(
        _mm256_add_pd(x, _mm256_permute4x64_pd(y, 0x55)));
    __m128 row2 = _mm256_cvtpd_ps(
        _mm256_add_pd(x, _mm256_permute4x64_pd(y, 0xaa)));
    __m128 row3 = _mm256_cvtpd_ps(
        _mm256_add_pd(x, _mm256_permute4x64_pd(y, 0xff)));
    return (vf){_mm256_set_m128(row1, row0), _mm256_set_m128(row3, row2)};
}

#endif
