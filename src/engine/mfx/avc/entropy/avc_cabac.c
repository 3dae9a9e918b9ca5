/* avc_cabac.c: the arithmetic decoder's start, and residual blocks. ITU-T
 * H.264, 9.3. */
#include "engine/mfx/avc/entropy/entropy.h"

#define RANGE_START 510
#define PREFIX_MAX 14 /* ones of coeff_abs_level_minus1's prefix */
#define SUFFIX_MAX 20 /* of its suffix: more than any level of 8 bits has */

static const int8_t init_mn[AVC_CONTEXTS][4][2] = {
#include "engine/mfx/avc/entropy/cabac_init.inc"
};

void
avc_cabac_init_states(struct avc_cabac *c, unsigned column, int qp)
{
    for (unsigned i = 0; i < AVC_CONTEXTS; i++) {
        const int8_t *mn = init_mn[i][column];
        int pre = ((mn[0] * CLAMP(qp, 0, 51)) >> 4) + mn[1];
        pre = CLAMP(pre, 1, 126);
        c->state[i] = (uint8_t)(pre <= 63 ? (63 - pre) << 1
                                          : (pre - 64) << 1 | 1);
    }
}

void
avc_cabac_start(struct avc_cabac *c, const uint8_t *bytes, const uint8_t *end)
{
    c->begin = bytes;
    c->arith = (struct avc_arith){
        .range = RANGE_START, .bits = -9, .at = bytes, .end = end};
    avc_arith_refill(&c->arith);
}

const uint8_t *
avc_cabac_position(const struct avc_cabac *c)
{
    ptrdiff_t taken = (c->arith.at - c->begin) * 8 - c->arith.bits;
    return c->begin + (taken + 7) / 8;
}

/* ---- residual blocks ---- */

/* Of significant_coeff_flag and last_significant_coeff_flag, frame and field;
 * of coeff_abs_level_minus1. Tables 9-34 and 9-40. */
static const uint16_t first_significant[2][AVC_CATS] = {
    {105, 120, 134, 149, 152, 402}, {277, 292, 306, 321, 324, 436}};
static const uint16_t first_last[2][AVC_CATS] = {
    {166, 181, 195, 210, 213, 417}, {338, 353, 367, 382, 385, 451}};
static const uint16_t first_level[AVC_CATS] = {227, 237, 247, 257, 266, 426};

/* Contexts of 8x8 blocks by position, table 9-43. */
static const uint8_t significant_8x8[2][63] = {
    {0,  1,  2,  3,  4,  5,  5,  4, 4,  3,  3,  4,  4,  4,  5, 5,
     4,  4,  4,  4,  3,  3,  6,  7, 7,  7,  8,  9,  10, 9,  8, 7,
     7,  6,  11, 12, 13, 11, 6,  7, 8,  9,  14, 10, 9,  8,  6, 11,
     12, 13, 11, 6,  9,  14, 10, 9, 11, 12, 13, 11, 14, 10, 12},
    {0, 1,  1,  2,  2,  3,  3,  4,  5,  6,  7,  7,  7,  8,  4,  5,
     6, 9,  10, 10, 8,  11, 12, 11, 9,  9,  10, 10, 8,  11, 12, 11,
     9, 9,  10, 10, 8,  11, 12, 11, 9,  9,  10, 10, 8,  13, 13, 9,
     9, 10, 10, 8,  13, 13, 9,  9,  10, 10, 14, 14, 14, 14, 14}};
static const uint8_t last_8x8[63] = {
    0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4,
    4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8};

/* Positions of coefficients that are not zero; returns how many. */
static inline unsigned
read_map(struct avc_arith *a, uint8_t *significant, uint8_t *last, unsigned max,
         uint8_t *at)
{
    unsigned count = 0;
    for (unsigned i = 0; i + 1 < max; i++) {
        if (!avc_arith_get(a, significant + i))
            continue;
        at[count++] = (uint8_t)i;
        if (avc_arith_get(a, last + i))
            return count;
    }
    at[count++] = (uint8_t)(max - 1);
    return count;
}

/* Of an 8x8 block, whose positions share contexts. */
static unsigned
read_map_8x8(struct avc_arith *a, uint8_t *significant, uint8_t *last,
             const uint8_t *context, uint8_t *at)
{
    unsigned count = 0;
    for (unsigned i = 0; i < 63; i++) {
        if (!avc_arith_get(a, significant + context[i]))
            continue;
        at[count++] = (uint8_t)i;
        if (avc_arith_get(a, last + last_8x8[i]))
            return count;
    }
    at[count++] = 63;
    return count;
}

/* The bypass part of coeff_abs_level_minus1: Exp-Golomb, k = 0. */
static unsigned
read_suffix(struct avc_arith *a)
{
    unsigned value = 0, k = 0;
    for (; k < SUFFIX_MAX && avc_arith_bypass(a); k++)
        value += 1u << k;
    while (k--)
        value += avc_arith_bypass(a) << k;
    return value;
}

/* base: contexts of levels. limit: of the last one of their prefixes. */
static inline void
read_levels(struct avc_arith *a, uint8_t *base, unsigned limit, unsigned count,
            int16_t *level)
{
    unsigned ones = 0, greater = 0;
    for (unsigned i = count; i--;) {
        unsigned first = greater ? 0 : MIN2(4u, 1 + ones);
        unsigned size = 1;
        if (avc_arith_get(a, base + first)) {
            uint8_t *more = base + 5 + MIN2(limit, greater);
            for (size = 2; size <= PREFIX_MAX && avc_arith_get(a, more);)
                size++;
            if (size > PREFIX_MAX)
                size += read_suffix(a);
            greater++;
        } else {
            ones++;
        }
        level[i] = (int16_t)(avc_arith_bypass(a) ? -(int)size : (int)size);
    }
}

unsigned
avc_cabac_block(struct avc_cabac *c, unsigned cat, bool field, unsigned max,
                struct avc_levels *out)
{
    struct avc_arith a = c->arith;
    uint8_t *significant = c->state + first_significant[field][cat];
    uint8_t *last = c->state + first_last[field][cat];
    unsigned count;
    if (cat == AVC_CAT_8X8)
        count = read_map_8x8(&a, significant, last, significant_8x8[field],
                             out->at);
    else
        count = read_map(&a, significant, last, max, out->at);
    read_levels(&a, c->state + first_level[cat],
                cat == AVC_CAT_CHROMA_DC ? 3 : 4, count, out->level);
    c->arith = a;
    return count;
}
