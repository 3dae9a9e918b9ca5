/* flat.c: IF, ELSE and ENDIF without a branch.
 *
 *      (f0) if; a := ..; b := a ..; else; b := ..; endif
 *
 * In the full copy all channels execute what is in short ones: where other
 * channels would notice, under the predicate of the IF, which nothing in it
 * changes. If all branches of a kernel are such it goes straight on: threads
 * with channels off run the same code as the others (apart.c), they follow each
 * other in rows and run in lockstep. The masked copy is made of the kernel as
 * it is. Ops keep their indices; those of the flow become NOPs. */
#include "eu/jit/apart.h"
#include "eu/jit/liveness.h"

#define MOST_IFS 8
/* Ops that may be executed for nothing. */
#define MOST_OPS 40

struct branch {
    uint32_t at, other, end; /* IF, ELSE or the end, ENDIF with its join */
};

static const struct eu_insn nop = {.opcode = EU_OP_NOP, .exec_size = 1};

static bool
is_join(const struct eu_op *op)
{
    return op->fn == eu_op_join;
}

/* ---- which branches ---- */

static bool
is_part(const struct eu_op *op, unsigned opcode, const struct eu_op *first)
{
    return op->insn->opcode == opcode && op->fn != eu_op_bad && !op->no_mask &&
           !op->insn->branch_ctrl && op->lanes == first->lanes && !op->chan;
}

static bool
is_if(const struct eu_op *op)
{
    return is_part(op, EU_OP_IF, op) && op->pred == 1 &&
           (op->lanes == 8 || op->lanes == 16) &&
           op->flag_shift + op->lanes <= 32u;
}

static uint32_t
target(const struct jit *j, uint32_t i)
{
    return i + (uint32_t)j->k->ops[i].jip;
}

/* The parts of the IF there, one behind the other and with nothing but joins
 * and what computes between them. */
static bool
find_parts(const struct jit *j, struct branch *b)
{
    const struct eu_op *ops = j->k->ops, *first = &ops[b->at];
    uint32_t i = b->at + 1, other = 0;
    if (!is_if(first))
        return false;
    while (i + 1 < j->k->op_count && !(j->start[i] & JIT_FLOW))
        i++;
    if (is_part(&ops[i], EU_OP_ELSE, first)) {
        other = i++;
        while (i + 1 < j->k->op_count && !(j->start[i] & JIT_FLOW))
            i++;
    }
    if (!is_part(&ops[i], EU_OP_ENDIF, first))
        return false;
    b->end = i - is_join(&ops[i - 1]);
    b->other = other ? other : b->end;
    return b->at + (uint32_t)first->uip == b->end &&
           target(j, b->at) == (other ? other + 1 : b->end) &&
           (!other || target(j, other) == b->end);
}

/* Reads those four bytes, or may. */
static bool
may_read(const struct jit *j, uint32_t i, unsigned off_B)
{
    const struct eu_op *op = &j->k->ops[i];
    if (!jit_set_has(&j->regs[i].uses, off_B, 4))
        return false;
    for (unsigned s = 0; (op->plain & EU_PLAIN_GRFS) && s < op->src_count;
         s++) {
        const struct eu_op_src *src = &op->src[s];
        unsigned len_B = src->cls == EU_SRC_SCALAR ? 4 : op->lanes * 4u;
        if (src->cls != EU_SRC_IMM && src->off_B < off_B + 4 &&
            off_B < src->off_B + len_B)
            return true;
    }
    return !(op->plain & EU_PLAIN_GRFS);
}

/* mov (1|M0) r25.2<1>:d 1067030938:d {NoMask}, for the ops up to end only. */
static bool
is_constant(const struct jit *j, uint32_t i, uint32_t end)
{
    const struct eu_op *op = &j->k->ops[i];
    if (!op->no_mask || op->lanes != 1 || op->pred || op->post ||
        op->insn->opcode != EU_OP_MOV || op->fn == op->slow ||
        op->src[0].cls != EU_SRC_IMM || op->insn->dst.file != EU_FILE_GRF)
        return false;
    for (uint32_t n = end; n < j->k->op_count; n++)
        if (may_read(j, n, op->dst_off_B))
            return false;
    return true;
}

