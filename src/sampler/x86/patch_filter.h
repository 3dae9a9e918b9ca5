/* patch_filter.h: four bytes of each lane, filtered as they are; a part of
 * patch_vbmi.c. */
#ifndef SAMPLER_PATCH_FILTER_H
#define SAMPLER_PATCH_FILTER_H

#include "sampler/x86/patch_tmpl.h"

/* Bytes as signed numbers, less 128. `ones`: those of a texel that become 255.
 */
INLINE void
flip(bits *line, unsigned count, bits ones)
{
    enum { OR_XOR = 0x1e };
    for (unsigned i = 0; i < count; i++)
        line[i] = _mm512_ternarylogic_epi32(constant(&patch.flip), ones,
                                            line[i], OR_XOR);
}

/* The numbers of each lane's four texels in a patch: of the first one, of the
 * one to its right, of the one below, and of both. */
INLINE bits
number_taps(bits in, vmask single)
{
    bits at = _mm512_madd_epi16(in, constant(&patch.number));
    bits next = _mm512_mask_mov_epi32(constant(&patch.next), single,
                                      constant(&patch.next_below));
    at = _mm512_shuffle_epi8(at, load_shuffle(patch.first_byte));
    return _mm512_add_epi8(at, next);
}

/* Bytes of four lines, at places as in `patch.place`. */
INLINE bits
pick_bytes(const bits line[4], bits at, __mmask64 low)
{
    bits upper = _mm512_permutex2var_epi8(line[0], at, line[1]);
    bits lower = _mm512_permutex2var_epi8(line[2], at, line[3]);
    return _mm512_mask_blend_epi8(low, upper, lower);
}

/* Four texels of each lane: 256 - w and w of columns, and of rows. Where the
 * second column has no weight, the first one is both and has 255 and 1. */
struct patch_weights {
    bits columns, rows;
};

/* Lanes whose second column has no weight. */
INLINE vmask
find_single(vint x)
{
    return _mm512_testn_epi32_mask((bits)x, constant(&lanes_constant.fraction));
}

INLINE struct patch_weights
find_weights(vint x, vint y, vmask single)
{
    bits w = _mm512_mask_mov_epi32((bits)x, single,
                                   constant(&lanes_constant.one));
    bits wx = _mm512_shuffle_epi8(w, load_shuffle(patch.first_byte));
    /* -w is 256 - w. */
    wx = _mm512_mask_sub_epi8(wx, 0x5555555555555555, _mm512_setzero_si512(),
                              wx);
    bits wy = _mm512_shuffle_epi8((bits)y, load_shuffle(patch.first_half));
    wy = _mm512_mask_sub_epi16(wy, 0x55555555, constant(&patch.whole), wy);
    return (struct patch_weights){wx, wy};
}

/* 65536 times what a linear filter makes of four bytes, of each channel. */
struct patch_sums {
    bits c[4];
};

/* They are filtered as signed numbers, which is what instructions take, less
 * 128: `bias` is patch.bias, or patch.half for pixels_of_sums(). */
INLINE bits
filter_bytes(bits t, const struct patch_weights *w, const int32_t *bias)
{
    bits row = _mm512_maddubs_epi16(w->columns, t);
    return _mm512_dpwssd_epi32(constant(bias), row, w->rows);
}

INLINE struct lanes_color
color_of_sums(const struct patch_sums *sums)
{
    struct lanes_color out;
    for (unsigned c = 0; c < 4; c++)
        out.c[c] = v_float((vint)sums->c[c]);
    return out;
}

#endif
