/* rows_avx2.h: rows of a 4x4 block as the vectors of
 * base/simd/simd16_avx2.h: shuffles between lane order and memory order, loads
 * and stores. */
#ifndef ENGINE_RASTER_X86_ROWS_AVX2_H
#define ENGINE_RASTER_X86_ROWS_AVX2_H

#include "base/simd/simd16_avx2.h"
#include "engine/raster/x86/narrow_rows.h"

/* ---- order. A lane's number is 4 * quad + pixel; pieces are 16 bytes ---- */

/* Quads to rows of four pixels, or back. */
LANES_INLINE vi
i_rows(vi v)
{
    return (vi){_mm256_permute4x64_epi64(v.low, 0xd8),
                _mm256_permute4x64_epi64(v.high, 0xd8)};
}

/* Interleaves the first or second halves of each piece of a and b, dword by
 * dword. */
LANES_INLINE vi
i_zip_low(vi a, vi b)
{
    return (vi){_mm256_unpacklo_epi32(a.low, b.low),
                _mm256_unpacklo_epi32(a.high, b.high)};
}

LANES_INLINE vi
i_zip_high(vi a, vi b)
{
    return (vi){_mm256_unpackhi_epi32(a.low, b.low),
                _mm256_unpackhi_epi32(a.high, b.high)};
}

/* Likewise qword by qword. */
LANES_INLINE vi
i_zip2_low(vi a, vi b)
{
    return (vi){_mm256_unpacklo_epi64(a.low, b.low),
                _mm256_unpacklo_epi64(a.high, b.high)};
}

LANES_INLINE vi
i_zip2_high(vi a, vi b)
{
    return (vi){_mm256_unpackhi_epi64(a.low, b.low),
                _mm256_unpackhi_epi64(a.high, b.high)};
}

/* Broadcasts the last dword of each piece within the piece. */
LANES_INLINE vf
f_last_of_piece(vf v)
{
    return (vf){_mm256_permute_ps(v.low, 0xff),
                _mm256_permute_ps(v.high, 0xff)};
}

/* Pieces a0 b0 a2 b2, and a1 b1 a3 b3. */
LANES_INLINE vi
i_even(vi a, vi b)
{
    return (vi){_mm256_permute2x128_si256(a.low, b.low, 0x20),
                _mm256_permute2x128_si256(a.high, b.high, 0x20)};
}

LANES_INLINE vi
i_odd(vi a, vi b)
{
    return (vi){_mm256_permute2x128_si256(a.low, b.low, 0x31),
                _mm256_permute2x128_si256(a.high, b.high, 0x31)};
}

/* From lanes of two vectors to rows, with two pixels a b a b per piece. */
LANES_INLINE vi
i_left_pairs(vi a, vi b)
{
    return i_even(i_zip_low(a, b), i_zip_high(a, b));
}

LANES_INLINE vi
i_right_pairs(vi a, vi b)
{
    return i_odd(i_zip_low(a, b), i_zip_high(a, b));
}

#define PICK_DWORDS(a, b, which)                                  \
    _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), \
                                          _mm256_castsi256_ps(b), which))

/* And back. */
LANES_INLINE vi
i_first_of_pairs(vi left, vi right)
{
    vi upper = i_even(left, right), lower = i_odd(left, right);
    return (vi){PICK_DWORDS(upper.low, lower.low, 0x88),
                PICK_DWORDS(upper.high, lower.high, 0x88)};
}

LANES_INLINE vi
i_second_of_pairs(vi left, vi right)
{
    vi upper = i_even(left, right), lower = i_odd(left, right);
    return (vi){PICK_DWORDS(upper.low, lower.low, 0xdd),
                PICK_DWORDS(upper.high, lower.high, 0xdd)};
}

/* ---- pixels of four channels ---- */

/* Four channels as half floats to two columns of two pixels a row. */
LANES_INLINE void
i_columns_of_halves(const vf v[4], vi e[2])
{
    vi c[4];
    for (unsigned i = 0; i < 4; i++)
        c[i] = i_half_from_float(v[i]);
    vi rg = i_or(c[0], i_shl(c[1], 16)), ba = i_or(c[2], i_shl(c[3], 16));
    vi low = i_zip_low(rg, ba), high = i_zip_high(rg, ba);
    e[0] = i_even(low, high);
    e[1] = i_odd(low, high);
}

LANES_INLINE void
f_from_halves(const vi e[2], vf v[4])
{
    const vi first = i_all(0xffff);
    vi low = i_even(e[0], e[1]), high = i_odd(e[0], e[1]);
    vi even = i_zip_low(low, high), odd = i_zip_high(low, high);
    vi rg = i_zip_low(even, odd), ba = i_zip_high(even, odd);
    v[0] = f_from_half(i_and(rg, first));
    v[1] = f_from_half(i_shr(rg, 16));
    v[2] = f_from_half(i_and(ba, first));
    v[3] = f_from_half(i_shr(ba, 16));
}

/* From lanes of two words each, whose high halves are ignored, to rows. */
LANES_INLINE vi
i_rows_of_words(vi low, vi high)
{
    return i_rows(i_or(i_and(low, i_all(0xffff)), i_shl(high, 16)));
}

LANES_INLINE __m256i
half_of_places(__m256i a, __m256i b, __m256i c, __m256i d)
{
    const __m256i twice = _mm256_set1_epi16(510), zero = _mm256_setzero_si256();
    /* Four pixels of a quad, from four bytes per channel. */
    const __m256i pixels = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m256i rg = _mm256_mulhi_epu16(_mm256_packus_epi32(a, b), twice);
    __m256i ba = _mm256_mulhi_epu16(_mm256_packus_epi32(c, d), twice);
    __m256i bytes = _mm256_packus_epi16(_mm256_avg_epu16(rg, zero),
                                        _mm256_avg_epu16(ba, zero));
    return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(bytes, pixels), 0xd8);
}

