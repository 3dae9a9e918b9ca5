/* rt_write_block.c: render target writes of whole 4x4 blocks. */
#include "engine/raster/output/rt_write_block.h"
#include "engine/raster/block_layout.h"

static inline bool
holds_block(const struct view *v, unsigned x, unsigned y)
{
    return v->blocks && x + BLOCK_PX <= v->width && y + BLOCK_PX <= v->height;
}

/* Whether the quads from `base` on form an aligned block that lies entirely in
 * the surface. */
static inline bool
is_block(const struct worker *w, const struct view *v, unsigned base)
{
    const struct ps_group *g = w->env.ps;
    const struct quad *q = &g->quad[base / 4];
    unsigned x = (unsigned)(q->x - w->tile_x);
    unsigned y = (unsigned)(q->y - w->tile_y);
    if (!holds_block(v, x, y))
        return false;
    if (g->block)
        return true;
    if (g->quads < base / 4 + 4 || x % BLOCK_PX || y % BLOCK_PX)
        return false;
    for (unsigned i = 1; i < 4; i++) {
        if (q[i].x != q->x + (int32_t)(i & 1) * 2 ||
            q[i].y != q->y + (int32_t)(i >> 1) * 2)
            return false;
    }
    return true;
}

static void
place(const struct worker *w, const struct view *v, const struct quad *q,
      uint32_t mask, struct rt_block *b, struct rt_plane *plane)
{
    plane->at = v->mem + v->x_B[q->x - w->tile_x] + v->y_B[q->y - w->tile_y];
    plane->mask = mask;
    b->pitch_B = v->pitch_B;
    b->column_B = v->column_B;
}

/* Lanes of the mask that cover some but not all samples. */
static uint32_t
partly_covered(const struct scene *sc, const struct quad *quad, uint32_t mask)
{
    uint64_t all = sc->all_samples * UINT64_C(0x0001000100010001);
    uint32_t partial_ms = 0;
    for (unsigned q = 0; q < BLOCK_LANES / 4; q++) {
        uint64_t cover;
        memcpy(&cover, quad[q].cover, sizeof cover);
        if (!(mask >> (4 * q) & 15) || cover == all)
            continue;
        for (unsigned p = 0; p < 4; p++)
            partial_ms |= (unsigned)(quad[q].cover[p] != sc->all_samples)
                          << (4 * q + p);
    }
    return partial_ms & mask;
}

/* For each sample, the lanes of the mask that cover it. */
static void
masks_of_samples(const struct scene *sc, const struct quad *quad, uint32_t mask,
                 uint32_t of[MAX_SAMPLES])
{
    uint32_t partial_ms = partly_covered(sc, quad, mask);
    for (unsigned s = 0; s < MAX_SAMPLES; s++)
        of[s] = s < sc->samples ? mask & ~partial_ms : 0;
    for (; partial_ms; partial_ms &= partial_ms - 1) {
        unsigned i = (unsigned)__builtin_ctz(partial_ms);
        for (unsigned c = quad[i / 4].cover[i & 3]; c; c &= c - 1)
            of[__builtin_ctz(c)] |= 1u << i;
    }
}

/* Prepares the MCS of pixels about to be written; returns how many planes to
 * write. */
static unsigned
prepare_mcs(struct worker *w, struct target *t, const struct quad *quad,
            bool block, struct mcs_write *wr)
{
    unsigned n = mcs_block(w, quad->x, quad->y);
    unsigned planes = block ? mcs_known_planes(t, n, wr) : 0;
    if (planes)
        return planes;
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    if (block)
        planes = mcs_prepare_block(w, t, (uint32_t)quad->x, (uint32_t)quad->y,
                                   wr);
    for (unsigned m = planes ? 0 : wr->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        const struct quad *q = &quad[i / 4];
        mcs_prepare_pixel(w, t, q->x + (int32_t)(i & 1),
                          q->y + (int32_t)(i >> 1 & 1), wr->partial >> i & 1);
    }
    fpmode_leave(FPMODE_DEFAULT, before);
    return planes ? planes : t->samples;
}

