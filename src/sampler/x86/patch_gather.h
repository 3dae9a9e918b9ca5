/* patch_gather.h: texels of four bytes where lanes look at no patch, filtered;
 * a part of patch_vbmi.c. */
#ifndef SAMPLER_PATCH_GATHER_H
#define SAMPLER_PATCH_GATHER_H

#include "sampler/x86/patch_anywhere.h"
#include "sampler/x86/patch_filter.h"
#include "sampler/pixels.h"

INLINE void
put_places(const struct places_of_four *from, struct sample_places *at)
{
    v_offsets(from->upper_left, at->upper_left);
    v_offsets(from->upper_right, at->upper_right);
    v_offsets(from->lower_left, at->lower_left);
    v_offsets(from->lower_right, at->lower_right);
}

/* The four texels of each lane, in the order of struct sample_places. */
INLINE void
gather_four(const struct sample_plan *p, const struct sample_places *at,
            bits texels[4])
{
    const int32_t *from[4] = {at->upper_left, at->upper_right, at->lower_left,
                              at->lower_right};
    if (p->gathers) {
        for (unsigned i = 0; i < 4; i++)
            texels[i] = _mm512_mask_i32gather_epi32(
                _mm512_setzero_si512(), 0xffff, load_table(from[i]), p->mem, 1);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        texels[i] = (bits)v_load_each(p->mem, from[i]);
}

/* Of each quad: dword i of vector k becomes dword k of vector i. */
INLINE void
turn_dwords(bits v[4])
{
    bits low01 = _mm512_unpacklo_epi32(v[0], v[1]);
    bits low23 = _mm512_unpacklo_epi32(v[2], v[3]);
    bits high01 = _mm512_unpackhi_epi32(v[0], v[1]);
    bits high23 = _mm512_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm512_unpacklo_epi64(low01, low23);
    v[1] = _mm512_unpackhi_epi64(low01, low23);
    v[2] = _mm512_unpacklo_epi64(high01, high23);
    v[3] = _mm512_unpackhi_epi64(high01, high23);
}

/* From texels of lanes to channels of all of them, in the order of the answer.
 */
INLINE void
turn_taps(const struct sample_plan *p, bits taps[4])
{
    const bits order = _mm512_or_si512(load_shuffle(p->bytes.at),
                                       constant(&patch.turned[0]));
    flip(taps, 4, constant(&p->bytes.ones));
    for (unsigned i = 0; i < 4; i++)
        taps[i] = _mm512_shuffle_epi8(taps[i], order);
    turn_dwords(taps);
}

/* Both columns are one where the second one has no weight. */
struct gather_axes {
    struct lanes_axis x, y;
};

INLINE struct gather_axes
find_axes(const struct sample_plan *p, const struct patch_level *lv, vfloat u,
          vfloat v)
{
    struct gather_axes a = {axis_of_four(p, 0, u, lv->w, lv->w_fx8),
                            axis_of_four(p, 1, v, lv->h, lv->h_fx8)};
    a.x.i1 = v_iselect(find_single(a.x.w1), a.x.i0, a.x.i1);
    return a;
}

INLINE struct patch_sums
sum_anywhere(const struct sample_plan *p, const struct sample_places *at,
             vint x, vint y, const int32_t *bias)
{
    bits taps[4];
    struct patch_sums out;
    gather_four(p, at, taps);
    turn_dwords(taps);
    turn_taps(p, taps);
    struct patch_weights w = find_weights(x, y, find_single(x));
    for (unsigned c = 0; c < 4; c++)
        out.c[c] = filter_bytes(taps[c], &w, bias);
    return out;
}

static __attribute__((noinline)) void
filter_anywhere(const struct sample_plan *p, unsigned level, vfloat u, vfloat v,
                struct lanes_color *out)
{
    struct sample_places at;
    struct patch_level lv = get_patch_level(p, level);
    struct gather_axes a = find_axes(p, &lv, u, v);
    struct places_of_four places = find_places_of_four(p, &lv, &a.x, &a.y);
    put_places(&places, &at);
    struct patch_sums sums = sum_anywhere(p, &at, a.x.w1, a.y.w1, &patch.bias);
    *out = color_of_sums(&sums);
}

/* The first and the last lane do not look at the same nine lines. */
INLINE bool
lie_apart(const struct gather_axes *a)
{
    const uint32_t most = 10;
    return v_first(a->x.i0) - v_last(a->x.i0) + most > 2 * most ||
           v_first(a->y.i0) - v_last(a->y.i0) + most > 2 * most;
}

#endif
