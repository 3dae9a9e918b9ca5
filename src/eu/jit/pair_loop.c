/* pair_loop.c: loops that count (counters.c), of two threads in lockstep: both
 * leave, or neither, or the two are given up. */
#include "eu/jit/pair.h"

#include "eu/jit/x86_gpr.h"

uint32_t
jit_count_ops(const struct jit *j, uint32_t first, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = first; i < end; i++)
        n += j->k->ops[i].fn != eu_op_join;
    return n;
}

void
jit_spend(struct jit *j, uint32_t ops)
{
    if (ops)
        x86_alu_imm(&j->x, X86_SUB, X86_R12, j->threads * ops, true);
}

void
jit_pair_begin_loop(struct jit *j, const struct jit_loop *l)
{
    struct x86 *x = &j->x;
    jit_float_mode(j, false);
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j)) {
        jit_flush(j, &j->live[0][l->head]);
        jit_forget(j);
        jit_enter_loop(j, l->head);
    }
    x86_test(x, X86_R12);
    jit_lose(j, x86_jump(x, X86_CC_LE));
    jit_spend(j, jit_count_ops(j, l->head, l->head + 2));
}

void
jit_pair_leave_loop(struct jit *j, const struct jit_loop *l, struct jit_exit *e)
{
    e->from = jit_test_counter(j);
    jit_get_side(j, &e->side[0]);
    jit_turn(j);
    jit_lose(j, jit_test_counter(j));
    jit_get_side(j, &e->side[1]);
    jit_turn(j);
    jit_spend(j, jit_count_ops(j, l->head + 2, l->end + 1));
}

/* Behind the loop what was in registers goes on to be. */
void
jit_pair_end_loop(struct jit *j, uint32_t i, const struct jit_exit *e)
{
    struct x86 *x = &j->x;
    uint32_t head = j->loop->head;
    jit_float_mode(j, false);
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j))
        jit_end_block(j, &j->live[0][i]);
    x86_patch(x, x86_jump(x, X86_ALWAYS), j->inner[head]);
    x86_patch(x, e->from, x->size);
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j)) {
        jit_set_side(j, &e->side[n]);
        if (n) {
            uint32_t both = jit_test_counter(j);
            jit_lose(j, x86_jump(x, X86_ALWAYS));
            x86_patch(x, both, x->size);
        }
        jit_counter_flags(j, &j->k->ops[head + 1]);
        jit_forget_flag(j, j->k->ops[head + 1].flag_reg);
        jit_unlock_but(j, 0);
        j->loop = NULL;
        j->v.pinned = 0;
        j->v.used |= j->v.named;
    }
    x86_alu_imm(x, X86_SUB, X86_R12, 2, true);
}
