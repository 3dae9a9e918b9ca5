/* patch_avx2.c: messages whose lanes all look at texels of four bytes inside of
 * one level, near each other, as those of blocks of pixels mostly do: what
 * patch_vbmi.c does where registers cannot hold the lines. The lines' texels
 * are copied to rows of a picture of their own, from which each lane takes two
 * pairs, and each lane's four channels are filtered side by side. Texels of
 * four bytes that are no bytes are taken from the rows as well, and so are
 * texels of one byte.
 *
 * The bits are those of sample_tmpl.h's routines, to which everything is left
 * that is not so simple. An answer may lie where the coordinates are: nothing
 * is written before all of them have been read, nor before it is known that
 * there is an answer. */
#include "sampler/x86/color_tmpl.h"
#include "sampler/x86/lod_tmpl.h"
#include "sampler/x86/patch_answer.h"
#include "sampler/x86/patch_bytes1_avx2.h"
#include "sampler/x86/patch_float_copy.h"
#include "sampler/x86/patch_gather_avx2.h"
#include "sampler/x86/patch_grid_bytes.h"
#include "sampler/x86/patch_pixels_avx2.h"
#include "sampler/x86/patch_texels_avx2.h"

/* ---- filters ---- */

/* Four texels of each lane. */
INLINE void
take_corners(const struct copy *c, vint in, struct lanes_bits t[4])
{
    alignas(32) int32_t from[LANES];
    const vint sign = v_isplat((int32_t)0x80808080);
    __m256i q[4];
    find_offsets(in, from);
    for (unsigned k = 0; k < 4; k++) {
        const uint8_t *a = c->row[0] + from[k], *b = c->row[0] + from[k + 4];
        q[k] = _mm256_set_m128i(v_load8_pair(b, b + COPY_PITCH_B),
                                v_load8_pair(a, a + COPY_PITCH_B));
    }
    __m256i upper01 = _mm256_unpacklo_epi32(q[0], q[1]);
    __m256i upper23 = _mm256_unpacklo_epi32(q[2], q[3]);
    __m256i lower01 = _mm256_unpackhi_epi32(q[0], q[1]);
    __m256i lower23 = _mm256_unpackhi_epi32(q[2], q[3]);
    t[0].dw[0] = (vint)_mm256_unpacklo_epi64(upper01, upper23) ^ sign;
    t[1].dw[0] = (vint)_mm256_unpackhi_epi64(upper01, upper23) ^ sign;
    t[2].dw[0] = (vint)_mm256_unpacklo_epi64(lower01, lower23) ^ sign;
    t[3].dw[0] = (vint)_mm256_unpackhi_epi64(lower01, lower23) ^ sign;
}

INLINE struct lanes_color
filter_half(const struct sample_plan *p, enum sample_texel kind,
            const struct copy *c, vint in, vint x, vint y, vfloat ref)
{
    struct lanes_bits t[4];
    take_corners(c, in, t);
    return linear_color(p, kind, t, x & 0xff, y & 0xff, ref);
}

/* ---- one level ---- */

struct coordinates {
    vfloat u_low, v_low, u_high, v_high;
    vfloat ref_low, ref_high; /* what texels are compared with, if they are */
};

INLINE struct coordinates
make_coordinates(__m256 u0, __m256 u1, __m256 v0, __m256 v1)
{
    return (struct coordinates){.u_low = (vfloat)u0,
                                .u_high = (vfloat)u1,
                                .v_low = (vfloat)v0,
                                .v_high = (vfloat)v1};
}

/* In 1/256 texels, and the texels. */
struct fixed {
    struct both x, y, place;
};

INLINE struct fixed
find_fixed(const struct sample_plan *p, const struct patch_level *lv,
           const struct coordinates *at)
{
    struct fixed f = {
        .x = {linear_fixed(p, 0, at->u_low, lv->w_fx8),
              linear_fixed(p, 0, at->u_high, lv->w_fx8)},
        .y = {linear_fixed(p, 1, at->v_low, lv->h_fx8),
              linear_fixed(p, 1, at->v_high, lv->h_fx8)},
    };
    f.place.low = pack_texels(f.x.low, f.y.low);
    f.place.high = pack_texels(f.x.high, f.y.high);
    return f;
}

