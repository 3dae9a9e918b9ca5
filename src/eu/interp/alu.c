/* alu.c: the general path of arithmetic. It follows the manual step by step:
 * fetch, extend, modify, compute in a wider type, saturate, convert, set flags,
 * write. Slow; the fast path must agree with it. BDW PRM vol 7 "EU
 * instructions"; KBL PRM vol 2d. */
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

/* Compares in F. A flushing mode makes denormals zero; conversion to double in
 * that mode does so too. */
bool
eu_cond_f(unsigned cmod, float a, float b)
{
    return eu_cond_d(cmod, (double)a, (double)b);
}

/* MOV between types converts without flushing. DF has its own cr0 bit. */
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
compute_lanes(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
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
 * mme registers, refined by a chain of MADM. Channels whose early-out flag is
 * set skip the chain. We return the correctly rounded quotient or root at once
 * and set the flag in all channels, so the chain has nothing to refine. We do
 * not write mme registers. If a chain runs nevertheless, it computes plain F or
 * DF MADs. */
void
eu_finish_macro(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    if (eu_begins_macro(op->insn))
        eu_op_write_flags(t, op, mask, UINT32_MAX);
}

static bool
execute_op(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    enum exec_class class = eu_exec_class(op->insn);
    uint32_t mode = mode_of(t, op->insn, class), old = t->mxcsr;
    if (mode != old)
        fpmode_set(mode);
    bool ok = compute_lanes(t, op, mask, class);
    if (mode != old)
        fpmode_set(t->mxcsr);
    return ok;
}

/* SMOV (scattered move): src1 has a bit for each channel of the instruction;
 * channels whose bit is set take src0, converted as MOV does. Observed: IGC
 * stores to a private array in registers with sixteen SMOVs. SMOV k has bit k
 * and a destination at a0.k, without the channel's offset. A constant source is
 * a W there whatever the array's type is. Guess: if src1 is in registers, each
 * channel reads its own bit of its own element; no manual at hand explains more
 * than the name. */
static bool
scatter_lanes(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    struct eu_insn mov = *op->insn;
    struct eu_op mov_op = *op;
    uint64_t chosen[EU_MAX_LANES];
    uint32_t written = 0;
    if (!eu_operand_fetch(t, op->insn, &op->insn->src[1], mask, chosen))
        return false;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        written |= (uint32_t)(chosen[i] >> i & 1) << i;
    }
    mov.opcode = EU_OP_MOV;
    mov.src_count = 1;
    mov_op.insn = &mov;
    return !written || execute_op(t, &mov_op, written);
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
    bool ok = insn->opcode == EU_OP_SMOV ? scatter_lanes(t, op, mask)
                                         : execute_op(t, op, mask);
    return ok ? op + 1 : eu_fail(t, op, "operand outside the registers");
}
