/* patch_avx2.c: messages whose lanes all look at texels of four bytes inside of
 * one level, near each other, as those of blocks of pixels mostly do: what
 * patch_vbmi.c does where registers cannot hold the lines. The lines' texels
 * are copied to rows of a picture of their own, from which each lane takes two
 * pairs, and each lane's four channels are filtered side by side. Texels of
 * four bytes that are no bytes are taken from the rows as well.
 *
 * The bits are those of sample_tmpl.h's routines, to which everything is left
 * that is not so simple. An answer may lie where the coordinates are: nothing
 * is written before all of them have been read, nor before it is known that
 * there is an answer. */
#include "sampler/x86/color_tmpl.h"
#include "sampler/x86/lod_tmpl.h"
#include "sampler/x86/patch_answer.h"
#include "sampler/x86/patch_float_copy.h"
#include "sampler/x86/patch_grid_bytes.h"

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
    if (is_scaled(kind))
        return filter_copy(c, in, x, y);
    take_corners(c, in, t);
    return linear_color(p, kind, t, x & 0xff, y & 0xff, ref);
}

/* ---- one level ---- */

struct coordinates {
    vfloat u_low, v_low, u_high, v_high;
    vfloat ref_low, ref_high; /* what texels are compared with, if they are */
};

INLINE struct coordinates
load_coordinates(const struct sample_plan *p, enum sample_texel kind,
                 const struct sample_pair *in)
{
    struct coordinates c = {
        .u_low = (vfloat)v_load(in->u, LANES),
        .v_low = (vfloat)v_load(in->v, LANES),
        .u_high = (vfloat)v_load(in->u + LANES, LANES),
        .v_high = (vfloat)v_load(in->v + LANES, LANES),
        .ref_low = v_splat(0.0f),
        .ref_high = v_splat(0.0f),
    };
    if (compares(p, kind)) {
        c.ref_low = clamp_reference(kind, (vfloat)v_load(in->ref, LANES));
        c.ref_high = clamp_reference(kind,
                                     (vfloat)v_load(in->ref + LANES, LANES));
    }
    return c;
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

INLINE bool
linear_level(const struct sample_plan *p, enum sample_texel kind,
             struct sample_blocks *blocks, const struct patch_level *lv,
             const struct coordinates *at, const struct fixed *f,
             struct filtered *out)
{
    struct copy copy;
    if (!all_inside(lv, f->place, 1))
        return false;
    if (is_scaled(kind) &&
        filter_grid(p, kind, blocks, lv, f->place, f->x, f->y, out))
        return true;
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

/* Texels wherever they are. */
INLINE vint
take_scattered(const struct sample_plan *p, const struct patch_level *lv,
               vint place)
{
    vint x = (place & 0xffff) + (int32_t)lv->x_el;
    vint y = v_srl(place, 16) + (int32_t)lv->y_el;
    vint at_B = offset_x_B(&p->tiling, x) + offset_y_B(&p->tiling, y);
    return v_gather(p->mem, at_B);
}

/* Of one line, or block. */
INLINE vint
take_of_line(const uint8_t *line, vint in)
{
    vint i = (vint)_mm256_madd_epi16((__m256i)in,
                                     _mm256_set1_epi32(4 << 16 | 1));
    const __m256i *half = (const __m256i *)(const void *)line;
    __m256i low = _mm256_permutevar8x32_epi32(half[0], (__m256i)i);
    __m256i high = _mm256_permutevar8x32_epi32(half[1], (__m256i)i);
    return (vint)_mm256_blendv_ps((__m256)low, (__m256)high, (__m256)(i << 28));
}

INLINE vint
take_of_copy(const struct copy *c, vint in)
{
    alignas(32) int32_t from[LANES];
    find_offsets(in, from);
    vint t = (vint)_mm256_set_m128i(v_load4(c->row[0], from + 4),
                                    v_load4(c->row[0], from));
    return t ^ (int32_t)0x80808080;
}

/* The texels at `place`: their four bytes. */
INLINE bool
take_texels(const struct sample_plan *p, enum sample_texel kind,
            struct sample_blocks *blocks, const struct patch_level *lv,
            struct both place, struct both *out)
{
    if (!all_inside(lv, place, 0))
        return false;
    if (kind == SAMPLE_BYTES4 && take_grid(p, lv, place, out))
        return true;
    struct near n = find_near(lv, place, 0);
    if (n.columns == 1 && n.rows == 1) {
        const uint8_t *line;
        if (kind == SAMPLE_BYTE_BLOCKS) {
            uint32_t at_B = block_offset_B(&p->tiling, (int32_t)n.corner.bx,
                                           (int32_t)n.corner.by);
            line = (const uint8_t *)get_block(p, kind, blocks, at_B, NULL, 0);
        } else {
            struct patch_lines l = find_lines(p, n.corner, 1);
            line = l.row[0] + l.column_B[0];
        }
        out->low = take_of_line(line, n.in.low);
        out->high = take_of_line(line, n.in.high);
        return true;
    }
    if (kind != SAMPLE_BYTE_BLOCKS) {
        out->low = take_scattered(p, lv, place.low);
        out->high = take_scattered(p, lv, place.high);
        return true;
    }
    struct copy copy;
    if (!copy_texels(p, kind, blocks, &n, &copy))
        return false;
    out->low = take_of_copy(&copy, n.in.low);
    out->high = take_of_copy(&copy, n.in.high);
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
        const struct sample_pair *in, uint32_t *out, const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level);
    struct coordinates at = load_coordinates(p, kind, in);
    struct both texel, place = {nearest_texels(p, &lv, at.u_low, at.v_low),
                                nearest_texels(p, &lv, at.u_high, at.v_high)};
    if (!take_texels(p, kind, in->blocks, &lv, place, &texel))
        return false;
    answer_texels(p, texel, out, at_dw);
    return true;
}

/* Texels of level 0 by number. */
INLINE bool
fetch(const struct sample_plan *p, enum sample_texel kind,
      const struct sample_pair *in, uint32_t *out, const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level0);
    struct coordinates at = load_coordinates(p, kind, in);
    vint x0 = (vint)at.u_low, y0 = (vint)at.v_low;
    vint x1 = (vint)at.u_high, y1 = (vint)at.v_high, far = x0 | y0 | x1 | y1;
    struct both texel, place = {x0 | y0 << 16, x1 | y1 << 16};
    if (v_any(v_test(far, v_isplat(-65536))) ||
        !take_texels(p, kind, in->blocks, &lv, place, &texel))
        return false;
    answer_texels(p, texel, out, at_dw);
    return true;
}

