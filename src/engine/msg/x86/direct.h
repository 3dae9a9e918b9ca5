/* direct.h: the worker's block cache, if it has one; part of direct_*.c. */
#ifndef ENGINE_MSG_DIRECT_H
#define ENGINE_MSG_DIRECT_H

#include "engine/msg/sampler_prepared.h"

static inline struct block_cache *
made_blocks(const struct thread_env *env)
{
    return env->worker < STAGE_CACHE_WORKERS
               ? env->stage->cache->common->blocks[env->worker]
               : NULL;
}

#endif