/* Whole registers from whole registers, without flags; or the smaller or larger
 * one of two. */
static bool
is_vector(const struct eu_op *op, const struct eu_op *first)
{
    const uint8_t plain = EU_PLAIN_BY_LANES | EU_PLAIN_WHOLE;
    return (op->plain & plain) == plain && !op->no_mask &&
           op->lanes == first->lanes && !op->chan &&
           !(op->post & ~EU_POST_SAT) &&
           (!op->cmod || op->opcode == EU_OP_SEL) &&
           (op->opcode != EU_OP_MATH || (op->plain & EU_PLAIN_FLOAT));
}

static bool
computes(const struct jit *j, const struct eu_op *first, uint32_t from,
         uint32_t end, uint32_t *count)
{
    for (uint32_t i = from; i < end; i++) {
        const struct eu_op *op = &j->k->ops[i];
        if (op->insn->opcode == EU_OP_NOP)
            continue;
        if (!is_vector(op, first) && !is_constant(j, i, end))
            return false;
        ++*count;
    }
    return true;
}

static uint32_t
behind_else(const struct jit *j, const struct branch *b)
{
    uint32_t i = b->other + (b->other < b->end);
    return i + (i < b->end && is_join(&j->k->ops[i]));
}

/* A comparison with the same result in all channels, most likely: they take one
 * way together. */
static bool
is_uniform(const struct eu_op *test)
{
    bool uniform = test && test->fn != test->slow;
    for (unsigned s = 0; uniform && s < test->src_count; s++)
        uniform = test->src[s].cls == EU_SRC_SCALAR ||
                  test->src[s].cls == EU_SRC_IMM;
    return uniform;
}

static bool
find_branches(const struct jit *j, struct branch *b, unsigned *count)
{
    const struct eu_op *test = NULL;
    uint32_t ops = 0;
    for (uint32_t i = 0; i < j->k->op_count; i++) {
        const struct eu_op *op = &j->k->ops[i];
        if (is_join(op) || op->fn == eu_op_wait)
            return false;
        test = op->cmod && op->opcode != EU_OP_SEL ? op : test;
        if (!(j->start[i] & JIT_FLOW))
            continue;
        struct branch *now = &b[*count];
        if (++*count > MOST_IFS)
            return false;
        *now = (struct branch){.at = i};
        if (is_uniform(test) || !find_parts(j, now) ||
            !computes(j, op, i + 1, now->other, &ops) ||
            !computes(j, op, behind_else(j, now), now->end, &ops))
            return false;
        i = now->end + is_join(&j->k->ops[now->end]);
    }
    return ops <= MOST_OPS;
}

/* ---- what they become ---- */

static void
drop(struct jit *j, struct eu_op *ops, uint32_t i)
{
    ops[i] = (struct eu_op){.fn = eu_flow_fn(EU_OP_NOP),
                            .slow = eu_flow_fn(EU_OP_NOP),
                            .insn = &nop,
                            .ip = ops[i].ip,
                            .opcode = EU_OP_NOP};
    j->regs[i] = (struct jit_regs){.no_mask = true};
}

/* Results that others see are those of the channels that are meant. */
static void
predicate(struct jit *j, struct eu_op *op, struct jit_regs *r,
          const struct eu_op *first, bool inverted, jit_bits seen)
{
    seen &= jit_bits_of(&r->kills);
    if (op->no_mask || !(seen[0] | seen[1]))
        return;
    op->pred = 1;
    op->pred_inv = first->pred_inv != inverted;
    op->flag_reg = first->flag_reg;
    op->flag_shift = first->flag_shift;
    op->plain &= (uint8_t) ~(EU_PLAIN_WHOLE | EU_PLAIN_BY_LANES);
    r->kills = (struct jit_set){{0}};
}

/* What is between an IF and its ELSE, or behind that: registers that it reads
 * and replaces; in which lanes, those of channels 0-7 or 8-15; and for all. */
struct arm {
    jit_bits uses, kills, read[2], written[2], scalars;
};

static void
add_lanes(jit_bits lanes[2], const struct eu_op *op, unsigned off_B)
{
    lanes[0] |= jit_run(off_B / EU_GRF_B, 1);
    if (op->lanes > 8)
        lanes[1] |= jit_run(off_B / EU_GRF_B + 1, 1);
}

