/* dispatch.h: one GPGPU_WALKER, resolved. Data header: made and owned by
 * freeze/, immutable, run by compute/ on all workers. */
#ifndef ENGINE_STATE_DISPATCH_H
#define ENGINE_STATE_DISPATCH_H

#include "engine/state/stage.h"
#include "gen9_pack.h"

struct pool;
struct pipeline_stats;

/* Hooks of tools that inspect running kernels. */
struct dispatch_watch {
    uint64_t *counts; /* executions per instruction, see eu.h; needs a single
                         worker */
    /* Called with the threads of each group that has ended or failed. */
    void (*group)(void *ctx, const struct eu_thread *threads, unsigned count);
    void *ctx;
};

struct dispatch {
    struct shader_stage stage; /* STAGE_CS; simd 8, 16 or 32 */
    struct gen9_interface_descriptor_data idd;
    struct gen9_gpgpu_walker walker;       /* dimensions already resolved */
    uint32_t group_start[3], group_end[3]; /* end exclusive */
    unsigned threads_per_group;
    uint32_t right_mask, bottom_mask;
    uint32_t slm_B;
    const uint8_t *curbe; /* cross-thread part, then one block per thread */
    uint32_t curbe_B;
    unsigned cross_thread_grf, per_thread_grf;
    /* With indirect data a thread's own block precedes the common one in its
     * registers, but not in memory. Observed: kernels of ocloc 22.43. */
    bool own_first;
    unsigned max_concurrent_threads; /* limited by scratch slots */
    struct pool *pool;
    struct pipeline_stats *stats;
    atomic_bool *reset;
    const struct hang *hang;            /* NULL: no limit */
    const struct dispatch_watch *watch; /* NULL: no tool */
};

#endif
