/* range.h: a memory range for vector accesses, each lane at its own offset,
 * with precomputed bounds. Plain data; filled by stages, read by compiled
 * code. */
#ifndef BASE_RANGE_H
#define BASE_RANGE_H

#include "base/base.h"

struct mem_range {
    uint8_t *mem;
    /* The first offset at which 1, 2, 3, 4 dwords are out of range; 0: they
     * never fit. */
    uint32_t end_B[4];
    /* As end_B[3], for vectors; stateless: as end_B[0], from any base. */
    uint32_t vector_end_B;
};

/* Limit of offsets, because vectors add them as signed numbers. */
#define MEM_RANGE_LIMIT_B UINT64_C(0x7ffffff0)

static inline uint32_t
mem_range_end_B(uint64_t size_B, unsigned dwords)
{
    uint64_t limit_B = MIN2(size_B, MEM_RANGE_LIMIT_B), need_B = dwords * 4u;
    return limit_B < need_B ? 0 : (uint32_t)(limit_B - need_B + 1);
}

static inline struct mem_range
mem_range(uint8_t *mem, uint64_t size_B, uint64_t vector_size_B)
{
    struct mem_range r = {.mem = mem};
    for (unsigned i = 0; i < 4; i++)
        r.end_B[i] = mem_range_end_B(size_B, i + 1);
    r.vector_end_B = mem_range_end_B(vector_size_B, 4);
    return r;
}

#endif
