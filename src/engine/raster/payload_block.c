/* payload_block.c: threads of whole 4x4 blocks, and of quads from anywhere in a
 * simple draw: what those of a primitive have in common is found once, what
 * has to be computed is computed for a batch of them. */
#include "engine/raster/raster.h"

/* ---- filling a batch ---- */

void
payload_use_layer(struct worker *w, unsigned layer)
{
    const struct block_batch *b = &w->batch;
    if (b->count && b->prim[0].setup->layer != layer)
        payload_run_blocks(w);
}

void
payload_use_primitive(struct worker *w, const struct setup *s)
{
    struct block_batch *b = &w->batch;
    if (b->prims && b->prim[b->prims - 1].setup == s)
        return;
    payload_use_layer(w, s->layer);
    /* One that has got no blocks is forgotten. */
    unsigned n = b->prims;
    if (n && b->prim[n - 1].first == b->count)
        n--;
    b->prim[n].setup = s;
    b->prim[n].first = b->count;
    b->prims = n + 1;
}

void
payload_add_block(struct worker *w, const struct setup *s, int32_t x, int32_t y,
                  uint16_t lit, uint16_t full)
{
    struct block_batch *b = &w->batch;
    payload_use_primitive(w, s);
    w->ps_count += count_block_bits(lit);
    payload_put_block(&b->block[b->count++], x, y, lit, full, false);
    if (b->count == BATCH_BLOCKS)
        payload_run_blocks(w);
}

void
payload_add_quad(struct worker *w, const struct setup *s, int32_t x, int32_t y,
                 unsigned lit, unsigned full)
{
    struct batch_quads *q = &w->batch.pending;
    unsigned i = q->count++;
    q->x[i] = x;
    q->y[i] = y;
    q->lit |= lit << (4 * i);
    q->full |= full << (4 * i);
    if (q->count == 4)
        payload_end_quads(w, s);
}

void
payload_end_quads(struct worker *w, const struct setup *s)
{
    struct block_batch *b = &w->batch;
    struct batch_quads *q = &b->pending;
    if (!q->count)
        return;
    for (unsigned i = q->count; i < 4; i++) {
        q->x[i] = q->x[0];
        q->y[i] = q->y[0];
    }
    payload_use_primitive(w, s);
    w->ps_count += count_bits(q->lit);
    b->scattered = true;
    b->quads[b->count] = *q;
    b->block[b->count++] = (struct batch_block){
        .x = q->x[0],
        .y = q->y[0],
        .lit = (uint16_t)q->lit,
        .full = (uint16_t)q->full,
        .helped = (uint16_t)((1u << 4 * q->count) - 1),
        .scattered = true};
    q->count = q->lit = q->full = 0;
    if (b->count == BATCH_BLOCKS)
        payload_run_blocks(w);
}

/* ---- payload ---- */

/* Upper left corners of a block's quads. */
static void
find_corners(const struct block_batch *b, unsigned n, int32_t x[4],
             int32_t y[4])
{
    const struct batch_block *k = &b->block[n];
    for (unsigned i = 0; i < 4; i++) {
        x[i] = k->scattered ? b->quads[n].x[i] : k->x + (int32_t)(i & 1) * 2;
        y[i] = k->scattered ? b->quads[n].y[i] : k->y + (int32_t)(i >> 1) * 2;
    }
}

static bool
has_scattered(const struct block_batch *b, unsigned first, unsigned end)
{
    if (!b->scattered)
        return false;
    for (unsigned n = first; n < end; n++) {
        if (b->block[n].scattered)
            return true;
    }
    return false;
}

static void
find_places(struct block_batch *b, const struct setup *s, unsigned first,
            unsigned end)
{
    for (unsigned n = first; n < end; n++) {
        int32_t x[4], y[4];
        find_corners(b, n, x, y);
        for (unsigned i = 0; i < 4; i++) {
            b->at[n].x[i] = x[i] - s->ref_x;
            b->at[n].y[i] = y[i] - s->ref_y;
        }
    }
}

static struct block_places
places(const struct block_batch *b, const struct setup *s, unsigned first,
       unsigned end)
{
    return (struct block_places){.block = &b->block[first],
                                 .count = end - first,
                                 .ref_x = s->ref_x,
                                 .ref_y = s->ref_y};
}

static void
weights(struct worker *w, const struct setup *s, bool linear, unsigned first,
        unsigned end)
{
    struct block_batch *b = &w->batch;
    const struct plane_ops *ops = w->planes;
    bool divide = !linear && s->perspective;
    const struct plane *p1 = divide ? &s->n1 : &s->b1;
    const struct plane *p2 = divide ? &s->n2 : &s->b2;
    const struct plane *q = divide ? &s->q : NULL;
    float(*out)[32] = &b->weights[linear][first];
    if (has_scattered(b, first, end)) {
        find_places(b, s, first, end);
        ops->weights(p1, p2, q, &b->at[first], end - first, out);
        return;
    }
    const struct block_places at = places(b, s, first, end);
    ops->block_weights(p1, p2, q, &at, out);
}

