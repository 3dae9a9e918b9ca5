/* astc_integers.h: integer sequences of ASTC, and their conversion to colours
 * and weights. Pure functions. Format: Khronos Data Format Specification,
 * "ASTC". */
#ifndef SAMPLER_FORMAT_ASTC_INTEGERS_H
#define SAMPLER_FORMAT_ASTC_INTEGERS_H

#include "sampler/format/texel_block.h"

/* A range of integers: bits, and at most one of a trit and a quint above. */
struct astc_range {
    uint8_t trit, quint, bits;
};

/* Ordered by range, from 0..1 to 0..255. */
#define ASTC_RANGES 21
#define ASTC_RANGE_6 4 /* 0..5, the smallest range of colours */
extern const struct astc_range astc_ranges[ASTC_RANGES];

/* Size of `count` integers in bits. */
unsigned astc_integers_size(struct astc_range r, unsigned count);
/* Reads `count` integers of a range from bit `at`; bits from `end` on are zero.
 * low[] gets the bits of each integer, high[] its trit or quint. */
void astc_integers_read(const uint64_t bits[2], unsigned at, unsigned end,
                        struct astc_range r, unsigned count, uint8_t *low,
                        uint8_t *high);
/* Unquantises an integer to 0..255, or to a weight of 0..64. */
int astc_integers_to_color(struct astc_range r, unsigned low, unsigned digit);
uint8_t astc_integers_to_weight(struct astc_range r, unsigned low,
                                unsigned digit);

#endif
