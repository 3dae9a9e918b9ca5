/* blocks.c: decoded blocks, found again by what they were decoded from. */
#include "sampler/plan.h"

#include <stdlib.h>

struct sample_blocks *
sample_blocks_new(void)
{
    size_t size_B = ALIGN_POT(sizeof(struct sample_blocks), 64);
    struct sample_blocks *blocks = aligned_alloc(64, size_B);
    if (blocks)
        memset(blocks->key, 0, sizeof blocks->key);
    return blocks;
}

void
sample_blocks_free(struct sample_blocks *blocks)
{
    free(blocks);
}

float *
sample_block_miss(struct sample_blocks *blocks, unsigned slot, float *to,
                  const struct sample_block_key *key,
                  const float *const held[4], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (held[i] == to)
            return blocks->spare[count][0];
    blocks->key[slot] = *key;
    return to;
}

void
sample_block_decode(const struct sample_block_key *key, float to[64])
{
    union color texel[FORMAT_BLOCK_TEXELS];
    format_decode_texels(key->fmt, key->bits, texel);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned c = 0; c < 4; c++)
            to[16 * c + i] = texel[i].f[c];
}

void
sample_block_decode_bytes(const struct sample_block_key *key, uint32_t to[16])
{
    union color texel[FORMAT_BLOCK_TEXELS];
    format_decode_texels(key->fmt, key->bits, texel);
    for (unsigned i = 0; i < 16; i++) {
        to[i] = 0;
        for (unsigned c = 0; c < 4; c++)
            to[i] |= (uint32_t)(texel[i].f[c] * 255.0f + 0.5f) << 8 * c;
    }
}
