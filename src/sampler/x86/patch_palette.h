/* patch_palette.h: blocks that choose each texel from a few colours: BC1's
 * four, ETC's eight; a part of patch_vbmi.c. The four blocks of a patch are
 * decoded all at once into a palette in registers and the number of each
 * texel's colour, for each message again: that takes less time than to look
 * four blocks up.
 *
 * The bytes are those of decode_bc.c and decode_etc.c. */
#ifndef SAMPLER_PATCH_PALETTE_H
#define SAMPLER_PATCH_PALETTE_H

#include "sampler/x86/patch_filter.h"

enum palette_of { PALETTE_NONE, PALETTE_BC1, PALETTE_BC3, PALETTE_ETC };

/* Colours, four bytes each, red lowest, and whose colour it is of 8x8 texels,
 * row by row: of which a number is the place of the red byte. */
struct patch_palette {
    bits colors[2]; /* the second one only of ETC */
    bits numbers;
    uint32_t special; /* bit per block: has no such palette */
};

/* Two columns and two rows. */
struct four_blocks {
    __m256i bits, more; /* the second eight bytes, where there are 16 */
    int32_t x[2], y[2];
};

/* Those that no lane looks at need not exist; the first ones stand for them. */
INLINE struct four_blocks
load_four_blocks(const struct sample_plan *p, struct patch_corner corner,
                 bits in, bool two)
{
    __mmask32 beyond = _mm512_cmpgt_epu16_mask(in, _mm512_set1_epi16(2));
    int32_t x = (int32_t)corner.bx, y = (int32_t)corner.by;
    struct four_blocks four = {
        .x = {x, x + ((beyond & 0x55555555) != 0)},
        .y = {y, y + ((beyond & 0xaaaaaaaa) != 0)},
    };
    const struct sample_tiling *t = &p->tiling;
    const uint8_t *row0 = p->mem + block_offset_B(t, 0, four.y[0]);
    const uint8_t *row1 = p->mem + block_offset_B(t, 0, four.y[1]);
    uint32_t x0_B = block_offset_B(t, four.x[0], 0);
    uint32_t x1_B = block_offset_B(t, four.x[1], 0);
    _mm_prefetch(row0 + x0_B + p->ahead_B, _MM_HINT_T0);
    _mm_prefetch(row1 + x0_B + p->ahead_B, _MM_HINT_T0);
    four.bits = _mm256_set_m128i(v_load8_pair(row1 + x0_B, row1 + x1_B),
                                 v_load8_pair(row0 + x0_B, row0 + x1_B));
    row0 += 8;
    row1 += 8;
    if (two)
        four.more = _mm256_set_m128i(v_load8_pair(row1 + x0_B, row1 + x1_B),
                                     v_load8_pair(row0 + x0_B, row0 + x1_B));
    return four;
}

/* Tables of eight bytes for each block. */
#define EACH4(...)                                         \
    {                                                      \
        __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__ \
    }

INLINE __m256i
block_table(const uint8_t table[32])
{
    return _mm256_load_si256((const __m256i *)(const void *)table);
}

/* Eight bits of each block from each of these places on. */
INLINE __m256i
block_fields(const uint8_t from[32], __m256i v)
{
    return _mm256_multishift_epi64_epi8(block_table(from), v);
}

enum { AND_OR = 0xf8 /* a | b & c */, AND_XOR = 0x78 /* a ^ b & c */ };

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
    int16_t third;
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
    .third = 21846, /* of up to 765, when the lower half is left out */
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
    return _mm256_or_si256(e, _mm256_set1_epi32(bc1.alpha));
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
    __m256i sum = _mm256_add_epi16(a, b), third = _mm256_set1_epi16(bc1.third);
    __m256i c2 = _mm256_srli_epi16(sum, 1);
    c2 = _mm256_mask_mulhi_epu16(c2, four, _mm256_add_epi16(sum, a), third);
    __m256i c3 = _mm256_maskz_mulhi_epu16(four, _mm256_add_epi16(sum, b),
                                          third);
    __m256i both = _mm256_packus_epi16(c2, c3);
    bool opaque = p->fmt->ch[3].kind == FORMAT_NONE;
    return opaque ? _mm256_or_si256(both, _mm256_set1_epi32(bc1.alpha)) : both;
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

