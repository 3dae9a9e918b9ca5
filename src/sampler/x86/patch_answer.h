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

#endif
