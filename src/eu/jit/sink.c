/* sink.c: ops of threads in lockstep where their results are needed.
 *
 * Compilers put instructions early, for hardware with registers for many
 * results and time until messages are answered. Here each of the threads has
 * half of the vector registers, or a quarter, and what lies in one while a
 * message is answered is stored before and loaded behind it. So an op sinks to
 * the first one that needs its result, or that changes what it reads, unless it
 * reads more than one vector that has to be kept until then for it alone. */
#include "eu/jit/sink.h"

/* Behind all ops of a block. */
#define NONE UINT32_MAX

/* An op that sinks is put down right before another one, its anchor; the others
 * are their own anchors. Of each GRF, the first anchor of ops behind that touch
 * and that write it, up to the block's end; and the last one that reads it
 * before it is written, or 0. */
struct behind {
    uint32_t touch[EU_GRF_COUNT], write[EU_GRF_COUNT], read[EU_GRF_COUNT];
};

/* Per op, the first one that sinks to it, and the next one that sinks to where
 * it does; 0: none. */
struct order {
    uint32_t *first, *next, *of;
    bool *sinks;
    bool any;
};

static void
begin_behind(struct behind *b)
{
    memset(b->touch, 0xff, sizeof b->touch);
    memset(b->write, 0xff, sizeof b->write);
    memset(b->read, 0, sizeof b->read);
}

static unsigned
take_grf(struct jit_set *s)
{
    unsigned w = !s->w[0], g = (unsigned)__builtin_ctzll(s->w[w]);
    s->w[w] &= s->w[w] - 1;
    return w * 64 + g;
}

static bool
is_empty(const struct jit_set *s)
{
    return !(s->w[0] | s->w[1]);
}

static bool
is_simple(const struct eu_op *op)
{
    return (op->plain & EU_PLAIN_GRFS) && op->fn != op->slow &&
           op->opcode != EU_OP_MATH;
}

/* At least what it writes. */
static struct jit_set
written(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    if (!is_simple(op))
        return jit_written(&j->regs[i], op);
    if (op->post & EU_POST_NULL)
        return (struct jit_set){{0}};
    return jit_grfs(op->dst_off_B / EU_GRF_B, DIV_ROUND_UP(op->lanes, 8));
}

static void
note(struct behind *b, struct jit_set writes, struct jit_set uses,
     uint32_t anchor)
{
    while (!is_empty(&writes)) {
        unsigned g = take_grf(&writes);
        b->touch[g] = b->write[g] = anchor;
        b->read[g] = 0;
    }
    while (!is_empty(&uses)) {
        unsigned g = take_grf(&uses);
        b->touch[g] = MIN2(b->touch[g], anchor);
        b->read[g] = MAX2(b->read[g], anchor);
    }
}

/* All it does is to write whole registers. */
static bool
may_sink(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    return is_simple(op) && !op->pred && !op->cmod &&
           !(op->post & ~EU_POST_SAT) && !j->start[i] &&
           !is_empty(&j->regs[i].kills);
}

/* Vectors that nobody else reads there or behind. */
static unsigned
kept_for(const struct eu_op *op, const struct behind *b, uint32_t there)
{
    unsigned count = 0;
    for (unsigned s = 0; s < op->src_count; s++) {
        const struct eu_op_src *src = &op->src[s];
        if (src->cls != EU_SRC_IMM && src->cls != EU_SRC_SCALAR)
            count += b->read[src->off_B / EU_GRF_B] < there;
    }
    return count;
}

/* Of the op; itself if it stays. */
static uint32_t
find_anchor(const struct jit *j, const struct behind *b, uint32_t i)
{
    struct jit_set kills = j->regs[i].kills, uses = j->regs[i].uses;
    uint32_t there = NONE;
    if (!may_sink(j, i))
        return i;
    while (!is_empty(&kills)) {
        unsigned g = take_grf(&kills);
        there = MIN2(there, b->touch[g]);
    }
    while (!is_empty(&uses)) {
        unsigned g = take_grf(&uses);
        there = MIN2(there, b->write[g]);
    }
    return there != NONE && kept_for(&j->k->ops[i], b, there) <= 1 ? there : i;
}

static void
sink(struct order *o, uint32_t i, uint32_t anchor)
{
    o->next[i] = o->first[anchor];
    o->first[anchor] = i;
    o->sinks[i] = o->any = true;
}

static void
find_order(const struct jit *j, struct order *o)
{
    struct behind b;
    begin_behind(&b);
    for (uint32_t i = j->k->op_count; i-- > 0;) {
        const struct eu_op *op = &j->k->ops[i];
        if (jit_is_send(op) && op->insn->eot)
            begin_behind(&b);
        uint32_t anchor = find_anchor(j, &b, i);
        if (anchor != i)
            sink(o, i, anchor);
        note(&b, written(j, i), j->regs[i].uses, anchor);
        if (j->start[i] & JIT_START)
            begin_behind(&b);
    }
}

static bool
begin_order(const struct jit *j, struct order *o)
{
    uint32_t n = j->k->op_count;
    uint32_t *p = arena_alloc(j->x.memory, n * (3 * sizeof *p + 1), 64);
    if (!p)
        return false;
    *o = (struct order){.first = p,
                        .next = p + n,
                        .of = p + 2 * n,
                        .sinks = (bool *)(p + 3 * n)};
    return true;
}

/* What is known per op so far, in their new order. */
static void
arrange(struct jit *j, const struct order *o)
{
    const struct eu_kernel *k = j->k;
    uint32_t n = k->op_count, at = 0;
    struct eu_op *ops = arena_take(j->x.memory, n * sizeof *ops, 64);
    struct jit_regs *regs = arena_take(j->x.memory, n * sizeof *regs, 64);
    uint8_t *start = arena_take(j->x.memory, n, 64);
    if (!ops || !regs || !start)
        return;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t s = o->first[i]; s; s = o->next[s])
            o->of[at++] = s;
        if (!o->sinks[i])
            o->of[at++] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        ops[i] = k->ops[o->of[i]];
        regs[i] = j->regs[o->of[i]];
        start[i] = j->start[o->of[i]];
    }
    j->sunk = (struct eu_kernel){.hash = k->hash,
                                 .size_B = k->size_B,
                                 .op_of = k->op_of,
                                 .ops = ops,
                                 .op_count = n};
    j->k = &j->sunk;
    j->regs = regs;
    j->start = start;
    j->order = o->of;
}

void
jit_sink(struct jit *j)
{
    struct order o;
    if (!begin_order(j, &o))
        return;
    find_order(j, &o);
    if (o.any)
        arrange(j, &o);
}
