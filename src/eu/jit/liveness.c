/* liveness.c: blocks, and which registers are needed where.
 *
 * A write ends the life of a register's old value only if it covers all of it
 * for every channel: always under NoMask, in the full copy of the code also
 * without. The full copy may continue in the masked one at any branch. */
#include "eu/jit/compile.h"

#include <stdlib.h>

#define MAX_PASSES 64

static const struct jit_set everything = {{UINT64_MAX, UINT64_MAX}};

bool
jit_is_send(const struct eu_op *op)
{
    return op->fn == eu_op_send;
}

bool
jit_is_flow(const struct eu_op *op)
{
    return op->fn == eu_op_link || op->fn == eu_op_bad ||
           (op->insn->opcode != EU_OP_NOP && op->fn != eu_op_join &&
            eu_flow_fn(op->insn->opcode));
}

/* Where it goes is known only when it runs. */
static bool
is_dynamic(const struct eu_op *op)
{
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
writes_modes(const struct eu_insn *insn)
{
    return insn->dst.file == EU_FILE_ARF &&
           ((insn->dst.reg & 0xf0) == EU_ARF_CR ||
            (insn->dst.reg & 0xf0) == EU_ARF_SR);
}

/* ---- blocks ---- */

static void
mark(struct jit *j, uint32_t from, int32_t distance, uint8_t what)
{
    uint32_t to = from + (uint32_t)distance;
    if (to < j->k->op_count)
        j->start[to] |= what;
}

bool
jit_find_blocks(struct jit *j)
{
    const struct eu_kernel *k = j->k;
    bool step = j->flags & EU_JIT_STEP, split = j->flags & EU_JIT_SPLIT;
    j->start[0] |= JIT_START;
    for (uint32_t i = 0; i < k->op_count; i++) {
        const struct eu_op *op = &k->ops[i];
        bool behind_join = i && k->ops[i - 1].fn == eu_op_join;
        bool send = split && jit_is_send(op);
        if (op->fn == eu_op_join || op->fn == eu_op_wait)
            j->start[i - (op->fn == eu_op_wait && behind_join)] |= JIT_START;
        if ((step || send) && !behind_join)
            j->start[i] |= JIT_START;
        if (op->fn == eu_op_join)
            continue;
        if (jit_is_flow(op)) {
            mark(j, i, 1, JIT_START);
            mark(j, i, op->jip,
                 op->jip <= 0 ? JIT_LOOP | JIT_START : JIT_START);
            mark(j, i, op->uip,
                 op->uip <= 0 ? JIT_LOOP | JIT_START : JIT_START);
        } else if (send || writes_modes(op->insn)) {
            mark(j, i, 1, JIT_START);
        }
        if (!op->no_mask && op->fn != eu_op_link)
            j->need |= op->full << op->chan;
    }
    return true;
}

/* ---- uses ---- */

static void
add_range(struct jit_set *s, unsigned from_B, unsigned end_B)
{
    for (unsigned r = from_B / EU_GRF_B;
         r < EU_GRF_COUNT && r * EU_GRF_B < end_B; r++)
        s->w[r >> 6] |= UINT64_C(1) << (r & 63);
}

static void
add_source(struct jit_set *s, const struct eu_insn *insn,
           const struct eu_operand *o)
{
    unsigned base = o->reg * EU_GRF_B + o->subreg_B, end = base;
    if (o->file != EU_FILE_GRF)
        return;
    if (o->indirect) {
        *s = everything;
        return;
    }
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    if (o->width && !insn->align16) {
        unsigned cols = MIN2(o->width, insn->exec_size);
        unsigned rows = DIV_ROUND_UP(insn->exec_size, o->width);
        end += ((rows - 1u) * o->vstride + (cols - 1u) * o->hstride + 1u) *
               size_B;
    }
    for (unsigned i = 0; insn->align16 && i < insn->exec_size; i++)
        end = MAX2(end, base + eu_region_offset_B(insn, o, i) + size_B);
    if (insn->opcode == EU_OP_PLN)
        end = MAX2(end, base + DIV_ROUND_UP(insn->exec_size, 8) * 64u);
    add_range(s, base, end);
}

static void
add_send(struct jit_set *s, const struct eu_insn *insn)
{
    bool split = insn->opcode == EU_OP_SENDS || insn->opcode == EU_OP_SENDSC;
    unsigned mlen = insn->desc_is_reg ? 15 : bits_get(insn->desc, 25, 28);
    unsigned ex = insn->ex_desc_is_reg ? 15 : bits_get(insn->ex_desc, 6, 9);
    for (unsigned i = 0; i < (split ? 2 : 1); i++) {
        const struct eu_operand *o = &insn->src[i];
        if (o->indirect)
            *s = everything;
        else if (o->file == EU_FILE_GRF)
            add_range(s, o->reg * EU_GRF_B,
                      (o->reg + (i ? ex : mlen)) * EU_GRF_B);
    }
}

static void
add_uses(struct jit_set *s, const struct eu_op *op)
{
    if (op->fn == eu_op_join || op->fn == eu_op_link)
        return;
    if (jit_is_send(op)) {
        add_send(s, op->insn);
        return;
    }
    for (unsigned i = 0; i < op->insn->src_count; i++)
        add_source(s, op->insn, &op->insn->src[i]);
}

/* ---- kills ---- */

static bool
writes_all(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    if (op->slow != eu_op_general)
        return false;
    switch (insn->opcode) {
    case EU_OP_SEL: return !insn->cmod || !insn->pred_ctrl;
    case EU_OP_MOV:
    case EU_OP_NOT:
    case EU_OP_AND:
    case EU_OP_OR:
    case EU_OP_XOR:
    case EU_OP_SHR:
    case EU_OP_SHL:
    case EU_OP_ASR:
    case EU_OP_CMP:
    case EU_OP_ADD:
    case EU_OP_MUL:
    case EU_OP_FRC:
    case EU_OP_RNDU:
    case EU_OP_RNDD:
    case EU_OP_RNDE:
    case EU_OP_RNDZ:
    case EU_OP_PLN:
    case EU_OP_LRP:
    case EU_OP_MAD: return !insn->pred_ctrl;
    case EU_OP_MATH:
        return !insn->pred_ctrl && insn->dst.type == EU_TYPE_F &&
               insn->src[0].type == EU_TYPE_F;
    default: return false;
    }
}

static void
add_kills(struct jit_set *s, const struct eu_op *op, bool full)
{
    const struct eu_operand *o = &op->insn->dst;
    if (op->fn == eu_op_join || op->fn == eu_op_link ||
        o->file != EU_FILE_GRF || o->indirect || o->hstride != 1 ||
        (!full && !op->no_mask) || !writes_all(op) ||
        (op->insn->align16 && o->writemask != 15))
        return;
    unsigned from = o->reg * EU_GRF_B + o->subreg_B;
    unsigned end = from + op->lanes * eu_type_size_B((enum eu_type)o->type);
    for (unsigned r = DIV_ROUND_UP(from, EU_GRF_B);
         r < EU_GRF_COUNT && (r + 1) * EU_GRF_B <= end; r++)
        s->w[r >> 6] |= UINT64_C(1) << (r & 63);
}

/* ---- flow ---- */

static void
add_target(const struct jit *j, bool full, struct jit_set *s, uint32_t from,
           int32_t distance)
{
    uint32_t to = from + (uint32_t)distance;
    if (to >= j->k->op_count)
        return;
    for (unsigned c = full ? 0 : 1; c < 2; c++)
        for (unsigned w = 0; w < 2; w++)
            s->w[w] |= j->live[c][to].w[w];
}

static struct jit_set
live_after(const struct jit *j, bool full, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    struct jit_set s = {{0}};
    bool flow = jit_is_flow(op);
    if (op->fn == eu_op_bad || (jit_is_send(op) && op->insn->eot))
        return s;
    if (op->fn == eu_op_link) {
        add_target(j, full, &s, i, op->jip);
        return s;
    }
    if (flow && is_dynamic(op))
        return everything;
    if (!flow)
        return i + 1 < j->k->op_count ? j->live[!full][i + 1] : s;
    add_target(j, full, &s, i, 1);
    add_target(j, full, &s, i, op->jip);
    add_target(j, full, &s, i, op->uip);
    return s;
}

static bool
pass(struct jit *j, bool full)
{
    bool changed = false;
    for (uint32_t i = j->k->op_count; i-- > 0;) {
        struct jit_set s = live_after(j, full, i);
        for (unsigned w = 0; w < 2; w++)
            s.w[w] = (s.w[w] & ~j->kills[!full][i].w[w]) | j->uses[i].w[w];
        struct jit_set *old = &j->live[!full][i];
        changed |= s.w[0] != old->w[0] || s.w[1] != old->w[1];
        *old = s;
    }
    return changed;
}

bool
jit_find_live(struct jit *j)
{
    for (uint32_t i = 0; i < j->k->op_count; i++) {
        add_uses(&j->uses[i], &j->k->ops[i]);
        add_kills(&j->kills[0][i], &j->k->ops[i], true);
        add_kills(&j->kills[1][i], &j->k->ops[i], false);
    }
    for (unsigned copy = 2; copy-- > 0;) {
        unsigned n = 0;
        while (pass(j, copy == 0))
            if (++n == MAX_PASSES)
                return false;
    }
    return true;
}
