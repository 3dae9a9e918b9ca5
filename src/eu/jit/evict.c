/* evict.c: which register to give up on hosts that have sixteen: the one whose
 * value the block reads last, as far as one can see. What memory has is given
 * up with less ado than what has to be stored, unless that is not read in the
 * block any more: then it would be stored anyway.
 *
 * Of constants nobody knows who needs them next; those used lately are thought
 * to be. Masks are made from memory in several steps and go last. */
#include "eu/jit/compile.h"

/* Instructions that are looked at, and those behind which storing a value does
 * not hurt more than loading another one. */
#define AHEAD 32u
#define FAR 6u

#define NOT_READ 1000u /* in this block */

static bool
ends_block(const struct jit *j, uint32_t i)
{
    return i + 1 >= j->k->op_count || j->start[i] & JIT_FLOW ||
           j->start[i + 1] & JIT_START;
}

/* Twice the op from now on that reads the GRF; or, and 1 more, the one up to
 * which nobody does. */
static uint32_t
find_reader(const struct jit *j, unsigned grf)
{
    uint32_t i = j->here, end = i + AHEAD;
    for (; i < end; i++) {
        if (j->regs[i].uses.w[grf / 64] >> grf % 64 & 1)
            return i * 2;
        if (ends_block(j, i))
            return (i + 1) * 2 + 1;
    }
    return end * 2 + 1;
}

static unsigned
grf_distance(struct jit *j, unsigned grf)
{
    uint32_t *reader = &j->reader[grf % EU_GRF_COUNT];
    if (*reader / 2 <= j->here)
        *reader = find_reader(j, grf % EU_GRF_COUNT);
    return *reader & 1 ? NOT_READ : *reader / 2 - j->here;
}

static unsigned
distance(struct jit *j, unsigned r)
{
    const struct jit_vreg *v = &j->v.reg[r];
    bool recent = j->v.recent & JIT_BIT(r);
    unsigned first = v->off_B / EU_GRF_B;
    unsigned last = (v->off_B + v->len_B - 1u) / EU_GRF_B;
    if (j->v.named & JIT_BIT(r)) {
        unsigned d = grf_distance(j, first);
        return last == first ? d : MIN2(d, grf_distance(j, last));
    }
    return v->kind == JIT_CONST ? recent ? 4 : AHEAD : 0;
}

unsigned
jit_farthest(struct jit *j, uint32_t set)
{
    unsigned best[2] = {0}, reg[2] = {0}; /* clean, dirty */
    bool has[2] = {false, false};
    for (; set; set &= set - 1) {
        unsigned r = jit_first(set), d = distance(j, r);
        bool dirty = j->v.dirty & JIT_BIT(r);
        if (has[dirty] && d <= best[dirty])
            continue;
        has[dirty] = true;
        best[dirty] = d;
        reg[dirty] = r;
    }
    bool takes_clean = !has[1] ||
                       (has[0] && (best[0] >= best[1] ||
                                   (best[0] >= FAR && best[1] < NOT_READ)));
    return reg[takes_clean ? 0 : 1];
}
