/* initial_modes.c: modes that a kernel sets before any instruction depends on
 * them.
 *
 * mov (8) r3:ud r0:ud; or (1) cr0.0:ud cr0.0:ud 0x4c0
 *
 * Observed: IGC begins every OpenCL kernel so, to keep denormals. Threads of
 * such kernels start with these bits set, and the instruction becomes a NOP. */
#include "eu/predecode/predecode.h"

#include "eu/interp/alu.h"

/* Denormal bits: they affect neither channels nor control flow. */
#define EARLY_BITS 0x4c0u

static bool
is_cr0(const struct eu_operand *o)
{
    return o->file == EU_FILE_ARF && o->reg == EU_ARF_CR && !o->subreg_B &&
           !o->indirect && o->type == EU_TYPE_UD && !o->abs && !o->negate;
}

/* The bits that the instruction sets, or 0. */
static uint32_t
bits_of(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *o = &insn->src[1];
    if (op->slow != eu_op_general || insn->opcode != EU_OP_OR ||
        op->lanes != 1 || !op->no_mask || op->pred || insn->cmod ||
        insn->saturate || insn->acc_wr || insn->align16 ||
        !is_cr0(&insn->dst) || !is_cr0(&insn->src[0]) ||
        o->file != EU_FILE_IMM || o->abs || o->negate ||
        (o->type != EU_TYPE_UW && o->type != EU_TYPE_UD))
        return 0;
    uint32_t bits = (uint32_t)o->imm &
                    (o->type == EU_TYPE_UW ? 0xffff : UINT32_MAX);
    return bits & ~EARLY_BITS ? 0 : bits;
}

static bool
is_integer(const struct eu_operand *o)
{
    return (o->file == EU_FILE_GRF || o->file == EU_FILE_IMM) &&
           !eu_type_is_float((enum eu_type)o->type);
}

/* Whether the op does not depend on modes. */
static bool
is_indifferent(const struct eu_op *op)
{
    bool integer = op->slow == eu_op_general && is_integer(&op->insn->dst);
    for (unsigned s = 0; s < op->insn->src_count; s++)
        integer &= is_integer(&op->insn->src[s]);
    return integer;
}

static const struct eu_op *
op_initial_modes(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t bits = t->kernel->initial_cr0;
    return (t->cr0[0] & bits) == bits ? op + 1 : eu_op_general(t, op);
}

bool
eu_op_is_initial_mode(const struct eu_op *op)
{
    return op->fn == op_initial_modes;
}

void
eu_initial_modes(struct eu_kernel *k)
{
    for (uint32_t i = 0; i < k->op_count; i++) {
        struct eu_op *op = &k->ops[i];
        uint32_t bits = bits_of(op);
        if (bits) {
            k->initial_cr0 = bits;
            op->fn = op->slow = op_initial_modes;
            op->opcode = EU_OP_NOP;
            return;
        }
        if (!is_indifferent(op))
            return;
    }
}
