/* sink.c: code sinking for threads in lockstep: moves ops down to where their
 * results are needed.
 *
 * Compilers place instructions early, for hardware with registers for many
 * results and time until messages are answered. In lockstep each thread has
 * only half of the vector registers, or a quarter. Values that are live across
 * a message are stored and reloaded. So an op sinks to the first op that needs
 * its result or overwrites its operands, unless more than one vector would stay
 * live for it alone.
 *
 * If four threads still have too few registers, values also move to other GRFs
 * (rename_grf.c), so that few overwrites limit how far ops sink. */
#include "eu/jit/transform/rename_grf.h"

#include "eu/jit/emit/emit.h"
#include "eu/jit/transform/transform.h"

/* After all ops of a block. */
#define NONE UINT32_MAX

/* Anchor: the op before which a sinking op is placed; other ops are their own
 * anchors. Reach of a place, up to the block's end: the first anchor of later
 * ops that touch it; the first that writes it; and the last that reads it
 * before it is written, or 0. Places are GRFs and, from FIRST_WEB on, movable
 * webs. */
struct reach {
    uint32_t touch, write, read;
};
struct behind {
    struct reach *at;
};
#define FIRST_WEB EU_GRF_COUNT

/* Places of an op. */
struct places {
    unsigned count;
    uint16_t at[EU_GRF_COUNT + 4];
};

/* Per op, the first op that sinks to it, and the next op with its own anchor;
 * 0: none. */
struct order {
    uint32_t *first, *next, *of;
    bool *sinks;
    bool any;
    struct jit_webs webs;
    struct jit_set taken; /* by ops that do not move */
};

static void
begin_behind(struct behind *b, uint32_t places)
{
    for (uint32_t p = 0; p < places; p++) {
        b->at[p].touch = b->at[p].write = NONE;
        b->at[p].read = 0;
    }
}

/* web: in these registers, or 0. */
static void
add_web(struct places *p, const struct jit_webs *w, uint16_t web,
        struct jit_set *grfs)
{
    struct jit_set s = jit_grfs(w->web[web].grf, 2);
    if (!web || w->web[web].stays)
        return;
    p->at[p->count++] = (uint16_t)(FIRST_WEB + web);
    for (unsigned n = 0; n < 2; n++)
        grfs->w[n] &= ~s.w[n];
}

static void
add_grfs(struct places *p, struct jit_set s)
{
    while (!jit_is_empty(&s))
        p->at[p->count++] = (uint16_t)jit_take_grf(&s);
}

static struct places
uses_of(const struct jit_facts *f, const struct order *o, uint32_t i)
{
    struct places p = {.count = 0};
    struct jit_set grfs = f->regs[i].uses;
    for (unsigned s = 0; s < 3; s++)
        add_web(&p, &o->webs, o->webs.op[i].src[s], &grfs);
    add_grfs(&p, grfs);
    return p;
}

static bool
is_simple(const struct eu_op *op)
{
    return (op->plain & EU_PLAIN_GRFS) && op->fn != op->slow &&
           op->opcode != EU_OP_MATH;
}

/* Registers that the op writes, or a superset. */
static struct jit_set
written_by(const struct jit_facts *f, uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    if (!is_simple(op))
        return jit_written(&f->regs[i], op);
    if (op->post & EU_POST_NULL)
        return (struct jit_set){{0}};
    return jit_grfs(op->dst_off_B / EU_GRF_B, DIV_ROUND_UP(op->lanes, 8));
}

static struct places
writes_of(const struct jit_facts *f, const struct order *o, uint32_t i,
          struct jit_set grfs)
{
    struct places p = {.count = 0};
    add_web(&p, &o->webs, o->webs.op[i].dst, &grfs);
    add_grfs(&p, grfs);
    return p;
}

static void
take_op(struct order *o, unsigned place)
{
    if (place < FIRST_WEB)
        o->taken.w[place / 64] |= UINT64_C(1) << place % 64;
}

static void
note_op(const struct jit_facts *f, struct order *o, struct behind *b,
        uint32_t i, uint32_t anchor)
{
    struct places w = writes_of(f, o, i, written_by(f, i)),
                  u = uses_of(f, o, i);
    for (unsigned n = 0; n < w.count; n++) {
        unsigned p = w.at[n];
        b->at[p].touch = b->at[p].write = anchor;
        b->at[p].read = 0;
        take_op(o, p);
    }
    for (unsigned n = 0; n < u.count; n++) {
        unsigned p = u.at[n];
        take_op(o, p);
        b->at[p].touch = MIN2(b->at[p].touch, anchor);
        b->at[p].read = MAX2(b->at[p].read, anchor);
    }
}

