/* patch_taps.h: bytes of each lane's four texels, taken out of the lines that
 * registers hold; a part of patch_vbmi.c. */
#ifndef SAMPLER_PATCH_TAPS_H
#define SAMPLER_PATCH_TAPS_H

#include "sampler/x86/patch_filter.h"

/* Where the four texels of each lane are in the lines. */
struct patch_taps {
    bits at;
    __mmask64 low;               /* of two rows of lines */
    __mmask64 far, middle, last; /* of three columns, or rows */
};

/* In the same order for each lane, or in the order of lanes for each of the
 * four texels. */
INLINE bits
order_taps(enum sample_texel kind, bits taps)
{
    return kind == SAMPLE_SRGB
               ? _mm512_shuffle_epi8(taps, load_shuffle(patch.turned))
               : taps;
}

/* Two columns and two rows of lines. `in`: numbers of the first texels. */
INLINE struct patch_taps
find_taps_of_four(enum sample_texel kind, bits in, vmask single)
{
    bits at = order_taps(kind, number_taps(in, single));
    at = _mm512_permutexvar_epi8(at, load_table(patch.place));
    return (struct patch_taps){.at = at, .low = _mm512_movepi8_mask(at)};
}

/* Three of each, for what is turned or made smaller. */
INLINE struct patch_taps
find_taps_of_nine(enum sample_texel kind, bits in, vmask single)
{
    bits next = _mm512_maskz_mov_epi32(v_not(single),
                                       constant(&patch.next_column));
    bits x = _mm512_shuffle_epi8(in, load_shuffle(patch.first_byte));
    bits y = _mm512_shuffle_epi8(in, load_shuffle(patch.third_byte));
    x = order_taps(kind, _mm512_add_epi8(x, next));
    y = order_taps(kind, _mm512_add_epi8(y, constant(&patch.next_row)));
    x = _mm512_shuffle_epi8(load_shuffle(patch.column_place), x);
    y = _mm512_shuffle_epi8(load_shuffle(patch.row_place), y);
    bits within = _mm512_and_si512(y, constant(&patch.within_line));
    return (struct patch_taps){
        .at = _mm512_or_si512(x, within),
        .far = _mm512_movepi8_mask(x),
        .middle = _mm512_test_epi8_mask(y, constant(&patch.middle)),
        .last = _mm512_movepi8_mask(y),
    };
}

/* Bytes of a row of three lines; those of the third one in `far`. */
INLINE bits
pick_row(const bits line[3], bits at, __mmask64 far)
{
    bits t = _mm512_permutex2var_epi8(line[0], at, line[1]);
    return _mm512_mask_permutexvar_epi8(t, far, at, line[2]);
}

INLINE bits
pick_taps(const bits *line, bool wide, const struct patch_taps *taps,
          bits channel)
{
    bits i = _mm512_or_si512(taps->at, channel);
    if (!wide)
        return pick_bytes(line, i, taps->low);
    bits t = pick_row(line, i, taps->far);
    t = _mm512_mask_mov_epi8(t, taps->middle, pick_row(line + 3, i, taps->far));
    return _mm512_mask_mov_epi8(t, taps->last,
                                pick_row(line + 6, i, taps->far));
}

#endif
