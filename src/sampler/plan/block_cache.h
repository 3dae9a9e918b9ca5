/* block_cache.h: a cache of decoded blocks of compressed textures, keyed by
 * their bits.
 *
 * Who calls: the engine makes a cache for each worker and passes it to plans
 * whose sample_plan.blocks asks for it; the plans' kernels look blocks up. One
 * thread uses a cache at a time. Its maker frees it. */
#ifndef SAMPLER_PLAN_BLOCK_CACHE_H
#define SAMPLER_PLAN_BLOCK_CACHE_H

#include "sampler/format/format.h"

#define BLOCK_CACHE_SLOTS_LOG2 9
#define BLOCK_CACHE_SLOTS (1 << BLOCK_CACHE_SLOTS_LOG2)

/* Decoded blocks: floats channel by channel, or texels of four bytes. Only a
 * block's bits and its format decide its texels, so bits and format are the
 * key. Kernels read the bits from the texture for every message. So a change of
 * the texture is always seen, and no entry is ever invalidated. */
struct block_cache_key {
    uint64_t bits[2];              /* the second is 0 if a block has 8 bytes */
    const struct format_info *fmt; /* NULL: nothing in this slot */
};

struct block_cache {
    struct block_cache_key key[BLOCK_CACHE_SLOTS];
    alignas(64) float texel[BLOCK_CACHE_SLOTS][4][16];
    float bytes[BLOCK_CACHE_SLOTS][16]; /* for formats decoded to bytes */
    float spare[4][4][16];              /* for blocks whose slots are held */
};

/* The engine makes one per worker. NULL if there is no memory. */
struct block_cache *block_cache_new(void);
void block_cache_free(struct block_cache *blocks);
/* Chooses where to decode a block that is not cached: its slot, or `spare` if a
 * held block occupies that slot. */
float *block_cache_miss(struct block_cache *blocks, unsigned slot, float *to,
                        const struct block_cache_key *key,
                        const float *const held[4], unsigned count);
/* Any format: four channels of 16 texels, row by row. */
void block_cache_decode(const struct block_cache_key *key, float to[64]);
/* Formats decoded to bytes: 16 texels, red lowest. */
void block_cache_decode_bytes(const struct block_cache_key *key,
                              uint32_t to[16]);

/* Returns a block's texels, or with `found` false the place where the caller
 * must decode it; later calls find it there. The first `count` entries of
 * `held`, at most three, are not overwritten. `bytes`: the format is decoded to
 * bytes. */
static inline float *
block_cache_find(struct block_cache *blocks, bool bytes,
                 const struct block_cache_key *key, const float *const held[4],
                 unsigned count, bool *found)
{
    uint64_t hash = (key->bits[0] ^ key->bits[1] * 5) *
                    UINT64_C(0x9e3779b97f4a7c15);
    unsigned slot = (unsigned)(hash >> (64 - BLOCK_CACHE_SLOTS_LOG2));
    const struct block_cache_key *have = &blocks->key[slot];
    *found = have->bits[0] == key->bits[0] && have->bits[1] == key->bits[1] &&
             have->fmt == key->fmt;
    float *to = bytes ? blocks->bytes[slot] : blocks->texel[slot][0];
    return *found ? to : block_cache_miss(blocks, slot, to, key, held, count);
}

#endif
