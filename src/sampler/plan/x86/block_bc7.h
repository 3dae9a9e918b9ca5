/* block_bc7.h: branch-free decoder of a BC7 block; a part of footprint_vbmi.c.
 * The places of a mode's fields are data and all modes take the same steps,
 * because branches on the mode would be mispredicted.
 *
 * The bytes are those of decode_bptc.c. */
#ifndef SAMPLER_PLAN_X86_BLOCK_BC7_H
#define SAMPLER_PLAN_X86_BLOCK_BC7_H

#include "sampler/format/bptc_partitions.h"
#include "sampler/plan/x86/texel_tmpl.h"

/* Layout of end points as words: four subsets, one more than BC7 has. Each has
 * both ends' red, both ends' green and so on. */
#define END_WORDS(word, ...)                    \
    {                                           \
        SUBSET_WORDS(word, 0, __VA_ARGS__),     \
            SUBSET_WORDS(word, 2, __VA_ARGS__), \
            SUBSET_WORDS(word, 4, __VA_ARGS__), \
            SUBSET_WORDS(word, 6, __VA_ARGS__)  \
    }
#define SUBSET_WORDS(word, e, ...)                              \
    word(e, 0, __VA_ARGS__), word((e) + 1, 0, __VA_ARGS__),     \
        word(e, 1, __VA_ARGS__), word((e) + 1, 1, __VA_ARGS__), \
        word(e, 2, __VA_ARGS__), word((e) + 1, 2, __VA_ARGS__), \
        word(e, 3, __VA_ARGS__), word((e) + 1, 3, __VA_ARGS__)

/* Parameters of mode data: first end point's bit, number of ends, bits of a
 * colour, bits of alpha. share: number of ends that share a low bit (p-bit), or
 * 0. */
#define WIDTH(c, color, alpha) ((c) < 3 ? (color) : (alpha))
#define PLACE(e, c, first, ends, color, alpha) \
    ((first) + (c) * (ends) * (color) + (e)*WIDTH(c, color, alpha))
#define LOW_PLACE(e, first, ends, color, alpha, share) \
    ((first) + (ends) * (3 * (color) + (alpha)) + (e) / ((share) ? (share) : 1))
#define IS_THERE(e, c, ends, color, alpha) \
    ((e) < (ends) && WIDTH(c, color, alpha) > 0)
#define PRECISION(c, color, alpha, share) \
    (WIDTH(c, color, alpha) + ((share) > 0))

/* Shuffle indices of the two bytes that hold a field; for an absent field they
 * select zeros. */
#define BYTES_AT(there, bit) \
    ((there) ? (uint16_t)((bit) / 8 | ((bit) / 8 + 1) << 8) : 0x3f3f)
#define FROM(e, c, first, ends, color, alpha, share) \
    BYTES_AT(IS_THERE(e, c, ends, color, alpha),     \
             PLACE(e, c, first, ends, color, alpha))
#define LEFT(e, c, first, ends, color, alpha, share)             \
    (uint16_t)(16 - PLACE(e, c, first, ends, color, alpha) % 8 - \
               WIDTH(c, color, alpha))
#define KEEP(e, c, first, ends, color, alpha, share) \
    (0xff & ~(0xff >> WIDTH(c, color, alpha)))
#define LOW_FROM(e, c, first, ends, color, alpha, share)    \
    BYTES_AT((share) && IS_THERE(e, c, ends, color, alpha), \
             LOW_PLACE(e, first, ends, color, alpha, share))
#define LOW_BIT(e, c, first, ends, color, alpha, share) \
    (1 << LOW_PLACE(e, first, ends, color, alpha, share) % 8)
#define LOW_VALUE(e, c, first, ends, color, alpha, share) \
    ((share) ? 0x80 >> WIDTH(c, color, alpha) : 0)
#define AGAIN(e, c, first, ends, color, alpha, share) \
    PRECISION(c, color, alpha, share)
#define FILL(e, c, first, ends, color, alpha, share) \
    (WIDTH(c, color, alpha) ? 0 : 255)

struct bc7_indices {
    uint8_t at, bits;
};

struct bc7_mode {
    alignas(64) uint16_t from[32], left[32], keep[32]; /* fields, to bit 7 */
    uint16_t low_from[32], low_bit[32], low_value[32]; /* p-bits */
    uint16_t again[32], fill[32];
    uint8_t subsets_less_1, partitions_less_1;
    uint8_t rotations_less_1, selection; /* masks of the head's fields */
    struct bc7_indices indices[2];
};

