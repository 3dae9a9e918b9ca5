/* walker.c: runs the thread groups of a GPGPU_WALKER on the pool, one group at
 * a time per worker. KBL PRM vol 7 "GPGPU Thread Groups". */
#include "engine/compute/group_run.h"

#include <stdlib.h>

#include "base/pool.h"

/* A group is limited to the threads that fit a subslice. */
#define MAX_GROUP_THREADS 64
#define MAX_SLM_B 65536

static void
group_id(const struct group_run *run, uint64_t index, uint32_t id[3])
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t next = index < run->size[i] ? 0 : index / run->size[i];
        id[i] = run->d->group_start[i] +
                (uint32_t)(index - next * run->size[i]);
        index = next;
    }
}

static void
run_group(const struct group_run *run, struct group_slot *slot, uint64_t index)
{
    const struct dispatch *d = run->d;
    group_id(run, index, slot->group.id);
    if (d->slm_B)
        memset(slot->group.slm, 0, d->slm_B);
    slot->group.barrier_count = d->threads_per_group;
    slot->group.barrier_arrived = 0;
    run->path->run(run, slot);
    slot->group_count++;
}

/* Checks every few groups whether the dispatch would take too long. Assumes
 * that all workers have made equal progress. */
static bool
is_hopeless(const struct group_run *run, struct group_slot *slot)
{
    const unsigned groups_per_look = 16;
    if (slot->until_look--)
        return false;
    slot->until_look = groups_per_look - 1;
    double done = (double)slot->group_count;
    if (!hang_is_hopeless(run->d->hang, run->begun_ns, done * run->workers,
                          (double)run->groups, "dispatch"))
        return false;
    atomic_store(run->d->reset, true);
    return true;
}

static void
run_chunk(void *ctx, unsigned index, unsigned worker)
{
    const struct group_run *run = ctx;
    uint64_t at = run->first + (uint64_t)index * run->chunk;
    uint64_t end = MIN2(at + run->chunk, run->end);
    vm_thread_enter();
    uint32_t mode = eu_launch_begin(&run->launch);
    struct group_slot *slot = &run->slots[worker];
    for (; at < end; at++) {
        if (atomic_load_explicit(run->d->reset, memory_order_relaxed) ||
            is_hopeless(run, slot))
            break;
        run_group(run, slot, at);
    }
    run->path->end(slot);
    eu_launch_end(&run->launch, mode);
    vm_thread_leave();
}

static bool
make_slot(struct group_run *run, struct group_slot *slot, unsigned worker)
{
    const struct dispatch *d = run->d;
    size_t threads_B = sizeof(struct eu_thread) * d->threads_per_group;
    slot->env = (struct thread_env){
        .stage = &d->stage,
        .vm = d->stage.vm,
        .group = &slot->group,
        .reset = d->reset,
        .hang = d->hang,
        .worker = worker,
    };
    slot->threads = aligned_alloc(64, threads_B);
    slot->payload = calloc(d->threads_per_group,
                           (size_t)run->payload.grfs * EU_GRF_B);
    slot->group.threads = slot->threads;
    slot->group.slm_B = d->slm_B;
    slot->group.slm = d->slm_B ? aligned_alloc(64, MAX_SLM_B) : NULL;
    slot->slm = mem_range(slot->group.slm, d->slm_B, 0);
    slot->launch = run->launch;
    if (!stage_sends_all(&d->stage))
        eu_launch_set_group(&slot->launch, &slot->slm,
                            &slot->group.barrier_arrived);
    if (!slot->threads || !slot->payload || (d->slm_B && !slot->group.slm))
        return false;
    /* A tool that inspects registers must see only the kernel's values. */
    if (d->watch)
        memset(slot->threads, 0, threads_B);
    group_payload_fill(run, slot, worker);
    run->path->begin(slot, run);
    return true;
}

