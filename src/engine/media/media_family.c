/* media_family.c: runs root threads that may have children, and these, in turns
 * on the calling thread: a thread that waits for another one's message yields.
 * Roots of a later command run beside roots of an earlier one, because the
 * earlier roots may wait for the later ones. */
#include "engine/media/media_family.h"

#include <stdlib.h>

/* Instructions that a thread runs before others get a turn: the first turn is
 * long, because most threads end in it. */
#define FIRST_TURN_INSNS 320000u
#define TURN_INSNS 20000u

static bool
is_over(const struct media_family *f)
{
    return atomic_load_explicit(f->work->d->reset, memory_order_relaxed);
}

static void
fail(const struct media_family *f)
{
    atomic_store(f->work->d->reset, true);
}

static bool
is_notified(const struct eu_thread *t)
{
    return t->n0[0] || t->n0[1] || t->n0[2];
}

/* Others may write the registers of a thread whose gateway is open, which
 * compiled code does not expect: interpret it, which counts make it do. False:
 * no memory. */
static bool
expose_registers(struct eu_thread *t)
{
    size_t count = eu_kernel_size_B(t->kernel) / 8 + 1;
    if (!t->counts)
        t->counts = calloc(count, sizeof *t->counts);
    if (!t->counts)
        guest_error("no memory for media threads");
    return t->counts;
}

static void
end_thread(struct media_family *f, unsigned number)
{
    free(f->place[number]->thread.counts);
    f->place[number]->thread.counts = NULL;
    f->shared.member[number].live = false;
    f->live--;
}

/* False: the thread can not go on. */
static bool
take_turn(struct media_family *f, unsigned number)
{
    struct eu_thread *t = &f->place[number]->thread;
    uint64_t before = t->insn_count;
    if (t->status == EU_WAITING && !is_notified(t))
        return false;
    if (f->shared.member[number].gateway.open && !expose_registers(t)) {
        fail(f);
        return false;
    }
    enum eu_status status = eu_run(t, before ? TURN_INSNS : FIRST_TURN_INSNS);
    bool progress = status != EU_WAITING || t->insn_count != before;
    if (status == EU_FAILED)
        fail(f);
    if (status == EU_FINISHED || status == EU_FAILED)
        end_thread(f, number);
    return progress;
}

static bool
take_turns(struct media_family *f)
{
    bool progress = false;
    for (unsigned n = 0; n < f->limit && !is_over(f); n++)
        if (f->shared.member[n].live)
            progress |= take_turn(f, n);
    return progress;
}

/* Whether there are threads that could run. Reports those that wait for
 * ever. */
static bool
can_go_on(struct media_family *f, bool progress)
{
    if (is_over(f))
        return false;
    if (f->live && !progress)
        guest_error("%u media threads wait for ever", f->live);
    else if (!f->live && media_roots_peek(&f->roots[1]))
        guest_error("media threads wait for a spawn root message that nobody "
                    "sends");
    else
        return f->live;
    fail(f);
    return false;
}

/* Whether no thread has ended for too long, or it would take too long. */
static bool
is_stuck(const struct media_family *f, struct hang_watch *watch,
         uint64_t *ended, int64_t begun_ns)
{
    const struct hang *hang = f->work->d->hang;
    if (*ended != f->threads - f->live)
        *watch = (struct hang_watch){0};
    *ended = f->threads - f->live;
    return hang_is_stuck(hang, watch, f->live) ||
           hang_is_hopeless(hang, begun_ns, (double)*ended,
                            (double)f->threads + 1, "media command");
}

static void
run_threads(struct media_family *f)
{
    struct hang_watch watch = {0};
    uint64_t ended = 0;
    int64_t begun_ns = clock_tick_ns();
    bool progress = media_spawn_threads(f);
    vm_thread_enter();
    while (can_go_on(f, progress)) {
        progress = take_turns(f);
        progress |= media_spawn_threads(f);
        if (f->live && is_stuck(f, &watch, &ended, begun_ns))
            fail(f);
    }
    vm_thread_leave();
}

static bool
make_family(struct media_family *f, const struct media_family_work *work)
{
    f->work = work;
    f->limit = MIN2(work->max_threads, FAMILY_MEMBERS);
    f->last = &f->first;
    f->shared.spawn = media_spawn_child;
    f->shared.release_root = media_release_root;
    for (unsigned i = 0; i < 2; i++)
        media_roots_begin(&f->roots[i], work, i);
    f->urb = calloc(1, work->urb_B + 1);
    return f->urb;
}

static void
finish_family(struct media_family *f)
{
    for (unsigned n = 0; n < FAMILY_MEMBERS; n++) {
        if (f->shared.member[n].live)
            end_thread(f, n);
        free(f->place[n]);
    }
    media_requests_free(f);
    media_kernels_free(f);
    free(f->urb);
}

void
media_run_family(const struct media_family_work *work)
{
    struct media_family *f = calloc(1, sizeof *f);
    if (!f || !make_family(f, work)) {
        guest_error("no memory for media threads");
        free(f);
        return;
    }
    run_threads(f);
    stats_add(STAT_threads_cs, f->threads);
    finish_family(f);
    free(f);
}
