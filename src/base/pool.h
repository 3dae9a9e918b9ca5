/* pool.h: the worker threads that execute draws and dispatches. Created by the
 * engine; called by geom/, raster/ and compute/.
 *
 * pool_for() runs fn(ctx, index, worker) for every index in [0, count) and
 * returns when all are done. The caller takes part as worker 0, so a pool of
 * zero threads, and NULL, run everything in the caller. The worker of an index
 * is undefined: results must not depend on it. Several threads may call
 * pool_for() on one pool: while a call has the threads, the others run in their
 * callers alone. fn must not call it. Workers block all signals but the
 * synchronous ones.
 *
 * A thread may tag what it does: workers of its pool_for() have its tag while
 * they run fn, and their own before and after. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

struct pool;

struct pool *pool_create(unsigned threads);
void pool_destroy(struct pool *pool);
/* The calling thread's tag; initially NULL. */
extern __thread void *pool_tag __attribute__((tls_model("initial-exec")));
unsigned pool_workers(const struct pool *pool); /* threads + the caller */
void pool_for(struct pool *pool, unsigned count,
              void (*fn)(void *ctx, unsigned index, unsigned worker),
              void *ctx);

#endif
