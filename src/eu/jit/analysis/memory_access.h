/* memory_access.h: messages that compiled code performs itself as memory
 * accesses. Pure. */
#ifndef EU_JIT_ANALYSIS_MEMORY_ACCESS_H
#define EU_JIT_ANALYSIS_MEMORY_ACCESS_H

#include "eu/jit/analysis/analysis.h"

#define ACCESS_BINDLESS 252u
#define ACCESS_STATELESS_NC 253u
#define ACCESS_SLM 254u
#define ACCESS_STATELESS 255u

/* Bytes of a header: M0.2 is added to all offsets, M0.5 is the base of
 * stateless messages. */
#define ACCESS_GLOBAL_B 8u
#define ACCESS_BASE_B 20u

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
    bool in_dwords;    /* offsets count dwords */
    bool has_header;   /* its M0.2 is zero, or the message is sent */
    bool has_base;     /* offsets begin at the header's M0.5 */
    unsigned lanes, channels;
    /* Of the operands, in the register file. */
    unsigned header_B, offset_B, data_B;
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