INLINE bool
linear(const struct sample_plan *p, enum sample_texel kind,
       const struct sample_pair *in, uint32_t *out, const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level);
    struct coordinates at = load_coordinates(p, kind, in);
    struct fixed f = find_fixed(p, &lv, &at);
    /* In the middle of texels, as passes over a whole picture are. */
    vint between = f.x.low | f.y.low | f.x.high | f.y.high;
    if (is_scaled(kind) &&
        !v_any(v_test(between, v_constant(&lanes_constant.fraction)))) {
        struct both texel;
        if (!take_texels(p, kind, in->blocks, &lv, f.place, &texel))
            return false;
        answer_texels(p, texel, out, at_dw);
        return true;
    }
    struct filtered color;
    if (!linear_level(p, kind, in->blocks, &lv, &at, &f, &color))
        return false;
    answer_filtered(p, kind, &color, out, at_dw);
    return true;
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
    struct four_lods q = choose_level(&p->lod, quads_lod(squared, p->lod.bias));
    __m128i first = _mm_broadcastd_epi32((__m128i)q.level);
    __m128i differs = _mm_xor_si128((__m128i)q.level, first);
    *level = (unsigned)_mm_cvtsi128_si32((__m128i)q.level);
    *beta = q.beta;
    return _mm_testz_si128(differs, differs);
}

INLINE bool
mipmaps(const struct sample_plan *p, enum sample_texel kind,
        const struct sample_pair *in, uint32_t *out, const int16_t at_dw[4])
{
    struct coordinates at = load_coordinates(p, kind, in);
    struct filtered color, second;
    unsigned level;
    int4 beta;
    if (!find_lods(p, &at, &level, &beta))
        return false;
    level = expect(level);
    struct patch_level lv = get_patch_level(p, level);
    struct fixed f = find_fixed(p, &lv, &at);
    if (!linear_level(p, kind, in->blocks, &lv, &at, &f, &color))
        return false;
    if (p->lod.blends && !_mm_testz_si128((__m128i)beta, (__m128i)beta)) {
        lv = get_patch_level(p, level + 1);
        f = find_fixed(p, &lv, &at);
        if (!linear_level(p, kind, in->blocks, &lv, &at, &f, &second))
            return false;
        float4 high = (float4)_mm_unpackhi_epi64((__m128i)beta, (__m128i)beta);
        color.low = mix(kind, color.low, second.low,
                        (vint)v_spread((float4)beta));
        color.high = mix(kind, color.high, second.high, (vint)v_spread(high));
    }
    answer_filtered(p, kind, &color, out, at_dw);
    return true;
}

/* ---- the table ---- */

#define PATCH(kind, name, way)                                            \
    static bool name##_##way(const struct sample_plan *p,                 \
                             const struct sample_pair *in, uint32_t *out, \
                             const int16_t at_dw[4])                      \
    {                                                                     \
        return way(p, kind, in, out, at_dw);                              \
    }
#define FILTERED_PATCHES(kind, name) \
    PATCH(kind, name, linear)        \
    PATCH(kind, name, mipmaps)
#define PATCHES(kind, name)    \
    PATCH(kind, name, nearest) \
    PATCH(kind, name, fetch)   \
    FILTERED_PATCHES(kind, name)

PATCHES(SAMPLE_BYTES4, near_bytes4)
PATCHES(SAMPLE_BYTE_BLOCKS, near_blocks)
FILTERED_PATCHES(SAMPLE_SRGB, near_srgb)
FILTERED_PATCHES(SAMPLE_BLOCKS, near_float_blocks)
FILTERED_PATCHES(SAMPLE_UNORM24, near_unorm24)
FILTERED_PATCHES(SAMPLE_R11G11B10, near_r11g11b10)

#define ALL(name)                                                           \
    {                                                                       \
        [SAMPLE_NEAREST] = name##_nearest, [SAMPLE_LINEAR] = name##_linear, \
        [SAMPLE_MIPMAPS] = name##_mipmaps, [SAMPLE_FETCH] = name##_fetch    \
    }
#define FILTERED(name)                                                      \
    {                                                                       \
        [SAMPLE_LINEAR] = name##_linear, [SAMPLE_MIPMAPS] = name##_mipmaps, \
    }
const sample_patch_fn sample_patch_avx2[SAMPLE_TEXELS][SAMPLE_WAYS] = {
    [SAMPLE_BYTES4] = ALL(near_bytes4),
    [SAMPLE_BYTE_BLOCKS] = ALL(near_blocks),
    [SAMPLE_SRGB] = FILTERED(near_srgb),
    [SAMPLE_BLOCKS] = FILTERED(near_float_blocks),
    [SAMPLE_UNORM24] = FILTERED(near_unorm24),
    [SAMPLE_R11G11B10] = FILTERED(near_r11g11b10),
};
