/* stage_cache.h: decoded surfaces and samplers of one stage of one draw.
 * Reading takes no lock; the first thread that needs an entry decodes it.
 * Made by draw.c and dispatch.c, used by stage.c and msg/sampler_prepare.c. */
#ifndef ENGINE_STAGE_CACHE_H
#define ENGINE_STAGE_CACHE_H

#include "base/arena.h"
#include "engine/stage.h"

#include <pthread.h>

#define STAGE_CACHE_BUCKETS 64
#define STAGE_CACHE_WORKERS 64
#define STAGE_CACHE_USUAL 64

/* An entry found by state offset rather than by index. */
struct stage_cached_surface {
    struct surface surface;
    uint32_t offset_B;
    struct stage_cached_surface *next;
};

struct stage_cached_sampler {
    struct sampler sampler;
    uint32_t offset_B;
    struct stage_cached_sampler *next;
};

/* Decoded lately, by any draw: most surfaces come again with the same bytes. */
#define STAGE_RECENT_SURFACES 16
struct stage_recent_surface {
    uint32_t rss[16];
    struct surface surface; /* fmt NULL: none */
};

struct prepared_message; /* msg/sampler_prepare.c */
struct sample_blocks;

struct stage_cache {
    bool used; /* something has been decoded since the last reset */
    /* Itself, or the one that has these for several caches: */
    struct stage_cache *common;
    pthread_mutex_t lock; /* for writers */
    struct stage_recent_surface recent[STAGE_RECENT_SURFACES];
    /* Each worker's own, made when it first needs them; they outlive draws. */
    struct sample_blocks *blocks[STAGE_CACHE_WORKERS];
    /* Each cache's own: */
    struct arena arena;
    _Atomic(struct surface *) surface[STAGE_BTI_COUNT];
    _Atomic(struct sampler *) sampler[STAGE_SAMPLER_COUNT];
    _Atomic(struct stage_cached_surface *) bindless[STAGE_CACHE_BUCKETS];
    _Atomic(struct stage_cached_sampler *) by_state[STAGE_CACHE_BUCKETS];
    _Atomic(struct prepared_message *) message[STAGE_CACHE_BUCKETS];
    atomic_uint message_count;
    /* Those of a common form, by their descriptor: later ones replace earlier
     * ones. */
    _Atomic(struct prepared_message *) usual[STAGE_CACHE_USUAL];
    /* Those that compiled code answers without asking: eu_start.direct. */
    _Atomic(const struct eu_direct *) direct[EU_DIRECTS];
};

/* common: NULL for one of its own. */
void stage_cache_init(struct stage_cache *cache, struct stage_cache *common);
void stage_cache_finish(struct stage_cache *cache);
/* Forgets everything: for the next draw. No other thread may be using it. */
void stage_cache_reset(struct stage_cache *cache);

#endif
