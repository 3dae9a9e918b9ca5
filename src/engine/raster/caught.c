/* caught.c: the threads of a batch of blocks and their colours: what a thread
 * would send at its end is left in the batch instead, and goes to the target
 * for all blocks together. */
#include "engine/raster/raster.h"

#define COLOR_DW (4 * 16)

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
is_same_for_all(const struct worker *w)
{
    const struct block_batch *b = &w->batch;
    if (!w->same || w->same_lanes)
        return w->same;
    for (unsigned n = 0; n < b->count; n++) {
        if (b->block[n].lit != 0xffff)
            return false;
    }
    return true;
}

/* A thread that compiled code did not finish sends its colours itself, after
 * those of the blocks before. */
static void
finish_apart(struct worker *w, struct target *t, unsigned first, unsigned n,
             enum eu_status status)
{
    target_write_batch(w, t, w->batch.color[first], COLOR_DW, first, n);
    payload_use_block(w, n);
    msg_go_on(&w->thread, &w->env, status);
}

static enum eu_status
run_thread(struct worker *w, unsigned n, uint16_t lit, int64_t *left)
{
    struct eu_thread *t = &w->thread;
    t->caught = (uint8_t *)w->batch.color[n];
    w->planes->copy(t->grf, w->batch.copy, w->batch.copies, n);
    return eu_launch_next(&w->launch, t, lit, 0xffff, left);
}

static void
run_each(struct worker *w, struct target *t)
{
    struct block_batch *b = &w->batch;
    bool groups = w->launch.sfids >> EU_SFID_PI & 1;
    int64_t left = MSG_TURN_INSNS;
    unsigned first = 0, caught = 0;
    for (unsigned n = 0; n < b->count; n++) {
        uint16_t lit = b->block[n].lit;
        if (groups)
            payload_use_block(w, n);
        enum eu_status status = run_thread(w, n, lit, &left);
        if (status == EU_FINISHED) {
            b->mask[n] = (uint16_t)w->thread.message.exec_mask & lit;
            caught++;
            continue;
        }
        eu_launch_count(&w->thread, (uint64_t)(MSG_TURN_INSNS - left), caught,
                        1);
        finish_apart(w, t, first, n, status);
        first = n + 1;
        caught = 0;
        left = MSG_TURN_INSNS;
    }
    eu_launch_count(&w->thread, (uint64_t)(MSG_TURN_INSNS - left), caught, 1);
    target_write_batch(w, t, b->color[first], COLOR_DW, first, b->count);
}

/* False if the thread did not come to its end: nothing has been written. */
static bool
run_once(struct worker *w, struct target *t)
{
    struct block_batch *b = &w->batch;
    int64_t left = MSG_TURN_INSNS;
    if (run_thread(w, 0, 0xffff, &left) != EU_FINISHED)
        return false;
    uint16_t mask = (uint16_t)w->thread.message.exec_mask;
    for (unsigned n = 0; n < b->count; n++)
        b->mask[n] = b->block[n].lit & mask;
    eu_launch_count(&w->thread, (uint64_t)(MSG_TURN_INSNS - left), 1, b->count);
    target_write_batch(w, t, b->color[0], 0, 0, b->count);
    return true;
}

bool
caught_run(struct worker *w)
{
    const struct block_batch *b = &w->batch;
    struct target *t = target_for_colors(w, w->launch.last_desc & 0xff,
                                         b->setup->layer, 0);
    if (!t || t->samples > 1)
        return false;
    unsigned pixels = 0;
    for (unsigned n = 0; n < b->count; n++)
        pixels += count_block_bits(b->block[n].lit);
    w->ps_count += pixels;
    w->thread.user = &w->env;
    eu_launch_count_from(&w->thread);
    if (!is_same_for_all(w) || !run_once(w, t))
        run_each(w, t);
    return true;
}
