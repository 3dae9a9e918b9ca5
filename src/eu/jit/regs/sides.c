/* sides.c: registers of threads in lockstep (lockstep.c). Each thread has its
 * own, so that one thread does not wait for another's spills. With AVX2 they
 * are eight, too few for some functions: these borrow from the other thread. */
#include "eu/jit/regs/regs.h"

void
jit_get_side(const struct jit *j, struct jit_side *s)
{
    s->v = j->v;
    memcpy(s->flag_at, j->flag_at, sizeof s->flag_at);
    s->loops = j->loops;
    s->loop = j->loop;
}

void
jit_set_side(struct jit *j, const struct jit_side *s)
{
    j->v = s->v;
    memcpy(j->flag_at, s->flag_at, sizeof s->flag_at);
    j->loops = s->loops;
    j->loop = s->loop;
}

void
jit_turn(struct jit *j)
{
    jit_get_side(j, &j->side[j->nth]);
    jit_address(j, (j->nth + 1) % j->f->threads);
    jit_set_side(j, &j->side[j->nth]);
}

/* Takes free registers from the thread's set. */
static void
take_away(struct jit_reg_cache *v, uint32_t regs)
{
    v->all &= ~regs;
    v->used &= ~regs;
    v->locked &= ~regs;
    v->temps &= ~regs;
    v->normal &= ~regs;
    v->recent &= ~regs;
}

int
jit_borrow(struct jit *j)
{
    int r = -1;
    if (j->f->evex || j->f->threads != 2)
        return -1;
    jit_turn(j);
    if (j->v.all & ~j->v.pinned & ~j->v.locked) {
        r = (int)jit_temp(j);
        take_away(&j->v, JIT_BIT(r));
    }
    jit_turn(j);
    if (r >= 0) {
        j->v.all |= JIT_BIT(r);
        j->borrowed |= JIT_BIT(r);
    }
    return r;
}

/* After an instruction: values in borrowed registers go to memory. */
void
jit_give_back(struct jit *j)
{
    struct jit_reg_cache *v = &j->v;
    for (uint32_t set = j->borrowed & v->named; set; set &= set - 1) {
        unsigned r = jit_first(set);
        if (v->dirty & JIT_BIT(r))
            jit_store_those(j, JIT_BIT(r), v->reg[r].off_B, v->reg[r].len_B);
        jit_forget_name(v, r);
    }
    if (j->borrowed) {
        take_away(v, j->borrowed);
        j->side[1 - j->nth].v.all |= j->borrowed;
        j->borrowed = 0;
    }
}