/* ---- ETC ------------------------------------------------------------------
 *
 * A number's bits: colour's index in its half (2), block's row, column, half,
 * channel (2). Bits of a block are those of an integer whose first byte is on
 * top. */

/* The bits of two blocks' indices; of a row the first one, less the bit where
 * it is to land. */
#define ETC_ROW(left)                                               \
    0 + 8 * (left), 1 + 8 * (left), 8 + 8 * (left), 9 + 8 * (left), \
        2 + 8 * (left), 3 + 8 * (left), 10 + 8 * (left), 11 + 8 * (left)
#define STEPS4(b)                                              \
    (b) & 63, ((b) + 4) & 63, ((b) + 8) & 63, ((b) + 12) & 63, \
        ((b) + 16) & 63, ((b) + 20) & 63, ((b) + 24) & 63, ((b) + 28) & 63
#define STEP_ROWS(b) \
    STEPS4(b), STEPS4((b) + 1), STEPS4((b) + 2), STEPS4((b) + 3)
#define HALF_ROW(left, a, b, c, d)                                    \
    8 * (left) + 4 * (a), 8 * (left) + 4 * (b), 8 * (left) + 4 * (c), \
        8 * (left) + 4 * (d), 8 * (left) + 8 + 4 * (a),               \
        8 * (left) + 8 + 4 * (b), 8 * (left) + 8 + 4 * (c),           \
        8 * (left) + 8 + 4 * (d)
