/* footprint_bytes1_avx2.h: texels of one byte; a part of footprint_avx2.c. A
 * line of memory has 16 columns and 4 rows. The lanes read two columns and up
 * to three rows of such lines. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_BYTES1_AVX2_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_BYTES1_AVX2_H

#include "sampler/plan/x86/footprint/footprint_bytes4.h"

/* Copies the lines. at_B: the lanes' texels in the copy. Returns false if the
 * lanes are too far apart. */
INLINE bool
copy_bytes(const struct sample_plan *p, const struct footprint_level *lv,
           struct both place, unsigned reach, struct copy *c, struct both *at_B)
{
    const __m256i step_B = _mm256_set1_epi32(COPY_PITCH_B << 16 | 1);
    const int32_t origin = (int32_t)(lv->x_el | lv->y_el << 16);
    if (!all_inside(lv, place, reach))
        return false;
    struct both at = {place.low + origin, place.high + origin};
    uint32_t first = extreme_place(at, false) & 0xfffcfff0;
    struct both in = {at.low - (int32_t)first, at.high - (int32_t)first};
    uint32_t most = extreme_place(in, true);
    uint32_t rows = ((most >> 16) + reach) / 4 + 1;
    if ((most & 0xffff) + reach > 31 || rows > 3)
        return false;
    struct footprint_lines l = find_lines(
        p, (struct footprint_corner){(first & 0xffff) >> 4, first >> 18}, 2);
    for (unsigned y = 0; y < rows; y++)
        copy_pair(c, y, l.row[y] + l.column_B[0], l.row[y] + l.column_B[1]);
    at_B->low = (vint)_mm256_madd_epi16((__m256i)in.low, step_B);
    at_B->high = (vint)_mm256_madd_epi16((__m256i)in.high, step_B);
    return true;
}

/* The lowest byte is the texel; the bytes above it are undefined. */
INLINE bool
take_bytes(const struct sample_plan *p, const struct footprint_level *lv,
           struct both place, struct both *texel)
{
    struct copy c;
    struct both at_B;
    if (!copy_bytes(p, lv, place, 0, &c, &at_B))
        return false;
    texel->low = v_gather(c.row[0], at_B.low) ^ 0x80;
    texel->high = v_gather(c.row[0], at_B.high) ^ 0x80;
    return true;
}

/* Filters the bytes less 128, times 65536. */
INLINE vint
filter_bytes(const struct copy *c, vint at_B, vint x, vint y)
{
    vint upper = v_gather(c->row[0], at_B), lower = v_gather(c->row[1], at_B);
    __m256i t = _mm256_blend_epi16((__m256i)upper, (__m256i)(lower << 16),
                                   0xaa);
    __m256i row = _mm256_add_epi16(
        _mm256_maddubs_epi16(column_weights(x), t),
        _mm256_maddubs_epi16(_mm256_set1_epi16(1), t));
    return (vint)_mm256_madd_epi16(row, row_weights(y));
}

INLINE bool
sum_bytes(const struct sample_plan *p, const struct footprint_level *lv,
          struct both place, struct both x, struct both y, struct both *sum)
{
    struct copy c;
    struct both at_B;
    if (!copy_bytes(p, lv, place, 1, &c, &at_B))
        return false;
    sum->low = filter_bytes(&c, at_B.low, x.low, y.low);
    sum->high = filter_bytes(&c, at_B.high, x.high, y.high);
    return true;
}

INLINE struct lanes_color
color_of_sum(vint sum)
{
    return (struct lanes_color){{v_float(sum + (128 << 16))}};
}

#endif
