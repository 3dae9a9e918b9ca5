/* footprint_palette.h: blocks that choose each texel from a palette: BC1 of
 * four colours, ETC of eight; a part of footprint_vbmi.c. Each message decodes
 * the four blocks of its footprint at once, to a palette in registers and a
 * number for each texel. That takes less time than four cache look-ups.
 *
 * The bytes are those of decode_bc.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_PALETTE_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_PALETTE_H

#include "sampler/plan/x86/footprint/footprint_etc.h"

/* ---- BC1 ------------------------------------------------------------------
 *
 * Bits of a palette number, from the top: index's upper bit, block's row,
 * index's lower bit, block's column, channel (2). */

/* Row y of 8x8 texels: index bytes of two blocks. low_from and high_from move
 * texel x's bits to bits 3 and 5. */
#define INDEX_ROW(left, y) \
    4 + (y) + 8 * (left), 12 + (y) + 8 * (left), 0, 0, 0, 0, 0, 0
#define EACH8(...)                                                       \
    {                                                                    \
        __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, \
            __VA_ARGS__, __VA_ARGS__, __VA_ARGS__                        \
    }
static const struct {
    alignas(64) uint8_t row[64];
    uint8_t low_from[64], high_from[64], block[64];
    alignas(32) uint8_t top_from[32], top[32]; /* fields of each channel */
    uint8_t more_from[32], more[32];           /* their top bits again, below */
    uint8_t first[32], second[32];             /* end points as words */
    uint8_t color0[32], color1[32];
    int32_t low_bit, high_bit, alpha;
    int32_t third;
} bc1 = {
    .row = {INDEX_ROW(0, 0), INDEX_ROW(0, 1), INDEX_ROW(0, 2), INDEX_ROW(0, 3),
            INDEX_ROW(2, 0), INDEX_ROW(2, 1), INDEX_ROW(2, 2), INDEX_ROW(2, 3)},
    .low_from = EACH8(61, 63, 1, 3, 5, 7, 9, 11),
    .high_from = EACH8(60, 62, 0, 2, 4, 6, 8, 10),
    .block = {0,  0,  0,  0,  4,  4,  4,  4,  0,  0,  0,  0,  4,  4,  4,  4,
              0,  0,  0,  0,  4,  4,  4,  4,  0,  0,  0,  0,  4,  4,  4,  4,
              16, 16, 16, 16, 20, 20, 20, 20, 16, 16, 16, 16, 20, 20, 20, 20,
              16, 16, 16, 16, 20, 20, 20, 20, 16, 16, 16, 16, 20, 20, 20, 20},
    .top_from = EACH4(8, 3, 61, 0, 24, 19, 13, 0),
    .top = EACH4(0xf8, 0xfc, 0xf8, 0, 0xf8, 0xfc, 0xf8, 0),
    .more_from = EACH4(13, 9, 2, 0, 29, 25, 18, 0),
    .more = EACH4(7, 3, 7, 0, 7, 3, 7, 0),
    .first = {0, 128, 1, 128, 2, 128, 3, 128, 8, 128, 9, 128, 10, 128, 11, 128,
              0, 128, 1, 128, 2, 128, 3, 128, 8, 128, 9, 128, 10, 128, 11, 128},
    .second = {4,   128, 5,   128, 6,   128, 7,   128, 12,  128, 13,
               128, 14,  128, 15,  128, 4,   128, 5,   128, 6,   128,
               7,   128, 12,  128, 13,  128, 14,  128, 15,  128},
    .color0 = {0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9,
               0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9},
    .color1 = {2, 3, 2, 3, 2, 3, 2, 3, 10, 11, 10, 11, 10, 11, 10, 11,
               2, 3, 2, 3, 2, 3, 2, 3, 10, 11, 10, 11, 10, 11, 10, 11},
    .low_bit = 0x08080808,
    .high_bit = 0x20202020,
    .alpha = (int32_t)0xff000000,
    .third = 21846 << 16 | 21846, /* high half of a product: n / 3 */
};

