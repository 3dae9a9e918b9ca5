/* lockstep_loop.c: counted loops (counted_loops.c) of two threads in lockstep:
 * both threads leave, or neither, or both are given up. */
#include "eu/jit/lockstep/lockstep_threads.h"

#include "eu/jit/branch/branch.h"
#include "eu/jit/lower/lower.h"

#include <limits.h>

uint32_t
jit_count_ops(const struct jit *j, uint32_t first, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = first; i < end; i++)
        n += j->f->k->ops[i].fn != eu_op_join;
    return n;
}

void
jit_spend(struct jit *j, uint32_t ops)
{
    if (ops)
        x86_alu_imm(&j->x, X86_SUB, X86_R12, j->f->threads * ops, true);
}

/* Returns the pins, as bits, that are in registers; from[]: their registers. */
static uint32_t
find_pins(struct jit *j, const struct jit_loop *l, unsigned from[JIT_PINS])
{
    uint32_t there = 0;
    for (unsigned i = 0; i < l->count; i++) {
        const struct jit_pin *p = &l->pins[i];
        int r = jit_find(j, JIT_GRF, p->off_B, p->len_B);
        bool whole = r >= 0 && j->v.reg[r].len_B == p->len_B;
        if (!whole || !jit_set_has(&j->f->live[0][l->head], p->off_B, p->len_B))
            continue;
        from[i] = (unsigned)r;
        there |= JIT_BIT(i);
    }
    return there;
}

static uint32_t
registers_of(const unsigned from[JIT_PINS], uint32_t pins)
{
    uint32_t regs = 0;
    for (; pins; pins &= pins - 1)
        regs |= JIT_BIT(from[jit_first(pins)]);
    return regs;
}

/* A pin whose register is free or already its own; UINT_MAX: the pins form
 * cycles. */
static unsigned
is_movable(const struct jit_loop *l, const unsigned from[JIT_PINS],
           uint32_t pins)
{
    uint32_t held = registers_of(from, pins);
    for (; pins; pins &= pins - 1) {
        unsigned i = jit_first(pins), to = l->pins[i].reg;
        if (from[i] == to || !(held & JIT_BIT(to)))
            return i;
    }
    return UINT_MAX;
}

static void
move_pins(struct jit *j, const struct jit_loop *l, unsigned from[JIT_PINS],
          uint32_t pins)
{
    unsigned aside = jit_first(j->v.all & ~l->regs);
    while (pins) {
        unsigned i = is_movable(l, from, pins), first = jit_first(pins);
        bool circle = i == UINT_MAX;
        if (circle)
            i = first;
        unsigned to = circle ? aside : l->pins[i].reg;
        if (from[i] != to)
            x86_vop(&j->x, X86_MOVAPS, jit_len(l->pins[i].len_B), to, 0,
                    x86_reg(from[i]), 0);
        from[i] = to;
        pins &= ~(circle ? 0 : JIT_BIT(i));
    }
}

/* Values that the loop only reads are also in memory. */
static void
enter_loop(struct jit *j, const struct jit_loop *l)
{
    unsigned from[JIT_PINS];
    uint32_t there = find_pins(j, l, from), written = 0;
    for (unsigned i = 0; i < l->count; i++)
        written |= l->pins[i].written ? JIT_BIT(i) : 0;
    jit_flush_but(j, &j->f->live[0][l->head],
                  registers_of(from, there & written));
    move_pins(j, l, from, there);
    jit_forget(j);
    jit_enter_loop(j, l->head, there);
}

void
jit_lockstep_begin_loop(struct jit *j, const struct jit_loop *l)
{
    struct x86 *x = &j->x;
    uint32_t head = l->head;
    jit_float_mode(j, false);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j))
        enter_loop(j, jit_loop_at(j, head));
    x86_test(x, X86_R12);
    jit_lose(j, x86_jump(x, X86_CC_LE));
    jit_spend(j, jit_count_ops(j, l->head, l->head + 2));
    jit_lockstep_count_turn(j, l);
}

void
jit_lockstep_leave_loop(struct jit *j, const struct jit_loop *l,
                        struct jit_exit *e)
{
    e->from = jit_test_counter(j);
    jit_get_side(j, &e->side[0]);
    jit_turn(j);
    jit_lose(j, jit_test_counter(j));
    jit_get_side(j, &e->side[1]);
    jit_turn(j);
    jit_spend(j, jit_count_ops(j, l->head + 2, l->end + 1));
}

/* After the loop, values in registers stay there. */
void
jit_lockstep_end_loop(struct jit *j, uint32_t i, const struct jit_exit *e)
{
    struct x86 *x = &j->x;
    uint32_t head = j->loop->head;
    jit_float_mode(j, false);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j))
        jit_end_block(j, &j->f->live[0][i]);
    x86_patch(x, x86_jump(x, X86_ALWAYS), j->inner[head]);
    x86_patch(x, e->from, x->size);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j)) {
        jit_set_side(j, &e->side[n]);
        if (n) {
            uint32_t both = jit_test_counter(j);
            jit_lose(j, x86_jump(x, X86_ALWAYS));
            x86_patch(x, both, x->size);
        }
        jit_counter_flags(j, &j->f->k->ops[head + 1]);
        jit_forget_flag(j, j->f->k->ops[head + 1].flag_reg);
        jit_unlock_but(j, 0);
        j->loop = NULL;
        j->v.pinned = 0;
        j->v.used |= j->v.named;
    }
    x86_alu_imm(x, X86_SUB, X86_R12, 2, true);
}
