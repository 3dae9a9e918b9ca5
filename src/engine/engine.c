/* engine.c: the engine as a whole: life, workers, clock, fork. */
#include "engine/engine.h"

#include "base/fpmode.h"
#include "base/pool.h"
#include "engine/state.h"

#include <stdlib.h>
#include <time.h>

/* i915 gives up on a request after some seconds without progress. */
#define HANG_LIMIT_MS 10000

struct engine *
engine_create(const struct engine_config *config)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->config = *config;
    if (!engine->config.timestamp_hz)
        engine->config.timestamp_hz = 12000000;
    if (!engine->config.hang_limit_ms)
        engine->config.hang_limit_ms = HANG_LIMIT_MS;
    engine->refs = 1;
    pthread_mutex_init(&engine->lock, NULL);
    pthread_mutex_init(&engine->pool_lock, NULL);
    pthread_mutex_init(&engine->target_lock, NULL);
    pthread_cond_init(&engine->idle, NULL);
    for (unsigned i = 0; i < ENGINE_RING_COUNT; i++)
        pthread_mutex_init(&engine->ring[i], NULL);
    vm_init();
    return engine;
}

void
engine_unref(struct engine *engine)
{
    if (atomic_fetch_sub(&engine->refs, 1) != 1)
        return;
    pool_destroy(engine->pool);
    pthread_mutex_destroy(&engine->lock);
    pthread_mutex_destroy(&engine->pool_lock);
    pthread_mutex_destroy(&engine->target_lock);
    pthread_cond_destroy(&engine->idle);
    for (unsigned i = 0; i < ENGINE_RING_COUNT; i++)
        pthread_mutex_destroy(&engine->ring[i]);
    free(engine);
}

struct pool *
engine_pool(struct engine *engine)
{
    pthread_mutex_lock(&engine->pool_lock);
    if (!engine->pool) {
        /* New threads inherit the creator's rounding and denormal modes;
         * ours must not depend on what the application has set. */
        uint32_t csr = fpmode_get();
        fpmode_set(FPMODE_DEFAULT);
        /* The streamer is one of them. */
        unsigned threads = engine->config.threads;
        engine->pool = pool_create(threads ? threads - 1 : 0);
        fpmode_set(csr);
    }
    struct pool *pool = engine->pool;
    pthread_mutex_unlock(&engine->pool_lock);
    return pool;
}

void
engine_trace_coverage(void)
{
    if (trace_on(TRACE_eu))
        eu_trace_coverage();
}

void
engine_after_fork_parent(struct engine *engine)
{
    atomic_store(&engine->forked, true);
}

void
engine_after_fork(struct engine *engine)
{
    engine_after_fork_parent(engine);
    /* Only the forking thread exists here. Whatever the others held or were
     * doing is theirs, in the parent: memory is shared with it, so work in
     * flight is finished there. */
    pthread_mutex_init(&engine->lock, NULL);
    pthread_mutex_init(&engine->pool_lock, NULL);
    pthread_mutex_init(&engine->target_lock, NULL);
    pthread_cond_init(&engine->idle, NULL);
    for (unsigned i = 0; i < ENGINE_RING_COUNT; i++)
        pthread_mutex_init(&engine->ring[i], NULL);
    vm_fault_after_fork();
    engine->pool = NULL;
    for (struct engine_context *ctx = engine->contexts; ctx; ctx = ctx->next)
        submit_after_fork(ctx);
}

uint64_t
engine_timestamp(struct engine *engine)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t hz = engine->config.timestamp_hz;
    uint64_t ticks = (uint64_t)now.tv_sec * hz +
                     (uint64_t)now.tv_nsec * hz / UINT64_C(1000000000);
    return ticks & ((UINT64_C(1) << 36) - 1);
}
