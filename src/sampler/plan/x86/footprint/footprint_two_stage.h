/* footprint_two_stage.h: linearly filtered pixels in two stages: find the
 * places, then filter; a part of footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TWO_STAGE_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TWO_STAGE_H

#include "sampler/plan/x86/footprint/footprint_level.h"
#include "sampler/plan/x86/footprint/footprint_quads.h"

#define PIXELS_ARGS                                  \
    const struct sample_plan *p, __m512 u, __m512 v, \
        struct block_cache *blocks, bool blue_first, \
        struct sample_begun *begun
#define FAR_ARGS                                                         \
    const struct sample_plan *p, struct block_cache *blocks,             \
        struct footprint_corner corner, unsigned side, bool blue_first,  \
        struct sample_begun *begun, bits in, __m512 u, __m512 v, bits x, \
        bits y

INLINE void
begin_view(const struct sample_plan *p, enum palette_of palette,
           struct footprint_view view, vint x, vint y,
           struct sample_begun *begun)
{
    begun->state = SAMPLE_BEGUN;
    begun->x = (bits)x;
    begun->y = (bits)y;
    begun->in = view.in;
    begun->bx = view.corner.bx;
    begun->by = view.corner.by;
    if (palette == PALETTE_NONE)
        return;
    struct four_blocks four = load_four(p, palette, view.corner, view.in);
    begun->blocks = four.bits;
    if (palette == PALETTE_BC3)
        begun->more = four.more;
}

/* For scattered lanes. `surely`: returns false if they may share a footprint.
 */
static __attribute__((noinline)) bool
begin_gather(const struct sample_plan *p, __m512 u, __m512 v, bool surely,
             struct sample_begun *begun)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    struct gather_axes a = find_axes(p, &lv, (vfloat)u, (vfloat)v);
    if (surely && !lie_apart(&a))
        return false;
    struct places_of_four places = places_of_axes(p, &lv, &a);
    put_places(&places, &begun->places);
    begun->x = (bits)a.x;
    begun->y = (bits)a.y;
    begun->state = SAMPLE_BEGUN_GATHER;
    return true;
}

/* For lanes that may need nine lines. Returns false if nine are not enough. */
static __attribute__((noinline)) bool
begin_rotated(const struct sample_plan *p, __m512 u, __m512 v,
              struct sample_begun *begun)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    vint x = linear_fixed(p, 0, (vfloat)u, lv.w_fx8);
    vint y = linear_fixed(p, 1, (vfloat)v, lv.h_fx8);
    struct footprint_view view = find_rotated_view(&lv, x, y);
    if (!view.side)
        return false;
    begin_view(p, PALETTE_NONE, view, x, y, begun);
    begun->state = SAMPLE_BEGUN_ROTATED;
    begun->side = view.side;
    return true;
}

/* Tries the last message's state again. */
INLINE bool
begin_again(const struct sample_plan *p, __m512 u, __m512 v,
            struct sample_begun *begun)
{
    return begun->state == SAMPLE_BEGUN_ROTATED
               ? begin_rotated(p, u, v, begun)
               : begin_gather(p, u, v, true, begun);
}

/* Handles lanes outside four lines. */
INLINE bits
far_pixels(FAR_ARGS, enum sample_texel kind, enum palette_of palette)
{
    struct lanes_color color;
    if (kind == SAMPLE_BYTES4) {
        if (!side || !begin_rotated(p, u, v, begun))
            begin_gather(p, u, v, false, begun);
        return _mm512_setzero_si512();
    }
    const struct footprint_view view = {corner, in, side};
    bool found = side != 2 &&
                 take_filtered(p, kind, palette, blocks, (unsigned)p->lod.level,
                               view, (vfloat)u, (vfloat)v, (vint)x, (vint)y,
                               &color);
    begun->state = found ? SAMPLE_DONE : SAMPLE_LEFT_OUT;
    return found ? pixels_of_filtered(p, kind, color, blue_first)
                 : _mm512_setzero_si512();
}

/* `middle` and `far` need the stack; as tail calls they keep the common case
 * free of it. */
