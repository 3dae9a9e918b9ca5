/* media_threads.c: launches media threads that have no children.
 *
 * Threads that may depend on others run one after another in the order of their
 * commands or walker: a scoreboard's dependencies always are in flight already.
 * Guess: in a thread group there are none, because its threads need each other.
 */
#include "engine/media/media_payload.h"

#include <stdlib.h>

#include "base/pool.h"
#include "engine/thread/thread.h"

/* Positions that are found at a time. */
#define CHUNK_POSITIONS 4096u
/* Threads that a worker takes at a time. */
#define CHUNK_THREADS 16u

struct slot {
    struct eu_thread *threads; /* one, or all of a group */
    struct thread_group group;
    struct mem_range slm;
    struct thread_env env;
    struct eu_launch launch;
};

struct run {
    const struct media_work *work;
    struct media_position *positions; /* of a walker: CHUNK_POSITIONS */
    unsigned count;                   /* of positions */
    /* Where groups begin in positions, and where the last one ends. */
    unsigned *group_at;
    unsigned groups;
    struct slot *slots;
    unsigned workers;
    struct eu_launch launch;
    int64_t begun_ns; /* clock_tick_ns() */
    uint64_t threads, expected;
};

/* Whether the command is to end: a thread has failed, or it would take too
 * long. */
static bool
is_over(const struct run *run)
{
    const struct dispatch *d = &run->work->d;
    if (atomic_load_explicit(d->reset, memory_order_relaxed))
        return true;
    if (!hang_is_hopeless(d->hang, run->begun_ns, (double)run->threads,
                          (double)run->expected, "media command"))
        return false;
    atomic_store(d->reset, true);
    return true;
}

static void
run_threads(const struct run *run, struct slot *slot, unsigned at, unsigned end)
{
    const struct media_work *work = run->work;
    unsigned worker = (unsigned)(slot - run->slots);
    vm_thread_enter();
    uint32_t mode = eu_launch_begin(&slot->launch);
    for (; at < end && !is_over(run); at++) {
        media_fill_payload(&work->d, &run->launch, slot->threads, work->object,
                           worker);
        media_set_position(slot->threads, &run->positions[at]);
        thread_launch(&slot->launch, slot->threads, &slot->env, MEDIA_CHANNELS,
                      MEDIA_CHANNELS);
    }
    eu_launch_end(&slot->launch, mode);
    vm_thread_leave();
}

static void
run_chunk(void *ctx, unsigned index, unsigned worker)
{
    const struct run *run = ctx;
    unsigned at = index * CHUNK_THREADS;
    run_threads(run, &run->slots[worker], at,
                MIN2(at + CHUNK_THREADS, run->count));
}

/* Runs the threads of a group, whose payloads are filled. */
static void
run_group(struct slot *slot, unsigned count)
{
    if (slot->group.slm)
        memset(slot->group.slm, 0, slot->group.slm_B);
    slot->group.barrier_count = count;
    slot->group.barrier_arrived = 0;
    thread_launch_group(&slot->launch, slot->threads, count, MEDIA_CHANNELS,
                        MEDIA_CHANNELS, &slot->group, &slot->env);
}

/* Runs a group of the walker. */
static void
run_walked_group(void *ctx, unsigned index, unsigned worker)
{
    const struct run *run = ctx;
    const struct media_work *work = run->work;
    struct slot *slot = &run->slots[worker];
    unsigned at = run->group_at[index];
    unsigned count = run->group_at[index + 1] - at;
    if (is_over(run))
        return;
    vm_thread_enter();
    uint32_t mode = eu_launch_begin(&slot->launch);
    for (unsigned i = 0; i < count; i++) {
        media_fill_payload(&work->d, &run->launch, &slot->threads[i],
                           work->object, worker * MEDIA_GROUP_THREADS + i);
        media_set_position(&slot->threads[i], &run->positions[at + i]);
    }
    run_group(slot, count);
    eu_launch_end(&slot->launch, mode);
    vm_thread_leave();
}

/* The next positions of the walk, after `kept` ones of an open group. */
static bool
find_positions(struct run *run, struct media_walk *walk, unsigned kept)
{
    run->count = kept;
    while (run->count < CHUNK_POSITIONS &&
           media_walk_next(walk, &run->positions[run->count]))
        run->count++;
    /* Half of the work is done, as far as known. */
    run->expected = 2 * (run->threads + run->count);
    return run->count != 0;
}

static void
run_positions(struct run *run)
{
    if (run->workers > 1)
        pool_for(run->work->d.pool,
                 (run->count + CHUNK_THREADS - 1) / CHUNK_THREADS, run_chunk,
                 run);
    else
        run_threads(run, run->slots, 0, run->count);
    run->threads += run->count;
}

/* Finds the groups of the positions. False: one is too large. */
static bool
find_groups(struct run *run)
{
    run->groups = 0;
    for (unsigned i = 0; i < run->count; i++)
        if (!i || run->positions[i].begins_group)
            run->group_at[run->groups++] = i;
    run->group_at[run->groups] = run->count;
    for (unsigned i = 0; i < run->groups; i++)
        if (run->group_at[i + 1] - run->group_at[i] > MEDIA_GROUP_THREADS) {
            guest_error("MEDIA_OBJECT_WALKER has groups of more than %u "
                        "threads",
                        MEDIA_GROUP_THREADS);
            atomic_store(run->work->d.reset, true);
            return false;
        }
    return true;
}

