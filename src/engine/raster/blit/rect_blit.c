/* rect_blit.c: rectangles drawn without threads: eu/summary knows what the
 * shader does, so memory is filled, copied, sampled or averaged directly.
 * Stores the bits that threads would store; a rectangle in doubt is left to
 * threads. */
#include "engine/raster/blit/blit.h"
#include "engine/raster/blit/rect_resolve.h"
#include "engine/raster/output/output.h"
#include "engine/raster/tile_view.h"
#include "engine/raster/blit/rect_sample.h"

#include "base/fpmode.h"
#include "base/perf.h"
#include "base/pool.h"
#include "eu/summary/summary.h"

#include <stdlib.h>

/* Drawing less takes no longer than waking a worker. */
#define INLINE_B (2u << 20)
#define INLINE_TEXELS_B (32u << 10)
#define MAX_RECTS 16

struct rect {
    const struct scene *sc;
    const struct setup *setup;
    const struct surface *target;
    struct image to;
    uint32_t x0, y0, x1, y1; /* clipped to the target */
    /* fills */
    uint8_t value[16];
    /* copies: source, and the source pixel of (x0, y0) */
    struct image from;
    uint32_t from_x, from_y;
    /* other texels */
    uint32_t *tables; /* their coordinates */
    struct rect_sample texels;
    struct rect_resolve resolve;
    void (*band)(void *ctx, unsigned i, unsigned worker);
};

/* ---- conditions on the state -------------------------------------------- */

/* Every pixel of the rectangle is written exactly once, regardless of the
 * target's contents. The state may still allow the kernel to discard pixels;
 * its summary excludes that. */
static bool
is_plain(const struct scene *sc)
{
    const struct draw *d = sc->draw;
    return sc->single_sample_no_stencil && !sc->ds.depth_test &&
           (sc->no_late_tests || sc->late_count_only) && (d->sample_mask & 1) &&
           !d->blend.alpha_to_one_enable &&
           !d->ps_extra.pixel_shader_computed_depth_mode &&
           !d->ps_extra.pixel_shader_computes_stencil &&
           !d->ps_extra.pixel_shader_has_uav;
}

static bool
writes_all(const struct blend_state *b, const struct format_info *fmt)
{
    if (b->logic_op || (b->enabled && !fmt->is_int))
        return false;
    for (unsigned c = 0; c < 4; c++) {
        unsigned kind = fmt->ch[c].kind;
        if (kind != FORMAT_NONE && kind != FORMAT_VOID &&
            !(b->write_mask >> c & 1))
            return false;
    }
    return true;
}

static bool
find_target(struct rect *r)
{
    const struct scene *sc = r->sc;
    const struct setup *s = r->setup;
    const struct surface *t = stage_surface(sc->ps, sc->ps->summary->target);
    if (s->cover != COVER_BOX || sc->ps->summary->target >= DRAW_MAX_RT ||
        t->type > SURFACE_CUBE || !t->mem || t->samples != 1 ||
        s->layer > t->view_extent_minus1 || !view_format_ok(t->fmt) ||
        !writes_all(&sc->blend[0], t->fmt) ||
        !image_init(&r->to, t, t->mip_count_minus1, t->min_array + s->layer, 0))
        return false;
    r->target = t;
    r->x0 = (uint32_t)s->x0;
    r->y0 = (uint32_t)s->y0;
    r->x1 = MIN2((uint32_t)s->x1, r->to.width);
    r->y1 = MIN2((uint32_t)s->y1, r->to.height);
    return r->x0 < r->x1 && r->y0 < r->y1;
}

/* ---- bands -------------------------------------------------------------- */