static void
write_samples(struct worker *w, struct target *t, struct rt_block b,
              unsigned base, uint32_t mask)
{
    const struct quad *quad = &w->env.ps->quad[base / 4];
    bool block = is_block(w, target_view(w, t, 0), base);
    uint32_t of[MAX_SAMPLES];
    struct rt_plane plane[MAX_SAMPLES];
    unsigned planes = w->env.ps->settled_planes;
    if (!planes && t->has_mcs) {
        struct mcs_write wr = {
            .mask = (uint16_t)mask,
            .partial = (uint16_t)partly_covered(w->scene, quad, mask),
            .reads = target_reads(t)};
        planes = prepare_mcs(w, t, quad, block, &wr);
    }
    planes = planes ? planes : t->samples;
    masks_of_samples(w->scene, quad, mask, of);
    b.planes = 0;
    b.plane = plane;
    for (unsigned s = 0; s < planes; s++) {
        const struct view *v = target_view(w, t, s);
        if (of[s] && block && v->blocks)
            place(w, v, quad, of[s], &b, &plane[b.planes++]);
        else if (of[s])
            target_write_lanes(w, t, b, v, quad, of[s]);
    }
    if (b.planes)
        run_target(t, &b);
}

/* The target, prepared unless it is the one used last. It is also prepared
 * before the first block of a tile whose clear blocks are yet to end. */
static inline struct target *
find_target(struct worker *w, unsigned bti, int layer, unsigned entry)
{
    struct target *t = &w->target[bti & (DRAW_MAX_RT - 1)];
    if (bti < DRAW_MAX_RT && t->ready && !t->null && t->layer == layer &&
        t->entry == (int)entry && !t->ends_clear)
        return t;
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    t = target_get(w, bti, layer);
    if (t)
        target_use_entry(t, &w->scene->blend[entry], entry);
    fpmode_leave(FPMODE_DEFAULT, before);
    return t;
}

struct target *
target_for_colors(struct worker *w, unsigned bti, int layer, unsigned entry)
{
    struct target *t = find_target(w, bti, layer, entry);
    return t && t->write ? t : NULL;
}

bool
target_write_colors(struct ps_group *g, const uint32_t *const c[4],
                    unsigned base, uint32_t mask, unsigned bti, unsigned entry)
{
    struct worker *w = g->worker;
    if (!w->scene->color_only || g->setup->smooth)
        return false;
    entry &= DRAW_MAX_RT - 1;
    struct target *t = target_for_colors(w, bti, g->setup->layer, entry);
    if (!t)
        return false;
    if (w->scene->late_count_only) {
        uint32_t todo = mask << base & g->live & ~g->tested;
        g->tested |= todo;
        w->depth_count += count_bits(todo);
    }
    mask &= g->alive >> base;
    if (!mask)
        return true;
    w->pixels += mask == 0xffff ? BLOCK_LANES : count_bits(mask);
    struct rt_block b = {
        .c = {c[0], c[1], c[2], c[3]}, .count = 1, .state = &t->rt};
    if (t->samples > 1) {
        write_samples(w, t, b, base, mask);
        return true;
    }
    const struct view *v = &t->view[0];
    if (!(t->views_ready & 1))
        v = target_view(w, t, 0);
    const struct quad *q = &g->quad[base / 4];
    if (!is_block(w, v, base)) {
        target_write_lanes(w, t, b, v, q, mask);
        return true;
    }
    struct rt_plane plane;
    place(w, v, q, mask, &b, &plane);
    b.plane = &plane;
    b.planes = 1;
    run_target(t, &b);
    return true;
}

/* ---- batches ---- */

/* Consecutive blocks of the batch that lie entirely in the surface, written in
 * one call. */
struct placed {
    struct target *t;
    uint32_t (*color)[16]; /* of the first block */
    unsigned step_dw, count;
    unsigned planes; /* of each block */
    uint32_t pitch_B, column_B;
    struct rt_plane plane[BATCH_BLOCKS * MAX_SAMPLES];
};

