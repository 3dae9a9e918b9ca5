/* narrow_rows.h: narrow elements of a 4x4 block, whose rows lie apart in
 * memory; rows_avx2.h and rows_avx512.h widen them to lanes of 32 bits. */
#ifndef ENGINE_RASTER_X86_NARROW_ROWS_H
#define ENGINE_RASTER_X86_NARROW_ROWS_H

#include <immintrin.h>

#include "base/base.h"
#include "base/unroll.h"

#define EACH_CHANNEL(c) LANES_UNROLLED (unsigned c = 0; c < 4; c++)
#define EACH_COLUMN(i, f) \
    LANES_UNROLLED (unsigned i = 0; i < columns_in(f); i++)

/* Loads two rows of four elements of 16 bits. */
LANES_INLINE __m128i
load_two_8(const uint8_t *p, const uint8_t *q)
{
    __m128i low = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_unpacklo_epi64(
        low, _mm_loadl_epi64((const __m128i *)(const void *)q));
}

LANES_INLINE int
load_4(const uint8_t *p)
{
    int v;
    memcpy(&v, p, 4);
    return v;
}

LANES_INLINE void
store_4(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, 4);
}

LANES_INLINE __m128i
load_four_4(const uint8_t *p, size_t pitch_B)
{
    __m128i v = _mm_cvtsi32_si128(load_4(p));
    v = _mm_insert_epi32(v, load_4(p + pitch_B), 1);
    v = _mm_insert_epi32(v, load_4(p + 2 * pitch_B), 2);
    return _mm_insert_epi32(v, load_4(p + 3 * pitch_B), 3);
}

#endif
