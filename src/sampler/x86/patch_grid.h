/* patch_grid.h: blocks of 4x4 pixels that look at a grid of texels; a part of
 * patch_rows.c. */
#ifndef SAMPLER_PATCH_GRID_H
#define SAMPLER_PATCH_GRID_H

#include "sampler/x86/patch_axes.h"
#include "sampler/x86/patch_pixels.h"

/* Lanes are the pixels of four quads. */
static const struct {
    alignas(64) int32_t first_row[16], first_column[16]; /* of each lane */
    int32_t
        places[16]; /* of four columns in one vector, four rows in another */
    /* Of four channels of each column, and of each row. */
    int32_t column_of_four[16], row_of_four[16];
    /* Of parts that are rows, and of columns: what turn() has of a quad, and
     * the pixels as bytes_of_parts() has them. */
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
permute(const int32_t from[16], vint v)
{
    return v_pick_one(v, v_line((const uint8_t *)from));
}

INLINE vfloat
permute_floats(const int32_t from[16], vfloat v)
{
    return (vfloat)permute(from, (vint)v);
}

/* ---- places ---- */

INLINE bool
is_grid(vint x, vint y)
{
    vint other = x ^ permute(grid.first_row, x);
    other |= y ^ permute(grid.first_column, y);
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

/* Sixteen pixels, filtered but not settled: four rows of them, or columns. */
struct grid_pixels {
    vfloat part[4];
    bool columns;
    vint least; /* of all texels */
};

/* To channels of lanes. */
INLINE struct lanes_color
turn(const struct grid_pixels *pixels)
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
        quad[i] = (__m512)permute(grid.channels[columns], (vint)quad[i]);
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

/* 0..1 to bytes, in the order of memory: a pixel of each part, and then the
 * next ones. Packing clamps from above; see bytes_of_color(). */
INLINE bits
bytes_of_parts(const vfloat part[4])
{
    const vint magic = v_isplat(0x4b400000);
    bits n[4];
    for (unsigned i = 0; i < 4; i++)
        n[i] = (bits)((vint)v_fma(v_fmax(part[i], v_splat(0.0f)),
                                  v_splat(255.0f), v_splat(0x1.8p23f)) -
                      magic);
    return _mm512_packus_epi16(_mm512_packs_epi32(n[0], n[1]),
                               _mm512_packs_epi32(n[2], n[3]));
}

#endif
