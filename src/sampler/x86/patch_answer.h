/* patch_answer.h: where the channels of a patch's message go; a part of
 * patch_*.c. */
#ifndef SAMPLER_PATCH_ANSWER_H
#define SAMPLER_PATCH_ANSWER_H

#include "sampler/x86/texel_tmpl.h"

INLINE void
put(uint32_t *out, int16_t at_dw, vfloat value)
{
    if (at_dw >= 0)
        v_store(out + at_dw, (vint)value);
}

INLINE void
answer(const struct sample_plan *p, const struct lanes_color *color,
       uint32_t *out, const int16_t at_dw[4])
{
    if (p->permuted) {
        for (unsigned i = 0; i < 4; i++)
            put(out, at_dw[p->place[i]], color->c[i]);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = p->pick[i];
        vfloat value = (vfloat)v_isplat(from == SOURCE_ONE ? p->one : 0);
        for (unsigned k = 0; k < 4; k++)
            if (from == k)
                value = color->c[k];
        put(out, at_dw[i], value);
    }
}

/* n / d rounded correctly, of any n that has as many bits as a float: no
 * quotient is so near the middle of two floats that the part of 1 / d that its
 * own float leaves out, itself rounded, could be missed. */
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
    answer(p, &color, out, at_dw);
}

#endif
