/* core.h: the bottom of the engine: reference count, worker pool, clock and
 * ring locks. Used by every room of the engine. Any thread; the fields of
 * struct engine name their locks. */
#ifndef ENGINE_CORE_CORE_H
#define ENGINE_CORE_CORE_H

#include "engine/core/ring.h"
#include "engine/engine.h"
#include "sampler/sampler.h"

#include <pthread.h>

struct oa;

struct engine {
    struct engine_config config;
    atomic_uint refs;
    /* Set by engine_create(), because core/ may not call the rooms above it.
     * before_unmap runs while the memory is still mapped, after_change after
     * the mapping has changed. */
    void (*free_engine)(struct engine *engine);
    void (*before_unmap)(struct engine_vm *vm, const void *ptr,
                         uint64_t size_B);
    void (*after_change)(struct engine *engine, const void *ptr,
                         uint64_t size_B);
    pthread_mutex_t lock; /* protects contexts and their queues */
    pthread_cond_t idle; /* a queue became empty or half empty, or its job waits
                            for fences */
    struct engine_context *contexts;
    bool dead; /* engine_destroy() has begun: drop jobs that do not run yet */
    struct ring ring[ENGINE_RING_COUNT];
    pthread_mutex_t pool_lock;
    struct pool *pool; /* created on first use, and again after a fork */
    bool pool_failed;  /* no memory then: NULL until the next fork */
    /* Knowledge about memory contents is valid for one epoch: see
     * vm_is_ours(). */
    atomic_uint_fast64_t epoch;
    struct aux_table *aux;               /* aux_state.c; NULL: out of memory */
    atomic_uint_fast64_t batches;        /* batches begun */
    struct engine_context *_Atomic last; /* ran on ENGINE_RCS last */
    atomic_bool forked;
    atomic_uint_fast64_t draw_id;
    atomic_uint_fast64_t work;         /* see engine_work() */
    atomic_uint_fast64_t shader_clock; /* see draw_stage_common() */
    atomic_uint contexts_made;
    _Atomic(struct oa *) oa; /* oa/; NULL until a stream is enabled */
    /* Last colour target, for engine_last_target(). */
    pthread_mutex_t target_lock;
    struct engine_vm *target_vm;
    struct surface target;
    unsigned target_level;
    /* Copy of the target's pixels, taken when its memory is unmapped, if
     * config.keep_target. */
    uint8_t *target_rgba;
    uint32_t target_width, target_height;
};

/* Drops a reference; the last one frees the engine. */
void engine_unref(struct engine *engine);
/* The worker pool, created on first use. NULL, if there was no memory for it:
 * no workers, and their number stays. */
struct pool *engine_pool(struct engine *engine);

#endif
