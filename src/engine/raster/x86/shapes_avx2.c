/* shapes_avx2.c: eight triangles at a time. Compiled with -mavx2; called only
 * where the processor has it. */
#include <immintrin.h>
#include <stdint.h>

#define LANES 8
typedef int32_t ivec __attribute__((vector_size(32)));
typedef uint32_t uvec __attribute__((vector_size(32)));

#include "engine/raster/x86/shapes_simd.h"

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

void
shapes_find_avx2(const struct shape_rules *rules, const struct prim_mesh *mesh,
                 const struct prim_tri *tri, unsigned count, uint32_t which,
                 struct shapes *out)
{
    find_all(rules, mesh, tri, count, which, out);
}
