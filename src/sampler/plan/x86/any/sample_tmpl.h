/* sample_tmpl.h: the routines of plan.h, for as many lanes as a register holds.
 * Each file that includes it is compiled for one instruction set.
 *
 * The lanes repeat the arithmetic of lod.c, address.c, filter.c and texel.c: a
 * change of one needs a change of the other. Inactive lanes are computed, too;
 * their addresses stay within the surface.
 *
 * Sampling one level with one filter is a function for each kind of texel,
 * inlined where speed counts most. Code that chooses levels and filters by
 * lane, or filters along an axis, is written once for all kinds. It calls these
 * functions. */
#include "sampler/plan/x86/block_tmpl.h"
#include "sampler/plan/x86/color_tmpl.h"
#include "sampler/plan/x86/lod_tmpl.h"

/* Loads lanes of a parameter. A message of eight lanes is not read past the
 * eighth. */
INLINE vfloat
load_param(const struct sample_lanes *in, const uint32_t *from, unsigned lane)
{
    return (vfloat)v_load(from + lane, in->lanes - lane);
}

struct lanes_place {
    vfloat u, v, ref;
    vmask live;
    struct block_cache *blocks;
};

/* Loads and unpacks the texels at (x0, y0). */
INLINE struct lanes_color
texel_at(const struct sample_plan *p, enum sample_texel kind,
         const struct lanes_corners *one, const struct lanes_place *at)
{
    if (kind == SAMPLE_BLOCKS || kind == SAMPLE_BYTE_BLOCKS) {
        struct lanes_color texel[4];
        load_blocks(p, kind, at->blocks, 1, one, at->live, texel);
        if (kind == SAMPLE_BLOCKS)
            return texel[0];
        struct lanes_bits bits = {{(vint)texel[0].c[0]}};
        return unpack_texels(p, kind, false, bits);
    }
    return texel_color(p, kind, load_texel(p, kind, one, at->live), at->ref);
}

/* ---- one level ---- */

/* Returns false if some lane reads the border. */
INLINE bool
level_nearest(const struct sample_plan *p, enum sample_texel kind,
              const struct lanes_level *lv, const struct lanes_place *at,
              struct lanes_color *out)
{
    struct lanes_axis x = axis_nearest(p, 0, at->u, lv->w, lv->w_fx8);
    struct lanes_axis y = axis_nearest(p, 1, at->v, lv->h, lv->h_fx8);
    if (p->border && v_any(v_and(at->live, v_or(x.outside, y.outside))))
        return false;
    struct lanes_corners one = {.x0 = x.i0 + lv->x_el, .y0 = y.i0 + lv->y_el};
    *out = texel_at(p, kind, &one, at);
    return true;
}

INLINE bool
level_linear(const struct sample_plan *p, enum sample_texel kind,
             const struct lanes_level *lv, const struct lanes_place *at,
             struct lanes_color *out)
{
    struct lanes_axis x = axis_linear(p, 0, at->u, lv->w, lv->w_fx8);
    struct lanes_axis y = axis_linear(p, 1, at->v, lv->h, lv->h_fx8);
    if (p->border && v_any(v_and(at->live, v_or(x.outside, y.outside))))
        return false;
    struct lanes_corners corners = {x.i0 + lv->x_el, x.i1 + lv->x_el,
                                    y.i0 + lv->y_el, y.i1 + lv->y_el};
    /* Passes over a whole picture sample texel centres: each lane reads one
     * texel. */
    vmask between = v_test(x.w1 | y.w1, v_constant(&lanes_constant.fraction));
    if (!v_any(v_and(at->live, between))) {
        *out = texel_at(p, kind, &corners, at);
        return true;
    }
    struct lanes_bits t[4];
    if (kind == SAMPLE_BLOCKS || kind == SAMPLE_BYTE_BLOCKS) {
        struct lanes_color c[4];
        load_blocks(p, kind, at->blocks, 4, &corners, at->live, c);
        if (kind == SAMPLE_BLOCKS) {
            *out = mix_corners(kind, c, x.w1, y.w1);
            return true;
        }
        for (unsigned i = 0; i < 4; i++)
            t[i].dw[0] = (vint)c[i].c[0];
    } else {
        load_corners(p, kind, &corners, at->live, t);
    }
    *out = linear_color(p, kind, t, x.w1, y.w1, at->ref);
    return true;
}

/* The same as functions, by kind of texel. */
typedef bool (*level_fn)(const struct sample_plan *, const struct lanes_level *,
                         const struct lanes_place *, struct lanes_color *);
static const struct level_routines {
    level_fn nearest, linear;
} levels[SAMPLE_TEXELS];

