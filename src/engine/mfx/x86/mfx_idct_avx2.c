/* mfx_idct_avx2.c: the inverse DCT of mfx_idct.c, eight rows or columns at a
 * time, with the same bits. Compiled with -mavx2; called only if the processor
 * has it. */
#include "engine/mfx/mfx_idct.h"

#include <immintrin.h>

/* Pairs of factors for _mm256_madd_epi16(). */
static inline __m256i
factors(int first, int second)
{
    return _mm256_set1_epi32((int)((uint32_t)first & 0xffff) | second * 65536);
}

/* Lanes of a and b in turn. */
static inline __m256i
pair_up(__m128i a, __m128i b)
{
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_unpacklo_epi16(a, b)),
        _mm_unpackhi_epi16(a, b), 1);
}

static inline __m256i
add_pairs(__m256i a, int a0, int a1, __m256i b, int b0, int b1)
{
    return _mm256_add_epi32(_mm256_madd_epi16(a, factors(a0, a1)),
                            _mm256_madd_epi16(b, factors(b0, b1)));
}

/* The low 16 bits of sums without `bits` bits. */
static inline __m128i
to_words(__m256i sum, int bits)
{
    __m256i v = _mm256_srai_epi32(sum, bits);
    v = _mm256_and_si256(v, _mm256_set1_epi32(0xffff));
    return _mm_packus_epi32(_mm256_castsi256_si128(v),
                            _mm256_extracti128_si256(v, 1));
}

/* Adds round to each sum, then drops its low bits. */
static inline void
transform_lanes(__m128i x[8], int round, int bits)
{
    __m256i even[4], odd[4], x04 = pair_up(x[0], x[4]);
    __m256i x26 = pair_up(x[2], x[6]), x13 = pair_up(x[1], x[3]);
    __m256i x57 = pair_up(x[5], x[7]), r = _mm256_set1_epi32(round);
    __m256i p = _mm256_add_epi32(_mm256_madd_epi16(x04, factors(C4, C4)), r);
    __m256i m = _mm256_add_epi32(_mm256_madd_epi16(x04, factors(C4, -C4)), r);
    __m256i a = _mm256_madd_epi16(x26, factors(C2, C6));
    __m256i b = _mm256_madd_epi16(x26, factors(C6, -C2));
    even[0] = _mm256_add_epi32(p, a);
    even[1] = _mm256_add_epi32(m, b);
    even[2] = _mm256_sub_epi32(m, b);
    even[3] = _mm256_sub_epi32(p, a);
    odd[0] = add_pairs(x13, C1, C3, x57, C5, C7);
    odd[1] = add_pairs(x13, C3, -C7, x57, -C1, -C5);
    odd[2] = add_pairs(x13, C5, -C1, x57, C7, C3);
    odd[3] = add_pairs(x13, C7, -C5, x57, C3, -C1);
    for (unsigned i = 0; i < 4; i++) {
        x[i] = to_words(_mm256_add_epi32(even[i], odd[i]), bits);
        x[7 - i] = to_words(_mm256_sub_epi32(even[i], odd[i]), bits);
    }
}

static inline void
transpose_words(__m128i x[8])
{
    __m128i a[8], b[8];
    for (unsigned i = 0; i < 4; i++) {
        a[i * 2] = _mm_unpacklo_epi16(x[i * 2], x[i * 2 + 1]);
        a[i * 2 + 1] = _mm_unpackhi_epi16(x[i * 2], x[i * 2 + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4) {
        b[i] = _mm_unpacklo_epi32(a[i], a[i + 2]);
        b[i + 1] = _mm_unpackhi_epi32(a[i], a[i + 2]);
        b[i + 2] = _mm_unpacklo_epi32(a[i + 1], a[i + 3]);
        b[i + 3] = _mm_unpackhi_epi32(a[i + 1], a[i + 3]);
    }
    for (unsigned i = 0; i < 4; i++) {
        x[i * 2] = _mm_unpacklo_epi64(b[i], b[i + 4]);
        x[i * 2 + 1] = _mm_unpackhi_epi64(b[i], b[i + 4]);
    }
}

/* Rows, which are lanes: those without AC coefficients are scaled exactly. */
static inline void
transform_rows(__m128i x[8])
{
    __m128i ac = _mm_or_si128(x[1], x[2]);
    for (unsigned i = 3; i < 8; i++)
        ac = _mm_or_si128(ac, x[i]);
    __m128i none = _mm_cmpeq_epi16(ac, _mm_setzero_si128());
    __m128i scaled = _mm_slli_epi16(x[0], 3);
    transform_lanes(x, 1 << (MFX_IDCT_ROW_BITS - 1), MFX_IDCT_ROW_BITS);
    for (unsigned i = 0; i < 8; i++)
        x[i] = _mm_blendv_epi8(x[i], scaled, none);
}

void
mfx_idct_avx2(int16_t block[64])
{
    __m128i x[8];
    for (unsigned i = 0; i < 8; i++)
        x[i] = _mm_loadu_si128((const __m128i *)(const void *)(block + i * 8));
    transpose_words(x);
    transform_rows(x);
    transpose_words(x);
    transform_lanes(x, MFX_IDCT_COLUMN_ROUND, MFX_IDCT_COLUMN_BITS);
    for (unsigned i = 0; i < 8; i++)
        _mm_storeu_si128((__m128i *)(void *)(block + i * 8), x[i]);
}
