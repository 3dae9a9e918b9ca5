/* footprint_vbmi.c: footprint kernels with VBMI, for messages whose lanes all
 * read one footprint of 8x8 texels of four bytes inside a level. Blocks of
 * pixels mostly do. No address mode moves these texels, a lane's four corners
 * are adjacent, and all texels are in four lines of memory, which registers
 * hold.
 *
 * The answers have the bits of sample_tmpl.h's routines, which handle all other
 * messages. VBMI picks texels out of the lines channel by channel, each lane's
 * four corners in one dword, and filters them as bytes. */
#include "sampler/plan/x86/footprint/footprint_answer.h"
#include "sampler/plan/x86/footprint/footprint_bytes1.h"
#include "sampler/plan/x86/footprint/footprint_two_stage.h"
#include "sampler/plan/x86/footprint/footprint_mipmaps.h"
#include "sampler/plan/x86/footprint/footprint_in_registers.h"

/* ---- the answer ---- */

/* Stores filtered colours. Filtered bytes are already in the order of the
 * answer. */
INLINE void
answer_filtered(const struct sample_plan *p, enum sample_texel kind,
                struct lanes_color color, uint32_t *out, const int16_t at_dw[4])
{
    if (!is_scaled(kind)) {
        put_answer(p, &color, out, at_dw);
        return;
    }
    for (unsigned c = 0; c < 4; c++)
        color.c[c] = divide_255(color.c[c], true);
    if (is_whole(at_dw) && !p->bytes.zeros) {
        for (unsigned c = 0; c < 4; c++)
            v_store(out + 16 * c, (vint)color.c[c]);
        return;
    }
    for (unsigned c = 0; c < 4; c++)
        put_channel(out, at_dw[c],
                    p->bytes.zeros >> c & 1 ? v_splat(0.0f) : color.c[c]);
}

INLINE bool
find_nearest(const struct sample_plan *p, enum sample_texel kind,
             struct block_cache *blocks, vfloat u, vfloat v, vint *texel)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    vfloat x = scale_inside(p, 0, u, lv.w_fx8);
    vfloat y = scale_inside(p, 1, v, lv.h_fx8);
    return take_texels(p, kind, blocks, &lv,
                       find_texels(&lv, pack_texels(v_ifloor(x), v_ifloor(y))),
                       texel);
}

/* Fetches texels of level 0 by number. */
INLINE bool
find_fetched(const struct sample_plan *p, enum sample_texel kind,
             struct block_cache *blocks, vfloat x, vfloat y, vint *texel)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level0);
    const vint i = (vint)x, k = (vint)y;
    return fit_halves(i, k) &&
           take_texels(p, kind, blocks, &lv,
                       find_texels(&lv, (bits)(i | k << 16)), texel);
}

enum found { FOUND_NOTHING, FOUND_TEXEL, FOUND_COLOR };

INLINE enum found
find_linear(const struct sample_plan *p, enum sample_texel kind,
            enum palette_of palette, struct block_cache *blocks, vfloat u,
            vfloat v, vint *texel, struct lanes_color *color)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    vint x = linear_fixed(p, 0, u, lv.w_fx8);
    vint y = linear_fixed(p, 1, v, lv.h_fx8);
    if (is_scaled(kind) && !lie_between(x, y) &&
        take_texels(p, kind, blocks, &lv, find_texels(&lv, pack_texels(x, y)),
                    texel))
        return FOUND_TEXEL;
    return take_filtered(p, kind, palette, blocks, lv.number,
                         find_view(&lv, x, y), u, v, x, y, color)
               ? FOUND_COLOR
               : FOUND_NOTHING;
}

INLINE bool
filter_one_level(const struct sample_plan *p, enum sample_texel kind,
                 enum palette_of palette, struct block_cache *blocks,
                 unsigned level, vfloat u, vfloat v, struct lanes_color *out)
{
    struct footprint_level lv = get_footprint_level(p, level);
    vint x = linear_fixed(p, 0, u, lv.w_fx8);
    vint y = linear_fixed(p, 1, v, lv.h_fx8);
    return take_filtered(p, kind, palette, blocks, level, find_view(&lv, x, y),
                         u, v, x, y, out);
}

