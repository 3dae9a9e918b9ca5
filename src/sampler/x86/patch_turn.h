/* patch_turn.h: what was filtered with four channels side by side, channel by
 * channel; a part of patch_avx2.c. */
#ifndef SAMPLER_PATCH_TURN_H
#define SAMPLER_PATCH_TURN_H

#include "sampler/x86/patch_copy.h"

/* Of bytes 65536 times as much as colours. */
struct filtered {
    struct lanes_color low, high;
};

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

#endif