/* Writes each block's colours to its planes; with step_dw 0, one block's
 * colours to all. */
static void
write_placed(struct placed *p)
{
    uint32_t(*c)[16] = p->color;
    const struct rt_block b = {.c = {c[0], c[1], c[2], c[3]},
                               .count = p->step_dw ? p->count : 1,
                               .step_dw = p->step_dw,
                               .state = &p->t->rt,
                               .planes = p->step_dw ? p->planes
                                                    : p->count * p->planes,
                               .plane = p->plane,
                               .pitch_B = p->pitch_B,
                               .column_B = p->column_B};
    if (p->count)
        run_target(p->t, &b);
    p->color += p->count * (p->step_dw / BLOCK_LANES);
    p->count = 0;
}

/* Writes one block alone: partly outside of the surface, or of scattered quads.
 */
static void
write_apart(struct worker *w, struct placed *p, unsigned n)
{
    struct target *t = p->t;
    write_placed(p);
    uint32_t(*c)[16] = p->color;
    struct rt_block b = {
        .c = {c[0], c[1], c[2], c[3]}, .count = 1, .state = &t->rt};
    group_use_block(w, n);
    if (t->samples > 1)
        write_samples(w, t, b, 0, w->batch.mask[n]);
    else
        target_write_lanes(w, t, b, target_view(w, t, 0), w->block_group.quad,
                           w->batch.mask[n]);
    p->color += p->step_dw / BLOCK_LANES;
}

/* Adds all planes of block n of the batch. target_has_blocks() has made the
 * views. */
static void
place_samples(struct worker *w, struct placed *p, unsigned n)
{
    struct target *t = p->t;
    const struct batch_block *k = &w->batch.block[n];
    uint16_t mask = w->batch.mask[n];
    unsigned planes = w->batch.planes ? w->batch.settled[n] : 0;
    if (!planes && t->has_mcs) {
        struct mcs_write wr = mcs_write_of(w, t, n, mask);
        /* Plane 0 may be read, and must have been stored before. */
        if ((wr.partial || wr.reads) &&
            !mcs_has_all_planes(t, mcs_block(w, k->x, k->y)))
            write_placed(p);
        group_use_place(w, n);
        planes = prepare_mcs(w, t, w->block_group.quad, true, &wr);
    }
    planes = planes ? planes : t->samples;
    if (planes != p->planes)
        write_placed(p);
    p->planes = planes;
    struct rt_plane *plane = &p->plane[p->count++ * planes];
    const int32_t x = k->x - w->tile_x, y = k->y - w->tile_y;
    for (unsigned s = 0; s < planes; s++) {
        const struct view *v = &t->view[s];
        plane[s].at = v->mem + v->x_B[x] + v->y_B[y];
        plane[s].mask = k->partial_ms ? mask & w->batch.sample[n][s] : mask;
    }
}

/* Adds single-plane blocks that all lie in the target. Returns how many pixels
 * have a colour. */
static unsigned
place_blocks(const struct worker *w, struct placed *p, const struct view *v,
             unsigned first, unsigned end)
{
    const struct block_batch *b = &w->batch;
    const int32_t tile_x = w->tile_x, tile_y = w->tile_y;
    unsigned pixels = 0;
    for (unsigned n = first; n < end; n++) {
        unsigned x = (unsigned)(b->block[n].x - tile_x);
        unsigned y = (unsigned)(b->block[n].y - tile_y);
        p->plane[n - first] = (struct rt_plane){v->mem + v->x_B[x] + v->y_B[y],
                                                b->mask[n]};
        pixels += count_block_bits(b->mask[n]);
    }
    p->count = end - first;
    return pixels;
}

