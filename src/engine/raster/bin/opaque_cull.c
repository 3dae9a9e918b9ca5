/* opaque_cull.c: opaque culling per tile: skips primitives that a later opaque
 * primitive covers completely.
 *
 * One primitive, or two that share an edge, must cover all of the tile with
 * colours that do not depend on its contents. Then all earlier primitives are
 * invisible: they are counted, but not shaded. With a depth test, each
 * primitive must lie in front of all earlier ones, and the first one in front
 * of the stored depths. Then every covered sample passes. */
#include "engine/raster/bin/bin.h"
#include "engine/raster/coverage/coverage.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/shade/shade.h"
#include "engine/raster/tile_view.h"

#include "base/perf.h"

/* Counts that shading would have made. */
struct counts {
    uint64_t pixels, samples;
};

/* The part of a tile that a primitive can cover: within the target and the clip
 * rectangle, in pixels; x1 and y1 exclusive. */
struct part {
    int32_t x0, y0, x1, y1;
};

/* ---- the scene ---------------------------------------------------------- */

/* Depth order: no test at all, or a depth test that passes the nearer depth and
 * writes it. */
static bool
is_orderly(const struct scene *sc)
{
    const struct depth_state *ds = &sc->ds;
    if (ds->stencil_test || ds->stencil_write)
        return false;
    return ds->depth_write ? depth_is_ordered(sc) : !ds->depth_test;
}

/* The only effect of a pixel is its colour, and coverage alone determines the
 * counts. */
static bool
only_covers(const struct scene *sc)
{
    const struct draw *d = sc->draw;
    const struct gen9_3dstate_ps_extra *px = &d->ps_extra;
    return sc->no_late_tests && sc->color_only && !sc->per_sample &&
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
        !view_format_ok(s->fmt) || b->enabled || b->logic_op)
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
opaque_cull_init(struct scene *sc)
{
    const uint32_t reading = 1u << EU_SFID_SAMPLER | 1u << EU_SFID_CONST;
    sc->occludable = sc->ps && sc->aims && rt_batch_fits(sc) &&
                     !(sc->launch.sfids & ~reading) && only_covers(sc) &&
                     !perf_leaves_out(PERF_HIDDEN);
    sc->opaque = sc->occludable && writes_all(sc);
}

/* ---- what covers the tile ----------------------------------------------- */

static bool
is_plain(const struct setup *s)
{
    return s->cover != COVER_LINE && !s->poly_stipple && !s->line_stipple &&
           !s->round && !s->smooth;
}

/* Whether all of the part lies inside of the edge. Stops one subpixel short of
 * x1 and y1: no sample lies there, but edges of layers as large as the target
 * do. */
static bool
holds(const struct edge *e, const struct part *p)
{
    int64_t x = e->a > 0 ? (int64_t)p->x0 * SUBPIXEL
                         : (int64_t)p->x1 * SUBPIXEL - 1;
    int64_t y = e->b > 0 ? (int64_t)p->y0 * SUBPIXEL
                         : (int64_t)p->y1 * SUBPIXEL - 1;
    return e->a * x + e->b * y + e->c >= 0;
}

/* How many edges cut the part, and the last one that does. */
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

/* Complementary edges: every point is inside of exactly one of them. */
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

/* How many primitives, setup[-1] and perhaps setup[-2], cover all of the part
 * together: 0, 1 or 2. `left` primitives lie before setup[-1]. */