static void
value(struct worker *w, const struct setup *s, const struct plane *p,
      bool invert, unsigned first, unsigned end, float (*out)[16])
{
    struct block_batch *b = &w->batch;
    if (has_scattered(b, first, end)) {
        find_places(b, s, first, end);
        w->planes->value(p, invert, &b->at[first], end - first, out);
        return;
    }
    const struct block_places at = places(b, s, first, end);
    w->planes->block_value(p, invert, &at, out);
}

static void
subspans(struct block_batch *b, unsigned first, unsigned end)
{
    for (unsigned n = first; n < end; n++) {
        const struct batch_block *k = &b->block[n];
        uint32_t *r = b->subspans[n];
        int32_t x[4], y[4];
        plane_positions(k->x, k->y, k->lit, r);
        if (!k->scattered)
            continue;
        find_corners(b, n, x, y);
        for (unsigned i = 0; i < 4; i++)
            r[2 + i] = k->helped >> (4 * i) & 1
                           ? ((uint32_t)x[i] & 0xffff) | (uint32_t)y[i] << 16
                           : 0;
    }
}

static void
coverage(struct worker *w, unsigned first, unsigned end)
{
    struct block_batch *b = &w->batch;
    for (unsigned n = first; n < end; n++) {
        for (unsigned k = 0; k < 16; k++)
            b->coverage[n][k] = (b->block[n].full >> k & 1) *
                                w->scene->all_samples;
    }
}

/* Computes a part for the primitive's blocks; returns where it is from now on,
 * for the batch's first block. */
static const void *
make_part(struct worker *w, const struct setup *s, unsigned kind, bool linear,
          unsigned first, unsigned end)
{
    struct block_batch *b = &w->batch;
    switch ((enum payload_kind)kind) {
    case PAYLOAD_HEADER: payload_header(w, s, b->header); return b->header;
    case PAYLOAD_SUBSPANS: subspans(b, first, end); return b->subspans;
    case PAYLOAD_WEIGHTS:
        weights(w, s, linear, first, end);
        return b->weights[linear];
    case PAYLOAD_DEPTH:
        value(w, s, &s->z, false, first, end, &b->z[first]);
        return b->z;
    case PAYLOAD_W:
        value(w, s, &s->q, true, first, end, &b->w[first]);
        return b->w;
    case PAYLOAD_POSITIONS: /* eight sixteenths: pixel centres */
        memset(b->positions, 8, sizeof b->positions);
        return b->positions;
    case PAYLOAD_COVERAGE: coverage(w, first, end); return b->coverage;
    }
    return NULL;
}

void
payload_make_parts(struct worker *w, const struct setup *s, unsigned first,
                   unsigned end, bool at_run)
{
    static const struct {
        uint8_t count;
        bool once;
    } shape[] = {
        [PAYLOAD_HEADER] = {1, true},    [PAYLOAD_SUBSPANS] = {1, false},
        [PAYLOAD_WEIGHTS] = {4, false},  [PAYLOAD_DEPTH] = {2, false},
        [PAYLOAD_W] = {2, false},        [PAYLOAD_POSITIONS] = {1, true},
        [PAYLOAD_COVERAGE] = {2, false},
    };
    struct block_batch *b = &w->batch;
    const void *done[2] = {NULL, NULL}; /* weights */
    const bool runs = at_run && !has_scattered(b, first, end);
    unsigned copies = 0;
    b->weighs = false;
    for (unsigned i = 0; i < w->plan->part_count; i++) {
        const struct payload_part *p = &w->plan->part[i];
        bool linear = p->mode >= 3, again = p->kind == PAYLOAD_WEIGHTS;
        const void *from = again ? done[linear] : NULL;
        if (again && runs && !b->weighs) {
            b->run_weights = setup_run_weights(s, linear);
            b->run_weights.grf = p->grf;
            b->weighs = true;
            continue;
        }
        if (p->kind == PAYLOAD_SUBSPANS && runs && w->launch.own_lit)
            continue;
        if (!from)
            from = make_part(w, s, p->kind, linear, first, end);
        if (again)
            done[linear] = from;
        unsigned count = shape[p->kind].count;
        b->copy[copies++] = (struct grf_copy){
            .from = from,
            .stride_B = shape[p->kind].once ? 0 : (uint16_t)(count * EU_GRF_B),
            .grf = p->grf,
            .count = (uint8_t)count};
    }
    struct grf_copy stay[EU_GRF_COUNT];
    w->planes->copy(w->thread.grf, stay, payload_runs(w, s, true, stay, 0), 0);
    b->copies = payload_runs(w, s, false, b->copy, copies);
}

