/* patch_palette.h: blocks that choose each texel from a few colours: BC1's
 * four, ETC's eight; a part of patch_vbmi.c. The four blocks of a patch are
 * decoded all at once into a palette in registers and the number of each
 * texel's colour, for each message again: that takes less time than to look
 * four blocks up.
 *
 * The bytes are those of decode_bc.c. */
#ifndef SAMPLER_PATCH_PALETTE_H
#define SAMPLER_PATCH_PALETTE_H

#include "sampler/x86/patch_etc.h"

/* ---- BC1 ------------------------------------------------------------------
 *
 * A number's bits: upper one of the colour's index, block's row, lower one,
 * block's column, channel (2). */

/* Row y of 8x8 texels: of two blocks, eight bits each; where texel x's bits are
 * so that they land on bits 3 and 5. */
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
    alignas(32) uint8_t top_from[32], top[32]; /* of each channel */
    uint8_t more_from[32], more[32];           /* its uppermost bits again */
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
    .third = 21846 << 16 | 21846, /* of up to 765, upper halves of products */
};

/* Two end points of four bytes in eight. */
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

/* Where the first end point of BC1 is greater: of four words each. */
INLINE __mmask16
bc1_in_order(__m256i blocks)
{
    return _mm256_cmpgt_epu16_mask(
        _mm256_shuffle_epi8(blocks, block_table(bc1.color0)),
        _mm256_shuffle_epi8(blocks, block_table(bc1.color1)));
}

/* Colours 2 and 3: a third and two thirds of the way, or a half and black,
 * which has no alpha if the format has any. */
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
                                       constant(&bc1.low_bit), AND_OR);
    return _mm512_ternarylogic_epi32(n, high, constant(&bc1.high_bit), AND_OR);
}

INLINE void
decode_bc1_four(const struct sample_plan *p, __m256i blocks, bool may_be_3,
                struct patch_palette *out)
{
    __m256i ends = bc1_end_points(blocks);
    __mmask16 four = may_be_3 ? bc1_in_order(blocks) : 0xffff;
    __m256i between = bc1_between(p, four, ends);
    /* Both blocks of a row, colour by colour. */
    ends = _mm256_shuffle_epi32(ends, 0xd8);
    out->colors[0] = _mm512_inserti64x4(_mm512_castsi256_si512(ends), between,
                                        1);
    out->numbers = bc1_numbers(blocks);
}

/* ---- texels ---- */

/* Texels of blocks without a palette, which are planar ones. */
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
    planar->place = _mm512_permutexvar_epi8(at, load_table(patch.place));
    planar->count = 0;
    bits block = _mm512_and_si512(planar->place, constant(&patch.which_line));
    for (; special; special &= special - 1) {
        unsigned b = (unsigned)__builtin_ctz(special), i = planar->count++;
        planar->line[i] = etc_planar_line(v[b]);
        planar->taps[i] = _mm512_cmpeq_epi8_mask(
            block, _mm512_set1_epi8((char)(b << 6)));
    }
    flip(planar->line, planar->count, constant(&p->bytes.ones));
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

/* In the order of the answer. */
INLINE struct patch_sums
sum_numbers(const struct sample_plan *p, const struct patch_palette *palette,
            bool two, bits at, const struct planar_blocks *planar,
            const struct patch_weights *w, const int32_t *bias)
{
    struct patch_sums out;
    at = _mm512_permutexvar_epi8(at, palette->numbers);
    for (unsigned c = 0; c < 4; c++) {
        bits channel = constant(&p->bytes.at[c]);
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

/* Four blocks, and where each lane's four texels are in them. */
struct palette_taps {
    struct patch_palette palette;
    bits at;
    struct patch_weights w;
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
    flip(taps.palette.colors, two ? 2 : 1, constant(&p->bytes.ones));
    return taps;
}

/* Where blocks have no palette. */
static __attribute__((noinline)) void
sum_planar(const struct sample_plan *p, const __m256i *blocks,
           const struct palette_taps *taps, const int32_t *bias,
           struct patch_sums *out)
{
    struct planar_blocks planar;
    find_planar_blocks(p, *blocks, taps->palette.special, taps->at, &planar);
    *out = sum_numbers(p, &taps->palette, true, taps->at, &planar, &taps->w,
                       bias);
}

INLINE struct patch_sums
sum_palette(const struct sample_plan *p, enum palette_of kind,
            const struct palette_taps *taps, const int32_t *bias)
{
    return sum_numbers(p, &taps->palette, kind == PALETTE_ETC, taps->at, NULL,
                       &taps->w, bias);
}

/* What filter_lines() makes of four blocks. */
INLINE struct lanes_color
filter_palette(const struct sample_plan *p, enum palette_of kind,
               struct four_blocks four, bits in, vint x, vint y)
{
    struct palette_taps taps = find_palette_taps(p, kind, four, in, x, y);
    if (kind == PALETTE_ETC && taps.palette.special) {
        /* The others stay in registers. */
        const __m256i blocks_in_memory = four.bits;
        const struct palette_taps in_memory = taps;
        struct patch_sums far;
        sum_planar(p, &blocks_in_memory, &in_memory, &patch.bias, &far);
        return color_of_sums(&far);
    }
    struct patch_sums sums = sum_palette(p, kind, &taps, &patch.bias);
    return color_of_sums(&sums);
}

#endif
