/* engine.c: creation, destruction and fork of the engine. */
#include "engine/engine.h"

#include "base/pool.h"
#include "engine/oa/oa.h"
#include "engine/state/aux_state.h"
#include "engine/queue/queue.h"
#include "engine/scanout/scanout.h"

#include <stdlib.h>

/* i915 gives up on a request after some seconds without progress. */
#define HANG_LIMIT_MS 10000

static void
free_engine(struct engine *engine)
{
    pool_destroy(engine->pool);
    aux_table_destroy(engine->aux);
    oa_free(atomic_load(&engine->oa));
    pthread_mutex_destroy(&engine->lock);
    pthread_mutex_destroy(&engine->pool_lock);
    pthread_mutex_destroy(&engine->target_lock);
    pthread_cond_destroy(&engine->idle);
    for (unsigned i = 0; i < ENGINE_RING_COUNT; i++)
        ring_finish(&engine->ring[i]);
    free(engine);
}

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
    engine->free_engine = free_engine;
    engine->before_unmap = target_unmap;
    engine->after_change = aux_forget;
    pthread_mutex_init(&engine->lock, NULL);
    pthread_mutex_init(&engine->pool_lock, NULL);
    pthread_mutex_init(&engine->target_lock, NULL);
    pthread_cond_init(&engine->idle, NULL);
    for (unsigned i = 0; i < ENGINE_RING_COUNT; i++)
        ring_init(&engine->ring[i]);
    engine->aux = aux_table_create();
    vm_init();
    return engine;
}

uint64_t
engine_work(struct engine *engine)
{
    return atomic_load(&engine->work);
}

void
engine_trace_coverage(void)
{
    if (trace_on(TRACE_eu))
        eu_trace_fallbacks();
}

void
engine_before_fork(struct engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    pthread_mutex_lock(&engine->pool_lock);
    pthread_mutex_lock(&engine->target_lock);
    aux_before_fork(engine);
}

static void
release_locks(struct engine *engine)
{
    atomic_store(&engine->forked, true);
    aux_after_fork(engine);
    pthread_mutex_unlock(&engine->target_lock);
    pthread_mutex_unlock(&engine->pool_lock);
    pthread_mutex_unlock(&engine->lock);
}

void
engine_after_fork_parent(struct engine *engine)
{
    release_locks(engine);
}

void
engine_after_fork(struct engine *engine)
{
    release_locks(engine);
    /* Only the forking thread exists in the child. The parent's threads keep
     * the locks of batches and finish work in flight, because GPU memory is
     * shared with the parent. */
    pthread_cond_init(&engine->idle, NULL);
    for (unsigned i = 0; i < ENGINE_RING_COUNT; i++)
        ring_init(&engine->ring[i]);
    vm_fault_after_fork();
    oa_after_fork(engine);
    engine->pool = NULL;
    engine->pool_failed = false;
    for (struct engine_context *ctx = engine->contexts; ctx; ctx = ctx->next)
        submit_after_fork(ctx);
}

void
engine_destroy(struct engine *engine)
{
    if (!engine)
        return;
    queue_drain(engine);
    target_forget(engine);
    engine_unref(engine);
}