/* The lanes' footprint on one level, and their coordinates. */
struct srgb_view {
    struct footprint_view lines;
    vint x, y;
};

static __attribute__((noinline)) bool
filter_srgb_apart(const struct sample_plan *p, const struct srgb_view v[2],
                  vint beta, struct lanes_color *out)
{
    struct lanes_color c[2];
    for (unsigned i = 0; i < 2; i++)
        if (!filter_view(p, SAMPLE_SRGB, PALETTE_NONE, NULL, v[i].lines, v[i].x,
                         v[i].y, &c[i]))
            return false;
    *out = mix_colors(SAMPLE_SRGB, c[0], c[1], beta);
    return true;
}

/* Loads four lines. */
INLINE void
load_srgb_square(const struct sample_plan *p, const struct srgb_view *v,
                 bits line[4], struct srgb_square *s)
{
    load_lines_of(p, v->lines.corner, 2, line);
    *s = (struct srgb_square){line, false,
                              find_taps_of_four(SAMPLE_SRGB, v->lines.in, 0),
                              srgb_weight(v->x), srgb_weight(v->y)};
}

/* Filters two levels at once if both need four lines: neither waits for the
 * other. */
INLINE bool
filter_srgb_levels(const struct sample_plan *p, unsigned level, vfloat u,
                   vfloat v, vint beta, struct lanes_color *out)
{
    struct srgb_view view[2];
    struct srgb_square s[2];
    bits line[2][4];
    for (unsigned i = 0; i < 2; i++) {
        struct footprint_level lv = get_footprint_level(p, level + i);
        view[i].x = linear_fixed(p, 0, u, lv.w_fx8);
        view[i].y = linear_fixed(p, 1, v, lv.h_fx8);
        view[i].lines = find_view(&lv, view[i].x, view[i].y);
    }
    if (view[0].lines.side != 2 || view[1].lines.side != 2) {
        /* Copies, so that the originals stay in registers. */
        const struct srgb_view in_memory[2] = {view[0], view[1]};
        struct lanes_color far;
        bool found = filter_srgb_apart(p, in_memory, beta, &far);
        *out = load_color(&far);
        return found;
    }
    load_srgb_square(p, &view[0], line[0], &s[0]);
    load_srgb_square(p, &view[1], line[1], &s[1]);
    *out = filter_srgb(s, 2, srgb_weight(beta));
    return true;
}

INLINE bool
find_mipmaps(const struct sample_plan *p, enum sample_texel kind,
             enum palette_of palette, struct block_cache *blocks, vfloat u,
             vfloat v, struct sample_lod_hint *hint, struct lanes_color *color)
{
    struct lanes_lod lod;
    struct lanes_color second;
    lods_of_quads(&p->lod, quad_footprint(&p->lod, u, v), hint, &lod);
    unsigned level = expect_level(lod.one);
    if (!lod.same)
        return false;
    bool both = lod.blend && p->lod.blends;
    if (kind == SAMPLE_SRGB && both)
        return filter_srgb_levels(p, level, u, v, lod.beta, color);
    if (!filter_one_level(p, kind, palette, blocks, level, u, v, color))
        return false;
    if (kind != SAMPLE_SRGB && both) {
        if (!filter_one_level(p, kind, palette, blocks, level + 1, u, v,
                              &second))
            return false;
        *color = mix_colors(kind, *color, second, lod.beta);
    }
    return true;
}

INLINE enum found
find_answer(const struct sample_plan *p, enum sample_texel kind,
            enum palette_of palette, enum sample_mode mode,
            struct block_cache *blocks, vfloat u, vfloat v,
            struct sample_lod_hint *hint, vint *texel,
            struct lanes_color *color)
{
    switch (mode) {
    case SAMPLE_NEAREST:
        return find_nearest(p, kind, blocks, u, v, texel) ? FOUND_TEXEL
                                                          : FOUND_NOTHING;
    case SAMPLE_FETCH:
        return find_fetched(p, kind, blocks, u, v, texel) ? FOUND_TEXEL
                                                          : FOUND_NOTHING;
    case SAMPLE_MIPMAPS:
        return find_mipmaps(p, kind, palette, blocks, u, v, hint, color)
                   ? FOUND_COLOR
                   : FOUND_NOTHING;
    default: return find_linear(p, kind, palette, blocks, u, v, texel, color);
    }
}

