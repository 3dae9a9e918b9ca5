/* walker.c: runs the thread groups of a GPGPU_WALKER on the pool, one group at
 * a time per worker. KBL PRM vol 7 "GPGPU Thread Groups". */
#include "engine/compute/compute.h"

#include <stdlib.h>

#include "engine/state/draw.h"
#include "base/pool.h"
#include "engine/thread/thread.h"

/* A group is limited to the threads that fit a subslice. */
#define MAX_GROUP_THREADS 64
#define MAX_SLM_B 65536

/* A worker's memory, reused from group to group. */
struct slot {
    struct eu_thread *threads; /* threads_per_group */
    uint8_t *payload;          /* per thread, without the group's id */
    struct thread_group group;
    struct mem_range slm;
    struct thread_env env;
    struct eu_launch launch;           /* the run's, with this slot's SLM */
    uint64_t thread_count, lane_count; /* executed so far */
    unsigned until_look; /* groups until the next check for a hang */
};

struct run {
    const struct dispatch *d;
    uint64_t groups;
    int64_t begun_ns;    /* clock_tick_ns() */
    uint64_t first, end; /* linear indices of this batch's groups */
    uint32_t size[3];
    unsigned chunk;     /* groups that a worker takes at a time */
    struct slot *slots; /* one per worker */
    unsigned workers;
    struct eu_launch launch;
    uint32_t mask, last_mask;
    uint32_t lanes; /* enabled lanes per group */
    unsigned payload_grf;
    uint8_t beyond[EU_GRF_COUNT]; /* live registers after the payload */
    unsigned beyond_count;
};

static void
group_id(const struct run *run, uint64_t index, uint32_t id[3])
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t next = index < run->size[i] ? 0 : index / run->size[i];
        id[i] = run->d->group_start[i] +
                (uint32_t)(index - next * run->size[i]);
        index = next;
    }
}

/* Registers from 1 on: the cross-thread constants, then this thread's own, or
 * the reverse. */
static void
fill_constants(const struct dispatch *d, uint8_t *to, unsigned thread)
{
    unsigned grf = 1;
    uint64_t cross_B = (uint64_t)d->cross_thread_grf * EU_GRF_B;
    uint64_t own_B = (uint64_t)d->per_thread_grf * EU_GRF_B;
    const struct {
        uint64_t from, size;
    } part[2] = {{0, cross_B}, {cross_B + thread * own_B, own_B}};
    for (unsigned i = 0; i < 2; i++) {
        unsigned p = i ^ d->own_first;
        for (uint64_t at = 0; at < part[p].size && grf < EU_GRF_COUNT;
             at += EU_GRF_B, grf++) {
            uint64_t from = part[p].from + at;
            if (from < d->curbe_B)
                memcpy(to + grf * EU_GRF_B, d->curbe + from,
                       MIN2(d->curbe_B - from, EU_GRF_B));
        }
    }
}

/* g0: dword 1 group X, 2 barrier id, 6 group Y, 7 group Z; then the constants.
 * Observed: brw kernels, stock iris. */
static void
fill_payload(const struct run *run, struct slot *slot, unsigned worker)
{
    const struct dispatch *d = run->d;
    for (unsigned i = 0; i < d->threads_per_group; i++) {
        uint8_t *to = slot->payload + i * run->payload_grf * EU_GRF_B;
        uint32_t g0[EU_GRF_B / 4];
        stage_header(&d->stage, g0, worker * d->threads_per_group + i);
        memcpy(to, g0, sizeof g0);
        fill_constants(d, to, i);
    }
}

static void
give_payload(const struct run *run, struct slot *slot, const uint32_t id[3])
{
    size_t size_B = (size_t)run->payload_grf * EU_GRF_B;
    for (unsigned i = 0; i < run->d->threads_per_group; i++) {
        struct eu_thread *t = &slot->threads[i];
        uint32_t *g0 = eu_grf(t, 0);
        memcpy(g0, slot->payload + i * size_B, size_B);
        g0[1] = id[0];
        g0[6] = id[1];
        g0[7] = id[2];
        for (unsigned n = 0; n < run->beyond_count; n++)
            memset(eu_grf(t, run->beyond[n]), 0, EU_GRF_B);
    }
}

