/* patch_lines.h: the level and the lines of memory that the lanes of a message
 * look at together; a part of patch_vbmi.c and patch_avx2.c. */
#ifndef SAMPLER_PATCH_LINES_H
#define SAMPLER_PATCH_LINES_H

#include "sampler/x86/address_tmpl.h"

/* Where texels of one level are looked for. */
struct patch_level {
    vfloat w_fx8, h_fx8;
    const int32_t *w, *h, *last; /* column, and row << 16 */
    uint32_t x_el, y_el;
    unsigned number;
};

INLINE struct patch_level
get_patch_level(const struct sample_plan *p, unsigned level)
{
    const struct sample_levels *t = &p->levels;
    return (struct patch_level){
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

/* scale() of what lies inside. Columns and rows beyond 16 bits become -2^15 or
 * the like, which is as little inside as they are; NaN does, too. */
INLINE vfloat
scale_inside(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    if (p->axis[d] == SAMPLE_AXIS_REPEAT)
        return (u - v_floor(u)) * n_fx8;
    return v_within(u * n_fx8, v_splat(1 << 23));
}

/* Coordinates in 1/256 texels, of the first of two. Of NaN the least integer is
 * left, and less. */
INLINE vint
linear_fixed(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    vfloat x = scale_inside(p, d, u, n_fx8) + v_splat(p->round[d]);
    return v_sub(v_ifloor(x), v_constant(&lanes_constant.half_texel));
}

/* The first line, or block. */
struct patch_corner {
    uint32_t bx, by;
};

/* A line, its neighbours, and those that blocks of pixels next to this one will
 * look at if they look at as many texels. */
struct patch_lines {
    const uint8_t *row[3];
    uint32_t column_B[3];
};

INLINE struct patch_lines
find_lines(const struct sample_plan *p, struct patch_corner corner,
           unsigned side)
{
    uint32_t bx = corner.bx, by = corner.by;
    /* Blocks that no lane looks at need not exist. */
    uint32_t bx1 = MIN2(bx + 1, p->square.last_x);
    uint32_t by1 = MIN2(by + 1, p->square.last_y);
    uint32_t bx2 = MIN2(bx + 2, p->square.last_x);
    uint32_t by2 = MIN2(by + 2, p->square.last_y);
    uint32_t pitch_B = (uint32_t)p->tiling.y_pitch_B;
    struct patch_lines l = {
        .row = {p->mem + (by >> 3) * pitch_B + (by & 7) * 64,
                p->mem + (by1 >> 3) * pitch_B + (by1 & 7) * 64,
                p->mem + (by2 >> 3) * pitch_B + (by2 & 7) * 64},
        .column_B = {bx * 512, bx1 * 512, bx2 * 512},
    };
    /* All of a square may be new where texels are nearer than pixels. */
    for (unsigned y = 0; y < MIN2(side, 2); y++)
        for (unsigned x = 0; x < MIN2(side, 2); x++)
            _mm_prefetch(l.row[y] + l.column_B[x] + p->ahead_B, _MM_HINT_T0);
    return l;
}

#endif
