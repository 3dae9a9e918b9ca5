/* patch_gather.h: texels of four bytes where lanes look at no patch, filtered;
 * a part of patch_vbmi.c. */
#ifndef SAMPLER_PATCH_GATHER_H
#define SAMPLER_PATCH_GATHER_H

#include "sampler/x86/patch_anywhere.h"
#include "sampler/x86/patch_filter.h"

/* Offsets of the four texels of each lane, in memory: taking vectors apart
 * costs more. */
struct gather_places {
    alignas(64) int32_t upper_left[16], upper_right[16];
    alignas(64) int32_t lower_left[16], lower_right[16];
};

INLINE void
put_places(const struct places_of_four *from, struct gather_places *at)
{
    v_offsets(from->upper_left, at->upper_left);
    v_offsets(from->upper_right, at->upper_right);
    v_offsets(from->lower_left, at->lower_left);
    v_offsets(from->lower_right, at->lower_right);
}

INLINE __m128i
gather_lane(const uint8_t *mem, const struct gather_places *at, unsigned i)
{
    const int32_t from[4] = {at->upper_left[i], at->upper_right[i],
                             at->lower_left[i], at->lower_right[i]};
    return v_load4(mem, from);
}

/* Of lane i of each quad the four texels. */
INLINE bits
gather_quads(const uint8_t *mem, const struct gather_places *at, unsigned i)
{
    __m256i low = _mm256_set_m128i(gather_lane(mem, at, i + 4),
                                   gather_lane(mem, at, i));
    __m256i high = _mm256_set_m128i(gather_lane(mem, at, i + 12),
                                    gather_lane(mem, at, i + 8));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
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
    bits low01 = _mm512_unpacklo_epi32(taps[0], taps[1]);
    bits low23 = _mm512_unpacklo_epi32(taps[2], taps[3]);
    bits high01 = _mm512_unpackhi_epi32(taps[0], taps[1]);
    bits high23 = _mm512_unpackhi_epi32(taps[2], taps[3]);
    taps[0] = _mm512_unpacklo_epi64(low01, low23);
    taps[1] = _mm512_unpackhi_epi64(low01, low23);
    taps[2] = _mm512_unpacklo_epi64(high01, high23);
    taps[3] = _mm512_unpackhi_epi64(high01, high23);
}

static __attribute__((noinline)) void
filter_anywhere(const struct sample_plan *p, unsigned level, vfloat u, vfloat v,
                struct lanes_color *out)
{
    struct patch_level lv = get_patch_level(p, level);
    struct gather_places at;
    bits taps[4];
    struct lanes_axis x = axis_of_four(p, 0, u, lv.w, lv.w_fx8);
    struct lanes_axis y = axis_of_four(p, 1, v, lv.h, lv.h_fx8);
    vmask single = find_single(x.w1);
    x.i1 = v_iselect(single, x.i0, x.i1);
    struct places_of_four places = find_places_of_four(p, &lv, &x, &y);
    put_places(&places, &at);
    for (unsigned i = 0; i < 4; i++)
        taps[i] = gather_quads(p->mem, &at, i);
    turn_taps(p, taps);
    struct patch_weights w = find_weights(x.w1, y.w1, single);
    for (unsigned c = 0; c < 4; c++)
        out->c[c] = v_float((vint)filter_bytes(taps[c], &w, &patch.bias));
}

#endif