/* Bytes of a patch. */
INLINE bool
sum_patch(const struct sample_plan *p, enum sample_texel kind,
          struct sample_blocks *blocks, const struct patch_level *lv,
          const struct fixed *f, struct both_sums *out)
{
    struct copy copy;
    if (!all_inside(lv, f->place, 1))
        return false;
    if (filter_grid(p, kind, blocks, lv, f->place, f->x, f->y, out))
        return true;
    if (lie_apart(f->place))
        return false;
    struct near n = find_near(lv, f->place, 1);
    if (!copy_texels(p, kind, blocks, &n, &copy))
        return false;
    out->low = filter_copy(&copy, n.in.low, f->x.low, f->y.low);
    out->high = filter_copy(&copy, n.in.high, f->x.high, f->y.high);
    return true;
}

/* Bytes. */
INLINE bool
sum_level(const struct sample_plan *p, enum sample_texel kind,
          struct sample_blocks *blocks, const struct patch_level *lv,
          const struct coordinates *at, const struct fixed *f,
          struct both_sums *out)
{
    if (sum_patch(p, kind, blocks, lv, f, out))
        return true;
    if (kind != SAMPLE_BYTES4)
        return false;
    struct both_sums far; /* `out` stays in registers */
    sum_anywhere(p, lv->number, (__m256)at->u_low, (__m256)at->u_high,
                 (__m256)at->v_low, (__m256)at->v_high, &far);
    *out = far;
    return true;
}

INLINE bool
linear_level(const struct sample_plan *p, enum sample_texel kind,
             struct sample_blocks *blocks, const struct patch_level *lv,
             const struct coordinates *at, const struct fixed *f,
             struct filtered *out)
{
    struct copy copy;
    struct both_sums sums;
    struct both sum;
    if (kind == SAMPLE_BYTES1) {
        if (!sum_bytes(p, lv, f->place, f->x, f->y, &sum))
            return false;
        *out = (struct filtered){color_of_sum(sum.low), color_of_sum(sum.high)};
        return true;
    }
    if (is_scaled(kind)) {
        if (!sum_level(p, kind, blocks, lv, at, f, &sums))
            return false;
        *out = (struct filtered){turn_sums(&sums.low), turn_sums(&sums.high)};
        return true;
    }
    if (!all_inside(lv, f->place, 1))
        return false;
    struct near n = find_near(lv, f->place, 1);
    if (kind == SAMPLE_SRGB || kind == SAMPLE_BLOCKS)
        return filter_floats(p, kind, blocks, &n, f->x, f->y, out);
    if (!copy_texels(p, kind, blocks, &n, &copy))
        return false;
    out->low = filter_half(p, kind, &copy, n.in.low, f->x.low, f->y.low,
                           at->ref_low);
    out->high = filter_half(p, kind, &copy, n.in.high, f->x.high, f->y.high,
                            at->ref_high);
    return true;
}

INLINE vint
nearest_texels(const struct sample_plan *p, const struct patch_level *lv,
               vfloat u, vfloat v)
{
    vfloat x = scale_inside(p, 0, u, lv->w_fx8);
    vfloat y = scale_inside(p, 1, v, lv->h_fx8);
    return pack_texels(v_ifloor(x), v_ifloor(y));
}

INLINE bool
nearest(const struct sample_plan *p, enum sample_texel kind,
        struct sample_blocks *blocks, const struct coordinates *at,
        struct both *texel)
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level);
    struct both place = {nearest_texels(p, &lv, at->u_low, at->v_low),
                         nearest_texels(p, &lv, at->u_high, at->v_high)};
    if (take_texels(p, kind, blocks, &lv, place, texel))
        return true;
    if (kind != SAMPLE_BYTES4)
        return false;
    texel->low = gather_texels(p, lv.number, at->u_low, at->v_low);
    texel->high = gather_texels(p, lv.number, at->u_high, at->v_high);
    return true;
}