/* Adds or writes blocks of any kind. Returns how many pixels have a colour. */
static unsigned
place_any(struct worker *w, struct placed *p, const struct view *v,
          unsigned first, unsigned end)
{
    const struct block_batch *b = &w->batch;
    struct target *t = p->t;
    bool blocks = target_has_blocks(w, t);
    bool inside = v->width == TILE_PX && v->height == TILE_PX;
    unsigned pixels = 0;
    for (unsigned n = first; n < end; n++) {
        const struct batch_block *k = &b->block[n];
        unsigned x = (unsigned)(k->x - w->tile_x);
        unsigned y = (unsigned)(k->y - w->tile_y);
        pixels += count_block_bits(b->mask[n]);
        if (!blocks || k->scattered || !(inside || holds_block(v, x, y)))
            write_apart(w, p, n);
        else if (t->samples > 1)
            place_samples(w, p, n);
        else
            p->plane[p->count++] = (struct rt_plane){
                v->mem + v->x_B[x] + v->y_B[y], b->mask[n]};
    }
    return pixels;
}

void
target_write_batch(struct worker *w, struct target *t, uint32_t (*color)[16],
                   unsigned step_dw, unsigned first, unsigned end)
{
    const struct view *v = target_view(w, t, 0);
    struct placed p;
    p.t = t;
    p.color = color;
    p.step_dw = step_dw;
    p.count = 0;
    p.planes = w->batch.planes == 1 ? 1 : t->samples;
    p.pitch_B = v->pitch_B;
    p.column_B = v->column_B;
    unsigned pixels = w->batch.planes == 1 ? place_blocks(w, &p, v, first, end)
                                           : place_any(w, &p, v, first, end);
    write_placed(&p);
    w->pixels += pixels;
    if (w->scene->late_count_only)
        w->depth_count += pixels;
}

/* ---- lists ---- */

/* The lanes of a list's block that get the colours; other lanes are left over.
 */
static inline unsigned
take_block(const struct worker *w, const struct block_list_run *l,
           const struct view *v, bool inside, unsigned live,
           struct cover_block b)
{
    bool good = live == 0xffff ||
                (l->some && (w->thread_per_block || block_fills_thread(live)));
    return good && (inside || holds_block(v, b.x, b.y)) ? live : 0;
}

bool
target_takes_list(struct worker *w, struct target *t)
{
    return t->samples == 1 && target_view(w, t, 0)->blocks;
}

/* Finds the blocks to write, and the lanes left over. Returns how many pixels
 * have a colour. Works on copies, which no store can alias. */
static unsigned
place_list(const struct worker *w, const struct view *v,
           struct block_list_run *list, struct rt_plane *plane)
{
    const struct block_list_run l = *list;
    const struct cover_block *block = l.list->block;
    const bool inside = v->width == TILE_PX && v->height == TILE_PX;
    const unsigned count = l.list->count;
    uint8_t *const mem = v->mem;
    unsigned planes = 0, lit_pixels = 0, pixels = 0, left = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct cover_block b = block[i];
        unsigned all = l.live ? l.live[i] : b.mask;
        unsigned live = take_block(w, &l, v, inside, all, b);
        unsigned rest = all & ~live;
        l.rest[i] = (uint16_t)rest;
        left |= rest;
        if (!live)
            continue;
        plane[planes++] = (struct rt_plane){mem + v->x_B[b.x] + v->y_B[b.y],
                                            live & l.mask};
        lit_pixels += count_block_bits((uint16_t)live);
        pixels += count_block_bits((uint16_t)(live & l.mask));
    }
    list->blocks = planes;
    list->pixels += lit_pixels;
    list->left |= left;
    return pixels;
}

void
target_write_list(struct worker *w, struct target *t, uint32_t (*color)[16],
                  struct block_list_run *l)
{
    const struct view *v = target_view(w, t, 0);
    struct rt_plane plane[COVER_BLOCKS];
    unsigned pixels = place_list(w, v, l, plane);
    const struct rt_block b = {.c = {color[0], color[1], color[2], color[3]},
                               .count = 1,
                               .state = &t->rt,
                               .planes = l->blocks,
                               .plane = plane,
                               .pitch_B = v->pitch_B,
                               .column_B = v->column_B};
    if (l->blocks)
        run_target(t, &b);
    w->pixels += pixels;
    if (w->scene->late_count_only)
        w->depth_count += pixels;
}
