/* pair_group.c: two threads of a group in lockstep, as far as they are not like
 * those of a row (pair.c). Each has been started as if it ran alone, with
 * registers of its own; their messages follow each other, one for each thread.
 * What they have read may be read once more, so that they may be given up until
 * one of them has written something. */
#include "eu/jit/pair.h"

#include "eu/jit/lower_send.h"
#include "eu/jit/x86_gpr.h"

/* Memory that the threads know. A miss keeps the registers of both. */
static void
access_memory(struct jit *j, uint32_t i)
{
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j))
        jit_drop_derived(j);
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j)) {
        jit_lower_memory(j, i);
        jit_unlock_but(j, 0);
        jit_drop_dead(j, &j->regs[i], &j->live[0][i + 1]);
    }
}

static void
send_each(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    struct jit_send s;
    j->failed |= op->pred || !jit_describe_send(&s, op);
    if (j->failed)
        return;
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j))
        jit_flush(j, &j->live[0][i]);
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j)) {
        jit_call_send(j, op, &s);
        jit_forget(j);
    }
}

/* Where it is repeated, it does no harm. */
static bool
only_reads(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    return j->start[i] & JIT_MEMORY ? jit_is_read(op)
                                    : op->insn->sfid == EU_SFID_SAMPLER;
}

void
jit_group_send(struct jit *j, uint32_t i)
{
    bool reads = only_reads(j, i), memory = j->start[i] & JIT_MEMORY;
    j->wrote |= !reads;
    j->failed |= j->loop && !(memory && reads);
    jit_float_mode(j, false);
    if (memory)
        access_memory(j, i);
    else
        send_each(j, i);
}

/* Nobody looks at registers of threads that end quietly. */
void
jit_end_group(struct jit *j)
{
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j))
        x86_store_imm(&j->x, offsetof(struct eu_thread, status), EU_FINISHED);
    x86_vzeroupper(&j->x);
    jit_leave(j);
}