/* Gathers as tail calls: the common case then needs no stack. */
static __attribute__((noinline)) bool
answer_gather(const struct sample_plan *p, vfloat u, vfloat v, uint32_t *out,
              const int16_t at_dw[4])
{
    vint texel = gather_texels(p, (unsigned)p->lod.level, u, v);
    answer_texels(p, texel, out, at_dw);
    return true;
}

static __attribute__((noinline)) bits
pixels_gather(const struct sample_plan *p, vfloat u, vfloat v, bool blue_first)
{
    vint texel = gather_texels(p, (unsigned)p->lod.level, u, v);
    return pixels_of_texels(p, (bits)texel, blue_first);
}

INLINE bool
footprint_of(const struct sample_plan *p, enum sample_texel kind,
             enum palette_of palette, enum sample_mode mode,
             struct block_cache *blocks, vfloat u, vfloat v, uint32_t *out,
             const int16_t at_dw[4])
{
    const bool gathers = kind == SAMPLE_BYTES4 && mode == SAMPLE_NEAREST;
    vint texel;
    struct lanes_color color;
    switch (find_answer(p, kind, palette, mode, blocks, u, v, NULL, &texel,
                        &color)) {
    case FOUND_TEXEL: answer_texels(p, texel, out, at_dw); return true;
    case FOUND_COLOR: answer_filtered(p, kind, color, out, at_dw); return true;
    default: return gathers && answer_gather(p, u, v, out, at_dw);
    }
}

INLINE bits
pixels_of(const struct sample_plan *p, enum sample_texel kind,
          enum palette_of palette, enum sample_mode mode, __m512 u, __m512 v,
          struct block_cache *blocks, bool blue_first,
          struct sample_begun *begun)
{
    const bool gathers = kind == SAMPLE_BYTES4 && mode == SAMPLE_NEAREST;
    vint texel;
    struct lanes_color color;
    begun->state = SAMPLE_DONE;
    switch (find_answer(p, kind, palette, mode, blocks, (vfloat)u, (vfloat)v,
                        &begun->lod, &texel, &color)) {
    case FOUND_TEXEL: return pixels_of_texels(p, (bits)texel, blue_first);
    case FOUND_COLOR: return pixels_of_filtered(p, kind, color, blue_first);
    default:
        if (gathers)
            return pixels_gather(p, (vfloat)u, (vfloat)v, blue_first);
        begun->state = SAMPLE_LEFT_OUT;
        return _mm512_setzero_si512();
    }
}

#define PIXELS(kind, palette, mode, name)                                  \
    static __attribute__((noinline)) __m512i name##_pixels(PIXELS_ARGS)    \
    {                                                                      \
        return pixels_of(p, kind, palette, mode, u, v, blocks, blue_first, \
                         begun);                                           \
    }