/* Filters each lane as its magnification demands. */
INLINE bool
level_any(const struct sample_plan *p, const struct lanes_level *lv,
          const struct lanes_place *at, vmask linear, struct lanes_color *out)
{
    const struct level_routines *fn = &levels[p->texel];
    if (!v_any(v_and(at->live, linear)))
        return fn->nearest(p, lv, at, out);
    if (!fn->linear(p, lv, at, out))
        return false;
    if (!v_any(v_and(at->live, v_not(linear))))
        return true;
    struct lanes_color near;
    if (!fn->nearest(p, lv, at, &near))
        return false;
    for (unsigned i = 0; i < channel_count(p->texel); i++)
        out->c[i] = v_select(linear, out->c[i], near.c[i]);
    return true;
}

/* ---- the answer ---- */

INLINE void
put_channel(const struct sample_lanes *in, unsigned lane, vmask live,
            unsigned channel, vfloat value)
{
    uint32_t *out = in->out[channel];
    if (!out)
        return;
    if (LANES < SAMPLE_LANES || in->whole)
        v_store(out + lane, (vint)value); /* see sample_lanes() */
    else
        v_store_some(out + lane, live, (vint)value);
}

INLINE void
put_answer(const struct sample_plan *p, enum sample_texel kind,
           const struct sample_lanes *in, unsigned lane, vmask live,
           struct lanes_color color)
{
    if (is_scaled(kind))
        for (unsigned i = 0; i < channel_count(kind); i++)
            color.c[i] = divide_exactly(color.c[i], 255.0f);
    if (channel_count(kind) == 4 && p->permuted && in->whole) {
        for (unsigned i = 0; i < 4; i++)
            v_store(in->out[p->place[i]] + lane, (vint)color.c[i]);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = p->pick[i];
        vfloat value = (vfloat)v_isplat(from == SOURCE_ONE ? p->one : 0);
        for (unsigned k = 0; k < channel_count(kind); k++)
            if (from == k)
                value = color.c[k];
        put_channel(in, lane, live, i, value);
    }
}

INLINE vint
layer_rows(const struct sample_plan *p, const struct sample_lanes *in,
           unsigned lane)
{
    if (!p->layered)
        return v_isplat(0);
    vfloat index = load_param(in, in->r, lane);
    index = v_fmin(v_fmax(index, v_splat(0.0f)), v_splat(p->last_layer));
    /* Rounds to nearest even: adding 2^23 leaves no fraction bits. */
    index = (index + v_splat(8388608.0f)) - v_splat(8388608.0f);
    return v_ifloor(index) * p->layer_rows;
}

INLINE void
load_ref(const struct sample_plan *p, enum sample_texel kind,
         const struct sample_lanes *in, unsigned lane, struct lanes_place *at)
{
    at->ref = v_splat(0.0f);
    if (compares_texels(p, kind))
        at->ref = clamp_reference(kind, load_param(in, in->ref, lane));
}

/* The lanes' first level, or with `second` the next one to mix in. */
INLINE struct lanes_level
level_of(const struct sample_plan *p, const struct lanes_lod *lod, bool second,
         vint layer_y)
{
    if (lod->same)
        return get_one_level(p, expect_level(lod->one) + second, layer_y);
    vmask both = v_less(v_isplat(0), lod->beta);
    vint next = v_iselect(both, lod->level + 1, lod->level);
    return get_level(p, second ? next : lod->level, layer_y);
}

INLINE float4
squared_footprint(const struct sample_plan *p, const struct lanes_place *at)
{
    return p->lod.derived && !p->lod.fixed
               ? quad_footprint(&p->lod, at->u, at->v)
               : splat4(0.0f);
}

INLINE bool
sample_mipmaps(const struct sample_plan *p, enum sample_texel kind,
               const struct sample_lanes *in, unsigned lane,
               const struct lanes_place *at, struct lanes_color *out)
{
    struct lanes_lod lod;
    vint layer_y = layer_rows(p, in, lane);
    find_levels(p, in, lane, squared_footprint(p, at), &lod);
    for (bool second = false;; second = true) {
        struct lanes_level lv = level_of(p, &lod, second, layer_y);
        struct lanes_color texels;
        if (!level_linear(p, kind, &lv, at, &texels))
            return false;
        *out = second ? mix_colors(kind, *out, texels, lod.beta) : texels;
        if (second || !lod.blend)
            return true;
    }
}

