/* Runs the thread groups of a GPGPU_WALKER on the pool, one group at a time
 * per worker. KBL PRM vol 7 "GPGPU Thread Groups". */
#include "engine/compute/dispatch.h"

#include <stdlib.h>

#include "engine/draw.h"
#include "base/pool.h"
#include "engine/msg/msg.h"

/* A group never has more threads than fit a subslice. */
#define MAX_GROUP_THREADS 64
#define MAX_SLM_B 65536

struct slot {
    struct eu_thread *threads; /* threads_per_group of them */
    uint8_t *slm;
};

struct run {
    const struct dispatch *d;
    uint64_t first; /* linear index of this batch's first group */
    uint32_t size[3];
    struct slot *slots; /* one per worker */
    struct eu_start start;
    uint32_t simd_mask;
};

static void
group_id(const struct run *run, uint64_t index, uint32_t id[3])
{
    for (unsigned i = 0; i < 3; i++) {
        id[i] = run->d->group_start[i] + (uint32_t)(index % run->size[i]);
        index /= run->size[i];
    }
}

/* g0: 1 group X, 2 barrier id, 6 group Y, 7 group Z; then the cross-thread
 * constants and this thread's own (or the other way round). Observed: brw
 * kernels, stock iris. */
static void
payload(const struct run *run, struct eu_thread *t, const uint32_t id[3],
        unsigned thread, unsigned fftid)
{
    const struct dispatch *d = run->d;
    uint32_t *g0 = eu_grf(t, 0);
    memset(g0, 0, EU_GRF_B);
    stage_header(&d->stage, g0, fftid);
    g0[1] = id[0];
    g0[6] = id[1];
    g0[7] = id[2];
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
            uint64_t have = from < d->curbe_B
                                ? MIN2(d->curbe_B - from, EU_GRF_B)
                                : 0;
            memset(eu_grf(t, grf), 0, EU_GRF_B);
            if (have)
                memcpy(eu_grf(t, grf), d->curbe + from, have);
        }
    }
}

static void
run_group(void *ctx, unsigned index, unsigned worker)
{
    struct run *run = ctx;
    const struct dispatch *d = run->d;
    if (atomic_load_explicit(d->reset, memory_order_relaxed))
        return;
    struct slot *slot = &run->slots[worker];
    struct thread_group group = {
        .slm = slot->slm,
        .slm_B = d->slm_B,
        .barrier_count = d->threads_per_group,
    };
    struct thread_env env = {
        .stage = &d->stage,
        .vm = d->stage.vm,
        .group = &group,
        .reset = d->reset,
        .worker = worker,
    };
    if (d->slm_B)
        memset(slot->slm, 0, d->slm_B);
    uint32_t id[3];
    group_id(run, run->first + index, id);
    struct eu_start start = run->start;
    start.user = &env;
    uint64_t insns = 0, lanes = 0;
    vm_thread_enter();
    for (unsigned i = 0; i < d->threads_per_group; i++) {
        struct eu_thread *t = &slot->threads[i];
        bool last = i == d->threads_per_group - 1;
        start.dispatch_mask = run->simd_mask & (last ? d->right_mask : ~0u);
        start.vector_mask = start.dispatch_mask;
        lanes += (unsigned)__builtin_popcount(start.dispatch_mask);
        eu_thread_init(t, &start);
        payload(run, t, id, i, worker * d->threads_per_group + i);
    }
    msg_run_group(slot->threads, d->threads_per_group, &group, &env);
    vm_thread_leave();
    if (d->watch)
        d->watch->group(d->watch->ctx, slot->threads, d->threads_per_group);
    for (unsigned i = 0; i < d->threads_per_group; i++)
        insns += slot->threads[i].insn_count;
    trace(dispatch, "group %u,%u,%u: %llu instructions", id[0], id[1], id[2],
          (unsigned long long)insns);
    stats_add(STAT_threads_cs, d->threads_per_group);
    atomic_fetch_add_explicit(&d->stats->cs_invocations, lanes,
                              memory_order_relaxed);
}

static bool
make_slots(struct run *run, unsigned workers)
{
    const struct dispatch *d = run->d;
    run->slots = calloc(workers, sizeof *run->slots);
    if (!run->slots)
        return false;
    for (unsigned i = 0; i < workers; i++) {
        run->slots[i].threads = aligned_alloc(64, sizeof(struct eu_thread) *
                                                      d->threads_per_group);
        run->slots[i].slm = d->slm_B ? aligned_alloc(64, MAX_SLM_B) : NULL;
        if (!run->slots[i].threads || (d->slm_B && !run->slots[i].slm))
            return false;
        /* Registers that no payload fills read as zero, not as what another
         * process or group left there. */
        memset(run->slots[i].threads, 0,
               sizeof(struct eu_thread) * d->threads_per_group);
    }
    return true;
}

static void
free_slots(struct run *run, unsigned workers)
{
    for (unsigned i = 0; run->slots && i < workers; i++) {
        free(run->slots[i].threads);
        free(run->slots[i].slm);
    }
    free(run->slots);
}

static void
run_serial(struct run *run, uint64_t groups)
{
    for (uint64_t i = 0; i < groups && !atomic_load(run->d->reset); i++) {
        run->first = i;
        run_group(run, 0, 0);
    }
}

static void
run_parallel(struct run *run, uint64_t groups)
{
    /* In batches: pool_for counts in 32 bits. */
    const uint64_t batch = UINT64_C(1) << 24;
    for (uint64_t at = 0; at < groups && !atomic_load(run->d->reset);
         at += batch) {
        run->first = at;
        pool_for(run->d->pool, (unsigned)MIN2(groups - at, batch), run_group,
                 run);
    }
}

void
compute_dispatch(const struct dispatch *d)
{
    struct run run = {.d = d};
    uint64_t groups = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (d->group_end[i] <= d->group_start[i])
            return;
        run.size[i] = d->group_end[i] - d->group_start[i];
        if (groups > UINT64_MAX / run.size[i])
            groups = UINT64_MAX;
        else
            groups *= run.size[i];
    }
    if (!d->stage.kernel)
        return;
    if (!d->threads_per_group || d->threads_per_group > MAX_GROUP_THREADS ||
        d->slm_B > MAX_SLM_B) {
        guest_error("GPGPU_WALKER with %u threads per group and %u B of SLM",
                    d->threads_per_group, d->slm_B);
        return;
    }
    run.simd_mask = d->stage.simd >= 32 ? ~0u
                                        : (UINT32_C(1) << d->stage.simd) - 1;
    stage_start(&d->stage, &run.start);
    run.start.send = msg_sender();
    run.start.counts = d->watch ? d->watch->counts : NULL;

    /* Scratch slots bound how many threads may be alive at once. */
    unsigned workers = pool_workers(d->pool);
    bool parallel = groups > 1 && workers > 1;
    if (d->stage.scratch_enabled &&
        workers * d->threads_per_group > d->max_concurrent_threads)
        parallel = false;
    if (!make_slots(&run, parallel ? workers : 1))
        guest_error("no memory for a thread group");
    else if (parallel)
        run_parallel(&run, groups);
    else
        run_serial(&run, groups);
    free_slots(&run, parallel ? workers : 1);
}
