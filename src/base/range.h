/* range.h: memory in which many lanes look at once, each at an offset of its
 * own, with the bounds ready to be compared with. Plain data. */
#ifndef BASE_RANGE_H
#define BASE_RANGE_H

#include "base/base.h"

struct mem_range {
    uint8_t *mem;
    /* The first offset from which 1, 2, 3, 4 dwords are not inside; 0 where
     * there is none that they are inside from. */
    uint32_t end_B[4];
    /* The same for 4 dwords of memory that is read as vectors. */
    uint32_t vector_end_B;
};

/* Offsets are added to as signed numbers. */
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
