/* coverage_avx512.c: cover_find() and cover_small() in vectors of sixteen
 * values. Compiled for AVX-512 F and DQ; called only if the processor has them.
 */
#include <immintrin.h>

typedef __m512i sixteen;

#include "engine/raster/coverage/x86/coverage_simd.h"

COVER_INLINE sixteen
sixteen_all(int32_t v)
{
    return _mm512_set1_epi32(v);
}

COVER_INLINE sixteen
sixteen_from(const int32_t v[16])
{
    return _mm512_load_si512(v);
}

COVER_INLINE void
sixteen_put(int32_t to[16], sixteen v)
{
    _mm512_store_si512(to, v);
}

COVER_INLINE sixteen
sixteen_load(const sixteen *v)
{
    return *v;
}

COVER_INLINE void
sixteen_store(sixteen *to, sixteen v)
{
    *to = v;
}

COVER_INLINE sixteen
sixteen_sum(sixteen a, sixteen b)
{
    return _mm512_add_epi32(a, b);
}

COVER_INLINE sixteen
sixteen_add(sixteen a, int32_t b)
{
    return sixteen_sum(a, sixteen_all(b));
}

COVER_INLINE sixteen
sixteen_multiply(sixteen a, int32_t b)
{
    return _mm512_mullo_epi32(a, sixteen_all(b));
}

COVER_INLINE sixteen
sixteen_shift(sixteen a, int32_t left)
{
    return _mm512_slli_epi32(a, (unsigned)left);
}

COVER_INLINE sixteen
sixteen_or(sixteen a, sixteen b)
{
    return _mm512_or_si512(a, b);
}

COVER_INLINE unsigned
sixteen_signs(sixteen v)
{
    return _mm512_movepi32_mask(v);
}

void
cover_find_avx512(const struct cover_job *job, struct cover_list *list)
{
    find(job, list);
}

/* Finds place and presence of blocks by sums of bytes: blocks of a primitive in
 * the tile lie within 64 pixels of it. */
void
cover_small_avx512(const uint64_t square[4], int32_t x, int32_t y,
                   struct cover_list *list)
{
    const __m512i squares = _mm512_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12,
                                              13, 10, 11, 14, 15);
    const __m512i places = _mm512_setr_epi32(
        0x000, 0x004, 0x008, 0x00c, 0x400, 0x404, 0x408, 0x40c, 0x800, 0x804,
        0x808, 0x80c, 0xc00, 0xc04, 0xc08, 0xc0c);
    const uint8_t *from = small_order[(y & 12) | (x >> 2 & 3)];
    __m512i order = _mm512_cvtepu8_epi32(
        _mm_loadu_si128((const __m128i *)(const void *)from));
    __m512i mask = _mm512_permutexvar_epi32(
        _mm512_permutexvar_epi32(order, squares),
        _mm512_cvtepu16_epi32(
            _mm256_loadu_si256((const __m256i *)(const void *)square)));
    int32_t corner = (x & 0xff) | (y & 0xff) << 8;
    __m512i place = _mm512_add_epi8(_mm512_permutexvar_epi32(order, places),
                                    _mm512_set1_epi32(corner));
    __mmask16 some = _mm512_mask_testn_epi32_mask(
        _mm512_test_epi32_mask(mask, mask), place,
        _mm512_set1_epi32((COVER_TILE_PX - 1) * 0x101 ^ 0xffff));
    __m512i block = _mm512_or_si512(place, _mm512_slli_epi32(mask, 16));
    _mm512_storeu_si512(&list->block[list->count],
                        _mm512_maskz_compress_epi32(some, block));
    list->count += (unsigned)_mm_popcnt_u32(some);
}
