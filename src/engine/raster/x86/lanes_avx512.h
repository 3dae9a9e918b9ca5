/* lanes_avx512.h: sixteen lanes in one register. The same names as in
 * lanes_avx2.h; rt_tmpl.h is written in them. Arithmetic rounds to nearest
 * whatever MXCSR says; only denormals follow it. */
#ifndef LANES_AVX512_H
#define LANES_AVX512_H

#include "engine/raster/x86/rows.h"

#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

typedef __m512 vf;
typedef __m512i vi;

/* Four of the lanes' vectors as arguments of a function, and what they are
 * there. */
#define F_ARGS vf r, vf g, vf b, vf a
#define F_NAMES r, g, b, a
#define F_PASSED   \
    {              \
        r, g, b, a \
    }
/* The same of two threads. */
#define F_ARGS_OF_TWO F_ARGS, vf r1, vf g1, vf b1, vf a1
#define F_NAMES_OF_SECOND r1, g1, b1, a1
#define F_PASSED_SECOND \
    {                   \
        r1, g1, b1, a1  \
    }

LANES_INLINE vf
f_load(const void *p)
{
    return _mm512_loadu_ps(p);
}

LANES_INLINE vf
f_all(float v)
{
    return _mm512_set1_ps(v);
}

LANES_INLINE vi
i_all(uint32_t v)
{
    return _mm512_set1_epi32((int)v);
}

LANES_INLINE vi
i_from_bits(vf v)
{
    return _mm512_castps_si512(v);
}

LANES_INLINE vf
f_from_bits(vi v)
{
    return _mm512_castsi512_ps(v);
}

LANES_INLINE vf
f_add(vf a, vf b)
{
    return _mm512_add_round_ps(a, b, NEAREST);
}

LANES_INLINE vf
f_sub(vf a, vf b)
{
    return _mm512_sub_round_ps(a, b, NEAREST);
}

LANES_INLINE vf
f_mul(vf a, vf b)
{
    return _mm512_mul_round_ps(a, b, NEAREST);
}

/* a * b + c, rounded once. */
LANES_INLINE vf
f_fma(vf a, vf b, vf c)
{
    return _mm512_fmadd_round_ps(a, b, c, NEAREST);
}

/* a > b ? a : b and a < b ? a : b. */
LANES_INLINE vf
f_max(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}

LANES_INLINE vf
f_min(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}

/* a, or b where x is no number. */
LANES_INLINE vf
f_unless_nan(vf x, vf a, vf b)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), a, b);
}

/* Whether any lane of four vectors is no number. */
LANES_INLINE bool
f_any_nan(const vf v[4])
{
    return !_mm512_kortestz(_mm512_cmp_ps_mask(v[0], v[1], _CMP_UNORD_Q),
                            _mm512_cmp_ps_mask(v[2], v[3], _CMP_UNORD_Q));
}

LANES_INLINE vf
f_from_int(vi v)
{
    return _mm512_cvt_roundepi32_ps(v, NEAREST);
}

/* Rounded to the nearest integer. */
LANES_INLINE vi
i_nearest(vf v)
{
    return _mm512_cvt_roundps_epi32(v, NEAREST);
}

LANES_INLINE vi
i_and(vi a, vi b)
{
    return _mm512_and_si512(a, b);
}

LANES_INLINE vi
i_or(vi a, vi b)
{
    return _mm512_or_si512(a, b);
}

LANES_INLINE vi
i_xor(vi a, vi b, vi c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}

/* a ^ flip and (a & b) ^ flip. */
LANES_INLINE vi
i_flip(vi a, vi flip)
{
    return _mm512_xor_si512(a, flip);
}

LANES_INLINE vi
i_and_flip(vi a, vi b, vi flip)
{
    return _mm512_ternarylogic_epi32(a, b, flip, 0x6a);
}

LANES_INLINE vi
i_add(vi a, vi b)
{
    return _mm512_add_epi32(a, b);
}

LANES_INLINE vi
i_sub(vi a, vi b)
{
    return _mm512_sub_epi32(a, b);
}

LANES_INLINE vi
i_shl(vi v, unsigned n)
{
    return _mm512_slli_epi32(v, n);
}

LANES_INLINE vi
i_shr(vi v, unsigned n)
{
    return _mm512_srli_epi32(v, n);
}

