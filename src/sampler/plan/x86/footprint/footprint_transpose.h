/* footprint_transpose.h: transposes filtered pixels from channels side by side
 * to vectors of a channel, and tests lanes for a grid; a part of
 * footprint_avx2.c and footprint_grid_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TRANSPOSE_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TRANSPOSE_H

#include "sampler/plan/x86/footprint/footprint_copy.h"

/* Filtered colours. Colours of scaled kinds are times 255 * 65536. */
struct filtered {
    struct lanes_color low, high;
};

/* Broadcasts lanes k and k + 4 to four channels each. */
#define OF_LANE(v, k) ((vfloat)_mm256_permute_ps((__m256)(v), (k)*0x55))

/* f: four channels each of lanes 0 and 4, 1 and 5, and so on. */
INLINE struct lanes_color
transpose_pixels(const __m256i f[4])
{
    __m256i rg01 = _mm256_unpacklo_epi32(f[0], f[1]);
    __m256i rg23 = _mm256_unpacklo_epi32(f[2], f[3]);
    __m256i ba01 = _mm256_unpackhi_epi32(f[0], f[1]);
    __m256i ba23 = _mm256_unpackhi_epi32(f[2], f[3]);
    return (struct lanes_color){{(vfloat)_mm256_unpacklo_epi64(rg01, rg23),
                                 (vfloat)_mm256_unpackhi_epi64(rg01, rg23),
                                 (vfloat)_mm256_unpacklo_epi64(ba01, ba23),
                                 (vfloat)_mm256_unpackhi_epi64(ba01, ba23)}};
}

/* ---- grids ---- */

INLINE __m256i
differ_in_columns(vint low, vint high)
{
    __m256i first = (__m256i)low;
    __m256i row = _mm256_shuffle_epi32(first, 0x44);
    return _mm256_or_si256(_mm256_xor_si256(first, row),
                           _mm256_xor_si256(first, (__m256i)high));
}

/* In a grid, both quads agree in the first row and in the second row. */
INLINE __m256i
differ_in_rows(vint y)
{
    __m256i quad = _mm256_permute4x64_epi64((__m256i)y, 0x44);
    return _mm256_xor_si256((__m256i)y, _mm256_shuffle_epi32(quad, 0xa0));
}

INLINE __m256i
differ_from_grid(struct both x, struct both y)
{
    __m256i rows = _mm256_or_si256(differ_in_rows(y.low),
                                   differ_in_rows(y.high));
    return _mm256_or_si256(differ_in_columns(x.low, x.high), rows);
}

/* A grid's rows: lanes 0 and 2 of each half. */
INLINE int4
four_rows(struct both y)
{
    __m128 low = _mm_castsi128_ps(_mm256_castsi256_si128((__m256i)y.low));
    __m128 high = _mm_castsi128_ps(_mm256_castsi256_si128((__m256i)y.high));
    return (int4)_mm_shuffle_ps(low, high, 0x88);
}

#endif