static unsigned
covering(struct setup *const *setup, unsigned left, const struct part *p)
{
    const struct setup *s = setup[-1], *t = left ? setup[-2] : NULL;
    const struct part box = {s->x0, s->y0, s->x1, s->y1};
    const struct edge *e = NULL, *f = NULL;
    /* A box short of two opposite sides has more than one cut. */
    if ((box.x0 > p->x0 && box.x1 < p->x1) ||
        (box.y0 > p->y0 && box.y1 < p->y1))
        return 0;
    unsigned cuts = cutting(s, p, &e);
    if (!cuts)
        return is_within(&box, p->x0, p->y0, p->x1, p->y1);
    /* Each box holds all pixels inside of its edges: no need to test the boxes.
     */
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

/* ---- the tile ----------------------------------------------------------- */

/* Most blocks are completely covered: handles two at a time. */
static unsigned
count_pixels(const struct cover_list *list)
{
    const uint64_t masks = UINT64_C(0xffff0000ffff0000);
    static_assert(sizeof list->block[0] == 4 &&
                      offsetof(struct cover_block, mask) == 2,
                  "two blocks are a qword");
    unsigned pixels = 0, i = 0;
    for (; i + 1 < list->count; i += 2) {
        uint64_t two;
        memcpy(&two, &list->block[i], sizeof two);
        two &= masks;
        pixels += two == masks ? 32 : count_four_blocks(two);
    }
    return i < list->count ? pixels + count_block_bits(list->block[i].mask)
                           : pixels;
}

static void
count_samples(struct worker *w, const struct setup *s, struct counts *c)
{
    const struct scene *sc = s->scene;
    const struct cover_list *list = &w->cover;
    unsigned n = cover_blocks(w, s);
    if (n == 1) {
        unsigned pixels = count_pixels(list);
        c->pixels += pixels;
        c->samples += (uint64_t)pixels * sc->samples;
        return;
    }
    for (unsigned i = 0; n && i < list->count; i++) {
        unsigned any = 0;
        for (unsigned k = 0; k < n; k++) {
            any |= list->sample[i][k];
            c->samples += count_block_bits(list->sample[i][k]);
        }
        c->pixels += count_block_bits(any);
    }
}

/* Index of the first of `count` primitives that is not hidden. *p: the part
 * that the occluder fills. */
static unsigned
find_first(const struct bin *bin, unsigned count, struct part *p)
{
    const struct setup *of = NULL;
    for (unsigned n = count; n > 1; n--) {
        const struct setup *s = bin->setup[n - 1];
        if (!s->scene->opaque || s->small || !is_plain(s) ||
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

/* ---- depth -------------------------------------------------------------- */

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

/* How many of the bin's first primitives each lie in front of all earlier ones.
 * Two that share an edge do not overlap. *last: the depth that passes last, of
 * the primitives that only meet stored depths. */
static unsigned
count_ordered(const struct bin *bin, uint32_t *last)
{
    const struct scene *sc = bin->setup[0]->scene;
    uint32_t front[2] = {0, 0}; /* of all before; without the last one */
    for (unsigned i = 0; i < bin->count; i++) {
        const struct setup *s = bin->setup[i];
        struct depth_range r;
        if (!s->scene->occludable || !tests_alike(s->scene, sc))
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

/* Whether the primitive lies within the part that `by` fills, and is counted
 * under the same rule. */
static bool
is_hidden(const struct bin *bin, const struct setup *s, const struct setup *by,
          const struct part *p)
{
    return s->scene->occludable && s->scene->count_ps == by->scene->count_ps &&
           is_plain(s) && s->layer == by->layer &&
           is_within(p, MAX2(s->x0, bin->x), MAX2(s->y0, bin->y),
                     MIN2(s->x1, bin->x + TILE_PX),
                     MIN2(s->y1, bin->y + TILE_PX));
}

unsigned
opaque_cull(struct worker *w, const struct bin *bin)
{
    struct counts c = {0};
    struct part p = {0};
    unsigned first = bin->large ? find_first(bin, bin->count, &p) : 0;
    uint32_t last = 0;
    unsigned ordered = first ? count_ordered(bin, &last) : 0;
    if (first && ordered < bin->count)
        first = find_first(bin, ordered, &p);
    if (first && bin->setup[0]->scene->ds.depth_write &&
        !depth_accepts_box(w, bin->setup[first], p.x0, p.y0, p.x1, p.y1, last))
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
