/* alu.c: the general path of arithmetic. It follows the manual step by step:
 * fetch, extend, modify, compute in a wider type, saturate, convert, set
 * flags, write. Slow, and the judge of the fast path.
 * BDW PRM vol 7 "EU instructions"; KBL PRM vol 2d. */
#include "eu/interp/alu.h"

#include "base/fpmode.h"

bool
eu_cond_i(unsigned cmod, wide_int a, wide_int b)
{
    switch (cmod) {
    case EU_CMOD_Z: return a == b;
    case EU_CMOD_NZ: return a != b;
    case EU_CMOD_G: return a > b;
    case EU_CMOD_GE: return a >= b;
    case EU_CMOD_L: return a < b;
    case EU_CMOD_LE: return a <= b;
    default: return false;
    }
}

bool
eu_cond_d(unsigned cmod, double a, double b)
{
    switch (cmod) {
    case EU_CMOD_Z: return a == b;
    case EU_CMOD_NZ: return a != b;
    case EU_CMOD_G: return a > b;
    case EU_CMOD_GE: return a >= b;
    case EU_CMOD_L: return a < b;
    case EU_CMOD_LE: return a <= b;
    case EU_CMOD_U: return a != a || b != b;
    default: return false;
    }
}

/* Compares in F: under a flushing mode denormals are zero, which a
 * conversion to double of the same mode gives as well. */
bool
eu_cond_f(unsigned cmod, float a, float b)
{
    return eu_cond_d(cmod, (double)a, (double)b);
}

/* MOV between types converts without flushing; DF has a bit of its own. */
static uint32_t
mode_of(const struct eu_thread *t, const struct eu_insn *insn,
        enum exec_class class)
{
    unsigned rounding = (t->cr0[0] >> 4) & 3;
    if (insn->opcode == EU_OP_MOV &&
        eu_operand_type(&insn->src[0]) != (enum eu_type)insn->dst.type)
        return fpmode_make(rounding, false);
    if (class == EXEC_DOUBLE)
        return fpmode_make(rounding, !(t->cr0[0] >> 6 & 1));
    return t->mxcsr;
}

static bool
compute(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
        enum exec_class class)
{
    switch (class) {
    case EXEC_INT: return eu_alu_int(t, op, mask);
    case EXEC_FLOAT: return eu_alu_float(t, op, mask);
    case EXEC_DOUBLE: return eu_alu_double(t, op, mask);
    }
    return true;
}

/* INVM and RSQRTM begin the IEEE macros: an approximation with extra bits in
 * mme registers, refined by a chain of MADM that is skipped in channels whose
 * early-out flag is set. We give the correctly rounded quotient or root at
 * once and set the flag in all of them, so no bit is left to be refined; mme
 * registers are not written. A chain that runs all the same computes what its
 * MADs of plain F or DF give. */
void
eu_finish_macro(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    if (op->insn->opcode == EU_OP_MATH && op->insn->math >= EU_MATH_INVM)
        eu_op_write_flags(t, op, mask, UINT32_MAX);
}

/* SMOV: src1 has a bit for each channel of the instruction, and those that it
 * has set take src0 over, as bits. Observed in what IGC makes of a store to a
 * private array of words that it keeps in registers: sixteen of them, with bit
 * k and a destination at a0.k each, which has no channel's offset in it. Guess:
 * of a src1 in registers each channel looks at its own bit in its own element;
 * no manual at hand says more than the name, scattered move. */
static bool
scatter(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    const struct eu_insn *insn = op->insn;
    uint64_t value[EU_MAX_LANES], chosen[EU_MAX_LANES];
    uint32_t written = 0;
    if (!eu_operand_fetch(t, insn, &insn->src[0], mask, value) ||
        !eu_operand_fetch(t, insn, &insn->src[1], mask, chosen))
        return false;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        written |= (uint32_t)(chosen[i] >> i & 1) << i;
    }
    return eu_operand_store(t, insn, written, value);
}

const struct eu_op *
eu_op_general(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    /* SEL's predicate chooses a source; every live channel is written. */
    bool selects = insn->opcode == EU_OP_SEL && !insn->cmod;
    uint32_t mask = selects ? eu_op_enabled(t, op) : eu_op_mask(t, op);
    if (!mask)
        return op + 1;

    enum exec_class class = eu_exec_class(insn);
    uint32_t mode = mode_of(t, insn, class), old = t->mxcsr;
    if (mode != old)
        fpmode_set(mode);
    bool ok = insn->opcode == EU_OP_SMOV ? scatter(t, op, mask)
                                         : compute(t, op, mask, class);
    if (mode != old)
        fpmode_set(t->mxcsr);
    return ok ? op + 1 : eu_fail(t, op, "operand outside the registers");
}
