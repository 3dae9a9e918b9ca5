/* media_threads.c: payloads and launches of media threads. R0 is as for
 * GPGPU_WALKER but for dword 1, which has x and y (Observed: kernels of iHD and
 * i965 mask its halves), and the colour in dword 2 (Guess: bits 3:0). The
 * CURBE's registers follow, then inline and indirect data. Observed: i965.
 *
 * Threads that may depend on others run one after another in the order of their
 * commands or walker: a scoreboard's dependencies always are in flight already.
 */
#include "engine/media/media.h"

#include <stdlib.h>

#include "base/pool.h"
#include "engine/thread/thread.h"

/* Channels: all that a kernel could enable. */
#define ALL_CHANNELS UINT32_MAX
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
    struct slot *slots;
    unsigned workers;
    struct eu_launch launch;
    int64_t begun_ns; /* clock_tick_ns() */
    uint64_t threads, expected;
};

static unsigned
append(uint8_t *grf, unsigned at_B, const void *data, uint64_t size_B)
{
    const unsigned room_B = EU_GRF_COUNT * EU_GRF_B - at_B;
    size_B = MIN2(size_B, room_B);
    if (size_B)
        memcpy(grf + at_B, data, size_B);
    /* The next part begins in a register of its own. */
    unsigned padded_B = ((unsigned)size_B + EU_GRF_B - 1) / EU_GRF_B * EU_GRF_B;
    memset(grf + at_B + size_B, 0, padded_B - size_B);
    return at_B + padded_B;
}

static void
fill_payload(const struct run *run, struct eu_thread *t,
             const struct media_object *object, unsigned fftid)
{
    const struct dispatch *d = &run->work->d;
    uint8_t *grf = (uint8_t *)eu_grf(t, 0);
    stage_header(&d->stage, eu_grf(t, 0), fftid);
    uint64_t rows_B = (uint64_t)d->per_thread_grf * EU_GRF_B;
    unsigned end_B = append(grf, EU_GRF_B, d->curbe, MIN2(rows_B, d->curbe_B));
    /* Rows after the CURBE's end are zero. */
    for (; end_B < EU_GRF_B + rows_B && end_B < EU_GRF_COUNT * EU_GRF_B;
         end_B += EU_GRF_B)
        memset(grf + end_B, 0, EU_GRF_B);
    end_B = append(grf, end_B, object->inline_data, object->inline_dw * 4u);
    end_B = append(grf, end_B, object->indirect, object->indirect_B);
    for (unsigned i = end_B / EU_GRF_B; i < EU_GRF_COUNT; i++)
        if (run->launch.live_in[i / 32] >> i % 32 & 1)
            memset(grf + i * EU_GRF_B, 0, EU_GRF_B);
}

static void
set_position(struct eu_thread *t, const struct media_position *p)
{
    uint32_t *r0 = eu_grf(t, 0);
    r0[1] = p->x | (uint32_t)p->y << 16;
    r0[2] = p->color;
}

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
        fill_payload(run, slot->threads, work->object, worker);
        set_position(slot->threads, &run->positions[at]);
        thread_launch(&slot->launch, slot->threads, &slot->env, ALL_CHANNELS,
                      ALL_CHANNELS);
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

/* The next positions of the walk. */
static bool
find_positions(struct run *run, struct media_walk *walk)
{
    run->count = 0;
    while (run->count < CHUNK_POSITIONS &&
           media_walk_next(walk, &run->positions[run->count]))
        run->count++;
    /* Half of the work is done, as far as known. */
    run->expected = 2 * (run->threads + run->count);
    return run->count != 0;
}

static void
run_walker(struct run *run)
{
    struct media_walk walk;
    media_walk_begin(&walk, run->work->walker);
    while (!is_over(run) && find_positions(run, &walk)) {
        if (run->workers > 1)
            pool_for(run->work->d.pool,
                     (run->count + CHUNK_THREADS - 1) / CHUNK_THREADS,
                     run_chunk, run);
        else
            run_threads(run, run->slots, 0, run->count);
        run->threads += run->count;
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
        fill_payload(run, &slot->threads[i], &work->object[i], i);
        set_position(&slot->threads[i], &work->object[i].position);
    }
    vm_thread_enter();
    uint32_t mode = eu_launch_begin(&slot->launch);
    if (work->grouped)
        thread_launch_group(&slot->launch, slot->threads, work->count,
                            ALL_CHANNELS, ALL_CHANNELS, &slot->group,
                            &slot->env);
    else
        thread_launch(&slot->launch, slot->threads, &slot->env, ALL_CHANNELS,
                      ALL_CHANNELS);
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
    slot->threads = aligned_alloc(64, sizeof *slot->threads * work->count);
    if (!slot->threads || !work->grouped)
        return slot->threads;
    slot->group.threads = slot->threads;
    slot->group.barrier_count = work->count;
    slot->group.slm_B = d->slm_B;
    slot->group.slm = d->slm_B ? aligned_alloc(64, d->slm_B) : NULL;
    slot->slm = mem_range(slot->group.slm, d->slm_B, 0);
    if (slot->group.slm)
        memset(slot->group.slm, 0, d->slm_B);
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
    if (run->work->walker)
        run->positions = malloc(CHUNK_POSITIONS * sizeof *run->positions);
    return !run->work->walker || run->positions;
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
}

static unsigned
count_workers(const struct media_work *work)
{
    unsigned workers = pool_workers(work->d.pool);
    bool fits = !work->d.stage.scratch_enabled ||
                workers <= work->d.max_concurrent_threads;
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
