/* simd16_avx512.h: vectors of sixteen lanes in one register, with the same
 * names as in simd16_avx2.h, which says what they are for. Arithmetic rounds to
 * nearest regardless of MXCSR; only denormals follow it.
 */
#ifndef BASE_SIMD_SIMD16_AVX512_H
#define BASE_SIMD_SIMD16_AVX512_H

#include <immintrin.h>

#include "base/base.h"
#include "base/unroll.h"

#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

typedef __m512 vf;
typedef __m512i vi;

/* Four vectors as arguments of a function, and as an array inside of it. */
#define F_ARGS vf r, vf g, vf b, vf a
#define F_NAMES r, g, b, a
#define F_PASSED   \
    {              \
        r, g, b, a \
    }
/* Arguments for the colours of two threads. */
#define F_ARGS_OF_TWO F_ARGS, vf r1, vf g1, vf b1, vf a1
#define F_NAMES_OF_SECOND r1, g1, b1, a1
#define F_PASSED_SECOND \
    {                   \
        r1, g1, b1, a1  \
    }

LANES_INLINE vf
f_load(const void *p)
{
    return _mm512_loadu_ps(p);
}

LANES_INLINE vf
f_all(float v)
{
    return _mm512_set1_ps(v);
}

/* Hides a value from compilers. */
LANES_INLINE vf
f_opaque(vf v)
{
    __asm__("" : "+v"(v));
    return v;
}

LANES_INLINE vi
i_all(uint32_t v)
{
    return _mm512_set1_epi32((int)v);
}

LANES_INLINE vi
i_from_bits(vf v)
{
    return _mm512_castps_si512(v);
}

LANES_INLINE vf
f_from_bits(vi v)
{
    return _mm512_castsi512_ps(v);
}

LANES_INLINE vf
f_add(vf a, vf b)
{
    return _mm512_add_round_ps(a, b, NEAREST);
}

LANES_INLINE vf
f_sub(vf a, vf b)
{
    return _mm512_sub_round_ps(a, b, NEAREST);
}

LANES_INLINE vf
f_mul(vf a, vf b)
{
    return _mm512_mul_round_ps(a, b, NEAREST);
}

/* a * b + c, rounded once. */
LANES_INLINE vf
f_fma(vf a, vf b, vf c)
{
    return _mm512_fmadd_round_ps(a, b, c, NEAREST);
}

/* CUT_BASE plus v, truncated to 16 binary places; v must not be below zero. */
#define CUT_BASE 128.0f

LANES_INLINE vf
f_cut_16(vf v)
{
    return _mm512_add_round_ps(v, _mm512_set1_ps(CUT_BASE),
                               _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/* The first 16 binary places of 0..1 as an integer. Below 0 and NaN: not above
 * 0; above 1: more. */
LANES_INLINE vi
i_places_16(vf v)
{
    /* One register for the sum and for the subtraction of its bits. */
    vf base = f_opaque(_mm512_set1_ps(CUT_BASE));
    vf sum = _mm512_add_round_ps(_mm512_max_ps(v, _mm512_setzero_ps()), base,
                                 _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    return _mm512_sub_epi32(_mm512_castps_si512(sum),
                            _mm512_castps_si512(base));
}

/* a > b ? a : b and a < b ? a : b. */
LANES_INLINE vf
f_max(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}

LANES_INLINE vf
f_min(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}

/* a, or b where x is NaN. */
LANES_INLINE vf
f_unless_nan(vf x, vf a, vf b)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), a, b);
}

/* Whether any lane of four vectors is NaN. */
LANES_INLINE bool
f_any_nan(const vf v[4])
{
    return !_mm512_kortestz(_mm512_cmp_ps_mask(v[0], v[1], _CMP_UNORD_Q),
                            _mm512_cmp_ps_mask(v[2], v[3], _CMP_UNORD_Q));
}

LANES_INLINE vf
f_from_int(vi v)
{
    return _mm512_cvt_roundepi32_ps(v, NEAREST);
}

/* Rounded to the nearest integer. */
LANES_INLINE vi
i_nearest(vf v)
{
    return _mm512_cvt_roundps_epi32(v, NEAREST);
}

LANES_INLINE vi
i_and(vi a, vi b)
{
    return _mm512_and_si512(a, b);
}

LANES_INLINE vi
i_or(vi a, vi b)
{
    return _mm512_or_si512(a, b);
}

LANES_INLINE vi
i_xor(vi a, vi b, vi c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}

/* a ^ flip and (a & b) ^ flip. */
LANES_INLINE vi
i_flip(vi a, vi flip)
{
    return _mm512_xor_si512(a, flip);
}

