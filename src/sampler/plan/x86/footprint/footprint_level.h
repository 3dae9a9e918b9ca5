/* footprint_level.h: filters the texels of one level linearly; a part of
 * footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_LEVEL_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_LEVEL_H

#include "sampler/plan/x86/color_tmpl.h"
#include "sampler/plan/x86/footprint/footprint_floats.h"
#include "sampler/plan/x86/footprint/footprint_gather_bytes4.h"
#include "sampler/plan/x86/footprint/footprint_palette.h"
#include "sampler/plan/x86/footprint/footprint_srgb.h"
#include "sampler/plan/x86/footprint/footprint_texels.h"

/* Whether some lane is off a texel's centre. Passes over a whole picture sample
 * centres. */
INLINE bool
lie_between(vint x, vint y)
{
    return v_any(v_test(x | y, v_constant(&lanes_constant.fraction)));
}

INLINE struct footprint_sums
sum_lines(const struct sample_plan *p, enum sample_texel kind, bool wide,
          struct block_cache *blocks, struct footprint_corner corner, bits in,
          vint x, vint y, const int32_t *bias)
{
    bits line[9];
    struct footprint_sums out;
    load_lines_around(p, kind, blocks, corner, in, 1, wide ? 3 : 2, line);
    vmask single = find_single(x);
    struct footprint_taps taps = wide ? find_taps_of_nine(kind, in, single)
                                      : find_taps_of_four(kind, in, single);
    flip(line, wide ? 9 : 4, load_constant(&p->bytes.ones));
    struct footprint_weights w = find_weights(x, y, single);
    /* In the order of the answer's channels. */
    for (unsigned c = 0; c < 4; c++)
        out.c[c] = filter_bytes(
            pick_taps(line, wide, &taps, load_constant(&p->bytes.at[c])), &w,
            bias);
    return out;
}

INLINE struct lanes_color
filter_srgb_lines(const struct sample_plan *p, bool wide,
                  struct footprint_corner corner, bits in, vint x, vint y)
{
    bits line[9];
    load_lines_of(p, corner, wide ? 3 : 2, line);
    struct srgb_square s = {line, wide,
                            wide ? find_taps_of_nine(SAMPLE_SRGB, in, 0)
                                 : find_taps_of_four(SAMPLE_SRGB, in, 0),
                            srgb_weight(x), srgb_weight(y)};
    return filter_srgb(&s, 1, v_splat(0.0f));
}

INLINE struct lanes_color
filter_lines(const struct sample_plan *p, enum sample_texel kind, bool wide,
             struct block_cache *blocks, struct footprint_corner corner,
             bits in, vint x, vint y)
{
    if (kind == SAMPLE_SRGB)
        return filter_srgb_lines(p, wide, corner, in, x, y);
    struct footprint_sums sums = sum_lines(p, kind, wide, blocks, corner, in, x,
                                           y, &footprint_table.bias);
    return color_of_sums(&sums);
}

/* Not inline: nine lines need more registers. */
#define WIDE(kind, name)                                              \
    static __attribute__((noinline)) void name##_wide(                \
        const struct sample_plan *p, struct block_cache *blocks,      \
        struct footprint_corner corner, bits in, vint x, vint y,      \
        struct lanes_color *out)                                      \
    {                                                                 \
        *out = filter_lines(p, kind, true, blocks, corner, in, x, y); \
    }
WIDE(SAMPLE_BYTES4, bytes4)
WIDE(SAMPLE_BYTE_BLOCKS, blocks)
WIDE(SAMPLE_SRGB, srgb)

INLINE void
filter_nine_lines(const struct sample_plan *p, enum sample_texel kind,
                  struct block_cache *blocks, struct footprint_corner corner,
                  bits in, vint x, vint y, struct lanes_color *out)
{
    if (kind == SAMPLE_BYTES4)
        bytes4_wide(p, blocks, corner, in, x, y, out);
    else if (kind == SAMPLE_SRGB)
        srgb_wide(p, blocks, corner, in, x, y, out);
    else
        blocks_wide(p, blocks, corner, in, x, y, out);
}

INLINE struct four_blocks
load_four(const struct sample_plan *p, enum palette_of palette,
          struct footprint_corner corner, bits in)
{
    return load_four_blocks(p, corner, in, palette == PALETTE_BC3);
}

INLINE struct lanes_color
filter_four(const struct sample_plan *p, enum sample_texel kind,
            enum palette_of palette, struct four_blocks four, bits in, vint x,
            vint y)
{
    if (kind == SAMPLE_BLOCKS)
        return filter_floats(p, palette, four, in, x, y);
    return filter_palette(p, palette, four, in, x, y);
}

/* Returns false if some lane is beyond nine lines, or at an edge. */
INLINE bool
filter_view(const struct sample_plan *p, enum sample_texel kind,
            enum palette_of palette, struct block_cache *blocks,
            struct footprint_view view, vint x, vint y, struct lanes_color *out)
{
    struct footprint_corner corner = view.corner;
    bits in = view.in;
    if (__builtin_expect(view.side == 2, 1)) {
        if (palette == PALETTE_NONE)
            *out = filter_lines(p, kind, false, blocks, corner, in, x, y);
        else
            *out = filter_four(p, kind, palette,
                               load_four(p, palette, corner, in), in, x, y);
        return true;
    }
    if (kind == SAMPLE_BLOCKS || !view.side)
        return false;
    struct lanes_color far; /* `out` stays in registers */
    filter_nine_lines(p, kind, blocks, corner, in, x, y, &far);
    *out = load_color(&far);
    return true;
}

/* Like filter_view(), with a gather of SAMPLE_BYTES4 if that fails. */
INLINE bool
take_filtered(const struct sample_plan *p, enum sample_texel kind,
              enum palette_of palette, struct block_cache *blocks,
              unsigned level, struct footprint_view view, vfloat u, vfloat v,
              vint x, vint y, struct lanes_color *out)
{
    if (filter_view(p, kind, palette, blocks, view, x, y, out))
        return true;
    if (kind != SAMPLE_BYTES4)
        return false;
    struct lanes_color far; /* `out` stays in registers */
    filter_gather(p, level, u, v, &far);
    *out = load_color(&far);
    return true;
}

#endif
