/* footprint_grid.h: tables and transposes for blocks of 4x4 pixels that read a
 * grid of texels; a part of footprint_grid.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GRID_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GRID_H

#include "sampler/plan/x86/footprint/footprint_grid_axes.h"
#include "sampler/plan/x86/footprint/footprint_to_unorm8.h"

/* Shuffles. Lanes are the pixels of four quads. */
static const struct {
    alignas(64) int32_t first_row[16], first_column[16]; /* of each lane */
    int32_t places[16]; /* four of the columns' vector, four of the rows' */
    /* Repeat each column, or row, for four channels. */
    int32_t column_of_four[16], row_of_four[16];
    /* For parts that are rows, and for columns: from a quad in
     * transpose_grid(), and from pixels in the order of bytes_of_parts(). */
    int32_t channels[2][16], quads[2][16];
    int32_t column[16], row[16];
} grid = {
    .first_row = {0, 1, 0, 1, 4, 5, 4, 5, 0, 1, 0, 1, 4, 5, 4, 5},
    .first_column = {0, 0, 2, 2, 0, 0, 2, 2, 8, 8, 10, 10, 8, 8, 10, 10},
    .places = {0, 1, 4, 5, 16, 18, 24, 26, 0, 0, 0, 0, 0, 0, 0, 0},
    .column_of_four = {0, 0, 0, 0, 1, 1, 1, 1, 4, 4, 4, 4, 5, 5, 5, 5},
    .row_of_four = {0, 0, 0, 0, 2, 2, 2, 2, 8, 8, 8, 8, 10, 10, 10, 10},
    .channels = {{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15},
                 {0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11, 7, 15}},
    .quads = {{0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15},
              {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}},
    .column = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3},
    .row = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3},
};

INLINE vint
permute_lanes(const int32_t from[16], vint v)
{
    return v_pick_one(v, v_line((const uint8_t *)from));
}

INLINE vfloat
permute_floats(const int32_t from[16], vfloat v)
{
    return (vfloat)permute_lanes(from, (vint)v);
}

/* ---- places ---- */

INLINE bool
is_grid(vint x, vint y)
{
    vint other = x ^ permute_lanes(grid.first_row, x);
    other |= y ^ permute_lanes(grid.first_column, y);
    return !v_any(v_test(other, other));
}

/* ---- numbers ---- */

INLINE vfloat
float_halves(__m256i halves)
{
    return (vfloat)_mm512_cvtph_ps(halves);
}

INLINE vfloat
to_floats(enum sample_texel kind, bits pixels)
{
    return kind == SAMPLE_HALF4 ? float_halves(_mm512_castsi512_si256(pixels))
                                : (vfloat)pixels;
}

INLINE vfloat
weight_of_row(vfloat wy, unsigned row)
{
    const unsigned lane = (row >> 1) * 8 + (row & 1) * 2;
    return (vfloat)v_pick_one((vint)wy, v_isplat((int32_t)lane));
}

/* ---- pixels ---- */

/* Sixteen filtered pixels in four rows or columns; NaNs are not settled. */
struct grid_pixels {
    vfloat part[4];
    bool columns;
    vint least; /* least_magnitude() of all texels */
};

/* Transposes to channels in the order of lanes. */
INLINE struct lanes_color
transpose_grid(const struct grid_pixels *pixels)
{
    enum { BOTH_LOW = 0x44, BOTH_HIGH = 0xee, EVEN = 0x88, ODD = 0xdd };
    const bool columns = pixels->columns;
    __m512 quad[4];
    for (unsigned i = 0; i < 2; i++) {
        __m512 a = (__m512)pixels->part[2 * i];
        __m512 b = (__m512)pixels->part[2 * i + 1];
        quad[columns ? i : 2 * i] = _mm512_shuffle_f32x4(a, b, BOTH_LOW);
        quad[columns ? i + 2 : 2 * i + 1] = _mm512_shuffle_f32x4(a, b,
                                                                 BOTH_HIGH);
    }
    for (unsigned i = 0; i < 4; i++)
        quad[i] = (__m512)permute_lanes(grid.channels[columns], (vint)quad[i]);
    __m512 low01 = _mm512_shuffle_f32x4(quad[0], quad[1], BOTH_LOW);
    __m512 high01 = _mm512_shuffle_f32x4(quad[0], quad[1], BOTH_HIGH);
    __m512 low23 = _mm512_shuffle_f32x4(quad[2], quad[3], BOTH_LOW);
    __m512 high23 = _mm512_shuffle_f32x4(quad[2], quad[3], BOTH_HIGH);
    return (struct lanes_color){
        {(vfloat)_mm512_shuffle_f32x4(low01, low23, EVEN),
         (vfloat)_mm512_shuffle_f32x4(low01, low23, ODD),
         (vfloat)_mm512_shuffle_f32x4(high01, high23, EVEN),
         (vfloat)_mm512_shuffle_f32x4(high01, high23, ODD)}};
}

/* Converts 0..1 to UNORM bytes in the order of memory: the first pixel of each
 * part, then the second and so on. Packing saturates values above 1. With at
 * most 16 bits rt_unorm_from_float() is (x * 510 / 65536 + 1) / 2. */
INLINE bits
bytes_of_parts(const vfloat part[4])
{
    const vint base = (vint)v_splat(V_CUT_BASE);
    const bits twice = _mm512_set1_epi16(510), zero = _mm512_setzero_si512();
    bits n[4];
    for (unsigned i = 0; i < 4; i++)
        n[i] = (bits)((vint)v_cut_16(v_fmax(part[i], v_splat(0.0f))) - base);
    bits low = _mm512_mulhi_epu16(_mm512_packus_epi32(n[0], n[1]), twice);
    bits high = _mm512_mulhi_epu16(_mm512_packus_epi32(n[2], n[3]), twice);
    return _mm512_packus_epi16(_mm512_avg_epu16(low, zero),
                               _mm512_avg_epu16(high, zero));
}

#endif
