/* patch_dwords.c: messages whose lanes all look at one patch of 8x8 texels of
 * one dword each that is no four bytes: depths, compared or not, single floats
 * and small floats. As in patch_vbmi.c, no address mode moves such a texel and
 * all of them are in four lines of memory, or in nine.
 *
 * The bits are those of sample_tmpl.h's routines, to which everything is left
 * that is not so simple. */
#include "sampler/x86/color_tmpl.h"
#include "sampler/x86/lod_tmpl.h"
#include "sampler/x86/patch_answer.h"
#include "sampler/x86/patch_anywhere.h"
#include "sampler/x86/patch_compare.h"
#include "sampler/x86/patch_pixels.h"
#include "sampler/x86/patch_texels.h"
#include "sampler/x86/patch_vectors.h"

/* 2^-40: of such numbers and weights of 8 bits a filter makes nothing that is
 * less than the least normal number. */
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

/* Texels of three lines: those of the third one in `far`. */
INLINE bits
pick_dwords(const bits line[3], vint at, vmask far)
{
    bits t = _mm512_permutex2var_epi32(line[0], (bits)at, line[1]);
    return _mm512_mask_permutexvar_epi32(t, far, (bits)at, line[2]);
}

/* Texels in columns and rows 0 to 11 of nine lines. */
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
take_corners_of_nine(const struct sample_plan *p, struct patch_corner corner,
                     vint in, struct lanes_square_texels *t)
{
    bits line[9];
    load_lines_of(p, corner, 3, line);
    vint x = in & v_constant(&lanes_constant.low_half), y = v_srl(in, 16);
    t->upper_left = pick_of_nine(line, x, y);
    t->upper_right = pick_of_nine(line, x + 1, y);
    t->lower_left = pick_of_nine(line, x, y + 1);
    t->lower_right = pick_of_nine(line, x + 1, y + 1);
}

/* `in`: column and row of the first of each lane's four, from 0 to 6. */
INLINE void
take_corners_of_four(const struct sample_plan *p, struct patch_corner corner,
                     vint in, struct lanes_square_texels *t)
{
    bits line[4];
    load_lines_of(p, corner, 2, line);
    const struct lanes_square s = {
        {(vint)line[0], (vint)line[1], (vint)line[2], (vint)line[3]}};
    *t = pick_corners(&s, in, in + v_constant(&dword.next));
}

/* Not inline: those who look at lines need all registers. */
static __attribute__((noinline)) vint
take_texels_anywhere(const struct sample_plan *p, unsigned level, vfloat u,
                     vfloat v)
{
    return gather_texels(p, level, u, v);
}

struct far_corners {
    struct lanes_square_texels t;
    vint x, y; /* in 1/256 texels, in a texel */
};

static __attribute__((noinline)) void
take_corners_anywhere(const struct sample_plan *p, unsigned level, vfloat u,
                      vfloat v, struct far_corners *out)
{
    struct patch_level lv = get_patch_level(p, level);
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

/* False if some lane looks beyond nine lines, or at an edge. */
INLINE bool
take_corners(const struct sample_plan *p, const struct patch_level *lv, vint x,
             vint y, struct lanes_square_texels *t)
{
    struct patch_view view = find_view(lv, x, y);
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

/* Whether some float is too near zero, but is not zero. */
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

/* Settled, but for the last mixing of levels. False where numbers are so small
 * that bits depend on how the processor treats denormals. */
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

/* False as above. */
INLINE bool
find_reference(const struct sample_plan *p, enum sample_texel kind,
               const struct patch_vectors *in, vfloat *ref)
{
    *ref = v_splat(0.0f);
    if (!compares(p, kind))
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
             const struct patch_vectors *in, vint dw, uint32_t *out,
             const int16_t at_dw[4])
{
    const struct lanes_bits texel = {.dw = {dw}};
    vfloat ref;
    if (!find_reference(p, kind, in, &ref))
        return false;
    if (compares(p, kind) && kind == SAMPLE_FLOAT1) {
        const struct lanes_square_texels t = {dw, dw, dw, dw};
        if (is_tiny(&t))
            return false;
    }
    struct lanes_color color = texel_color(p, kind, texel, ref);
    answer_dwords(p, kind, &color, out, at_dw);
    return true;
}

INLINE bool
nearest(const struct sample_plan *p, enum sample_texel kind,
        const struct patch_vectors *in, uint32_t *out, const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level);
    vfloat x = scale_inside(p, 0, in->u, lv.w_fx8);
    vfloat y = scale_inside(p, 1, in->v, lv.h_fx8);
    vint dw;
    if (!take_texels(p, kind, NULL, &lv,
                     find_texels(&lv, pack_texels(v_ifloor(x), v_ifloor(y))),
                     &dw))
        dw = take_texels_anywhere(p, lv.number, in->u, in->v);
    return answer_texel(p, kind, in, dw, out, at_dw);
}

/* Texels of level 0 by number. */
INLINE bool
fetch(const struct sample_plan *p, enum sample_texel kind,
      const struct patch_vectors *in, uint32_t *out, const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level0);
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
    struct patch_level lv = get_patch_level(p, level);
    vint x = linear_fixed(p, 0, u, lv.w_fx8);
    vint y = linear_fixed(p, 1, v, lv.h_fx8);
    struct lanes_square_texels t;
    if (take_corners(p, &lv, x, y, &t))
        return filter_corners(p, kind, &t, x, y, ref, out);
    struct far_corners far;
    take_corners_anywhere(p, level, u, v, &far);
    return filter_corners(p, kind, &far.t, far.x, far.y, ref, out);
}

