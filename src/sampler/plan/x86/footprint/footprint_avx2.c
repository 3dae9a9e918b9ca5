/* footprint_avx2.c: footprint kernels with AVX2, for messages whose lanes read
 * texels near each other inside one level, as blocks of pixels mostly do.
 * Registers cannot hold the lines of memory as in footprint_vbmi.c. So the
 * lines are copied to a small linear picture; each lane loads two pairs of
 * texels from it, and filters its four channels side by side. Other texels of
 * four bytes, and texels of one byte, are taken from the copy as well.
 *
 * The answers have the bits of sample_tmpl.h's routines, which handle all other
 * messages. An answer may overwrite the coordinates: nothing is written before
 * all coordinates are read and the answer is certain. */
#include "sampler/plan/x86/footprint/footprint_answer.h"
#include "sampler/plan/x86/footprint/footprint_anisotropic_avx2.h"
#include "sampler/plan/x86/footprint/footprint_to_unorm8_avx2.h"
#include "sampler/plan/x86/footprint/footprint_texels_avx2.h"

/* ---- one texel ---- */

INLINE vint
nearest_texels(const struct sample_plan *p, const struct footprint_level *lv,
               vfloat u, vfloat v)
{
    vfloat x = scale_inside(p, 0, u, lv->w_fx8);
    vfloat y = scale_inside(p, 1, v, lv->h_fx8);
    return pack_texels(v_ifloor(x), v_ifloor(y));
}

INLINE bool
find_nearest(const struct sample_plan *p, enum sample_texel kind,
             struct block_cache *blocks, const struct coordinates *at,
             struct both *texel)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
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

/* Fetches texels of level 0 by number. */
INLINE bool
find_fetched(const struct sample_plan *p, enum sample_texel kind,
             struct block_cache *blocks, const struct coordinates *at,
             struct both *texel)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level0);
    vint x0 = (vint)at->u_low, y0 = (vint)at->v_low;
    vint x1 = (vint)at->u_high, y1 = (vint)at->v_high, far = x0 | y0 | x1 | y1;
    struct both place = {x0 | y0 << 16, x1 | y1 << 16};
    return !v_any(v_test(far, v_isplat(-65536))) &&
           take_texels(p, kind, blocks, &lv, place, texel);
}

enum found { FOUND_NOTHING, FOUND_TEXEL, FOUND_COLOR };

/* rounds: the caller wants bytes. */
INLINE enum found
find_linear(const struct sample_plan *p, enum sample_texel kind, bool rounds,
            struct block_cache *blocks, const struct coordinates *at,
            struct both *texel, struct filtered *color)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    struct fixed f = find_fixed(p, &lv, at);
    /* Passes over a whole picture sample texel centres. */
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

/* Finds the level of the four quads. Returns false if they differ. */
INLINE bool
find_lods(const struct sample_plan *p, const struct coordinates *at,
          unsigned *level, int4 *beta)
{
    float4 low = quad_footprint(&p->lod, at->u_low, at->v_low);
    float4 high = quad_footprint(&p->lod, at->u_high, at->v_high);
    float4 squared = (float4)_mm_movelh_ps((__m128)low, (__m128)high);
    struct four_lods q = choose_level(&p->lod,
                                      quads_lod(&p->lod, squared, NULL));
    __m128i first = _mm_broadcastd_epi32((__m128i)q.level);
    __m128i differs = _mm_xor_si128((__m128i)q.level, first);
    *level = (unsigned)_mm_cvtsi128_si32((__m128i)q.level);
    *beta = q.beta;
    return _mm_testz_si128(differs, differs);
}

INLINE bool
find_mipmaps(const struct sample_plan *p, enum sample_texel kind,
             struct block_cache *blocks, const struct coordinates *at,
             struct filtered *color)
{
    struct filtered second;
    unsigned level;
    int4 beta;
    if (!find_lods(p, at, &level, &beta))
        return false;
    level = expect_level(level);
    struct footprint_level lv = get_footprint_level(p, level);
    struct fixed f = find_fixed(p, &lv, at);
    if (!linear_level(p, kind, blocks, &lv, at, &f, color))
        return false;
    if (p->lod.blends && !_mm_testz_si128((__m128i)beta, (__m128i)beta)) {
        lv = get_footprint_level(p, level + 1);
        f = find_fixed(p, &lv, at);
        if (!linear_level(p, kind, blocks, &lv, at, &f, &second))
            return false;
        mix_levels(kind, color, &second, beta);
    }
    return true;
}

