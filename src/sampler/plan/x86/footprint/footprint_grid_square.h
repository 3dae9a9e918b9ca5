/* footprint_grid_square.h: grids with a texel per pixel: five rows of five
 * texels, which need no table of offsets; a part of footprint_grid.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GRID_SQUARE_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GRID_SQUARE_H

#include "base/unroll.h"
#include "sampler/plan/x86/footprint/footprint_grid.h"

/* Start of four rows that are 16 bytes apart, and of the fifth row, which may
 * lie in another tile. off: first texel within a column of the tile. */
struct grid_square {
    const uint8_t *at, *below; /* NULL: no such square */
    unsigned off;
};

enum { Y_TILE_ROWS = 32 };

INLINE uint32_t
row_of_tile_B(const struct sample_plan *p, uint32_t y_el)
{
    return y_el / Y_TILE_ROWS * (uint32_t)p->tiling.y_pitch_B +
           y_el % Y_TILE_ROWS * 16;
}

INLINE struct grid_square
find_square(const struct sample_plan *p, enum sample_texel kind, unsigned level,
            vint x, vint y)
{
    enum { REACH = 4 };
    const struct sample_levels *l = &p->levels;
    const struct grid_square none = {NULL, NULL, 0};
    vint column = x >> 8, row = y >> 8;
    int32_t x0 = (int32_t)v_first(column), y0 = (int32_t)v_first(row);
    vint other = (column - x0) ^ v_line((const uint8_t *)grid.column);
    other |= (row - y0) ^ v_line((const uint8_t *)grid.row);
    if (v_any(v_test(other, other)) || x0 < 0 || y0 < 0 ||
        x0 + REACH >= l->w[level] || y0 + REACH >= l->h[level])
        return none;
    uint32_t x_el = (uint32_t)(x0 + l->x_el[level]);
    uint32_t y_el = (uint32_t)(y0 + l->y_el[level]);
    if (p->tiling.y_keep != Y_TILE_ROWS - 1 ||
        y_el % Y_TILE_ROWS + REACH > Y_TILE_ROWS)
        return none;
    unsigned in_column = kind == SAMPLE_HALF4 ? 2 : 1;
    const uint8_t *first = p->mem + x_el / in_column * SAMPLE_COLUMN_B;
    return (struct grid_square){first + row_of_tile_B(p, y_el),
                                first + row_of_tile_B(p, y_el + REACH),
                                x_el % in_column};
}

/* ---- rows of half floats ---- */

/* Texels 0 to 3 of a row, and 1 to 4. */
struct grid_texels {
    vfloat left, right;
};

INLINE struct grid_texels
load_halves(const uint8_t *row, unsigned off)
{
    __m256i two = _mm256_set_m128i(v_load16(row + SAMPLE_COLUMN_B),
                                   v_load16(row));
    __m256i third = _mm256_castsi128_si256(v_load16(row + 2 * SAMPLE_COLUMN_B));
    __m256i middle = _mm256_alignr_epi64(third, two, 1);
    return off ? (struct grid_texels){float_halves(middle),
                                      float_halves(
                                          _mm256_alignr_epi64(third, two, 2))}
               : (struct grid_texels){float_halves(two), float_halves(middle)};
}

INLINE vfloat
filter_halves(const uint8_t *row, unsigned off, vfloat weight)
{
    struct grid_texels t = load_halves(row, off);
    return mix_pixels(t.left, t.right, weight);
}

INLINE void
filter_rows(const struct grid_square *s, unsigned off, vfloat wx, vfloat wy,
            struct grid_pixels *out)
{
    vfloat weight = permute_floats(grid.column_of_four, wx);
    vfloat below = filter_halves(s->at, off, weight);
    LANES_UNROLLED (unsigned i = 0; i < 4; i++) {
        vfloat above = below;
        below = filter_halves(i < 3 ? s->at + 16 * (i + 1) : s->below, off,
                              weight);
        out->part[i] = mix_pixels(above, below, weight_of_row(wy, i));
    }
    out->columns = false;
}

/* ---- columns of floats ----------------------------------------------------
 *
 * Four texels of a column are 64 consecutive bytes. */

INLINE vfloat
load_column(const uint8_t *at)
{
    return (vfloat)_mm512_loadu_ps(at);
}

INLINE __m128
load_float4(const uint8_t *at)
{
    return _mm_castsi128_ps(v_load16(at));
}

/* The rows one below `top`: only the last one is new. */
INLINE vfloat
next_rows(vfloat top, __m128 last)
{
    __m512i next = _mm512_castps_si512(_mm512_castps128_ps512(last));
    return (vfloat)_mm512_alignr_epi64(next, (__m512i)top, 2);
}

INLINE void
filter_columns(const struct grid_square *s, vfloat wx, vfloat wy,
               struct grid_pixels *out)
{
    static const int32_t lane[4] = {0, 1, 4, 5};
    vfloat rows = permute_floats(grid.row_of_four, wy),
           left = load_column(s->at);
    __m128 low_left = load_float4(s->below);
    vint least = least_magnitude(v_isplat(-1), left);
    least = least_magnitude(least, (vfloat)_mm512_zextps128_ps512(low_left));
    LANES_UNROLLED (unsigned i = 0; i < 4; i++) {
        const unsigned next_B = (i + 1) * SAMPLE_COLUMN_B;
        vfloat w = (vfloat)v_pick_one((vint)wx, v_isplat(lane[i]));
        vfloat right = load_column(s->at + next_B);
        __m128 low_right = load_float4(s->below + next_B);
        vmask between = v_fless(v_splat(0.0f), w);
        vfloat top = v_add_where(between, left, (right - left) * w);
        __m128 low = _mm_mask_add_ps(
            low_left, (__mmask8)between, low_left,
            _mm_mul_ps(_mm_sub_ps(low_right, low_left),
                       _mm512_castps512_ps128((__m512)w)));
        out->part[i] = mix_pixels(top, next_rows(top, low), rows);
        least = least_magnitude(least, right);
        least = least_magnitude(least,
                                (vfloat)_mm512_zextps128_ps512(low_right));
        left = right;
        low_left = low_right;
    }
    out->columns = true;
    out->least = least;
}

INLINE void
filter_square(enum sample_texel kind, const struct grid_square *s, vfloat wx,
              vfloat wy, struct grid_pixels *out)
{
    if (kind == SAMPLE_FLOAT4)
        filter_columns(s, wx, wy, out);
    else if (s->off)
        filter_rows(s, 1, wx, wy, out);
    else
        filter_rows(s, 0, wx, wy, out);
}

#endif