/* Runs the groups that are complete. Returns how many positions remain, which
 * are the first ones then. */
static unsigned
run_groups(struct run *run, bool ended)
{
    if (!find_groups(run))
        return 0;
    unsigned whole = ended ? run->groups : run->groups - 1;
    unsigned at = run->group_at[whole], rest = run->count - at;
    if (run->workers > 1)
        pool_for(run->work->d.pool, whole, run_walked_group, run);
    else
        for (unsigned i = 0; i < whole; i++)
            run_walked_group(run, i, 0);
    memmove(run->positions, run->positions + at, rest * sizeof *run->positions);
    run->threads += at;
    return rest;
}

static void
run_walker(struct run *run)
{
    const struct media_work *work = run->work;
    const struct dispatch *d = &work->d;
    struct media_walk walk;
    unsigned kept = 0;
    media_walk_begin(&walk, work->walker, d->curbe, d->curbe_B);
    while (!is_over(run) && find_positions(run, &walk, kept)) {
        if (work->grouped)
            kept = run_groups(run, run->count < CHUNK_POSITIONS);
        else
            run_positions(run);
    }
    if (walk.starts >= MEDIA_WALK_STARTS)
        guest_error("MEDIA_OBJECT_WALKER steps outside too often");
}

/* One thread, or the threads of a group. */
static void
run_objects(struct run *run)
{
    const struct media_work *work = run->work;
    struct slot *slot = run->slots;
    for (unsigned i = 0; i < work->count; i++) {
        media_fill_payload(&work->d, &run->launch, &slot->threads[i],
                           &work->object[i], i);
        media_set_position(&slot->threads[i], &work->object[i].position);
    }
    vm_thread_enter();
    uint32_t mode = eu_launch_begin(&slot->launch);
    if (work->grouped)
        run_group(slot, work->count);
    else
        thread_launch(&slot->launch, slot->threads, &slot->env, MEDIA_CHANNELS,
                      MEDIA_CHANNELS);
    eu_launch_end(&slot->launch, mode);
    vm_thread_leave();
    run->threads = work->count;
}

static bool
make_slot(struct run *run, struct slot *slot, unsigned worker)
{
    const struct media_work *work = run->work;
    const struct dispatch *d = &work->d;
    slot->env = (struct thread_env){
        .stage = &d->stage,
        .vm = d->stage.vm,
        .group = work->grouped ? &slot->group : NULL,
        .reset = d->reset,
        .hang = d->hang,
        .worker = worker,
    };
    slot->launch = run->launch;
    size_t count = work->grouped && work->walker ? MEDIA_GROUP_THREADS
                                                 : work->count;
    slot->threads = aligned_alloc(64, sizeof *slot->threads * count);
    if (!slot->threads || !work->grouped)
        return slot->threads;
    slot->group.threads = slot->threads;
    slot->group.slm_B = d->slm_B;
    slot->group.slm = d->slm_B ? aligned_alloc(64, d->slm_B) : NULL;
    slot->slm = mem_range(slot->group.slm, d->slm_B, 0);
    if (!stage_sends_all(&d->stage))
        eu_launch_set_group(&slot->launch, &slot->slm,
                            &slot->group.barrier_arrived);
    return !d->slm_B || slot->group.slm;
}

static bool
make_slots(struct run *run)
{
    run->slots = aligned_alloc(64, run->workers * sizeof *run->slots);
    if (!run->slots)
        return false;
    memset(run->slots, 0, run->workers * sizeof *run->slots);
    for (unsigned i = 0; i < run->workers; i++)
        if (!make_slot(run, &run->slots[i], i))
            return false;
    if (!run->work->walker)
        return true;
    run->positions = malloc(CHUNK_POSITIONS * sizeof *run->positions);
    run->group_at = malloc((CHUNK_POSITIONS + 1) * sizeof *run->group_at);
    return run->positions && run->group_at;
}

static void
finish_slots(struct run *run)
{
    for (unsigned i = 0; run->slots && i < run->workers; i++) {
        free(run->slots[i].threads);
        free(run->slots[i].group.slm);
    }
    free(run->slots);
    free(run->positions);
    free(run->group_at);
}

static unsigned
count_workers(const struct media_work *work)
{
    unsigned workers = pool_workers(work->d.pool);
    unsigned threads = work->grouped ? MEDIA_GROUP_THREADS : 1;
    bool fits = !work->d.stage.scratch_enabled ||
                workers * threads <= work->d.max_concurrent_threads;
    return work->walker && !work->in_order && fits ? workers : 1;
}

void
media_run(const struct media_work *work)
{
    struct run run = {.work = work, .expected = 1};
    struct eu_start start;
    stage_start(&work->d.stage, &start);
    start.ends_quietly = !stage_sends_all(&work->d.stage);
    eu_launch_init(&run.launch, &start);
    run.begun_ns = clock_tick_ns();
    run.workers = count_workers(work);
    if (!make_slots(&run))
        guest_error("no memory for media threads");
    else if (work->walker)
        run_walker(&run);
    else
        run_objects(&run);
    finish_slots(&run);
    stats_add(STAT_threads_cs, run.threads);
}
