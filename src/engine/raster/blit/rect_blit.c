/* rect_blit.c: rectangles drawn without threads: eu/summary knows what the
 * shader does, so memory is filled, copied, sampled or averaged directly.
 * Stores the bits that threads would store; a rectangle in doubt is left to
 * threads. */
#include "engine/raster/blit/blit.h"
#include "engine/raster/blit/rect_resolve.h"
#include "engine/raster/output/output.h"
#include "engine/raster/tile_view.h"
#include "engine/raster/blit/rect_buffer.h"
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
    const struct surface *target; /* NULL: none */
    struct image to;              /* with a buffer, the texture */
    uint32_t x0, y0, x1, y1;      /* of it, clipped */
    /* fills */
    uint8_t value[16];
    /* copies: source, and the source pixel of (x0, y0) */
    struct image from;
    uint32_t from_x, from_y;
    /* other texels */
    uint32_t *tables; /* their coordinates */
    struct rect_sample texels;
    struct rect_resolve resolve;
    struct rect_buffer buffer;
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
    bool stores = sc->ps->summary->kind == SUMMARY_TO_BUFFER;
    return sc->single_sample_no_stencil && !sc->ds.depth_test &&
           (sc->no_late_tests || sc->late_count_only) && (d->sample_mask & 1) &&
           !d->blend.alpha_to_one_enable &&
           !d->ps_extra.pixel_shader_computed_depth_mode &&
           !d->ps_extra.pixel_shader_computes_stencil &&
           (stores || !d->ps_extra.pixel_shader_has_uav);
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
    if (sc->ps->summary->target >= DRAW_MAX_RT || t->type > SURFACE_CUBE ||
        !t->mem || t->samples != 1 || s->layer > t->view_extent_minus1 ||
        !view_format_ok(t->fmt) || !writes_all(&sc->blend[0], t->fmt) ||
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
find_source(struct rect *r, const struct surface *s, const struct eval_table *t)
{
    uint32_t width = r->x1 - r->x0, height = r->y1 - r->y0;
    if (!rect_find_texture(&r->from, s, t->level, t->layer) ||
        !rect_is_consecutive(t->u, width, r->from.width) ||
        !rect_is_consecutive(t->v, height, r->from.height))
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
        !formats_copy(s, r->target) || !rect_resolve_supports(s->fmt) ||
        !rect_is_consecutive(t->u, r->x1 - r->x0,
                             surface_level_width(s, level)) ||
        !rect_is_consecutive(t->v, r->y1 - r->y0,
                             surface_level_height(s, level)))
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

/* ---- buffers ------------------------------------------------------------ */

static void
buffer_band(void *ctx, unsigned i, unsigned worker)
{
    const struct rect *r = ctx;
    uint32_t y0 = r->y0, y1 = r->y1;
    image_band(&r->to, i, &y0, &y1);
    vm_thread_enter();
    rect_buffer_draw(&r->buffer, y0, y1);
    vm_thread_leave();
}

static bool
prepare_from_buffer(struct rect *r)
{
    struct rect_buffer *b = &r->buffer;
    if (!find_target(r))
        return false;
    b->image = r->to;
    b->x0 = r->x0;
    b->y0 = r->y0;
    b->width = r->x1 - r->x0;
    b->height = r->y1 - r->y0;
    r->band = buffer_band;
    return rect_buffer_upload(b, r->sc, r->setup, r->target->fmt);
}

static bool
prepare_to_buffer(struct rect *r)
{
    struct rect_buffer *b = &r->buffer;
    const struct shader_stage *ps = r->sc->ps;
    if (stage_surface(ps, ps->summary->target)->type != SURFACE_NULL ||
        !rect_buffer_download(b, r->sc, r->setup))
        return false;
    r->to = b->image;
    r->x0 = b->x0;
    r->y0 = b->y0;
    r->x1 = b->x0 + b->width;
    r->y1 = b->y0 + b->height;
    r->band = buffer_band;
    return true;
}

static void
finish(struct rect *r)
{
    if (r->tables)
        rect_sample_finish(&r->texels);
    free(r->tables);
}

/* ---- draws -------------------------------------------------------------- */

static bool
uses_buffer(const struct scene *sc)
{
    return sc->ps->summary->kind == SUMMARY_FROM_BUFFER ||
           sc->ps->summary->kind == SUMMARY_TO_BUFFER;
}

static void
end_clear(const struct rect *r)
{
    const struct aux_rect at = {r->x0, r->y0, r->x1, r->y1};
    if (r->target)
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
    if (r->target)
        stats_add(STAT_pixels, pixels);
    stats_add(STAT_rects, 1);
    stats_add(STAT_rect_buffers, uses_buffer(sc));
}

/* How many setups draw a rectangle: a box, or two triangles. */
static unsigned
setups_of_rect(const struct scene *sc)
{
    const struct setup *s = sc->raster->list[0]->ref[0].setup;
    return uses_buffer(sc) && s->cover == COVER_EDGES ? 2 : 1;
}

static bool
is_rect(const struct scene *sc, const struct setup_ref *ref, unsigned setups)
{
    const struct setup *a = ref[0].setup, *b = ref[setups - 1].setup;
    if (setups == 1)
        return a->cover == COVER_BOX;
    return setup_is_box(a, b) &&
           (!sc->attr_count ||
            !memcmp(a->attr, b->attr,
                    (size_t)sc->attr_count * ATTR_DW * sizeof *a->attr));
}

/* Prepares one rectangle. All are prepared before the first is drawn: threads
 * draw either all of them or none. */
static bool
prepare(struct scene *sc, unsigned i, struct rect *r)
{
    unsigned setups = setups_of_rect(sc);
    const struct setup_ref *ref = &sc->raster->list[0]->ref[i * setups];
    *r = (struct rect){.sc = sc, .setup = ref->setup};
    if (!is_rect(sc, ref, setups))
        return false;
    switch (sc->ps->summary->kind) {
    case SUMMARY_CLEAR: return find_target(r) && prepare_fill(r);
    case SUMMARY_BLIT: return find_target(r) && prepare_texel(r);
    case SUMMARY_RESOLVE: return find_target(r) && prepare_resolve(r);
    case SUMMARY_FROM_BUFFER: return prepare_from_buffer(r);
    case SUMMARY_TO_BUFFER: return prepare_to_buffer(r);
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

/* How many rectangles the list may be; 0: threads draw them. Clears and copies
 * of buffers have one per layer. Only one copy of texels: a second might read
 * the first one's pixels. */
static unsigned
count_rects(const struct scene *sc, const struct kernel_summary *m)
{
    unsigned setups = setups_of_rect(sc), n = sc->raster->list[0]->count;
    unsigned most = m->kind == SUMMARY_CLEAR || uses_buffer(sc) ? MAX_RECTS : 1;
    if (uses_buffer(sc) && perf_leaves_out(PERF_RECT_BUFFERS))
        return 0;
    return n % setups || n / setups > most ? 0 : n / setups;
}

/* Whether no rectangle reads what another one writes. */
static bool
are_apart(const struct rect *rect, unsigned n)
{
    for (unsigned i = 0; i < n * n && uses_buffer(rect->sc); i++)
        if (!rect_buffer_apart(&rect[i / n].buffer, &rect[i % n].buffer))
            return false;
    return true;
}

bool
rect_blit(struct raster *r)
{
    struct scene *sc = r->scene[r->scene_count - 1];
    const struct kernel_summary *m = sc->ps ? sc->ps->summary : NULL;
    if (!m || m->kind == SUMMARY_NONE || !is_plain(sc) ||
        perf_leaves_out(PERF_RECTS) || sc->draw->oa || r->scene_count != 1 ||
        !is_alone(r) || !r->list[0]->count)
        return false;
    struct rect rect[MAX_RECTS];
    unsigned n = count_rects(sc, m), ready = 0;
    while (ready < n && prepare(sc, ready, &rect[ready]))
        ready++;
    bool draws = n && ready == n && are_apart(rect, n);
    for (unsigned i = 0; i < n && draws; i++) {
        end_clear(&rect[i]);
        draw_bands(&rect[i]);
        count(&rect[i]);
    }
    for (unsigned i = 0; i < MIN2(ready + 1, n); i++)
        finish(&rect[i]);
    return draws;
}
