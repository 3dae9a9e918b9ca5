/* lockstep_ops.c: ops of several threads in lockstep. */
#include "eu/jit/lockstep/lockstep_threads.h"

#include "eu/jit/lower/lower.h"
#include "eu/jit/sends/sends.h"
#include "eu/jit/session/session.h"

/* All threads live in the register file until all have their answers. */
static void
send_twice(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    struct jit_send s;
    j->failed |= op->pred || j->loop || !jit_describe_send(&s, op);
    if (j->failed)
        return;
    s.m.site = jit_direct_site(j, i, &s);
    jit_float_mode(j, false);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j))
        jit_flush(j, &j->f->live[0][i]);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j)) {
        /* The previous thread's call has clobbered all registers. */
        if (n)
            jit_forget(j);
        uint32_t done = s.m.site ? jit_call_direct(j, &s) : 0;
        jit_pass_send(j, op, &s);
        x86_alu_imm(&j->x, X86_CMP, X86_RAX, EU_MSG_ERROR, false);
        jit_lose(j, x86_jump(&j->x, X86_CC_E));
        if (s.m.site)
            x86_patch(&j->x, done, j->x.size);
        jit_forget(j);
    }
}

/* Compiles the op for the current thread. */
static void
compile_alu(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    j->dying = jit_dying_at(j, i);
    j->failed |= op->opcode != EU_OP_NOP && !jit_compile_alu(j, op);
    jit_unlock_but(j, 0);
    jit_drop_dead(j, &j->f->regs[i], &j->f->live[0][i + 1]);
    jit_give_back(j);
    /* Spills would make the other threads wait. */
    j->failed |= j->spills && j->f->threads > 2;
}

/* Instructions that each thread lags after the first: neighbouring instructions
 * then differ in kind and use different execution units. */
static const uint8_t behind[JIT_MOST_THREADS] = {0, 1, 2, 5};

/* Instructions first .. end - 1. */
static void
compile_straight(struct jit *j, uint32_t first, uint32_t end)
{
    const uint32_t most = behind[j->f->threads - 1];
    for (uint32_t at = first; at < end + most && !j->failed; at++) {
        j->here = MAX2(at, first + most) - most;
        for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j)) {
            if (at < first + behind[n] || at - behind[n] >= end)
                continue;
            if (!n)
                j->at[at] = j->x.size;
            compile_alu(j, at - behind[n]);
        }
    }
}

static void
compile_op(struct jit *j, uint32_t i, struct jit_exit *e)
{
    const struct jit_loop *l = jit_counted_loop(j, i);
    j->at[i] = j->x.size;
    j->here = i;
    if (l && l->head == i)
        jit_lockstep_begin_loop(j, l);
    if ((j->f->start[i] & JIT_FLOW) && !j->loop)
        j->failed = true;
    else if (l && i == l->head + 1)
        jit_lockstep_leave_loop(j, l, e);
    else if (l && i == l->end)
        jit_lockstep_end_loop(j, i, e);
    else if (j->f->start[i] & JIT_SEND)
        (j->f->group ? jit_group_send : send_twice)(j, i);
}

static bool
is_last(const struct eu_op *op)
{
    return jit_is_send(op) && op->insn->eot;
}

/* Neither a message nor a loop's control flow. */
static bool
is_straight(const struct jit *j, uint32_t i)
{
    const struct jit_loop *l = jit_counted_loop(j, i);
    return !(j->f->start[i] & (JIT_FLOW | JIT_SEND)) &&
           j->f->k->ops[i].fn != eu_op_join &&
           !(l && (i == l->head || i == l->head + 1 || i == l->end));
}

uint32_t
jit_lockstep_ops(struct jit *j, uint32_t *messages)
{
    struct jit_exit exit = {.from = 0};
    uint32_t i = 0;
    while (!is_last(&j->f->k->ops[i]) && !j->failed) {
        uint32_t end = i;
        while (is_straight(j, end))
            end++;
        if (end > i) {
            compile_straight(j, i, end);
            i = end;
        } else {
            *messages += jit_is_send(&j->f->k->ops[i]);
            compile_op(j, i++, &exit);
        }
    }
    return i;
}
