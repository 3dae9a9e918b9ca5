/* thread_chain.c: chains threads across the small primitives of a batch,
 * because a launch costs more than such a thread. */
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"

/* Threads of larger primitives may run in lockstep instead. */
#define JOINED_BLOCKS 16

void
chain_plan(struct worker *w)
{
    const struct payload_layout *plan = w->plan;
    w->chain_weights = NULL;
    w->owns = 0;
    if (!w->chains)
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
        if (p->kind == PAYLOAD_WEIGHTS && p->grf == w->launch.chain_grf)
            weights = p;
        else if (p->kind != PAYLOAD_SUBSPANS)
            return;
    }
    w->chain_weights = weights;
}

/* How many of the batch's primitives from the k-th on are small. */
static unsigned
count_small(const struct block_batch *b, unsigned k)
{
    unsigned first = k;
    while (k < b->prims && batch_end(b, k) - b->prim[k].first <= JOINED_BLOCKS)
        k++;
    return k - first;
}

/* Fills the chain of primitives first .. end - 1. Returns the live pixels, 0 if
 * some thread does not fit a chain. */
static unsigned
fill(struct worker *w, struct thread_run *r, unsigned first, unsigned end)
{
    struct block_batch *b = &w->batch;
    uint8_t of[BATCH_BLOCKS + JOINED_BLOCKS + 1];
    for (unsigned k = first; k < end; k++)
        memset(of + b->prim[k].first, (int)k, JOINED_BLOCKS + 1);
    const struct row_prims prims = {b->prim, of, w->chain_weights->mode >= 3};
    r->row = b->row;
    return w->planes->fill_joined(r, &prims, b->prim[first].first,
                                  batch_end(b, end - 1));
}

/* Loads the attributes of block n's primitive. */
static void
use_own(struct worker *w, struct rt_batch *c, unsigned n)
{
    const struct block_batch *b = &w->batch;
    unsigned k = 0;
    while (batch_end(b, k) <= n)
        k++;
    w->block_group.setup = b->prim[k].setup;
    row_copy_own(&c->block.rest, (const uint8_t *)b->prim[k].setup->attr);
}

/* pixels: live pixels of all blocks. */
static void
run(struct worker *w, struct rt_batch *c, unsigned first, unsigned end,
    unsigned pixels)
{
    struct block_batch *b = &w->batch;
    for (unsigned n = first; n < end; n++) {
        struct eu_chain_entry *row = &b->row[n - first];
        use_own(w, c, n);
        w->planes->copy(w->thread.grf, b->copy, b->copies, 0);
        unsigned done = (unsigned)(eu_launch_chain(&w->launch, &w->thread, row,
                                                   c->tail, false, &c->left) -
                                   row);
        done += w->thread.status == EU_FINISHED;
        c->captured += done;
        if (done == end - first && !w->launch.last_pred)
            rt_batch_count_pixels(w, pixels);
        else
            rt_batch_count_stored(w, row, done);
        n += done;
        c->written = n;
        if (n < end) {
            use_own(w, c, n);
            rt_batch_finish_alone(w, c, n);
        }
    }
}

unsigned
chain_run(struct worker *w, struct rt_batch *c, unsigned k)
{
    struct block_batch *b = &w->batch;
    unsigned count = w->chain_weights && c->tail.fn && !c->tail.sample_store
                         ? count_small(b, k)
                         : 0;
    if (count < 2)
        return k;
    unsigned first = b->prim[k].first, end = batch_end(b, k + count - 1), none;
    struct thread_run r = rt_batch_threads(w, c, &none);
    unsigned pixels = fill(w, &r, k, k + count);
    if (!pixels)
        return k;
    struct grf_copy stay[EU_GRF_COUNT];
    const struct setup *s = b->prim[k].setup;
    w->planes->copy(w->thread.grf, stay, payload_runs(w, s, true, stay, 0), 0);
    b->copies = payload_runs(w, s, false, b->copy, 0);
    rt_batch_write_until(w, c, first);
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