/* Texels of level 0 by number. */
INLINE bool
fetch(const struct sample_plan *p, enum sample_texel kind,
      struct sample_blocks *blocks, const struct coordinates *at,
      struct both *texel)
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level0);
    vint x0 = (vint)at->u_low, y0 = (vint)at->v_low;
    vint x1 = (vint)at->u_high, y1 = (vint)at->v_high, far = x0 | y0 | x1 | y1;
    struct both place = {x0 | y0 << 16, x1 | y1 << 16};
    return !v_any(v_test(far, v_isplat(-65536))) &&
           take_texels(p, kind, blocks, &lv, place, texel);
}

enum found { FOUND_NOTHING, FOUND_TEXEL, FOUND_COLOR };

/* rounds: who asks stores bytes. */
INLINE enum found
linear(const struct sample_plan *p, enum sample_texel kind, bool rounds,
       struct sample_blocks *blocks, const struct coordinates *at,
       struct both *texel, struct filtered *color)
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level);
    struct fixed f = find_fixed(p, &lv, at);
    /* In the middle of texels, as passes over a whole picture are. */
    vint between = f.x.low | f.y.low | f.x.high | f.y.high;
    if (is_scaled(kind) &&
        !v_any(v_test(between, v_constant(&lanes_constant.fraction))) &&
        take_texels(p, kind, blocks, &lv, f.place, texel))
        return FOUND_TEXEL;
    if (rounds && kind == SAMPLE_BYTES1) {
        if (!sum_bytes(p, &lv, f.place, f.x, f.y, texel))
            return FOUND_NOTHING;
        texel->low = texel_of_sum(texel->low);
        texel->high = texel_of_sum(texel->high);
        return FOUND_TEXEL;
    }
    if (rounds && is_scaled(kind)) {
        struct both_sums s;
        if (!sum_level(p, kind, blocks, &lv, at, &f, &s))
            return FOUND_NOTHING;
        *texel = (struct both){texels_of_sums(&s.low), texels_of_sums(&s.high)};
        return FOUND_TEXEL;
    }
    return linear_level(p, kind, blocks, &lv, at, &f, color) ? FOUND_COLOR
                                                             : FOUND_NOTHING;
}

/* ---- several levels ---- */

/* Levels of the four quads, if it is the same one. */
INLINE bool
find_lods(const struct sample_plan *p, const struct coordinates *at,
          unsigned *level, int4 *beta)
{
    float4 low = footprint(&p->lod, at->u_low, at->v_low);
    float4 high = footprint(&p->lod, at->u_high, at->v_high);
    float4 squared = (float4)_mm_movelh_ps((__m128)low, (__m128)high);
    struct four_lods q = choose_level(&p->lod,
                                      quads_lod(squared, p->lod.bias, NULL));
    __m128i first = _mm_broadcastd_epi32((__m128i)q.level);
    __m128i differs = _mm_xor_si128((__m128i)q.level, first);
    *level = (unsigned)_mm_cvtsi128_si32((__m128i)q.level);
    *beta = q.beta;
    return _mm_testz_si128(differs, differs);
}

INLINE bool
mipmaps(const struct sample_plan *p, enum sample_texel kind,
        struct sample_blocks *blocks, const struct coordinates *at,
        struct filtered *color)
{
    struct filtered second;
    unsigned level;
    int4 beta;
    if (!find_lods(p, at, &level, &beta))
        return false;
    level = expect(level);
    struct patch_level lv = get_patch_level(p, level);
    struct fixed f = find_fixed(p, &lv, at);
    if (!linear_level(p, kind, blocks, &lv, at, &f, color))
        return false;
    if (p->lod.blends && !_mm_testz_si128((__m128i)beta, (__m128i)beta)) {
        lv = get_patch_level(p, level + 1);
        f = find_fixed(p, &lv, at);
        if (!linear_level(p, kind, blocks, &lv, at, &f, &second))
            return false;
        float4 high = (float4)_mm_unpackhi_epi64((__m128i)beta, (__m128i)beta);
        color->low = mix(kind, color->low, second.low,
                         (vint)v_spread((float4)beta));
        color->high = mix(kind, color->high, second.high, (vint)v_spread(high));
    }
    return true;
}