/* Whether the op only writes whole registers. */
static bool
may_sink(const struct jit_facts *f, uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    return is_simple(op) && !op->pred && !op->cmod &&
           !(op->post & ~EU_POST_SAT) && !f->start[i] &&
           !jit_is_empty(&f->regs[i].kills);
}

/* Counts operand vectors that no other op reads at `there` or later. */
static unsigned
kept_for(const struct jit_facts *f, const struct order *o, uint32_t i,
         const struct behind *b, uint32_t there)
{
    const struct eu_op *op = &f->k->ops[i];
    unsigned count = 0;
    for (unsigned s = 0; s < op->src_count; s++) {
        const struct eu_op_src *src = &op->src[s];
        uint16_t web = o->webs.op[i].src[s];
        unsigned place = web && !o->webs.web[web].stays ? FIRST_WEB + web
                                                        : src->off_B / EU_GRF_B;
        if (src->cls != EU_SRC_IMM && src->cls != EU_SRC_SCALAR)
            count += b->at[place].read < there;
    }
    return count;
}

/* The op's anchor; the op itself if it stays. */
static uint32_t
find_anchor(const struct jit_facts *f, const struct order *o,
            const struct behind *b, uint32_t i)
{
    uint32_t there = NONE;
    if (!may_sink(f, i))
        return i;
    struct places w = writes_of(f, o, i, f->regs[i].kills),
                  u = uses_of(f, o, i);
    for (unsigned n = 0; n < w.count; n++)
        there = MIN2(there, b->at[w.at[n]].touch);
    for (unsigned n = 0; n < u.count; n++)
        there = MIN2(there, b->at[u.at[n]].write);
    return there != NONE && kept_for(f, o, i, b, there) <= 1 ? there : i;
}

static void
sink_op(struct order *o, uint32_t i, uint32_t anchor)
{
    o->next[i] = o->first[anchor];
    o->first[anchor] = i;
    o->sinks[i] = o->any = true;
}

static void
find_order(const struct jit_facts *f, struct order *o, struct behind *b)
{
    uint32_t n = f->k->op_count;
    memset(o->first, 0, n * sizeof *o->first);
    memset(o->sinks, 0, n * sizeof *o->sinks);
    begin_behind(b, FIRST_WEB + o->webs.count);
    for (uint32_t i = n; i-- > 0;) {
        const struct eu_op *op = &f->k->ops[i];
        if (jit_is_send(op) && op->insn->eot)
            begin_behind(b, EU_GRF_COUNT);
        uint32_t anchor = find_anchor(f, o, b, i);
        if (anchor != i)
            sink_op(o, i, anchor);
        note_op(f, o, b, i, anchor);
        if (f->start[i] & JIT_START)
            begin_behind(b, EU_GRF_COUNT);
    }
}

static bool
begin_order(const struct jit_facts *f, struct order *o, struct behind *b)
{
    uint32_t n = f->k->op_count;
    uint32_t *p = arena_take(f->memory, n * (3 * sizeof *p + 1), 64);
    if (!p || !jit_find_webs(f, &o->webs))
        return false;
    o->first = p;
    o->next = p + n;
    o->of = p + 2 * n;
    o->sinks = (bool *)(p + 3 * n);
    b->at = arena_take(f->memory, (FIRST_WEB + o->webs.count) * sizeof *b->at,
                       64);
    return b->at;
}

static void
list_order(const struct order *o, uint32_t n)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t s = o->first[i]; s; s = o->next[s])
            o->of[at++] = s;
        if (!o->sinks[i])
            o->of[at++] = i;
    }
}

/* Arranges the facts about ops in the new order. */
static void
arrange_ops(struct jit_facts *f, const struct order *o)
{
    const struct eu_kernel *k = f->k;
    uint32_t n = k->op_count;
    struct eu_op *ops = arena_take(f->memory, n * sizeof *ops, 64);
    struct jit_regs *regs = arena_take(f->memory, n * sizeof *regs, 64);
    uint8_t *start = arena_take(f->memory, n, 64);
    if (!ops || !regs || !start)
        return;
    list_order(o, n);
    for (uint32_t i = 0; i < n; i++) {
        ops[i] = k->ops[o->of[i]];
        regs[i] = f->regs[o->of[i]];
        start[i] = f->start[o->of[i]];
    }
    if (!jit_place_webs(f, &o->webs, &o->taken, o->of, ops, regs))
        return;
    jit_take_ops(f, ops);
    f->regs = regs;
    f->start = start;
    f->order = o->of;
}

void
jit_sink(struct jit_facts *f)
{
    struct order o = {.any = false};
    struct behind b;
    if (!begin_order(f, &o, &b))
        return;
    find_order(f, &o, &b);
    if (o.any)
        arrange_ops(f, &o);
}
