/* spill.c: spill choice: the value whose next use in the block is farthest.
 * Clean values go first, unless a dirty one is dead in the block, because it
 * would be stored anyway.
 *
 * The next use of a constant is unknown: recently used constants are kept.
 * Masks take several steps to load and go last. */
#include "eu/jit/regs/regs.h"

/* Assumed distance of constants that were not used lately; and the distance
 * from which on a store costs no more than a load. */
#define OLD_CONST 32u
#define FAR 6u

/* Greater than any op's number; the bits above it are free. */
#define NEVER (UINT32_C(1) << 26)

/* A clean value with a next use this far away is chosen at once. */
#define FAR_ENOUGH 24u

/* At least this many of a window's 64 ops lie ahead, unless the block ends. */
#define LEAST_AHEAD 32u

static bool
ends_block(const struct jit *j, uint32_t i)
{
    return i + 1 >= j->f->k->op_count || j->f->start[i] & JIT_FLOW ||
           j->f->start[i + 1] & JIT_START;
}

/* Finds the ops that read each register, up to the end of the block. */
static void
look_ahead(struct jit *j, struct jit_ahead *a)
{
    uint64_t bit = 1;
    memset(a->readers, 0, sizeof a->readers);
    a->from = j->here;
    a->whole = false;
    for (uint32_t i = j->here; bit && !a->whole; i++, bit <<= 1) {
        const struct jit_set *uses = &j->f->regs[i].uses;
        for (uint64_t s = uses->w[0]; s; s &= s - 1)
            a->readers[__builtin_ctzll(s)] |= bit;
        for (uint64_t s = uses->w[1]; s; s &= s - 1)
            a->readers[64 + __builtin_ctzll(s)] |= bit;
        a->whole = ends_block(j, i);
        a->end = i + 1;
    }
}

/* A register, and 1 plus the op that reads it next, as one number. Among equal
 * ops, the first register gives the largest. 0: none. */
#define CHOICE(r, next) ((next) << 5 | (31 - (r)))

static inline unsigned
choice_reg(uint32_t choice)
{
    return 31 - choice % 32;
}

/* 1 plus the op that reads the vector next, as far as known, or NEVER. */
static uint32_t
find_reader(const struct jit *j, const struct jit_cached_reg *v)
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
spill_key(struct jit *j, unsigned r)
{
    struct jit_reg_cache *v = &j->v;
    if (v->next[r] < CHOICE(31, j->here + 1))
        v->next[r] = CHOICE(r, find_reader(j, &v->reg[r]));
    return v->next[r];
}

/* spill_key() for values outside the register file. */
static inline uint32_t
guessed_key(const struct jit *j, unsigned r)
{
    bool recent = j->v.recent & JIT_BIT(r);
    unsigned distance = j->v.reg[r].kind != JIT_CONST ? 0
                        : recent                      ? 4
                                                      : OLD_CONST;
    return CHOICE(r, j->here + 1 + distance);
}

/* Chooses among clean values; stops at one that is far enough. */
static uint32_t
choose_clean(struct jit *j, uint32_t set)
{
    const uint32_t far = CHOICE(31, j->here + 1 + FAR_ENOUGH);
    uint32_t best = 0;
    for (; set && best < far; set &= set - 1) {
        unsigned r = jit_first(set);
        uint32_t next = j->v.named & JIT_BIT(r) ? spill_key(j, r)
                                                : guessed_key(j, r);
        best = MAX2(best, next);
    }
    return best;
}

/* Chooses among values that must be stored. */
static uint32_t
choose_dirty(struct jit *j, uint32_t set)
{
    uint32_t best = 0;
    for (; set; set &= set - 1) {
        uint32_t next = spill_key(j, jit_first(set));
        best = MAX2(best, next);
    }
    return best;
}

unsigned
jit_spill_choice(struct jit *j, uint32_t set)
{
    struct jit_ahead *a = &j->ahead;
    if (j->here >= a->end || (!a->whole && j->here >= a->from + LEAST_AHEAD))
        look_ahead(j, a);
    uint32_t clean = choose_clean(j, set & ~j->v.dirty);
    if (clean >= CHOICE(31, j->here + 1 + FAR_ENOUGH))
        return choice_reg(clean);
    uint32_t dirty = choose_dirty(j, set & j->v.dirty);
    /* With four threads, spilling to memory is not allowed. */
    if (!clean || !dirty || j->f->threads > 2)
        return choice_reg(clean ? clean : dirty);
    bool takes_clean = clean >> 5 >= dirty >> 5 ||
                       (clean >= CHOICE(31, j->here + 1 + FAR) &&
                        dirty < CHOICE(31, NEVER));
    return choice_reg(takes_clean ? clean : dirty);
}
