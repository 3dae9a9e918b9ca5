/* bptc_partitions.h: partitions of BC6H and BC7 blocks, for the decoder and for
 * the kernels of plan/. Constant data. */
#ifndef SAMPLER_FORMAT_BPTC_PARTITIONS_H
#define SAMPLER_FORMAT_BPTC_PARTITIONS_H

#include <stdint.h>

/* Texels of subset 1 and of subset 2; bit 0 is the top left texel. anchor: the
 * texel of each of these subsets whose index has one bit less. In subset 0 it
 * is the first texel. */
struct bptc_partition {
    uint16_t in1, in2;
    uint8_t anchor1, anchor2;
};

/* Partitions into one, two and three subsets. All entries for one subset are
 * equal. */
extern const struct bptc_partition bptc_partitions[3][64];

#endif
