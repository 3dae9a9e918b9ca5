/* thread_run.c: runs EU threads to their ends: single threads, series, and
 * groups whose threads take turns. */
#include "engine/thread/thread.h"

/* Instructions a thread of a group runs before the others get a turn. */
#define SLICE_INSNS 20000
/* The first turn is long, because most threads run to their end or their first
 * wait; only spinning threads need slices. */
#define FIRST_SLICE_INSNS (16 * SLICE_INSNS)

static bool
fail(struct thread_env *env)
{
    if (env->reset)
        atomic_store(env->reset, true);
    return false;
}

static bool
is_abandoned(const struct thread_env *env)
{
    return env->reset && atomic_load(env->reset);
}

bool
thread_go_on(struct eu_thread *thread, struct thread_env *env,
             enum eu_status status)
{
    struct hang_watch watch = {0};
    for (;; status = eu_run(thread, THREAD_TURN_INSNS)) {
        switch (status) {
        case EU_FINISHED: return true;
        case EU_FAILED: return fail(env);
        case EU_WAITING:
            guest_error("kernel waits for a notification that nobody sends");
            return fail(env);
        case EU_RUNNING:
            if (is_abandoned(env) || hang_is_stuck(env->hang, &watch, 1))
                return fail(env);
        }
    }
}

bool
thread_launch(const struct eu_launch *launch, struct eu_thread *thread,
              struct thread_env *env, uint32_t dispatch_mask,
              uint32_t vector_mask)
{
    thread->user = env;
    enum eu_status status = eu_launch_run(launch, thread, dispatch_mask,
                                          vector_mask, THREAD_TURN_INSNS);
    return status == EU_FINISHED || thread_go_on(thread, env, status);
}

void
thread_series_begin(struct thread_series *s, const struct eu_launch *launch,
                    struct eu_thread *thread, struct thread_env *env)
{
    *s = (struct thread_series){.launch = launch,
                                .thread = thread,
                                .env = env,
                                .left = THREAD_TURN_INSNS};
    thread->user = env;
    thread->captured = NULL;
    eu_launch_count_from(thread);
}

void
thread_series_run(struct thread_series *s, uint32_t mask)
{
    struct eu_thread *t = s->thread;
    if (!eu_launch_is_compiled(s->launch)) {
        thread_launch(s->launch, t, s->env, mask, mask);
        return;
    }
    s->finished = eu_launch_quick(s->launch, t, mask, mask, s->finished,
                                  &s->left) == EU_FINISHED;
    if (s->finished)
        return;
    thread_series_end(s);
    thread_go_on(t, s->env, t->status);
}

void
thread_series_end(struct thread_series *s)
{
    uint64_t spent = (uint64_t)(THREAD_TURN_INSNS - s->left);
    s->left = THREAD_TURN_INSNS;
    if (eu_launch_is_compiled(s->launch))
        eu_launch_count(s->thread, spent, 0, 1);
}

bool
thread_run(struct eu_thread *thread, struct thread_env *env)
{
    return thread_go_on(thread, env, eu_run(thread, THREAD_TURN_INSNS));
}

/* Releases the barrier when all threads of the group have arrived: each gets
 * its notification. The memory fence before a barrier is done here: see
 * EU_MSG_BARRIER. */
static void
release_barrier(struct eu_thread *threads, unsigned count,
                struct thread_group *group)
{
    if (!group->barrier_arrived ||
        group->barrier_arrived < group->barrier_count)
        return;
    atomic_thread_fence(memory_order_seq_cst);
    group->barrier_arrived -= group->barrier_count;
    group->barriers++;
    for (unsigned i = 0; i < count; i++)
        threads[i].n0[0]++;
}

/* Accounts a thread's turn. False: the group has failed. */
static bool
end_turn(struct eu_thread *threads, unsigned count, struct eu_thread *t,
         struct thread_group *group, struct thread_env *env, unsigned *left)
{
    release_barrier(threads, count, group);
    if (t->status == EU_FINISHED)
        --*left;
    else if (t->status == EU_FAILED || is_abandoned(env))
        return fail(env);
    return true;
}

