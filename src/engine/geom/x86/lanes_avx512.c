/* lanes_avx512.c: sixteen vertices at a time. Compiled for AVX-512 F and DQ;
 * called only where the processor has them. */
#include <stdint.h>

#define LANES 16
typedef float vec __attribute__((vector_size(64)));
typedef int32_t ivec __attribute__((vector_size(64)));

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
position(const struct geom_vert *v)
{
    return _mm_loadu_ps((const float *)(const void *)(v->p.v.vue + 4));
}

static inline void
load_positions(vec r[4], const struct geom_vert *v)
{
    __m512 p[4];
    for (unsigned i = 0; i < 4; i++) {
        p[i] = _mm512_castps128_ps512(position(&v[i]));
        p[i] = _mm512_insertf32x4(p[i], position(&v[i + 4]), 1);
        p[i] = _mm512_insertf32x4(p[i], position(&v[i + 8]), 2);
        p[i] = _mm512_insertf32x4(p[i], position(&v[i + 12]), 3);
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
static inline void
snap(int32_t out[LANES], const vec *v)
{
    __m512 max = _mm512_set1_ps(SNAP_MAX_PX);
    __m512 in = _mm512_max_ps((__m512)*v, _mm512_set1_ps(-SNAP_MAX_PX));
    in = _mm512_mul_ps(_mm512_min_ps(in, max), _mm512_set1_ps(SUBPIXEL));
    _mm512_storeu_si512(out, _mm512_cvtps_epi32(in));
}

const struct geom_lanes geom_lanes_avx512 = {LANES, prepare, rows, range};
