/* footprint_bytes4.h: filters texels of four bytes from copied rows; a part of
 * footprint_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_BYTES4_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_BYTES4_H

#include "sampler/plan/x86/footprint/footprint_transpose.h"

/* 255 - w and w, twice. */
INLINE __m256i
column_weights(vint x)
{
    vint w = x & 0xff, both = (w << 8 | w) ^ 0xff;
    return (__m256i)(both << 16 | both);
}

/* 256 - w and w. */
INLINE __m256i
row_weights(vint y)
{
    vint w = y & 0xff;
    return (__m256i)((256 - w) | w << 16);
}

/* Filters the corners of two lanes, four channels each: bytes less 128, times
 * 65536. */
INLINE __m256i
filter_corners(__m256i t, __m256i columns, __m256i rows)
{
    const __m256i pairs = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    t = _mm256_shuffle_epi8(t, pairs);
    __m256i row = _mm256_add_epi16(
        _mm256_maddubs_epi16(columns, t),
        _mm256_maddubs_epi16(_mm256_set1_epi16(1), t));
    return _mm256_madd_epi16(row, rows);
}

/* Filters lanes k and k + 4. */
INLINE __m256i
filter_two(const struct copy *c, const int32_t from[LANES], unsigned k,
           __m256i columns, __m256i rows)
{
    const uint8_t *a = c->row[0] + from[k], *b = c->row[0] + from[k + 4];
    __m256i t = _mm256_set_m128i(v_load8_pair(b, b + COPY_PITCH_B),
                                 v_load8_pair(a, a + COPY_PITCH_B));
    return filter_corners(t, columns, rows);
}

/* Four channels each of lanes 0 and 4, 1 and 5, and so on; bytes less 128,
 * times 65536. */
struct sums {
    __m256i f[4];
};
struct both_sums {
    struct sums low, high;
};

INLINE struct lanes_color
transpose_sums(const struct sums *s)
{
    struct lanes_color sum = transpose_pixels(s->f);
    for (unsigned c = 0; c < 4; c++)
        sum.c[c] = v_float((vint)sum.c[c] + (128 << 16));
    return sum;
}

INLINE struct sums
filter_copy(const struct copy *c, vint in, vint x, vint y)
{
    alignas(32) int32_t from[LANES];
    find_offsets(in, from);
    __m256i columns = column_weights(x), rows = row_weights(y);
    struct sums s;
#define TWO(k)                                                               \
    s.f[k] = filter_two(c, from, k, _mm256_shuffle_epi32(columns, (k)*0x55), \
                        _mm256_shuffle_epi32(rows, (k)*0x55))
    TWO(0);
    TWO(1);
    TWO(2);
    TWO(3);
#undef TWO
    return s;
}

#endif
