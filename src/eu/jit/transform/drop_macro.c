/* drop_macro.c: IEEE macros without their refinement.
 *
 * math.invm (8) (eo)f0.1 r12.mme0:f r109:f r119:f
 * (~f0.1) if (8); madm ..; madm ..; endif
 *
 * INVM and RSQTM return the rounded result and set the early-out flag in all
 * their channels (eu_finish_macro()), so no channel executes what the IF
 * encloses. Without it, division is straight-line code.
 *
 * Ops keep their indices; dropped ones become NOPs. The interpreter, which has
 * the original ops, may continue anywhere. */
#include "eu/jit/transform/transform.h"

#include "eu/interp/alu.h"
#include "eu/jit/emit/emit.h"

/* Instructions that the compiler's scheduler puts between a macro's first and
 * its IF. Observed: IGC, two. */
#define MOST_BETWEEN 4u

/* Ops that end a macro: from the one after INVM; IF; and ENDIF. */
struct refinement {
    uint32_t begin, first, last;
};

static bool
is_join(const struct eu_op *op)
{
    return op->fn == eu_op_join;
}

/* Whether the IF excludes all channels whose flag the op has just set. */
static bool
is_skipped_by(const struct eu_op *test, const struct eu_op *op)
{
    return op->insn->opcode == EU_OP_IF && op->fn != eu_op_bad &&
           op->fn != eu_op_link && !is_join(op) && !op->insn->branch_ctrl &&
           op->pred == 1 && op->pred_inv && op->flag_reg == test->flag_reg &&
           op->flag_shift == test->flag_shift && op->chan == test->chan &&
           op->lanes == test->lanes && !op->no_mask && !test->no_mask &&
           !test->pred && jit_masks_fit(test);
}

/* Whether only channels of the IF execute the op, and it does nothing else. */
static bool
is_inside(const struct eu_op *first, const struct eu_op *op)
{
    return op->insn->opcode == EU_OP_MADM && op->slow == eu_op_general &&
           !op->no_mask && op->chan >= first->chan &&
           op->chan + op->lanes <= first->chan + first->lanes;
}

/* Arithmetic that leaves all flags. */
static bool
keeps_flags(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    return op->slow == eu_op_general && op->fn != eu_op_bad && !is_join(op) &&
           !insn->cmod && !eu_begins_macro(insn) &&
           insn->dst.file == EU_FILE_GRF;
}

/* The refinement of the macro that op i begins. */
static bool
find_one(const struct eu_kernel *k, uint32_t i, struct refinement *r)
{
    const struct eu_op *ops = k->ops, *first;
    uint32_t test = i + 1, end, at;
    while (test <= i + MOST_BETWEEN && test < k->op_count &&
           keeps_flags(&ops[test]))
        test++;
    if (test >= k->op_count || !is_skipped_by(&ops[i], &ops[test]))
        return false;
    first = &ops[test];
    end = test + 1;
    while (end < k->op_count && is_inside(first, &ops[end]))
        end++;
    at = end;
    end += end < k->op_count && is_join(&ops[end]);
    if (end >= k->op_count || ops[end].insn->opcode != EU_OP_ENDIF ||
        ops[end].fn == eu_op_bad || test + (uint32_t)first->jip != at ||
        test + (uint32_t)first->uip != at)
        return false;
    *r = (struct refinement){i + 1, test, end};
    return true;
}

/* The macros of a kernel. */
struct macros {
    struct refinement *r;
    unsigned count;
    uint32_t *of; /* of each op: 1 + the index of its refinement, or 0 */
};

static bool
find_all(const struct jit_facts *f, struct macros *m)
{
    const struct eu_kernel *k = f->k;
    unsigned most = 0;
    for (uint32_t i = 0; i < k->op_count; i++)
        most += eu_begins_macro(k->ops[i].insn);
    if (!most)
        return false;
    m->r = arena_take(f->memory, most * sizeof *m->r, 8);
    m->of = arena_alloc(f->memory, k->op_count * sizeof *m->of, 8);
    for (uint32_t i = 0; m->r && m->of && i + 1 < k->op_count; i++) {
        const struct eu_op *op = &k->ops[i];
        struct refinement *r = &m->r[m->count];
        if (op->slow != eu_op_general || !eu_begins_macro(op->insn) ||
            !find_one(k, i, r))
            continue;
        m->count++;
        for (i = r->begin; i <= r->last; i++)
            m->of[i] = m->count;
        i = r->last;
    }
    return m->count;
}

/* Whether the target lies in a refinement other than that of branch `from`. */
static bool
enters(const struct jit_facts *f, const struct macros *m, uint32_t from,
       uint32_t to)
{
    uint32_t n = to < f->k->op_count ? m->of[to] : 0;
    return n && from != m->r[n - 1].first;
}

/* Whether other branches may lead into a refinement. */
static bool
is_entered(const struct jit_facts *f, const struct macros *m)
{
    for (uint32_t i = 0; i < f->k->op_count; i++) {
        const struct eu_op *op = &f->k->ops[i];
        if (!jit_is_flow(op) || op->fn == eu_op_bad)
            continue;
        if (jit_is_dynamic(op) || enters(f, m, i, i + (uint32_t)op->jip) ||
            (jit_has_uip(op) && enters(f, m, i, i + (uint32_t)op->uip)))
            return true;
    }
    return false;
}

void
jit_drop_macros(struct jit_facts *f)
{
    static const struct eu_insn nop = {.opcode = EU_OP_NOP, .exec_size = 1};
    const struct eu_kernel *k = f->k;
    struct macros m = {0};
    if (!find_all(f, &m) || is_entered(f, &m))
        return;
    struct eu_op *ops = arena_take(f->memory, k->op_count * sizeof *ops, 64);
    if (!ops)
        return;
    memcpy(ops, k->ops, k->op_count * sizeof *ops);
    for (unsigned n = 0; n < m.count; n++)
        for (uint32_t i = m.r[n].first; i <= m.r[n].last; i++)
            ops[i] = (struct eu_op){.fn = eu_flow_fn(EU_OP_NOP),
                                    .slow = eu_flow_fn(EU_OP_NOP),
                                    .insn = &nop,
                                    .ip = ops[i].ip,
                                    .opcode = EU_OP_NOP,
                                    .lanes = 1,
                                    .full = 1,
                                    .no_mask = true};
    jit_take_ops(f, ops);
}
