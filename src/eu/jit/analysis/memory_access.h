/* memory_access.h: messages that compiled code performs itself as memory
 * accesses. Pure. */
#ifndef EU_JIT_ANALYSIS_MEMORY_ACCESS_H
#define EU_JIT_ANALYSIS_MEMORY_ACCESS_H

#include "eu/jit/analysis/analysis.h"

#define ACCESS_BINDLESS 252u
#define ACCESS_SLM 254u

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC, ACCESS_FENCE };

struct access_atomic {
    uint8_t opcode, modrm, operands;
};

struct access {
    struct jit_send s;
    enum access_kind kind;
    bool vector;
    const struct access_atomic *atomic;
    uint8_t bti;
    uint8_t element_B; /* 1, 2, 4: a channel's size in memory */
    bool any_byte;     /* any byte address; otherwise dwords */
    unsigned lanes, channels;
    unsigned offset_B, data_B; /* of offsets and data, in the register file */
};

/* False: compiled code sends the message. */
bool jit_find_access(struct access *a, const struct eu_op *op);

/* Whether the op signals a barrier and the next one waits for it. */
bool jit_signals(const struct jit_facts *f, uint32_t index);
/* Whether the thread accesses no memory before its next barrier. The barrier
 * orders the accesses of all of its threads. */
bool jit_barrier_fences(const struct jit_facts *f, uint32_t index);

/* Distance of neighbouring elements. */
static inline unsigned
access_step_B(const struct access *a)
{
    return a->channels * a->element_B;
}

/* Bits of a dword that are in memory. */
static inline uint32_t
access_bits(const struct access *a)
{
    return UINT32_MAX >> (32 - a->element_B * 8);
}

/* Whether neighbouring channels' data are loaded and stored as vectors of
 * memory. Sixteen lanes of two or four dwords are transposed; other lanes of
 * more than one dword are not compiled. */
static inline bool
access_has_rows(const struct access *a)
{
    return a->channels == 1 ||
           ((a->channels == 2 || a->channels == 4) && a->lanes == 16);
}

#endif
