/* lanes_avx512.c: sixteen vertices at a time. Compiled for AVX-512 F and DQ;
 * called only where the processor has them. */
#include <stdint.h>

#define LANES 16
typedef float vec __attribute__((vector_size(64)));
typedef int32_t ivec __attribute__((vector_size(64)));
typedef uint32_t uvec __attribute__((vector_size(64)));

#include "engine/geom/x86/lanes_simd.h"

/* Rows to columns in each quarter. */
static inline void
turn(__m512 r[4])
{
    __m512 a = _mm512_unpacklo_ps(r[0], r[2]);
    __m512 b = _mm512_unpacklo_ps(r[1], r[3]);
    __m512 c = _mm512_unpackhi_ps(r[0], r[2]);
    __m512 d = _mm512_unpackhi_ps(r[1], r[3]);
    r[0] = _mm512_unpacklo_ps(a, b);
    r[1] = _mm512_unpackhi_ps(a, b);
    r[2] = _mm512_unpacklo_ps(c, d);
    r[3] = _mm512_unpackhi_ps(c, d);
}

static inline __m128
load(const uint8_t *row, unsigned i, uint32_t stride_B)
{
    row += (size_t)i * stride_B;
    return _mm_loadu_ps((const float *)(const void *)row);
}

static inline void
load_rows(vec r[4], const uint8_t *row, uint32_t stride_B)
{
    __m512 p[4];
    for (unsigned i = 0; i < 4; i++) {
        p[i] = _mm512_castps128_ps512(load(row, i, stride_B));
        p[i] = _mm512_insertf32x4(p[i], load(row, i + 4, stride_B), 1);
        p[i] = _mm512_insertf32x4(p[i], load(row, i + 8, stride_B), 2);
        p[i] = _mm512_insertf32x4(p[i], load(row, i + 12, stride_B), 3);
    }
    turn(p);
    memcpy(r, p, sizeof p);
}

static inline void
put_rows(struct geom_vert *v, const vec r[4])
{
    __m512 p[4];
    memcpy(p, r, sizeof p);
    turn(p);
    for (unsigned i = 0; i < 4; i++) {
        _mm_storeu_ps(&v[i].p.v.x, _mm512_castps512_ps128(p[i]));
        _mm_storeu_ps(&v[i + 4].p.v.x, _mm512_extractf32x4_ps(p[i], 1));
        _mm_storeu_ps(&v[i + 8].p.v.x, _mm512_extractf32x4_ps(p[i], 2));
        _mm_storeu_ps(&v[i + 12].p.v.x, _mm512_extractf32x4_ps(p[i], 3));
    }
}

/* A NaN becomes the second operand of max. */
static inline __m512i
snapped(const vec *v)
{
    __m512 max = _mm512_set1_ps(SNAP_MAX_PX);
    __m512 in = _mm512_max_ps((__m512)*v, _mm512_set1_ps(-SNAP_MAX_PX));
    return _mm512_cvtps_epi32(
        _mm512_mul_ps(_mm512_min_ps(in, max), _mm512_set1_ps(SUBPIXEL)));
}

static inline void
snap(int32_t out[LANES][2], const vec *x, const vec *y)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                          21, 6, 22, 7, 23);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    __m512i a = snapped(x), b = snapped(y);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi32(a, low, b));
    _mm512_storeu_si512(out + 8, _mm512_permutex2var_epi32(a, high, b));
}

const struct geom_lanes geom_lanes_avx512 = {LANES,      prepare, rows,
                                             rows_apart, columns, range};