/* The lesser, unsigned. */
LANES_INLINE vi
i_least(vi a, vi b)
{
    return _mm512_min_epu32(a, b);
}

/* The greater, signed. */
LANES_INLINE vi
i_greatest(vi a, vi b)
{
    return _mm512_max_epi32(a, b);
}

/* Signed a > b ? x : y. */
LANES_INLINE vi
i_if_greater(vi a, vi b, vi x, vi y)
{
    return _mm512_mask_blend_epi32(_mm512_cmpgt_epi32_mask(a, b), y, x);
}

/* Bits of a where `which` is zero, of b where it is one. */
LANES_INLINE vi
i_merge(vi a, vi b, vi which)
{
    return _mm512_ternarylogic_epi32(which, b, a, 0xca);
}

/* All ones in the lanes of a mask. */
LANES_INLINE vi
i_lanes(uint32_t mask)
{
    return _mm512_movm_epi32((__mmask16)mask);
}

/* Half floats in the low halves of the lanes. */
LANES_INLINE vi
i_half_from_float(vf v)
{
    return _mm512_cvtepu16_epi32(_mm512_cvtps_ph(v, NEAREST));
}

LANES_INLINE vf
f_from_half(vi v)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v));
}

/* ---- sets of lanes ---- */

typedef __mmask16 vl;

LANES_INLINE vl
l_of_bits(uint32_t bits)
{
    return (vl)bits;
}

LANES_INLINE unsigned
l_bits(vl set)
{
    return set;
}

LANES_INLINE vl
l_and(vl a, vl b)
{
    return _kand_mask16(a, b);
}

LANES_INLINE vl
l_xor(vl a, vl b)
{
    return _kxor_mask16(a, b);
}

/* Those of a set with a < b and with a == b, integers and floats. */
LANES_INLINE vl
l_less(vl set, vi a, vi b)
{
    return _mm512_mask_cmplt_epi32_mask(set, a, b);
}

LANES_INLINE vl
l_equal(vl set, vi a, vi b)
{
    return _mm512_mask_cmpeq_epi32_mask(set, a, b);
}

LANES_INLINE vl
l_below(vl set, vf a, vf b)
{
    return _mm512_mask_cmp_ps_mask(set, a, b, _CMP_LT_OQ);
}

LANES_INLINE vl
l_same(vl set, vf a, vf b)
{
    return _mm512_mask_cmp_ps_mask(set, a, b, _CMP_EQ_OQ);
}

/* b in the lanes of the set, a in the others. */
LANES_INLINE vi
i_pick(vl set, vi a, vi b)
{
    return _mm512_mask_mov_epi32(a, set, b);
}

/* The same, but of b only the bits that are one in `which`. */
LANES_INLINE vi
i_pick_bits(vl set, vi a, vi b, vi which)
{
    return _mm512_mask_ternarylogic_epi32(a, set, b, which, 0xd8);
}

/* ---- double precision: rows of four lanes ---- */

/* x of the column plus y of the row. */
LANES_INLINE vf
f_of_sums(__m256d x, __m256d y)
{
    __m512d columns = _mm512_broadcast_f64x4(x);
    __m512d rows = _mm512_castpd256_pd512(y);
    const __m512i top = _mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0);
    const __m512i bottom = _mm512_set_epi64(3, 3, 3, 3, 2, 2, 2, 2);
    __m256 low = _mm512_cvtpd_ps(
        _mm512_add_pd(columns, _mm512_permutexvar_pd(top, rows)));
    __m256 high = _mm512_cvtpd_ps(
        _mm512_add_pd(columns, _mm512_permutexvar_pd(bottom, rows)));
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

/* ---- order. A lane's number is 4 * quad + pixel; pieces are 16 bytes ---- */

/* Quads to rows of four pixels, or back. */
LANES_INLINE vi
i_rows(vi v)
{
    return _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 14, 11, 10, 13, 12, 9, 8, 7, 6, 3, 2, 5, 4, 1, 0),
        v);
}

/* Of each piece the first or second halves of a and b, qword by qword. */
LANES_INLINE vi
i_zip2_low(vi a, vi b)
{
    return _mm512_unpacklo_epi64(a, b);
}

LANES_INLINE vi
i_zip2_high(vi a, vi b)
{
    return _mm512_unpackhi_epi64(a, b);
}

