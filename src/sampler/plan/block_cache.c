/* block_cache.c: a cache of decoded blocks, keyed by their compressed bits. */
#include "sampler/plan/block_cache.h"

#include <stdlib.h>

struct block_cache *
block_cache_new(void)
{
    size_t size_B = ALIGN_POT(sizeof(struct block_cache), 64);
    struct block_cache *blocks = aligned_alloc(64, size_B);
    if (blocks)
        memset(blocks->key, 0, sizeof blocks->key);
    return blocks;
}

void
block_cache_free(struct block_cache *blocks)
{
    free(blocks);
}

float *
block_cache_miss(struct block_cache *blocks, unsigned slot, float *to,
                 const struct block_cache_key *key, const float *const held[4],
                 unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (held[i] == to)
            return blocks->spare[count][0];
    blocks->key[slot] = *key;
    return to;
}

void
block_cache_decode(const struct block_cache_key *key, float to[64])
{
    union color texel[FORMAT_BLOCK_TEXELS];
    format_decode_texels(key->fmt, key->bits, texel);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned c = 0; c < 4; c++)
            to[16 * c + i] = texel[i].f[c];
}

void
block_cache_decode_bytes(const struct block_cache_key *key, uint32_t to[16])
{
    union color texel[FORMAT_BLOCK_TEXELS];
    format_decode_texels(key->fmt, key->bits, texel);
    for (unsigned i = 0; i < 16; i++) {
        to[i] = 0;
        for (unsigned c = 0; c < 4; c++)
            to[i] |= (uint32_t)(texel[i].f[c] * 255.0f + 0.5f) << 8 * c;
    }
}
