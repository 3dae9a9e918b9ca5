/* footprint_etc.h: decodes four ETC blocks to palettes; a part of
 * footprint_vbmi.c. The bytes are those of decode_etc.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_ETC_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_ETC_H

#include "sampler/plan/x86/footprint/footprint_four.h"

/* ---- ETC ------------------------------------------------------------------
 *
 * Bits of a palette number: index in the block's half (2), block's row, block's
 * column, half, channel (2). A block is read as a big-endian integer. */

/* Selects the bits of two blocks' indices; for a row its first bit, less the
 * bit that it is moved to. */
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
    uint8_t differential[32];
    uint8_t small[16], large[16];
    int32_t low_bit, high_bit, flip_bit, alpha;
    int32_t upper_nibble, five, beyond, three;
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
    .differential = EACH4(0, 0, 0, 0, 2, 0, 0, 0), /* bit 33 */
    .small = {2, 5, 9, 13, 18, 24, 33, 47},
    .large = {8, 17, 29, 42, 60, 80, 106, 183},
    .low_bit = 0x20202020,
    .high_bit = 0x40404040,
    .flip_bit = 0x01010101,
    .alpha = (int32_t)0xff000000,
    .upper_nibble = (int32_t)0xf0f0f0f0,
    .five = 0x1f1f1f1f,
    .beyond = (int32_t)0xe0e0e0e0,
    .three = 0x07070707,
};

/* a & mask | b & ~mask */
INLINE __m256i
merge_nibbles(__m256i a, __m256i b)
{
    enum { SELECT = 0xca };
    return _mm256_ternarylogic_epi32(block_constant(&etc.upper_nibble), a, b,
                                     SELECT);
}

/* Base colours of both halves. beyond: a sum above 31, which selects another
 * mode. */
struct etc_base {
    __m256i color, beyond;
    __mmask8 other_modes;
};

INLINE struct etc_base
find_etc_base(__m256i v)
{
    __m256i four = merge_nibbles(block_fields(etc.nibble_top_from, v),
                                 block_fields(etc.nibble_from, v));
    __m256i five = _mm256_and_si256(block_fields(etc.five_from, v),
                                    block_constant(&etc.five));
    __m256i sign = block_table(etc.delta_sign);
    __m256i delta = _mm256_ternarylogic_epi32(
        sign, block_fields(etc.delta_from, v), block_table(etc.delta), AND_XOR);
    __mmask8 differential = _mm256_test_epi64_mask(
        v, block_table(etc.differential));
    __m256i sum = _mm256_add_epi8(five, _mm256_sub_epi8(delta, sign));
    __m256i beyond = _mm256_and_si256(sum, block_constant(&etc.beyond));
    sum = _mm256_ternarylogic_epi32(_mm256_slli_epi16(sum, 3),
                                    _mm256_srli_epi16(sum, 2),
                                    block_constant(&etc.three), AND_OR);
    __m256i color = _mm256_mask_mov_epi64(four, differential, sum);
    return (struct etc_base){
        .color = _mm256_or_si256(color, block_constant(&etc.alpha)),
        .beyond = beyond,
        .other_modes = _mm256_mask_test_epi64_mask(differential, beyond,
                                                   beyond),
    };
}

/* ---- modes T and H: two colours and a distance ---- */

/* The place and the mask of each field. Colours have two parts, and so has the
 * index of the distance. */
enum { UPPER, LOWER, DISTANCE_UPPER, DISTANCE_LOWER, ETC_FIELDS };
struct etc_field {
    alignas(32) uint8_t from[32], bits[32];
};
static const struct {
    struct etc_field t[ETC_FIELDS], h[ETC_FIELDS];
    alignas(32) uint8_t red_first[32];
    uint8_t distance[16];
} etc2 = {
    .t = {[UPPER] = {EACH4(57, 0, 0, 0, 0, 0, 0, 0),
                     EACH4(12, 0, 0, 0, 0, 0, 0, 0)},
          [LOWER] = {EACH4(56, 52, 48, 0, 44, 40, 36, 0),
                     EACH4(3, 15, 15, 0, 15, 15, 15, 0)},
          [DISTANCE_UPPER] = {EACH4(33, 33, 33, 0, 33, 33, 33, 0),
                              EACH4(6, 6, 6, 0, 6, 6, 6, 0)},
          [DISTANCE_LOWER] = {EACH4(32, 32, 32, 0, 32, 32, 32, 0),
                              EACH4(1, 1, 1, 0, 1, 1, 1, 0)}},
    .h = {[UPPER] = {EACH4(0, 55, 48, 0, 0, 0, 0, 0),
                     EACH4(0, 14, 8, 0, 0, 0, 0, 0)},
          [LOWER] = {EACH4(59, 52, 47, 0, 43, 39, 35, 0),
                     EACH4(15, 1, 7, 0, 15, 15, 15, 0)},
          [DISTANCE_UPPER] = {EACH4(32, 32, 32, 0, 32, 32, 32, 0),
                              EACH4(4, 4, 4, 0, 4, 4, 4, 0)},
          [DISTANCE_LOWER] = {EACH4(31, 31, 31, 0, 31, 31, 31, 0),
                              EACH4(2, 2, 2, 0, 2, 2, 2, 0)}},
    .red_first = {2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15,
                  2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15},
    .distance = {3, 6, 11, 16, 23, 32, 41, 64},
};

