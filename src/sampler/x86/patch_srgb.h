/* patch_srgb.h: floats of 64 bytes at once that stand for sRGB; a part of
 * patch_vbmi.c. */
#ifndef SAMPLER_PATCH_SRGB_H
#define SAMPLER_PATCH_SRGB_H

#include "sampler/x86/patch_tmpl.h"

/* Byte `k` of the float that each byte stands for. */
INLINE bits
srgb_byte_of(bits t, __mmask64 high, unsigned k)
{
    const uint8_t *table = format_srgb8_byte[k];
    bits a = _mm512_permutex2var_epi8(load_table(table), t,
                                      load_table(table + 64));
    bits b = _mm512_permutex2var_epi8(load_table(table + 128), t,
                                      load_table(table + 192));
    return _mm512_mask_blend_epi8(high, a, b);
}

/* Four bytes of each lane, in turned order, put together. */
INLINE void
put_together(const bits byte[4], unsigned channel, struct lanes_color corner[4])
{
    bits low01 = _mm512_unpacklo_epi8(byte[0], byte[1]);
    bits low23 = _mm512_unpacklo_epi8(byte[2], byte[3]);
    bits high01 = _mm512_unpackhi_epi8(byte[0], byte[1]);
    bits high23 = _mm512_unpackhi_epi8(byte[2], byte[3]);
    corner[0].c[channel] = (vfloat)_mm512_unpacklo_epi16(low01, low23);
    corner[1].c[channel] = (vfloat)_mm512_unpackhi_epi16(low01, low23);
    corner[2].c[channel] = (vfloat)_mm512_unpacklo_epi16(high01, high23);
    corner[3].c[channel] = (vfloat)_mm512_unpackhi_epi16(high01, high23);
}

#endif
