/* small_triangle_avx2.c: eight triangles at a time. Compiled with -mavx2;
 * called only if the processor has AVX2. */
#include <immintrin.h>
#include <stdint.h>

#define LANES 8
typedef int32_t ivec __attribute__((vector_size(32)));
typedef uint32_t uvec __attribute__((vector_size(32)));
typedef int16_t words __attribute__((vector_size(32)));

#include "engine/raster/setup/x86/small_triangle_simd.h"

static inline void
unzip(ivec *x, ivec *y, const __m128i in[LANES / 2])
{
    const __m256i to = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    __m256i a = _mm256_permutevar8x32_epi32(_mm256_set_m128i(in[1], in[0]), to);
    __m256i b = _mm256_permutevar8x32_epi32(_mm256_set_m128i(in[3], in[2]), to);
    *x = (ivec)_mm256_permute2x128_si256(a, b, 0x20);
    *y = (ivec)_mm256_permute2x128_si256(a, b, 0x31);
}

static inline ivec
least(ivec a, ivec b)
{
    return (ivec)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

static inline ivec
most(ivec a, ivec b)
{
    return (ivec)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline uint32_t
signs(ivec v)
{
    return (uint32_t)_mm256_movemask_ps((__m256)v);
}

/* Rows 0 and 1 of both blocks, then rows 2 and 3: half_signs() gathers the rows
 * of each block. */
static const int16_t half_x[2][16] = {
    {-4, -3, -4, -3, -2, -1, -2, -1, 0, 1, 0, 1, 2, 3, 2, 3},
    {-4, -3, -4, -3, -2, -1, -2, -1, 0, 1, 0, 1, 2, 3, 2, 3}};
static const int16_t half_y[2][16] = {
    {-2, -2, -1, -1, -2, -2, -1, -1, -2, -2, -1, -1, -2, -2, -1, -1},
    {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}};

static inline words
words_times(words v, int32_t n)
{
    return (words)_mm256_mullo_epi16((__m256i)v, _mm256_set1_epi16((short)n));
}

static inline words
words_plus(words v, int32_t twice)
{
    return (words)_mm256_adds_epi16((__m256i)v, _mm256_set1_epi32(twice));
}

static inline words
words_any(words a, words b, words c)
{
    return a | b | c;
}

static inline uint32_t
half_signs(const words v[2])
{
    __m256i both = _mm256_packs_epi16((__m256i)v[0], (__m256i)v[1]);
    return (uint32_t)_mm256_movemask_epi8(both);
}

void
small_triangles_find_avx2(const struct cull_rules *rules,
                          const struct prim_mesh *mesh,
                          const struct prim_tri *tri, unsigned count,
                          uint32_t which, struct small_triangles *out)
{
    find_all(rules, mesh, tri, count, which, out);
}
