/* simd.h: vectors that fill one register: 16 lanes with AVX-512, 8 with AVX2.
 * Operations that C's vector operators lack have one name for both, so that a
 * kernel is written once. For kernels whose lanes are independent, as in the
 * sampler; simd16_*.h have vectors of 16 lanes for both instruction sets. A
 * file that includes it is compiled for one instruction set. */
#ifndef BASE_SIMD_SIMD_H
#define BASE_SIMD_SIMD_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#ifdef __AVX512F__
#define LANES 16
typedef __mmask16 vmask;
#else
#define LANES 8
typedef int32_t vmask __attribute__((vector_size(32))); /* all ones: set */
#endif

typedef float vfloat __attribute__((vector_size(4 * LANES)));
typedef int32_t vint __attribute__((vector_size(4 * LANES)));
typedef uint32_t vuint __attribute__((vector_size(4 * LANES))); /* wraps */
typedef float float4 __attribute__((vector_size(16)));
typedef float float8 __attribute__((vector_size(32)));
typedef double double4 __attribute__((vector_size(32)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef int64_t long4 __attribute__((vector_size(32)));

/* Broadcasts a constant from memory. Compilers would move it from a general
 * register, through the execution port that shifts and shuffles need. */
static inline vint
v_constant(const int32_t *i)
{
    vint v;
    __asm__("vpbroadcastd %1, %0" : "=v"(v) : "m"(*i));
    return v;
}

/* ---- loads from addresses of their own ----------------------------------
 *
 * One scalar load per lane: gather instructions are faster on few processors
 * since the mitigation of their side channels; see cpu_gathers_fast(). */

/* Stores the lanes' offsets to memory: extracting vector elements costs more.
 */
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
#include "base/simd/simd_avx512.h"
#else
#include "base/simd/simd_avx2.h"
#endif

#endif
