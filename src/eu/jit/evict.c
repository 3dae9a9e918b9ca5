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

/* More than any op has, and its upper bits are free. */
#define NEVER (UINT32_C(1) << 26)

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

/* A register and 1 more than the op that reads it next, as one number; of equal
 * ones the first register has the largest. 0: none. */
#define CHOICE(r, next) ((next) << 5 | (31 - (r)))

static inline unsigned
choice_reg(uint32_t choice)
{
    return 31 - choice % 32;
}

/* 1 more than the op that reads the vector next, as far as one can see, or
 * NEVER. */
static uint32_t
find_reader(const struct jit *j, const struct jit_vreg *v)
{
    const struct jit_ahead *a = &j->ahead;
    unsigned first = v->off_B / EU_GRF_B;
    unsigned last = (v->off_B + v->len_B - 1u) / EU_GRF_B;
    uint64_t set = (a->readers[first % EU_GRF_COUNT] |
                    a->readers[last % EU_GRF_COUNT]) >>
                   (j->here - a->from);
    if (set)
        return j->here + (uint32_t)__builtin_ctzll(set) + 1;
    return a->whole ? NEVER : a->end;
}

static inline uint32_t
choice(struct jit *j, unsigned r)
{
    struct jit_vregs *v = &j->v;
    if (v->next[r] < CHOICE(31, j->here + 1))
        v->next[r] = CHOICE(r, find_reader(j, &v->reg[r]));
    return v->next[r];
}

/* The same for what is no part of the register file. */
static inline uint32_t
guess(const struct jit *j, unsigned r)
{
    bool recent = j->v.recent & JIT_BIT(r);
    unsigned distance = j->v.reg[r].kind != JIT_CONST ? 0
                        : recent                      ? 4
                                                      : OLD_CONST;
    return CHOICE(r, j->here + 1 + distance);
}

/* Of those in memory; the first one that is far enough will do. */
static uint32_t
choose_clean(struct jit *j, uint32_t set)
{
    const uint32_t far = CHOICE(31, j->here + 1 + FAR_ENOUGH);
    uint32_t best = 0;
    for (; set && best < far; set &= set - 1) {
        unsigned r = jit_first(set);
        uint32_t next = j->v.named & JIT_BIT(r) ? choice(j, r) : guess(j, r);
        best = MAX2(best, next);
    }
    return best;
}

/* Of those that have to be stored. */
static uint32_t
choose_dirty(struct jit *j, uint32_t set)
{
    uint32_t best = 0;
    for (; set; set &= set - 1) {
        uint32_t next = choice(j, jit_first(set));
        best = MAX2(best, next);
    }
    return best;
}

unsigned
jit_farthest(struct jit *j, uint32_t set)
{
    struct jit_ahead *a = &j->ahead;
    if (j->here >= a->end || (!a->whole && j->here >= a->from + LEAST_AHEAD))
        look_ahead(j, a);
    uint32_t clean = choose_clean(j, set & ~j->v.dirty);
    if (clean >= CHOICE(31, j->here + 1 + FAR_ENOUGH))
        return choice_reg(clean);
    uint32_t dirty = choose_dirty(j, set & j->v.dirty);
    /* Of four threads none may store what it has no register for. */
    if (!clean || !dirty || j->threads > 2)
        return choice_reg(clean ? clean : dirty);
    bool takes_clean = clean >> 5 >= dirty >> 5 ||
                       (clean >= CHOICE(31, j->here + 1 + FAR) &&
                        dirty < CHOICE(31, NEVER));
    return choice_reg(takes_clean ? clean : dirty);
}
