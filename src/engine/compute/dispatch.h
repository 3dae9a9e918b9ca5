/* dispatch.h: one GPGPU_WALKER, resolved. Made by the command streamer,
 * immutable; compute_dispatch() runs it on the pool and returns when all
 * groups have ended. */
#ifndef ENGINE_DISPATCH_H
#define ENGINE_DISPATCH_H

#include "engine/stage.h"
#include "gen9_pack.h"

struct pool;
struct pipeline_stats;

/* For tools that look at what runs. */
struct dispatch_watch {
    uint64_t *counts; /* of each instruction, see eu.h; one worker only */
    /* The threads of a group that has ended, or failed. */
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
    /* Indirect data: a thread's own block comes before the common one in its
     * registers (not in memory). Observed: kernels of ocloc 22.43. */
    bool own_first;
    unsigned max_concurrent_threads; /* bound by scratch slots */
    struct pool *pool;
    struct pipeline_stats *stats;
    atomic_bool *reset;
    const struct dispatch_watch *watch; /* NULL: nobody looks */
};

void compute_dispatch(const struct dispatch *dispatch);

#endif
