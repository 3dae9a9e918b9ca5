/* footprint_quads.h: filters texels of four bytes to pixels with their channels
 * side by side throughout; a part of footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_QUADS_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_QUADS_H

#include "sampler/plan/x86/footprint/footprint_to_unorm8.h"

/* Shuffles a lane's weight to each texel and its right neighbour: for the first
 * two lanes of each quad, then for the last two. */
static const int32_t quad_columns[2][4] = {
    {0x00000000, 0x00000000, 0x04040404, 0x04040404},
    {0x08080808, 0x08080808, 0x0c0c0c0c, 0x0c0c0c0c},
};

/* Filters columns for two lanes of each quad: bytes less 128, times 256. */
INLINE bits
filter_columns_of_two(bits pairs, bits w, unsigned second)
{
    w = _mm512_shuffle_epi8(w, load_shuffle(quad_columns[second]));
    w = _mm512_mask_sub_epi8(w, 0x5555555555555555, _mm512_setzero_si512(), w);
    return _mm512_maddubs_epi16(w, pairs);
}

/* Rounds sum[k], of lane k of each quad, like pixels_of_sums(): a byte each,
 * less 128. The sums have footprint_table.half as their bias. */
INLINE bits
bytes_of_quads(const bits sum[4])
{
    enum { THIRD_BYTE = 16 };
    bits n[4];
    for (unsigned k = 0; k < 4; k++)
        n[k] = _mm512_srai_epi32((bits)round_sum((vint)sum[k]), THIRD_BYTE);
    return _mm512_packs_epi16(_mm512_packs_epi32(n[0], n[1]),
                              _mm512_packs_epi32(n[2], n[3]));
}

/* t: the four corners of each lane, in the order of struct sample_places. */
INLINE bits
filter_quads(const struct sample_plan *p, bits t[4], vint x, vint y,
             bool blue_first)
{
    flip(t, 4, load_constant(&p->bytes.ones));
    bits wx = _mm512_mask_mov_epi32((bits)x, find_single(x),
                                    load_constant(&lanes_constant.one));
    vint down = y & v_constant(&lanes_constant.fraction);
    bits wy = (bits)(v_constant(&lanes_constant.whole) + (down << 16) - down);
    bits sum[4];
#define TWO_LANES(second, part)                                   \
    do {                                                          \
        bits upper = filter_columns_of_two(                       \
            _mm512_unpack##part##_epi8(t[0], t[1]), wx, second);  \
        bits lower = filter_columns_of_two(                       \
            _mm512_unpack##part##_epi8(t[2], t[3]), wx, second);  \
        sum[2 * (second)] = _mm512_dpwssd_epi32(                  \
            load_constant(&footprint_table.half),                 \
            _mm512_unpacklo_epi16(upper, lower),                  \
            _mm512_shuffle_epi32(wy, 2 * (second)*0x55));         \
        sum[2 * (second) + 1] = _mm512_dpwssd_epi32(              \
            load_constant(&footprint_table.half),                 \
            _mm512_unpackhi_epi16(upper, lower),                  \
            _mm512_shuffle_epi32(wy, (2 * (second) + 1) * 0x55)); \
    } while (0)
    TWO_LANES(0, lo);
    TWO_LANES(1, hi);
#undef TWO_LANES
    bits pixels = _mm512_xor_si512(bytes_of_quads(sum),
                                   load_constant(&footprint_table.flip));
    return in_order(pixels, p->bytes.pixel[blue_first]);
}

#endif
