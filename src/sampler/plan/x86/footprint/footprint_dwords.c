/* footprint_dwords.c: footprint kernels for texels of one dword that is not
 * four bytes: depths, compared or not, single floats and small floats. All
 * lanes read one footprint of 8x8 texels. As in footprint_vbmi.c, no address
 * mode moves these texels and they lie in four or nine lines of memory.
 *
 * The answers have the bits of sample_tmpl.h's routines, which handle all other
 * messages. */
#include "sampler/plan/x86/color_tmpl.h"
#include "sampler/plan/x86/lod_tmpl.h"
#include "sampler/plan/x86/footprint/footprint_answer.h"
#include "sampler/plan/x86/footprint/footprint_gather.h"
#include "sampler/plan/x86/footprint/footprint_compare.h"
#include "sampler/plan/x86/footprint/footprint_to_unorm8.h"
#include "sampler/plan/x86/footprint/footprint_texels.h"
#include "sampler/plan/x86/footprint/footprint_in_registers.h"

/* 2^-40: filtering numbers of at least this magnitude with 8-bit weights never
 * gives a denormal. */
#define LEAST_EXPONENT (127 - 40)

static const struct {
    int32_t magnitude, least;
    int32_t next; /* column and row */
} dword = {
    .magnitude = INT32_MAX,
    .least = LEAST_EXPONENT << 23,
    .next = 1 << 16 | 1,
};

/* ---- texels ---- */

/* Picks texels of three lines; `far` selects the third. */
INLINE bits
pick_dwords(const bits line[3], vint at, vmask far)
{
    bits t = _mm512_permutex2var_epi32(line[0], (bits)at, line[1]);
    return _mm512_mask_permutexvar_epi32(t, far, (bits)at, line[2]);
}

/* Picks texels in columns and rows 0 to 11 of nine lines. */
INLINE vint
pick_of_nine(const bits line[9], vint x, vint y)
{
    vint at = (x & 3) | (y & 3) << 2 | (x & 4) << 2;
    vmask far = v_test(x, v_isplat(8));
    bits t = pick_dwords(line, at, far);
    t = _mm512_mask_mov_epi32(t, v_test(y, v_isplat(4)),
                              pick_dwords(line + 3, at, far));
    return (vint)_mm512_mask_mov_epi32(t, v_test(y, v_isplat(8)),
                                       pick_dwords(line + 6, at, far));
}

static __attribute__((noinline)) void
take_corners_of_nine(const struct sample_plan *p,
                     struct footprint_corner corner, vint in,
                     struct lanes_square_texels *t)
{
    bits line[9];
    load_lines_of(p, corner, 3, line);
    vint x = in & v_constant(&lanes_constant.low_half), y = v_srl(in, 16);
    t->upper_left = pick_of_nine(line, x, y);
    t->upper_right = pick_of_nine(line, x + 1, y);
    t->lower_left = pick_of_nine(line, x, y + 1);
    t->lower_right = pick_of_nine(line, x + 1, y + 1);
}

/* `in`: column and row of the upper left corner, 0..6 each. */
INLINE void
take_corners_of_four(const struct sample_plan *p,
                     struct footprint_corner corner, vint in,
                     struct lanes_square_texels *t)
{
    bits line[4];
    load_lines_of(p, corner, 2, line);
    const struct lanes_square s = {
        {(vint)line[0], (vint)line[1], (vint)line[2], (vint)line[3]}};
    *t = pick_corners(&s, in, in + v_constant(&dword.next));
}

/* Not inline: callers that hold lines in registers need all registers. */
static __attribute__((noinline)) vint
gather_dwords(const struct sample_plan *p, unsigned level, vfloat u, vfloat v)
{
    return gather_texels(p, level, u, v);
}

struct far_corners {
    struct lanes_square_texels t;
    vint x, y; /* in 1/256 texels; only the fraction */
};