static void
draw_bands(struct rect *r)
{
    uint64_t size_B = (uint64_t)(r->x1 - r->x0) * (r->y1 - r->y0) *
                      r->to.element_B;
    unsigned count = image_bands(&r->to, r->y0, r->y1);
    if (size_B > (r->tables ? INLINE_TEXELS_B : INLINE_B)) {
        pool_for(r->sc->draw->pool, count, r->band, r);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        r->band(r, i, 0);
}

static void
fill_band(void *ctx, unsigned i, unsigned worker)
{
    const struct rect *r = ctx;
    uint32_t y0 = r->y0, y1 = r->y1;
    image_band(&r->to, i, &y0, &y1);
    vm_thread_enter();
    image_fill(&r->to, r->x0, y0, r->x1, y1, r->value);
    vm_thread_leave();
}

static void
copy_band(void *ctx, unsigned i, unsigned worker)
{
    const struct rect *r = ctx;
    uint32_t y0 = r->y0, y1 = r->y1;
    image_band(&r->to, i, &y0, &y1);
    vm_thread_enter();
    image_copy(&r->to, r->x0, y0, &r->from, r->from_x, r->from_y + (y0 - r->y0),
               r->x1 - r->x0, y1 - y0);
    vm_thread_leave();
}

static void
texel_band(void *ctx, unsigned i, unsigned worker)
{
    const struct rect *r = ctx;
    uint32_t y0 = r->y0, y1 = r->y1;
    image_band(&r->to, i, &y0, &y1);
    vm_thread_enter();
    rect_sample_draw(&r->texels, y0, y1);
    vm_thread_leave();
}

static void
resolve_band(void *ctx, unsigned i, unsigned worker)
{
    const struct rect *r = ctx;
    uint32_t y0 = r->y0, y1 = r->y1;
    image_band(&r->to, i, &y0, &y1);
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    vm_thread_enter();
    rect_resolve_draw(&r->resolve, y0, y1);
    vm_thread_leave();
    fpmode_leave(FPMODE_DEFAULT, before);
}

/* ---- fills -------------------------------------------------------------- */

static bool
prepare_fill(struct rect *r)
{
    const struct format_info *fmt = r->target->fmt;
    union color c;
    if ((r->to.element_B & (r->to.element_B - 1)) ||
        !shader_eval_color(r->sc, r->setup, c.u))
        return false;
    fmt->rt_pack(fmt, &c, r->value);
    for (unsigned i = r->to.element_B; i < sizeof r->value; i++)
        r->value[i] = r->value[i - r->to.element_B];
    r->band = fill_band;
    return true;
}

/* ---- copies ------------------------------------------------------------- */

/* Whether a copy preserves the source's bits. */
static bool
formats_copy(const struct surface *from, const struct surface *to)
{
    const struct format_info *f = from->fmt;
    if (!format_same_bits(f, to->fmt))
        return false;
    for (unsigned c = 0; c < 4; c++)
        if (f->ch[c].kind != FORMAT_NONE &&
            from->swizzle[c] != GEN9_SCS_RED + c)
            return false;
    return true;
}

static bool
is_consecutive(const uint32_t *at, uint32_t count, uint32_t limit)
{
    if (at[0] >= limit || limit - at[0] < count)
        return false;
    for (uint32_t i = 1; i < count; i++)
        if (at[i] != at[0] + i)
            return false;
    return true;
}

static bool
find_source(struct rect *r, const struct surface *s, const struct eval_table *t)
{
    uint32_t width = r->x1 - r->x0, height = r->y1 - r->y0;
    unsigned level = s->min_lod + t->level;
    uint32_t slice = s->type == SURFACE_3D ? t->layer
                     : s->is_array         ? s->min_array + t->layer
                                           : s->min_array;
    if ((s->type != SURFACE_2D && s->type != SURFACE_3D) || !s->mem ||
        s->samples != 1 || t->level > s->mip_count_minus1 ||
        level >= SURFACE_LEVELS ||
        (s->type == SURFACE_2D && s->is_array && t->layer >= s->depth) ||
        slice >= surface_level_slices(s, level) ||
        !image_init(&r->from, s, level, slice, 0) ||
        !is_consecutive(t->u, width, r->from.width) ||
        !is_consecutive(t->v, height, r->from.height))
        return false;
    r->from_x = t->u[0];
    r->from_y = t->v[0];
    const struct image_rect to = {&r->to, r->x0, r->y0, width, height};
    const struct image_rect from = {&r->from, r->from_x, r->from_y, width,
                                    height};
    return !image_overlap(&to, &from);
}

static bool
prepare_texels(struct rect *r, const struct eval_table *t)
{
    struct rect_sample *x = &r->texels;
    x->to = r->to;
    x->x0 = r->x0;
    x->y0 = r->y0;
    x->x1 = r->x1;
    x->y1 = r->y1;
    r->band = texel_band;
    return rect_sample_init(x, r->sc, r->target, t);
}

static bool
prepare_texel(struct rect *r)
{
    const struct kernel_summary *m = r->sc->ps->summary;
    const struct surface *s = stage_surface(r->sc->ps, m->texture);
    uint32_t width = r->x1 - r->x0, height = r->y1 - r->y0;
    uint32_t *tables = malloc(((size_t)width + height) * sizeof *tables);
    struct eval_table t = {.u = tables, .v = tables + width};
    if (!tables ||
        !shader_eval_coords(r->sc, r->setup, r->x0, r->y0, width, height, &t)) {
        free(tables);
        return false;
    }
    if (m->message != MESSAGE_SAMPLE_LZ && formats_copy(s, r->target) &&
        find_source(r, s, &t)) {
        free(tables);
        r->band = copy_band;
        return true;
    }
    r->tables = tables;
    return prepare_texels(r, &t);
}

static bool
is_bytes(const struct format_info *fmt)
{
    for (unsigned c = 0; c < 4; c++)
        if (fmt->ch[c].kind != FORMAT_NONE &&
            (fmt->ch[c].kind != FORMAT_UNORM || fmt->ch[c].bits != 8))
            return false;
    return !fmt->srgb && fmt->block_bits <= 32;
}

/* Finds the planes of the source. False if the target overlaps them. */
static bool
find_samples(struct rect *r, const struct surface *s, unsigned slice,
             unsigned level)
{
    struct rect_resolve *v = &r->resolve;
    uint32_t width = r->x1 - r->x0, height = r->y1 - r->y0;
    const struct image_rect to = {&r->to, r->x0, r->y0, width, height};
    for (unsigned i = 0; i < v->samples; i++) {
        if (!image_init(&v->plane[i], s, level, slice, i))
            return false;
        const struct image_rect from = {&v->plane[i], v->from_x, v->from_y,
                                        width, height};
        if (image_overlap(&to, &from))
            return false;
    }
    return !v->mcs || (!level && image_init_mcs(&v->control, s, slice,
                                                mcs_entry_B(v->samples)));
}

static bool
find_resolve(struct rect *r, const struct surface *s,
             const struct eval_table *t)
{
    const struct kernel_summary *m = r->sc->ps->summary;
    const struct shader_stage *ps = r->sc->ps;
    struct rect_resolve *v = &r->resolve;
    unsigned level = s->min_lod + t->level;
    bool mcs = s->aux_mem && (s->aux == AUX_MCS || s->aux == AUX_CCS_E);
    if (s->type != SURFACE_2D || !s->mem || s->interleaved ||
        s->samples != m->samples || mcs != m->mcs || ps->alt_mode ||
        ps->rounding || t->level > s->mip_count_minus1 ||
        level >= SURFACE_LEVELS || (s->is_array && t->layer >= s->depth) ||
        !formats_copy(s, r->target) || !is_bytes(s->fmt) ||
        !is_consecutive(t->u, r->x1 - r->x0, surface_level_width(s, level)) ||
        !is_consecutive(t->v, r->y1 - r->y0, surface_level_height(s, level)))
        return false;
    v->samples = m->samples;
    v->mcs = m->mcs;
    v->mcs_clear = v->samples == 2 ? 3 : v->samples == 4 ? 0xff : 0xffffffff;
    s->fmt->rt_pack(s->fmt, &s->clear_color, v->clear);
    for (unsigned i = r->to.element_B; i < sizeof v->clear; i++)
        v->clear[i] = v->clear[i - r->to.element_B];
    v->from_x = t->u[0];
    v->from_y = t->v[0];
    v->to_x = r->x0;
    v->to_y = r->y0;
    v->width = r->x1 - r->x0;
    v->to = r->to;
    return find_samples(r, s, s->min_array + (s->is_array ? t->layer : 0),
                        level);
}

static bool
prepare_resolve(struct rect *r)
{
    const struct surface *s = stage_surface(r->sc->ps,
                                            r->sc->ps->summary->texture);
    uint32_t width = r->x1 - r->x0, height = r->y1 - r->y0;
    uint32_t *tables = malloc(((size_t)width + height) * sizeof *tables);
    struct eval_table t = {.u = tables, .v = tables + width};
    bool ok = tables &&
              shader_eval_coords(r->sc, r->setup, r->x0, r->y0, width, height,
                                 &t) &&
              find_resolve(r, s, &t);
    free(tables);
    r->band = resolve_band;
    return ok;
}

static void
finish(struct rect *r)
{
    if (r->tables)
        rect_sample_finish(&r->texels);
    free(r->tables);
}

/* ---- draws -------------------------------------------------------------- */

static void
end_clear(const struct rect *r)
{
    const struct aux_rect at = {r->x0, r->y0, r->x1, r->y1};
    rect_end_clear(r->sc->draw, r->target, r->setup->layer, &at);
}

static void
count(const struct rect *r)
{
    const struct scene *sc = r->sc;
    const struct setup *s = r->setup;
    struct pipeline_stats *st = sc->draw->stats;
    uint64_t pixels = (uint64_t)(s->x1 - s->x0) * (unsigned)(s->y1 - s->y0);
    if (sc->count_depth)
        atomic_fetch_add(&st->ps_depth_count, pixels);
    if (sc->count_ps)
        atomic_fetch_add(&st->ps_invocations,
                         pixels * (sc->draw->gen == 8 ? 4 : 1));
    stats_add(STAT_pixels, pixels);
    stats_add(STAT_rects, 1);
}

/* Prepares one rectangle. All are prepared before the first is drawn: threads
 * draw either all of them or none. */
static bool
prepare(struct scene *sc, unsigned i, struct rect *r)
{
    *r = (struct rect){.sc = sc, .setup = sc->raster->list[0]->ref[i].setup};
    if (!find_target(r))
        return false;
    switch (sc->ps->summary->kind) {
    case SUMMARY_CLEAR: return prepare_fill(r);
    case SUMMARY_BLIT: return prepare_texel(r);
    case SUMMARY_RESOLVE: return prepare_resolve(r);
    default: return false;
    }
}

/* Whether all primitives are in the first list. */
static bool
is_alone(const struct raster *r)
{
    for (unsigned i = 1; i < r->list_count; i++) {
        if (r->list[i] && r->list[i]->count)
            return false;
    }
    return r->list_count && r->list[0];
}

bool
rect_blit(struct raster *r)
{
    struct scene *sc = r->scene[r->scene_count - 1];
    const struct kernel_summary *m = sc->ps ? sc->ps->summary : NULL;
    if (!m || m->kind == SUMMARY_NONE || !is_plain(sc) ||
        perf_leaves_out(PERF_RECTS) || sc->draw->oa || r->scene_count != 1 ||
        !is_alone(r))
        return false;
    /* Clears have one rectangle per layer. Only one copy: a second might read
     * the first one's pixels. */
    unsigned n = r->list[0]->count;
    if (!n || n > (m->kind == SUMMARY_CLEAR ? MAX_RECTS : 1))
        return false;
    struct rect rect[MAX_RECTS];
    unsigned ready = 0;
    while (ready < n && prepare(sc, ready, &rect[ready]))
        ready++;
    for (unsigned i = 0; i < n && ready == n; i++) {
        end_clear(&rect[i]);
        draw_bands(&rect[i]);
        count(&rect[i]);
    }
    for (unsigned i = 0; i < MIN2(ready + 1, n); i++)
        finish(&rect[i]);
    return ready == n;
}
