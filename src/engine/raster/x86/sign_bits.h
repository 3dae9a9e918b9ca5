/* sign_bits.h: sixteen values of 32 bits in the file's widest vectors: for
 * cover_simd.h and shapes_simd.h. */
#ifndef RASTER_SIGN_BITS_H
#define RASTER_SIGN_BITS_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

typedef int32_t i32x16 __attribute__((vector_size(64)));

/* Bit i: value i is negative. */
static inline unsigned
sign_bits(const i32x16 *v)
{
#ifdef __AVX512DQ__
    return _mm512_movepi32_mask((__m512i)*v);
#else
    __m256i half[2];
    memcpy(half, v, sizeof half);
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(half[0])) |
           (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(half[1])) << 8;
#endif
}

/* Of four such vectors, one after the other from bit 0 on. */
static inline uint64_t
sign_bits_of_four(const i32x16 v[4])
{
    uint64_t all = 0;
    for (unsigned i = 0; i < 4; i++)
        all |= (uint64_t)sign_bits(&v[i]) << 16 * i;
    return all;
}

#endif
