/* profile_ops.c: counts executed instructions, active lanes, the lanes of
 * branches and memory accesses, for profiles. */
#include "eu/interp/interp.h"

#include "eu/profile/profile.h"

uint64_t *
eu_profile_counts(const struct eu_thread *t)
{
    uint64_t *counters = eu_profile_counters();
    return counters && t->kernel->profile_slot
               ? counters + t->kernel->profile_slot
               : NULL;
}

uint32_t
eu_profile_arrays_of(const struct eu_kernel *k)
{
    return k->profile_memory ? PROFILE_MEMORY_ARRAYS
           : k->profile_bins ? PROFILE_LANES_ARRAYS
                             : PROFILE_ARRAYS;
}

static uint64_t *
counter_at(const struct eu_thread *t, const struct eu_op *op, uint64_t *counts,
           enum profile_array array)
{
    return &counts[array * (t->kernel->size_B / 8) + op->ip / 8];
}

/* Returns the branch's active lanes. */
static unsigned
count_branch(const struct eu_thread *t, const struct eu_op *op,
             uint64_t *counts)
{
    bool usual = eu_is_usually_taken(op->insn);
    uint32_t taken, all = eu_branch_channels(t, op, &taken);
    uint32_t contrary = usual ? all & ~taken : taken;
    if (usual ? !taken : taken && taken == all)
        ++*counter_at(t, op, counts, PROFILE_CONTRARY);
    if (taken && taken != all)
        ++*counter_at(t, op, counts, PROFILE_DIVERGENT);
    *counter_at(
        t, op, counts,
        PROFILE_CONTRARY_LANES) += (unsigned)__builtin_popcount(contrary);
    return (unsigned)__builtin_popcount(all);
}

/* Active lanes of the op, before it runs. */
static unsigned
count_lanes(struct eu_thread *t, const struct eu_op *op, uint64_t *counts)
{
    if (op->fn == eu_op_join) {
        eu_wake_channels(t, op->ip); /* the op will find none to wake */
        op++;
    }
    if (op->fn == eu_op_link)
        return 0;
    if (eu_parts_channels(op->insn))
        return count_branch(t, op, counts);
    return (unsigned)__builtin_popcount(eu_op_enabled(t, op));
}

/* After the op has run with so many. */
static void
add_lanes(const struct eu_thread *t, const struct eu_op *op, uint64_t *counts,
          unsigned lanes)
{
    const struct eu_kernel *k = t->kernel;
    bool joins = op->fn == eu_op_join;
    *counter_at(t, op, counts, PROFILE_LANES) += lanes;
    if (!eu_fixed_lanes(op[joins].insn))
        counts[profile_bin(PROFILE_RAN_BINS, eu_profile_arrays_of(k),
                           k->profile_bins, k->size_B / 8, op->ip / 8) +
               lanes]++;
}

const struct eu_op *
eu_profile_run(struct eu_thread *t, const struct eu_op *op, eu_op_fn fn,
               uint64_t *counts)
{
    bool has_lanes = counts && t->kernel->profile_bins;
    unsigned lanes = has_lanes ? count_lanes(t, op, counts) : 0;
    const struct eu_op *next = fn(t, op);
    /* A link is not an instruction, and a wait that blocks will run again. */
    if (op->fn == eu_op_link || t->status == EU_WAITING)
        return next;
    if (t->counts)
        t->counts[op->ip / 8]++;
    if (counts)
        ++*counter_at(t, op, counts, PROFILE_RAN);
    if (has_lanes)
        add_lanes(t, op, counts, lanes);
    return next;
}

bool
eu_counts_memory(void)
{
    return eu_profile_has_memory();
}

void
eu_count_memory(const struct eu_thread *t, const struct eu_memory_use *use)
{
    uint64_t *counts = eu_profile_counts(t);
    if (counts && t->kernel->profile_memory)
        eu_profile_add_memory(counts + t->ip / 8, t->kernel->size_B / 8, use);
}

const struct eu_op *
eu_op_counted_branch(struct eu_thread *t, const struct eu_op *op)
{
    uint64_t *counts = eu_profile_counts(t);
    if (counts)
        count_branch(t, op, counts);
    return eu_op_interpreted(t, op);
}
