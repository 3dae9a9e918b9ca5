/* small_triangle_avx512.c: sixteen triangles at a time. Compiled for AVX-512 F,
 * BW and DQ; called only if the processor has them. */
#include <immintrin.h>
#include <stdint.h>

#define LANES 16
typedef int32_t ivec __attribute__((vector_size(64)));
typedef uint32_t uvec __attribute__((vector_size(64)));
typedef int16_t words __attribute__((vector_size(64)));

#include "engine/raster/setup/x86/small_triangle_simd.h"

static inline __m512i
four(const __m128i in[4])
{
    __m512i v = _mm512_castsi128_si512(in[0]);
    v = _mm512_inserti32x4(v, in[1], 1);
    v = _mm512_inserti32x4(v, in[2], 2);
    return _mm512_inserti32x4(v, in[3], 3);
}

static inline void
unzip(ivec *x, ivec *y, const __m128i in[LANES / 2])
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                           20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    __m512i a = four(in), b = four(in + 4);
    *x = (ivec)_mm512_permutex2var_epi32(a, even, b);
    *y = (ivec)_mm512_permutex2var_epi32(a, odd, b);
}

static inline ivec
least(ivec a, ivec b)
{
    return (ivec)_mm512_min_epi32((__m512i)a, (__m512i)b);
}

static inline ivec
most(ivec a, ivec b)
{
    return (ivec)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static inline uint32_t
signs(ivec v)
{
    return _mm512_movepi32_mask((__m512i)v);
}

static const int16_t half_x[1][32] = {
    {-4, -3, -4, -3, -2, -1, -2, -1, -4, -3, -4, -3, -2, -1, -2, -1,
     0,  1,  0,  1,  2,  3,  2,  3,  0,  1,  0,  1,  2,  3,  2,  3}};
static const int16_t half_y[1][32] = {
    {-2, -2, -1, -1, -2, -2, -1, -1, 0, 0, 1, 1, 0, 0, 1, 1,
     -2, -2, -1, -1, -2, -2, -1, -1, 0, 0, 1, 1, 0, 0, 1, 1}};

static inline words
words_times(words v, int32_t n)
{
    return (words)_mm512_mullo_epi16((__m512i)v, _mm512_set1_epi16((short)n));
}

static inline words
words_plus(words v, int32_t twice)
{
    return (words)_mm512_adds_epi16((__m512i)v, _mm512_set1_epi32(twice));
}

static inline words
words_any(words a, words b, words c)
{
    return (words)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)c,
                                            0xfe);
}

static inline uint32_t
half_signs(const words v[1])
{
    return _mm512_movepi16_mask((__m512i)v[0]);
}

void
small_triangles_find_avx512(const struct cull_rules *rules,
                            const struct prim_mesh *mesh,
                            const struct prim_tri *tri, unsigned count,
                            uint32_t which, struct small_triangles *out)
{
    find_all(rules, mesh, tri, count, which, out);
}