/* Expands two end points to four bytes each, in eight bytes per block. */
INLINE __m256i
bc1_end_points(__m256i blocks)
{
    __m256i top = _mm256_and_si256(block_fields(bc1.top_from, blocks),
                                   block_table(bc1.top));
    __m256i more = block_fields(bc1.more_from, blocks);
    __m256i e = _mm256_ternarylogic_epi32(top, more, block_table(bc1.more),
                                          AND_OR);
    return _mm256_or_si256(e, block_constant(&bc1.alpha));
}

/* Where the first end point of BC1 is greater, which selects four colours; for
 * four words each. */
INLINE __mmask16
bc1_in_order(__m256i blocks)
{
    return _mm256_cmpgt_epu16_mask(
        _mm256_shuffle_epi8(blocks, block_table(bc1.color0)),
        _mm256_shuffle_epi8(blocks, block_table(bc1.color1)));
}

/* Colours 2 and 3: thirds of the way, or the middle and black. Black is
 * transparent if the format has alpha. */
INLINE __m256i
bc1_between(const struct sample_plan *p, __mmask16 four, __m256i ends)
{
    __m256i a = _mm256_shuffle_epi8(ends, block_table(bc1.first));
    __m256i b = _mm256_shuffle_epi8(ends, block_table(bc1.second));
    __m256i sum = _mm256_add_epi16(a, b), third = block_constant(&bc1.third);
    __m256i c2 = _mm256_srli_epi16(sum, 1);
    c2 = _mm256_mask_mulhi_epu16(c2, four, _mm256_add_epi16(sum, a), third);
    __m256i c3 = _mm256_maskz_mulhi_epu16(four, _mm256_add_epi16(sum, b),
                                          third);
    __m256i both = _mm256_packus_epi16(c2, c3);
    bool opaque = p->fmt->ch[3].kind == FORMAT_NONE;
    return opaque ? _mm256_or_si256(both, block_constant(&bc1.alpha)) : both;
}

INLINE bits
bc1_numbers(__m256i blocks)
{
    bits rows = _mm512_permutexvar_epi8(load_table(bc1.row),
                                        _mm512_castsi256_si512(blocks));
    bits low = _mm512_multishift_epi64_epi8(load_table(bc1.low_from), rows);
    bits high = _mm512_multishift_epi64_epi8(load_table(bc1.high_from), rows);
    bits n = _mm512_ternarylogic_epi32(load_table(bc1.block), low,
                                       load_constant(&bc1.low_bit), AND_OR);
    return _mm512_ternarylogic_epi32(n, high, load_constant(&bc1.high_bit),
                                     AND_OR);
}

INLINE void
decode_bc1_four(const struct sample_plan *p, __m256i blocks, bool may_be_3,
                struct footprint_palette *out)
{
    __m256i ends = bc1_end_points(blocks);
    __mmask16 four = may_be_3 ? bc1_in_order(blocks) : 0xffff;
    __m256i between = bc1_between(p, four, ends);
    /* Interleave the two blocks of a row by colour. */
    ends = _mm256_shuffle_epi32(ends, 0xd8);
    out->colors[0] = _mm512_inserti64x4(_mm512_castsi256_si512(ends), between,
                                        1);
    out->numbers = bc1_numbers(blocks);
}

/* ---- texels ---- */

/* Texels of planar ETC blocks, which have no palette. */
struct planar_blocks {
    bits line[4];
    __mmask64 taps[4];
    bits place;
    unsigned count;
};

INLINE void
find_planar_blocks(const struct sample_plan *p, __m256i blocks,
                   uint32_t special, bits at, struct planar_blocks *planar)
{
    alignas(32) uint64_t v[4];
    _mm256_store_si256((__m256i *)(void *)v,
                       _mm256_shuffle_epi8(blocks, block_table(etc.swap)));
    planar->place = _mm512_permutexvar_epi8(at,
                                            load_table(footprint_table.place));
    planar->count = 0;
    bits block = _mm512_and_si512(planar->place,
                                  load_constant(&footprint_table.which_line));
    for (; special; special &= special - 1) {
        unsigned b = (unsigned)__builtin_ctz(special), i = planar->count++;
        planar->line[i] = etc_planar_line(v[b]);
        planar->taps[i] = _mm512_cmpeq_epi8_mask(
            block, _mm512_set1_epi8((char)(b << 6)));
    }
    flip(planar->line, planar->count, load_constant(&p->bytes.ones));
}

