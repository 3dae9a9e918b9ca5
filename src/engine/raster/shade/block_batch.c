/* block_batch.c: batches of threads for whole 4x4 blocks, and for scattered
 * quads of a simple draw. Prepares what the threads of a primitive share once,
 * and computes the rest of their payloads for a batch at a time. */
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"

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
    /* Replaces a last primitive that got no blocks. */
    unsigned n = b->prims;
    if (n && b->prim[n - 1].first == b->count)
        n--;
    b->prim[n].setup = s;
    b->prim[n].first = b->count;
    b->prims = n + 1;
}

void
payload_add_block(struct worker *w, const struct setup *s, int32_t x, int32_t y,
                  uint16_t live, uint16_t full)
{
    struct block_batch *b = &w->batch;
    payload_use_primitive(w, s);
    w->ps_count += count_block_bits(live);
    payload_put_block(&b->block[b->count++], x, y, live, full, false);
    if (b->count == BATCH_BLOCKS)
        payload_run_blocks(w);
}

void
payload_add_quad(struct worker *w, const struct setup *s, int32_t x, int32_t y,
                 unsigned live, unsigned full)
{
    struct batch_quads *q = &w->batch.pending;
    unsigned i = q->count++;
    q->x[i] = x;
    q->y[i] = y;
    q->live |= live << (4 * i);
    q->input_coverage |= full << (4 * i);
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
    w->ps_count += count_bits(q->live);
    b->scattered = true;
    b->quads[b->count] = *q;
    b->block[b->count++] = (struct batch_block){
        .x = q->x[0],
        .y = q->y[0],
        .live = (uint16_t)q->live,
        .input_coverage = (uint16_t)q->input_coverage,
        .helper = (uint16_t)((1u << 4 * q->count) - 1),
        .scattered = true};
    q->count = q->live = q->input_coverage = 0;
    if (b->count == BATCH_BLOCKS)
        payload_run_blocks(w);
}

/* ---- payload ---- */

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
        batch_corners(b, n, x, y);
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
    const struct interpolate_ops *ops = w->planes;
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
        plane_positions(k->x, k->y, k->live, r);
        if (!k->scattered)
            continue;
        batch_corners(b, n, x, y);
        for (unsigned i = 0; i < 4; i++)
            r[2 + i] = k->helper >> (4 * i) & 1
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
            b->coverage[n][k] = (b->block[n].input_coverage >> k & 1) *
                                w->scene->all_samples;
    }
}

/* Computes a part for the primitive's blocks. Returns its address for the
 * batch's first block. */
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
    case PAYLOAD_POSITIONS: /* 8/16: pixel centres */
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
        if (p->kind == PAYLOAD_SUBSPANS && runs && w->launch.chain_sets_mask)
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

static void
run_each(struct worker *w, unsigned first, unsigned end)
{
    struct ps_group *g = &w->block_group;
    for (unsigned n = first; n < end; n++) {
        if (atomic_load_explicit(w->draw->reset, memory_order_relaxed))
            return;
        group_use_block(w, n);
        w->planes->copy(w->thread.grf, w->batch.copy, w->batch.copies, n);
        thread_launch(&w->launch, &w->thread, &w->env, g->live, g->helper);
    }
}

static void
run_primitives(struct worker *w)
{
    struct block_batch *b = &w->batch;
    struct rt_batch caught;
    bool catches = w->captures_rt_write &&
                   rt_batch_begin(w, &caught, b->prim[0].setup->layer);
    for (unsigned k = 0; k < b->prims; k++) {
        if (catches && (k = chain_run(w, &caught, k)) == b->prims)
            break;
        const struct setup *s = b->prim[k].setup;
        unsigned first = b->prim[k].first, end = batch_end(b, k);
        payload_make_parts(w, s, first, end, catches);
        w->block_group.setup = s;
        if (catches)
            rt_batch_run(w, &caught, first, end);
        else
            run_each(w, first, end);
    }
    if (catches)
        rt_batch_end(w, &caught);
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
