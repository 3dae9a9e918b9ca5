/* constant.c: rectangles whose shader writes one colour everywhere.
 *
 * The replicated render target write exists for clears. When a thread has
 * executed two instructions, one of them such a write, the other can only
 * have moved the colour from constants, from flat attributes or from the
 * headers; two threads at different places that write the same bits rule out
 * the part of the headers that depends on the place. From then on the rest of
 * the primitive is filled without threads. */
#include "engine/raster/raster.h"

#define INSNS 2
#define THREADS 2

void
constant_note_write(struct worker *w, unsigned bti, const uint32_t color[4])
{
    struct constant_color *k = &w->constant;
    const struct setup *s = w->group.setup;
    if (k->setup != s || k->flush != w->scene->flush) {
        *k = (struct constant_color){.setup = s, .flush = w->scene->flush};
        k->bti = bti;
        memcpy(k->color, color, sizeof k->color);
    }
    k->varies |= k->written || k->bti != bti ||
                 memcmp(k->color, color, sizeof k->color) != 0;
    k->written = true;
    k->threads++;
}

void
constant_note_thread(struct worker *w, const struct setup *s, uint64_t insns)
{
    struct constant_color *k = &w->constant;
    if (k->setup == s && (!k->written || insns > INSNS))
        k->varies = true;
    k->written = false;
}

/* No tests, nothing per pixel in the payload. */
static bool
is_plain(const struct worker *w, const struct setup *s)
{
    const struct scene *sc = w->scene;
    const struct draw *d = w->draw;
    return sc->simple && !sc->ds.depth_test &&
           (sc->plain_late || sc->late_count_only) && !sc->bary_modes &&
           (d->sample_mask & 1) && s->cover == COVER_BOX &&
           !d->blend.alpha_to_one_enable &&
           !d->ps_extra.pixel_shader_uses_source_depth &&
           !d->ps_extra.pixel_shader_uses_source_w &&
           !d->ps_extra.pixel_shader_kills_pixel &&
           !d->ps_extra.input_coverage_mask_state;
}

bool
constant_fill(struct worker *w, const struct setup *s, int32_t x0, int32_t y0,
              int32_t x1, int32_t y1)
{
    const struct constant_color *k = &w->constant;
    if (k->setup != s || k->flush != w->scene->flush || k->varies ||
        k->threads < THREADS || !is_plain(w, s))
        return false;
    const struct blend_state *b = &w->scene->blend[0];
    struct target *t = target_get(w, k->bti, s->layer);
    if (!t || t->samples != 1 || t->has_mcs || b->logic_op ||
        (b->enabled && !t->fmt->is_int))
        return false;
    target_use_entry(t, b, 0);
    if (!t->mask_all || t->mask_none)
        return false;
    uint8_t value[16] = {0};
    union color c;
    memcpy(c.u, k->color, sizeof c.u);
    t->fmt->pack(t->fmt, &c, value);
    for (unsigned i = t->element_B; i < sizeof value; i++)
        value[i] = value[i - t->element_B];
    view_fill(target_view(w, t, 0), (unsigned)(x0 - w->tile_x),
              (unsigned)(y0 - w->tile_y), (unsigned)(x1 - w->tile_x),
              (unsigned)(y1 - w->tile_y), value);
    uint64_t count = (uint64_t)(x1 - x0) * (unsigned)(y1 - y0);
    w->depth_count += count;
    w->ps_count += count;
    w->pixels += count;
    return true;
}
