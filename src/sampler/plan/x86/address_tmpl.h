/* address_tmpl.h: addresses of texels from coordinates, as in address.c and
 * texel.c; a part of sample_tmpl.h. */
#ifndef SAMPLER_PLAN_X86_ADDRESS_TMPL_H
#define SAMPLER_PLAN_X86_ADDRESS_TMPL_H

#include "sampler/plan/kernels.h"
#include "base/simd/simd.h"
#include "sampler/format/format_ops.h"
#include "sampler/plan/x86/lanes_constant.h"
#include "sampler/reference/sample.h"
#include "sampler/surface/x86/tiling_tmpl.h"

/* A level for each lane. */
struct lanes_level {
    vint w, h, x_el, y_el;
    vfloat w_fx8, h_fx8;
};

INLINE struct lanes_level
get_level(const struct sample_plan *p, vint level, vint layer_y)
{
    const struct sample_levels *t = &p->levels;
    return (struct lanes_level){
        .w = v_table(t->w, level),
        .h = v_table(t->h, level),
        .x_el = v_table(t->x_el, level),
        .y_el = v_table(t->y_el, level) + layer_y,
        .w_fx8 = (vfloat)v_table(t->w_fx8, level),
        .h_fx8 = (vfloat)v_table(t->h_fx8, level),
    };
}

/* One level for all lanes. */
INLINE struct lanes_level
get_one_level(const struct sample_plan *p, unsigned level, vint layer_y)
{
    const struct sample_levels *t = &p->levels;
    return (struct lanes_level){
        .w = v_isplat(t->w[level]),
        .h = v_isplat(t->h[level]),
        .x_el = v_isplat(t->x_el[level]),
        .y_el = v_isplat(t->y_el[level]) + layer_y,
        .w_fx8 = v_splat(t->w_fx8[level]),
        .h_fx8 = v_splat(t->h_fx8[level]),
    };
}

/* The texels that a lane reads along one axis. */
struct lanes_axis {
    vint i0, i1, w1;
    vmask outside; /* beyond an edge, if p->border */
};

/* address.c's scale_coord(), in 1/256 texels, limited to the range of an int.
 * NaN becomes 0, or the least number if both clamp to texel 0. `far`: an offset
 * is added later. */
INLINE vfloat
scale_coord(unsigned wrap, bool far, vfloat u, vfloat n_fx8)
{
    const vfloat zero = v_splat(0.0f), limit = v_splat(1 << 28);
    if (wrap == GEN9_TCM_WRAP)
        return v_fmax((u - v_floor(u)) * n_fx8, zero);
    if (wrap == GEN9_TCM_MIRROR)
        return v_fmax((u - v_splat(2.0f) * v_floor(u * v_splat(0.5f))) * n_fx8,
                      zero);
    vfloat x = u * n_fx8;
    if (wrap != GEN9_TCM_CLAMP || far)
        x = v_select(v_fequal(x, x), x, zero);
    return v_fmin(v_fmax(x, -limit), limit);
}

INLINE vint
wrap_modulo(vint i, vint n)
{
    vfloat q = (v_float(i) + v_splat(0.5f)) / v_float(n);
    return i - n * v_ifloor(q);
}

/* address_wrap() for a result of scale_coord(). `far`: after an offset was
 * added. */
INLINE vint
wrap_texel(unsigned wrap, vint i, vint n, bool far)
{
    if (wrap == GEN9_TCM_WRAP) {
        if (far)
            return wrap_modulo(i, n);
        return v_min_u(v_min_u(i, i + n), i - n);
    }
    if (wrap == GEN9_TCM_MIRROR) {
        if (far)
            i = wrap_modulo(i, n + n);
        vint back = n + n - 1 - i;
        return v_min_u(v_max(i, v_isplat(0)), v_max(back, v_isplat(0)));
    }
    return v_max(v_min(i, n - v_constant(&lanes_constant.one)), v_isplat(0));
}

INLINE struct lanes_axis
linear_as(unsigned wrap, bool far, const struct sample_plan *p, unsigned d,
          vfloat u, vint n, vfloat n_fx8)
{
    vfloat x = scale_coord(wrap, far, u, n_fx8);
    if (wrap == GEN9_TCM_HALF_BORDER)
        x = v_fmin(v_fmax(x, v_splat(0.0f)), n_fx8);
    vint fixed = v_ifloor(x + v_splat(p->round[d]));
    fixed -= v_constant(&lanes_constant.half_texel);
    vint i = fixed >> 8;
    if (far)
        i = v_add(i, v_isplat(p->offset[d]));
    vint next = i + v_constant(&lanes_constant.one);
    struct lanes_axis a = {
        .i0 = wrap_texel(wrap, i, n, far),
        .i1 = wrap_texel(wrap, next, n, far),
        .w1 = fixed & v_constant(&lanes_constant.fraction),
        .outside = v_live(0),
    };
    /* Without an offset, repeat only has to move -1 and n. */
    if (wrap == GEN9_TCM_WRAP && !far) {
        a.i0 = v_min_u(i, i + n);
        a.i1 = v_min_u(next, next - n);
    }
    if (wrap == GEN9_TCM_CLAMP_BORDER || wrap == GEN9_TCM_HALF_BORDER)
        a.outside = v_not(v_less_u(i, n - 1));
    return a;
}

/* Branches once on the common address modes, which have code of their own. */
INLINE struct lanes_axis
axis_linear(const struct sample_plan *p, unsigned d, vfloat u, vint n,
            vfloat n_fx8)
{
    if (p->axis[d] == SAMPLE_AXIS_REPEAT)
        return linear_as(GEN9_TCM_WRAP, false, p, d, u, n, n_fx8);
    if (p->axis[d] == SAMPLE_AXIS_CLAMP)
        return linear_as(GEN9_TCM_CLAMP, false, p, d, u, n, n_fx8);
    return linear_as(p->wrap[d], true, p, d, u, n, n_fx8);
}

INLINE struct lanes_axis
nearest_as(unsigned wrap, bool far, const struct sample_plan *p, unsigned d,
           vfloat u, vint n, vfloat n_fx8)
{
    vint i = v_ifloor(scale_coord(wrap, far, u, n_fx8)) >> 8;
    if (far)
        i = v_add(i, v_isplat(p->offset[d]));
    struct lanes_axis a = {
        .i0 = wrap_texel(wrap, i, n, far),
        .outside = v_live(0),
    };
    if (wrap == GEN9_TCM_WRAP && !far)
        a.i0 = v_min_u(i, i - n);
    if (wrap == GEN9_TCM_CLAMP_BORDER)
        a.outside = v_not(v_less_u(i, n));
    return a;
}

INLINE struct lanes_axis
axis_nearest(const struct sample_plan *p, unsigned d, vfloat u, vint n,
             vfloat n_fx8)
{
    if (p->axis[d] == SAMPLE_AXIS_REPEAT)
        return nearest_as(GEN9_TCM_WRAP, false, p, d, u, n, n_fx8);
    if (p->axis[d] == SAMPLE_AXIS_CLAMP)
        return nearest_as(GEN9_TCM_CLAMP, false, p, d, u, n, n_fx8);
    return nearest_as(p->wrap[d], true, p, d, u, n, n_fx8);
}

#endif
