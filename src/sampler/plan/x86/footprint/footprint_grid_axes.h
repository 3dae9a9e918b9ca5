/* footprint_grid_axes.h: offsets of a grid's columns and rows of texels, and
 * the mix of pixels; a part of footprint_grid*.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GRID_AXES_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GRID_AXES_H

#include "sampler/plan/x86/color_tmpl.h"

/* ---- places ---- */

/* linear_fixed() with the clamps of scale_coord(): in 1/256 texels, the first
 * of two. */
INLINE vint
grid_fixed(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    vfloat x = p->axis[d] == SAMPLE_AXIS_REPEAT
                   ? scale_coord(GEN9_TCM_WRAP, false, u, n_fx8)
                   : scale_coord(GEN9_TCM_CLAMP, false, u, n_fx8);
    return v_ifloor(x + v_splat(p->round[d])) -
           v_constant(&lanes_constant.half_texel);
}

/* Offsets of the first and second texel of each column, or row. */
struct grid_axis {
    alignas(16) int32_t first_B[4];
    int32_t second_B[4];
};

INLINE int4
min4_u(int4 a, int4 b)
{
    return (int4)_mm_min_epu32((__m128i)a, (__m128i)b);
}

/* Wraps as linear_as() does. */
INLINE int4
wrap_four(const struct sample_plan *p, unsigned d, int4 i, int32_t n,
          bool second)
{
    if (p->axis[d] == SAMPLE_AXIS_REPEAT)
        return min4_u(i, second ? i - n : i + n);
    const __m128i zero = _mm_setzero_si128(), last = _mm_set1_epi32(n - 1);
    return (int4)_mm_max_epi32(_mm_min_epi32((__m128i)i, last), zero);
}

INLINE int4
four_x_B(const struct sample_tiling *t, int4 x_el)
{
    int4 x_B = x_el << t->element_shift;
    return (x_B & t->x_keep) | ((x_B & ~t->x_keep) << t->x_shift);
}

INLINE int4
four_y_B(const struct sample_tiling *t, int4 y_el)
{
    return (y_el >> t->y_shift) * t->y_pitch_B +
           ((y_el & t->y_keep) << t->y_keep_shift);
}

INLINE void
put_axis(struct grid_axis *axis, int4 first_B, int4 second_B)
{
    _mm_store_si128((__m128i *)(void *)axis->first_B, (__m128i)first_B);
    _mm_store_si128((__m128i *)(void *)axis->second_B, (__m128i)second_B);
    /* Keeps compilers from extracting vector elements: loads are cheaper. */
    __asm__("" : : "r"(axis) : "memory");
}

INLINE void
put_columns(const struct sample_plan *p, unsigned level, int4 i,
            struct grid_axis *column)
{
    const struct sample_levels *l = &p->levels;
    const struct sample_tiling *t = &p->tiling;
    int32_t w = l->w[level];
    put_axis(column, four_x_B(t, wrap_four(p, 0, i, w, false) + l->x_el[level]),
             four_x_B(t, wrap_four(p, 0, i + 1, w, true) + l->x_el[level]));
}

INLINE void
put_rows(const struct sample_plan *p, unsigned level, int4 j,
         struct grid_axis *row)
{
    const struct sample_levels *l = &p->levels;
    const struct sample_tiling *t = &p->tiling;
    int32_t h = l->h[level];
    put_axis(row, four_y_B(t, wrap_four(p, 1, j, h, false) + l->y_el[level]),
             four_y_B(t, wrap_four(p, 1, j + 1, h, true) + l->y_el[level]));
}

INLINE void
ask_ahead_of_grid(const struct sample_plan *p, enum sample_texel kind,
                  const uint8_t *at)
{
    for (unsigned i = 0; i < element_dw(kind); i++)
        _mm_prefetch(at + p->ahead_B + i * SAMPLE_COLUMN_B, _MM_HINT_T0);
}

/* ---- numbers ---- */

/* mix_colors() with weights from 0 to 1. */
INLINE vfloat
mix_pixels(vfloat a, vfloat b, vfloat w)
{
    return v_add_where(v_fless(v_splat(0.0f), w), a, (b - a) * w);
}

/* The least nonzero magnitude as an integer, less one. */
INLINE vint
least_magnitude(vint least, vfloat v)
{
    return v_min_u(least, ((vint)v & 0x7fffffff) - 1);
}

/* 2^-40: filtering numbers of at least this magnitude with 8-bit weights never
 * gives a denormal. */
#define LEAST_EXPONENT (127 - 40)

/* Converts weights in 1/256 to 0..1. */
INLINE vfloat
axis_weight(vint w)
{
    return v_float(w) * v_splat(1.0f / SAMPLE_ONE);
}

#endif