/* Not settled. */
INLINE bool
filter_mipmaps(const struct sample_plan *p, enum sample_texel kind, vfloat u,
               vfloat v, vfloat ref, struct lanes_color *out)
{
    struct lanes_lod lod;
    struct lanes_color second;
    lods_of_quads(&p->lod, footprint(&p->lod, u, v), NULL, &lod);
    unsigned level = expect(lod.one);
    if (!lod.same || !linear_on_level(p, kind, level, u, v, ref, out))
        return false;
    if (lod.blend && p->lod.blends) {
        if (!linear_on_level(p, kind, level + 1, u, v, ref, &second))
            return false;
        *out = mix(kind, *out, second, lod.beta);
    }
    return true;
}

INLINE bool
filter_on_levels(const struct sample_plan *p, enum sample_texel kind,
                 enum sample_way way, vfloat u, vfloat v, vfloat ref,
                 struct lanes_color *out)
{
    return way == SAMPLE_MIPMAPS
               ? filter_mipmaps(p, kind, u, v, ref, out)
               : linear_on_level(p, kind, (unsigned)p->lod.level, u, v, ref,
                                 out);
}

INLINE bool
mipmaps(const struct sample_plan *p, enum sample_texel kind,
        const struct patch_vectors *in, uint32_t *out, const int16_t at_dw[4])
{
    struct lanes_color color;
    vfloat ref;
    if (!find_reference(p, kind, in, &ref) ||
        !filter_mipmaps(p, kind, in->u, in->v, ref, &color))
        return false;
    color = settle(kind, v_live(0xffff), color);
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
    color = settle(kind, v_live(0xffff), color);
    answer_dwords(p, kind, &color, out, at_dw);
    return true;
}

INLINE bool
answer_anywhere(const struct sample_plan *p, enum sample_texel kind, vfloat u,
                vfloat v, vfloat ref, uint32_t *out, const int16_t at_dw[4])
{
    struct far_corners far;
    take_corners_anywhere(p, (unsigned)p->lod.level, u, v, &far);
    return answer_corners(p, kind, &far.t, far.x, far.y, ref, out, at_dw);
}

/* Four lines need no stack: what looks at nine, or anywhere, is left to
 * functions that are called last. */
typedef bool (*nine_fn)(const struct sample_plan *p, struct patch_corner corner,
                        bits in, vint x, vint y, vfloat ref, uint32_t *out,
                        const int16_t at_dw[4]);
typedef bool (*anywhere_fn)(const struct sample_plan *p, vfloat u, vfloat v,
                            vfloat ref, uint32_t *out, const int16_t at_dw[4]);

INLINE bool
linear(const struct sample_plan *p, enum sample_texel kind, nine_fn nine,
       anywhere_fn anywhere, const struct patch_vectors *in, uint32_t *out,
       const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level);
    struct lanes_square_texels t;
    vfloat ref;
    if (!find_reference(p, kind, in, &ref))
        return false;
    vint x = linear_fixed(p, 0, in->u, lv.w_fx8);
    vint y = linear_fixed(p, 1, in->v, lv.h_fx8);
    struct patch_view view = find_view(&lv, x, y);
    if (__builtin_expect(view.side != 2, 0))
        return view.side ? nine(p, view.corner, view.in, x, y, ref, out, at_dw)
                         : anywhere(p, in->u, in->v, ref, out, at_dw);
    take_corners_of_four(p, view.corner, (vint)view.in, &t);
    return answer_corners(p, kind, &t, x, y, ref, out, at_dw);
}

