/* footprint_mipmaps.h: pixels of four bytes filtered on one level or two, in
 * two stages; a part of footprint_vbmi.c. When the second stage loads the
 * texels, the level and the places are long known. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_MIPMAPS_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_MIPMAPS_H

#include "sampler/plan/x86/lod_tmpl.h"
#include "sampler/plan/x86/footprint/footprint_level.h"
#include "sampler/plan/x86/footprint/footprint_to_unorm8.h"

#define FAR_LEVELS_ARGS                                              \
    const struct sample_plan *p, unsigned level, __m512 u, __m512 v, \
        bool blue_first, struct sample_begun *begun

INLINE struct sample_view
view_level(const struct sample_plan *p, unsigned level, vfloat u, vfloat v)
{
    struct footprint_level lv = get_footprint_level(p, level);
    vint x = linear_fixed(p, 0, u, lv.w_fx8);
    vint y = linear_fixed(p, 1, v, lv.h_fx8);
    struct footprint_view view = find_view(&lv, x, y);
    return (struct sample_view){.x = (bits)x,
                                .y = (bits)y,
                                .in = view.in,
                                .bx = view.corner.bx,
                                .by = view.corner.by,
                                .side = view.side};
}

INLINE struct footprint_view
lines_of_view(const struct sample_view *v)
{
    return (struct footprint_view){{v->bx, v->by}, v->in, v->side};
}

/* Filters levels of which some lane is outside four lines. */
INLINE bits
far_levels(FAR_LEVELS_ARGS)
{
    const enum sample_texel kind = SAMPLE_BYTES4;
    struct lanes_color c[2];
    begun->state = SAMPLE_LEFT_OUT;
    for (unsigned i = 0; i < begun->levels; i++) {
        const struct sample_view *w = &begun->view[i];
        if (!take_filtered(p, kind, PALETTE_NONE, NULL, level + i,
                           lines_of_view(w), (vfloat)u, (vfloat)v, (vint)w->x,
                           (vint)w->y, &c[i]))
            return _mm512_setzero_si512();
    }
    if (begun->levels > 1)
        c[0] = mix_colors(kind, c[0], c[1], (vint)begun->beta);
    begun->state = SAMPLE_DONE;
    return pixels_of_filtered(p, kind, c[0], blue_first);
}

INLINE bits
begin_levels(const struct sample_plan *p, __m512 u, __m512 v, bool blue_first,
             struct sample_begun *begun, __m512i (*far)(FAR_LEVELS_ARGS))
{
    struct lanes_lod lod;
    lods_of_quads(&p->lod, quad_footprint(&p->lod, (vfloat)u, (vfloat)v),
                  &begun->lod, &lod);
    unsigned level = expect_level(lod.one);
    if (!lod.same) {
        begun->state = SAMPLE_LEFT_OUT;
        return _mm512_setzero_si512();
    }
    bool both = lod.blend && p->lod.blends;
    struct sample_view view = view_level(p, level, (vfloat)u, (vfloat)v);
    unsigned side = view.side;
    begun->view[0] = view;
    if (both) {
        view = view_level(p, level + 1, (vfloat)u, (vfloat)v);
        begun->view[1] = view;
    }
    begun->state = SAMPLE_BEGUN;
    begun->levels = 1 + both;
    begun->beta = (bits)lod.beta;
    if (side != 2 || view.side != 2)
        return far(p, level, u, v, blue_first, begun);
    return _mm512_setzero_si512();
}

INLINE struct footprint_sums
sum_view(const struct sample_plan *p, const struct sample_view *v,
         const int32_t *bias)
{
    return sum_lines(p, SAMPLE_BYTES4, false, NULL, lines_of_view(v).corner,
                     v->in, (vint)v->x, (vint)v->y, bias);
}

INLINE bits
finish_levels(const struct sample_plan *p, const struct sample_begun *begun,
              bool blue_first)
{
    const enum sample_texel kind = SAMPLE_BYTES4;
    if (begun->levels < 2) {
        struct footprint_sums sums = sum_view(p, &begun->view[0],
                                              &footprint_table.half);
        return pixels_of_sums(p, &sums, blue_first);
    }
    struct footprint_sums sums[2] = {
        sum_view(p, &begun->view[0], &footprint_table.bias),
        sum_view(p, &begun->view[1], &footprint_table.bias)};
    return pixels_of_filtered(p, kind,
                              mix_colors(kind, color_of_sums(&sums[0]),
                                         color_of_sums(&sums[1]),
                                         (vint)begun->beta),
                              blue_first);
}

#endif