static __attribute__((noinline)) void
gather_corners(const struct sample_plan *p, unsigned level, vfloat u, vfloat v,
               struct far_corners *out)
{
    struct footprint_level lv = get_footprint_level(p, level);
    struct lanes_axis x = axis_of_four(p, 0, u, lv.w, lv.w_fx8);
    struct lanes_axis y = axis_of_four(p, 1, v, lv.h, lv.h_fx8);
    struct places_of_four at = find_places_of_four(p, &lv, &x, &y);
    out->t.upper_left = v_gather(p->mem, at.upper_left);
    out->t.upper_right = v_gather(p->mem, at.upper_right);
    out->t.lower_left = v_gather(p->mem, at.lower_left);
    out->t.lower_right = v_gather(p->mem, at.lower_right);
    out->x = x.w1;
    out->y = y.w1;
}

/* Returns false if some lane is beyond nine lines, or at an edge. */
INLINE bool
take_corners(const struct sample_plan *p, const struct footprint_level *lv,
             vint x, vint y, struct lanes_square_texels *t)
{
    struct footprint_view view = find_view(lv, x, y);
    if (__builtin_expect(view.side == 2, 1)) {
        take_corners_of_four(p, view.corner, (vint)view.in, t);
        return true;
    }
    if (!view.side)
        return false;
    struct lanes_square_texels far; /* `t` stays in registers */
    take_corners_of_nine(p, view.corner, (vint)view.in, &far);
    *t = far;
    return true;
}

/* ---- numbers ---- */

/* Whether some float is nonzero and below 2^-40. */
INLINE bool
is_tiny(const struct lanes_square_texels *t)
{
    const vint magnitude = v_constant(&dword.magnitude);
    vint a = v_min_u((t->upper_left & magnitude) - 1,
                     (t->upper_right & magnitude) - 1);
    vint b = v_min_u((t->lower_left & magnitude) - 1,
                     (t->lower_right & magnitude) - 1);
    return v_any(v_less_u(v_min_u(a, b), v_constant(&dword.least)));
}

/* Filters four corners; NaNs are settled except for a later mix of levels.
 * Returns false if bits depend on the treatment of denormals. */
INLINE bool
filter_corners(const struct sample_plan *p, enum sample_texel kind,
               const struct lanes_square_texels *t, vint x, vint y, vfloat ref,
               struct lanes_color *out)
{
    vint wx = x & v_constant(&lanes_constant.fraction);
    vint wy = y & v_constant(&lanes_constant.fraction);
    if (kind == SAMPLE_UNORM24 && p->compare) {
        *out = no_color();
        out->c[0] = filter_unorms(p, t, wx, wy, ref);
        return true;
    }
    if (kind == SAMPLE_FLOAT1 && is_tiny(t))
        return false;
    const struct lanes_bits b[4] = {{{t->upper_left}},
                                    {{t->upper_right}},
                                    {{t->lower_left}},
                                    {{t->lower_right}}};
    *out = linear_color(p, kind, b, wx, wy, ref);
    return true;
}

/* ---- the answer ---- */

/* Returns false if bits depend on the treatment of denormals. */
INLINE bool
find_reference(const struct sample_plan *p, enum sample_texel kind,
               const struct footprint_vectors *in, vfloat *ref)
{
    *ref = v_splat(0.0f);
    if (!compares_texels(p, kind))
        return true;
    *ref = clamp_reference(kind, in->ref);
    if (kind != SAMPLE_FLOAT1)
        return true;
    vint least = ((vint)*ref & v_constant(&dword.magnitude)) - 1;
    return !v_any(v_less_u(least, v_constant(&dword.least)));
}

INLINE void
answer_dwords(const struct sample_plan *p, enum sample_texel kind,
              const struct lanes_color *color, uint32_t *out,
              const int16_t at_dw[4])
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = p->pick[i];
        if (at_dw[i] < 0)
            continue;
        vfloat value = (vfloat)v_isplat(from == SOURCE_ONE ? p->one : 0);
        for (unsigned k = 0; k < channel_count(kind); k++)
            if (from == k)
                value = color->c[k];
        v_store(out + at_dw[i], (vint)value);
    }
}

