/* queue.h: lifetime of hardware contexts and the end of their queues. Called by
 * engine.c; engine.h declares the calls for drm-shim. Any thread. */
#ifndef ENGINE_QUEUE_QUEUE_H
#define ENGINE_QUEUE_QUEUE_H

#include "engine/state/hw_state.h"

/* Drops a reference to the context. */
void context_unref(struct engine_context *ctx);
/* Waits for all batches except those whose fences never signal, then ends the
 * threads of all contexts. */
void queue_drain(struct engine *engine);
/* In the child of a fork: drops the queue, whose jobs belong to the parent. */
void submit_after_fork(struct engine_context *ctx);

#endif