LANES_INLINE vi
i_and_flip(vi a, vi b, vi flip)
{
    return _mm512_ternarylogic_epi32(a, b, flip, 0x6a);
}

LANES_INLINE vi
i_add(vi a, vi b)
{
    return _mm512_add_epi32(a, b);
}

LANES_INLINE vi
i_sub(vi a, vi b)
{
    return _mm512_sub_epi32(a, b);
}

LANES_INLINE vi
i_shl(vi v, unsigned n)
{
    return _mm512_slli_epi32(v, n);
}

LANES_INLINE vi
i_shr(vi v, unsigned n)
{
    return _mm512_srli_epi32(v, n);
}

/* Unsigned minimum. */
LANES_INLINE vi
i_least(vi a, vi b)
{
    return _mm512_min_epu32(a, b);
}

/* Signed maximum. */
LANES_INLINE vi
i_greatest(vi a, vi b)
{
    return _mm512_max_epi32(a, b);
}

/* Signed a > b ? x : y. */
LANES_INLINE vi
i_if_greater(vi a, vi b, vi x, vi y)
{
    return _mm512_mask_blend_epi32(_mm512_cmpgt_epi32_mask(a, b), y, x);
}

/* Bits of a where `which` is zero, of b where it is one. */
LANES_INLINE vi
i_merge(vi a, vi b, vi which)
{
    return _mm512_ternarylogic_epi32(which, b, a, 0xca);
}

/* All ones in the lanes of a mask. */
LANES_INLINE vi
i_lanes(uint32_t mask)
{
    return _mm512_movm_epi32((__mmask16)mask);
}

/* Half floats in the low halves of the lanes. */
LANES_INLINE vi
i_half_from_float(vf v)
{
    return _mm512_cvtepu16_epi32(_mm512_cvtps_ph(v, NEAREST));
}

LANES_INLINE vf
f_from_half(vi v)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v));
}

/* ---- sets of lanes ---- */

typedef __mmask16 vl;

LANES_INLINE vl
l_of_bits(uint32_t bits)
{
    return (vl)bits;
}

LANES_INLINE unsigned
l_bits(vl set)
{
    return set;
}

LANES_INLINE vl
l_and(vl a, vl b)
{
    return _kand_mask16(a, b);
}

LANES_INLINE vl
l_xor(vl a, vl b)
{
    return _kxor_mask16(a, b);
}

/* Subsets of `set` where a < b and where a == b, for integers and floats. */
LANES_INLINE vl
l_less(vl set, vi a, vi b)
{
    vl v = _mm512_mask_cmplt_epi32_mask(set, a, b);
    /* Some compilers would move the mask to a general register and back to test
     * its bits. */
    __asm__("" : "+Yk"(v));
    return v;
}

LANES_INLINE vl
l_equal(vl set, vi a, vi b)
{
    return _mm512_mask_cmpeq_epi32_mask(set, a, b);
}

LANES_INLINE vl
l_below(vl set, vf a, vf b)
{
    return _mm512_mask_cmp_ps_mask(set, a, b, _CMP_LT_OQ);
}

LANES_INLINE vl
l_same(vl set, vf a, vf b)
{
    return _mm512_mask_cmp_ps_mask(set, a, b, _CMP_EQ_OQ);
}

/* b in the lanes of the set, a in the others. */
LANES_INLINE vi
i_pick(vl set, vi a, vi b)
{
    return _mm512_mask_mov_epi32(a, set, b);
}

/* i_pick(), but only the bits of b that are one in `which`. */
LANES_INLINE vi
i_pick_bits(vl set, vi a, vi b, vi which)
{
    return _mm512_mask_ternarylogic_epi32(a, set, b, which, 0xd8);
}

/* ---- double precision: rows of four lanes ---- */

/* Sums of a column's x and a row's y. */
LANES_INLINE vf
f_of_sums(__m256d x, __m256d y)
{
    __m512d columns = _mm512_broadcast_f64x4(x);
    __m512d rows = _mm512_castpd256_pd512(y);
    const __m512i top = _mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0);
    const __m512i bottom = _mm512_set_epi64(3, 3, 3, 3, 2, 2, 2, 2);
    __m256 low = _mm512_cvtpd_ps(
        _mm512_add_pd(columns, _mm512_permutexvar_pd(top, rows)));
    __m256 high = _mm512_cvtpd_ps(
        _mm512_add_pd(columns, _mm512_permutexvar_pd(bottom, rows)));
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

#endif