INLINE bool
answer_texel(const struct sample_plan *p, enum sample_texel kind,
             const struct footprint_vectors *in, vint dw, uint32_t *out,
             const int16_t at_dw[4])
{
    const struct lanes_bits texel = {.dw = {dw}};
    vfloat ref;
    if (!find_reference(p, kind, in, &ref))
        return false;
    if (compares_texels(p, kind) && kind == SAMPLE_FLOAT1) {
        const struct lanes_square_texels t = {dw, dw, dw, dw};
        if (is_tiny(&t))
            return false;
    }
    struct lanes_color color = texel_color(p, kind, texel, ref);
    answer_dwords(p, kind, &color, out, at_dw);
    return true;
}

INLINE bool
answer_nearest(const struct sample_plan *p, enum sample_texel kind,
               const struct footprint_vectors *in, uint32_t *out,
               const int16_t at_dw[4])
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    vfloat x = scale_inside(p, 0, in->u, lv.w_fx8);
    vfloat y = scale_inside(p, 1, in->v, lv.h_fx8);
    vint dw;
    if (!take_texels(p, kind, NULL, &lv,
                     find_texels(&lv, pack_texels(v_ifloor(x), v_ifloor(y))),
                     &dw))
        dw = gather_dwords(p, lv.number, in->u, in->v);
    return answer_texel(p, kind, in, dw, out, at_dw);
}

/* Fetches texels of level 0 by number. */
INLINE bool
answer_fetch(const struct sample_plan *p, enum sample_texel kind,
             const struct footprint_vectors *in, uint32_t *out,
             const int16_t at_dw[4])
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level0);
    vint dw;
    const vint i = (vint)in->u, k = (vint)in->v;
    return fit_halves(i, k) &&
           take_texels(p, kind, NULL, &lv,
                       find_texels(&lv, (bits)(i | k << 16)), &dw) &&
           answer_texel(p, kind, in, dw, out, at_dw);
}

INLINE bool
linear_on_level(const struct sample_plan *p, enum sample_texel kind,
                unsigned level, vfloat u, vfloat v, vfloat ref,
                struct lanes_color *out)
{
    struct footprint_level lv = get_footprint_level(p, level);
    vint x = linear_fixed(p, 0, u, lv.w_fx8);
    vint y = linear_fixed(p, 1, v, lv.h_fx8);
    struct lanes_square_texels t;
    if (take_corners(p, &lv, x, y, &t))
        return filter_corners(p, kind, &t, x, y, ref, out);
    struct far_corners far;
    gather_corners(p, level, u, v, &far);
    return filter_corners(p, kind, &far.t, far.x, far.y, ref, out);
}

/* Leaves NaNs unsettled. */
INLINE bool
filter_mipmaps(const struct sample_plan *p, enum sample_texel kind, vfloat u,
               vfloat v, vfloat ref, struct lanes_color *out)
{
    struct lanes_lod lod;
    struct lanes_color second;
    lods_of_quads(&p->lod, quad_footprint(&p->lod, u, v), NULL, &lod);
    unsigned level = expect_level(lod.one);
    if (!lod.same || !linear_on_level(p, kind, level, u, v, ref, out))
        return false;
    if (lod.blend && p->lod.blends) {
        if (!linear_on_level(p, kind, level + 1, u, v, ref, &second))
            return false;
        *out = mix_colors(kind, *out, second, lod.beta);
    }
    return true;
}

INLINE bool
filter_on_levels(const struct sample_plan *p, enum sample_texel kind,
                 enum sample_mode mode, vfloat u, vfloat v, vfloat ref,
                 struct lanes_color *out)
{
    return mode == SAMPLE_MIPMAPS
               ? filter_mipmaps(p, kind, u, v, ref, out)
               : linear_on_level(p, kind, (unsigned)p->lod.level, u, v, ref,
                                 out);
}

