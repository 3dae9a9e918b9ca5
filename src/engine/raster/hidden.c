/* hidden.c: primitives that later ones of the same tile hide. Where one, or two
 * that share an edge, cover all of the tile with colours that do not depend on
 * what was there, nothing before them is seen: it is counted, but not shaded.
 * Where depth is tested, each of them must lie in front of all before it, and
 * the first in front of what is stored, so that all that they cover passes.
 */
#include "engine/raster/raster.h"

#include "base/perf.h"

/* What shading would have counted. */
struct counts {
    uint64_t pixels, samples;
};

/* What of the tile a primitive could cover: what the target has and what is not
 * clipped, in pixels; x1 and y1 exclusive. */
struct part {
    int32_t x0, y0, x1, y1;
};

/* ---- the scene ----------------------------------------------------------- */

/* Nothing is tested, or only whether depths lie in front of those that they
 * take the place of. */
static bool
is_orderly(const struct scene *sc)
{
    const struct depth_state *ds = &sc->ds;
    if (ds->stencil_test || ds->stencil_write)
        return false;
    return ds->depth_write ? depth_is_ordered(sc) : !ds->depth_test;
}

/* Nothing of it can be told from the target's other contents, and coverage says
 * how much is counted. */
static bool
only_covers(const struct scene *sc)
{
    const struct draw *d = sc->draw;
    const struct gen9_3dstate_ps_extra *px = &d->ps_extra;
    return sc->plain_late && sc->only_colors && !sc->per_sample &&
           !px->pixel_shader_kills_pixel && !px->pixel_shader_has_uav &&
           is_orderly(sc) &&
           (d->sample_mask & sc->all_samples) == sc->all_samples;
}

/* All bits of a pixel get new values. */
static bool
writes_all(const struct scene *sc)
{
    const struct surface *s = &sc->target;
    const struct blend_state *b = &sc->blend[0];
    if (s->type == SURFACE_NULL || s->type == SURFACE_BUFFER ||
        s->type == SURFACE_STRBUF || !s->mem || s->samples != sc->samples ||
        !target_format_ok(s->fmt) || b->enabled || b->logic_op)
        return false;
    for (unsigned c = 0; c < 4; c++) {
        unsigned kind = s->fmt->ch[c].kind;
        if (kind != FORMAT_NONE && kind != FORMAT_VOID &&
            !(b->write_mask >> c & 1))
            return false;
    }
    return true;
}

void
hidden_init(struct scene *sc)
{
    const uint32_t reading = 1u << EU_SFID_SAMPLER | 1u << EU_SFID_CONST;
    sc->can_be_hidden = sc->ps && sc->aims && caught_fits(sc) &&
                        !(sc->launch.sfids & ~reading) && only_covers(sc) &&
                        !perf_leaves_out(PERF_HIDDEN);
    sc->can_hide = sc->can_be_hidden && writes_all(sc);
}

/* ---- what covers the tile ------------------------------------------------ */

static bool
is_plain(const struct setup *s)
{
    return s->cover != COVER_LINE && !s->poly_stipple && !s->line_stipple &&
           !s->round && !s->smooth;
}

/* Whether the edge keeps nothing of it out. No sample lies on the far sides of
 * the last pixels, where edges of layers as large as the target run. */
static bool
holds(const struct edge *e, const struct part *p)
{
    int64_t x = e->a > 0 ? (int64_t)p->x0 * SUBPIXEL
                         : (int64_t)p->x1 * SUBPIXEL - 1;
    int64_t y = e->b > 0 ? (int64_t)p->y0 * SUBPIXEL
                         : (int64_t)p->y1 * SUBPIXEL - 1;
    return e->a * x + e->b * y + e->c >= 0;
}

/* How many edges run through it, and the last of these. */
static unsigned
cutting(const struct setup *s, const struct part *p, const struct edge **last)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->edge_count; i++) {
        if (!holds(&s->edge[i], p)) {
            *last = &s->edge[i];
            count++;
        }
    }
    return count;
}

/* Everything is on one side or the other. */
static bool
are_complements(const struct edge *a, const struct edge *b)
{
    return a->a == -b->a && a->b == -b->b && a->c == -b->c - 1;
}

static bool
is_within(const struct part *in, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    return x0 >= in->x0 && y0 >= in->y0 && x1 <= in->x1 && y1 <= in->y1;
}

/* How many of the primitives that end with setup[-1], the other `left` before
 * it, cover all of the part together: 0, 1 or 2. */
static unsigned
covering(struct setup *const *setup, unsigned left, const struct part *p)
{
    const struct setup *s = setup[-1], *t = left ? setup[-2] : NULL;
    const struct part box = {s->x0, s->y0, s->x1, s->y1};
    const struct edge *e = NULL, *f = NULL;
    /* What one edge cuts off leaves a corner, at least. */
    if ((box.x0 > p->x0 && box.x1 < p->x1) ||
        (box.y0 > p->y0 && box.y1 < p->y1))
        return 0;
    unsigned cuts = cutting(s, p, &e);
    if (!cuts)
        return is_within(&box, p->x0, p->y0, p->x1, p->y1);
    /* What edges let in is in the boxes. */
    if (cuts == 1 && t && !t->small && is_plain(t) && t->layer == s->layer &&
        t->viewport == s->viewport && t->scene == s->scene &&
        s->cover == COVER_EDGES && t->cover == COVER_EDGES &&
        cutting(t, p, &f) == 1 && are_complements(e, f))
        return 2;
    return 0;
}

