/* rt_batch.c: captures the final render target write of each thread of a batch
 * of blocks, and stores the colours of all blocks in one call. */
#include "base/cpu.h"
#include "engine/raster/block_layout.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"
#include "sampler/plan/plan.h"

#define COLOR_DW (4 * 16)
#define LINE_B 64
/* Fewer blocks of a primitive do not pay for the uniform path. */
#define SAME_BLOCKS 4
/* If sample stores declined more than one in DECLINED_PART threads of a batch,
 * the next BATCHES_WITHOUT_COPIES batches do not try them. */
#define DECLINED_PART 4
#define BATCHES_WITHOUT_COPIES 31
#define ROWS_AT_ONCE BATCH_BLOCKS
/* Budget of a thread that stands for many, instructions. */
#define WHOLE_INSNS 100000000

bool
rt_batch_fits(const struct scene *sc)
{
    enum { TYPE_WRITE = 12 };
    /* Other types than SIMD16, the upper slots, half floats. */
    const uint32_t others = 7u << 8 | 1u << 11 | 1u << 30;
    const struct eu_launch *l = &sc->launch;
    return sc->ps->simd == 16 && sc->color_only && l->captures_rt_write &&
           l->last_sfid == EU_SFID_RENDER &&
           bits_get(l->last_desc, 14, 17) == TYPE_WRITE &&
           !(l->last_desc & others) && !(l->sfids >> EU_SFID_RENDER & 1);
}

/* Whether one thread with all lanes on can stand for all. */
static bool
is_same_for_all(const struct worker *w, unsigned first, unsigned end)
{
    if (!w->uniform || end - first < SAME_BLOCKS || w->uniform_masked)
        return w->uniform && end - first >= SAME_BLOCKS;
    for (unsigned n = first; n < end; n++) {
        if (w->batch.block[n].live != 0xffff)
            return false;
    }
    return true;
}

static void
count(struct worker *w, struct rt_batch *c, unsigned times)
{
    eu_launch_count(&w->thread, (uint64_t)(THREAD_TURN_INSNS - c->left),
                    c->captured, times);
    c->captured = 0;
    c->left = THREAD_TURN_INSNS;
}

void
rt_batch_write_until(struct worker *w, struct rt_batch *c, unsigned end)
{
    if (c->written < end)
        target_write_batch(w, c->target, w->batch.color[c->written], COLOR_DW,
                           c->written, end);
    c->written = end;
}

/* Resumes a thread that compiled code did not finish. It sends its colours
 * itself, after all earlier blocks are written. */
void
rt_batch_finish_alone(struct worker *w, struct rt_batch *c, unsigned n)
{
    count(w, c, 1);
    rt_batch_write_until(w, c, n);
    c->written = n + 1;
    group_use_block(w, n);
    if (w->batch.planes && c->target->samples > 1)
        w->block_group.settled_planes = w->batch.planes > 1
                                            ? w->batch.settled[n]
                                            : 1;
    thread_go_on(&w->thread, &w->env, w->thread.status);
}

void
rt_batch_count_pixels(struct worker *w, unsigned pixels)
{
    w->pixels += pixels;
    if (w->scene->late_count_only)
        w->depth_count += pixels;
}

/* Counts the pixels of threads that have stored their colours. */
void
rt_batch_count_stored(struct worker *w, const struct eu_chain_entry *row,
                      unsigned count)
{
    rt_batch_count_pixels(w, w->planes->count_caught(row, count));
}