/* Extracts a field, of mode H where `h` is set, of mode T elsewhere. */
INLINE __m256i
etc_field(__m256i v, __mmask8 h, unsigned i)
{
    __m256i from = _mm256_mask_mov_epi64(block_table(etc2.t[i].from), h,
                                         block_table(etc2.h[i].from));
    __m256i mask = _mm256_mask_mov_epi64(block_table(etc2.t[i].bits), h,
                                         block_table(etc2.h[i].bits));
    return _mm256_and_si256(_mm256_multishift_epi64_epi8(from, v), mask);
}

/* In mode H the order of the colours gives the distance index its last bit. */
INLINE __m256i
etc_distance(__m256i v, __mmask8 h, __m256i nibbles)
{
    __m256i key = _mm256_shuffle_epi8(nibbles, block_table(etc2.red_first));
    __m256i first = _mm256_and_si256(key, _mm256_set1_epi64x(UINT32_MAX));
    __mmask8 odd = _mm256_mask_cmpge_epu64_mask(h, first,
                                                _mm256_srli_epi64(key, 32));
    __m256i i = _mm256_or_si256(etc_field(v, h, DISTANCE_UPPER),
                                etc_field(v, h, DISTANCE_LOWER));
    i = _mm256_or_si256(i, block_table(etc.no_table));
    i = _mm256_mask_or_epi64(i, odd, i, block_constant(&etc.flip_bit));
    return _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256(v_load16(etc2.distance)), i);
}

/* Paints the four colours of blocks in modes T and H; both halves share them.
 */
INLINE void
etc_paint(__m256i v, __mmask8 t, __mmask8 h, __m256i color[4])
{
    enum { FIRST = 0xa0, SECOND = 0xf5 };
    __m256i n = _mm256_or_si256(etc_field(v, h, UPPER), etc_field(v, h, LOWER));
    __m256i d = etc_distance(v, h, n);
    n = _mm256_or_si256(n, _mm256_slli_epi16(n, 4));
    n = _mm256_or_si256(n, block_constant(&etc.alpha));
    __m256i a = _mm256_shuffle_epi32(n, FIRST);
    __m256i b = _mm256_shuffle_epi32(n, SECOND);
    __m256i b_more = _mm256_adds_epu8(b, d), b_less = _mm256_subs_epu8(b, d);
    color[0] = _mm256_mask_mov_epi64(color[0], t, a);
    color[1] = _mm256_mask_mov_epi64(color[1], t, b_more);
    color[2] = _mm256_mask_mov_epi64(color[2], t, b);
    color[0] = _mm256_mask_mov_epi64(color[0], h, _mm256_adds_epu8(a, d));
    color[1] = _mm256_mask_mov_epi64(color[1], h, _mm256_subs_epu8(a, d));
    color[2] = _mm256_mask_mov_epi64(color[2], h, b_more);
    color[3] = _mm256_mask_mov_epi64(color[3], t | h, b_less);
}

/* Overflow of red selects T, then green H, then blue planar. Returns the planar
 * blocks. */
INLINE uint32_t
etc_other_modes(__m256i v, const struct etc_base *base, __m256i color[4])
{
    const __m256i beyond = _mm256_set1_epi64x(INT64_C(0xe0) << 32);
    __mmask8 other = base->other_modes;
    __mmask8 t = _mm256_mask_test_epi64_mask(other, base->beyond, beyond);
    __mmask8 h = _mm256_mask_test_epi64_mask(other & (__mmask8)~t, base->beyond,
                                             _mm256_slli_epi64(beyond, 8));
    etc_paint(v, t, h, color);
    return other & ~(uint32_t)(t | h);
}

