/* render_target.c: render targets of a worker: addresses, formats, masks. */
#include "base/perf.h"
#include "engine/raster/output/output.h"
#include "engine/raster/tile_view.h"

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

/* Forgets which planes the MCS is known to use. */
static void
forget_planes(struct target *t)
{
    memset(t->mcs_first, 0, sizeof t->mcs_first);
    memset(t->mcs_all, 0, sizeof t->mcs_all);
    t->mcs_places.scanned = false;
}

/* For profiles: how many samples the draw could write, and where writes of
 * pixels are counted. */
static void
note_target(struct oa *oa, struct target *t, const struct surface *s,
            unsigned bti)
{
    static_assert(OA_TARGETS == DRAW_MAX_RT, "a size for each target");
    t->map_width = MAX2(s->width >> s->mip_count_minus1, 1u);
    t->map_height = MAX2(s->height >> s->mip_count_minus1, 1u);
    t->map = oa->find_map ? oa->find_map(s) : NULL;
    uint64_t px = (uint64_t)t->map_width * t->map_height *
                  (s->view_extent_minus1 + 1u);
    if (s->type != SURFACE_NULL)
        atomic_store_explicit(&oa->target_samples[bti], px * s->samples,
                              memory_order_relaxed);
}

static void
prepare(struct worker *w, struct target *t, unsigned bti)
{
    const struct surface *s = stage_surface(w->scene->ps, bti);
    bool known = t->known && !memcmp(&t->surf, s, sizeof *s);
    t->ready = t->known = true;
    t->entry = -1;
    forget_planes(t);
    if (w->draw->oa)
        note_target(w->draw->oa, t, s, bti);
    if (known)
        return;
    t->settled = false;
    t->surf = *s;
    t->fmt = s->fmt;
    t->layer = -1;
    t->views_ready = 0;
    t->has_codes = t->ends_clear = aux_codes_exist(s);
    t->codes_layer = -1;
    t->null = s->type == SURFACE_NULL || !s->mem;
    if (s->type == SURFACE_BUFFER || s->type == SURFACE_STRBUF) {
        unimp("buffer as render target");
        t->null = true;
    }
    if (!view_format_ok(s->fmt)) {
        guest_error("render target of format %s", s->fmt->name);
        t->null = true;
    }
    t->pack = find_pack(s->fmt);
    t->level = s->mip_count_minus1;
    t->layers = s->view_extent_minus1 + 1u;
    t->samples = s->samples;
    t->element_B = s->fmt->block_bits / 8;
    t->mcs_B = mcs_entry_B(s->samples);
    t->rounds_mcs = !perf_leaves_out(PERF_MCS_BLOCKS);
    t->has_mcs = s->aux == AUX_MCS && s->samples > 1 && s->aux_mem && t->mcs_B;
}

static void
forget_views(struct target *t)
{
    t->views_ready = 0;
    t->ends_clear = t->has_codes;
    forget_planes(t);
    t->mcs_places.ready = false;
}

void
target_begin_flush(struct worker *w)
{
    w->depth_ended = -1;
    for (unsigned i = 0; i < DRAW_MAX_RT; i++) {
        struct target *t = &w->target[i];
        t->ends_clear = t->has_codes;
        forget_planes(t);
    }
}

static void
end_tile(const struct worker *w, struct target *t)
{
    t->ends_clear = false;
    if (t->codes_layer != t->layer) {
        t->codes_layer = t->layer;
        aux_codes_init(&t->codes, &t->surf, w->draw->gen, t->level,
                       t->surf.min_array + (unsigned)t->layer);
    }
    struct aux_rect r = tile_rect_px(w);
    aux_codes_end(&t->codes, &r);
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
        forget_views(t);
    }
    if (t->ends_clear)
        end_tile(w, t);
    return t;
}

void
target_forget_views(struct worker *w)
{
    for (unsigned i = 0; i < DRAW_MAX_RT; i++) {
        struct target *t = &w->target[i];
        forget_views(t);
        /* Writes push the codes out of near caches, and triangles are set up
         * before the tile's first write needs them. */
        if (t->ends_clear && t->codes_layer >= 0 && t->codes_layer == t->layer)
            aux_codes_prefetch(&t->codes, (uint32_t)w->tile_x,
                               (uint32_t)w->tile_y);
    }
}

struct view *
target_view(struct worker *w, struct target *t, unsigned sample)
{
    struct view *v = &t->view[sample];
    if (!(t->views_ready >> sample & 1)) {
        t->views_ready |= 1u << sample;
        view_init(v, &t->surf, t->level, t->surf.min_array + (unsigned)t->layer,
                  sample, t->element_B, w->tile_x, w->tile_y);
    }
    return v;
}

/* Selects a blend entry: state, kernel, and the element bits that the write
 * mask lets through. Bits of no channel are written: they have no other owner.
 */
void
target_use_entry(struct target *t, const struct blend_state *b, unsigned entry)
{
    if (t->entry == (int)entry)
        return;
    t->entry = (int)entry;
    if (t->settled && !memcmp(&t->blend, b, sizeof *b))
        return;
    t->settled = true;
    t->blend = *b;
    blend_range_init(&t->range, b, t->fmt);
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
    bool fits = any && rt_state_init(&t->rt, t, b);
    t->write = fits ? rt_choose(&t->rt) : NULL;
    t->tail = fits ? rt_choose_epilogue(&t->rt) : NULL;
    t->tail_of_two = fits ? rt_choose_epilogue_of_two(&t->rt) : NULL;
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
            mcs_prepare_pixel(w, t, x, y, true);
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
