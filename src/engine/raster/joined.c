/* joined.c: small primitives of a batch, whose threads compiled code runs one
 * after the other, from one primitive to the next: what a launch takes is more
 * than what one of their threads does. */
#include "engine/raster/raster.h"

/* Larger ones may have several threads run at a time. */
#define JOINED_BLOCKS 16

void
joined_plan(struct worker *w)
{
    const struct payload_plan *plan = w->plan;
    w->joins = NULL;
    w->owns = 0;
    if (!w->rows)
        return;
    for (unsigned i = 0; i < plan->run_count; i++) {
        const struct payload_run *run = &plan->run[i];
        if (run->source != PAYLOAD_ATTR)
            continue;
        if (!run->stays || w->owns == ARRAY_SIZE(w->own))
            return;
        w->own[w->owns++] = (struct grf_own){(uint16_t)run->offset_B, run->grf,
                                             run->count};
    }
    const struct payload_part *weights = NULL;
    for (unsigned i = 0; i < plan->part_count; i++) {
        const struct payload_part *p = &plan->part[i];
        if (p->kind == PAYLOAD_WEIGHTS && p->grf == w->launch.row_grf)
            weights = p;
        else if (p->kind != PAYLOAD_SUBSPANS)
            return;
    }
    w->joins = weights;
}

/* How many of the batch's primitives, from the k-th on, are small. */
static unsigned
count_small(const struct block_batch *b, unsigned k)
{
    unsigned first = k;
    while (k < b->prims && batch_end(b, k) - b->prim[k].first <= JOINED_BLOCKS)
        k++;
    return k - first;
}

/* Rows of primitives first .. end - 1. Returns how many pixels are lit, 0 if
 * some thread does not fit in a row. */
static unsigned
fill(struct worker *w, struct thread_run *r, unsigned first, unsigned end)
{
    struct block_batch *b = &w->batch;
    uint8_t of[BATCH_BLOCKS + JOINED_BLOCKS + 1];
    for (unsigned k = first; k < end; k++)
        memset(of + b->prim[k].first, (int)k, JOINED_BLOCKS + 1);
    const struct row_prims prims = {b->prim, of, w->joins->mode >= 3};
    r->row = b->row;
    return w->planes->fill_joined(r, &prims, b->prim[first].first,
                                  batch_end(b, end - 1));
}

/* The registers of the primitive that block n is of. */
static void
use_own(struct worker *w, struct caught *c, unsigned n)
{
    const struct block_batch *b = &w->batch;
    unsigned k = 0;
    while (batch_end(b, k) <= n)
        k++;
    w->block_group.setup = b->prim[k].setup;
    row_copy_own(&c->block.rest, (const uint8_t *)b->prim[k].setup->attr);
}

/* pixels: of all blocks. */
static void
run(struct worker *w, struct caught *c, unsigned first, unsigned end,
    unsigned pixels)
{
    struct block_batch *b = &w->batch;
    for (unsigned n = first; n < end; n++) {
        struct eu_row *row = &b->row[n - first];
        use_own(w, c, n);
        w->planes->copy(w->thread.grf, b->copy, b->copies, 0);
        unsigned done = (unsigned)(eu_launch_row(&w->launch, &w->thread, row,
                                                 c->tail, false, &c->left) -
                                   row);
        done += w->thread.status == EU_FINISHED;
        c->caught += done;
        if (done == end - first && !w->launch.last_pred)
            caught_count_pixels(w, pixels);
        else
            caught_count_stored(w, row, done);
        n += done;
        c->written = n;
        if (n < end) {
            use_own(w, c, n);
            caught_finish_apart(w, c, n);
        }
    }
}

unsigned
joined_run(struct worker *w, struct caught *c, unsigned k)
{
    struct block_batch *b = &w->batch;
    unsigned count = w->joins && c->tail.fn && !c->tail.copy ? count_small(b, k)
                                                             : 0;
    if (count < 2)
        return k;
    unsigned first = b->prim[k].first, end = batch_end(b, k + count - 1), none;
    struct thread_run r = caught_threads(w, c, &none);
    unsigned pixels = fill(w, &r, k, k + count);
    if (!pixels)
        return k;
    struct grf_copy stay[EU_GRF_COUNT];
    const struct setup *s = b->prim[k].setup;
    w->planes->copy(w->thread.grf, stay, payload_runs(w, s, true, stay, 0), 0);
    b->copies = payload_runs(w, s, false, b->copy, 0);
    caught_write_until(w, c, first);
    c->block.rest = (struct row_copies){.copy = b->copy,
                                        .copies = b->copies,
                                        .first = first,
                                        .row = b->row,
                                        .grf = w->thread.grf,
                                        .own = w->own,
                                        .owns = w->owns};
    run(w, c, first, end, pixels);
    return k + count;
}
