/* bptc.h: what all decoders of BC6H and BC7 share. Internal. */
#ifndef SAMPLER_BPTC_H
#define SAMPLER_BPTC_H

#include <stdint.h>

/* Which texels belong to subset 1 and 2, bit 0 the top left one, and which
 * texel of these subsets has an index of one bit less ("anchor"); the first
 * texel always has. */
struct bptc_partition {
    uint16_t in1, in2;
    uint8_t anchor1, anchor2;
};

/* Of one, two and three subsets; those of one are all alike. */
extern const struct bptc_partition bptc_partitions[3][64];

#endif
