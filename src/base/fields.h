/* fields.h: bit-field access for the headers that gen_pack.py writes.
 * Pure functions, any thread. A field is named by its first and last bit,
 * counted from bit 0 of dw[0]; it may span two dwords. */
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t
fields_get(const uint32_t *dw, unsigned lo, unsigned hi)
{
    unsigned width = hi - lo + 1;
    uint64_t v = dw[lo / 32];
    if (hi / 32 != lo / 32)
        v |= (uint64_t)dw[lo / 32 + 1] << 32;
    v >>= lo % 32;
    return width >= 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static inline void
fields_put(uint32_t *dw, unsigned lo, unsigned hi, uint64_t value)
{
    unsigned width = hi - lo + 1;
    uint64_t mask = width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    mask <<= lo % 32;
    value = (value << (lo % 32)) & mask;
    dw[lo / 32] = (dw[lo / 32] & ~(uint32_t)mask) | (uint32_t)value;
    if (hi / 32 != lo / 32)
        dw[lo / 32 + 1] = (dw[lo / 32 + 1] & ~(uint32_t)(mask >> 32)) |
                          (uint32_t)(value >> 32);
}

static inline int64_t
fields_sext(uint64_t value, unsigned width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

static inline float
fields_float(uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint64_t
fields_from_float(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

#endif