static bool
make_slots(struct group_run *run, unsigned workers)
{
    run->workers = workers;
    run->slots = aligned_alloc(64, workers * sizeof *run->slots);
    if (!run->slots)
        return false;
    memset(run->slots, 0, workers * sizeof *run->slots);
    for (unsigned i = 0; i < workers; i++)
        if (!make_slot(run, &run->slots[i], i))
            return false;
    return true;
}

static void
finish_slots(struct group_run *run)
{
    uint64_t groups = 0;
    for (unsigned i = 0; run->slots && i < run->workers; i++) {
        groups += run->slots[i].group_count;
        free(run->slots[i].threads);
        free(run->slots[i].payload);
        free(run->slots[i].group.slm);
    }
    free(run->slots);
    stats_add(STAT_threads_cs, groups * run->d->threads_per_group);
    stats_add(run->path->groups, groups);
    atomic_fetch_add_explicit(&run->d->stats->cs_invocations,
                              groups * run->lanes, memory_order_relaxed);
}

static void
run_serial(struct group_run *run)
{
    run->chunk = UINT32_MAX;
    for (uint64_t at = 0; at < run->groups && !atomic_load(run->d->reset);
         at += run->chunk) {
        run->first = at;
        run->end = run->groups;
        run_chunk(run, 0, 0);
    }
}

/* Chunks amortize the hand-out of small groups, and are small enough to keep
 * all workers busy at the end. */
static void
run_parallel(struct group_run *run)
{
    /* In batches, because pool_for() counts in 32 bits. */
    const uint64_t batch = UINT64_C(1) << 24;
    run->chunk = (unsigned)MIN2(run->groups / (run->workers * 16) + 1, 64);
    for (uint64_t at = 0; at < run->groups && !atomic_load(run->d->reset);
         at += batch) {
        run->first = at;
        run->end = MIN2(at + batch, run->groups);
        unsigned count = (unsigned)(run->end - at);
        pool_for(run->d->pool, (count + run->chunk - 1) / run->chunk, run_chunk,
                 run);
    }
}

static void
prepare(struct group_run *run)
{
    const struct dispatch *d = run->d;
    struct eu_start start;
    uint32_t all = d->stage.simd >= 32 ? ~0u
                                       : (UINT32_C(1) << d->stage.simd) - 1;
    stage_start(&d->stage, &start);
    start.ends_quietly = !d->watch && !stage_sends_all(&d->stage);
    start.counts = d->watch ? d->watch->counts : NULL;
    eu_launch_init(&run->launch, &start);
    run->mask = all;
    run->last_mask = all & d->right_mask;
    run->lanes = (d->threads_per_group - 1) * d->stage.simd +
                 (unsigned)__builtin_popcount(run->last_mask);
    group_payload_plan(run);
    run->path = group_path_choose(run);
}

void
compute_dispatch(const struct dispatch *d)
{
    struct group_run run = {.d = d, .groups = 1};
    for (unsigned i = 0; i < 3; i++) {
        if (d->group_end[i] <= d->group_start[i])
            return;
        run.size[i] = d->group_end[i] - d->group_start[i];
        if (run.groups > UINT64_MAX / run.size[i])
            run.groups = UINT64_MAX;
        else
            run.groups *= run.size[i];
    }
    if (!d->stage.kernel)
        return;
    if (!d->threads_per_group || d->threads_per_group > MAX_GROUP_THREADS ||
        d->slm_B > MAX_SLM_B) {
        guest_error("GPGPU_WALKER with %u threads per group and %u B of SLM",
                    d->threads_per_group, d->slm_B);
        return;
    }
    prepare(&run);
    run.begun_ns = clock_tick_ns();

    /* Scratch slots limit how many threads exist at once. */
    unsigned workers = pool_workers(d->pool);
    bool parallel = run.groups > 1 && workers > 1;
    if (d->stage.scratch_enabled &&
        workers * d->threads_per_group > d->max_concurrent_threads)
        parallel = false;
    if (!make_slots(&run, parallel ? workers : 1))
        guest_error("no memory for a thread group");
    else if (parallel)
        run_parallel(&run);
    else
        run_serial(&run);
    finish_slots(&run);
}