/* ---- the answer ---- */

/* Moves the bytes to the order of channels first. */
INLINE void
answer_half(const struct sample_plan *p, vint t, __m256i order, uint32_t *out,
            const int16_t at_dw[4])
{
    t = (vint)_mm256_shuffle_epi8((__m256i)(t | v_constant(&p->bytes.ones)),
                                  order);
    const struct lanes_color c = {
        {v_float(t & 0xff), v_float(v_srl(t, 8) & 0xff),
         v_float(v_srl(t, 16) & 0xff), v_float(v_srl(t, 24))}};
    for (unsigned i = 0; i < 4; i++)
        put_channel(out, at_dw[i], divide_255(c.c[i], false));
}

INLINE void
answer_texels(const struct sample_plan *p, struct both texel, uint32_t *out,
              const int16_t at_dw[4])
{
    __m256i order = _mm256_broadcastsi128_si256(v_load16(p->bytes.pixel[0]));
    answer_half(p, texel.low, order, out, at_dw);
    answer_half(p, texel.high, order, out + LANES, at_dw);
}

INLINE void
answer_filtered(const struct sample_plan *p, enum sample_texel kind,
                const struct filtered *f, uint32_t *out, const int16_t at_dw[4])
{
    if (!is_scaled(kind)) {
        struct lanes_color low = settle_nans(kind, v_live(0xff), f->low);
        struct lanes_color high = settle_nans(kind, v_live(0xff), f->high);
        put_answer(p, &low, out, at_dw);
        put_answer(p, &high, out + LANES, at_dw);
        return;
    }
    answer_divided(p, f->low, true, out, at_dw);
    answer_divided(p, f->high, true, out + LANES, at_dw);
}

/* ---- all of them ---- */

INLINE enum found
find_answer(const struct sample_plan *p, enum sample_texel kind,
            enum sample_mode mode, bool rounds, struct block_cache *blocks,
            const struct coordinates *at, struct both *texel,
            struct filtered *color)
{
    switch (mode) {
    case SAMPLE_NEAREST:
        return find_nearest(p, kind, blocks, at, texel) ? FOUND_TEXEL
                                                        : FOUND_NOTHING;
    case SAMPLE_FETCH:
        return find_fetched(p, kind, blocks, at, texel) ? FOUND_TEXEL
                                                        : FOUND_NOTHING;
    case SAMPLE_MIPMAPS:
        return find_mipmaps(p, kind, blocks, at, color) ? FOUND_COLOR
                                                        : FOUND_NOTHING;
    case SAMPLE_ANISOTROPIC:
        return find_anisotropic(p, at, color) ? FOUND_COLOR : FOUND_NOTHING;
    default: return find_linear(p, kind, rounds, blocks, at, texel, color);
    }
}

INLINE bool
footprint_of(const struct sample_plan *p, enum sample_texel kind,
             enum sample_mode mode, struct block_cache *blocks,
             const struct coordinates *at, uint32_t *out,
             const int16_t at_dw[4])
{
    struct both texel;
    struct filtered color;
    switch (find_answer(p, kind, mode, false, blocks, at, &texel, &color)) {
    case FOUND_TEXEL: answer_texels(p, texel, out, at_dw); return true;
    case FOUND_COLOR: answer_filtered(p, kind, &color, out, at_dw); return true;
    default: return false;
    }
}

INLINE bool
pixels_of(const struct sample_plan *p, enum sample_texel kind,
          enum sample_mode mode, struct block_cache *blocks,
          const struct coordinates *at, bool blue_first, __m256i out[2])
{
    struct both texel;
    struct filtered color;
    switch (find_answer(p, kind, mode, true, blocks, at, &texel, &color)) {
    case FOUND_TEXEL: put_pixels(p, texel, blue_first, out); return true;
    case FOUND_COLOR:
        put_filtered(p, kind, &color, blue_first, out);
        return true;
    default: return false;
    }
}

/* ---- the table ---- */