/* The threads of a group that have not finished. */
struct rest {
    const struct eu_launch *launch;
    struct eu_thread *threads;
    unsigned count, left;
    struct thread_group *group;
    struct thread_env *env;
    uint64_t slice; /* instructions per turn */
    bool progress;  /* a thread could continue in this round */
    bool spins;     /* a thread used its whole turn */
    unsigned rounds;
};

static bool
take_turn(struct rest *r, struct eu_thread *t)
{
    if (t->status == EU_FINISHED || (t->status == EU_WAITING && !t->n0[0]))
        return true;
    uint64_t before = t->insn_count;
    enum eu_status s = r->launch ? eu_launch_resume(r->launch, t, r->slice)
                                 : eu_run(t, r->slice);
    r->progress |= s != EU_WAITING || t->insn_count != before;
    r->spins |= s == EU_RUNNING;
    return end_turn(r->threads, r->count, t, r->group, r->env, &r->left);
}

static bool
take_round(struct rest *r)
{
    r->progress = r->spins = false;
    for (unsigned i = 0; i < r->count; i++)
        if (!take_turn(r, &r->threads[i]))
            return false;
    r->slice = SLICE_INSNS;
    if (r->progress)
        return true;
    guest_error("%u of %u threads wait at a barrier for ever", r->left,
                r->count);
    return fail(r->env);
}

/* Runs one thread alone. Threads that only compute would all end at the same
 * late time in turns. So one thread gets as much time as all have had together
 * since the last end. It then ends, unless it waits for another thread. */
static bool
favour_one(struct rest *r, int64_t since_ns)
{
    struct eu_thread *t = r->threads;
    while (t < r->threads + r->count && t->status != EU_RUNNING)
        t++;
    if (t == r->threads + r->count)
        return true;
    int64_t begin_ns = clock_tick_ns(), end_ns = 2 * begin_ns - since_ns;
    while (t->status == EU_RUNNING && clock_tick_ns() < end_ns)
        if (!take_turn(r, t))
            return false;
    return true;
}

/* Progress since a thread ended (end) or the barrier opened (step). */
struct patience {
    struct hang_watch end, step;
    int64_t end_ns, favour_ns; /* clock_tick_ns() */
    unsigned left, steps;
};

#define FAVOUR_NS INT64_C(50000000)
#define ROUNDS_PER_LOOK 64

/* An opened barrier is progress, but in total only as much as all threads
 * together may take. */
static bool
is_stuck(const struct rest *r, struct patience *p)
{
    const struct hang *hang = r->env->hang;
    if (r->left != p->left) {
        p->end = p->step = (struct hang_watch){0};
        p->left = r->left;
        p->end_ns = clock_tick_ns();
        p->favour_ns = FAVOUR_NS;
    }
    if (r->group->barriers != p->steps)
        p->step = (struct hang_watch){0};
    p->steps = r->group->barriers;
    return hang_is_stuck(hang, &p->step, 1) ||
           hang_is_stuck(hang, &p->end, r->count);
}

/* Continues the threads that have not finished. */
static bool
finish_group(struct rest *r)
{
    struct patience p = {0};
    /* Launched threads have had their long turn. */
    r->slice = r->launch ? SLICE_INSNS : FIRST_SLICE_INSNS;
    while (r->left) {
        if (!take_round(r))
            return false;
        if (!r->spins && ++r->rounds % ROUNDS_PER_LOOK)
            continue;
        if (is_stuck(r, &p))
            return fail(r->env);
        if (r->spins && r->left > 1 &&
            clock_tick_ns() - p.end_ns > p.favour_ns) {
            if (!favour_one(r, p.end_ns))
                return false;
            p.favour_ns = 2 * (clock_tick_ns() - p.end_ns);
        }
    }
    return true;
}

/* Runs the first turns of the first two of `rest` threads in lockstep. False:
 * impossible, none has run. */
static bool
run_two(const struct eu_launch *launch, struct eu_thread *t, unsigned rest,
        uint32_t mask, uint32_t last_mask, struct thread_env *env)
{
    const uint32_t on[2] = {mask, rest > 2 ? mask : last_mask};
    t[0].user = t[1].user = env;
    return eu_launch_run_two(launch, t, on, FIRST_SLICE_INSNS);
}

