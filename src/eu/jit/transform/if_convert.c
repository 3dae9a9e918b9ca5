/* if_convert.c: if-conversion of short IF/ELSE/ENDIF.
 *
 * (f0) if; a := ..; b := a ..; else; b := ..; endif
 *
 * In the unmasked variant all channels execute both sides. Where other channels
 * would notice, ops get the predicate of the IF, which nothing inside changes.
 * A kernel whose branches are all converted is straight-line code. Its threads
 * run unmasked code with channels off (lane_deps.c), follow each other in
 * chains and run in lockstep.
 *
 * The masked variant is made from the original kernel. Ops keep their indices;
 * control flow ops become NOPs. */
#include "eu/jit/transform/transform.h"

#include "eu/jit/emit/emit.h"

#define MOST_IFS 8
/* Ops that some channels may execute in vain. */
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

/* ---- selection of branches ---- */

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
branch_target(const struct jit_facts *f, uint32_t i)
{
    return i + (uint32_t)f->k->ops[i].jip;
}

/* Finds the consecutive parts of the IF at this op, with only joins and
 * computing ops between them. */
static bool
find_parts(const struct jit_facts *f, struct branch *b)
{
    const struct eu_op *ops = f->k->ops, *first = &ops[b->at];
    uint32_t i = b->at + 1, other = 0;
    if (!is_if(first))
        return false;
    while (i + 1 < f->k->op_count && !(f->start[i] & JIT_FLOW))
        i++;
    if (is_part(&ops[i], EU_OP_ELSE, first)) {
        other = i++;
        while (i + 1 < f->k->op_count && !(f->start[i] & JIT_FLOW))
            i++;
    }
    if (!is_part(&ops[i], EU_OP_ENDIF, first))
        return false;
    b->end = i - is_join(&ops[i - 1]);
    b->other = other ? other : b->end;
    return b->at + (uint32_t)first->uip == b->end &&
           branch_target(f, b->at) == (other ? other + 1 : b->end) &&
           (!other || branch_target(f, other) == b->end);
}

