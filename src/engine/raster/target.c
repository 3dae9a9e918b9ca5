/* target.c: colour targets: addresses, conversion, masks, stores. */
#include "engine/raster/raster.h"

void
view_init(struct view *v, const struct surface *s, unsigned level,
          unsigned slice, unsigned sample, unsigned element_B, int32_t tile_x,
          int32_t tile_y)
{
    uint32_t x0 = (uint32_t)tile_x, y0 = (uint32_t)tile_y;
    uint32_t w = surface_level_width(s, level);
    uint32_t h = surface_level_height(s, level);
    v->mem = s->mem;
    v->limit_B = s->limit_B;
    v->element_B = element_B;
    v->width = w > x0 ? MIN2(w - x0, TILE_PX) : 0;
    v->height = h > y0 ? MIN2(h - y0, TILE_PX) : 0;
    uint64_t origin = surface_offset_B(s, level, x0, y0, slice, sample);
    for (unsigned i = 0; i < v->width; i++)
        v->x_B[i] = surface_offset_B(s, level, x0 + i, y0, slice, sample);
    /* Unsigned arithmetic wraps: the sum is right all the same. */
    for (unsigned i = 0; i < v->height; i++)
        v->y_B[i] = surface_offset_B(s, level, x0, y0 + i, slice, sample) -
                    origin;
}

static enum pack_kind
find_pack(const struct format_info *f)
{
    if (f->block_bits != 32 || f->srgb || f->lum || f->intensity)
        return PACK_GENERIC;
    for (unsigned c = 0; c < 4; c++) {
        if (f->ch[c].kind != FORMAT_UNORM || f->ch[c].bits != 8)
            return PACK_GENERIC;
    }
    if (f->ch[1].start_bit != 8 || f->ch[3].start_bit != 24)
        return PACK_GENERIC;
    if (f->ch[0].start_bit == 0 && f->ch[2].start_bit == 16)
        return PACK_RGBA8;
    if (f->ch[0].start_bit == 16 && f->ch[2].start_bit == 0)
        return PACK_BGRA8;
    return PACK_GENERIC;
}

static void
prepare(struct worker *w, struct target *t, unsigned bti)
{
    const struct surface *s = stage_surface(w->scene->ps, bti);
    t->ready = true;
    t->surf = s;
    t->fmt = s->fmt;
    t->entry = -1;
    t->layer = -1;
    t->views_ready = 0;
    t->null = s->type == SURFACE_NULL || !s->mem;
    if (s->type == SURFACE_BUFFER || s->type == SURFACE_STRBUF) {
        unimp("buffer as render target");
        t->null = true;
    }
    if (s->fmt->compression != FORMAT_PLAIN) {
        guest_error("render target of format %s", s->fmt->name);
        t->null = true;
    }
    t->pack = find_pack(s->fmt);
    t->level = s->mip_count_minus1;
    t->layers = s->view_extent_minus1 + 1u;
    t->samples = s->samples;
    t->element_B = s->fmt->block_bits / 8;
    t->mcs_B = mcs_entry_B(s->samples);
    t->has_mcs = s->aux == AUX_MCS && s->samples > 1 && s->aux_mem && t->mcs_B;
}

struct target *
target_get(struct worker *w, unsigned bti, int layer)
{
    if (bti >= DRAW_MAX_RT) {
        unimp("render target at binding table entry %u", bti);
        return NULL;
    }
    struct target *t = &w->target[bti];
    if (!t->ready)
        prepare(w, t, bti);
    if (t->null || (unsigned)layer >= t->layers)
        return NULL;
    if (t->layer != layer) {
        t->layer = layer;
        t->views_ready = 0;
    }
    return t;
}

void
target_forget_views(struct worker *w)
{
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        w->target[i].views_ready = 0;
}

