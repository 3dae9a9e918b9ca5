/* kernel_run.c: runs kernels without a command stream (engine/run.h). */
#include "engine/run.h"

#include <stdlib.h>

#include "engine/compute/compute.h"
#include "engine/core/core.h"
#include "engine/msg/msg.h"
#include "engine/state/draw.h"
#include "engine/state/stage_cache.h"
#include "engine/thread/thread.h"

#define THREAD_SLM_B 65536

void *
engine_vm_host(const struct engine_vm *vm, uint64_t va)
{
    return vm_ptr(vm, va);
}

/* Nothing has loaded one. */
static const uint32_t black[SURFACE_PALETTES][SURFACE_COLORS];

static bool
make_stage(struct shader_stage *stage, struct stage_cache *cache,
           struct engine_vm *vm, const struct engine_kernel *kernel)
{
    *stage = (struct shader_stage){
        .kind = STAGE_CS,
        .enabled = true,
        .gen = kernel->gen,
        .vm = vm,
        .send = msg_stage_sender(false),
        .find_pixels = msg_find_pixels,
        .simd = kernel->simd,
        .grf_start = 1,
        .surface_base_va = kernel->surface_base_va,
        .binding_table_offset = kernel->binding_table_B,
        .scratch_va = kernel->scratch_va,
        .scratch_code = kernel->scratch_code,
        .scratch_enabled = kernel->scratch_va != 0,
        .palette = black,
        .cache = cache,
    };
    stage->kernel = eu_kernel_get(kernel->code, kernel->code_B,
                                  (enum eu_gen)kernel->gen);
    if (stage->kernel) {
        eu_kernel_note_use(stage->kernel, STAGE_CS, kernel->simd);
        stage_cache_init(cache, NULL);
    }
    return stage->kernel != NULL;
}

static void
finish_stage(struct shader_stage *stage)
{
    eu_kernel_unref(stage->kernel);
    stage_cache_finish(stage->cache);
}

bool
engine_run_grid(struct engine *engine, struct engine_vm *vm,
                const struct engine_grid *grid, bool *reset)
{
    struct stage_cache cache;
    struct pipeline_stats stats = {0};
    struct dispatch_watch watch = {grid->kernel.counts, grid->group, grid->ctx};
    atomic_bool failed = false;
    struct dispatch d = {
        .threads_per_group = grid->threads,
        .right_mask = grid->last_mask,
        .slm_B = grid->slm_B,
        .curbe = grid->payload,
        .curbe_B = (grid->common_grf + grid->own_grf * grid->threads) *
                   EU_GRF_B,
        .cross_thread_grf = grid->common_grf,
        .per_thread_grf = grid->own_grf,
        .own_first = true,
        .max_concurrent_threads = grid->threads,
        .pool = engine_pool(engine),
        .stats = &stats,
        .reset = &failed,
        .watch = &watch,
    };
    memcpy(d.group_end, grid->groups, sizeof d.group_end);
    if (!make_stage(&d.stage, &cache, vm, &grid->kernel))
        return false;
    compute_dispatch(&d);
    finish_stage(&d.stage);
    *reset = atomic_load(&failed);
    return true;
}

bool
engine_run_thread(struct engine *engine, struct engine_vm *vm,
                  const struct engine_kernel *kernel, struct eu_thread *thread,
                  uint32_t mask, bool *reset)
{
    struct stage_cache cache;
    struct shader_stage stage;
    atomic_bool failed = false;
    struct thread_group group = {.slm_B = THREAD_SLM_B, .barrier_count = 1};
    struct thread_env env = {
        .stage = &stage, .vm = vm, .group = &group, .reset = &failed};
    struct eu_start start;
    group.slm = aligned_alloc(64, THREAD_SLM_B);
    if (!group.slm || !make_stage(&stage, &cache, vm, kernel)) {
        free(group.slm);
        return false;
    }
    memset(group.slm, 0, THREAD_SLM_B);
    stage_start(&stage, &start);
    start.dispatch_mask = start.vector_mask = mask;
    start.denorm_f_retain = true;
    start.user = &env;
    start.counts = kernel->counts;
    eu_thread_init(thread, &start);
    vm_thread_enter();
    *reset = !thread_run_group(thread, 1, &group, &env);
    vm_thread_leave();
    finish_stage(&stage);
    free(group.slm);
    return true;
}