static struct target_places
places_of(const struct worker *w, const struct rt_batch *c, bool placed)
{
    const struct target *t = c->target;
    const struct view *v = &t->view[0];
    /* Prefetches even lines that are written completely: stores that miss the
     * caches wait for each other, in the order of threads. */
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
rt_batch_threads(struct worker *w, struct rt_batch *c, unsigned *stored)
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
run_each(struct worker *w, struct rt_batch *c, unsigned first, unsigned end)
{
    /* Messages to the pixel interpolator read the group. */
    bool groups = w->launch.sfids >> EU_SFID_PI & 1;
    unsigned stored;
    const struct block_batch *b = &w->batch;
    const struct thread_run r = rt_batch_threads(w, c, &stored);
    while (first < end) {
        if (groups)
            group_use_block(w, first);
        unsigned stop = groups ? first + 1 : end;
        if (c->tail.fn)
            rt_batch_write_until(w, c, first);
        unsigned n = w->planes->run(&r, first, stop, &c->left);
        rt_finish_sample_store(&c->block);
        c->captured += n - first;
        if (stored) {
            rt_batch_count_stored(w, b->row, stored);
            c->written = first + stored;
        }
        if (n < stop)
            rt_batch_finish_alone(w, c, n);
        first = n + (n < stop);
    }
}

/* Runs a thread with all lanes on, and captures its colours for block n. False
 * if it did not finish. It stands for many threads, each of which would have a
 * turn or more: gets a larger budget before the hang check. */
static bool
run_whole(struct worker *w, struct rt_batch *c, unsigned n, uint16_t *mask)
{
    const int64_t more = WHOLE_INSNS - THREAD_TURN_INSNS;
    const struct batch_block whole = {.live = 0xffff, .helper = 0xffff};
    unsigned stored;
    struct thread_run r = rt_batch_threads(w, c, &stored);
    r.tail = (struct eu_epilogue){.fn = NULL};
    r.block = &whole;
    r.color = &w->batch.color[n];
    r.mask = mask;
    r.to.lines = 0;
    c->left += more;
    bool ended = w->planes->run(&r, 0, 1, &c->left) == 1;
    c->left -= more;
    return ended;
}

/* False with nothing written if the thread did not finish. */
static bool
run_once(struct worker *w, struct rt_batch *c, unsigned first, unsigned end)
{
    struct block_batch *b = &w->batch;
    uint16_t mask;
    count(w, c, 1);
    if (!run_whole(w, c, first, &mask))
        return false;
    for (unsigned n = first; n < end; n++)
        b->mask[n] = b->block[n].live & mask;
    c->captured = 1;
    count(w, c, end - first);
    rt_batch_write_until(w, c, first);
    target_write_batch(w, c->target, b->color[first], 0, first, end);
    c->written = end;
    return true;
}

/* Whether to bypass the caches: the target is too large to stay in them until
 * it is read, and the tile is drawn once. Only if the processor's streaming
 * stores are fast. */
static bool
goes_past_caches(const struct worker *w, const struct target *t)
{
    const uint64_t large_B = 4 << 20;
    const struct surface *s = &t->surf;
    uint64_t size_B = (uint64_t)s->width * s->height * t->element_B;
    return w->no_overdraw && t->element_B == 16 && t->rt.mode == RT_NO_BLEND &&
           size_B >= large_B && cpu_streams_fast();
}

/* The sample store for the batch, or NULL. Needs the plan of a sampler message,
 * which the first thread has sent. */
static rt_epilogue_fn
find_sample_store(struct worker *w, struct rt_batch *c)
{
    const struct eu_launch *l = &w->launch;
    const struct target *t = c->target;
    if (!l->sample_store.sfid || !rt_choose_sample_store(&t->rt, false) ||
        !t->tail || w->batch.planes > 1)
        return NULL;
    if (w->batches_without_sample_store) {
        w->batches_without_sample_store--;
        return NULL;
    }
    struct stage_pixels p = w->scene->ps->find_pixels(&w->env,
                                                      &l->sample_store);
    c->block.plan = p.plan;
    c->block.blocks = p.blocks;
    c->block.declined = &c->declined;
    return p.plan ? rt_choose_sample_store(&t->rt, p.plan->finish) : NULL;
}

/* Chooses the epilogue, by which threads store their colours themselves. All
 * blocks must be blocks of the target, and the threads' float mode must suit
 * it. */
static void
choose_tail(struct worker *w, struct rt_batch *c)
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
    c->tail = (struct eu_epilogue){t->tail, &c->block, find_sample_store(w, c),
                                   t->tail_of_two};
}

static void
note_declined(struct worker *w, const struct rt_batch *c, unsigned threads)
{
    if (c->declined > threads / DECLINED_PART)
        w->batches_without_sample_store = BATCHES_WITHOUT_COPIES;
}