/* ---- planar: colours at the origin and at two corners ---- */

/* Weights of each texel's channels: of the colours beyond the right and the
 * lower edge, and of the origin's. They add up to four. */
#define PLANAR_ROW(y)                                                   \
    0, (y), 4 - (y), 0, 1, (y), 3 - (y), 0, 2, (y), 2 - (y), 0, 3, (y), \
        1 - (y), 0
static const struct {
    alignas(64) int8_t times[64];
    int8_t channels[16]; /* order: beyond right, beyond bottom, origin */
} etc_planar = {
    .times = {PLANAR_ROW(0), PLANAR_ROW(1), PLANAR_ROW(2), PLANAR_ROW(3)},
    .channels = {6, 2, 10, -1, 5, 1, 9, -1, 4, 0, 8, -1, -1, -1, -1, -1},
};

/* Three colours, blue lowest, four bytes each. Channels of six or seven bits
 * repeat their top bits below. */
INLINE __m128i
etc_planar_colors(uint64_t v)
{
    const uint64_t fields = UINT64_C(0x7f7f1bfdffffffff);
    const uint64_t colors = UINT64_C(0x00fcfefc00fcfefc);
    uint64_t n = _pext_u64(v, fields), below = _pdep_u64(n, colors);
    uint64_t origin = _pdep_u64(n >> 38, colors);
    __m128i c = _mm_set_epi64x((int64_t)origin, (int64_t)below);
    __m128i six = _mm_and_si128(_mm_srli_epi16(c, 6),
                                _mm_set1_epi32(0x00030003));
    __m128i seven = _mm_and_si128(_mm_srli_epi16(c, 7),
                                  _mm_set1_epi32(0x00000100));
    return _mm_or_si128(c, _mm_or_si128(six, seven));
}

INLINE bits
etc_planar_line(uint64_t v)
{
    const bits times = load_table(etc_planar.times),
               half = _mm512_set1_epi32(2);
    bits c = _mm512_broadcast_i32x4(_mm_shuffle_epi8(
        etc_planar_colors(v),
        _mm_load_si128((const __m128i *)(const void *)etc_planar.channels)));
    bits r = _mm512_dpbusd_epi32(half, _mm512_shuffle_epi32(c, 0x00), times);
    bits g = _mm512_dpbusd_epi32(half, _mm512_shuffle_epi32(c, 0x55), times);
    bits b = _mm512_dpbusd_epi32(half, _mm512_shuffle_epi32(c, 0xaa), times);
    bits rg = _mm512_packs_epi32(_mm512_srai_epi32(r, 2),
                                 _mm512_srai_epi32(g, 2));
    bits ba = _mm512_packs_epi32(_mm512_srai_epi32(b, 2),
                                 _mm512_set1_epi32(255));
    return _mm512_shuffle_epi8(_mm512_packus_epi16(rg, ba),
                               load_shuffle(footprint_table.transposed));
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
        load_constant(&etc.flip_bit));
    bits n = _mm512_mask_mov_epi8(load_table(etc.columns), flip,
                                  load_table(etc.rows));
    n = _mm512_ternarylogic_epi32(n, low, load_constant(&etc.low_bit), AND_OR);
    return _mm512_ternarylogic_epi32(n, high, load_constant(&etc.high_bit),
                                     AND_OR);
}

INLINE void
decode_etc_four(__m256i blocks, struct footprint_palette *out)
{
    __m256i v = _mm256_shuffle_epi8(blocks, block_table(etc.swap));
    const struct etc_base base = find_etc_base(v);
    __m256i table = _mm256_ternarylogic_epi32(block_table(etc.no_table),
                                              block_fields(etc.table_from, v),
                                              block_table(etc.table), AND_OR);
    __m256i less = _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256(v_load16(etc.small)), table);
    __m256i more = _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256(v_load16(etc.large)), table);
    __m256i color[4] = {
        _mm256_adds_epu8(base.color, less), _mm256_adds_epu8(base.color, more),
        _mm256_subs_epu8(base.color, less), _mm256_subs_epu8(base.color, more)};
    out->special = 0;
    if (base.other_modes)
        out->special = etc_other_modes(v, &base, color);
    for (unsigned i = 0; i < 2; i++)
        out->colors[i] = _mm512_inserti64x4(
            _mm512_castsi256_si512(color[2 * i]), color[2 * i + 1], 1);
    out->numbers = etc_numbers_of_four(v);
}

#endif
