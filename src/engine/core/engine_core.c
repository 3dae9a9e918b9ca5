/* engine_core.c: references, worker pool, clock. */
#include "engine/core/core.h"

#include "base/fpmode.h"
#include "base/pool.h"

#include <time.h>

struct pool *
engine_pool(struct engine *engine)
{
    pthread_mutex_lock(&engine->pool_lock);
    if (!engine->pool && !engine->pool_failed) {
        /* New threads inherit the creator's rounding and denormal modes;
         * workers must not depend on the modes that the application has set. */
        uint32_t csr = fpmode_get();
        fpmode_set(FPMODE_DEFAULT);
        /* The thread that executes the batch counts as one. */
        unsigned threads = engine->config.threads;
        engine->pool = pool_create(threads ? threads - 1 : 0);
        fpmode_set(csr);
        engine->pool_failed = !engine->pool;
    }
    struct pool *pool = engine->pool;
    pthread_mutex_unlock(&engine->pool_lock);
    return pool;
}

uint64_t
engine_timestamp(struct engine *engine)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t hz = engine->config.timestamp_hz;
    uint64_t ticks = (uint64_t)now.tv_sec * hz +
                     (uint64_t)now.tv_nsec * hz / UINT64_C(1000000000);
    return ticks & ENGINE_TIMESTAMP_MASK;
}

void
engine_unref(struct engine *engine)
{
    if (atomic_fetch_sub(&engine->refs, 1) == 1)
        engine->free_engine(engine);
}
