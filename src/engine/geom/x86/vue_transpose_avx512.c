/* vue_transpose_avx512.c: sixteen vertices at a time. Compiled for AVX-512 F
 * and DQ; called only if the processor has them. */
#include <stdint.h>

#define LANES 16
typedef float vec __attribute__((vector_size(64)));
typedef int32_t ivec __attribute__((vector_size(64)));
typedef uint32_t uvec __attribute__((vector_size(64)));

#include "engine/geom/x86/vue_transpose_simd.h"

/* Transposes each quarter. */
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
    EACH_OF_FOUR (i) {
        p[i] = _mm512_castps128_ps512(load(row, i, stride_B));
        p[i] = _mm512_insertf32x4(p[i], load(row, i + 4, stride_B), 1);
        p[i] = _mm512_insertf32x4(p[i], load(row, i + 8, stride_B), 2);
        p[i] = _mm512_insertf32x4(p[i], load(row, i + 12, stride_B), 3);
    }
    turn(p);
    memcpy(r, p, sizeof p);
}

/* max() returns its second operand for a NaN. */
static inline __m512i
snapped(const vec *v)
{
    __m512 max = _mm512_set1_ps(SNAP_MAX_PX);
    __m512 in = _mm512_max_ps((__m512)*v, _mm512_set1_ps(-SNAP_MAX_PX));
    return _mm512_cvtps_epi32(
        _mm512_mul_ps(_mm512_min_ps(in, max), _mm512_set1_ps(SUBPIXEL)));
}

/* Addresses of two vertices' entries in each quarter: the first two, or with
 * first = 2 the other two. */
static inline __m512i
entries(const struct lane_entries *e, unsigned first)
{
    const __m512i number = _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13);
    return _mm512_add_epi64(
        _mm512_set1_epi64((int64_t)(uintptr_t)e->vue +
                          (int64_t)e->stride_B * first),
        _mm512_mul_epu32(_mm512_set1_epi64(e->stride_B), number));
}

static inline void
put_half(struct geom_vert *v, __m256i half)
{
    _mm256_storeu_si256((__m256i *)(void *)v, half);
}

static inline void
put_tails(struct geom_vert *v, __m128i two)
{
    _mm_storel_epi64((__m128i *)(void *)&v[0].codes, two);
    _mm_storeh_pd((double *)(void *)&v[1].codes, _mm_castsi128_pd(two));
}

/* A vertex is 32 bytes of position, entry and snapped position, then its tail.
 * Quarter i of each vector belongs to vertex 4 * i or to one of the three after
 * it. */
static inline void
put_vertices(struct geom_vert *v, const vec p[4], ivec codes,
             const struct lane_entries *e)
{
    static_assert(offsetof(struct geom_vert, p.v.vue) == 16 &&
                      offsetof(struct geom_vert, p.x) == 24 &&
                      offsetof(struct geom_vert, p.y) == 28,
                  "what lies behind a position");
    const __m512i upper = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i lower = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i x = snapped(&p[0]), y = snapped(&p[1]);
    __m512i xy = _mm512_unpacklo_epi32(x, y), xy2 = _mm512_unpackhi_epi32(x, y);
    __m512i at = entries(e, 0), at2 = entries(e, 2);
    const __m512i rest[4] = {
        _mm512_unpacklo_epi64(at, xy), _mm512_unpackhi_epi64(at, xy),
        _mm512_unpacklo_epi64(at2, xy2), _mm512_unpackhi_epi64(at2, xy2)};
    __m512 row[4];
    memcpy(row, p, sizeof row);
    turn(row);
    EACH_OF_FOUR (i) {
        __m512i r = _mm512_castps_si512(row[i]);
        __m512i a = _mm512_permutex2var_epi64(r, upper, rest[i]);
        __m512i b = _mm512_permutex2var_epi64(r, lower, rest[i]);
        put_half(&v[i], _mm512_castsi512_si256(a));
        put_half(&v[i + 4], _mm512_extracti64x4_epi64(a, 1));
        put_half(&v[i + 8], _mm512_castsi512_si256(b));
        put_half(&v[i + 12], _mm512_extracti64x4_epi64(b, 1));
    }
    const __m512i tail = _mm512_set1_epi32((int)e->tail);
    __m512i two = _mm512_unpacklo_epi32((__m512i)codes, tail);
    __m512i others = _mm512_unpackhi_epi32((__m512i)codes, tail);
    put_tails(v, _mm512_castsi512_si128(two));
    put_tails(v + 2, _mm512_castsi512_si128(others));
    put_tails(v + 4, _mm512_extracti32x4_epi32(two, 1));
    put_tails(v + 6, _mm512_extracti32x4_epi32(others, 1));
    put_tails(v + 8, _mm512_extracti32x4_epi32(two, 2));
    put_tails(v + 10, _mm512_extracti32x4_epi32(others, 2));
    put_tails(v + 12, _mm512_extracti32x4_epi32(two, 3));
    put_tails(v + 14, _mm512_extracti32x4_epi32(others, 3));
}

const struct geom_lanes geom_lanes_avx512 = {LANES,      prepare, rows,
                                             rows_apart, columns, range};