INLINE bits
pixels(const struct sample_plan *p, enum sample_texel kind, enum sample_way way,
       __m512 u, __m512 v, bool blue_first, struct sample_begun *begun)
{
    struct lanes_color color;
    begun->state = SAMPLE_LEFT_OUT;
    if (!filter_on_levels(p, kind, way, (vfloat)u, (vfloat)v, v_splat(0.0f),
                          &color))
        return _mm512_setzero_si512();
    begun->state = SAMPLE_DONE;
    return pixels_of_floats(p, kind, &color, blue_first);
}

#define TEXELS(kind, name, way)                  \
    INLINE bool name##_##way##_of(PATCH_OF_ARGS) \
    {                                            \
        return way(p, kind, in, out, at_dw);     \
    }                                            \
    PATCH_VECTORS(compares(p, kind), name##_##way)
#define PIXELS_OF(kind, way, name)                                            \
    static __m512i name##_pixels(const struct sample_plan *p, __m512 u,       \
                                 __m512 v, struct sample_blocks *blocks,      \
                                 bool blue_first, struct sample_begun *begun) \
    {                                                                         \
        return pixels(p, kind, way, u, v, blue_first, begun);                 \
    }
#define LINEAR(kind, name)                                                 \
    static __attribute__((noinline)) bool name##_of_nine(                  \
        const struct sample_plan *p, struct patch_corner corner, bits in,  \
        vint x, vint y, vfloat ref, uint32_t *out, const int16_t at_dw[4]) \
    {                                                                      \
        struct lanes_square_texels t;                                      \
        take_corners_of_nine(p, corner, (vint)in, &t);                     \
        return answer_corners(p, kind, &t, x, y, ref, out, at_dw);         \
    }                                                                      \
    static __attribute__((noinline)) bool name##_anywhere(                 \
        const struct sample_plan *p, vfloat u, vfloat v, vfloat ref,       \
        uint32_t *out, const int16_t at_dw[4])                             \
    {                                                                      \
        return answer_anywhere(p, kind, u, v, ref, out, at_dw);            \
    }                                                                      \
    INLINE bool name##_of(PATCH_OF_ARGS)                                   \
    {                                                                      \
        return linear(p, kind, name##_of_nine, name##_anywhere, in, out,   \
                      at_dw);                                              \
    }                                                                      \
    PATCH_VECTORS(compares(p, kind), name)                                 \
    PIXELS_OF(kind, SAMPLE_LINEAR, name)
#define MIPMAPS(kind, name)                      \
    INLINE bool name##_of(PATCH_OF_ARGS)         \
    {                                            \
        return mipmaps(p, kind, in, out, at_dw); \
    }                                            \
    PATCH_VECTORS(compares(p, kind), name)       \
    PIXELS_OF(kind, SAMPLE_MIPMAPS, name)
#define PATCHES(kind, name)     \
    TEXELS(kind, name, nearest) \
    TEXELS(kind, name, fetch)   \
    LINEAR(kind, name##_linear) \
    MIPMAPS(kind, name##_mipmaps)
PATCHES(SAMPLE_FLOAT1, float1)
PATCHES(SAMPLE_UNORM24, unorm24)
PATCHES(SAMPLE_R11G11B10, r11g11b10)

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
#define AS_PATCH(name) name
#define AS_VECTORS(name) (sample_vectors_fn)(name##_vectors)
const sample_patch_fn sample_patch_dwords[SAMPLE_TEXELS][SAMPLE_WAYS] = EACH(
    AS_PATCH);
const sample_vectors_fn sample_vectors_dwords[SAMPLE_TEXELS][SAMPLE_WAYS] =
    EACH(AS_VECTORS);

#define PIXELS(name)                                                \
    {                                                               \
        [SAMPLE_LINEAR] = (sample_pixels_fn)name##_linear_pixels,   \
        [SAMPLE_MIPMAPS] = (sample_pixels_fn)name##_mipmaps_pixels, \
    }
const sample_pixels_fn sample_pixels_dwords[SAMPLE_TEXELS][SAMPLE_WAYS] = {
    [SAMPLE_FLOAT1] = PIXELS(float1),
    [SAMPLE_UNORM24] = PIXELS(unorm24),
    [SAMPLE_R11G11B10] = PIXELS(r11g11b10),
};