#define BOTH_BLOCKS(a) (a), (a), (a), (a), (a) + 8, (a) + 8, (a) + 8, (a) + 8
static const struct {
    alignas(64) uint8_t row[64];
    uint8_t low_from[64], high_from[64];
    uint8_t columns[64], rows[64]; /* block and half of each texel */
    uint8_t flip_byte[64];
    alignas(32) uint8_t swap[32];
    uint8_t nibble_top_from[32], nibble_from[32];
    uint8_t five_from[32], delta_from[32], delta[32], delta_sign[32];
    uint8_t table_from[32], table[32], no_table[32];
    uint8_t small[16], large[16];
    int32_t low_bit, high_bit, flip_bit, alpha;
    int64_t differential;
} etc = {
    .row = {ETC_ROW(0), ETC_ROW(0), ETC_ROW(0), ETC_ROW(0), ETC_ROW(2),
            ETC_ROW(2), ETC_ROW(2), ETC_ROW(2)},
    .low_from = {STEP_ROWS(64 - 5), STEP_ROWS(64 - 5)},
    .high_from = {STEP_ROWS(32 - 6), STEP_ROWS(32 - 6)},
    .columns = {HALF_ROW(0, 0, 0, 1, 1), HALF_ROW(0, 0, 0, 1, 1),
                HALF_ROW(0, 0, 0, 1, 1), HALF_ROW(0, 0, 0, 1, 1),
                HALF_ROW(2, 0, 0, 1, 1), HALF_ROW(2, 0, 0, 1, 1),
                HALF_ROW(2, 0, 0, 1, 1), HALF_ROW(2, 0, 0, 1, 1)},
    .rows = {HALF_ROW(0, 0, 0, 0, 0), HALF_ROW(0, 0, 0, 0, 0),
             HALF_ROW(0, 1, 1, 1, 1), HALF_ROW(0, 1, 1, 1, 1),
             HALF_ROW(2, 0, 0, 0, 0), HALF_ROW(2, 0, 0, 0, 0),
             HALF_ROW(2, 1, 1, 1, 1), HALF_ROW(2, 1, 1, 1, 1)},
    .flip_byte = {BOTH_BLOCKS(4), BOTH_BLOCKS(4), BOTH_BLOCKS(4),
                  BOTH_BLOCKS(4), BOTH_BLOCKS(20), BOTH_BLOCKS(20),
                  BOTH_BLOCKS(20), BOTH_BLOCKS(20)},
    .swap = {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
             7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
    .nibble_top_from = EACH4(56, 48, 40, 0, 52, 44, 36, 0),
    .nibble_from = EACH4(60, 52, 44, 0, 56, 48, 40, 0),
    .five_from = EACH4(59, 51, 43, 0, 59, 51, 43, 0),
    .delta_from = EACH4(0, 0, 0, 0, 56, 48, 40, 0),
    .delta = EACH4(0, 0, 0, 0, 7, 7, 7, 0),
    .delta_sign = EACH4(0, 0, 0, 0, 4, 4, 4, 0),
    .table_from = EACH4(37, 37, 37, 0, 34, 34, 34, 0),
    .table = EACH4(7, 7, 7, 0, 7, 7, 7, 0),
    .no_table = EACH4(0, 0, 0, 8, 0, 0, 0, 8),
    .small = {2, 5, 9, 13, 18, 24, 33, 47},
    .large = {8, 17, 29, 42, 60, 80, 106, 183},
    .low_bit = 0x20202020,
    .high_bit = 0x40404040,
    .flip_bit = 0x01010101,
    .alpha = (int32_t)0xff000000,
    .differential = INT64_C(1) << 33,
};

/* a & mask | b & ~mask */
INLINE __m256i
merge_nibbles(__m256i a, __m256i b)
{
    enum { SELECT = 0xca };
    return _mm256_ternarylogic_epi32(_mm256_set1_epi8((char)0xf0), a, b,
                                     SELECT);
}

/* Base colours of both halves. `special`: blocks of other modes. */
INLINE __m256i
etc_base(__m256i v, uint32_t *special)
{
    __m256i four = merge_nibbles(block_fields(etc.nibble_top_from, v),
                                 block_fields(etc.nibble_from, v));
    __m256i five = _mm256_and_si256(block_fields(etc.five_from, v),
                                    _mm256_set1_epi8(31));
    __m256i sign = block_table(etc.delta_sign);
    __m256i delta = _mm256_ternarylogic_epi32(
        sign, block_fields(etc.delta_from, v), block_table(etc.delta), AND_XOR);
    __mmask8 differential = _mm256_test_epi64_mask(
        v, _mm256_set1_epi64x(etc.differential));
    __m256i sum = _mm256_add_epi8(five, _mm256_sub_epi8(delta, sign));
    __m256i beyond = _mm256_and_si256(sum, _mm256_set1_epi8((char)0xe0));
    *special = _mm256_mask_test_epi64_mask(differential, beyond, beyond);
    sum = _mm256_ternarylogic_epi32(_mm256_slli_epi16(sum, 3),
                                    _mm256_srli_epi16(sum, 2),
                                    _mm256_set1_epi8(7), AND_OR);
    return _mm256_mask_mov_epi64(four, differential, sum);
}

INLINE bits
etc_numbers_of_four(__m256i v)
{
    bits all = _mm512_castsi256_si512(v);
    bits rows = _mm512_permutexvar_epi8(load_table(etc.row), all);
    bits low = _mm512_multishift_epi64_epi8(load_table(etc.low_from), rows);
    bits high = _mm512_multishift_epi64_epi8(load_table(etc.high_from), rows);
    __mmask64 flip = _mm512_test_epi8_mask(
        _mm512_permutexvar_epi8(load_table(etc.flip_byte), all),
        constant(&etc.flip_bit));
    bits n = _mm512_mask_mov_epi8(load_table(etc.columns), flip,
                                  load_table(etc.rows));
    n = _mm512_ternarylogic_epi32(n, low, constant(&etc.low_bit), AND_OR);
    return _mm512_ternarylogic_epi32(n, high, constant(&etc.high_bit), AND_OR);
}

INLINE void
decode_etc_four(__m256i blocks, struct patch_palette *out)
{
    __m256i v = _mm256_shuffle_epi8(blocks, block_table(etc.swap));
    __m256i base = _mm256_or_si256(etc_base(v, &out->special),
                                   _mm256_set1_epi32(etc.alpha));
    __m256i table = _mm256_ternarylogic_epi32(block_table(etc.no_table),
                                              block_fields(etc.table_from, v),
                                              block_table(etc.table), AND_OR);
    __m256i less = _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256(v_load16(etc.small)), table);
    __m256i more = _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256(v_load16(etc.large)), table);
    __m256i color[4] = {
        _mm256_adds_epu8(base, less), _mm256_adds_epu8(base, more),
        _mm256_subs_epu8(base, less), _mm256_subs_epu8(base, more)};
    for (unsigned i = 0; i < 2; i++)
        out->colors[i] = _mm512_inserti64x4(
            _mm512_castsi256_si512(color[2 * i]), color[2 * i + 1], 1);
    out->numbers = etc_numbers_of_four(v);
}

