/* guard_ifs.c: guarded IFs: channels that diverge and meet again at the ENDIF,
 * without being parked.
 *
 * In the unmasked variant both arms of such an IF follow each other. Each op
 * executes in the channels of its arm, the guard, which is known as long as all
 * channels are on before the IF. An arm without channels is skipped. So the
 * thread stays in the unmasked variant, which is why loops gain most.
 *
 * The arms only compute, and may contain further IFs. Where no other channel
 * reads what an op leaves in it, the op executes in all channels. The kernel's
 * ops stay as they are: the masked variant and the interpreter may go on at any
 * other op. */
#include "eu/jit/transform/transform.h"

#define DEPTH (JIT_GUARDS / 2)
#define LANES 16

struct open_if {
    uint32_t at, other; /* IF, and its ELSE or 0 */
};

static bool
is_join(const struct eu_op *op)
{
    return op->fn == eu_op_join;
}

/* ---- which IFs ---- */

static bool
writes_flags(const struct eu_op *op)
{
    return op->cmod && op->opcode != EU_OP_SEL && op->opcode != EU_OP_CSEL;
}

/* mov (1|M0) r25.2<1>:d 1067030938:d {NoMask} */
static bool
is_constant(const struct eu_op *op)
{
    return op->no_mask && op->lanes == 1 && !op->pred && !op->post &&
           !op->cmod && op->insn->opcode == EU_OP_MOV &&
           op->src[0].cls == EU_SRC_IMM && op->insn->dst.file == EU_FILE_GRF;
}

/* Ops of which compiled code leaves few to the interpreter. */
static bool
is_native(const struct eu_op *op)
{
    switch (op->opcode) {
    case EU_OP_MOV:
    case EU_OP_SEL:
    case EU_OP_NOT:
    case EU_OP_AND:
    case EU_OP_OR:
    case EU_OP_XOR:
    case EU_OP_SHR:
    case EU_OP_SHL:
    case EU_OP_ASR:
    case EU_OP_CMP:
    case EU_OP_CSEL:
    case EU_OP_FRC:
    case EU_OP_RNDU:
    case EU_OP_RNDD:
    case EU_OP_RNDE:
    case EU_OP_RNDZ:
    case EU_OP_ADD:
    case EU_OP_MUL:
    case EU_OP_MAD:
    case EU_OP_LRP: return true;
    case EU_OP_MATH: return op->plain & EU_PLAIN_FLOAT;
    default: return false;
    }
}

/* Whole registers from whole registers and scalars, each lane by itself. */
static bool
is_by_lanes(const struct eu_op *op)
{
    for (unsigned s = 0; s < op->src_count; s++)
        if (op->src[s].cls <= EU_SRC_VEC_MOD && op->src[s].off_B % EU_GRF_B)
            return false;
    return (op->plain & EU_PLAIN_GRFS) && is_native(op) && !op->no_mask &&
           op->lanes == LANES && !op->chan && op->pred < 2 &&
           (!(op->pred || op->cmod) || op->flag_shift % LANES == 0) &&
           !op->insn->acc_wr;
}

static bool
is_guardable(const struct eu_op *op)
{
    return op->insn->opcode == EU_OP_NOP ||
           (op->slow == eu_op_general && op->fn != op->slow &&
            (is_constant(op) || is_by_lanes(op)));
}

static bool
is_part(const struct eu_op *op)
{
    return op->fn != eu_op_bad && op->fn != eu_op_link && !op->no_mask &&
           !op->insn->branch_ctrl && op->lanes == LANES && !op->chan;
}

static uint32_t
target(uint32_t i, int32_t distance)
{
    return i + (uint32_t)distance;
}

/* Whether the ENDIF is where the IF's parts lead. */
static bool
is_closed(const struct jit_facts *f, const struct open_if *o, uint32_t endif)
{
    const struct eu_op *ops = f->k->ops;
    uint32_t end = endif - is_join(&ops[endif - 1]);
    return target(o->at, ops[o->at].uip) == end &&
           target(o->at, ops[o->at].jip) == (o->other ? o->other + 1 : end) &&
           (!o->other || target(o->other, ops[o->other].jip) == end);
}