#define ENDS(...)                                   \
    .from = END_WORDS(FROM, __VA_ARGS__),           \
    .left = END_WORDS(LEFT, __VA_ARGS__),           \
    .keep = END_WORDS(KEEP, __VA_ARGS__),           \
    .low_from = END_WORDS(LOW_FROM, __VA_ARGS__),   \
    .low_bit = END_WORDS(LOW_BIT, __VA_ARGS__),     \
    .low_value = END_WORDS(LOW_VALUE, __VA_ARGS__), \
    .again = END_WORDS(AGAIN, __VA_ARGS__),         \
    .fill = END_WORDS(FILL, __VA_ARGS__)
static const struct bc7_mode bc7_modes[8] = {
    {ENDS(5, 6, 4, 0, 1), 2, 15, 0, 0, {{83, 3}, {83, 3}}},
    {ENDS(8, 4, 6, 0, 2), 1, 63, 0, 0, {{82, 3}, {82, 3}}},
    {ENDS(9, 6, 5, 0, 0), 2, 63, 0, 0, {{99, 2}, {99, 2}}},
    {ENDS(10, 4, 7, 0, 1), 1, 63, 0, 0, {{98, 2}, {98, 2}}},
    {ENDS(8, 2, 5, 6, 0), 0, 0, 3, 4, {{50, 2}, {81, 3}}},
    {ENDS(8, 2, 7, 8, 0), 0, 0, 3, 0, {{66, 2}, {97, 2}}},
    {ENDS(7, 2, 7, 7, 1), 0, 0, 0, 0, {{65, 4}, {65, 4}}},
    {ENDS(14, 4, 5, 5, 1), 1, 63, 0, 0, {{98, 2}, {98, 2}}},
};
#undef ENDS

/* bytes: shuffle to 16 texels for each rotation. words: a subset's end point
 * words, two per channel pair. */
#define REPEAT8(w) w, w, w, w, w, w, w, w
#define TEXEL_BYTES(t, r, g, b, a) \
    8 * (t) + 2 * (r), 8 * (t) + 2 * (g), 8 * (t) + 2 * (b), 8 * (t) + 2 * (a)
#define ALL_BYTES(...)                                                  \
    {                                                                   \
        TEXEL_BYTES(0, __VA_ARGS__), TEXEL_BYTES(1, __VA_ARGS__),       \
            TEXEL_BYTES(2, __VA_ARGS__), TEXEL_BYTES(3, __VA_ARGS__),   \
            TEXEL_BYTES(4, __VA_ARGS__), TEXEL_BYTES(5, __VA_ARGS__),   \
            TEXEL_BYTES(6, __VA_ARGS__), TEXEL_BYTES(7, __VA_ARGS__),   \
            TEXEL_BYTES(8, __VA_ARGS__), TEXEL_BYTES(9, __VA_ARGS__),   \
            TEXEL_BYTES(10, __VA_ARGS__), TEXEL_BYTES(11, __VA_ARGS__), \
            TEXEL_BYTES(12, __VA_ARGS__), TEXEL_BYTES(13, __VA_ARGS__), \
            TEXEL_BYTES(14, __VA_ARGS__), TEXEL_BYTES(15, __VA_ARGS__)  \
    }
#define TEXEL_WEIGHTS(t) (t), (t), (t), (t) + 32
static const struct {
    alignas(64) uint16_t weights[2][32];
    uint64_t words[8];
    uint8_t bytes[4][64];            /* for each rotation */
    alignas(16) uint8_t step[5][16]; /* first bit of each index */
    uint8_t weight[5][16];
    uint64_t second, third; /* offset to a subset's words, from subset 0 */
    int32_t half;
} bc7 = {
    .weights = {{TEXEL_WEIGHTS(0), TEXEL_WEIGHTS(1), TEXEL_WEIGHTS(2),
                 TEXEL_WEIGHTS(3), TEXEL_WEIGHTS(4), TEXEL_WEIGHTS(5),
                 TEXEL_WEIGHTS(6), TEXEL_WEIGHTS(7)},
                {TEXEL_WEIGHTS(8), TEXEL_WEIGHTS(9), TEXEL_WEIGHTS(10),
                 TEXEL_WEIGHTS(11), TEXEL_WEIGHTS(12), TEXEL_WEIGHTS(13),
                 TEXEL_WEIGHTS(14), TEXEL_WEIGHTS(15)}},
    .words = {REPEAT8(UINT64_C(0x0003000200010000))},
    .bytes = {ALL_BYTES(0, 1, 2, 3), ALL_BYTES(3, 1, 2, 0),
              ALL_BYTES(0, 3, 2, 1), ALL_BYTES(0, 1, 3, 2)},
    .step = {[2] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
             [3] = {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45},
             [4] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56,
                    60}},
    .weight = {[2] = {0, 21, 43, 64},
               [3] = {0, 9, 18, 27, 37, 46, 55, 64},
               [4] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60,
                      64}},
    .second = UINT64_C(0x0004000400040004),
    .third = UINT64_C(0x0008000800080008),
    .half = 32 << 16 | 32,
};