/* ---- texels ---------------------------------------------------------------
 */

/* Texels of blocks without a palette are taken out of those that are kept,
 * instead. */
struct kept_blocks {
    bits line[4];
    __mmask64 taps[4];
    bits place;
    unsigned count;
};

INLINE void
find_kept_blocks(const struct sample_plan *p, struct sample_blocks *blocks,
                 const struct four_blocks *four, uint32_t special, bits at,
                 struct kept_blocks *kept)
{
    kept->place = _mm512_permutexvar_epi8(at, load_table(patch.place));
    kept->count = 0;
    bits block = _mm512_and_si512(kept->place, constant(&patch.which_line));
    for (; special; special &= special - 1) {
        unsigned b = (unsigned)__builtin_ctz(special), i = kept->count++;
        kept->line[i] = load_block_line(p, blocks, (uint32_t)four->x[b & 1],
                                        (uint32_t)four->y[b >> 1]);
        kept->taps[i] = _mm512_cmpeq_epi8_mask(
            block, _mm512_set1_epi8((char)(b << 6)));
    }
    flip(kept->line, kept->count, constant(&p->bytes.ones));
}

INLINE bits
take_kept_texels(const struct kept_blocks *kept, bits t, bits channel)
{
    bits i = _mm512_or_si512(kept->place, channel);
    for (unsigned k = 0; k < kept->count; k++)
        t = _mm512_mask_permutexvar_epi8(t, kept->taps[k], i, kept->line[k]);
    return t;
}

/* In the order of the answer. */
INLINE void
filter_numbers(const struct sample_plan *p, const struct patch_palette *palette,
               bool two, bits at, const struct kept_blocks *kept,
               const struct patch_weights *w, struct lanes_color *out)
{
    at = _mm512_permutexvar_epi8(at, palette->numbers);
    for (unsigned c = 0; c < 4; c++) {
        bits channel = constant(&p->bytes.at[c]);
        bits i = _mm512_or_si512(at, channel);
        bits t = two ? _mm512_permutex2var_epi8(palette->colors[0], i,
                                                palette->colors[1])
                     : _mm512_permutexvar_epi8(i, palette->colors[0]);
        if (kept)
            t = take_kept_texels(kept, t, channel);
        out->c[c] = v_float((vint)filter_bytes(t, w));
    }
}

static __attribute__((noinline)) void
filter_kept(const struct sample_plan *p, struct sample_blocks *blocks,
            const struct four_blocks *four, const struct patch_palette *palette,
            bits at, struct patch_weights w, struct lanes_color *out)
{
    struct kept_blocks kept;
    find_kept_blocks(p, blocks, four, palette->special, at, &kept);
    filter_numbers(p, palette, true, at, &kept, &w, out);
}

/* What filter_lines() makes of four blocks. */
INLINE struct lanes_color
filter_palette(const struct sample_plan *p, enum palette_of kind,
               struct sample_blocks *blocks, struct patch_corner corner,
               bits in, vint x, vint y)
{
    struct lanes_color out;
    struct patch_palette palette;
    const bool two = kind == PALETTE_ETC;
    struct four_blocks four = load_four_blocks(p, corner, in, false);
    vmask single = find_single(x);
    struct patch_weights w = find_weights(x, y, single);
    bits at = number_taps(in, single);
    if (two)
        decode_etc_four(four.bits, &palette);
    else
        decode_bc1_four(p, four.bits, true, &palette);
    flip(palette.colors, two ? 2 : 1, constant(&p->bytes.ones));
    if (two && palette.special) {
        /* The others stay in registers. */
        struct four_blocks blocks_in_memory = four;
        struct patch_palette in_memory = palette;
        struct lanes_color far;
        filter_kept(p, blocks, &blocks_in_memory, &in_memory, at, w, &far);
        return far;
    }
    filter_numbers(p, &palette, two, at, NULL, &w, &out);
    return out;
}

#endif
