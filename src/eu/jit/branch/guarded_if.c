/* guarded_if.c: IF, ELSE and ENDIF of guarded IFs (transform/guard_ifs.c).
 *
 * The IF computes the channels of both arms, and the code skips an arm without
 * channels. The thread's mask stays as it is. */
#include "eu/jit/branch/branch.h"

#include "eu/jit/operand/operand.h"

static const struct jit_guarded *
guarded(const struct jit *j, uint32_t index)
{
    return j->f->guards ? &j->f->guards[index] : NULL;
}

void
jit_begin_guarded(struct jit *j, uint32_t index)
{
    const struct jit_guarded *g = guarded(j, index);
    j->guard = g ? g->slot : 0;
    /* Only the IF leads to its arm. */
    if (j->guard && j->f->evex && g[-1].into == j->guard &&
        j->f->k->ops[index - 1].insn->opcode == EU_OP_IF)
        j->exec_chan[0] = j->guard;
}

static void
lower_if(struct jit *j, uint32_t index, const struct jit_guarded *g)
{
    const struct eu_op *op = &j->f->k->ops[index];
    struct x86 *x = &j->x;
    if (g->slot)
        x86_load(x, X86_RCX, jit_guard_at(g->slot), 4);
    else
        x86_mov_imm(x, X86_RCX, op->full);
    jit_load_flags(j, op, X86_RAX);
    x86_alu_reg(x, X86_AND, X86_RAX, X86_RCX, false);
    if (op->pred_inv)
        x86_alu_reg(x, X86_XOR, X86_RAX, X86_RCX, false);
    x86_store(x, X86_RAX, jit_guard_at(g->into), 4);
    if (op->jip != op->uip) {
        x86_alu_reg(x, X86_XOR, X86_RCX, X86_RAX, false);
        x86_store(x, X86_RCX, jit_guard_at(g->into + 1u), 4);
    }
    if (j->f->evex)
        x86_kmov_from_gpr(x, JIT_K_GUARD, X86_RAX, false);
    x86_test(x, X86_RAX);
    jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, false);
}

bool
jit_lower_guarded(struct jit *j, uint32_t index)
{
    const struct jit_guarded *g = guarded(j, index);
    const struct eu_op *op = &j->f->k->ops[index];
    if (!g || !(g->into || (j->f->start[index] & JIT_GUARDED)))
        return false;
    if (op->insn->opcode == EU_OP_IF) {
        lower_if(j, index, g);
    } else if (op->insn->opcode == EU_OP_ELSE) {
        x86_alu_mem_imm(&j->x, X86_CMP, jit_guard_at(g->into), 0);
        jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, false);
    }
    jit_forget(j);
    return true;
}
