/* footprint_filter.h: filters four bytes of each lane as integers; a part of
 * footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_FILTER_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_FILTER_H

#include "sampler/plan/x86/footprint/footprint_tmpl.h"

/* Biases bytes by -128. `ones`: bytes of a texel to set to 255 first. */
INLINE void
flip(bits *line, unsigned count, bits ones)
{
    enum { OR_XOR = 0x1e };
    for (unsigned i = 0; i < count; i++)
        line[i] = _mm512_ternarylogic_epi32(
            load_constant(&footprint_table.flip), ones, line[i], OR_XOR);
}

/* Numbers the corners of each lane in a footprint: upper left, upper right,
 * lower left, lower right. */
INLINE bits
number_taps(bits in, vmask single)
{
    bits at = _mm512_madd_epi16(in, load_constant(&footprint_table.number));
    bits next = _mm512_mask_mov_epi32(
        load_constant(&footprint_table.next), single,
        load_constant(&footprint_table.next_below));
    at = _mm512_shuffle_epi8(at, load_shuffle(footprint_table.first_byte));
    return _mm512_add_epi8(at, next);
}

/* Picks bytes of four lines, at places as in `footprint_table.place`. */
INLINE bits
pick_bytes(const bits line[4], bits at, __mmask64 low)
{
    bits upper = _mm512_permutex2var_epi8(line[0], at, line[1]);
    bits lower = _mm512_permutex2var_epi8(line[2], at, line[3]);
    return _mm512_mask_blend_epi8(low, upper, lower);
}

/* Weights 256 - w and w of columns, and of rows. If the second column has
 * weight 0, both are the first column and weigh 255 and 1, because 256 does not
 * fit a byte. */
struct footprint_weights {
    bits columns, rows;
};

/* Lanes whose second column has no weight. */
INLINE vmask
find_single(vint x)
{
    return _mm512_testn_epi32_mask((bits)x,
                                   load_constant(&lanes_constant.fraction));
}

INLINE struct footprint_weights
find_weights(vint x, vint y, vmask single)
{
    bits w = _mm512_mask_mov_epi32((bits)x, single,
                                   load_constant(&lanes_constant.one));
    bits wx = _mm512_shuffle_epi8(w, load_shuffle(footprint_table.first_byte));
    /* -w is 256 - w in a byte. */
    wx = _mm512_mask_sub_epi8(wx, 0x5555555555555555, _mm512_setzero_si512(),
                              wx);
    bits wy = _mm512_shuffle_epi8((bits)y,
                                  load_shuffle(footprint_table.first_half));
    wy = _mm512_mask_sub_epi16(wy, 0x55555555,
                               load_constant(&footprint_table.whole), wy);
    return (struct footprint_weights){wx, wy};
}

/* Filtered bytes times 65536, by channel. */
struct footprint_sums {
    bits c[4];
};

/* Filters bytes less 128, because the instructions take signed bytes. `bias`:
 * footprint_table.bias, or .half for pixels_of_sums(). */
INLINE bits
filter_bytes(bits t, const struct footprint_weights *w, const int32_t *bias)
{
    bits row = _mm512_maddubs_epi16(w->columns, t);
    return _mm512_dpwssd_epi32(load_constant(bias), row, w->rows);
}

/* Rounds a sum as a render target does: byte 2 of the result is the pixel's
 * byte less 128. The sum S is 65536 times the filtered byte plus
 * footprint_table.half, and s is S - 128 * 65536.
 *
 * Truncated to 16 binary places, the colour S / (255 * 65536) is S / 255,
 * rounded down. rt_unorm_from_float() makes it at least byte m if S >= 65536 m
 * - 32768 + r, where r is 128 - m up to m = 128, and 383 - m above. Just below
 * that limit s >> 16 is m - 129. Adding it to s makes two straight lines of the
 * limits, 255 apart. The top byte of a negative s adds these 255. */
INLINE vint
round_sum(vint s)
{
    return s + (s >> 16) + v_srl(s, 24);
}

INLINE struct lanes_color
color_of_sums(const struct footprint_sums *sums)
{
    struct lanes_color out;
    for (unsigned c = 0; c < 4; c++)
        out.c[c] = v_float((vint)sums->c[c]);
    return out;
}

#endif
