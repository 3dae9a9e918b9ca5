/* mfx_bits.h: reads a bitstream from its most significant bit on. After its end
 * come zeros, as the hardware has it. Inline for the decoders of mfx/. */
#ifndef ENGINE_MFX_BITS_H
#define ENGINE_MFX_BITS_H

#include "base/base.h"

#include <endian.h>

struct mfx_bits {
    const uint8_t *at, *end;
    uint64_t window; /* the next bits, from bit 63 down */
    unsigned count;  /* how many of them are valid, at least 56 after a fill */
};

static inline void
mfx_bits_init(struct mfx_bits *b, const uint8_t *bytes, size_t size_B)
{
    *b = (struct mfx_bits){.at = bytes, .end = bytes + size_B};
}

static inline void
mfx_bits_fill(struct mfx_bits *b)
{
    if (b->end - b->at >= 8) {
        uint64_t next;
        memcpy(&next, b->at, sizeof next);
        b->window |= be64toh(next) >> b->count;
        unsigned bytes = (63 - b->count) >> 3;
        b->at += bytes;
        b->count += bytes * 8;
        return;
    }
    for (; b->count <= 56; b->count += 8)
        if (b->at < b->end)
            b->window |= (uint64_t)*b->at++ << (56 - b->count);
}

/* The next 1 to 32 bits. */
static inline uint32_t
mfx_bits_peek(struct mfx_bits *b, unsigned n)
{
    if (b->count < 32)
        mfx_bits_fill(b);
    return (uint32_t)(b->window >> (64 - n));
}

/* Drops n bits that mfx_bits_peek() has seen. */
static inline void
mfx_bits_skip(struct mfx_bits *b, unsigned n)
{
    b->window <<= n;
    b->count -= n;
}

static inline uint32_t
mfx_bits_get(struct mfx_bits *b, unsigned n)
{
    uint32_t v = mfx_bits_peek(b, n);
    mfx_bits_skip(b, n);
    return v;
}

/* A value of n bits, at least 1: without its first bit it is negative. T.81
 * F.2.2.1, EXTEND; H.262 7.2.1. */
static inline int32_t
mfx_signed(uint32_t v, unsigned n)
{
    return v >> (n - 1) ? (int32_t)v : (int32_t)v - (1 << n) + 1;
}

#endif
