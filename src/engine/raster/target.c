/* target.c: colour targets: addresses, formats, masks. */
#include "engine/raster/raster.h"

/* No row of a tile is longer. */
#define TILE_ROW_B 512

/* rises: each is greater than the one before, unless 32 bits have run over. */
static uint64_t
greatest(const uint64_t v[], unsigned count, bool rises)
{
    uint64_t max = 0;
    if (rises && count && v[0] <= v[count - 1])
        return v[count - 1];
    for (unsigned i = 0; i < count; i++)
        max = MAX2(max, v[i]);
    return max;
}

/* Offsets of a tile's elements, from v->mem: most tiles have those of the one
 * before, elsewhere. Returns whether blocks are alike. */
static bool
find_offsets(struct view *v, const struct surface *s, unsigned level,
             uint32_t x, uint32_t y, unsigned slice, unsigned sample)
{
    struct axes_place place;
    uint64_t step_B;
    bool plain = surface_axes_place(s, level, x, y, slice, sample, &place);
    v->mem = s->mem;
    v->limit_B = s->limit_B;
    if (plain && v->tabled && axes_step(&v->place, &place, &step_B)) {
        bool behind = step_B > s->limit_B && step_B <= INT64_MAX;
        v->mem = (uint8_t *)((uintptr_t)s->mem + step_B);
        v->limit_B = behind ? 0 : s->limit_B - step_B;
        return axes_alike(&place);
    }
    v->tabled = plain;
    if (plain)
        v->place = place;
    return surface_axes(s, level, x, y, slice, sample,
                        plain ? TILE_PX : v->width, plain ? TILE_PX : v->height,
                        v->x_B, v->y_B);
}

void
view_init(struct view *v, const struct surface *s, unsigned level,
          unsigned slice, unsigned sample, unsigned element_B, int32_t tile_x,
          int32_t tile_y)
{
    uint32_t x0 = (uint32_t)tile_x, y0 = (uint32_t)tile_y;
    uint32_t w = surface_level_width(s, level);
    uint32_t h = surface_level_height(s, level);
    v->element_B = element_B;
    v->width = w > x0 ? MIN2(w - x0, TILE_PX) : 0;
    v->height = h > y0 ? MIN2(h - y0, TILE_PX) : 0;
    bool alike = find_offsets(v, s, level, x0, y0, slice, sample);
    bool rises = alike && s->row_pitch_B >= TILE_ROW_B;
    uint64_t x_max = greatest(v->x_B, v->width, rises);
    uint64_t y_max = greatest(v->y_B, v->height, rises);
    v->safe = x_max < UINT64_MAX / 4 && y_max < UINT64_MAX / 4 &&
              x_max + y_max + element_B <= v->limit_B;
    v->pitch_B = s->tiling == TILING_Y   ? 16
                 : s->tiling == TILING_X ? 512
                                         : s->row_pitch_B;
    v->column_B = s->tiling == TILING_Y ? 512 : 16;
    v->blocks = v->safe && alike && element_B == s->fmt->element_B &&
                (s->tiling == TILING_Y || v->pitch_B >= 4 * element_B);
}

static void
fill_row(const struct view *v, unsigned x0, unsigned x1, unsigned y,
         const uint8_t value[16])
{
    const unsigned n = 16 / v->element_B;
    const unsigned step = n * v->element_B == 16 ? n : 0;
    for (unsigned x = x0; x < x1;) {
        uint8_t *p = view_at(v, x, y);
        if (!p)
            return;
        /* Sixteen bytes lie together in most tilings. */
        if (step && v->safe && x + step <= x1 &&
            v->x_B[x + step - 1] - v->x_B[x] == (step - 1) * v->element_B) {
            memcpy(p, value, 16);
            x += step;
        } else {
            memcpy(p, value, v->element_B);
            x++;
        }
    }
}

void
view_fill(const struct view *v, unsigned x0, unsigned y0, unsigned x1,
          unsigned y1, const uint8_t value[16])
{
    for (unsigned y = y0; y < MIN2(y1, v->height); y++)
        fill_row(v, x0, MIN2(x1, v->width), y, value);
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

/* Elements of whole bytes, 16 at most: all that can be rendered to. */
bool
target_format_ok(const struct format_info *f)
{
    return f->compression == FORMAT_PLAIN && f->block_bits % 8 == 0 &&
           f->block_bits >= 8 && f->block_bits <= 128;
}

/* What memory held when somebody looked last. */
static void
forget_planes(struct target *t)
{
    memset(t->mcs_first, 0, sizeof t->mcs_first);
    memset(t->mcs_all, 0, sizeof t->mcs_all);
    t->mcs_places.scanned = false;
}

static void
prepare(struct worker *w, struct target *t, unsigned bti)
{
    const struct surface *s = stage_surface(w->scene->ps, bti);
    bool known = t->known && !memcmp(&t->surf, s, sizeof *s);
    t->ready = t->known = true;
    t->entry = -1;
    forget_planes(t);
    if (known)
        return;
    t->settled = false;
    t->surf = *s;
    t->fmt = s->fmt;
    t->layer = -1;
    t->views_ready = 0;
    t->null = s->type == SURFACE_NULL || !s->mem;
    if (s->type == SURFACE_BUFFER || s->type == SURFACE_STRBUF) {
        unimp("buffer as render target");
        t->null = true;
    }
    if (!target_format_ok(s->fmt)) {
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

static void
forget_views(struct target *t)
{
    t->views_ready = 0;
    forget_planes(t);
    t->mcs_places.ready = false;
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
    return t;
}

void
target_forget_views(struct worker *w)
{
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        forget_views(&w->target[i]);
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

/* Which bits of an element the write mask lets through. Bits of no channel
 * are written: they have no other owner. */
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
    t->tail = fits ? rt_choose_tail(&t->rt) : NULL;
    t->tail_of_two = fits ? rt_choose_tail_of_two(&t->rt) : NULL;
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
