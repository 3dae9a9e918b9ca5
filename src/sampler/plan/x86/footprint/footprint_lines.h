/* footprint_lines.h: the level and the lines of memory that the lanes of a
 * message share; a part of footprint_vbmi.c and footprint_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_LINES_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_LINES_H

#include "sampler/plan/x86/address_tmpl.h"

/* A level of a message whose lanes agree on it. */
struct footprint_level {
    vfloat w_fx8, h_fx8;
    const int32_t *w, *h, *last; /* last column, last row << 16 */
    uint32_t x_el, y_el;
    unsigned number;
};

INLINE struct footprint_level
get_footprint_level(const struct sample_plan *p, unsigned level)
{
    const struct sample_levels *t = &p->levels;
    return (struct footprint_level){
        .w_fx8 = v_splat(t->w_fx8[level]),
        .h_fx8 = v_splat(t->h_fx8[level]),
        .w = &t->w[level],
        .h = &t->h[level],
        .last = &t->last[level],
        .x_el = (uint32_t)t->x_el[level],
        .y_el = (uint32_t)t->y_el[level],
        .number = level,
    };
}

/* scale_coord() for coordinates inside the level. Columns and rows beyond 16
 * bits, and NaN, become -2^15 or the like, which is outside, too. */
INLINE vfloat
scale_inside(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    if (p->axis[d] == SAMPLE_AXIS_REPEAT)
        return (u - v_floor(u)) * n_fx8;
    return v_within(u * n_fx8, v_splat(1 << 23));
}

/* In 1/256 texels, the first of two. NaN becomes the least integer, which wraps
 * here. */
INLINE vint
linear_fixed(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    vfloat x = scale_inside(p, d, u, n_fx8) + v_splat(p->round[d]);
    return v_sub(v_ifloor(x), v_constant(&lanes_constant.half_texel));
}

/* The first line, or decoded block. */
struct footprint_corner {
    uint32_t bx, by;
};

/* A line and its neighbours: rows and columns of three. */
struct footprint_lines {
    const uint8_t *row[3];
    uint32_t column_B[3];
};

INLINE struct footprint_lines
find_lines(const struct sample_plan *p, struct footprint_corner corner,
           unsigned side)
{
    uint32_t bx = corner.bx, by = corner.by;
    /* Lines past the end of memory repeat the last one; no lane reads them. */
    uint32_t bx1 = MIN2(bx + 1, p->square.last_x);
    uint32_t by1 = MIN2(by + 1, p->square.last_y);
    uint32_t bx2 = MIN2(bx + 2, p->square.last_x);
    uint32_t by2 = MIN2(by + 2, p->square.last_y);
    uint32_t pitch_B = (uint32_t)p->tiling.y_pitch_B;
    struct footprint_lines l = {
        .row = {p->mem + (by >> 3) * pitch_B + (by & 7) * 64,
                p->mem + (by1 >> 3) * pitch_B + (by1 & 7) * 64,
                p->mem + (by2 >> 3) * pitch_B + (by2 & 7) * 64},
        .column_B = {bx * 512, bx1 * 512, bx2 * 512},
    };
    /* Prefetch the whole square: a minified texture needs all of it anew. */
    for (unsigned y = 0; y < MIN2(side, 2); y++)
        for (unsigned x = 0; x < MIN2(side, 2); x++)
            _mm_prefetch(l.row[y] + l.column_B[x] + p->ahead_B, _MM_HINT_T0);
    return l;
}

#endif
