/* load_indirect.c: operands whose place an address register gives.
 *
 * The register file is memory: such a source is a gather. An address outside of
 * the register file ends the thread with an error, as in the interpreter; lanes
 * that are off have any address. KBL PRM vol 7 "Register Region Restrictions",
 * "Indirect addressing". */
#include "eu/jit/operand/operand.h"

/* ---- errors ---- */

void
jit_fail_outside(struct jit *j, enum x86_cc cc, uint32_t op)
{
    uint32_t at = x86_jump(&j->x, cc);
    if (jit_grow(j, (void **)&j->outside, &j->outside_capacity,
                 j->outside_count + 1, sizeof *j->outside))
        j->outside[j->outside_count++] = jit_jump_from(j, at, op);
}

static const struct eu_op *
op_outside(struct eu_thread *t, const struct eu_op *op)
{
    return eu_fail(t, op, "operand outside the registers");
}

void
jit_outside_errors(struct jit *j)
{
    struct x86 *x = &j->x;
    for (uint32_t i = 0; i < j->outside_count; i++) {
        uint32_t op = j->outside[i].op;
        x86_patch(x, j->outside[i].at, x->size);
        if (i + 1 < j->outside_count && j->outside[i + 1].op == op)
            continue;
        x86_vzeroupper(x);
        x86_mov_reg(x, X86_RDI, X86_RBX);
        x86_mov_imm(x, X86_RSI,
                    (uintptr_t)jit_lasting_op(j, &j->f->k->ops[op]));
        x86_call(x, (const void *)op_outside);
        jit_return(j, X86_ALWAYS);
    }
}