#define TWO_STAGE(kind, palette, name)                                         \
    PIXELS(kind, palette, SAMPLE_LINEAR, name##_middle)                        \
    static __attribute__((noinline)) __m512i name##_far(FAR_ARGS)              \
    {                                                                          \
        return far_pixels(p, blocks, corner, side, blue_first, begun, in, u,   \
                          v, x, y, kind, palette);                             \
    }                                                                          \
    static __m512i name##_linear_pixels(PIXELS_ARGS)                           \
    {                                                                          \
        return begin_pixels(p, u, v, blocks, blue_first, begun, kind, palette, \
                            name##_middle_pixels, name##_far);                 \
    }                                                                          \
    static __m512i name##_finish(const struct sample_plan *p,                  \
                                 const struct sample_begun *begun,             \
                                 bool blue_first)                              \
    {                                                                          \
        return finish_pixels(p, begun, blue_first, kind, palette);             \
    }
#define FOOTPRINT(kind, palette, mode, name)                                  \
    INLINE bool name##_of(FOOTPRINT_OF_ARGS)                                  \
    {                                                                         \
        return footprint_of(p, kind, palette, mode, in->blocks, in->u, in->v, \
                            out, at_dw);                                      \
    }                                                                         \
    FOOTPRINT_VECTORS(false, name)
#define TEXELS(kind, mode, name)              \
    FOOTPRINT(kind, PALETTE_NONE, mode, name) \
    PIXELS(kind, PALETTE_NONE, mode, name)
#define FILTERED_FOOTPRINT(kind, palette, name)            \
    FOOTPRINT(kind, palette, SAMPLE_LINEAR, name##_linear) \
    FOOTPRINT(kind, palette, SAMPLE_MIPMAPS, name##_mipmaps)
#define FILTERED_WHOLE(kind, palette, name) \
    FILTERED_FOOTPRINT(kind, palette, name) \
    PIXELS(kind, palette, SAMPLE_MIPMAPS, name##_mipmaps)
#define FILTERED_TWO_STAGE(kind, palette, name) \
    FILTERED_WHOLE(kind, palette, name)         \
    TWO_STAGE(kind, palette, name)

TEXELS(SAMPLE_BYTES4, SAMPLE_NEAREST, bytes4_nearest)
TEXELS(SAMPLE_BYTES4, SAMPLE_FETCH, bytes4_fetch)
FILTERED_FOOTPRINT(SAMPLE_BYTES4, PALETTE_NONE, bytes4)
TWO_STAGE(SAMPLE_BYTES4, PALETTE_NONE, bytes4)
FILTERED_TWO_STAGE(SAMPLE_SRGB, PALETTE_NONE, srgb)
TEXELS(SAMPLE_BYTE_BLOCKS, SAMPLE_NEAREST, blocks_nearest)
TEXELS(SAMPLE_BYTE_BLOCKS, SAMPLE_FETCH, blocks_fetch)
FILTERED_WHOLE(SAMPLE_BYTE_BLOCKS, PALETTE_NONE, blocks)
PIXELS(SAMPLE_BYTE_BLOCKS, PALETTE_NONE, SAMPLE_LINEAR, blocks_linear)
FILTERED_TWO_STAGE(SAMPLE_BYTE_BLOCKS, PALETTE_BC1, bc1)
FILTERED_TWO_STAGE(SAMPLE_BYTE_BLOCKS, PALETTE_ETC, etc)
FILTERED_TWO_STAGE(SAMPLE_BLOCKS, PALETTE_BC1, bc1_srgb)
FILTERED_TWO_STAGE(SAMPLE_BLOCKS, PALETTE_BC3, bc3)

static __attribute__((noinline)) __m512i
bytes4_far_levels(FAR_LEVELS_ARGS)
{
    return far_levels(p, level, u, v, blue_first, begun);
}

static __m512i
bytes4_mipmaps_pixels(PIXELS_ARGS)
{
    (void)blocks;
    return begin_levels(p, u, v, blue_first, begun, bytes4_far_levels);
}

static __m512i
bytes4_mipmaps_finish(const struct sample_plan *p,
                      const struct sample_begun *begun, bool blue_first)
{
    return finish_levels(p, begun, blue_first);
}

#define FILTERED(what, name)                                        \
    [SAMPLE_LINEAR] = what(name##_linear), [SAMPLE_MIPMAPS] = what( \
                                               name##_mipmaps)
#define ALL(what, name)                                           \
    {                                                             \
        [SAMPLE_NEAREST] = what(name##_nearest),                  \
        [SAMPLE_FETCH] = what(name##_fetch), FILTERED(what, name) \
    }
#define PALETTES(what, name)                                      \
    {                                                             \
        [SAMPLE_NEAREST] = what(blocks_nearest),                  \
        [SAMPLE_FETCH] = what(blocks_fetch), FILTERED(what, name) \
    }
#define BYTES1(what)                             \
    {                                            \
        [SAMPLE_NEAREST] = what(bytes1_nearest), \
        [SAMPLE_LINEAR] = what(bytes1_linear),   \
    }
#define AS_FOOTPRINT(name) name
#define AS_VECTORS(name) (sample_in_registers_fn)(name##_vectors)
#define AS_PIXELS(name) (sample_to_unorm8_fn)(name##_pixels)
const sample_footprint_fn sample_footprint_vbmi[SAMPLE_TEXELS][SAMPLE_MODES] = {
    [SAMPLE_BYTES1] = BYTES1(AS_FOOTPRINT),
    [SAMPLE_BYTES4] = ALL(AS_FOOTPRINT, bytes4),
    [SAMPLE_BYTE_BLOCKS] = ALL(AS_FOOTPRINT, blocks),
    [SAMPLE_SRGB] = {FILTERED(AS_FOOTPRINT, srgb)},
};
const sample_in_registers_fn
    sample_in_registers_vbmi[SAMPLE_TEXELS][SAMPLE_MODES] = {
        [SAMPLE_BYTES1] = BYTES1(AS_VECTORS),
        [SAMPLE_BYTES4] = ALL(AS_VECTORS, bytes4),
        [SAMPLE_BYTE_BLOCKS] = ALL(AS_VECTORS, blocks),
        [SAMPLE_SRGB] = {FILTERED(AS_VECTORS, srgb)},
};
const sample_footprint_fn sample_footprint_bc1[SAMPLE_MODES] = PALETTES(
    AS_FOOTPRINT, bc1);
const sample_footprint_fn sample_footprint_etc[SAMPLE_MODES] = PALETTES(
    AS_FOOTPRINT, etc);
const sample_footprint_fn sample_footprint_bc1_srgb[SAMPLE_MODES] = {
    FILTERED(AS_FOOTPRINT, bc1_srgb)};
const sample_footprint_fn sample_footprint_bc3[SAMPLE_MODES] = {
    FILTERED(AS_FOOTPRINT, bc3)};
const sample_in_registers_fn sample_in_registers_bc1[SAMPLE_MODES] = PALETTES(
    AS_VECTORS, bc1);
const sample_in_registers_fn sample_in_registers_etc[SAMPLE_MODES] = PALETTES(
    AS_VECTORS, etc);
const sample_in_registers_fn sample_in_registers_bc1_srgb[SAMPLE_MODES] = {
    FILTERED(AS_VECTORS, bc1_srgb)};
const sample_in_registers_fn sample_in_registers_bc3[SAMPLE_MODES] = {
    FILTERED(AS_VECTORS, bc3)};

const sample_to_unorm8_fn sample_to_unorm8_vbmi[SAMPLE_TEXELS][SAMPLE_MODES] = {
    [SAMPLE_BYTES1] = BYTES1(AS_PIXELS),
    [SAMPLE_BYTES4] = ALL(AS_PIXELS, bytes4),
    [SAMPLE_BYTE_BLOCKS] = ALL(AS_PIXELS, blocks),
    [SAMPLE_SRGB] = {FILTERED(AS_PIXELS, srgb)},
};
const sample_to_unorm8_fn sample_to_unorm8_bc1[SAMPLE_MODES] = PALETTES(
    AS_PIXELS, bc1);
const sample_to_unorm8_fn sample_to_unorm8_etc[SAMPLE_MODES] = PALETTES(
    AS_PIXELS, etc);
const sample_to_unorm8_fn sample_to_unorm8_bc1_srgb[SAMPLE_MODES] = {
    FILTERED(AS_PIXELS, bc1_srgb)};
const sample_to_unorm8_fn sample_to_unorm8_bc3[SAMPLE_MODES] = {
    FILTERED(AS_PIXELS, bc3)};

#define AS_FINISH(name) (sample_finish_fn)(name##_finish)
const sample_finish_fn sample_finish_vbmi[SAMPLE_TEXELS][SAMPLE_MODES] = {
    [SAMPLE_BYTES4] = {[SAMPLE_LINEAR] = AS_FINISH(bytes4),
                       [SAMPLE_MIPMAPS] = AS_FINISH(bytes4_mipmaps)},
    [SAMPLE_SRGB] = {[SAMPLE_LINEAR] = AS_FINISH(srgb)},
};
#define LINEAR(name)                      \
    {                                     \
        [SAMPLE_LINEAR] = AS_FINISH(name) \
    }
const sample_finish_fn sample_finish_bc1[SAMPLE_MODES] = LINEAR(bc1);
const sample_finish_fn sample_finish_etc[SAMPLE_MODES] = LINEAR(etc);
const sample_finish_fn sample_finish_bc1_srgb[SAMPLE_MODES] = LINEAR(bc1_srgb);
const sample_finish_fn sample_finish_bc3[SAMPLE_MODES] = LINEAR(bc3);