INLINE bits
take_planar_texels(const struct planar_blocks *planar, bits t, bits channel)
{
    bits i = _mm512_or_si512(planar->place, channel);
    for (unsigned k = 0; k < planar->count; k++)
        t = _mm512_mask_permutexvar_epi8(t, planar->taps[k], i,
                                         planar->line[k]);
    return t;
}

/* Sums channels in the order of the answer. */
INLINE struct footprint_sums
sum_numbers(const struct sample_plan *p,
            const struct footprint_palette *palette, bool two, bits at,
            const struct planar_blocks *planar,
            const struct footprint_weights *w, const int32_t *bias)
{
    struct footprint_sums out;
    at = _mm512_permutexvar_epi8(at, palette->numbers);
    for (unsigned c = 0; c < 4; c++) {
        bits channel = load_constant(&p->bytes.at[c]);
        bits i = _mm512_or_si512(at, channel);
        bits t = two ? _mm512_permutex2var_epi8(palette->colors[0], i,
                                                palette->colors[1])
                     : _mm512_permutexvar_epi8(i, palette->colors[0]);
        if (planar)
            t = take_planar_texels(planar, t, channel);
        out.c[c] = filter_bytes(t, w, bias);
    }
    return out;
}

/* The palette of four blocks, and each lane's four corners in it. */
struct palette_taps {
    struct footprint_palette palette;
    bits at;
    struct footprint_weights w;
};

INLINE struct palette_taps
find_palette_taps(const struct sample_plan *p, enum palette_of kind,
                  struct four_blocks four, bits in, vint x, vint y)
{
    struct palette_taps taps;
    const bool two = kind == PALETTE_ETC;
    if (two)
        decode_etc_four(four.bits, &taps.palette);
    else
        decode_bc1_four(p, four.bits, true, &taps.palette);
    vmask single = find_single(x);
    taps.w = find_weights(x, y, single);
    taps.at = number_taps(in, single);
    flip(taps.palette.colors, two ? 2 : 1, load_constant(&p->bytes.ones));
    return taps;
}

/* Sums with blocks that have no palette. */
static __attribute__((noinline)) void
sum_planar(const struct sample_plan *p, const __m256i *blocks,
           const struct palette_taps *taps, const int32_t *bias,
           struct footprint_sums *out)
{
    struct planar_blocks planar;
    find_planar_blocks(p, *blocks, taps->palette.special, taps->at, &planar);
    *out = sum_numbers(p, &taps->palette, true, taps->at, &planar, &taps->w,
                       bias);
}

INLINE struct footprint_sums
sum_palette(const struct sample_plan *p, enum palette_of kind,
            const struct palette_taps *taps, const int32_t *bias)
{
    return sum_numbers(p, &taps->palette, kind == PALETTE_ETC, taps->at, NULL,
                       &taps->w, bias);
}

/* filter_lines() for four blocks. */
INLINE struct lanes_color
filter_palette(const struct sample_plan *p, enum palette_of kind,
               struct four_blocks four, bits in, vint x, vint y)
{
    struct palette_taps taps = find_palette_taps(p, kind, four, in, x, y);
    if (kind == PALETTE_ETC && taps.palette.special) {
        /* Copies, so that the originals stay in registers. */
        const __m256i blocks_in_memory = four.bits;
        const struct palette_taps in_memory = taps;
        struct footprint_sums far;
        sum_planar(p, &blocks_in_memory, &in_memory, &footprint_table.bias,
                   &far);
        return color_of_sums(&far);
    }
    struct footprint_sums sums = sum_palette(p, kind, &taps,
                                             &footprint_table.bias);
    return color_of_sums(&sums);
}

#endif
