/* cfg.c: control flow: beginnings of basic blocks, and targets of branches. */
#include "eu/jit/analysis/analysis.h"

#include "eu/interp/alu.h"
#include "eu/predecode/predecode.h"

bool
jit_is_flow(const struct eu_op *op)
{
    unsigned opcode = op->insn->opcode;
    return op->fn == eu_op_link || op->fn == eu_op_bad ||
           op->fn == eu_op_set_ip ||
           (opcode >= EU_OP_JMPI && opcode < EU_OP_WAIT &&
            op->fn != eu_op_join);
}

bool
jit_is_dynamic(const struct eu_op *op)
{
    if (op->fn == eu_op_set_ip)
        return true;
    switch (op->insn->opcode) {
    case EU_OP_JMPI: return op->insn->src_count > 0;
    case EU_OP_CALL:
    case EU_OP_CALLA:
    case EU_OP_RET:
    case EU_OP_BRD:
    case EU_OP_BRC: return true;
    default: return false;
    }
}

static bool
writes_modes(const struct eu_op *op)
{
    const struct eu_operand *d = &op->insn->dst;
    return d->file == EU_FILE_ARF && !eu_op_is_initial_mode(op) &&
           ((d->reg & 0xf0) == EU_ARF_CR || (d->reg & 0xf0) == EU_ARF_SR);
}

bool
jit_has_uip(const struct eu_op *op)
{
    switch (op->insn->opcode) {
    case EU_OP_IF:
    case EU_OP_ELSE:
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT:
    case EU_OP_GOTO:
    case EU_OP_BRC: return op->fn != eu_op_link;
    default: return false;
    }
}

bool
jit_is_unreached(const struct jit_facts *f, uint32_t i)
{
    const struct eu_op *ops = f->k->ops;
    return !(f->start[i] & JIT_START) &&
           (i + 1 == f->k->op_count ||
            (ops[i].fn == eu_op_link && i && jit_is_send(&ops[i - 1]) &&
             ops[i - 1].insn->eot));
}

static void
mark_op_at(struct jit_facts *f, uint32_t from, int32_t distance, uint8_t what)
{
    uint32_t to = from + (uint32_t)distance;
    if (to < f->k->op_count)
        f->start[to] |= what;
}

static void
mark_target(struct jit_facts *f, uint32_t from, int32_t distance)
{
    mark_op_at(f, from, distance,
               distance <= 0 ? JIT_LOOP | JIT_START : JIT_START);
    f->has_loop |= distance <= 0;
}

void
jit_mark_op(struct jit_facts *f, uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    bool behind_join = i && f->k->ops[i - 1].fn == eu_op_join;
    bool send = jit_is_send(op), split = f->flags & EU_JIT_SPLIT;
    if (op->fn == eu_op_join || op->fn == eu_op_wait)
        f->start[i - (op->fn == eu_op_wait && behind_join)] |= JIT_START;
    if ((f->flags & EU_JIT_STEP || (send && split)) && !behind_join)
        f->start[i] |= JIT_START;
    if (op->fn == eu_op_join || jit_is_unreached(f, i))
        return;
    if (send)
        f->start[i] |= JIT_SEND;
    if (send && f->unmasked && !split && jit_is_memory(op))
        f->start[i] |= JIT_MEMORY;
    if (jit_is_flow(op)) {
        f->start[i] |= JIT_FLOW;
        mark_op_at(f, i, 1, JIT_START);
        if (op->fn == eu_op_bad)
            return;
        f->has_flow |= op->fn != eu_op_link;
        f->has_dynamic |= jit_is_dynamic(op);
        f->has_ends = true;
        mark_target(f, i, op->jip);
        if (jit_has_uip(op))
            mark_target(f, i, op->uip);
    } else if ((send && split) || writes_modes(op)) {
        if (!send) {
            f->start[i] |= JIT_MODES;
            f->has_modes = f->has_ends = true;
        }
        mark_op_at(f, i, 1, JIT_START);
    }
}

/* Branches whose channels compiled code moves. */
bool
jit_branch_is_native(const struct eu_op *op)
{
    switch (op->insn->opcode) {
    case EU_OP_WHILE:
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT: break;
    case EU_OP_IF:
    case EU_OP_GOTO:
        if (op->insn->branch_ctrl)
            return false;
        break;
    default: return false;
    }
    return op->chan + op->lanes <= 32u &&
           (op->pred != 1 || op->flag_shift + op->lanes <= 32u);
}

bool
jit_flow_is_native(const struct eu_op *op)
{
    switch (op->insn->opcode) {
    case EU_OP_ELSE:
    case EU_OP_ENDIF: return true;
    case EU_OP_GOTO: return false;
    default: return jit_branch_is_native(op);
    }
}

uint32_t
jit_place_op(const struct jit_facts *f, const struct eu_op *op)
{
    const struct eu_kernel *k = f->k;
    return op->uip_B / 8 < k->size_B / 8 ? k->op_of[op->uip_B / 8] : EU_NO_OP;
}

/* With one op a block (EU_JIT_STEP), checks would see the difference. */
bool
jit_stays_together(const struct jit_facts *f, uint32_t to)
{
    return to < f->k->op_count && f->k->ops[to].fn == eu_op_join &&
           !(f->flags & EU_JIT_STEP);
}

bool
jit_leaves_loop(const struct jit_facts *f, uint32_t index)
{
    const struct eu_op *op = &f->k->ops[index];
    uint32_t end = index + (uint32_t)op->jip;
    if (op->insn->opcode != EU_OP_BREAK || op->fn == eu_op_bad ||
        !jit_stays_together(f, jit_place_op(f, op)))
        return false;
    end += f->k->ops[end].fn == eu_op_join;
    return f->k->ops[end].insn->opcode == EU_OP_WHILE &&
           f->k->ops[end].fn != eu_op_bad && jit_place_op(f, op) == end + 1;
}

bool
jit_masks_fit(const struct eu_op *op)
{
    bool flags = op->pred || op->cmod || eu_begins_macro(op->insn);
    return op->pred < 2 && op->chan + op->lanes <= 32u &&
           (!flags || op->flag_shift + op->lanes <= 32u);
}

void
jit_take_ops(struct jit_facts *f, struct eu_op *ops)
{
    const struct eu_kernel *k = f->k;
    f->changed = (struct eu_kernel){.hash = k->hash,
                                    .size_B = k->size_B,
                                    .op_of = k->op_of,
                                    .ops = ops,
                                    .op_count = k->op_count};
    f->k = &f->changed;
}
