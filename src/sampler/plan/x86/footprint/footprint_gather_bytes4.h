/* footprint_gather_bytes4.h: filters texels of four bytes for scattered lanes;
 * a part of footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GATHER_BYTES4_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GATHER_BYTES4_H

#include "sampler/plan/x86/footprint/footprint_gather.h"
#include "sampler/plan/x86/footprint/footprint_filter.h"
#include "sampler/plan/kernel_types.h"

INLINE void
put_places(const struct places_of_four *from, struct sample_places *at)
{
    v_offsets(from->upper_left, at->upper_left);
    v_offsets(from->upper_right, at->upper_right);
    v_offsets(from->lower_left, at->lower_left);
    v_offsets(from->lower_right, at->lower_right);
}

/* Loads the four corners of each lane, in the order of struct sample_places. */
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

/* Transposes within quads: dword i of vector k becomes dword k of vector i. */
INLINE void
transpose_dwords(bits v[4])
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

/* Transposes lanes' texels to channels, in the order of the answer. */
INLINE void
transpose_taps(const struct sample_plan *p, bits taps[4])
{
    const bits order = _mm512_or_si512(
        load_shuffle(p->bytes.at),
        load_constant(&footprint_table.transposed[0]));
    flip(taps, 4, load_constant(&p->bytes.ones));
    for (unsigned i = 0; i < 4; i++)
        taps[i] = _mm512_shuffle_epi8(taps[i], order);
    transpose_dwords(taps);
}

/* ---- places ----
 *
 * footprint_gather.h for columns and rows in halves of dwords, in tiles whose
 * lines have 4x4 dwords. */

/* The first and the second texel of each lane. If the second column has no
 * weight, both are the first column. */
struct gather_axes {
    vint x, y; /* in 1/256 texels */
    bits first, second;
};

/* linear_fixed() for any coordinates. As in scale_coord(), NaN becomes 0, with
 * 0's weights, or the least number. */
INLINE vint
gather_fixed(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    vfloat x = (u - v_floor(u)) * n_fx8;
    if (p->axis[d] != SAMPLE_AXIS_REPEAT)
        x = v_fmin(v_fmax(u * n_fx8, v_splat(-0x1p22f)), v_splat(0x1p22f));
    x += v_splat(p->round[d]);
    return v_sub(v_ifloor(x), v_constant(&lanes_constant.half_texel));
}

/* Clamps axes that do not repeat to 0..n - 1. Repeating axes have -1..n, which
 * find_axes() wraps. */
INLINE bits
clamp_places(const struct sample_plan *p, bits place, bits n)
{
    int32_t repeats = (p->axis[0] == SAMPLE_AXIS_REPEAT ? 0xffff : 0) |
                      (p->axis[1] == SAMPLE_AXIS_REPEAT ? (int32_t)0xffff0000
                                                        : 0);
    bits least = _mm512_set1_epi32(repeats);
    bits last = _mm512_sub_epi16(
        n,
        _mm512_andnot_si512(least, load_constant(&footprint_table.next_place)));
    return _mm512_max_epi16(_mm512_min_epi16(place, last), least);
}

INLINE struct gather_axes
find_axes(const struct sample_plan *p, const struct footprint_level *lv,
          vfloat u, vfloat v)
{
    enum { IF_C_B_ELSE_A = 0xd8 };
    const bits one = load_constant(&footprint_table.next_place);
    const bits n = _mm512_add_epi16(load_constant(lv->last), one);
    struct gather_axes a = {.x = gather_fixed(p, 0, u, lv->w_fx8),
                            .y = gather_fixed(p, 1, v, lv->h_fx8)};
    bits first = pack_texels(a.x, a.y), second = _mm512_add_epi16(first, one);
    if (p->axis[0] != SAMPLE_AXIS_REPEAT || p->axis[1] != SAMPLE_AXIS_REPEAT) {
        first = clamp_places(p, first, n);
        second = clamp_places(p, second, n);
    }
    a.first = _mm512_min_epu16(first, _mm512_add_epi16(first, n));
    second = _mm512_min_epu16(second, _mm512_sub_epi16(second, n));
    a.second = _mm512_mask_ternarylogic_epi32(
        second, find_single(a.x), a.first,
        load_constant(&lanes_constant.low_half), IF_C_B_ELSE_A);
    return a;
}

/* Offset of a column: bits 2 and 3, and 9 and above. */
INLINE bits
column_of_place_B(bits place)
{
    bits moved = _mm512_multishift_epi64_epi8(
        load_shuffle(footprint_table.column_bits), place);
    return _mm512_and_si512(moved, load_constant(&footprint_table.column_mask));
}

INLINE bits
row_of_place_B(const struct sample_plan *p, bits place)
{
    enum { HIGH_HALF = 16, TILE_ROWS_LOG2 = 5, TILE_LOG2 = 12, LINE_LOG2 = 4 };
    bits tiles = _mm512_set1_epi32(p->tiling.y_pitch_B >> TILE_LOG2);
    bits tile = _mm512_srli_epi32(place, HIGH_HALF + TILE_ROWS_LOG2);
    tile = _mm512_slli_epi32(_mm512_madd_epi16(tile, tiles), TILE_LOG2);
    return _mm512_ternarylogic_epi32(
        tile, _mm512_srli_epi32(place, HIGH_HALF - LINE_LOG2),
        load_constant(&footprint_table.row_mask), AND_OR);
}

INLINE struct places_of_four
places_of_axes(const struct sample_plan *p, const struct footprint_level *lv,
               const struct gather_axes *a)
{
    bits origin = _mm512_set1_epi32((int32_t)(lv->x_el | lv->y_el << 16));
    bits first = _mm512_add_epi16(a->first, origin);
    bits second = _mm512_add_epi16(a->second, origin);
    vint left = (vint)column_of_place_B(first);
    vint right = (vint)column_of_place_B(second);
    vint upper = (vint)row_of_place_B(p, first);
    vint lower = (vint)row_of_place_B(p, second);
    return (struct places_of_four){left + upper, right + upper, left + lower,
                                   right + lower};
}

INLINE struct footprint_sums
sum_gather(const struct sample_plan *p, const struct sample_places *at, vint x,
           vint y, const int32_t *bias)
{
    bits taps[4];
    struct footprint_sums out;
    gather_four(p, at, taps);
    transpose_dwords(taps);
    transpose_taps(p, taps);
    struct footprint_weights w = find_weights(x, y, find_single(x));
    for (unsigned c = 0; c < 4; c++)
        out.c[c] = filter_bytes(taps[c], &w, bias);
    return out;
}

static __attribute__((noinline)) void
filter_gather(const struct sample_plan *p, unsigned level, vfloat u, vfloat v,
              struct lanes_color *out)
{
    struct sample_places at;
    struct footprint_level lv = get_footprint_level(p, level);
    struct gather_axes a = find_axes(p, &lv, u, v);
    struct places_of_four places = places_of_axes(p, &lv, &a);
    put_places(&places, &at);
    struct footprint_sums sums = sum_gather(p, &at, a.x, a.y,
                                            &footprint_table.bias);
    *out = color_of_sums(&sums);
}

/* Whether the first and the last lane cannot share nine lines. */
INLINE bool
lie_apart(const struct gather_axes *a)
{
    const uint32_t most = 10;
    uint32_t first = v_first((vint)a->first), last = v_last((vint)a->first);
    return (first & 0xffff) - (last & 0xffff) + most > 2 * most ||
           (first >> 16) - (last >> 16) + most > 2 * most;
}

#endif