/* From lanes of four i_places_16() to rows of bytes. With at most 16 bits
 * rt_unorm_from_float() is (x * 510 / 65536 + 1) / 2: halving the integer and
 * rounding up rounds x * 255 / 65536. */
LANES_INLINE vi
i_rows_of_places(const vi x[4])
{
    return (vi){half_of_places(x[0].low, x[1].low, x[2].low, x[3].low),
                half_of_places(x[0].high, x[1].high, x[2].high, x[3].high)};
}

/* Byte n of each lane, times 257. */
LANES_INLINE vi
i_byte_twice(vi v, unsigned n)
{
    const __m256i all = _mm256_setr_epi32(
        (int)(0x80800000 + n * 0x101), (int)(0x80800404 + n * 0x101),
        (int)(0x80800808 + n * 0x101), (int)(0x80800c0c + n * 0x101),
        (int)(0x80800000 + n * 0x101), (int)(0x80800404 + n * 0x101),
        (int)(0x80800808 + n * 0x101), (int)(0x80800c0c + n * 0x101));
    return (vi){_mm256_shuffle_epi8(v.low, all),
                _mm256_shuffle_epi8(v.high, all)};
}

/* ---- memory: four rows, pitch_B apart ---- */

LANES_INLINE vi
i_load_line(const uint8_t *p)
{
    const __m256i *m = (const __m256i *)(const void *)p;
    return (vi){_mm256_loadu_si256(m), _mm256_loadu_si256(m + 1)};
}

LANES_INLINE void
i_store_line(uint8_t *p, vi v)
{
    __m256i *m = (__m256i *)(void *)p;
    _mm256_storeu_si256(m, v.low);
    _mm256_storeu_si256(m + 1, v.high);
}

/* Bypasses the caches; the address must be a multiple of 64. */
LANES_INLINE void
i_stream_line(uint8_t *p, vi v)
{
    __m256i *m = (__m256i *)(void *)p;
    _mm256_stream_si256(m, v.low);
    _mm256_stream_si256(m + 1, v.high);
}

LANES_INLINE __m128i
load_row(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

LANES_INLINE vi
i_load_rows(const uint8_t *p, size_t pitch_B)
{
    return (vi){
        _mm256_set_m128i(load_row(p + pitch_B), load_row(p)),
        _mm256_set_m128i(load_row(p + 3 * pitch_B), load_row(p + 2 * pitch_B)),
    };
}

LANES_INLINE void
store_row(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

LANES_INLINE void
i_store_rows(uint8_t *p, size_t pitch_B, vi v)
{
    store_row(p, _mm256_castsi256_si128(v.low));
    store_row(p + pitch_B, _mm256_extracti128_si256(v.low, 1));
    store_row(p + 2 * pitch_B, _mm256_castsi256_si128(v.high));
    store_row(p + 3 * pitch_B, _mm256_extracti128_si256(v.high, 1));
}

/* Lanes of 16 bits in memory. */
LANES_INLINE vi
i_load_rows_16(const uint8_t *p, size_t pitch_B)
{
    __m128i top = load_two_8(p, p + pitch_B);
    __m128i bottom = load_two_8(p + 2 * pitch_B, p + 3 * pitch_B);
    return (vi){_mm256_cvtepu16_epi32(top), _mm256_cvtepu16_epi32(bottom)};
}

LANES_INLINE void
i_store_rows_16(uint8_t *p, size_t pitch_B, vi v)
{
    __m256i words = _mm256_packus_epi32(v.low, v.high);
    __m128i even = _mm256_castsi256_si128(words); /* rows 0 and 2 */
    __m128i odd = _mm256_extracti128_si256(words, 1);
    _mm_storel_epi64((__m128i *)(void *)p, even);
    _mm_storel_epi64((__m128i *)(void *)(p + pitch_B), odd);
    _mm_storel_epi64((__m128i *)(void *)(p + 2 * pitch_B),
                     _mm_unpackhi_epi64(even, even));
    _mm_storel_epi64((__m128i *)(void *)(p + 3 * pitch_B),
                     _mm_unpackhi_epi64(odd, odd));
}

/* Lanes of 8 bits in memory. */
LANES_INLINE vi
i_load_rows_8(const uint8_t *p, size_t pitch_B)
{
    __m128i bytes = load_four_4(p, pitch_B);
    return (vi){_mm256_cvtepu8_epi32(bytes),
                _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8))};
}

LANES_INLINE void
i_store_rows_8(uint8_t *p, size_t pitch_B, vi v)
{
    __m256i words = _mm256_packus_epi32(v.low, v.high);
    __m256i bytes = _mm256_packus_epi16(words, words);
    __m128i even = _mm256_castsi256_si128(bytes); /* rows 0 and 2 */
    __m128i odd = _mm256_extracti128_si256(bytes, 1);
    store_4(p, (uint32_t)_mm_cvtsi128_si32(even));
    store_4(p + pitch_B, (uint32_t)_mm_cvtsi128_si32(odd));
    store_4(p + 2 * pitch_B, (uint32_t)_mm_extract_epi32(even, 1));
    store_4(p + 3 * pitch_B, (uint32_t)_mm_extract_epi32(odd, 1));
}

#endif