INLINE __m512i
bc7_table(const void *table)
{
    return _mm512_load_si512(table);
}

/* Extracts both ends of each subset, a byte each. */
INLINE __m512i
bc7_ends(const struct bc7_mode *m, __m512i block)
{
    __m512i v = _mm512_permutexvar_epi8(bc7_table(m->from), block);
    v = _mm512_srli_epi16(_mm512_sllv_epi16(v, bc7_table(m->left)), 8);
    v = _mm512_and_si512(v, bc7_table(m->keep));
    __mmask32 low = _mm512_test_epi16_mask(
        _mm512_permutexvar_epi8(bc7_table(m->low_from), block),
        bc7_table(m->low_bit));
    enum { OR_OR = 0xfe };
    v = _mm512_or_si512(v,
                        _mm512_maskz_mov_epi16(low, bc7_table(m->low_value)));
    v = _mm512_ternarylogic_epi32(v, _mm512_srlv_epi16(v, bc7_table(m->again)),
                                  bc7_table(m->fill), OR_OR);
    return _mm512_zextsi256_si512(_mm512_cvtepi16_epi8(v));
}

/* Interleaves 64 - w and w for each texel. The first texel of each subset has
 * an index without its top bit. */
INLINE __m512i
bc7_weights(unsigned __int128 block, const struct bc7_indices *i,
            const struct bptc_partition *p)
{
    uint64_t all = UINT64_MAX >> (64 - 16 * i->bits);
    uint64_t top = UINT64_C(1) << (i->bits - 1);
    uint64_t there = all & ~top & ~(top << p->anchor1 * i->bits) &
                     ~(top << p->anchor2 * i->bits);
    uint64_t bits = _pdep_u64((uint64_t)(block >> i->at), there);
    __m128i n = _mm_multishift_epi64_epi8(
        _mm_load_si128((const __m128i *)(const void *)bc7.step[i->bits]),
        _mm_set1_epi64x((int64_t)bits));
    n = _mm_and_si128(n, _mm_set1_epi8((char)((1 << i->bits) - 1)));
    __m128i w = _mm_shuffle_epi8(
        _mm_load_si128((const __m128i *)(const void *)bc7.weight[i->bits]), n);
    __m128i rest = _mm_sub_epi8(_mm_set1_epi8(64), w);
    return _mm512_zextsi256_si512(_mm256_set_m128i(_mm_unpackhi_epi8(rest, w),
                                                   _mm_unpacklo_epi8(rest, w)));
}

/* Interpolates eight texels, channels as words. */
INLINE __m512i
bc7_mix(__m512i ends, __m512i color, __m512i alpha, const uint16_t weights[32],
        __mmask8 in1, __mmask8 in2)
{
    __m512i at = bc7_table(bc7.words);
    at = _mm512_mask_add_epi64(at, in1, at, _mm512_set1_epi64(bc7.second));
    at = _mm512_mask_add_epi64(at, in2, at, _mm512_set1_epi64(bc7.third));
    __m512i both = _mm512_permutexvar_epi16(at, ends);
    __m512i w = _mm512_permutex2var_epi16(color, bc7_table(weights), alpha);
    __m512i sum = _mm512_add_epi16(_mm512_maddubs_epi16(both, w),
                                   (__m512i)v_constant(&bc7.half));
    return _mm512_srli_epi16(sum, 6);
}

/* Decodes sixteen texels of four bytes. */
INLINE __m512i
decode_bc7_block(const uint64_t bits[2])
{
    if (!(bits[0] & 0xff)) /* no mode bit: reserved */
        return _mm512_setzero_si512();
    unsigned number = (unsigned)__builtin_ctzll(bits[0]);
    const struct bc7_mode *m = &bc7_modes[number];
    uint64_t head = bits[0] >> (number + 1);
    const struct bptc_partition
        *p = &bptc_partitions[m->subsets_less_1][head & m->partitions_less_1];
    unsigned swapped = (head & m->selection) != 0;
    unsigned __int128 block = (unsigned __int128)bits[1] << 64 | bits[0];
    __m512i ends = bc7_ends(m, _mm512_zextsi128_si512(_mm_loadu_si128(
                                   (const __m128i *)(const void *)bits)));
    __m512i color = bc7_weights(block, &m->indices[swapped], p);
    __m512i alpha = bc7_weights(block, &m->indices[!swapped], p);
    __m512i first = bc7_mix(ends, color, alpha, bc7.weights[0],
                            (__mmask8)p->in1, (__mmask8)p->in2);
    __m512i second = bc7_mix(ends, color, alpha, bc7.weights[1],
                             (__mmask8)(p->in1 >> 8), (__mmask8)(p->in2 >> 8));
    return _mm512_permutex2var_epi8(
        first, bc7_table(bc7.bytes[head & m->rotations_less_1]), second);
}

#endif