/* The last dword of each piece in all of it. */
LANES_INLINE vf
f_last_of_piece(vf v)
{
    return _mm512_permute_ps(v, 0xff);
}

/* Lanes of two vectors to rows, of which two pixels are in one: a b a b. */
#define EACH_32(v) ((v)*INT64_C(0x0000000100000001))

LANES_INLINE vi
i_left_pairs(vi a, vi b)
{
    const int64_t px = INT64_C(0x0000001000000000);
    return _mm512_permutex2var_epi32(
        a,
        _mm512_set_epi64(px + EACH_32(11), px + EACH_32(10), px + EACH_32(9),
                         px + EACH_32(8), px + EACH_32(3), px + EACH_32(2),
                         px + EACH_32(1), px),
        b);
}

LANES_INLINE vi
i_right_pairs(vi a, vi b)
{
    const int64_t px = INT64_C(0x0000001000000000);
    return _mm512_permutex2var_epi32(
        a,
        _mm512_set_epi64(px + EACH_32(15), px + EACH_32(14), px + EACH_32(13),
                         px + EACH_32(12), px + EACH_32(7), px + EACH_32(6),
                         px + EACH_32(5), px + EACH_32(4)),
        b);
}

/* And back. */
LANES_INLINE vi
i_first_of_pairs(vi left, vi right)
{
    const vi lanes = _mm512_set_epi32(30, 28, 26, 24, 14, 12, 10, 8, 22, 20, 18,
                                      16, 6, 4, 2, 0);
    return _mm512_permutex2var_epi32(left, lanes, right);
}

LANES_INLINE vi
i_second_of_pairs(vi left, vi right)
{
    const vi lanes = _mm512_set_epi32(31, 29, 27, 25, 15, 13, 11, 9, 23, 21, 19,
                                      17, 7, 5, 3, 1);
    return _mm512_permutex2var_epi32(left, lanes, right);
}

/* ---- pixels of four channels ---- */

/* Elements of a column: x and x + 1 of each row of two, or x of each. */
#define EACH_16(v) ((v)*INT64_C(0x0001000100010001))

/* Four channels as half floats to two columns of two pixels a row. */
LANES_INLINE void
i_columns_of_halves(const vf v[4], vi e[2])
{
    /* A pixel's four channels, of two vectors with two channels each. */
    const int64_t px = INT64_C(0x0030002000100000);
    const vi left = _mm512_set_epi64(
        px + EACH_16(11), px + EACH_16(10), px + EACH_16(9), px + EACH_16(8),
        px + EACH_16(3), px + EACH_16(2), px + EACH_16(1), px);
    const vi right = _mm512_add_epi64(left, _mm512_set1_epi64(EACH_16(4)));
    __m256i c[4];
    EACH_CHANNEL (i)
        c[i] = _mm512_cvtps_ph(v[i], NEAREST);
    vi rg = _mm512_inserti64x4(_mm512_castsi256_si512(c[0]), c[1], 1);
    vi ba = _mm512_inserti64x4(_mm512_castsi256_si512(c[2]), c[3], 1);
    e[0] = _mm512_permutex2var_epi16(rg, left, ba);
    e[1] = _mm512_permutex2var_epi16(rg, right, ba);
}

LANES_INLINE void
f_from_halves(const vi e[2], vf v[4])
{
    /* A quad's pixels in one channel, then all quads in two channels. */
    const int64_t quad = INT64_C(0x000c000800040000);
    const vi rg = _mm512_set_epi64(quad + EACH_16(49), quad + EACH_16(17),
                                   quad + EACH_16(33), quad + EACH_16(1),
                                   quad + EACH_16(48), quad + EACH_16(16),
                                   quad + EACH_16(32), quad);
    const vi ba = _mm512_add_epi64(rg, _mm512_set1_epi64(EACH_16(2)));
    const vi two[2] = {_mm512_permutex2var_epi16(e[0], rg, e[1]),
                       _mm512_permutex2var_epi16(e[0], ba, e[1])};
    LANES_UNROLLED (unsigned i = 0; i < 2; i++) {
        v[2 * i] = _mm512_cvtph_ps(_mm512_castsi512_si256(two[i]));
        v[2 * i + 1] = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(two[i], 1));
    }
}

