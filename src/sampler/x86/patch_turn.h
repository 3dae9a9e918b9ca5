/* patch_turn.h: what was filtered with four channels side by side, channel by
 * channel, and which lanes look at a grid; a part of patch_avx2.c and
 * patch_rows_avx2.c. */
#ifndef SAMPLER_PATCH_TURN_H
#define SAMPLER_PATCH_TURN_H

#include "sampler/x86/patch_copy.h"

/* Of bytes 65536 times as much as colours. */
struct filtered {
    struct lanes_color low, high;
};

/* Lanes k and k + 4, each for its four channels. */
#define OF_LANE(v, k) ((vfloat)_mm256_permute_ps((__m256)(v), (k)*0x55))

/* Four channels each of lanes 0 and 4, 1 and 5, and so on. */
INLINE struct lanes_color
turn_pixels(const __m256i f[4])
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

/* The first row of each quad's four lanes is the same, and so is the second
 * one. */
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

#endif
