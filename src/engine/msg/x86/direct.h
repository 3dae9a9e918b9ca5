/* direct.h: the worker's blocks, if it has any; a part of direct_*.c. */
#ifndef ENGINE_MSG_DIRECT_H
#define ENGINE_MSG_DIRECT_H

#include "engine/msg/sampler_prepared.h"

static inline struct sample_blocks *
made_blocks(const struct thread_env *env)
{
    return env->worker < STAGE_CACHE_WORKERS
               ? env->stage->cache->common->blocks[env->worker]
               : NULL;
}

#endif
