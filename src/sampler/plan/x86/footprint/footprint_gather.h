/* footprint_gather.h: places of texels for scattered lanes, and for lanes at an
 * edge; a part of footprint_*.c. Each texel is loaded separately. Any
 * coordinates give the texels of sample_tmpl.h's routines. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GATHER_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GATHER_H

#include "sampler/plan/x86/footprint/footprint_lines.h"

INLINE vint
axis_of_one(const struct sample_plan *p, unsigned d, vfloat u, const int32_t *n,
            vfloat n_fx8)
{
    return p->axis[d] == SAMPLE_AXIS_REPEAT
               ? nearest_as(GEN9_TCM_WRAP, false, p, d, u, v_constant(n), n_fx8)
                     .i0
               : nearest_as(GEN9_TCM_CLAMP, false, p, d, u, v_constant(n),
                            n_fx8)
                     .i0;
}

/* Loads one texel of a dword for each lane. */
INLINE vint
gather_texels(const struct sample_plan *p, unsigned level, vfloat u, vfloat v)
{
    const struct sample_tiling *t = &p->tiling;
    struct footprint_level lv = get_footprint_level(p, level);
    vint x = axis_of_one(p, 0, u, lv.w, lv.w_fx8) + (int32_t)lv.x_el;
    vint y = axis_of_one(p, 1, v, lv.h, lv.h_fx8) + (int32_t)lv.y_el;
    return v_gather(p->mem, offset_x_B(t, x) + offset_y_B(t, y));
}

INLINE struct lanes_axis
axis_of_four(const struct sample_plan *p, unsigned d, vfloat u,
             const int32_t *n, vfloat n_fx8)
{
    return p->axis[d] == SAMPLE_AXIS_REPEAT
               ? linear_as(GEN9_TCM_WRAP, false, p, d, u, v_constant(n), n_fx8)
               : linear_as(GEN9_TCM_CLAMP, false, p, d, u, v_constant(n),
                           n_fx8);
}

/* Offsets of the four corners of each lane. */
struct places_of_four {
    vint upper_left, upper_right, lower_left, lower_right;
};

INLINE struct places_of_four
find_places_of_four(const struct sample_plan *p,
                    const struct footprint_level *lv,
                    const struct lanes_axis *x, const struct lanes_axis *y)
{
    const struct sample_tiling *t = &p->tiling;
    const vint x_el = v_isplat((int32_t)lv->x_el);
    const vint y_el = v_isplat((int32_t)lv->y_el);
    vint left = offset_x_B(t, x->i0 + x_el);
    vint right = offset_x_B(t, x->i1 + x_el);
    vint upper = offset_y_B(t, y->i0 + y_el);
    vint lower = offset_y_B(t, y->i1 + y_el);
    return (struct places_of_four){left + upper, right + upper, left + lower,
                                   right + lower};
}

#endif
