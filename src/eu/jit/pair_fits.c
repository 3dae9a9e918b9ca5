/* pair_fits.c: which kernels there may be code for two threads of (pair.c). */
#include "eu/jit/pair.h"

#include "eu/jit/compile.h"

/* Registers for which there is room. */
#define MOST_KEPT 12
static_assert((EU_CATCH_GRF + MOST_KEPT) * EU_GRF_B <=
                  sizeof((struct eu_thread){0}.acc),
              "room for them");

struct jit_set
jit_pair_keeps(const struct jit *j)
{
    struct jit_set s = jit_grfs(j->row_grf, EU_ROW_GRF);
    for (unsigned w = 0; w < 2; w++)
        s.w[w] = j->in.full[w] & j->in.written[w] & ~s.w[w];
    return s;
}

struct jit_set
jit_group_keeps(const struct jit *j)
{
    struct jit_set s = {{0}};
    for (unsigned w = 0; w < 2 && j->has_loop; w++)
        s.w[w] = j->in.full[w] & j->in.written[w];
    return s;
}

const struct jit_loop *
jit_counted_loop(const struct jit *j, uint32_t i)
{
    const struct jit_loop *l = jit_loop_at(j, i);
    return l && l->counter.len_B && jit_leaves_loop(j, l->head + 1) ? l : NULL;
}

/* No branches but those of such loops, and nothing that may go wrong. */
static bool
only_counts(const struct jit *j)
{
    if (j->has_indirect)
        return false;
    for (uint32_t i = 0; i < j->k->op_count; i++) {
        if (!(j->start[i] & JIT_FLOW) || jit_is_unreached(j, i))
            continue;
        const struct jit_loop *l = jit_counted_loop(j, i);
        if (!l || (i != l->head + 1 && i != l->end))
            return false;
    }
    return true;
}

/* Fewer instructions do not wait for each other for long. */
#define MANY_OPS 12

/* Of threads without weights, or that do not follow each other one at a time:
 * with loops, where all channels are on. */
static bool
may_pair(const struct jit *j)
{
    return j->full && j->in.catches && !j->in.acc && j->in.steady &&
           j->leaves != EU_LEAVES_ALL && !j->has_dynamic && only_counts(j) &&
           j->k->op_count >= MANY_OPS &&
           !(j->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
}

/* What ends with a message to the spawner. */
bool
jit_makes_groups(const struct jit *j)
{
    struct jit_set keeps;
    if (!j->evex || !j->full || j->in.catches ||
        j->in.last_sfid != EU_SFID_SPAWNER)
        return false;
    keeps = jit_group_keeps(j);
    return !j->in.last_pred && !j->in.acc && j->in.steady && j->in.ends == 1 &&
           j->leaves != EU_LEAVES_ALL && !j->has_dynamic &&
           j->k->op_count >= MANY_OPS && only_counts(j) &&
           !(j->flags & (EU_JIT_SPLIT | EU_JIT_STEP)) &&
           __builtin_popcountll(keeps.w[0]) +
                   __builtin_popcountll(keeps.w[1]) <=
               MOST_KEPT;
}

/* What is sent twice, where the two did not stay together, does no harm. */
#define HARMLESS_SFIDS (1u << EU_SFID_SAMPLER)
/* GRFs that an instruction finds computed, on average; every fourth one is
 * asked. With more than all vector registers hold, half of them are too few,
 * and threads that send messages leave enough for the host to do at once. */
#define MOST_COMPUTED (2 * JIT_VREGS)

static bool
computes_little(const struct jit *j)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < j->k->op_count; i += 4)
        for (unsigned w = 0; w < 2; w++)
            sum += (unsigned)__builtin_popcountll(j->live[0][i].w[w] &
                                                  j->in.written[w]);
    return sum * 4 <= (uint64_t)MOST_COMPUTED * j->k->op_count;
}

bool
jit_makes_pairs(struct jit *j)
{
    if (!j->evex || j->has_modes || (j->in.sfids & ~HARMLESS_SFIDS) ||
        j->in.ends != 1 || (j->in.sfids && !computes_little(j)))
        return false;
    if (!(j->row_grf && j->weights_grf) && !may_pair(j))
        return false;
    if (!j->row_grf)
        j->row_grf = jit_payload_grf(j);
    struct jit_set keeps = jit_pair_keeps(j);
    return j->row_grf && __builtin_popcountll(keeps.w[0]) +
                                 __builtin_popcountll(keeps.w[1]) <=
                             MOST_KEPT;
}
