/* base.h: small helpers that every room may use; independent of the hardware.
 * Safe on any thread. */
#ifndef BASE_H
#define BASE_H

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN2(a, b) ((a) < (b) ? (a) : (b))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, lo, hi) ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#define ALIGN_POT(x, a) (((x) + (a)-1) & ~((__typeof__(x))(a)-1))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

static inline uint32_t
bits_get(uint32_t value, unsigned lo, unsigned hi)
{
    return (value >> lo) & (uint32_t)((UINT64_C(1) << (hi - lo + 1)) - 1);
}

/* Moves the low bits of v, in order, to the ones of the mask. */
static inline uint32_t
bits_deposit(uint32_t v, uint32_t mask)
{
    uint32_t out = 0;
    for (; mask; mask &= mask - 1, v >>= 1)
        out |= v & 1 ? mask & -mask : 0;
    return out;
}

static inline float
float_from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint32_t
bits_from_float(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

#include "base/log.h"
#include "base/stats.h"

#endif
