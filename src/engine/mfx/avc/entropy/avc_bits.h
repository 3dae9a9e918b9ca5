/* avc_bits.h: reads a slice's bits, whose copy ends with AVC_PADDING_B zeros.
 * Positions stop soon after the end, so a broken slice reads zeros. Inline for
 * avc/. */
#ifndef ENGINE_MFX_AVC_BITS_H
#define ENGINE_MFX_AVC_BITS_H

#include "base/base.h"

#include <endian.h>

#define AVC_PADDING_B 64

struct avc_bits {
    const uint8_t *bytes;
    size_t at, end; /* bits */
};

static inline uint32_t
avc_bits_peek(const struct avc_bits *b, unsigned n)
{
    uint64_t next;
    memcpy(&next, b->bytes + (b->at >> 3), sizeof next);
    return (uint32_t)(be64toh(next) << (b->at & 7) >> (64 - n));
}

static inline void
avc_bits_skip(struct avc_bits *b, unsigned n)
{
    b->at = MIN2(b->at + n, b->end + AVC_PADDING_B * 8 - 128);
}

/* 1 to 32 bits. */
static inline uint32_t
avc_bits_get(struct avc_bits *b, unsigned n)
{
    uint32_t v = avc_bits_peek(b, n);
    avc_bits_skip(b, n);
    return v;
}

/* ue(v), 9.1. UINT32_MAX: more than 31 zeros. */
static inline uint32_t
avc_bits_ue(struct avc_bits *b)
{
    uint32_t next = avc_bits_peek(b, 32);
    if (!next)
        return UINT32_MAX;
    unsigned zeros = (unsigned)__builtin_clz(next);
    avc_bits_skip(b, zeros);
    return avc_bits_get(b, zeros + 1) - 1;
}

/* se(v), 9.1.1. */
static inline int32_t
avc_bits_se(struct avc_bits *b)
{
    uint32_t v = avc_bits_ue(b);
    uint32_t half = v / 2 + (v & 1);
    return (int32_t)(v & 1 ? half : -half);
}

#endif
