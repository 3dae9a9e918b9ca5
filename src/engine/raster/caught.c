/* caught.c: the threads of a batch of blocks and their colours: what a thread
 * would send at its end is left in the batch instead, and goes to the target
 * for all blocks together. */
#include "engine/raster/raster.h"

#define COLOR_DW (4 * 16)
/* Fewer blocks of a primitive are not worth a write of their own. */
#define SAME_BLOCKS 4

bool
caught_fits(const struct worker *w)
{
    enum { TYPE_WRITE = 12 };
    /* Not SIMD16, the upper slots, half floats. */
    const uint32_t others = 7u << 8 | 1u << 11 | 1u << 30;
    const struct eu_launch *l = &w->launch;
    return w->scene->only_colors && l->catches &&
           l->last_sfid == EU_SFID_RENDER &&
           bits_get(l->last_desc, 14, 17) == TYPE_WRITE &&
           !(l->last_desc & others) && !(l->sfids >> EU_SFID_RENDER & 1);
}

/* Whether what one thread does, with all lanes on, is what all would do. */
static bool
is_same_for_all(const struct worker *w, unsigned first, unsigned end)
{
    if (!w->same || end - first < SAME_BLOCKS || w->same_lanes)
        return w->same && end - first >= SAME_BLOCKS;
    for (unsigned n = first; n < end; n++) {
        if (w->batch.block[n].lit != 0xffff)
            return false;
    }
    return true;
}

static void
count(struct worker *w, struct caught *c, unsigned times)
{
    eu_launch_count(&w->thread, (uint64_t)(MSG_TURN_INSNS - c->left), c->caught,
                    times);
    c->caught = 0;
    c->left = MSG_TURN_INSNS;
}

static void
write_until(struct worker *w, struct caught *c, unsigned end)
{
    target_write_batch(w, c->target, w->batch.color[c->written], COLOR_DW,
                       c->written, end);
    c->written = end;
}

/* A thread that compiled code did not finish sends its colours itself, after
 * those of the blocks before. */
static void
finish_apart(struct worker *w, struct caught *c, unsigned n,
             enum eu_status status)
{
    count(w, c, 1);
    write_until(w, c, n);
    c->written = n + 1;
    payload_use_block(w, n);
    msg_go_on(&w->thread, &w->env, status);
}

static enum eu_status
run_thread(struct worker *w, struct caught *c, unsigned n, uint16_t lit,
           uint16_t helped)
{
    struct eu_thread *t = &w->thread;
    t->caught = (uint8_t *)w->batch.color[n];
    w->planes->copy(t->grf, w->batch.copy, w->batch.copies, n);
    return eu_launch_next(&w->launch, t, lit, helped, &c->left);
}

static void
run_each(struct worker *w, struct caught *c, unsigned first, unsigned end)
{
    struct block_batch *b = &w->batch;
    bool groups = w->launch.sfids >> EU_SFID_PI & 1;
    for (unsigned n = first; n < end; n++) {
        uint16_t lit = b->block[n].lit;
        if (groups)
            payload_use_block(w, n);
        enum eu_status status = run_thread(w, c, n, lit, b->block[n].helped);
        if (status != EU_FINISHED) {
            finish_apart(w, c, n, status);
            continue;
        }
        b->mask[n] = (uint16_t)w->thread.message.exec_mask & lit;
        c->caught++;
    }
}

/* False if the thread did not come to its end: nothing has been written. */
static bool
run_once(struct worker *w, struct caught *c, unsigned first, unsigned end)
{
    struct block_batch *b = &w->batch;
    count(w, c, 1);
    if (run_thread(w, c, first, 0xffff, 0xffff) != EU_FINISHED)
        return false;
    uint16_t mask = (uint16_t)w->thread.message.exec_mask;
    for (unsigned n = first; n < end; n++)
        b->mask[n] = b->block[n].lit & mask;
    c->caught = 1;
    count(w, c, end - first);
    write_until(w, c, first);
    target_write_batch(w, c->target, b->color[first], 0, first, end);
    c->written = end;
    return true;
}

bool
caught_begin(struct worker *w, struct caught *c)
{
    const struct block_batch *b = &w->batch;
    struct target *t = target_for_colors(w, w->launch.last_desc & 0xff,
                                         b->prim[0].setup->layer, 0);
    if (!t || t->samples > 1)
        return false;
    *c = (struct caught){.target = t, .left = MSG_TURN_INSNS};
    w->thread.user = &w->env;
    eu_launch_count_from(&w->thread);
    return true;
}

void
caught_run(struct worker *w, struct caught *c, unsigned first, unsigned end)
{
    if (!is_same_for_all(w, first, end) || !run_once(w, c, first, end))
        run_each(w, c, first, end);
}

void
caught_end(struct worker *w, struct caught *c)
{
    const struct block_batch *b = &w->batch;
    unsigned pixels = 0;
    for (unsigned n = 0; n < b->count; n++)
        pixels += count_block_bits(b->block[n].lit);
    w->ps_count += pixels;
    count(w, c, 1);
    write_until(w, c, b->count);
}
