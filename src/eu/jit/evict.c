/* evict.c: which register to give up: the one whose value the block reads last,
 * as far as one can see. What memory has is given
 * up with less ado than what has to be stored, unless that is not read in the
 * block any more: then it would be stored anyway.
 *
 * Of constants nobody knows who needs them next; those used lately are thought
 * to be. Masks are made from memory in several steps and go last. */
#include "eu/jit/compile.h"

/* What constants count as that were not used lately, and the distance behind
 * which storing a value does not hurt more than loading another one. */
#define OLD_CONST 32u
#define FAR 6u

#define NOT_READ 1000u /* in this block */

/* What memory has and nobody reads for so long is the one. */
#define FAR_ENOUGH 24u

/* Of a window's 64 ops, so many are always ahead unless the block ends. */
#define LEAST_AHEAD 32u

static bool
ends_block(const struct jit *j, uint32_t i)
{
    return i + 1 >= j->k->op_count || j->start[i] & JIT_FLOW ||
           j->start[i + 1] & JIT_START;
}

/* Who reads what, from this op on to the end of its block. */
static void
look_ahead(struct jit *j, struct jit_ahead *a)
{
    uint64_t bit = 1;
    memset(a->readers, 0, sizeof a->readers);
    a->from = j->here;
    a->whole = false;
    for (uint32_t i = j->here; bit && !a->whole; i++, bit <<= 1) {
        const struct jit_set *uses = &j->regs[i].uses;
        for (uint64_t s = uses->w[0]; s; s &= s - 1)
            a->readers[__builtin_ctzll(s)] |= bit;
        for (uint64_t s = uses->w[1]; s; s &= s - 1)
            a->readers[64 + __builtin_ctzll(s)] |= bit;
        a->whole = ends_block(j, i);
        a->end = i + 1;
    }
}

/* Ops from now on up to the one that reads the GRF. */
static inline unsigned
grf_distance(const struct jit *j, unsigned grf)
{
    const struct jit_ahead *a = &j->ahead;
    uint64_t set = a->readers[grf % EU_GRF_COUNT] >> (j->here - a->from);
    return set ? (unsigned)__builtin_ctzll(set) : NOT_READ;
}

static inline unsigned
distance(const struct jit *j, unsigned r)
{
    const struct jit_vreg *v = &j->v.reg[r];
    bool recent = j->v.recent & JIT_BIT(r);
    unsigned first = v->off_B / EU_GRF_B;
    unsigned last = (v->off_B + v->len_B - 1u) / EU_GRF_B;
    if (j->v.named & JIT_BIT(r)) {
        unsigned d = grf_distance(j, first);
        return last == first ? d : MIN2(d, grf_distance(j, last));
    }
    return v->kind == JIT_CONST ? recent ? 4 : OLD_CONST : 0;
}

unsigned
jit_farthest(struct jit *j, uint32_t set)
{
    unsigned best[2] = {0}, reg[2] = {0}; /* clean, dirty */
    bool has[2] = {false, false};
    struct jit_ahead *a = &j->ahead;
    if (j->here >= a->end || (!a->whole && j->here >= a->from + LEAST_AHEAD))
        look_ahead(j, a);
    for (; set; set &= set - 1) {
        unsigned r = jit_first(set), d = distance(j, r);
        bool dirty = j->v.dirty & JIT_BIT(r);
        if (d >= FAR_ENOUGH && !dirty)
            return r;
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