#define PIXELS(kind, mode, name)                                       \
    static bool name##_pixels(PIXELS_ARGS)                             \
    {                                                                  \
        struct coordinates at = make_coordinates(u0, u1, v0, v1);      \
        return pixels_of(p, kind, mode, blocks, &at, blue_first, out); \
    }
/* footprint_in_registers.h explains the order of vectors. A function that
 * returns to code without AVX clears the upper halves itself. No compiler does
 * so before a tail call of a function that takes vectors. Observed: with dirty
 * upper halves an Intel core spends some hundred cycles on the next SSE
 * instruction, and as many on the next AVX one. */
#define FOOTPRINT(kind, mode, name)                                          \
    static __attribute__((noinline)) bool name##_vectors(VECTORS_ARGS)       \
    {                                                                        \
        struct coordinates at = make_coordinates(a0, a1, b0, b1);            \
        if (compares_texels(p, kind)) {                                      \
            at = make_coordinates(b0, b1, c0, c1);                           \
            at.ref_low = clamp_reference(kind, (vfloat)a0);                  \
            at.ref_high = clamp_reference(kind, (vfloat)a1);                 \
        }                                                                    \
        return footprint_of(p, kind, mode, blocks, &at, out, at_dw);         \
    }                                                                        \
    static bool name(const struct sample_plan *p,                            \
                     const struct sample_pair *in, uint32_t *out,            \
                     const int16_t at_dw[4])                                 \
    {                                                                        \
        bool ok = compares_texels(p, kind)                                   \
                      ? name##_vectors(p, out, at_dw, in->blocks,            \
                                       LOAD_BOTH(in->ref), LOAD_BOTH(in->u), \
                                       LOAD_BOTH(in->v))                     \
                      : name##_vectors(p, out, at_dw, in->blocks,            \
                                       LOAD_BOTH(in->u), LOAD_BOTH(in->v),   \
                                       LOAD_BOTH(in->v));                    \
        _mm256_zeroupper();                                                  \
        return ok;                                                           \
    }                                                                        \
    PIXELS(kind, mode, name)
#define TEXELS(kind, name)                          \
    FOOTPRINT(kind, SAMPLE_NEAREST, name##_nearest) \
    FOOTPRINT(kind, SAMPLE_FETCH, name##_fetch)
#define FILTERS(kind, name)                       \
    FOOTPRINT(kind, SAMPLE_LINEAR, name##_linear) \
    FOOTPRINT(kind, SAMPLE_MIPMAPS, name##_mipmaps)

TEXELS(SAMPLE_BYTES1, near_bytes1)
FILTERS(SAMPLE_BYTES1, near_bytes1)
TEXELS(SAMPLE_BYTES4, near_bytes4)
FILTERS(SAMPLE_BYTES4, near_bytes4)
FOOTPRINT(SAMPLE_BYTES4, SAMPLE_ANISOTROPIC, near_bytes4_anisotropic)
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
#define WITH_AXIS(as, name)                                               \
    {                                                                     \
        [SAMPLE_NEAREST] = as(name##_nearest),                            \
        [SAMPLE_FETCH] = as(name##_fetch),                                \
        [SAMPLE_ANISOTROPIC] = as(name##_anisotropic), FILTERED(as, name) \
    }
#define EACH(as)                                             \
    {                                                        \
        [SAMPLE_BYTES1] = ALL(as, near_bytes1),              \
        [SAMPLE_BYTES4] = WITH_AXIS(as, near_bytes4),        \
        [SAMPLE_BYTE_BLOCKS] = ALL(as, near_blocks),         \
        [SAMPLE_BLOCKS] = {FILTERED(as, near_float_blocks)}, \
        [SAMPLE_SRGB] = {FILTERED(as, near_srgb)},           \
        [SAMPLE_UNORM24] = {FILTERED(as, near_unorm24)},     \
        [SAMPLE_R11G11B10] = {FILTERED(as, near_r11g11b10)}, \
    }
const sample_footprint_fn sample_footprint_avx2[SAMPLE_TEXELS][SAMPLE_MODES] =
    EACH(AS_FOOTPRINT);
const sample_in_registers_fn
    sample_in_registers_avx2[SAMPLE_TEXELS][SAMPLE_MODES] = EACH(AS_VECTORS);
const sample_to_unorm8_fn sample_to_unorm8_avx2[SAMPLE_TEXELS][SAMPLE_MODES] =
    EACH(AS_PIXELS);
