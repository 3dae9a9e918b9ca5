/* lanes.h: integer instructions lane by lane, in general registers.
 *
 * For forms without a vector version: odd regions, indirect operands,
 * architecture registers, accumulators, 64-bit results, single channels.
 * Values are 64 bits wide: exact for every source of up to 32 bits. */
#ifndef EU_LANES_H
#define EU_LANES_H

#include "eu/jit/compile.h"
#include "eu/jit/x86_gpr.h"

/* Registers of a lane: a in rax, b in rcx, c in rdx; rsi and rdi are scratch.
 * For the whole instruction: */
#define LANES_MASK X86_R8
#define LANES_FLAGS X86_R9 /* bits of the condition, so far */
#define LANES_PRED X86_R10

/* Where the elements of an operand are. */
struct lanes_place {
    enum {
        LANES_IMM,
        LANES_MEMORY, /* at[]: offsets in struct eu_thread */
        LANES_INDIRECT,
        LANES_CE,
        LANES_NULL,
    } kind;
    enum eu_type type;
    uint8_t size_B;
    uint8_t word[EU_MAX_LANES];   /* INDIRECT: index in a0 */
    int32_t at[EU_MAX_LANES];     /* ... and what is added to it */
    uint64_t value[EU_MAX_LANES]; /* IMM, modifiers applied */
    uint32_t first_B, end_B;      /* of at[] */
    bool is_acc;
};

/* What the 64-bit value of a source or result is the value of. */
struct lanes_range {
    bool is_signed;   /* the exact number as a signed one */
    bool is_unsigned; /* ... as an unsigned one */
};

struct lanes {
    struct jit *j;
    const struct eu_op *op;
    struct lanes_place src[3], dst;
    struct lanes_range range[3], result;
    unsigned temp; /* a vector register, for float results */
    bool masked, scratch, wants_flags;
};

/* lanes_place.c */
bool lanes_source(struct lanes *l, unsigned s);
bool lanes_dst(struct lanes *l);
void lanes_load(const struct lanes *l, unsigned s, unsigned lane, unsigned gpr);
void lanes_store(const struct lanes *l, unsigned lane);
/* The lane's channel of the wide accumulator at `at` := rax. */
void lanes_store_acc(const struct lanes *l, size_t at);
/* gpr := its low bits as the type has them. */
void lanes_wrap(struct jit *j, unsigned gpr, enum eu_type type);

/* lanes_op.c: rax := the result. */
bool lanes_op_ok(struct lanes *l);
void lanes_op(const struct lanes *l, unsigned lane);

/* Puts a value of its own into the accumulator. */
static inline bool
lanes_has_own_acc(const struct eu_insn *insn)
{
    return insn->opcode == EU_OP_MACH || insn->opcode == EU_OP_ADDC ||
           insn->opcode == EU_OP_SUBB;
}

#endif