/* ---- the answer ---- */

INLINE void
answer_half(const struct sample_plan *p, vint t, uint32_t *out,
            const int16_t at_dw[4])
{
    struct lanes_color c = {{v_float(t & 0xff), v_float(v_srl(t, 8) & 0xff),
                             v_float(v_srl(t, 16) & 0xff),
                             v_float(v_srl(t, 24))}};
    answer_divided(p, c, false, out, at_dw);
}

INLINE void
answer_texels(const struct sample_plan *p, struct both texel, uint32_t *out,
              const int16_t at_dw[4])
{
    answer_half(p, texel.low, out, at_dw);
    answer_half(p, texel.high, out + LANES, at_dw);
}

INLINE void
answer_filtered(const struct sample_plan *p, enum sample_texel kind,
                const struct filtered *f, uint32_t *out, const int16_t at_dw[4])
{
    if (!is_scaled(kind)) {
        struct lanes_color low = settle(kind, v_live(0xff), f->low);
        struct lanes_color high = settle(kind, v_live(0xff), f->high);
        answer(p, &low, out, at_dw);
        answer(p, &high, out + LANES, at_dw);
        return;
    }
    answer_divided(p, f->low, true, out, at_dw);
    answer_divided(p, f->high, true, out + LANES, at_dw);
}

/* ---- all of them ---- */

INLINE enum found
find(const struct sample_plan *p, enum sample_texel kind, enum sample_way way,
     bool rounds, struct sample_blocks *blocks, const struct coordinates *at,
     struct both *texel, struct filtered *color)
{
    switch (way) {
    case SAMPLE_NEAREST:
        return nearest(p, kind, blocks, at, texel) ? FOUND_TEXEL
                                                   : FOUND_NOTHING;
    case SAMPLE_FETCH:
        return fetch(p, kind, blocks, at, texel) ? FOUND_TEXEL : FOUND_NOTHING;
    case SAMPLE_MIPMAPS:
        return mipmaps(p, kind, blocks, at, color) ? FOUND_COLOR
                                                   : FOUND_NOTHING;
    default: return linear(p, kind, rounds, blocks, at, texel, color);
    }
}

INLINE bool
patch_of(const struct sample_plan *p, enum sample_texel kind,
         enum sample_way way, struct sample_blocks *blocks,
         const struct coordinates *at, uint32_t *out, const int16_t at_dw[4])
{
    struct both texel;
    struct filtered color;
    switch (find(p, kind, way, false, blocks, at, &texel, &color)) {
    case FOUND_TEXEL: answer_texels(p, texel, out, at_dw); return true;
    case FOUND_COLOR: answer_filtered(p, kind, &color, out, at_dw); return true;
    default: return false;
    }
}

INLINE bool
pixels_of(const struct sample_plan *p, enum sample_texel kind,
          enum sample_way way, struct sample_blocks *blocks,
          const struct coordinates *at, bool blue_first, __m256i out[2])
{
    struct both texel;
    struct filtered color;
    switch (find(p, kind, way, true, blocks, at, &texel, &color)) {
    case FOUND_TEXEL: put_pixels(p, texel, blue_first, out); return true;
    case FOUND_COLOR:
        put_filtered(p, kind, &color, blue_first, out);
        return true;
    default: return false;
    }
}

/* ---- the table ---- */

#define PIXELS(kind, way, name)                                       \
    static bool name##_pixels(PIXELS_ARGS)                            \
    {                                                                 \
        struct coordinates at = make_coordinates(u0, u1, v0, v1);     \
        return pixels_of(p, kind, way, blocks, &at, blue_first, out); \
    }
/* patch_vectors.h says what comes first. What returns to code without AVX
 * clears the upper halves itself: no compiler does so before a jump to a
 * function that takes vectors, and an Intel core needs some hundred cycles for
 * the first SSE instruction behind them, and as many for the next one of AVX.
 */