/* Whether the op reads the four bytes at off_B, or may. */
static bool
may_read(const struct jit_facts *f, uint32_t i, unsigned off_B)
{
    const struct eu_op *op = &f->k->ops[i];
    if (!jit_set_has(&f->regs[i].uses, off_B, 4))
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

/* mov (1|M0) r25.2<1>:d 1067030938:d {NoMask}, used only by ops up to `end`. */
static bool
is_constant(const struct jit_facts *f, uint32_t i, uint32_t end)
{
    const struct eu_op *op = &f->k->ops[i];
    if (!op->no_mask || op->lanes != 1 || op->pred || op->post ||
        op->insn->opcode != EU_OP_MOV || op->fn == op->slow ||
        op->src[0].cls != EU_SRC_IMM || op->insn->dst.file != EU_FILE_GRF)
        return false;
    for (uint32_t n = end; n < f->k->op_count; n++)
        if (may_read(f, n, op->dst_off_B))
            return false;
    return true;
}

/* Whole registers from whole registers, without flags; or a minimum or
 * maximum. */
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
computes_only(const struct jit_facts *f, const struct eu_op *first,
              uint32_t from, uint32_t end, uint32_t *count)
{
    for (uint32_t i = from; i < end; i++) {
        const struct eu_op *op = &f->k->ops[i];
        if (op->insn->opcode == EU_OP_NOP)
            continue;
        if (!is_vector(op, first) && !is_constant(f, i, end))
            return false;
        ++*count;
    }
    return true;
}

static uint32_t
behind_else(const struct jit_facts *f, const struct branch *b)
{
    uint32_t i = b->other + (b->other < b->end);
    return i + (i < b->end && is_join(&f->k->ops[i]));
}

bool
jit_is_uniform(const struct eu_op *test)
{
    bool uniform = test && test->fn != test->slow;
    for (unsigned s = 0; uniform && s < test->src_count; s++)
        uniform = test->src[s].cls == EU_SRC_SCALAR ||
                  test->src[s].cls == EU_SRC_IMM;
    return uniform;
}

static bool
find_branches(const struct jit_facts *f, struct branch *b, unsigned *count)
{
    const struct eu_op *test = NULL;
    uint32_t ops = 0;
    for (uint32_t i = 0; i < f->k->op_count; i++) {
        const struct eu_op *op = &f->k->ops[i];
        if (is_join(op) || op->fn == eu_op_wait)
            return false;
        test = op->cmod && op->opcode != EU_OP_SEL ? op : test;
        if (!(f->start[i] & JIT_FLOW))
            continue;
        struct branch *now = &b[*count];
        if (++*count > MOST_IFS)
            return false;
        *now = (struct branch){.at = i};
        if (jit_is_uniform(test) || !find_parts(f, now) ||
            !computes_only(f, op, i + 1, now->other, &ops) ||
            !computes_only(f, op, behind_else(f, now), now->end, &ops))
            return false;
        i = now->end + is_join(&f->k->ops[now->end]);
    }
    return ops <= MOST_OPS;
}

/* ---- conversion ---- */

static void
drop_op(struct jit_facts *f, struct eu_op *ops, uint32_t i)
{
    ops[i] = (struct eu_op){.fn = eu_flow_fn(EU_OP_NOP),
                            .slow = eu_flow_fn(EU_OP_NOP),
                            .insn = &nop,
                            .ip = ops[i].ip,
                            .opcode = EU_OP_NOP};
    f->regs[i] = (struct jit_regs){.no_mask = true};
}

/* Predicates ops whose results other channels see. */
static void
predicate_op(struct jit_facts *f, struct eu_op *op, struct jit_regs *r,
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

/* One side of an IF. uses, kills: registers that it reads and overwrites; read,
 * written: in lanes of channels 0-7 and of 8-15; scalars: read as scalars. */
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
look_at(const struct jit_facts *f, uint32_t from, uint32_t end)
{
    struct arm a = {.uses = {0}};
    for (uint32_t i = from; i < end; i++) {
        const struct eu_op *op = &f->k->ops[i];
        a.uses |= jit_bits_of(&f->regs[i].uses);
        a.kills |= jit_bits_of(&f->regs[i].kills);
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

/* Registers in which channels read values that they have not written
 * themselves. */
static jit_bits
shared_scalars(const struct arm *a)
{
    return (a->written[0] & (a->read[1] | a->written[1] | a->scalars)) |
           (a->written[1] & (a->read[0] | a->scalars));
}

/* *live: in, live after the ENDIF; out, live before the IF. The ELSE side
 * overwrites, in its channels, the values that the IF side has left there. */
static void
convert_one(struct jit_facts *f, struct eu_op *ops, const struct branch *b,
            jit_bits *live)
{
    const struct eu_op *first = &f->k->ops[b->at];
    uint32_t behind = behind_else(f, b);
    struct arm then = look_at(f, b->at + 1, b->other);
    struct arm other = look_at(f, behind, b->end);
    jit_bits seen = *live &
                    (~other.kills | (then.written[0] & other.written[1]) |
                     (then.written[1] & other.written[0]));
    seen |= other.uses | shared_scalars(&then);
    for (uint32_t i = b->at + 1; i < b->other; i++)
        predicate_op(f, &ops[i], &f->regs[i], first, false, seen);
    seen = *live | shared_scalars(&other);
    for (uint32_t i = behind; i < b->end; i++)
        predicate_op(f, &ops[i], &f->regs[i], first, true, seen);
    *live = (*live | other.uses) & ~look_at(f, b->at + 1, b->other).kills;
    *live |= then.uses;
    drop_op(f, ops, b->at);
    for (uint32_t i = b->other; i < behind; i++)
        drop_op(f, ops, i);
    for (uint32_t i = b->end; i < b->end + 2; i++)
        if (i == b->end || is_join(&f->k->ops[b->end]))
            drop_op(f, ops, i);
}

static void
flatten_all(struct jit_facts *f, struct eu_op *ops, const struct branch *b,
            unsigned count)
{
    jit_bits live = {0};
    for (uint32_t i = f->k->op_count; i-- > 0;) {
        if (count && i == b[count - 1].end) {
            convert_one(f, ops, &b[--count], &live);
            i = b[count].at;
            continue;
        }
        if ((f->start[i] & JIT_SEND) && ops[i].insn->eot)
            live = (jit_bits){0};
        live &= ~jit_bits_of(&f->regs[i].kills);
        live |= jit_bits_of(&f->regs[i].uses);
    }
}

void
jit_if_convert(struct jit_facts *f, struct jit_lane_deps *apart)
{
    struct branch b[MOST_IFS + 1];
    uint32_t n = f->k->op_count;
    unsigned count = 0;
    if (!f->may_if_convert || !f->has_flow || f->has_modes || f->has_dynamic ||
        f->has_loop || !find_branches(f, b, &count))
        return;
    struct eu_op *ops = arena_take(f->memory, n * sizeof *ops, 64);
    if (!ops)
        return;
    memcpy(ops, f->k->ops, n * sizeof *ops);
    flatten_all(f, ops, b, count);
    jit_take_ops(f, ops);
    for (uint32_t i = 1; i < n; i++)
        f->start[i] &= (uint8_t) ~(JIT_START | JIT_FLOW);
    f->if_converted = true;
    f->has_flow = f->has_ends = false;
    jit_lane_deps_begin(apart);
    for (uint32_t i = 0; i < n; i++)
        if (!jit_lane_deps_follow(apart, &ops[i], &f->regs[i]))
            return;
}