/* Lanes of two words each, whose high halves do not matter, as rows. */
LANES_INLINE vi
i_rows_of_words(vi low, vi high)
{
    const vi rows = _mm512_set_epi32(0x3e001e, 0x3c001c, 0x360016, 0x340014,
                                     0x3a001a, 0x380018, 0x320012, 0x300010,
                                     0x2e000e, 0x2c000c, 0x260006, 0x240004,
                                     0x2a000a, 0x280008, 0x220002, 0x200000);
    return _mm512_permutex2var_epi16(low, rows, high);
}

/* Byte n of each lane, times 257. */
LANES_INLINE vi
i_byte_twice(vi v, unsigned n)
{
    return _mm512_shuffle_epi8(
        v, _mm512_set4_epi32(
               (int)(0x80800c0c + n * 0x101), (int)(0x80800808 + n * 0x101),
               (int)(0x80800404 + n * 0x101), (int)(0x80800000 + n * 0x101)));
}

/* ---- memory: four rows, pitch_B apart ---- */

LANES_INLINE vi
i_load_line(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

LANES_INLINE void
i_store_line(uint8_t *p, vi v)
{
    _mm512_storeu_si512(p, v);
}

/* To an address that 64 divides, past the caches. */
LANES_INLINE void
i_stream_line(uint8_t *p, vi v)
{
    _mm512_stream_si512((void *)p, v);
}

LANES_INLINE __m128i
load_row(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

LANES_INLINE vi
i_load_rows(const uint8_t *p, size_t pitch_B)
{
    vi v = _mm512_castsi128_si512(load_row(p));
    v = _mm512_inserti32x4(v, load_row(p + pitch_B), 1);
    v = _mm512_inserti32x4(v, load_row(p + 2 * pitch_B), 2);
    return _mm512_inserti32x4(v, load_row(p + 3 * pitch_B), 3);
}

LANES_INLINE void
store_row(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

LANES_INLINE void
i_store_rows(uint8_t *p, size_t pitch_B, vi v)
{
    store_row(p, _mm512_castsi512_si128(v));
    store_row(p + pitch_B, _mm512_extracti32x4_epi32(v, 1));
    store_row(p + 2 * pitch_B, _mm512_extracti32x4_epi32(v, 2));
    store_row(p + 3 * pitch_B, _mm512_extracti32x4_epi32(v, 3));
}

/* Lanes of 16 bits in memory. */
LANES_INLINE vi
i_load_rows_16(const uint8_t *p, size_t pitch_B)
{
    __m128i top = load_two_8(p, p + pitch_B);
    __m128i bottom = load_two_8(p + 2 * pitch_B, p + 3 * pitch_B);
    return _mm512_cvtepu16_epi32(_mm256_set_m128i(bottom, top));
}

LANES_INLINE void
i_store_rows_16(uint8_t *p, size_t pitch_B, vi v)
{
    __m256i words = _mm512_cvtepi32_epi16(v);
    __m128i low = _mm256_castsi256_si128(words);
    __m128i high = _mm256_extracti128_si256(words, 1);
    _mm_storel_epi64((__m128i *)(void *)p, low);
    _mm_storel_epi64((__m128i *)(void *)(p + pitch_B),
                     _mm_unpackhi_epi64(low, low));
    _mm_storel_epi64((__m128i *)(void *)(p + 2 * pitch_B), high);
    _mm_storel_epi64((__m128i *)(void *)(p + 3 * pitch_B),
                     _mm_unpackhi_epi64(high, high));
}

/* Lanes of 8 bits in memory. */
LANES_INLINE vi
i_load_rows_8(const uint8_t *p, size_t pitch_B)
{
    return _mm512_cvtepu8_epi32(load_four_4(p, pitch_B));
}

LANES_INLINE void
i_store_rows_8(uint8_t *p, size_t pitch_B, vi v)
{
    __m128i bytes = _mm512_cvtepi32_epi8(v);
    store_4(p, (uint32_t)_mm_cvtsi128_si32(bytes));
    store_4(p + pitch_B, (uint32_t)_mm_extract_epi32(bytes, 1));
    store_4(p + 2 * pitch_B, (uint32_t)_mm_extract_epi32(bytes, 2));
    store_4(p + 3 * pitch_B, (uint32_t)_mm_extract_epi32(bytes, 3));
}

#endif
