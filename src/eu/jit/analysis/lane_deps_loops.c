/* lane_deps_loops.c: lane independence in kernels whose only branches belong to
 * counted loops (counted_loops.c). In unmasked code all lanes count equally,
 * inactive lanes included. */
#include "eu/jit/analysis/lane_deps.h"

/* Rounds until register states at the loop's end equal the states at its
 * beginning: compilers' loops need two or three. */
#define MOST_ROUNDS 8

/* Merges the state `more` into *home. Returns whether *home has changed. */
static bool
add_home(int16_t *home, int16_t more)
{
    if (more == *home || more == JIT_UNIFORM || *home == JIT_UNDEFINED)
        return false;
    *home = *home == JIT_UNIFORM ? more : JIT_UNDEFINED;
    return true;
}

static bool
add_homes(struct jit_lane_deps *f, const struct jit_lane_deps *more)
{
    bool changed = false;
    for (unsigned g = 0; g < ARRAY_SIZE(f->grf); g++)
        changed |= add_home(&f->grf[g], more->grf[g]);
    for (unsigned i = 0; i < 4; i++)
        changed |= add_home(&f->flag[i / 2][i % 2], more->flag[i / 2][i % 2]);
    f->quad_dependent |= more->quad_dependent;
    return changed;
}

static bool
follow_range(struct jit_lane_deps *f, const struct jit_facts *facts, uint32_t i)
{
    const struct eu_op *op = &facts->k->ops[i];
    return op->fn == eu_op_join || jit_lane_deps_follow(f, op, &facts->regs[i]);
}

static bool
is_for_all(const struct jit_facts *facts, uint32_t i)
{
    const struct eu_op *op = &facts->k->ops[i];
    return !op->no_mask && op->full << op->chan == facts->required_mask;
}

/* From the BREAK around the loop to the BREAK again. */
static bool
follow_loop(struct jit_lane_deps *f, const struct jit_facts *facts,
            uint32_t out, uint32_t end)
{
    if (!is_for_all(facts, out) || !is_for_all(facts, end) ||
        !jit_leaves_loop(facts, out))
        return false;
    for (unsigned n = 0; n < MOST_ROUNDS; n++) {
        struct jit_lane_deps next = *f;
        bool good = true;
        for (uint32_t i = out + 1; i < end && good; i++)
            good = follow_range(&next, facts, i);
        if (!good || !follow_range(&next, facts, out - 1))
            return false;
        if (!add_homes(f, &next))
            return true;
    }
    return false;
}

void
jit_lane_deps_follow_loops(struct jit_lane_deps *f,
                           const struct jit_facts *facts)
{
    jit_lane_deps_begin(f);
    for (uint32_t i = 0; i < facts->k->op_count; i++) {
        uint32_t out = i;
        if (!(facts->start[i] & JIT_FLOW)) {
            if (!follow_range(f, facts, i))
                return;
            continue;
        }
        while (!(facts->start[++i] & JIT_FLOW))
            ;
        if (!follow_loop(f, facts, out, i))
            return;
    }
}
