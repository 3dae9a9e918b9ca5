/* avc_transform_avx2.c: inverse transforms in 32 bits a lane, as hostile
 * coefficients need. Compiled with -mavx2; called only if the processor has it.
 */
#include "engine/mfx/avc/recon/recon_ref.h"

#include <immintrin.h>

/* ---- 4x4 ---- */

static inline void
transpose_4(__m128i v[4])
{
    __m128i a = _mm_unpacklo_epi32(v[0], v[1]);
    __m128i b = _mm_unpackhi_epi32(v[0], v[1]);
    __m128i c = _mm_unpacklo_epi32(v[2], v[3]);
    __m128i d = _mm_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm_unpacklo_epi64(a, c);
    v[1] = _mm_unpackhi_epi64(a, c);
    v[2] = _mm_unpacklo_epi64(b, d);
    v[3] = _mm_unpackhi_epi64(b, d);
}

static inline void
transform_4(__m128i v[4])
{
    __m128i e0 = _mm_add_epi32(v[0], v[2]), e1 = _mm_sub_epi32(v[0], v[2]);
    __m128i e2 = _mm_sub_epi32(_mm_srai_epi32(v[1], 1), v[3]);
    __m128i e3 = _mm_add_epi32(v[1], _mm_srai_epi32(v[3], 1));
    v[0] = _mm_add_epi32(e0, e3);
    v[1] = _mm_add_epi32(e1, e2);
    v[2] = _mm_sub_epi32(e1, e2);
    v[3] = _mm_sub_epi32(e0, e3);
}

void
avc_add_4x4_avx2(uint8_t *to, ptrdiff_t stride, int16_t coef[16])
{
    __m128i v[4];
    for (unsigned i = 0; i < 4; i++)
        v[i] = _mm_cvtepi16_epi32(
            _mm_loadl_epi64((const __m128i *)(const void *)(coef + i * 4)));
    transpose_4(v);
    transform_4(v);
    transpose_4(v);
    transform_4(v);
    for (unsigned i = 0; i < 4; i++) {
        int32_t line;
        memcpy(&line, to + i * stride, sizeof line);
        v[i] = _mm_srai_epi32(_mm_add_epi32(v[i], _mm_set1_epi32(32)), 6);
        v[i] = _mm_add_epi32(v[i], _mm_cvtepu8_epi32(_mm_cvtsi32_si128(line)));
    }
    __m128i all = _mm_packus_epi16(_mm_packs_epi32(v[0], v[1]),
                                   _mm_packs_epi32(v[2], v[3]));
    for (unsigned i = 0; i < 4; i++) {
        int32_t line = _mm_cvtsi128_si32(all);
        memcpy(to + i * stride, &line, sizeof line);
        all = _mm_srli_si128(all, 4);
    }
    _mm256_storeu_si256((__m256i *)(void *)coef, _mm256_setzero_si256());
}

/* ---- 8x8 ---- */

static inline void
transpose_8(__m256i v[8])
{
    __m256i a[8], b[8];
    for (unsigned i = 0; i < 4; i++) {
        a[i * 2] = _mm256_unpacklo_epi32(v[i * 2], v[i * 2 + 1]);
        a[i * 2 + 1] = _mm256_unpackhi_epi32(v[i * 2], v[i * 2 + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    for (unsigned i = 0; i < 4; i++) {
        v[i] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
        v[i + 4] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
    }
}

static inline __m256i
sum_of(__m256i a, __m256i b)
{
    return _mm256_add_epi32(a, b);
}

static inline __m256i
less_of(__m256i a, __m256i b)
{
    return _mm256_sub_epi32(a, b);
}

#define SHIFT_RIGHT(v, n) _mm256_srai_epi32(v, n)

static inline void
transform_8(__m256i v[8])
{
    __m256i a0 = sum_of(v[0], v[4]), a4 = less_of(v[0], v[4]);
    __m256i a2 = less_of(SHIFT_RIGHT(v[2], 1), v[6]);
    __m256i a6 = sum_of(v[2], SHIFT_RIGHT(v[6], 1));
    __m256i b0 = sum_of(a0, a6), b2 = sum_of(a4, a2);
    __m256i b4 = less_of(a4, a2), b6 = less_of(a0, a6);
    __m256i a1 = less_of(less_of(v[5], v[3]),
                         sum_of(v[7], SHIFT_RIGHT(v[7], 1)));
    __m256i a3 = less_of(sum_of(v[1], v[7]),
                         sum_of(v[3], SHIFT_RIGHT(v[3], 1)));
    __m256i a5 = sum_of(less_of(v[7], v[1]),
                        sum_of(v[5], SHIFT_RIGHT(v[5], 1)));
    __m256i a7 = sum_of(sum_of(v[3], v[5]), sum_of(v[1], SHIFT_RIGHT(v[1], 1)));
    __m256i b1 = sum_of(a1, SHIFT_RIGHT(a7, 2));
    __m256i b7 = less_of(a7, SHIFT_RIGHT(a1, 2));
    __m256i b3 = sum_of(a3, SHIFT_RIGHT(a5, 2));
    __m256i b5 = less_of(SHIFT_RIGHT(a3, 2), a5);
    v[0] = sum_of(b0, b7);
    v[1] = sum_of(b2, b5);
    v[2] = sum_of(b4, b3);
    v[3] = sum_of(b6, b1);
    v[4] = less_of(b6, b1);
    v[5] = less_of(b4, b3);
    v[6] = less_of(b2, b5);
    v[7] = less_of(b0, b7);
}

static inline __m256i
add_line(__m256i v, const uint8_t *to)
{
    __m128i line = _mm_loadl_epi64((const __m128i *)(const void *)to);
    v = SHIFT_RIGHT(sum_of(v, _mm256_set1_epi32(32)), 6);
    return sum_of(v, _mm256_cvtepu8_epi32(line));
}

/* Two lines of eight samples. */
static inline void
put_lines(uint8_t *to, ptrdiff_t stride, __m256i a, __m256i b)
{
    __m256i v = _mm256_packs_epi32(add_line(a, to), add_line(b, to + stride));
    v = _mm256_permute4x64_epi64(v, 0xd8);
    __m128i both = _mm_packus_epi16(_mm256_castsi256_si128(v),
                                    _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64((__m128i *)(void *)to, both);
    _mm_storel_epi64((__m128i *)(void *)(to + stride),
                     _mm_unpackhi_epi64(both, both));
}

void
avc_add_8x8_avx2(uint8_t *to, ptrdiff_t stride, int16_t coef[64])
{
    __m256i v[8];
    for (unsigned i = 0; i < 8; i++)
        v[i] = _mm256_cvtepi16_epi32(
            _mm_loadu_si128((const __m128i *)(const void *)(coef + i * 8)));
    transpose_8(v);
    transform_8(v);
    transpose_8(v);
    transform_8(v);
    for (unsigned i = 0; i < 8; i += 2)
        put_lines(to + i * stride, stride, v[i], v[i + 1]);
    for (unsigned i = 0; i < 64; i += 16)
        _mm256_storeu_si256((__m256i *)(void *)(coef + i),
                            _mm256_setzero_si256());
}