static void
trace_group(const struct run *run, const struct slot *slot,
            const uint32_t id[3])
{
    uint64_t insns = 0;
    for (unsigned i = 0; i < run->d->threads_per_group; i++)
        insns += slot->threads[i].insn_count;
    trace(dispatch, "group %u,%u,%u: %llu instructions", id[0], id[1], id[2],
          (unsigned long long)insns);
}

static void
run_group(const struct run *run, struct slot *slot, uint64_t index)
{
    const struct dispatch *d = run->d;
    uint32_t *id = slot->group.id;
    group_id(run, index, id);
    if (d->slm_B)
        memset(slot->group.slm, 0, d->slm_B);
    slot->group.barrier_count = d->threads_per_group;
    slot->group.barrier_arrived = 0;
    give_payload(run, slot, id);
    thread_launch_group(&slot->launch, slot->threads, d->threads_per_group,
                        run->mask, run->last_mask, &slot->group, &slot->env);
    if (d->watch)
        d->watch->group(d->watch->ctx, slot->threads, d->threads_per_group);
    if (trace_on(TRACE_dispatch))
        trace_group(run, slot, id);
    slot->thread_count += d->threads_per_group;
    slot->lane_count += run->lanes;
}

/* Checks every few groups whether the dispatch would take too long. Assumes
 * that all workers have made equal progress. */
static bool
is_hopeless(const struct run *run, struct slot *slot)
{
    const unsigned groups_per_look = 16;
    if (slot->until_look--)
        return false;
    slot->until_look = groups_per_look - 1;
    double done = (double)slot->thread_count / run->d->threads_per_group;
    if (!hang_is_hopeless(run->d->hang, run->begun_ns, done * run->workers,
                          (double)run->groups, "dispatch"))
        return false;
    atomic_store(run->d->reset, true);
    return true;
}

static void
run_chunk(void *ctx, unsigned index, unsigned worker)
{
    const struct run *run = ctx;
    uint64_t at = run->first + (uint64_t)index * run->chunk;
    uint64_t end = MIN2(at + run->chunk, run->end);
    vm_thread_enter();
    uint32_t mode = eu_launch_begin(&run->launch);
    struct slot *slot = &run->slots[worker];
    for (; at < end; at++) {
        if (atomic_load_explicit(run->d->reset, memory_order_relaxed) ||
            is_hopeless(run, slot))
            break;
        run_group(run, slot, at);
    }
    eu_launch_end(&run->launch, mode);
    vm_thread_leave();
}

static bool
make_slot(struct run *run, struct slot *slot, unsigned worker)
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
                           (size_t)run->payload_grf * EU_GRF_B);
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
    fill_payload(run, slot, worker);
    return true;
}

static bool
make_slots(struct run *run, unsigned workers)
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
finish_slots(struct run *run)
{
    uint64_t threads = 0, lanes = 0;
    for (unsigned i = 0; run->slots && i < run->workers; i++) {
        threads += run->slots[i].thread_count;
        lanes += run->slots[i].lane_count;
        free(run->slots[i].threads);
        free(run->slots[i].payload);
        free(run->slots[i].group.slm);
    }
    free(run->slots);
    stats_add(STAT_threads_cs, threads);
    atomic_fetch_add_explicit(&run->d->stats->cs_invocations, lanes,
                              memory_order_relaxed);
}

static void
run_serial(struct run *run)
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
run_parallel(struct run *run)
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

/* Scans 32 registers at a time, because few are live. */
static void
find_beyond(struct run *run)
{
    for (unsigned i = 0; i < ARRAY_SIZE(run->launch.live_in); i++) {
        for (uint32_t m = run->launch.live_in[i]; m; m &= m - 1) {
            unsigned grf = i * 32 + (unsigned)__builtin_ctz(m);
            if (grf >= run->payload_grf)
                run->beyond[run->beyond_count++] = (uint8_t)grf;
        }
    }
}

static void
prepare(struct run *run)
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
    run->payload_grf = MIN2(1 + d->cross_thread_grf + d->per_thread_grf,
                            EU_GRF_COUNT);
    find_beyond(run);
}

void
compute_dispatch(const struct dispatch *d)
{
    struct run run = {.d = d, .groups = 1};
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