bool
rt_batch_begin(struct worker *w, struct rt_batch *c, int layer)
{
    struct target *t = target_for_colors(w, w->launch.last_desc & 0xff, layer,
                                         0);
    if (!t)
        return false;
    *c = (struct rt_batch){.target = t, .left = THREAD_TURN_INSNS};
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
rt_batch_run(struct worker *w, struct rt_batch *c, unsigned first, unsigned end)
{
    if (!is_same_for_all(w, first, end) || !run_once(w, c, first, end))
        run_each(w, c, first, end);
}

void
rt_batch_end(struct worker *w, struct rt_batch *c)
{
    count(w, c, 1);
    rt_batch_write_until(w, c, w->batch.count);
    note_declined(w, c, w->batch.count);
}

bool
uniform_run(struct worker *w, const struct setup *s, struct block_list_run *l)
{
    struct rt_batch c;
    uint16_t mask;
    payload_make_parts(w, s, 0, 1, true);
    if (!rt_batch_begin(w, &c, s->layer) || !target_takes_list(w, c.target) ||
        !run_whole(w, &c, 0, &mask))
        return false;
    l->some = w->uniform_masked;
    l->mask = mask;
    target_write_list(w, c.target, w->batch.color[0], l);
    c.captured = 1;
    count(w, &c, l->blocks);
    return true;
}

/* ---- chains of a list ---- */

/* Prepares the registers that all threads share. False if threads differ in
 * more than the payload of chain entries. */
static bool
begins_rows(struct worker *w, const struct setup *s)
{
    struct block_batch *b = &w->batch;
    const unsigned chain_grf = w->launch.chain_grf;
    unsigned copies = 0;
    payload_make_parts(w, s, 0, 1, true);
    if (b->weighs)
        return b->run_weights.grf == chain_grf;
    for (unsigned i = 0; i < b->copies; i++) {
        if (b->copy[i].grf != chain_grf)
            b->copy[copies++] = b->copy[i];
    }
    bool places = !w->launch.chain_weights && copies < b->copies;
    b->copies = copies;
    w->planes->copy(w->thread.grf, b->copy, copies, 0);
    return places;
}

static struct row_fill
rows_of(struct worker *w, struct rt_batch *c, const struct block_list_run *l)
{
    const struct target_places to = places_of(w, c, true);
    c->block.fetches_ahead = to.lines && c->block.lines &&
                             !c->tail.sample_store &&
                             l->list->count > ROWS_AT_ONCE;
    return (struct row_fill){
        .block = l->list->block,
        .live = l->live,
        .rest = l->rest,
        .count = l->list->count,
        .weights = w->batch.weighs ? &w->batch.run_weights : NULL,
        .begin = w->thread.grf + w->launch.chain_grf * EU_GRF_B,
        .parts = &w->batch.parts,
        .some = w->thread_per_block && w->uniform_masked,
        .vector_mask = w->launch.start.vector_mask_enable,
        .tails_fetch = c->block.fetches_ahead,
        .to = to};
}

/* Resumes a chain's thread by itself. */
static void
finish_row(struct worker *w, struct rt_batch *c, const struct batch_block *at)
{
    count(w, c, 1);
    w->batch.block[0] = *at;
    group_use_block(w, 0);
    thread_go_on(&w->thread, &w->env, w->thread.status);
}

/* The block of entry n; f->next: the block after the chain's last one. */
static struct batch_block
block_of_row(const struct row_fill *f, unsigned first, unsigned n)
{
    for (unsigned i = first; i < f->next; i++) {
        uint16_t live = f->live ? f->live[i] : f->block[i].mask;
        struct batch_block b;
        if (!live || f->rest[i] || n--)
            continue;
        payload_put_block(&b, f->to.tile_x + f->block[i].x,
                          f->to.tile_y + f->block[i].y, live, live, false);
        return b;
    }
    return (struct batch_block){0};
}

/* Runs threads that need registers restored in lockstep, if possible. Returns
 * how many have finished. */
static unsigned
run_two(struct worker *w, struct rt_batch *c, struct eu_chain_entry *row)
{
    if (!w->batch.copies || !w->launch.lockstep || c->tail.sample_store ||
        !row->more)
        return 0;
    c->block.rest = (struct row_copies){.first = 0};
    unsigned done = eu_launch_chain_two(&w->launch, &w->thread, row, c->tail,
                                        &c->left);
    c->captured += done;
    rt_batch_count_stored(w, row, done);
    return done;
}

/* pixels: live pixels of all entries. */
static void
run_rows(struct worker *w, struct rt_batch *c, const struct row_fill *f,
         unsigned first, unsigned rows, unsigned pixels)
{
    struct block_batch *b = &w->batch;
    struct eu_thread *t = &w->thread;
    c->block.whole = c->block.fetches_ahead && !w->launch.last_pred &&
                     pixels == 16 * rows;
    for (unsigned n = 0; n < rows; n++) {
        struct eu_chain_entry *row = &b->row[n];
        w->planes->copy(t->grf, b->copy, b->copies, 0);
        unsigned two = run_two(w, c, row);
        if (two) {
            n += two - 1;
            continue;
        }
        c->block.rest = (struct row_copies){
            .copy = b->copy, .copies = b->copies, .row = row, .grf = t->grf};
        unsigned done = (unsigned)(eu_launch_chain(&w->launch, t, row, c->tail,
                                                   !b->copies, &c->left) -
                                   row);
        rt_finish_sample_store(&c->block);
        done += t->status == EU_FINISHED;
        c->captured += done;
        if (done == rows && !w->launch.last_pred)
            rt_batch_count_pixels(w, pixels);
        else
            rt_batch_count_stored(w, row, done);
        n += done;
        if (n < rows) {
            const struct batch_block at = block_of_row(f, first, n);
            finish_row(w, c, &at);
        }
    }
}

bool
chain_run_list(struct worker *w, const struct setup *s,
               struct block_list_run *l)
{
    struct rt_batch c;
    if (!rt_batch_begin(w, &c, s->layer) || !c.tail.fn)
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