/* The ENDIF of the IF, if it can be guarded, or 0. */
static uint32_t
find_endif(const struct jit_facts *f, uint32_t at)
{
    struct open_if open[DEPTH];
    unsigned depth = 0;
    for (uint32_t i = at; i + 1 < f->k->op_count; i++) {
        const struct eu_op *op = &f->k->ops[i];
        unsigned opcode = op->insn->opcode;
        if (is_join(op))
            continue;
        if (!(f->start[i] & JIT_FLOW)) {
            if ((f->start[i] & (JIT_SEND | JIT_MODES)) || !is_guardable(op))
                return 0;
        } else if (!is_part(op)) {
            return 0;
        } else if (opcode == EU_OP_IF && depth < DEPTH && op->pred == 1 &&
                   op->flag_shift % LANES == 0) {
            open[depth++] = (struct open_if){.at = i};
        } else if (opcode == EU_OP_ELSE && !open[depth - 1].other) {
            open[depth - 1].other = i;
        } else if (opcode != EU_OP_ENDIF || !is_closed(f, &open[--depth], i)) {
            return 0;
        } else if (!depth) {
            return i;
        }
    }
    return 0;
}

/* ---- guards ---- */

/* The masked variant's facts hold: the same channels execute the op there. */
static void
guard_op(struct jit_facts *f, uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    const struct jit_lanes *l = &f->lanes[i];
    struct jit_guarded *g = &f->guards[i];
    if (op->slow != eu_op_general || op->no_mask)
        return;
    jit_bits seen = l->seen & jit_run(op->dst_off_B / EU_GRF_B, LANES / 8);
    unsigned half = op->flag_reg * 2u + op->flag_shift / LANES;
    g->free_dst = (op->post & EU_POST_NULL) || !(seen[0] | seen[1]);
    g->free_flags = !writes_flags(op) || !(l->flags_seen >> half & 1);
    if (!g->free_dst)
        f->regs[i].kills = (struct jit_set){{0}};
}

static void
guard_ops(struct jit_facts *f, uint32_t at, uint32_t endif)
{
    uint8_t slots[DEPTH + 1] = {0};
    unsigned depth = 0;
    for (uint32_t i = at; i <= endif; i++) {
        const struct eu_op *op = &f->k->ops[i];
        struct jit_guarded *g = &f->guards[i];
        g->slot = slots[depth];
        if (i > at)
            f->start[i] |= JIT_GUARDED;
        if (is_join(op) || !(f->start[i] & JIT_FLOW)) {
            guard_op(f, i);
        } else if (op->insn->opcode == EU_OP_IF) {
            g->into = slots[depth + 1] = (uint8_t)(depth * 2 + 1);
            depth++;
        } else if (op->insn->opcode == EU_OP_ELSE) {
            g->into = slots[depth] = (uint8_t)(depth * 2);
        } else {
            depth--;
        }
    }
}

/* Whether other code branches to the middle of a guarded IF. */
static bool
is_entered(const struct jit_facts *f)
{
    for (uint32_t i = 0; i < f->k->op_count; i++) {
        const struct eu_op *op = &f->k->ops[i];
        uint32_t to[2] = {target(i, op->jip), target(i, op->uip)};
        if (!(f->start[i] & JIT_FLOW) || op->fn == eu_op_bad ||
            (f->start[i] & JIT_GUARDED) || f->guards[i].into)
            continue;
        for (unsigned n = 0; n < 2; n++)
            if (to[n] < f->k->op_count && (f->start[to[n]] & JIT_GUARDED))
                return true;
    }
    return false;
}

static void
drop_guards(struct jit_facts *f)
{
    for (uint32_t i = 0; i < f->k->op_count; i++)
        f->start[i] &= (uint8_t)~JIT_GUARDED;
    f->guards = NULL;
}

bool
jit_guard_ifs(struct jit_facts *f)
{
    const uint32_t all = (1u << LANES) - 1, n = f->k->op_count;
    const struct eu_op *test = NULL;
    if (!f->unmasked || !f->may_if_convert || f->if_converted || !f->lanes ||
        !f->has_flow || f->has_modes || f->has_dynamic || f->threads > 1 ||
        (f->required_mask & all) != all)
        return true;
    for (uint32_t i = 0; i < n; i++) {
        const struct eu_op *op = &f->k->ops[i];
        if (is_join(op))
            continue;
        test = writes_flags(op) ? op : test;
        uint32_t endif = (f->start[i] & JIT_FLOW) &&
                                 op->insn->opcode == EU_OP_IF &&
                                 !jit_is_uniform(test)
                             ? find_endif(f, i)
                             : 0;
        if (endif && !f->guards)
            f->guards = arena_alloc(f->memory, n * sizeof *f->guards, 64);
        if (!endif || !f->guards)
            continue;
        guard_ops(f, i, endif);
        i = endif;
    }
    if (!f->guards)
        return true;
    if (is_entered(f))
        drop_guards(f);
    return jit_find_live_again(f);
}