struct view *
target_view(struct worker *w, struct target *t, unsigned sample)
{
    struct view *v = &t->view[sample];
    if (!(t->views_ready >> sample & 1)) {
        t->views_ready |= 1u << sample;
        view_init(v, t->surf, t->level, t->surf->min_array + (unsigned)t->layer,
                  sample, t->element_B, w->tile_x, w->tile_y);
    }
    return v;
}

/* Which bits of an element the write mask lets through. Bits of no channel
 * are written: they have no other owner. */
static void
use_entry(struct target *t, const struct blend_state *b, unsigned entry)
{
    if (t->entry == (int)entry)
        return;
    t->entry = (int)entry;
    memset(t->mask, 0xff, sizeof t->mask);
    t->mask_all = true;
    bool any = false;
    for (unsigned c = 0; c < 4; c++) {
        const struct format_channel *ch = &t->fmt->ch[c];
        if (ch->kind == FORMAT_NONE || ch->kind == FORMAT_VOID)
            continue;
        if (b->write_mask >> c & 1) {
            any = true;
            continue;
        }
        t->mask_all = false;
        for (unsigned i = ch->start_bit; i < ch->start_bit + ch->bits; i++)
            t->mask[i / 8 & 15] &= (uint8_t) ~(1u << (i & 7));
    }
    t->mask_none = !any;
}

/* 0..1 to 0..255, ties to even; NaN becomes 0. */
static inline uint32_t
unorm8(uint32_t bits)
{
    float f = float_from_bits(bits);
    f = f > 0 ? f : 0;
    f = f < 1 ? f : 1;
    /* In the binade of 2^23 the last place is one. */
    return bits_from_float(f * 255.0f + 8388608.0f) & 0xff;
}

static void
pack_8888(const struct rt_colors *rt, bool bgra, uint32_t out[16])
{
    unsigned r = bgra ? 16 : 0, b = bgra ? 0 : 16;
    for (unsigned i = 0; i < 16; i++)
        out[i] = unorm8(rt->c[0][i]) << r | unorm8(rt->c[1][i]) << 8 |
                 unorm8(rt->c[2][i]) << b | unorm8(rt->c[3][i]) << 24;
}

/* One sample, nothing to blend, all channels of RGBA8 or BGRA8. */
static void
write_8888(struct ps_group *g, struct target *t, const struct rt_colors *rt,
           uint32_t mask)
{
    struct worker *w = g->worker;
    const struct view *v = target_view(w, t, 0);
    uint32_t px[16];
    pack_8888(rt, t->pack == PACK_BGRA8, px);
    for (unsigned i = 0; i < rt->count; i += 4) {
        const struct quad *q = &g->quad[(rt->base + i) / 4];
        for (unsigned p = 0; p < 4; p++) {
            if (!(mask >> (i + p) & 1))
                continue;
            uint8_t *at = view_at(v, (unsigned)(q->x - w->tile_x) + (p & 1),
                                  (unsigned)(q->y - w->tile_y) + (p >> 1));
            if (at)
                memcpy(at, &px[i + p], 4);
        }
    }
}

static void
store(const struct target *t, const struct blend_state *b, uint8_t *at,
      const uint8_t *packed)
{
    if (t->mask_all && !b->logic_op) {
        memcpy(at, packed, t->element_B);
        return;
    }
    for (unsigned i = 0; i < t->element_B; i++) {
        uint8_t v = packed[i];
        if (b->logic_op)
            v = (uint8_t)blend_logic_op(b->logic_func, v, at[i]);
        at[i] = (uint8_t)((at[i] & ~t->mask[i]) | (v & t->mask[i]));
    }
}

