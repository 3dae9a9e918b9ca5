/* apart_loops.c: lanes that keep to themselves in kernels whose only branches
 * are those of loops that count (counters.c): in the code that masks nothing
 * all lanes count alike, also those that are off. */
#include "eu/jit/apart.h"

/* Rounds until what registers hold at the loop's end is what they may hold at
 * its beginning: compilers' loops need two or three. */
#define MOST_ROUNDS 8

/* Returns whether that is something new. */
static bool
add_home(int16_t *home, int16_t more)
{
    if (more == *home || more == JIT_SAME || *home == JIT_ANYWHERE)
        return false;
    *home = *home == JIT_SAME ? more : JIT_ANYWHERE;
    return true;
}

static bool
add_homes(struct jit_apart *f, const struct jit_apart *more)
{
    bool changed = false;
    for (unsigned g = 0; g < ARRAY_SIZE(f->grf); g++)
        changed |= add_home(&f->grf[g], more->grf[g]);
    for (unsigned i = 0; i < 4; i++)
        changed |= add_home(&f->flag[i / 2][i % 2], more->flag[i / 2][i % 2]);
    f->quads |= more->quads;
    return changed;
}

static bool
follow(struct jit_apart *f, const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    return op->fn == eu_op_join || jit_apart_follow(f, op, &j->regs[i]);
}

static bool
is_for_all(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    return !op->no_mask && op->full << op->chan == j->need;
}

/* From the BREAK on, around and to it again. */
static bool
follow_loop(struct jit_apart *f, const struct jit *j, uint32_t out,
            uint32_t end)
{
    if (!is_for_all(j, out) || !is_for_all(j, end) || !jit_leaves_loop(j, out))
        return false;
    for (unsigned n = 0; n < MOST_ROUNDS; n++) {
        struct jit_apart next = *f;
        bool good = true;
        for (uint32_t i = out + 1; i < end && good; i++)
            good = follow(&next, j, i);
        if (!good || !follow(&next, j, out - 1))
            return false;
        if (!add_homes(f, &next))
            return true;
    }
    return false;
}

void
jit_apart_follow_loops(struct jit_apart *f, const struct jit *j)
{
    jit_apart_begin(f);
    for (uint32_t i = 0; i < j->k->op_count; i++) {
        uint32_t out = i;
        if (!(j->start[i] & JIT_FLOW)) {
            if (!follow(f, j, i))
                return;
            continue;
        }
        while (!(j->start[++i] & JIT_FLOW))
            ;
        if (!follow_loop(f, j, out, i))
            return;
    }
}