INLINE bool
sample_any(const struct sample_plan *p, const struct sample_lanes *in,
           unsigned lane, const struct lanes_place *at, struct lanes_color *out)
{
    struct lanes_lod lod;
    vint layer_y = layer_rows(p, in, lane);
    find_levels(p, in, lane, squared_footprint(p, at), &lod);
    vmask linear = v_live(p->min_linear ? 0xffff : 0);
    if (p->min_linear != p->mag_linear)
        linear = p->mag_linear ? lod.mag : v_not(lod.mag);
    struct lanes_level lv = level_of(p, &lod, false, layer_y);
    if (!level_any(p, &lv, at, linear, out))
        return false;
    if (!lod.blend) {
        *out = settle_nans(p->texel, linear, *out);
        return true;
    }
    lv = level_of(p, &lod, true, layer_y);
    struct lanes_color second;
    if (!level_any(p, &lv, at, linear, &second))
        return false;
    *out = mix_colors(p->texel, *out, second, lod.beta);
    linear = v_or(linear, v_less(v_isplat(0), lod.beta));
    *out = settle_nans(p->texel, linear, *out);
    return true;
}

/* filter.c's anisotropic() for lanes with several samples, and linear() for
 * lanes with one. */
INLINE bool
level_anisotropic(const struct sample_plan *p, const struct lanes_level *lv,
                  const struct lanes_place *at,
                  const struct lanes_footprint *fp, vmask single,
                  struct lanes_color *out)
{
    unsigned channels = channel_count(p->texel);
    struct lanes_color sum, one;
    vfloat last = fp->ways - v_splat(1.0f), i = v_splat(0.0f);
    vfloat end = v_splat(0.5f) * (fp->ratio - (fp->ways - v_splat(2.0f)));
    for (unsigned c = 0; c < channels; c++)
        sum.c[c] = one.c[c] = v_splat(0.0f);
    struct lanes_place way = *at;
    for (bool first = true; v_any(way.live); first = false) {
        vfloat t = i - v_splat(0.5f) * last;
        way.u = v_select(single, at->u, at->u + fp->step_u * t);
        way.v = v_select(single, at->v, at->v + fp->step_v * t);
        struct lanes_color v;
        if (!levels[p->texel].linear(p, lv, &way, &v))
            return false;
        vmask is_end = v_or(v_fequal(i, v_splat(0.0f)), v_fequal(i, last));
        vfloat weight = v_select(is_end, end, v_splat(1.0f));
        for (unsigned c = 0; c < channels; c++) {
            if (first)
                one.c[c] = v.c[c];
            sum.c[c] = v_select(way.live, sum.c[c] + v.c[c] * weight, sum.c[c]);
        }
        i += v_splat(1.0f);
        way.live = v_and(way.live,
                         v_and(v_not(single), v_fless_equal(i, last)));
    }
    for (unsigned c = 0; c < channels; c++)
        out->c[c] = v_select(single, one.c[c], sum.c[c] / fp->ratio);
    return true;
}

INLINE bool
sample_anisotropic(const struct sample_plan *p, const struct sample_lanes *in,
                   unsigned lane, const struct lanes_place *at,
                   struct lanes_color *out)
{
    struct lanes_lod lod;
    vint layer_y = layer_rows(p, in, lane);
    struct lanes_footprint fp = anisotropic_footprint(&p->lod, at->u, at->v);
    find_levels(p, in, lane, fp.squared, &lod);
    vmask simple = v_and(lod.mag, v_live(p->mag_anisotropic ? 0 : 0xffff));
    simple = v_or(
        simple, v_and(v_not(lod.mag), v_live(p->min_anisotropic ? 0 : 0xffff)));
    vmask single = v_or(simple, v_not(v_fless(v_splat(1.0f), fp.ways)));
    for (bool second = false;; second = true) {
        struct lanes_level lv = level_of(p, &lod, second, layer_y);
        struct lanes_color c;
        if (!level_anisotropic(p, &lv, at, &fp, single, &c))
            return false;
        *out = second ? mix_colors(p->texel, *out, c, lod.beta) : c;
        if (second || !lod.blend)
            return true;
    }
}

