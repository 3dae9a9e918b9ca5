/* lower_memory.h: what compiled accesses to memory share: where they give up,
 * and where memory is. */
#ifndef EU_LOWER_MEMORY_H
#define EU_LOWER_MEMORY_H

#include "eu/jit/access.h"

#define ACCESS_THREAD_AT(member) offsetof(struct eu_thread, member)
#define ACCESS_RANGE_AT(member) offsetof(struct mem_range, member)

/* Bits of offsets that the data port ignores. */
#define ACCESS_DWORD_BITS UINT32_C(3)
#define ACCESS_SLM_BITS UINT32_C(0xf0000003)

/* What a vector register has: a part of thread nth's register file or a
 * constant. */
struct jit_kept {
    uint16_t off_B, len_B;
    uint8_t reg, nth;
    bool dirty, is_const;
    uint32_t value;
};

#define JIT_MISS_JUMPS 5

/* Registers that it gives the answer to: up to four channels of 16 lanes, in
 * vectors of the host. */
#define JIT_MISS_ANSWERS 8

struct jit_miss {
    uint32_t op, back, nth;
    uint32_t from[JIT_MISS_JUMPS];
    unsigned from_count, kept_count, answer_count, answer[JIT_MISS_ANSWERS];
    uint8_t flag_at[JIT_MOST_THREADS][2];
    struct jit_kept kept[JIT_VREGS];
};

static inline void
jit_miss_if(struct jit *j, struct jit_miss *m, enum x86_cc cc)
{
    m->from[m->from_count++] = x86_jump(&j->x, cc);
}

/* Bytes of a channel in one of the host's registers. */
static inline unsigned
jit_piece_B(const struct jit *j, const struct access *a)
{
    return j->evex ? a->lanes * 4 : EU_GRF_B;
}

/* An element from memory to a dword. */
static inline enum x86_vop
jit_element_load(const struct access *a)
{
    return a->element_B == 1   ? X86_PMOVZXBD
           : a->element_B == 2 ? X86_PMOVZXWD
                               : X86_MOVUPS_LD;
}

/* Vector registers have what they shall have behind a miss, but for answers. */
void jit_keep(struct jit_miss *m, const struct jit *j);
/* Channels may be off where they keep to themselves. */
void jit_need_all_lanes(struct jit *j, const struct eu_op *op,
                        struct jit_miss *m);
/* rax := the struct mem_range that the message names. */
void jit_load_range(struct jit *j, const struct access *a, struct jit_miss *m);
/* Atomics, lane by lane, in order, at memory rax: what the vectors in register
 * hold goes through the thread's scratch memory. */
void jit_update_lanes(struct jit *j, const struct access *a,
                      const unsigned *offsets, const unsigned *data,
                      struct jit_miss *m);

/* lower_memory_vex.c: reads, writes and atomics for hosts without AVX-512. */
void jit_lower_memory_vex(struct jit *j, const struct eu_op *op,
                          const struct access *a, struct jit_miss *m);

#endif
