/* lockstep_select.c: selects kernels for lockstep (lockstep.c). */
#include "eu/jit/lockstep/lockstep_threads.h"

#include "eu/jit/sends/sends.h"

/* Registers that can be saved. */
#define MOST_KEPT 12
static_assert((EU_CAPTURE_GRF + MOST_KEPT) * EU_GRF_B <=
                  sizeof((struct eu_thread){0}.acc),
              "room for them");

struct jit_set
jit_lockstep_keeps(const struct jit *j)
{
    struct jit_set s = jit_grfs(j->chain_grf, EU_CHAIN_GRF);
    for (unsigned w = 0; w < 2; w++)
        s.w[w] = j->f->in.full[w] & j->f->in.written[w] & ~s.w[w];
    return s;
}

struct jit_set
jit_group_keeps(const struct jit *j)
{
    struct jit_set s = {{0}};
    for (unsigned w = 0; w < 2 && j->f->has_loop; w++)
        s.w[w] = j->f->in.full[w] & j->f->in.written[w];
    return s;
}

const struct jit_loop *
jit_counted_loop(const struct jit *j, uint32_t i)
{
    const struct jit_loop *l = jit_loop_at(j, i);
    return l && l->counter.len_B && jit_leaves_loop(j->f, l->head + 1) ? l
                                                                       : NULL;
}

/* Whether the only branches belong to counted loops, and no operand can be out
 * of range. */
static bool
only_counts(const struct jit *j)
{
    if (j->f->has_indirect)
        return false;
    for (uint32_t i = 0; i < j->f->k->op_count; i++) {
        if (!(j->f->start[i] & JIT_FLOW) || jit_is_unreached(j->f, i))
            continue;
        const struct jit_loop *l = jit_counted_loop(j, i);
        if (!l || (i != l->head + 1 && i != l->end))
            return false;
    }
    return true;
}

/* Shorter kernels have no long dependency chains. */
#define MANY_OPS 12

/* Whether threads without weights, or that cannot follow each other singly, may
 * run in lockstep: with loops, all channels on. */
static bool
may_pair(const struct jit *j)
{
    return j->f->unmasked && j->f->in.captures_rt_write && !j->f->in.acc &&
           j->f->in.steady && j->f->clobbers != EU_CLOBBERS_ALL &&
           !j->f->has_dynamic && only_counts(j) &&
           j->f->k->op_count >= MANY_OPS &&
           !(j->f->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
}

/* Groups whose threads end with a message to the spawner. */
bool
jit_makes_groups(const struct jit *j)
{
    struct jit_set keeps;
    if (!j->f->evex || !j->f->unmasked || !jit_lockstep_counts_lanes(j) ||
        j->f->in.captures_rt_write || j->f->in.last_sfid != EU_SFID_SPAWNER)
        return false;
    keeps = jit_group_keeps(j);
    return !j->f->in.last_pred && !j->f->in.acc && j->f->in.steady &&
           j->f->in.ends == 1 && j->f->clobbers != EU_CLOBBERS_ALL &&
           !j->f->has_dynamic && j->f->k->op_count >= MANY_OPS &&
           only_counts(j) && !(j->f->flags & (EU_JIT_SPLIT | EU_JIT_STEP)) &&
           __builtin_popcountll(keeps.w[0]) +
                   __builtin_popcountll(keeps.w[1]) <=
               MOST_KEPT;
}

/* If threads diverge their messages are sent again: these have no effect. */
#define HARMLESS_SFIDS (1u << EU_SFID_SAMPLER)
/* Computed GRFs that are live at an instruction, on average over every fourth
 * one. Beyond twice the vector registers, half of them are too few; and threads
 * with messages then have enough parallelism for the host. */
#define MOST_COMPUTED (2 * JIT_HOST_REGS)

static bool
computes_little(const struct jit *j)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < j->f->k->op_count; i += 4)
        for (unsigned w = 0; w < 2; w++)
            sum += (unsigned)__builtin_popcountll(j->f->live[0][i].w[w] &
                                                  j->f->in.written[w]);
    return sum * 4 <= (uint64_t)MOST_COMPUTED * j->f->k->op_count;
}

bool
jit_makes_lockstep(struct jit *j)
{
    if (!jit_lockstep_counts_lanes(j) || !jit_lockstep_counts_memory(j) ||
        j->f->has_modes || (!j->f->evex && j->f->in.sfids) ||
        (j->f->in.sfids & ~HARMLESS_SFIDS) || j->f->in.ends != 1 ||
        (j->f->in.sfids && !computes_little(j)))
        return false;
    if (!(j->chain_grf && j->f->weights_grf) && !may_pair(j))
        return false;
    if (!j->chain_grf)
        j->chain_grf = jit_payload_grf(j);
    struct jit_set keeps = jit_lockstep_keeps(j);
    return j->chain_grf && __builtin_popcountll(keeps.w[0]) +
                                   __builtin_popcountll(keeps.w[1]) <=
                               MOST_KEPT;
}