/* Launches the threads from `first` on; the earlier ones have had their first
 * turns. */
static bool
launch_from(struct rest *r, unsigned first, uint32_t mask, uint32_t last_mask)
{
    const struct eu_launch *launch = r->launch;
    unsigned count = r->count, begun = first;
    for (unsigned i = first; i < count; i++) {
        struct eu_thread *t = &r->threads[i];
        uint32_t on = i + 1 < count ? mask : last_mask;
        if (i < begun) {
            /* It ran in lockstep with the previous thread. */
        } else if (launch->two && i + 1 < count &&
                   run_two(launch, t, count - i, mask, last_mask, r->env)) {
            begun = i + 2;
        } else {
            t->user = r->env;
            eu_launch_run(launch, t, on, on, FIRST_SLICE_INSNS);
        }
        if (!end_turn(r->threads, i + 1, t, r->group, r->env, &r->left))
            return false;
    }
    return !r->left || finish_group(r);
}

bool
thread_launch_group(const struct eu_launch *launch, struct eu_thread *threads,
                    unsigned count, uint32_t mask, uint32_t last_mask,
                    struct thread_group *group, struct thread_env *env)
{
    struct rest r = {.launch = launch,
                     .threads = threads,
                     .count = count,
                     .left = count,
                     .group = group,
                     .env = env};
    return launch_from(&r, 0, mask, last_mask);
}

void
thread_group_series_begin(struct thread_group_series *s)
{
    s->left = THREAD_TURN_INSNS;
    s->finished = false;
    s->unmasked = !s->launch->acc && eu_launch_takes(s->launch, s->mask) &&
                  eu_launch_takes(s->launch, s->last_mask);
    for (unsigned i = 0; i < s->count; i++) {
        s->threads[i].user = s->env;
        s->threads[i].captured = NULL;
        eu_launch_count_from(&s->threads[i]);
    }
}

/* The thread has left compiled code unfinished: the group goes on without a
 * series. */
static bool
finish_series_group(struct thread_group_series *s, unsigned at)
{
    struct rest r = {.launch = s->launch,
                     .threads = s->threads,
                     .count = s->count,
                     .left = s->count - at,
                     .group = s->group,
                     .env = s->env};
    s->finished = false;
    thread_group_series_end(s);
    return end_turn(s->threads, at + 1, &s->threads[at], s->group, s->env,
                    &r.left) &&
           launch_from(&r, at + 1, s->mask, s->last_mask);
}

/* State that a thread may have left changed if it finished in compiled code. */
#define CHANGED_B \
    (offsetof(struct eu_thread, kernel) - offsetof(struct eu_thread, a0))

static inline enum eu_status
launch_in_series(struct thread_group_series *s, struct eu_thread *t,
                 uint32_t on)
{
    const struct eu_launch *l = s->launch;
    if (!s->unmasked || !s->finished)
        return eu_launch_quick(l, t, on, on, s->finished, &s->left);
    memcpy(t->a0, l->begin, CHANGED_B);
    return eu_launch_again(l, t, on, on, &s->left);
}

bool
thread_group_series_run(struct thread_group_series *s)
{
    if (s->left < THREAD_TURN_INSNS / 2)
        thread_group_series_end(s);
    for (unsigned i = 0; i < s->count; i++) {
        uint32_t on = i + 1 < s->count ? s->mask : s->last_mask;
        if (launch_in_series(s, &s->threads[i], on) != EU_FINISHED)
            return finish_series_group(s, i);
    }
    s->finished = true;
    return true;
}

void
thread_group_series_end(struct thread_group_series *s)
{
    uint64_t spent = (uint64_t)(THREAD_TURN_INSNS - s->left);
    s->left = THREAD_TURN_INSNS;
    for (unsigned i = 0; i < s->count; i++)
        eu_launch_count(&s->threads[i], i ? 0 : spent, 0, 1);
}

bool
thread_run_group(struct eu_thread *threads, unsigned count,
                 struct thread_group *group, struct thread_env *env)
{
    return finish_group(&(struct rest){.threads = threads,
                                       .count = count,
                                       .left = count,
                                       .group = group,
                                       .env = env});
}
