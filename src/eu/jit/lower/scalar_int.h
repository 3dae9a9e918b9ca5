/* scalar_int.h: integer instructions in general registers, lane by lane.
 *
 * For forms without a vector version: odd regions, indirect operands,
 * architecture registers, accumulators, 64-bit results, single channels. Values
 * are 64 bits wide: exact for every source of up to 32 bits. MOV and SMOV of a
 * float to its own type are moves of an integer as wide. Caller:
 * lower_scalar_int.c. */
#ifndef EU_JIT_LOWER_SCALAR_INT_H
#define EU_JIT_LOWER_SCALAR_INT_H

#include "eu/jit/lower/lower_ops.h"
#include "eu/jit/x86/encode_gpr.h"

/* Registers of a lane: a in rax, b in rcx, c in rdx; rsi and rdi are scratch.
 * Registers of the whole instruction: */
#define SCALAR_MASK X86_R8
#define SCALAR_FLAGS X86_R9 /* condition bits of the lanes so far */
#define SCALAR_PRED X86_R10

/* Locations of an operand's elements. */
struct scalar_int_place {
    enum {
        SCALAR_IMM,
        SCALAR_MEMORY, /* at[]: offsets in struct eu_thread */
        SCALAR_INDIRECT,
        SCALAR_CE,
        SCALAR_NULL,
    } kind;
    enum eu_type type;
    uint8_t size_B;
    uint8_t word[EU_MAX_LANES];   /* INDIRECT: index in a0 */
    int32_t at[EU_MAX_LANES];     /* INDIRECT: added to the address */
    uint64_t value[EU_MAX_LANES]; /* IMM, modifiers applied */
    uint32_t first_B, end_B;      /* of at[] */
    bool is_acc;
};

/* Whether the 64-bit value of a source or result is exact. */
struct scalar_int_range {
    bool is_signed;   /* as a signed number */
    bool is_unsigned; /* as an unsigned number */
};

struct scalar_int {
    struct jit *j;
    const struct eu_op *op; /* a MOV in place of an SMOV */
    uint32_t op_index;      /* of the kernel's op */
    uint32_t lanes;         /* the only ones that may be on */
    struct scalar_int_place src[3], dst;
    struct scalar_int_range range[3], result;
    unsigned temp; /* a vector register, for float results */
    bool masked, scratch, wants_flags;
    bool moves_bits; /* floats are taken for integers */
    bool knows_pred; /* the predicate is in `lanes` */
    bool in_run;     /* the destination's place is checked, and in scratch */
};

/* scalar_int_moves.c */
/* Finds which lanes may be on. mov_op, mov: memory for an SMOV as a MOV. False:
 * other code runs the op. */
bool scalar_int_choose(struct scalar_int *l, struct eu_op *mov_op,
                       struct eu_insn *mov);
/* Run: stores to a private array in one basic block, whose addresses the first
 * store compares with the end of the registers. */
void scalar_int_join_run(struct scalar_int *l);
void scalar_int_check_run(struct scalar_int *l);
void scalar_int_end_run(const struct scalar_int *l);
/* Whether the op sets a flag to a constant that only known predicates read. */
bool scalar_int_skips_constant(const struct scalar_int *l);

/* scalar_int_operands.c */
bool scalar_int_source(struct scalar_int *l, unsigned s);
bool scalar_int_dst(struct scalar_int *l);
void scalar_int_load(const struct scalar_int *l, unsigned s, unsigned lane,
                     unsigned gpr);
void scalar_int_store(const struct scalar_int *l, unsigned lane);
/* Wide accumulator of the lane's channel, at `at`, := rax. */
void scalar_int_store_acc(const struct scalar_int *l, size_t at);
/* gpr := its low bits, extended as in the accumulator. */
void scalar_int_wrap_acc(const struct scalar_int *l, unsigned gpr);
/* gpr := its low bits, extended as the type says. */
void scalar_int_wrap(struct jit *j, unsigned gpr, enum eu_type type);

/* scalar_int_ops.c: rax := the result. */
bool scalar_int_op_ok(struct scalar_int *l);
void scalar_int_op(const struct scalar_int *l, unsigned lane);

/* Whether the instruction writes its own value to the accumulator. */
static inline bool
scalar_int_has_own_acc(const struct eu_insn *insn)
{
    return insn->opcode == EU_OP_MACH || insn->opcode == EU_OP_ADDC ||
           insn->opcode == EU_OP_SUBB;
}

#endif