/* sample_load.c's load_lane(): texels by number, zeros outside. */
INLINE void
fetch_texels(const struct sample_plan *p, enum sample_texel kind,
             const struct sample_lanes *in, unsigned lane,
             const struct lanes_place *at, struct lanes_color *out)
{
    /* Texel numbers wrap; with operators that would be undefined. */
    vint x = v_add((vint)at->u, v_isplat(p->offset[0]));
    vint y = v_add((vint)at->v, v_isplat(p->offset[1]));
    vint lod = (vint)load_param(in, in->lod, lane), layer = v_isplat(0);
    vmask valid = v_less_u(lod, v_isplat((p->lod.mips >> 8) + 1));
    if (p->layered) {
        vint layers = v_isplat((int32_t)p->last_layer + 1);
        layer = (vint)load_param(in, in->r, lane);
        valid = v_and(valid, v_less_u(layer, layers));
        layer = v_min_u(layer, layers - 1);
    }
    lod = v_min_u(lod, v_isplat(p->lod.mips >> 8)) + p->lod.level0;
    struct lanes_level lv = get_level(p, lod, layer * p->layer_rows);
    valid = v_and(valid, v_and(v_less_u(x, lv.w), v_less_u(y, lv.h)));
    struct lanes_corners one = {.x0 = v_min_u(x, lv.w - 1) + lv.x_el,
                                .y0 = v_min_u(y, lv.h - 1) + lv.y_el};
    *out = texel_at(p, kind, &one, at);
    for (unsigned c = 0; c < channel_count(kind); c++)
        out->c[c] = v_select(valid, out->c[c], v_splat(0.0f));
}

INLINE bool
sample_nearest(const struct sample_plan *p, enum sample_texel kind,
               const struct sample_lanes *in, unsigned lane,
               const struct lanes_place *at, struct lanes_color *out)
{
    struct lanes_level lv = get_one_level(p, (unsigned)p->lod.level,
                                          layer_rows(p, in, lane));
    return level_nearest(p, kind, &lv, at, out);
}

INLINE bool
sample_linear(const struct sample_plan *p, enum sample_texel kind,
              const struct sample_lanes *in, unsigned lane,
              const struct lanes_place *at, struct lanes_color *out)
{
    struct lanes_level lv = get_one_level(p, (unsigned)p->lod.level,
                                          layer_rows(p, in, lane));
    return level_linear(p, kind, &lv, at, out);
}

INLINE bool
sample_part(const struct sample_plan *p, enum sample_texel kind,
            enum sample_mode mode, const struct sample_lanes *in, unsigned lane)
{
    struct lanes_place at = {
        .u = load_param(in, in->u, lane),
        .v = load_param(in, in->v, lane),
        .live = v_live(in->exec_mask >> lane),
        .blocks = in->blocks,
    };
    struct lanes_color color;
    bool done = true;
    load_ref(p, kind, in, lane, &at);
    switch (mode) {
    case SAMPLE_NEAREST:
        done = sample_nearest(p, kind, in, lane, &at, &color);
        break;
    case SAMPLE_LINEAR:
        done = sample_linear(p, kind, in, lane, &at, &color);
        break;
    case SAMPLE_MIPMAPS:
        done = sample_mipmaps(p, kind, in, lane, &at, &color);
        break;
    case SAMPLE_FETCH: fetch_texels(p, kind, in, lane, &at, &color); break;
    case SAMPLE_ANISOTROPIC:
        done = sample_anisotropic(p, in, lane, &at, &color);
        break;
    default: done = sample_any(p, in, lane, &at, &color); break;
    }
    if (done && (mode == SAMPLE_LINEAR || mode == SAMPLE_MIPMAPS ||
                 mode == SAMPLE_ANISOTROPIC))
        color = settle_nans(kind, v_live(0xffff), color);
    if (done)
        put_answer(p, kind, in, lane, at.live, color);
    return done;
}

#if LANES == 16

INLINE bool
sample_lanes(const struct sample_plan *p, enum sample_texel kind,
             enum sample_mode mode, const struct sample_lanes *in)
{
    return !in->exec_mask || sample_part(p, kind, mode, in, 0);
}

#else

/* Splits 16 lanes into halves. Answers are buffered, because the first half's
 * answer may overwrite the second half's parameters. Nothing may be written if
 * either half fails. */
INLINE bool
sample_lanes(const struct sample_plan *p, enum sample_texel kind,
             enum sample_mode mode, const struct sample_lanes *in)
{
    alignas(32) uint32_t out[4][SAMPLE_LANES];
    struct sample_lanes half = *in;
    for (unsigned c = 0; c < 4; c++)
        half.out[c] = in->out[c] ? out[c] : NULL;
    for (unsigned lane = 0; lane < in->lanes; lane += LANES)
        if (!sample_part(p, kind, mode, &half, lane))
            return false;
    uint32_t all = in->lanes == SAMPLE_LANES ? 0xffff : 0xff;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; in->out[c] && lane < in->lanes; lane += LANES) {
            vint value = v_load(out[c] + lane, LANES);
            if (in->exec_mask == all)
                v_store(in->out[c] + lane, value);
            else
                v_store_some(in->out[c] + lane, v_live(in->exec_mask >> lane),
                             value);
        }
    }
    return true;
}

#endif

#include "sampler/plan/x86/any/routines_tmpl.h"
