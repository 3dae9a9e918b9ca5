/* rows_avx512.h: rows of a 4x4 block as the vectors of
 * base/simd/simd16_avx512.h: shuffles between lane order and memory order,
 * loads and stores. */
#ifndef ENGINE_RASTER_X86_ROWS_AVX512_H
#define ENGINE_RASTER_X86_ROWS_AVX512_H

#include "base/simd/simd16_avx512.h"
#include "engine/raster/x86/narrow_rows.h"

/* ---- order. A lane's number is 4 * quad + pixel; pieces are 16 bytes ---- */

/* Quads to rows of four pixels, or back. */
LANES_INLINE vi
i_rows(vi v)
{
    return _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 14, 11, 10, 13, 12, 9, 8, 7, 6, 3, 2, 5, 4, 1, 0),
        v);
}

/* Interleaves the first or second halves of each piece of a and b, qword by
 * qword. */
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

/* Broadcasts the last dword of each piece within the piece. */
LANES_INLINE vf
f_last_of_piece(vf v)
{
    return _mm512_permute_ps(v, 0xff);
}

/* From lanes of two vectors to rows, with two pixels a b a b per piece. */
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

/* A constant in each 16-bit element of a qword. */
#define EACH_16(v) ((v)*INT64_C(0x0001000100010001))

/* Four channels as half floats to two columns of two pixels a row. */
LANES_INLINE void
i_columns_of_halves(const vf v[4], vi e[2])
{
    /* Indices of a pixel's four channels, in two vectors of two channels each.
     */
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
    /* Indices of a quad's pixels in one channel, then of all quads in two
     * channels. */
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

/* From lanes of two words each, whose high halves are ignored, to rows. */
LANES_INLINE vi
i_rows_of_words(vi low, vi high)
{
    const vi rows = _mm512_set_epi32(0x3e001e, 0x3c001c, 0x360016, 0x340014,
                                     0x3a001a, 0x380018, 0x320012, 0x300010,
                                     0x2e000e, 0x2c000c, 0x260006, 0x240004,
                                     0x2a000a, 0x280008, 0x220002, 0x200000);
    return _mm512_permutex2var_epi16(low, rows, high);
}

/* From lanes of four i_places_16() to rows of bytes. With at most 16 bits
 * rt_unorm_from_float() is (x * 510 / 65536 + 1) / 2: halving the integer and
 * rounding up rounds x * 255 / 65536. */
LANES_INLINE vi
i_rows_of_places(const vi x[4])
{
    const vi twice = _mm512_set1_epi16(510), zero = _mm512_setzero_si512();
    /* Four pixels of a quad, from four bytes per channel. */
    const vi pixels = _mm512_set4_epi32(0x0f0b0703, 0x0e0a0602, 0x0d090501,
                                        0x0c080400);
    vi rg = _mm512_mulhi_epu16(_mm512_packus_epi32(x[0], x[1]), twice);
    vi ba = _mm512_mulhi_epu16(_mm512_packus_epi32(x[2], x[3]), twice);
    vi bytes = _mm512_packus_epi16(_mm512_avg_epu16(rg, zero),
                                   _mm512_avg_epu16(ba, zero));
    return _mm512_permutex_epi64(_mm512_shuffle_epi8(bytes, pixels), 0xd8);
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

/* Stores only the dwords of a line whose bits are set. */
#define I_STORES_LANES
LANES_INLINE void
i_store_lanes(uint8_t *p, uint32_t set, vi v)
{
    _mm512_mask_storeu_epi32(p, (__mmask16)set, v);
}

/* Bypasses the caches; the address must be a multiple of 64. */
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
