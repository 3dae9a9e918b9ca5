/* caught.c: the threads of a batch of blocks and their colours: what a thread
 * would send at its end is left in the batch instead, and goes to the target
 * for all blocks together. */
#include "base/cpu.h"
#include "engine/raster/lanes.h"
#include "engine/raster/raster.h"
#include "sampler/plan.h"

#define COLOR_DW (4 * 16)
#define LINE_B 64
/* Fewer blocks of a primitive are not worth a write of their own. */
#define SAME_BLOCKS 4
/* Where more than this part of a batch's threads had to sample after all, as
 * many batches do not try. */
#define DECLINED_PART 4
#define BATCHES_WITHOUT_COPIES 31
#define ROWS_AT_ONCE BATCH_BLOCKS

bool
caught_fits(const struct scene *sc)
{
    enum { TYPE_WRITE = 12 };
    /* Not SIMD16, the upper slots, half floats. */
    const uint32_t others = 7u << 8 | 1u << 11 | 1u << 30;
    const struct eu_launch *l = &sc->launch;
    return sc->ps->simd == 16 && sc->only_colors && l->catches &&
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

void
caught_write_until(struct worker *w, struct caught *c, unsigned end)
{
    if (c->written < end)
        target_write_batch(w, c->target, w->batch.color[c->written], COLOR_DW,
                           c->written, end);
    c->written = end;
}

/* A thread that compiled code did not finish sends its colours itself, after
 * those of the blocks before. */
void
caught_finish_apart(struct worker *w, struct caught *c, unsigned n)
{
    count(w, c, 1);
    caught_write_until(w, c, n);
    c->written = n + 1;
    payload_use_block(w, n);
    msg_go_on(&w->thread, &w->env, w->thread.status);
}

void
caught_count_pixels(struct worker *w, unsigned pixels)
{
    w->pixels += pixels;
    if (w->scene->late_count_only)
        w->depth_count += pixels;
}

/* As many threads of a row have stored what they leave. */
void
caught_count_stored(struct worker *w, const struct eu_row *row, unsigned count)
{
    caught_count_pixels(w, w->planes->count_caught(row, count));
}

static struct target_places
places_of(const struct worker *w, const struct caught *c, bool placed)
{
    const struct target *t = c->target;
    const struct view *v = &t->view[0];
    /* Also lines that are written as a whole: stores that miss the caches wait
     * for each other, in the order of threads. */
    bool fetches = placed && !c->block.streams &&
                   v->pitch_B * BLOCK_PX == LINE_B;
    return (struct target_places){.mem = v->mem,
                                  .x_B = v->x_B,
                                  .y_B = v->y_B,
                                  .tile_x = w->tile_x,
                                  .tile_y = w->tile_y,
                                  .lines = fetches ? MAX2(t->element_B, 4) / 4
                                                   : 0,
                                  .step_B = v->column_B};
}

struct thread_run
caught_threads(struct worker *w, struct caught *c, unsigned *stored)
{
    struct block_batch *b = &w->batch;
    return (struct thread_run){.launch = &w->launch,
                               .thread = &w->thread,
                               .copy = b->copy,
                               .copies = b->copies,
                               .weights = b->weighs ? &b->run_weights : NULL,
                               .block = b->block,
                               .row = b->row,
                               .color = b->color,
                               .mask = b->mask,
                               .tail = c->tail,
                               .stored = stored,
                               .rest = &c->block.rest,
                               .to = places_of(w, c, b->planes == 1),
                               .centres = &b->centres};
}

static void
run_each(struct worker *w, struct caught *c, unsigned first, unsigned end)
{
    /* Some messages look at the group. */
    bool groups = w->launch.sfids >> EU_SFID_PI & 1;
    unsigned stored;
    const struct block_batch *b = &w->batch;
    const struct thread_run r = caught_threads(w, c, &stored);
    while (first < end) {
        if (groups)
            payload_use_block(w, first);
        unsigned stop = groups ? first + 1 : end;
        if (c->tail.fn)
            caught_write_until(w, c, first);
        unsigned n = w->planes->run(&r, first, stop, &c->left);
        rt_finish_copy(&c->block);
        c->caught += n - first;
        if (stored) {
            caught_count_stored(w, b->row, stored);
            c->written = first + stored;
        }
        if (n < stop)
            caught_finish_apart(w, c, n);
        first = n + (n < stop);
    }
}

/* A thread with all lanes on, its colours to block n's. False if it did not
 * come to its end. It stands for many, which would take a turn or more each: it
 * gets all that a thread may take before it counts as hung. */
static bool
run_whole(struct worker *w, struct caught *c, unsigned n, uint16_t *mask)
{
    const int64_t more = MSG_HANG_INSNS - MSG_TURN_INSNS;
    const struct batch_block whole = {.lit = 0xffff, .helped = 0xffff};
    unsigned stored;
    struct thread_run r = caught_threads(w, c, &stored);
    r.tail = (struct eu_tail){.fn = NULL};
    r.block = &whole;
    r.color = &w->batch.color[n];
    r.mask = mask;
    r.to.lines = 0;
    c->left += more;
    bool ended = w->planes->run(&r, 0, 1, &c->left) == 1;
    c->left -= more;
    return ended;
}

/* False if the thread did not come to its end: nothing has been written. */
static bool
run_once(struct worker *w, struct caught *c, unsigned first, unsigned end)
{
    struct block_batch *b = &w->batch;
    uint16_t mask;
    count(w, c, 1);
    if (!run_whole(w, c, first, &mask))
        return false;
    for (unsigned n = first; n < end; n++)
        b->mask[n] = b->block[n].lit & mask;
    c->caught = 1;
    count(w, c, end - first);
    caught_write_until(w, c, first);
    target_write_batch(w, c->target, b->color[first], 0, first, end);
    c->written = end;
    return true;
}

/* Whether what is drawn will have left the caches before anybody looks at it:
 * it is large, and drawn once; and it pays not to bring it there first. */
static bool
goes_past_caches(const struct worker *w, const struct target *t)
{
    const uint64_t large_B = 4 << 20;
    const struct surface *s = &t->surf;
    uint64_t size_B = (uint64_t)s->width * s->height * t->element_B;
    return w->drawn_once && t->element_B == 16 && t->rt.mode == RT_PLAIN &&
           size_B >= large_B && cpu_streams_fast();
}

/* What samples and stores without colours in between, once one thread has
 * sampled. */
static rt_tail_fn
find_copy(struct worker *w, struct caught *c)
{
    const struct eu_launch *l = &w->launch;
    const struct target *t = c->target;
    if (!l->copied.sfid || !rt_choose_copy(&t->rt, false) || !t->tail ||
        w->batch.planes > 1)
        return NULL;
    if (w->batches_without_copies) {
        w->batches_without_copies--;
        return NULL;
    }
    struct msg_pixels p = msg_find_pixels(&w->env, &l->copied);
    c->block.plan = p.plan;
    c->block.blocks = p.blocks;
    c->block.declined = &c->declined;
    return p.plan ? rt_choose_copy(&t->rt, p.plan->finish) : NULL;
}

/* Threads store their colours themselves where all blocks are blocks of the
 * target, if they run in a float mode that suits it. */
static void
choose_tail(struct worker *w, struct caught *c)
{
    const struct target *t = c->target;
    const struct view *v = &t->view[0];
    const unsigned planes = w->batch.planes;
    if (!planes || ((fpmode_mine ^ BLEND_FP_MODE) & t->rt.fp_bits))
        return;
    c->block.state = &t->rt;
    c->block.pitch_B = v->pitch_B;
    c->block.column_B = v->column_B;
    c->block.planes = planes;
    c->block.plane = w->batch.plane;
    c->block.lines = planes == 1 && t->rt.mask_all && v->pitch_B == 16;
    c->block.streams = planes == 1 && goes_past_caches(w, t);
    w->streams |= c->block.streams;
    c->tail = (struct eu_tail){t->tail, &c->block, find_copy(w, c),
                               t->tail_of_two};
}

static void
note_declined(struct worker *w, const struct caught *c, unsigned threads)
{
    if (c->declined > threads / DECLINED_PART)
        w->batches_without_copies = BATCHES_WITHOUT_COPIES;
}

bool
caught_begin(struct worker *w, struct caught *c, int layer)
{
    struct target *t = target_for_colors(w, w->launch.last_desc & 0xff, layer,
                                         0);
    if (!t)
        return false;
    *c = (struct caught){.target = t, .left = MSG_TURN_INSNS};
    w->batch.begun.at = NULL;
    w->batch.begun.number = 0;
    c->block.begun = &w->batch.begun;
    target_place_batch(w, t);
    choose_tail(w, c);
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
    count(w, c, 1);
    caught_write_until(w, c, w->batch.count);
    note_declined(w, c, w->batch.count);
}

bool
caught_alike(struct worker *w, const struct setup *s, struct caught_list *l)
{
    struct caught c;
    uint16_t mask;
    payload_make_parts(w, s, 0, 1, true);
    if (!caught_begin(w, &c, s->layer) || !target_takes_list(w, c.target) ||
        !run_whole(w, &c, 0, &mask))
        return false;
    l->some = w->same_lanes;
    l->mask = mask;
    target_write_list(w, c.target, w->batch.color[0], l);
    c.caught = 1;
    count(w, &c, l->blocks);
    return true;
}

/* ---- rows of a list ---- */

/* Whether what threads have of their own is what rows bring; all else that they
 * need is in their registers. */
static bool
begins_rows(struct worker *w, const struct setup *s)
{
    struct block_batch *b = &w->batch;
    const unsigned row_grf = w->launch.row_grf;
    unsigned copies = 0;
    payload_make_parts(w, s, 0, 1, true);
    if (b->weighs)
        return b->run_weights.grf == row_grf;
    for (unsigned i = 0; i < b->copies; i++) {
        if (b->copy[i].grf != row_grf)
            b->copy[copies++] = b->copy[i];
    }
    bool places = !w->launch.row_weights && copies < b->copies;
    b->copies = copies;
    w->planes->copy(w->thread.grf, b->copy, copies, 0);
    return places;
}

static struct row_fill
rows_of(struct worker *w, struct caught *c, const struct caught_list *l)
{
    const struct target_places to = places_of(w, c, true);
    c->block.fetches_ahead = to.lines && c->block.lines && !c->tail.copy &&
                             l->list->count > ROWS_AT_ONCE;
    return (struct row_fill){
        .block = l->list->block,
        .lit = l->lit,
        .rest = l->rest,
        .count = l->list->count,
        .weights = w->batch.weighs ? &w->batch.run_weights : NULL,
        .begin = w->thread.grf + w->launch.row_grf * EU_GRF_B,
        .parts = &w->batch.parts,
        .some = w->cheap && w->same_lanes,
        .vector_mask = w->launch.start.vector_mask_enable,
        .tails_fetch = c->block.fetches_ahead,
        .to = to};
}

/* A row's thread goes on by itself. */
static void
finish_row(struct worker *w, struct caught *c, const struct batch_block *at)
{
    count(w, c, 1);
    w->batch.block[0] = *at;
    payload_use_block(w, 0);
    msg_go_on(&w->thread, &w->env, w->thread.status);
}

/* The block of row n; f->next: behind the row's last. */
static struct batch_block
block_of_row(const struct row_fill *f, unsigned first, unsigned n)
{
    for (unsigned i = first; i < f->next; i++) {
        uint16_t lit = f->lit ? f->lit[i] : f->block[i].mask;
        struct batch_block b;
        if (!lit || f->rest[i] || n--)
            continue;
        payload_put_block(&b, f->to.tile_x + f->block[i].x,
                          f->to.tile_y + f->block[i].y, lit, lit, false);
        return b;
    }
    return (struct batch_block){0};
}

/* Threads that need registers restored, two at a time, where that is possible:
 * returns how many have finished. */
static unsigned
run_two(struct worker *w, struct caught *c, struct eu_row *row)
{
    if (!w->batch.copies || !w->launch.pairs || c->tail.copy || !row->more)
        return 0;
    c->block.rest = (struct row_copies){.first = 0};
    unsigned done = eu_launch_two(&w->launch, &w->thread, row, c->tail,
                                  &c->left);
    c->caught += done;
    caught_count_stored(w, row, done);
    return done;
}

/* pixels: of all rows. */
static void
run_rows(struct worker *w, struct caught *c, const struct row_fill *f,
         unsigned first, unsigned rows, unsigned pixels)
{
    struct block_batch *b = &w->batch;
    struct eu_thread *t = &w->thread;
    c->block.whole = c->block.fetches_ahead && !w->launch.last_pred &&
                     pixels == 16 * rows;
    for (unsigned n = 0; n < rows; n++) {
        struct eu_row *row = &b->row[n];
        w->planes->copy(t->grf, b->copy, b->copies, 0);
        unsigned two = run_two(w, c, row);
        if (two) {
            n += two - 1;
            continue;
        }
        c->block.rest = (struct row_copies){
            .copy = b->copy, .copies = b->copies, .row = row, .grf = t->grf};
        unsigned done = (unsigned)(eu_launch_row(&w->launch, t, row, c->tail,
                                                 !b->copies, &c->left) -
                                   row);
        rt_finish_copy(&c->block);
        done += t->status == EU_FINISHED;
        c->caught += done;
        if (done == rows && !w->launch.last_pred)
            caught_count_pixels(w, pixels);
        else
            caught_count_stored(w, row, done);
        n += done;
        if (n < rows) {
            const struct batch_block at = block_of_row(f, first, n);
            finish_row(w, c, &at);
        }
    }
}

bool
caught_rows(struct worker *w, const struct setup *s, struct caught_list *l)
{
    struct caught c;
    if (!caught_begin(w, &c, s->layer) || !c.tail.fn)
        return false;
    if (!begins_rows(w, s))
        return false;
    struct row_fill f = rows_of(w, &c, l);
    w->planes->begin_rows(&f);
    while (f.next < f.count) {
        unsigned first = f.next, before = f.pixels;
        unsigned rows = w->planes->fill_rows(&f, w->batch.row, ROWS_AT_ONCE);
        run_rows(w, &c, &f, first, rows, f.pixels - before);
        l->blocks += rows;
    }
    note_declined(w, &c, l->blocks);
    l->pixels = f.pixels;
    l->left = f.left;
    count(w, &c, 1);
    return true;
}