INLINE bool
answer_mipmaps(const struct sample_plan *p, enum sample_texel kind,
               const struct footprint_vectors *in, uint32_t *out,
               const int16_t at_dw[4])
{
    struct lanes_color color;
    vfloat ref;
    if (!find_reference(p, kind, in, &ref) ||
        !filter_mipmaps(p, kind, in->u, in->v, ref, &color))
        return false;
    color = settle_nans(kind, v_live(0xffff), color);
    answer_dwords(p, kind, &color, out, at_dw);
    return true;
}

INLINE bool
answer_corners(const struct sample_plan *p, enum sample_texel kind,
               const struct lanes_square_texels *t, vint x, vint y, vfloat ref,
               uint32_t *out, const int16_t at_dw[4])
{
    struct lanes_color color;
    if (!filter_corners(p, kind, t, x, y, ref, &color))
        return false;
    color = settle_nans(kind, v_live(0xffff), color);
    answer_dwords(p, kind, &color, out, at_dw);
    return true;
}

INLINE bool
answer_gather(const struct sample_plan *p, enum sample_texel kind, vfloat u,
              vfloat v, vfloat ref, uint32_t *out, const int16_t at_dw[4])
{
    struct far_corners far;
    gather_corners(p, (unsigned)p->lod.level, u, v, &far);
    return answer_corners(p, kind, &far.t, far.x, far.y, ref, out, at_dw);
}

/* Functions for nine lines and for scattered lanes, as tail calls: the common
 * case of four lines then needs no stack. */
typedef bool (*nine_fn)(const struct sample_plan *p,
                        struct footprint_corner corner, bits in, vint x, vint y,
                        vfloat ref, uint32_t *out, const int16_t at_dw[4]);
typedef bool (*gather_fn)(const struct sample_plan *p, vfloat u, vfloat v,
                          vfloat ref, uint32_t *out, const int16_t at_dw[4]);

INLINE bool
answer_linear(const struct sample_plan *p, enum sample_texel kind, nine_fn nine,
              gather_fn gather, const struct footprint_vectors *in,
              uint32_t *out, const int16_t at_dw[4])
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    struct lanes_square_texels t;
    vfloat ref;
    if (!find_reference(p, kind, in, &ref))
        return false;
    vint x = linear_fixed(p, 0, in->u, lv.w_fx8);
    vint y = linear_fixed(p, 1, in->v, lv.h_fx8);
    struct footprint_view view = find_view(&lv, x, y);
    if (__builtin_expect(view.side != 2, 0))
        return view.side ? nine(p, view.corner, view.in, x, y, ref, out, at_dw)
                         : gather(p, in->u, in->v, ref, out, at_dw);
    take_corners_of_four(p, view.corner, (vint)view.in, &t);
    return answer_corners(p, kind, &t, x, y, ref, out, at_dw);
}

INLINE bits
answer_pixels(const struct sample_plan *p, enum sample_texel kind,
              enum sample_mode mode, __m512 u, __m512 v, bool blue_first,
              struct sample_begun *begun)
{
    struct lanes_color color;
    begun->state = SAMPLE_LEFT_OUT;
    if (!filter_on_levels(p, kind, mode, (vfloat)u, (vfloat)v, v_splat(0.0f),
                          &color))
        return _mm512_setzero_si512();
    begun->state = SAMPLE_DONE;
    return pixels_of_floats(p, kind, &color, blue_first);
}

#define TEXELS(kind, name, mode)                       \
    INLINE bool name##_##mode##_of(FOOTPRINT_OF_ARGS)  \
    {                                                  \
        return answer_##mode(p, kind, in, out, at_dw); \
    }                                                  \
    FOOTPRINT_VECTORS(compares_texels(p, kind), name##_##mode)
#define PIXELS_OF(kind, mode, name)                                           \
    static __m512i name##_pixels(const struct sample_plan *p, __m512 u,       \
                                 __m512 v, struct block_cache *blocks,        \
                                 bool blue_first, struct sample_begun *begun) \
    {                                                                         \
        return answer_pixels(p, kind, mode, u, v, blue_first, begun);         \
    }
