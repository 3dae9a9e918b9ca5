/* half.h: 16-bit floats (IEEE 754 binary16), bit exact on every host and in
 * every float mode, by integer arithmetic only. Called by the EU's HF and VF
 * types, formats of the sampler and of render targets, and the command line.
 * Floats are passed as their bits. Pure; any thread. */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include "base/base.h"

/* Exact conversion to F: denormals become normal numbers, NaNs keep their
 * bits. */
static inline uint32_t
half_widen(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, exp = (h >> 10) & 31, man = h & 0x3ff;
    if (exp == 31)
        return sign | 0x7f800000 | man << 13;
    if (exp)
        return sign | (exp + 112) << 23 | man << 13;
    if (!man)
        return sign;
    unsigned shift = (unsigned)__builtin_clz(man) - 21;
    return sign | (113 - shift) << 23 | ((man << (shift + 13)) & 0x7fffff);
}

/* As half_widen(), but signalling NaNs become quiet. */
static inline uint32_t
half_to_f_bits(uint32_t h)
{
    return half_widen(h) | ((h & 0x7fff) > 0x7c00 ? 0x400000 : 0);
}

/* F to half. rounding: 0 nearest even, 1 up, 2 down, 3 zero. */
static inline uint32_t
half_from_f_bits(uint32_t f, unsigned rounding)
{
    uint32_t sign = (f >> 16) & 0x8000, abs = f & 0x7fffffff;
    if (abs > 0x7f800000)
        return sign | 0x7e00 | ((abs >> 13) & 0x3ff);
    if (abs == 0x7f800000)
        return sign | 0x7c00;

    bool away = rounding == (sign ? 2u : 1u);
    uint32_t exp = abs >> 23, kept;
    uint64_t rest, half;
    if (exp >= 113) {
        kept = (abs - (112u << 23)) >> 13;
        rest = abs & 0x1fff;
        half = 0x1000;
    } else {
        /* Denormal: 0x800000 shifted right by 13 is 2^-14. */
        unsigned shift = exp ? 126 - exp : 125;
        uint64_t man = (abs & 0x7fffff) | (exp ? 0x800000 : 0);
        shift = MIN2(shift, 40);
        kept = (uint32_t)(man >> shift);
        rest = man & ((UINT64_C(1) << shift) - 1);
        half = UINT64_C(1) << (shift - 1);
    }
    if (rounding == 0)
        kept += rest > half || (rest == half && (kept & 1));
    else
        kept += away && rest;
    if (kept >= 0x7c00) /* overflow */
        kept = rounding == 0 || away ? 0x7c00 : 0x7bff;
    return sign | kept;
}

/* Double to F, rounded to odd: a sticky bit keeps the lost bits, so that a
 * second rounding, to HF, gives the result of a single one. Values outside HF's
 * range become the largest or the smallest normal number of their sign. */
static inline uint32_t
half_odd_f_bits_from_double(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    uint32_t sign = (uint32_t)(u >> 32) & 0x80000000;
    uint64_t abs = u & INT64_MAX;
    if (abs > UINT64_C(0x7ff0000000000000))
        return sign | 0x7fc00000 | ((uint32_t)(abs >> 29) & 0x3fffff);
    if (abs == UINT64_C(0x7ff0000000000000))
        return sign | 0x7f800000;
    if (!abs)
        return sign;
    uint64_t exp = abs >> 52;
    if (exp < 1023 - 126)
        return sign | 0x00800000;
    if (exp > 1023 + 127)
        return sign | 0x7f7fffff;
    return sign | (uint32_t)(exp - 896) << 23 |
           ((uint32_t)(abs >> 29) & 0x7fffff) | ((abs & 0x1fffffff) != 0);
}

/* The restricted 8-bit float of VF immediates. */
static inline uint32_t
half_vf_to_f_bits(uint32_t vf)
{
    uint32_t sign = (vf & 0x80) << 24;
    if (!(vf & 0x7f))
        return sign;
    return sign | (((vf >> 4) & 7) + 124) << 23 | (vf & 15) << 19;
}

#endif
