/* live.c: which registers are needed where.
 *
 * A write ends the life of a register's old value only if it covers all of it
 * for every channel: always under NoMask, in the full copy of the code also
 * without. The full copy may continue in the masked one at any branch. */
#include "eu/jit/liveness.h"

#define MAX_PASSES 64

static const struct jit_set everything = {{UINT64_MAX, UINT64_MAX}};
static const struct jit_set nothing;

static void
add_target(const struct jit *j, bool full, struct jit_set *s, uint32_t from,
           int32_t distance)
{
    uint32_t to = from + (uint32_t)distance;
    if (to >= j->k->op_count)
        return;
    for (unsigned c = full ? 0 : 1; c < 2; c++)
        for (unsigned w = 0; w < 2; w++)
            s->w[w] |= j->live[c][to].w[w];
}

/* Behind an op that does not simply go on to the next. */
static struct jit_set
live_behind(const struct jit *j, bool full, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    struct jit_set s = {{0}};
    if (op->fn == eu_op_bad || jit_is_send(op))
        return s;
    if (op->fn == eu_op_link) {
        add_target(j, full, &s, i, op->jip);
        return s;
    }
    if (!(j->start[i] & JIT_MODES) && jit_is_dynamic(op))
        return everything;
    add_target(j, full, &s, i, 1);
    if (j->start[i] & JIT_MODES)
        return s;
    add_target(j, full, &s, i, op->jip);
    if (jit_has_uip(op))
        add_target(j, full, &s, i, op->uip);
    return s;
}

static bool
ends(const struct jit *j, uint32_t i)
{
    if (j->start[i] & (JIT_FLOW | JIT_MODES))
        return true;
    return (j->start[i] & JIT_SEND) && j->k->ops[i].insn->eot;
}

/* Blocks whose end is as it was are skipped, but not at first. */
static bool
pass(struct jit *j, bool full, bool at_first)
{
    struct jit_set *live = j->live[!full];
    uint64_t changed = 0, lo = 0, hi = 0;
    for (uint32_t i = j->k->op_count; i-- > 0;) {
        const struct jit_regs *r = &j->regs[i];
        bool at_end = ends(j, i);
        if (at_end) {
            struct jit_set s = live_behind(j, full, i);
            lo = s.w[0];
            hi = s.w[1];
        }
        uint64_t keep = full || r->no_mask ? 0 : UINT64_MAX;
        lo = (lo & (~r->kills.w[0] | keep)) | r->uses.w[0];
        hi = (hi & (~r->kills.w[1] | keep)) | r->uses.w[1];
        uint64_t differs = (lo ^ live[i].w[0]) | (hi ^ live[i].w[1]);
        changed |= differs;
        live[i].w[0] = lo;
        live[i].w[1] = hi;
        if (at_end && !differs && !at_first) {
            while (i && !(j->start[i] & JIT_START))
                i--;
            lo = live[i].w[0];
            hi = live[i].w[1];
        }
    }
    return changed;
}

static bool
settle(struct jit *j, bool full)
{
    for (unsigned n = 0; n < MAX_PASSES; n++)
        if (!pass(j, full, !n) || !j->has_loop)
            return true;
    return false;
}

/* Without a branch, both copies at once. */
static void
pass_straight(struct jit *j)
{
    struct jit_set full = nothing, masked = nothing;
    for (uint32_t i = j->k->op_count; i-- > 0;) {
        const struct jit_regs *r = &j->regs[i];
        if (ends(j, i))
            full = masked = nothing;
        uint64_t keep = r->no_mask ? 0 : UINT64_MAX;
        for (unsigned w = 0; w < 2; w++) {
            full.w[w] = (full.w[w] & ~r->kills.w[w]) | r->uses.w[w];
            masked.w[w] = (masked.w[w] & (~r->kills.w[w] | keep)) |
                          r->uses.w[w];
        }
        j->live[0][i] = full;
        j->live[1][i] = masked;
    }
}

/* The masked copy first: the full one may go on there at any branch and when
 * the dispatch mask is written. */
bool
jit_find_live(struct jit *j)
{
    if (!j->has_ends) {
        pass_straight(j);
        return true;
    }
    memset(j->live[0], 0, j->k->op_count * sizeof *j->live[0]);
    memset(j->live[1], 0, j->k->op_count * sizeof *j->live[1]);
    return settle(j, false) && (!j->full || settle(j, true));
}