static struct part
part_of(const struct bin *bin, const struct setup *setup)
{
    const struct scene *sc = setup->scene;
    const struct surface *s = &sc->target;
    unsigned vp = setup->viewport;
    int32_t width = (int32_t)surface_level_width(s, s->mip_count_minus1);
    int32_t height = (int32_t)surface_level_height(s, s->mip_count_minus1);
    return (struct part){
        .x0 = MAX2(bin->x, sc->clip_x0[vp]),
        .y0 = MAX2(bin->y, sc->clip_y0[vp]),
        .x1 = MIN2(MIN2(bin->x + TILE_PX, width), sc->clip_x1[vp]),
        .y1 = MIN2(MIN2(bin->y + TILE_PX, height), sc->clip_y1[vp]),
    };
}

/* ---- the tile ------------------------------------------------------------ */

static void
count_samples(struct worker *w, const struct setup *s, struct counts *c)
{
    const struct scene *sc = s->scene;
    const struct cover_list *list = &w->cover;
    unsigned n = cover_blocks(w, s);
    for (unsigned i = 0; n && i < list->count; i++) {
        if (n == 1) {
            unsigned bits = count_block_bits(list->block[i].mask);
            c->pixels += bits;
            c->samples += (uint64_t)bits * sc->samples;
            continue;
        }
        unsigned any = 0;
        for (unsigned k = 0; k < n; k++) {
            any |= list->sample[i][k];
            c->samples += count_block_bits(list->sample[i][k]);
        }
        c->pixels += count_block_bits(any);
    }
}

/* The first of so many primitives that is not hidden, and what hides the
 * others.
 */
static unsigned
find_first(const struct bin *bin, unsigned count, struct part *p)
{
    const struct setup *of = NULL;
    for (unsigned n = count; n > 1; n--) {
        const struct setup *s = bin->setup[n - 1];
        if (!s->scene->can_hide || s->small || !is_plain(s) ||
            s->layer > s->scene->target.view_extent_minus1)
            continue;
        if (!of || s->scene != of->scene || s->viewport != of->viewport)
            *p = part_of(bin, s);
        of = s;
        unsigned covers = covering(&bin->setup[n], n - 1, p);
        if (covers)
            return n - covers;
    }
    return 0;
}

/* ---- depth --------------------------------------------------------------- */

static bool
share_edge(const struct setup *s, const struct setup *t)
{
    if (s->cover != COVER_EDGES || t->cover != COVER_EDGES)
        return false;
    for (unsigned i = 0; i < s->edge_count; i++) {
        for (unsigned k = 0; k < t->edge_count; k++) {
            if (are_complements(&s->edge[i], &t->edge[k]))
                return true;
        }
    }
    return false;
}

static bool
tests_alike(const struct scene *a, const struct scene *b)
{
    return a->ds.depth_write == b->ds.depth_write && a->ds.pass == b->ds.pass;
}

/* How many of the bin's primitives, from the first on, lie in front of all
 * before them. Two that share an edge do not meet. *last: the depth that passes
 * last of what only meets stored ones. */
static unsigned
count_ordered(const struct bin *bin, uint32_t *last)
{
    const struct scene *sc = bin->setup[0]->scene;
    uint32_t front[2] = {0, 0}; /* of all before, and less the last of these */
    for (unsigned i = 0; i < bin->count; i++) {
        const struct setup *s = bin->setup[i];
        struct depth_range r;
        if (!s->scene->can_be_hidden || !tests_alike(s->scene, sc))
            return i;
        if (!sc->ds.depth_write)
            continue;
        if (!depth_range(s, MAX2(s->x0, bin->x), MAX2(s->y0, bin->y),
                         MIN2(s->x1, bin->x + TILE_PX),
                         MIN2(s->y1, bin->y + TILE_PX), &r))
            return i;
        bool apart = i && share_edge(s, bin->setup[i - 1]);
        if (i > apart && !depth_passes(&sc->ds, r.last, front[apart]))
            return i;
        if (!i || (i == apart && depth_passes(&sc->ds, *last, r.last)))
            *last = r.last;
        front[1] = front[0];
        if (!i || depth_passes(&sc->ds, r.first, front[0]))
            front[0] = r.first;
    }
    return bin->count;
}

/* Whether nothing of it is seen beside the part that `by` fills, and it counts
 * like it. */
static bool
is_hidden(const struct bin *bin, const struct setup *s, const struct setup *by,
          const struct part *p)
{
    return s->scene->can_be_hidden &&
           s->scene->count_ps == by->scene->count_ps && is_plain(s) &&
           s->layer == by->layer &&
           is_within(p, MAX2(s->x0, bin->x), MAX2(s->y0, bin->y),
                     MIN2(s->x1, bin->x + TILE_PX),
                     MIN2(s->y1, bin->y + TILE_PX));
}

unsigned
hidden_primitives(struct worker *w, const struct bin *bin)
{
    struct counts c = {0};
    struct part p = {0};
    unsigned first = bin->large ? find_first(bin, bin->count, &p) : 0;
    uint32_t last = 0;
    unsigned ordered = first ? count_ordered(bin, &last) : 0;
    if (first && ordered < bin->count)
        first = find_first(bin, ordered, &p);
    if (first && bin->setup[0]->scene->ds.depth_write &&
        !depth_passes_all(w, bin->setup[first], p.x0, p.y0, p.x1, p.y1, last))
        return 0;
    for (unsigned i = 0; i < first; i++) {
        if (!is_hidden(bin, bin->setup[i], bin->setup[first], &p))
            return 0;
        count_samples(w, bin->setup[i], &c);
    }
    w->ps_count += c.pixels;
    w->depth_count += c.samples;
    stats_add(STAT_prims_hidden, first);
    return first;
}
