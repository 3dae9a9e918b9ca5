/* footprint_compare.h: comparison and percentage-closer filter of 24-bit
 * depths; a part of footprint_dwords.c.
 *
 * For n > 0, n / (2^24 - 1) is n / 2^24 and a little more than half a unit in
 * the last place. So the float nearest to it is the one above n / 2^24, and
 * quotients grow with n. A comparison is then a range of n, found without any
 * division. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_COMPARE_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_COMPARE_H

#include "sampler/plan/x86/texel_tmpl.h"

#define UNORM24_COUNT (1 << 24)

static const struct {
    int32_t all, count, weights;
} unorm24 = {
    .all = UNORM24_COUNT - 1,
    .count = UNORM24_COUNT,
    .weights = SAMPLE_ONE * SAMPLE_ONE,
};

/* Texels that pass a comparison: `count` from `first` on, or if inverted all
 * others. */
struct unorm24_range {
    vint first, count;
    bool inverted;
};

/* Counts the n whose quotients are less than f, or equal to f; f is from 0 to
 * 1. Flushing denormals does not change the count. */
INLINE vint
count_unorms(vfloat f, bool or_equal)
{
    vmask positive = v_less(v_isplat(0), (vint)f);
    if (!or_equal)
        f = (vfloat)((vint)f - v_constant(&lanes_constant.one));
    f = f * v_splat(UNORM24_COUNT);
    vint n = (vint)_mm512_cvt_roundps_epi32((__m512)f, _MM_FROUND_TO_POS_INF |
                                                           _MM_FROUND_NO_EXC);
    n = v_max(n, v_constant(&lanes_constant.one));
    return or_equal ? n : v_iselect(positive, n, v_isplat(0));
}

INLINE struct unorm24_range
find_unorms(unsigned func, vfloat ref)
{
    const vint none = v_isplat(0), all = v_constant(&unorm24.count);
    vint less = count_unorms(ref, false), most = count_unorms(ref, true);
    struct unorm24_range r = {none, none, false};
    switch (func) {
    case GEN9_COMPAREFUNCTION_ALWAYS: r.inverted = true; return r;
    case GEN9_COMPAREFUNCTION_LESS: r.count = less; break;
    case GEN9_COMPAREFUNCTION_LEQUAL: r.count = most; break;
    case GEN9_COMPAREFUNCTION_NOTEQUAL:
        r = (struct unorm24_range){less, most - less, true};
        break;
    case GEN9_COMPAREFUNCTION_EQUAL:
        r = (struct unorm24_range){less, most - less, false};
        break;
    case GEN9_COMPAREFUNCTION_GREATER:
        r = (struct unorm24_range){most, all - most, false};
        break;
    case GEN9_COMPAREFUNCTION_GEQUAL:
        r = (struct unorm24_range){less, all - less, false};
        break;
    default: break;
    }
    /* No depth is less than NaN, equal to it or greater. */
    r.count = v_iselect(v_fequal(ref, ref), r.count, none);
    return r;
}

/* Lanes that fail the comparison: the sampler returns 1.0 for them. */
INLINE vmask
fails_compare(const struct unorm24_range *r, vint dw)
{
    vint n = v_sub(dw, r->first) & v_constant(&unorm24.all);
    vmask within = v_less_u(n, r->count);
    return r->inverted ? within : v_not(within);
}

/* Weights of four texels, times 65536. */
struct corner_weights {
    vint upper_left, upper_right, lower_left, lower_right;
};

INLINE struct corner_weights
weights_of(vint x, vint y)
{
    vint both = v_mul16(x, y), right = x << 8, low = y << 8;
    return (struct corner_weights){.upper_left = v_constant(&unorm24.weights) -
                                                 right - low + both,
                                   .upper_right = right - both,
                                   .lower_left = low - both,
                                   .lower_right = both};
}

INLINE vint
add_where(vmask m, vint sum, vint v)
{
    return (vint)_mm512_mask_add_epi32((__m512i)sum, m, (__m512i)sum,
                                       (__m512i)v);
}

INLINE vfloat
filter_unorms(const struct sample_plan *p, const struct lanes_square_texels *t,
              vint wx, vint wy, vfloat ref)
{
    struct unorm24_range r = find_unorms(p->compare_func, ref);
    struct corner_weights w = weights_of(wx, wy);
    vint sum = add_where(fails_compare(&r, t->upper_left), v_isplat(0),
                         w.upper_left);
    sum = add_where(fails_compare(&r, t->upper_right), sum, w.upper_right);
    sum = add_where(fails_compare(&r, t->lower_left), sum, w.lower_left);
    sum = add_where(fails_compare(&r, t->lower_right), sum, w.lower_right);
    return v_float(sum) * v_splat(1.0f / (SAMPLE_ONE * SAMPLE_ONE));
}

#endif
