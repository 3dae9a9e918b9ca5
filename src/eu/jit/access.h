/* access.h: what a message does to memory, as far as compiled code does it
 * itself. Pure. */
#ifndef EU_ACCESS_H
#define EU_ACCESS_H

#include "eu/jit/lower_send.h"

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
    uint8_t element_B; /* 1, 2, 4: what a channel is in memory */
    bool any_byte;     /* where it may lie: else at dwords */
    unsigned lanes, channels;
    unsigned offset_B, data_B; /* of offsets and data, in the register file */
};

/* False: it is sent. */
bool jit_find_access(struct access *a, const struct eu_op *op);

/* Whether the op signals a barrier and the next one waits for it. */
bool jit_signals(const struct jit *j, uint32_t index);
/* Whether the thread has no more to do with memory before it comes to such ops:
 * whoever opens the barrier orders what all of its threads did. */
bool jit_barrier_fences(const struct jit *j, uint32_t index);

/* How far from each other neighbours are. */
static inline unsigned
access_step_B(const struct access *a)
{
    return a->channels * a->element_B;
}

/* What of a dword is in memory. */
static inline uint32_t
access_bits(const struct access *a)
{
    return UINT32_MAX >> (32 - a->element_B * 8);
}

/* Neighbours' data are loaded and stored in rows of the memory; sixteen lanes
 * of two or four dwords are turned, others that have more than one are not
 * done. */
static inline bool
access_has_rows(const struct access *a)
{
    return a->channels == 1 ||
           ((a->channels == 2 || a->channels == 4) && a->lanes == 16);
}

#endif
