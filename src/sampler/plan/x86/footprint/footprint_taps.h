/* footprint_taps.h: picks bytes of each lane's four corners out of lines in
 * registers; a part of footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TAPS_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TAPS_H

#include "sampler/plan/x86/footprint/footprint_filter.h"

/* Places of the four corners of each lane in the lines. */
struct footprint_taps {
    bits at;
    __mmask64 low;               /* second row of two */
    __mmask64 far, middle, last; /* third column; rows 2 and 3 */
};

/* Orders corners by lane, or transposed for SAMPLE_SRGB. */
INLINE bits
order_taps(enum sample_texel kind, bits taps)
{
    return kind == SAMPLE_SRGB
               ? _mm512_shuffle_epi8(taps,
                                     load_shuffle(footprint_table.transposed))
               : taps;
}

/* Two columns and two rows of lines. `in`: places of the first texels. */
INLINE struct footprint_taps
find_taps_of_four(enum sample_texel kind, bits in, vmask single)
{
    bits at = order_taps(kind, number_taps(in, single));
    at = _mm512_permutexvar_epi8(at, load_table(footprint_table.place));
    return (struct footprint_taps){.at = at, .low = _mm512_movepi8_mask(at)};
}

/* Three columns and three rows, for rotated or minified textures. */
INLINE struct footprint_taps
find_taps_of_nine(enum sample_texel kind, bits in, vmask single)
{
    bits next = _mm512_maskz_mov_epi32(
        v_not(single), load_constant(&footprint_table.next_column));
    bits x = _mm512_shuffle_epi8(in, load_shuffle(footprint_table.first_byte));
    bits y = _mm512_shuffle_epi8(in, load_shuffle(footprint_table.third_byte));
    x = order_taps(kind, _mm512_add_epi8(x, next));
    y = order_taps(
        kind, _mm512_add_epi8(y, load_constant(&footprint_table.next_row)));
    x = _mm512_shuffle_epi8(load_shuffle(footprint_table.column_place), x);
    y = _mm512_shuffle_epi8(load_shuffle(footprint_table.row_place), y);
    bits within = _mm512_and_si512(y,
                                   load_constant(&footprint_table.within_line));
    return (struct footprint_taps){
        .at = _mm512_or_si512(x, within),
        .far = _mm512_movepi8_mask(x),
        .middle = _mm512_test_epi8_mask(y,
                                        load_constant(&footprint_table.middle)),
        .last = _mm512_movepi8_mask(y),
    };
}

/* Picks bytes of a row of three lines; `far` selects the third. */
INLINE bits
pick_row(const bits line[3], bits at, __mmask64 far)
{
    bits t = _mm512_permutex2var_epi8(line[0], at, line[1]);
    return _mm512_mask_permutexvar_epi8(t, far, at, line[2]);
}

INLINE bits
pick_taps(const bits *line, bool wide, const struct footprint_taps *taps,
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
