/* vue_transpose_avx2.c: eight vertices at a time. Compiled with -mavx2; called
 * only if the processor has it. */
#include <stdint.h>

#define LANES 8
typedef float vec __attribute__((vector_size(32)));
typedef int32_t ivec __attribute__((vector_size(32)));
typedef uint32_t uvec __attribute__((vector_size(32)));

#include "engine/geom/x86/vue_transpose_simd.h"

#include "engine/geom/vue_transpose_strided.h"

static inline __m128
load(const uint8_t *row, unsigned i, uint32_t stride_B)
{
    row += (size_t)i * stride_B;
    return _mm_loadu_ps((const float *)(const void *)row);
}

static inline void
load_rows(vec r[4], const uint8_t *row, uint32_t stride_B)
{
    __m256 p[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = _mm256_insertf128_ps(
            _mm256_castps128_ps256(load(row, i, stride_B)),
            load(row, i + 4, stride_B), 1);
    turn_rows(p, p);
    memcpy(r, p, sizeof p);
}

static inline void
put_rows(struct geom_vert *v, const vec r[4])
{
    __m256 p[4];
    memcpy(p, r, sizeof p);
    turn_rows(p, p);
    for (unsigned i = 0; i < 4; i++) {
        _mm_storeu_ps(&v[i].p.v.x, _mm256_castps256_ps128(p[i]));
        _mm_storeu_ps(&v[i + 4].p.v.x, _mm256_extractf128_ps(p[i], 1));
    }
}

/* max() returns its second operand for a NaN. */
static inline __m256i
snapped(const vec *v)
{
    __m256 max = _mm256_set1_ps(SNAP_MAX_PX);
    __m256 in = _mm256_max_ps((__m256)*v, _mm256_set1_ps(-SNAP_MAX_PX));
    return _mm256_cvtps_epi32(
        _mm256_mul_ps(_mm256_min_ps(in, max), _mm256_set1_ps(SUBPIXEL)));
}

static inline void
snap(int32_t out[LANES][2], const vec *x, const vec *y)
{
    __m256i a = snapped(x), b = snapped(y);
    __m256i low = _mm256_unpacklo_epi32(a, b); /* 0 1 4 5 */
    __m256i high = _mm256_unpackhi_epi32(a, b);
    __m256i *to = (__m256i *)(void *)out;
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
}

const struct geom_lanes geom_lanes_avx2 = {LANES,      prepare, rows,
                                           rows_apart, columns, range};