#define LINEAR(kind, name)                                                    \
    static __attribute__((noinline)) bool name##_of_nine(                     \
        const struct sample_plan *p, struct footprint_corner corner, bits in, \
        vint x, vint y, vfloat ref, uint32_t *out, const int16_t at_dw[4])    \
    {                                                                         \
        struct lanes_square_texels t;                                         \
        take_corners_of_nine(p, corner, (vint)in, &t);                        \
        return answer_corners(p, kind, &t, x, y, ref, out, at_dw);            \
    }                                                                         \
    static __attribute__((noinline)) bool name##_gather(                      \
        const struct sample_plan *p, vfloat u, vfloat v, vfloat ref,          \
        uint32_t *out, const int16_t at_dw[4])                                \
    {                                                                         \
        return answer_gather(p, kind, u, v, ref, out, at_dw);                 \
    }                                                                         \
    INLINE bool name##_of(FOOTPRINT_OF_ARGS)                                  \
    {                                                                         \
        return answer_linear(p, kind, name##_of_nine, name##_gather, in, out, \
                             at_dw);                                          \
    }                                                                         \
    FOOTPRINT_VECTORS(compares_texels(p, kind), name)                         \
    PIXELS_OF(kind, SAMPLE_LINEAR, name)
#define MIPMAPS(kind, name)                             \
    INLINE bool name##_of(FOOTPRINT_OF_ARGS)            \
    {                                                   \
        return answer_mipmaps(p, kind, in, out, at_dw); \
    }                                                   \
    FOOTPRINT_VECTORS(compares_texels(p, kind), name)   \
    PIXELS_OF(kind, SAMPLE_MIPMAPS, name)
#define FOOTPRINTS(kind, name)  \
    TEXELS(kind, name, nearest) \
    TEXELS(kind, name, fetch)   \
    LINEAR(kind, name##_linear) \
    MIPMAPS(kind, name##_mipmaps)
FOOTPRINTS(SAMPLE_FLOAT1, float1)
FOOTPRINTS(SAMPLE_UNORM24, unorm24)
FOOTPRINTS(SAMPLE_R11G11B10, r11g11b10)

#define ALL(as, name)                          \
    {                                          \
        [SAMPLE_NEAREST] = as(name##_nearest), \
        [SAMPLE_LINEAR] = as(name##_linear),   \
        [SAMPLE_MIPMAPS] = as(name##_mipmaps), \
        [SAMPLE_FETCH] = as(name##_fetch),     \
    }
#define EACH(as)                                 \
    {                                            \
        [SAMPLE_FLOAT1] = ALL(as, float1),       \
        [SAMPLE_UNORM24] = ALL(as, unorm24),     \
        [SAMPLE_R11G11B10] = ALL(as, r11g11b10), \
    }
#define AS_FOOTPRINT(name) name
#define AS_VECTORS(name) (sample_in_registers_fn)(name##_vectors)
const sample_footprint_fn sample_footprint_dwords[SAMPLE_TEXELS][SAMPLE_MODES] =
    EACH(AS_FOOTPRINT);
const sample_in_registers_fn
    sample_in_registers_dwords[SAMPLE_TEXELS][SAMPLE_MODES] = EACH(AS_VECTORS);

#define PIXELS(name)                                                   \
    {                                                                  \
        [SAMPLE_LINEAR] = (sample_to_unorm8_fn)name##_linear_pixels,   \
        [SAMPLE_MIPMAPS] = (sample_to_unorm8_fn)name##_mipmaps_pixels, \
    }
const sample_to_unorm8_fn sample_to_unorm8_dwords[SAMPLE_TEXELS][SAMPLE_MODES] =
    {
        [SAMPLE_FLOAT1] = PIXELS(float1),
        [SAMPLE_UNORM24] = PIXELS(unorm24),
        [SAMPLE_R11G11B10] = PIXELS(r11g11b10),
};
