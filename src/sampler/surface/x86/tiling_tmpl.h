/* tiling_tmpl.h: tiling.h's offsets for vectors of lanes. Each file of sampler/
 * that includes it is compiled for one instruction set. */
#ifndef SAMPLER_SURFACE_X86_TILING_TMPL_H
#define SAMPLER_SURFACE_X86_TILING_TMPL_H

#include "base/simd/simd.h"
#include "sampler/surface/typed_elements.h"

/* Offsets in bytes; elements are counted from the tiling's origin. */
INLINE vint
offset_x_B(const struct sample_tiling *t, vint x_el)
{
    vint x_B = x_el << t->element_shift;
    return (x_B & t->x_keep) | ((x_B & ~t->x_keep) << t->x_shift);
}

INLINE vint
offset_y_B(const struct sample_tiling *t, vint y_el)
{
    return (y_el >> t->y_shift) * t->y_pitch_B +
           ((y_el & t->y_keep) << t->y_keep_shift);
}

#endif