#define PATCH(kind, way, name)                                               \
    static __attribute__((noinline)) bool name##_vectors(VECTORS_ARGS)       \
    {                                                                        \
        struct coordinates at = make_coordinates(a0, a1, b0, b1);            \
        if (compares(p, kind)) {                                             \
            at = make_coordinates(b0, b1, c0, c1);                           \
            at.ref_low = clamp_reference(kind, (vfloat)a0);                  \
            at.ref_high = clamp_reference(kind, (vfloat)a1);                 \
        }                                                                    \
        return patch_of(p, kind, way, blocks, &at, out, at_dw);              \
    }                                                                        \
    static bool name(const struct sample_plan *p,                            \
                     const struct sample_pair *in, uint32_t *out,            \
                     const int16_t at_dw[4])                                 \
    {                                                                        \
        bool ok = compares(p, kind)                                          \
                      ? name##_vectors(p, out, at_dw, in->blocks,            \
                                       LOAD_BOTH(in->ref), LOAD_BOTH(in->u), \
                                       LOAD_BOTH(in->v))                     \
                      : name##_vectors(p, out, at_dw, in->blocks,            \
                                       LOAD_BOTH(in->u), LOAD_BOTH(in->v),   \
                                       LOAD_BOTH(in->v));                    \
        _mm256_zeroupper();                                                  \
        return ok;                                                           \
    }                                                                        \
    PIXELS(kind, way, name)
#define TEXELS(kind, name)                      \
    PATCH(kind, SAMPLE_NEAREST, name##_nearest) \
    PATCH(kind, SAMPLE_FETCH, name##_fetch)
#define FILTERS(kind, name)                   \
    PATCH(kind, SAMPLE_LINEAR, name##_linear) \
    PATCH(kind, SAMPLE_MIPMAPS, name##_mipmaps)

TEXELS(SAMPLE_BYTES1, near_bytes1)
FILTERS(SAMPLE_BYTES1, near_bytes1)
TEXELS(SAMPLE_BYTES4, near_bytes4)
FILTERS(SAMPLE_BYTES4, near_bytes4)
TEXELS(SAMPLE_BYTE_BLOCKS, near_blocks)
FILTERS(SAMPLE_BYTE_BLOCKS, near_blocks)
FILTERS(SAMPLE_SRGB, near_srgb)
FILTERS(SAMPLE_BLOCKS, near_float_blocks)
FILTERS(SAMPLE_UNORM24, near_unorm24)
FILTERS(SAMPLE_R11G11B10, near_r11g11b10)

#define FILTERED(as, name) \
    [SAMPLE_LINEAR] = as(name##_linear), [SAMPLE_MIPMAPS] = as(name##_mipmaps)
#define ALL(as, name)                                         \
    {                                                         \
        [SAMPLE_NEAREST] = as(name##_nearest),                \
        [SAMPLE_FETCH] = as(name##_fetch), FILTERED(as, name) \
    }
#define EACH(as)                                             \
    {                                                        \
        [SAMPLE_BYTES1] = ALL(as, near_bytes1),              \
        [SAMPLE_BYTES4] = ALL(as, near_bytes4),              \
        [SAMPLE_BYTE_BLOCKS] = ALL(as, near_blocks),         \
        [SAMPLE_BLOCKS] = {FILTERED(as, near_float_blocks)}, \
        [SAMPLE_SRGB] = {FILTERED(as, near_srgb)},           \
        [SAMPLE_UNORM24] = {FILTERED(as, near_unorm24)},     \
        [SAMPLE_R11G11B10] = {FILTERED(as, near_r11g11b10)}, \
    }
const sample_patch_fn sample_patch_avx2[SAMPLE_TEXELS][SAMPLE_WAYS] = EACH(
    AS_PATCH);
const sample_vectors_fn sample_vectors_avx2[SAMPLE_TEXELS][SAMPLE_WAYS] = EACH(
    AS_VECTORS);
const sample_pixels_fn sample_pixels_avx2[SAMPLE_TEXELS][SAMPLE_WAYS] = EACH(
    AS_PIXELS);
