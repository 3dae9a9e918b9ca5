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

#define MOST_MACROS 256

/* IF, and the ENDIF. */
struct refinement {
    uint32_t first, last;
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

/* The refinement of the macro that op i begins. */
static bool
find_one(const struct eu_kernel *k, uint32_t i, struct refinement *r)
{
    const struct eu_op *ops = k->ops, *first = &ops[i + 1];
    uint32_t end = i + 2, at;
    if (!is_skipped_by(&ops[i], first))
        return false;
    while (end < k->op_count && is_inside(first, &ops[end]))
        end++;
    at = end;
    end += end < k->op_count && is_join(&ops[end]);
    if (end >= k->op_count || ops[end].insn->opcode != EU_OP_ENDIF ||
        ops[end].fn == eu_op_bad || i + 1 + (uint32_t)first->jip != at ||
        i + 1 + (uint32_t)first->uip != at)
        return false;
    *r = (struct refinement){i + 1, end};
    return true;
}

static unsigned
find_all(const struct eu_kernel *k, struct refinement *r)
{
    unsigned count = 0;
    for (uint32_t i = 0; i + 1 < k->op_count && count < MOST_MACROS; i++) {
        const struct eu_op *op = &k->ops[i];
        if (op->slow == eu_op_general && eu_begins_macro(op->insn) &&
            find_one(k, i, &r[count]))
            i = r[count++].last;
    }
    return count;
}

/* Whether the target lies in a refinement other than that of branch `from`. */
static bool
enters(const struct refinement *r, unsigned count, uint32_t from, uint32_t to)
{
    for (unsigned n = 0; n < count; n++)
        if (to >= r[n].first && to <= r[n].last && from != r[n].first)
            return true;
    return false;
}

/* Whether other branches may lead into a refinement. */
static bool
is_entered(const struct eu_kernel *k, const struct refinement *r,
           unsigned count)
{
    for (uint32_t i = 0; i < k->op_count; i++) {
        const struct eu_op *op = &k->ops[i];
        if (!jit_is_flow(op) || op->fn == eu_op_bad)
            continue;
        if (jit_is_dynamic(op) || enters(r, count, i, i + (uint32_t)op->jip) ||
            (jit_has_uip(op) && enters(r, count, i, i + (uint32_t)op->uip)))
            return true;
    }
    return false;
}

void
jit_drop_macros(struct jit_facts *f)
{
    static const struct eu_insn nop = {.opcode = EU_OP_NOP, .exec_size = 1};
    const struct eu_kernel *k = f->k;
    struct refinement *r = NULL;
    unsigned count = 0;
    for (uint32_t i = 0; i < k->op_count && !r; i++)
        if (eu_begins_macro(k->ops[i].insn))
            r = arena_take(f->memory, MOST_MACROS * sizeof *r, 8);
    if (r)
        count = find_all(k, r);
    if (!count || is_entered(k, r, count))
        return;
    struct eu_op *ops = arena_take(f->memory, k->op_count * sizeof *ops, 64);
    if (!ops)
        return;
    memcpy(ops, k->ops, k->op_count * sizeof *ops);
    for (unsigned n = 0; n < count; n++)
        for (uint32_t i = r[n].first; i <= r[n].last; i++)
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
