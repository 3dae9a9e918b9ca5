/* lockstep_group.c: two threads of a group in lockstep: differences from a
 * chain (lockstep.c).
 *
 * Each thread has been started as if it ran alone, with its own registers. Each
 * message is sent once for each thread. Reads may be repeated, so both threads
 * may be given up until one of them has written. */
#include "eu/jit/lockstep/lockstep_threads.h"

#include "eu/jit/lower/lower.h"
#include "eu/jit/sends/sends.h"

/* Memory that the threads know. A slow path saves the registers of both
 * threads. */
static void
access_memory(struct jit *j, uint32_t i)
{
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j))
        jit_drop_derived(j);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j)) {
        jit_lower_memory(j, i);
        jit_unlock_but(j, 0);
        jit_drop_dead(j, &j->f->regs[i], &j->f->live[0][i + 1]);
    }
}

static void
send_each(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    struct jit_send s;
    j->failed |= op->pred || !jit_describe_send(&s, op);
    if (j->failed)
        return;
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j))
        jit_flush(j, &j->f->live[0][i]);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j)) {
        jit_call_send(j, op, &s);
        jit_forget(j);
    }
}

/* Whether the message may be repeated without harm. Repeated reads would count
 * twice in profiles. */
static bool
only_reads(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    if (j->f->flags & EU_JIT_MEMORY)
        return false;
    return j->f->start[i] & JIT_MEMORY ? jit_is_read(op)
                                       : op->insn->sfid == EU_SFID_SAMPLER;
}

void
jit_group_send(struct jit *j, uint32_t i)
{
    bool reads = only_reads(j, i), memory = j->f->start[i] & JIT_MEMORY;
    j->wrote |= !reads;
    j->failed |= j->loop && !(memory && reads);
    jit_float_mode(j, false);
    if (memory)
        access_memory(j, i);
    else
        send_each(j, i);
}

/* Registers of threads that end quietly are dead. */
void
jit_end_group(struct jit *j)
{
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j))
        x86_store_imm(&j->x, offsetof(struct eu_thread, status), EU_FINISHED);
    x86_vzeroupper(&j->x);
    jit_leave(j);
}
