/* compute.h: runs dispatches of compute shaders. Called by freeze/, also for
 * engine/run.h; the caller owns the dispatch. */
#ifndef ENGINE_COMPUTE_COMPUTE_H
#define ENGINE_COMPUTE_COMPUTE_H

#include "engine/state/dispatch.h"

/* Runs all groups on dispatch->pool and returns when they have ended. Called in
 * the thread that executes the context's batch. */
void compute_dispatch(const struct dispatch *dispatch);

#endif
