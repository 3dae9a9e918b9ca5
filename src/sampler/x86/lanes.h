/* lanes.h: as many lanes of a message as one register holds: 16 with AVX-512,
 * 8 with AVX2. What C's operators on vectors cannot say, under one name for
 * both, so that the sampler's routines are written once.
 * A file that includes it is compiled for one of the two. */
#ifndef SAMPLER_LANES_H
#define SAMPLER_LANES_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __AVX512F__
#define LANES 16
typedef __mmask16 vmask;
#else
#define LANES 8
typedef int32_t vmask __attribute__((vector_size(32))); /* all ones: set */
#endif

typedef float vfloat __attribute__((vector_size(4 * LANES)));
typedef int32_t vint __attribute__((vector_size(4 * LANES)));
typedef float float4 __attribute__((vector_size(16)));
typedef float float8 __attribute__((vector_size(32)));
typedef double double4 __attribute__((vector_size(32)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef int64_t long4 __attribute__((vector_size(32)));

/* Constants, from memory: compilers make them in general registers, and on the
 * way from there are in the way of shifts and shuffles. */
static const struct {
    int32_t one, whole, fraction, half_texel, weights;
    int32_t even_bytes, low_half;
    int32_t nan, float_one;
    int32_t rows, beyond_square, beyond_line, lower_row;
} lanes_constant = {
    .one = 1,
    .whole = 0x100,
    .fraction = 0xff,
    .half_texel = 0x80,
    .weights = 0x1000100,
    .even_bytes = 0xff00ff,
    .low_half = 0xffff,
    .nan = 0x7fc00000,
    .float_one = 0x3f800000,
    .rows = 8 << 16,
    .beyond_square = (int32_t)0xfff8fff8,
    .beyond_line = (int32_t)0xfffcfffc,
    .lower_row = 32 << 16,
};

static inline vint
v_constant(const int32_t *i)
{
    vint v;
    __asm__("vpbroadcastd %1, %0" : "=v"(v) : "m"(*i));
    return v;
}

/* ---- loads from addresses of their own ----------------------------------
 *
 * Lane by lane: processors whose gather instructions are faster than that are
 * few, since it was found what those give away; see cpu_gathers_fast(). */

/* Offsets of the lanes, in memory: taking a vector apart costs more. */
static inline void
v_offsets(vint at, int32_t from[LANES])
{
    __builtin_memcpy(from, &at, sizeof at);
    __asm__("" : : "r"(from) : "memory");
}

static inline __m128i
v_load4(const uint8_t *base, const int32_t at[4])
{
    int32_t w[4];
    for (unsigned i = 0; i < 4; i++)
        __builtin_memcpy(&w[i], base + at[i], 4);
    __m128i v = _mm_cvtsi32_si128(w[0]);
    v = _mm_insert_epi32(v, w[1], 1);
    v = _mm_insert_epi32(v, w[2], 2);
    return _mm_insert_epi32(v, w[3], 3);
}

static inline __m128i
v_load8_pair(const uint8_t *a, const uint8_t *b)
{
    __m128i low = _mm_loadl_epi64((const __m128i *)(const void *)a);
    return (__m128i)_mm_loadh_pd((__m128d)low, (const double *)(const void *)b);
}

static inline __m256i
v_load8_four(const uint8_t *base, const int32_t at[4])
{
    return _mm256_set_m128i(v_load8_pair(base + at[2], base + at[3]),
                            v_load8_pair(base + at[0], base + at[1]));
}

static inline __m128i
v_load16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

#ifdef __AVX512F__
#include "sampler/x86/lanes_avx512.h"
#else
#include "sampler/x86/lanes_avx2.h"
#endif

#endif