static void
write_pixel(struct worker *w, struct target *t, const struct blend_state *b,
            const union color *src, const union color *src1, uint16_t cover,
            int32_t x, int32_t y)
{
    const struct format_info *fmt = t->fmt;
    bool blend = b->enabled && !b->logic_op && !fmt->is_int;
    uint8_t packed[16] = {0};
    if (t->has_mcs)
        mcs_prepare_pixel(w, t, x, y);
    if (!blend)
        fmt->pack(fmt, src, packed);
    if (t->samples == 1)
        cover = cover != 0;
    for (; cover; cover &= (uint16_t)(cover - 1)) {
        unsigned s = (unsigned)__builtin_ctz(cover);
        if (s >= t->samples)
            break;
        uint8_t *at = view_at(target_view(w, t, s), (unsigned)(x - w->tile_x),
                              (unsigned)(y - w->tile_y));
        if (!at)
            continue;
        if (blend) {
            union color dst, out;
            fmt->unpack(fmt, at, &dst);
            blend_color(b, fmt, src, src1, &dst, &out);
            fmt->pack(fmt, &out, packed);
        }
        store(t, b, at, packed);
    }
}

static void
write_lanes(struct ps_group *g, struct target *t, const struct blend_state *b,
            const struct rt_colors *rt, uint32_t mask)
{
    struct worker *w = g->worker;
    bool smooth = g->setup->smooth, one = w->draw->blend.alpha_to_one_enable;
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        unsigned lane = rt->base + i, p = lane & 3;
        const struct quad *q = &g->quad[lane / 4];
        union color src, src1;
        for (unsigned c = 0; c < 4; c++) {
            src.u[c] = rt->c[c][i];
            src1.u[c] = rt->dual ? rt->src1[c][i] : 0;
        }
        if (!t->fmt->is_int) {
            if (one)
                src.f[3] = src1.f[3] = 1;
            if (smooth)
                src.f[3] *= q->aa[p];
        }
        write_pixel(w, t, b, &src, &src1, q->cover[p], q->x + (int32_t)(p & 1),
                    q->y + (int32_t)(p >> 1));
    }
}

void
target_write(struct ps_group *g, const struct rt_colors *rt, unsigned bti,
             unsigned entry)
{
    struct worker *w = g->worker;
    struct target *t = target_get(w, bti, g->setup->layer);
    if (!t)
        return;
    const struct blend_state *b = &w->scene->blend[entry & (DRAW_MAX_RT - 1)];
    use_entry(t, b, entry & (DRAW_MAX_RT - 1));
    uint32_t mask = rt->mask & g->lit >> rt->base;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m), lane = rt->base + i;
        if (!g->quad[lane / 4].cover[lane & 3])
            mask &= ~(1u << i);
    }
    if (!mask || t->mask_none)
        return;
    w->pixels += (unsigned)__builtin_popcount(mask);
    bool plain = t->pack != PACK_GENERIC && !b->enabled && !b->logic_op &&
                 t->mask_all && t->samples == 1 && !g->setup->smooth &&
                 !w->draw->blend.alpha_to_one_enable;
    if (plain)
        write_8888(g, t, rt, mask);
    else
        write_lanes(g, t, b, rt, mask);
}

void
target_read(struct ps_group *g, unsigned bti, unsigned base, unsigned count,
            uint32_t out[4][16])
{
    struct worker *w = g->worker;
    struct target *t = target_get(w, bti, g->setup->layer);
    memset(out, 0, 4 * 16 * sizeof out[0][0]);
    for (unsigned i = 0; t && i < count; i++) {
        unsigned lane = base + i, p = lane & 3;
        if (lane / 4 >= g->quads)
            break;
        const struct quad *q = &g->quad[lane / 4];
        int32_t x = q->x + (int32_t)(p & 1), y = q->y + (int32_t)(p >> 1);
        if (t->has_mcs)
            mcs_prepare_pixel(w, t, x, y);
        unsigned s = MIN2(q->sample, t->samples - 1u);
        const uint8_t *at = view_at(target_view(w, t, s),
                                    (unsigned)(x - w->tile_x),
                                    (unsigned)(y - w->tile_y));
        union color c = {{0}};
        if (at)
            t->fmt->unpack(t->fmt, at, &c);
        for (unsigned k = 0; k < 4; k++)
            out[k][i] = c.u[k];
    }
}