static struct arm
look_at(const struct jit *j, uint32_t from, uint32_t end)
{
    struct arm a = {.uses = {0}};
    for (uint32_t i = from; i < end; i++) {
        const struct eu_op *op = &j->k->ops[i];
        a.uses |= jit_bits_of(&j->regs[i].uses);
        a.kills |= jit_bits_of(&j->regs[i].kills);
        for (unsigned s = 0; s < op->src_count && !op->no_mask; s++) {
            const struct eu_op_src *src = &op->src[s];
            if (src->cls == EU_SRC_SCALAR)
                a.scalars |= jit_run(src->off_B / EU_GRF_B, 1);
            else if (src->cls != EU_SRC_IMM)
                add_lanes(a.read, op, src->off_B);
        }
        if (!op->no_mask && op->opcode != EU_OP_NOP)
            add_lanes(a.written, op, op->dst_off_B);
    }
    return a;
}

/* Registers in which channels see more than what they have written there
 * themselves. */
static jit_bits
shared(const struct arm *a)
{
    return (a->written[0] & (a->read[1] | a->written[1] | a->scalars)) |
           (a->written[1] & (a->read[0] | a->scalars));
}

/* live: behind the ENDIF; afterwards before the IF. What is behind the ELSE
 * replaces for its channels what others have left in them. */
static void
flatten(struct jit *j, struct eu_op *ops, const struct branch *b,
        jit_bits *live)
{
    const struct eu_op *first = &j->k->ops[b->at];
    uint32_t behind = behind_else(j, b);
    struct arm then = look_at(j, b->at + 1, b->other);
    struct arm other = look_at(j, behind, b->end);
    jit_bits seen = *live &
                    (~other.kills | (then.written[0] & other.written[1]) |
                     (then.written[1] & other.written[0]));
    seen |= other.uses | shared(&then);
    for (uint32_t i = b->at + 1; i < b->other; i++)
        predicate(j, &ops[i], &j->regs[i], first, false, seen);
    seen = *live | shared(&other);
    for (uint32_t i = behind; i < b->end; i++)
        predicate(j, &ops[i], &j->regs[i], first, true, seen);
    *live = (*live | other.uses) & ~look_at(j, b->at + 1, b->other).kills;
    *live |= then.uses;
    drop(j, ops, b->at);
    for (uint32_t i = b->other; i < behind; i++)
        drop(j, ops, i);
    for (uint32_t i = b->end; i < b->end + 2; i++)
        if (i == b->end || is_join(&j->k->ops[b->end]))
            drop(j, ops, i);
}

static void
flatten_all(struct jit *j, struct eu_op *ops, const struct branch *b,
            unsigned count)
{
    jit_bits live = {0};
    for (uint32_t i = j->k->op_count; i-- > 0;) {
        if (count && i == b[count - 1].end) {
            flatten(j, ops, &b[--count], &live);
            i = b[count].at;
            continue;
        }
        if ((j->start[i] & JIT_SEND) && ops[i].insn->eot)
            live = (jit_bits){0};
        live &= ~jit_bits_of(&j->regs[i].kills);
        live |= jit_bits_of(&j->regs[i].uses);
    }
}

void
jit_flatten(struct jit *j, struct jit_apart *apart)
{
    struct branch b[MOST_IFS + 1];
    uint32_t n = j->k->op_count;
    unsigned count = 0;
    if (!j->flattens || !j->has_flow || j->has_modes || j->has_dynamic ||
        j->has_loop || !find_branches(j, b, &count))
        return;
    struct eu_op *ops = arena_take(j->x.memory, n * sizeof *ops, 64);
    if (!ops)
        return;
    memcpy(ops, j->k->ops, n * sizeof *ops);
    flatten_all(j, ops, b, count);
    jit_take_ops(j, ops);
    for (uint32_t i = 1; i < n; i++)
        j->start[i] &= (uint8_t) ~(JIT_START | JIT_FLOW);
    j->flat = true;
    j->has_flow = j->has_ends = false;
    jit_apart_begin(apart);
    for (uint32_t i = 0; i < n; i++)
        if (!jit_apart_follow(apart, &ops[i], &j->regs[i]))
            return;
}