/* ---- running it ---- */

/* Four bits to the coverage words of a quad's pixels: all samples or none. */
static inline void
spread(const struct scene *sc, uint16_t cover[4], unsigned bits)
{
    payload_spread(cover, bits);
    if (sc->samples == 1)
        return;
    for (unsigned p = 0; p < 4; p++)
        cover[p] = (uint16_t)(cover[p] * sc->all_samples);
}

/* Whatever its pixels have. */
static void
spread_samples(const struct scene *sc, const uint16_t *sample,
               struct quad quad[4])
{
    for (unsigned i = 0; i < 16; i++) {
        uint16_t cover = 0;
        for (unsigned k = 0; k < sc->samples; k++)
            cover |= (uint16_t)((sample[k] >> i & 1) << k);
        quad[i / 4].cover[i & 3] = quad[i / 4].full[i & 3] = cover;
    }
}

void
payload_use_place(struct worker *w, unsigned n)
{
    struct ps_group *g = &w->block_group;
    int32_t x[4], y[4];
    find_corners(&w->batch, n, x, y);
    for (unsigned i = 0; i < 4; i++) {
        g->quad[i].x = x[i];
        g->quad[i].y = y[i];
    }
}

/* Most blocks have the coverage of the one before. */
static void
set_quads(struct worker *w, unsigned n)
{
    const struct scene *sc = w->scene;
    struct block_batch *b = &w->batch;
    struct ps_group *g = &w->block_group;
    uint16_t lit = b->block[n].lit, full = b->block[n].full;
    payload_use_place(w, n);
    if (b->block[n].partly) {
        spread_samples(sc, b->sample[n], g->quad);
        b->known = false;
        return;
    }
    if (b->known && b->known_lit == lit && b->known_full == full)
        return;
    for (unsigned i = 0; i < 4; i++) {
        spread(sc, g->quad[i].cover, lit >> (4 * i) & 15);
        spread(sc, g->quad[i].full, full >> (4 * i) & 15);
    }
    /* Late tests may take some of it away again. */
    b->known = sc->plain_late || sc->late_count_only;
    b->known_lit = lit;
    b->known_full = full;
}

void
payload_use_block(struct worker *w, unsigned n)
{
    struct ps_group *g = &w->block_group;
    const struct batch_block *k = &w->batch.block[n];
    set_quads(w, n);
    g->block = !k->scattered;
    g->lit = g->alive = k->lit;
    g->helped = k->helped;
    g->tested = 0;
}

static void
run_each(struct worker *w, unsigned first, unsigned end)
{
    struct ps_group *g = &w->block_group;
    for (unsigned n = first; n < end; n++) {
        if (atomic_load_explicit(w->draw->reset, memory_order_relaxed))
            return;
        payload_use_block(w, n);
        w->planes->copy(w->thread.grf, w->batch.copy, w->batch.copies, n);
        msg_launch(&w->launch, &w->thread, &w->env, g->lit, g->helped);
    }
}

static void
run_primitives(struct worker *w)
{
    struct block_batch *b = &w->batch;
    struct caught caught;
    bool catches = w->catches &&
                   caught_begin(w, &caught, b->prim[0].setup->layer);
    for (unsigned k = 0; k < b->prims; k++) {
        if (catches && (k = joined_run(w, &caught, k)) == b->prims)
            break;
        const struct setup *s = b->prim[k].setup;
        unsigned first = b->prim[k].first, end = batch_end(b, k);
        payload_make_parts(w, s, first, end, catches);
        w->block_group.setup = s;
        if (catches)
            caught_run(w, &caught, first, end);
        else
            run_each(w, first, end);
    }
    if (catches)
        caught_end(w, &caught);
}

uint32_t
payload_begin_blocks(struct worker *w)
{
    struct ps_group *g = &w->block_group;
    g->quads = 4;
    g->lanes = 16;
    w->batch.known = false;
    w->env.ps = g;
    return eu_launch_begin(&w->launch);
}

void
payload_run_blocks(struct worker *w)
{
    struct block_batch *b = &w->batch;
    bool reset = atomic_load_explicit(w->draw->reset, memory_order_relaxed);
    if (b->count && !reset) {
        w->threads += b->count;
        uint32_t before = payload_begin_blocks(w);
        run_primitives(w);
        eu_launch_end(&w->launch, before);
    }
    b->count = b->prims = 0;
    b->scattered = false;
}
