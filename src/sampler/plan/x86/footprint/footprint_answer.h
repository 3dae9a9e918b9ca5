/* footprint_answer.h: writes the channels of a footprint kernel's answer; a
 * part of footprint_*.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_ANSWER_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_ANSWER_H

#include "sampler/plan/x86/texel_tmpl.h"

INLINE void
put_channel(uint32_t *out, int16_t at_dw, vfloat value)
{
    if (at_dw >= 0)
        v_store(out + at_dw, (vint)value);
}

INLINE void
put_answer(const struct sample_plan *p, const struct lanes_color *color,
           uint32_t *out, const int16_t at_dw[4])
{
    if (p->permuted) {
        for (unsigned i = 0; i < 4; i++)
            put_channel(out, at_dw[p->place[i]], color->c[i]);
        return;
    }
    /* In memory, because each comparison with pick[] would be a branch. */
    const vfloat source[] = {
        color->c[0],
        color->c[1],
        color->c[2],
        color->c[3],
        [SOURCE_ZERO] = v_splat(0.0f),
        [SOURCE_ONE] = (vfloat)v_isplat(p->one),
    };
    for (unsigned i = 0; i < 4; i++)
        put_channel(out, at_dw[i], source[p->pick[i]]);
}

/* n / d correctly rounded, for any n that a float holds. 1 / d is the sum of
 * two floats, high and low. No quotient is so near the middle of two floats
 * that the rounding of n * low could matter. */
INLINE vfloat
divide_255(vfloat n, bool by_65536)
{
    const double inv = by_65536 ? 1.0 / (255.0 * 65536.0) : 1.0 / 255.0;
    const float high = (float)inv, low = (float)(inv - (double)high);
    return v_fma(n, v_splat(high), n * v_splat(low));
}

INLINE void
answer_divided(const struct sample_plan *p, struct lanes_color color,
               bool by_65536, uint32_t *out, const int16_t at_dw[4])
{
    for (unsigned c = 0; c < 4; c++)
        color.c[c] = divide_255(color.c[c], by_65536);
    put_answer(p, &color, out, at_dw);
}

#endif