INLINE bits
begin_pixels(PIXELS_ARGS, enum sample_texel kind, enum palette_of palette,
             __m512i (*middle)(PIXELS_ARGS), __m512i (*far)(FAR_ARGS))
{
    if (kind == SAMPLE_BYTES4 && begun->state > SAMPLE_BEGUN &&
        begin_again(p, u, v, begun))
        return _mm512_setzero_si512();
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    vint x = linear_fixed(p, 0, (vfloat)u, lv.w_fx8), texel;
    vint y = linear_fixed(p, 1, (vfloat)v, lv.h_fx8);
    if (is_scaled(kind) && !lie_between(x, y)) {
        struct texel_places t = find_texels(&lv, pack_texels(x, y));
        __m128i corner = first_corner(t.place);
        bits in = count_from(t.place, corner);
        if (kind != SAMPLE_BYTES4 ||
            !lie_within(&t, in, &footprint_table.line_max))
            return middle(p, u, v, blocks, blue_first, begun);
        texel = take_from_line(p, kind, NULL, corner_on_level(&lv, corner), in);
        begun->state = SAMPLE_DONE;
        return pixels_of_texels(p, (bits)texel, blue_first);
    }
    struct footprint_view view = find_view(&lv, x, y);
    if (view.side != 2)
        return far(p, blocks, view.corner, view.side, blue_first, begun,
                   view.in, u, v, (bits)x, (bits)y);
    begin_view(p, palette, view, x, y, begun);
    return _mm512_setzero_si512();
}

static __attribute__((noinline)) bits
gather_pixels(const struct sample_plan *p, const struct sample_begun *begun,
              bool blue_first)
{
    bits texels[4];
    gather_four(p, &begun->places, texels);
    return filter_quads(p, texels, (vint)begun->x, (vint)begun->y, blue_first);
}

static __attribute__((noinline)) bits
wide_pixels(const struct sample_plan *p, const struct sample_begun *begun,
            bool blue_first)
{
    const struct footprint_corner corner = {begun->bx, begun->by};
    struct footprint_sums sums = sum_lines(
        p, SAMPLE_BYTES4, true, NULL, corner, begun->in, (vint)begun->x,
        (vint)begun->y, &footprint_table.half);
    return pixels_of_sums(p, &sums, blue_first);
}

INLINE bits
palette_pixels(const struct sample_plan *p, enum palette_of kind,
               struct four_blocks four, bits in, vint x, vint y,
               bool blue_first)
{
    struct palette_taps taps = find_palette_taps(p, kind, four, in, x, y);
    if (kind == PALETTE_ETC && taps.palette.special) {
        /* Copies, so that the originals stay in registers. */
        const __m256i blocks_in_memory = four.bits;
        const struct palette_taps in_memory = taps;
        struct footprint_sums far;
        sum_planar(p, &blocks_in_memory, &in_memory, &footprint_table.half,
                   &far);
        return pixels_of_sums(p, &far, blue_first);
    }
    struct footprint_sums sums = sum_palette(p, kind, &taps,
                                             &footprint_table.half);
    return pixels_of_sums(p, &sums, blue_first);
}

INLINE bits
finish_pixels(const struct sample_plan *p, const struct sample_begun *begun,
              bool blue_first, enum sample_texel kind, enum palette_of palette)
{
    const struct footprint_corner corner = {begun->bx, begun->by};
    const struct four_blocks four = {begun->blocks, begun->more};
    const bits in = begun->in;
    vint x = (vint)begun->x, y = (vint)begun->y;
    if (kind == SAMPLE_BYTES4 && begun->state > SAMPLE_BEGUN) {
        if (begun->state == SAMPLE_BEGUN_GATHER)
            return gather_pixels(p, begun, blue_first);
        if (begun->side > 2)
            return wide_pixels(p, begun, blue_first);
    }
    if (is_scaled(kind) && palette != PALETTE_NONE)
        return palette_pixels(p, palette, four, in, x, y, blue_first);
    if (is_scaled(kind)) {
        struct footprint_sums sums = sum_lines(p, kind, false, NULL, corner, in,
                                               x, y, &footprint_table.half);
        return pixels_of_sums(p, &sums, blue_first);
    }
    return pixels_of_filtered(
        p, kind,
        palette == PALETTE_NONE
            ? filter_lines(p, kind, false, NULL, corner, in, x, y)
            : filter_four(p, kind, palette, four, in, x, y),
        blue_first);
}

#endif
