/* stage_cache.h: decoded surfaces and samplers of one stage of one draw.
 * Readers take no lock; the first thread that needs an entry decodes it. Owned
 * by freeze/, used by stage.c and msg/sampler_prepare.c. Any worker. */
#ifndef ENGINE_STATE_STAGE_CACHE_H
#define ENGINE_STATE_STAGE_CACHE_H

#include "base/arena.h"
#include "engine/state/stage.h"

#include <pthread.h>

#define STAGE_CACHE_BUCKETS 64
#define STAGE_CACHE_WORKERS 64
#define STAGE_CACHE_USUAL 64

/* Entries found by state offset instead of by index. */
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

/* Recently decoded by any draw, because most surfaces recur with the same
 * bytes. */
#define STAGE_RECENT_SURFACES 16
struct stage_recent_surface {
    uint32_t rss[16];
    struct surface surface; /* fmt NULL: none */
    unsigned places;        /* engine_vm.places for which it is valid */
    /* The aux_generation() for which its clear blocks are filled. */
    uint64_t bound;
};

struct prepared_message; /* msg/sampler_prepare.c */
struct block_cache;

struct stage_cache {
    bool used; /* an entry has been decoded since the last reset */
    /* The cache that holds the next three fields: itself or, for several
     * caches, a shared one. */
    struct stage_cache *common;
    pthread_mutex_t lock; /* for writers */
    struct stage_recent_surface recent[STAGE_RECENT_SURFACES];
    /* One per worker, created on first use; they outlive draws. */
    struct block_cache *blocks[STAGE_CACHE_WORKERS];
    /* Not shared: */
    struct arena arena;
    _Atomic(struct surface *) surface[STAGE_BTI_COUNT];
    _Atomic(struct sampler *) sampler[STAGE_SAMPLER_COUNT];
    _Atomic(struct stage_cached_surface *) bindless[STAGE_CACHE_BUCKETS];
    _Atomic(struct stage_cached_sampler *) by_state[STAGE_CACHE_BUCKETS];
    _Atomic(struct prepared_message *) message[STAGE_CACHE_BUCKETS];
    atomic_uint message_count;
    /* Messages of a common form, by a hash of their descriptor; later ones
     * replace earlier ones. */
    _Atomic(struct prepared_message *) usual[STAGE_CACHE_USUAL];
    /* Messages that compiled code answers without a call of send():
     * eu_start.direct. */
    _Atomic(const struct eu_direct *) direct[EU_DIRECTS];
};

/* common: the cache to share with, or NULL. */
void stage_cache_init(struct stage_cache *cache, struct stage_cache *common);
void stage_cache_finish(struct stage_cache *cache);
/* Empties the cache for the next draw. No other thread may use it meanwhile. */
void stage_cache_reset(struct stage_cache *cache);

#endif
