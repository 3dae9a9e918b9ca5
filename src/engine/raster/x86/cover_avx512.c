/* cover_avx512.c: cover_find() and cover_small() in vectors of sixteen values.
 * Compiled for AVX-512 F and DQ; called only where the processor has them. */
#include <immintrin.h>

#include "engine/raster/x86/cover_simd.h"

void
cover_find_avx512(const struct cover_job *job, struct cover_list *list)
{
    find(job, list);
}

/* Row by row; those beyond a side of a 16x16 square come after those before. */
void
cover_small_avx512(const uint64_t square[4], int32_t x, int32_t y,
                   struct cover_list *list)
{
    const __m512i order = _mm512_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12,
                                            13, 10, 11, 14, 15);
    const __m512i columns = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8,
                                              12, 0, 4, 8, 12);
    const __m512i rows = _mm512_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8,
                                           12, 12, 12, 12);
    const __m512i tile = _mm512_set1_epi32(COVER_TILE_PX);
    __m512i mask = _mm512_permutexvar_epi32(
        order, _mm512_cvtepu16_epi32(
                   _mm256_loadu_si256((const __m256i *)(const void *)square)));
    __m512i bx = _mm512_add_epi32(columns, _mm512_set1_epi32(x));
    __m512i by = _mm512_add_epi32(rows, _mm512_set1_epi32(y));
    __m512i block = _mm512_or_epi32(
        _mm512_or_epi32(bx, _mm512_slli_epi32(by, 8)),
        _mm512_slli_epi32(mask, 16));
    unsigned some = _mm512_test_epi32_mask(mask, mask) &
                    _mm512_cmplt_epu32_mask(bx, tile) &
                    _mm512_cmplt_epu32_mask(by, tile);
    unsigned left = 0x1111 * ((1u << (4 - (x >> 2 & 3))) - 1);
    unsigned top = (1u << 4 * (4 - (y >> 2 & 3))) - 1;
    const unsigned part[4] = {left & top, ~left & top, left & ~top,
                              ~left & ~top};
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned in = some & part[i];
        _mm512_storeu_si512(&list->block[count],
                            _mm512_maskz_compress_epi32((__mmask16)in, block));
        count += (unsigned)_mm_popcnt_u32(in);
    }
    list->count = count;
}
