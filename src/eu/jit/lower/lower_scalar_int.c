/* lower_scalar_int.c: an integer instruction in general registers, lane by
 * lane. */
#include "eu/jit/lower/scalar_int.h"

#include "eu/interp/alu.h"
#include "eu/jit/analysis/analysis.h"

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define SCRATCH_AT(lane) x86_g_thread(THREAD_AT(scratch) + (lane)*8u)

/* Whether a lane's result overwrites a source of a later lane. */
static bool
overwrites_source(const struct scalar_int *l)
{
    unsigned lanes = l->op->lanes;
    const struct scalar_int_place *d = &l->dst;
    if (!(l->lanes & (l->lanes - 1)) || d->kind == SCALAR_NULL)
        return false;
    for (unsigned s = 0; s < l->op->insn->src_count; s++) {
        const struct scalar_int_place *p = &l->src[s];
        if (p->kind == SCALAR_INDIRECT || d->kind == SCALAR_INDIRECT)
            return true;
        if (p->kind != SCALAR_MEMORY || p->first_B >= d->end_B ||
            d->first_B >= p->end_B)
            continue;
        for (unsigned later = 1; later < lanes; later++)
            for (unsigned i = 0; i < later; i++)
                if (d->at[i] < p->at[later] + p->size_B &&
                    p->at[later] < d->at[i] + d->size_B)
                    return true;
    }
    return false;
}

/* Whether a lane's implicit accumulator write changes a source of a later
 * lane. */
static bool
overwrites_acc(const struct scalar_int *l)
{
    const struct eu_insn *insn = l->op->insn;
    if (l->dst.is_acc)
        return scalar_int_has_own_acc(insn) || insn->opcode == EU_OP_MAC;
    if (!insn->acc_wr && !scalar_int_has_own_acc(insn))
        return false;
    for (unsigned s = 0; s < insn->src_count; s++)
        for (unsigned i = 0; l->src[s].is_acc && i < l->op->lanes; i++)
            if (l->src[s].at[i] !=
                (int32_t)(THREAD_AT(acc_wide) + (i & 15) * 8))
                return true;
    return false;
}

/* ---- masks ---- */

static void
load_mask(struct scalar_int *l)
{
    const struct eu_op *op = l->op;
    struct x86 *x = &l->j->x;
    bool selects = op->insn->opcode == EU_OP_SEL && !op->insn->cmod;
    bool exec = !op->no_mask && !l->j->f->unmasked;
    bool pred = op->pred && !l->knows_pred;
    if (pred)
        jit_pred_bits(l->j, op, SCALAR_PRED);
    else if (selects)
        x86_mov_imm(x, SCALAR_PRED, UINT32_MAX);
    l->masked = exec || (pred && !selects);
    if (!l->masked)
        return;
    if (!exec) {
        x86_gop(x, X86_G_MOV, false, SCALAR_MASK, x86_g(SCALAR_PRED));
        return;
    }
    x86_gop(x, X86_G_MOV, false, SCALAR_MASK, x86_g_thread(THREAD_AT(mask)));
    if (op->chan)
        x86_shift_by(x, X86_SHR, false, SCALAR_MASK, op->chan);
    if (pred && !selects)
        x86_gop(x, X86_G_AND, false, SCALAR_MASK, x86_g(SCALAR_PRED));
}

/* ---- results ---- */

static void
clamp_result(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    unsigned bits = l->dst.size_B * 8u;
    bool is_signed = eu_type_is_signed(l->dst.type);
    int64_t lo = is_signed ? INT64_MIN >> (64 - bits) : 0;
    int64_t hi = INT64_MAX >> (64 - bits);
    if (!is_signed)
        hi = bits == 64 ? INT64_MAX : hi * 2 + 1;
    x86_mov_imm(x, X86_RSI, (uint64_t)lo);
    x86_gop(x, X86_G_CMP, true, X86_RAX, x86_g(X86_RSI));
    x86_cmov(x, X86_CC_L, X86_RAX, X86_RSI);
    x86_mov_imm(x, X86_RSI, (uint64_t)hi);
    x86_gop(x, X86_G_CMP, true, X86_RAX, x86_g(X86_RSI));
    x86_cmov(x, X86_CC_G, X86_RAX, X86_RSI);
}

/* eax := rax as F, rounded in the current mode. */
static void
to_float(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    unsigned d = l->temp;
    uint32_t small = 0, done = 0;
    x86_vop(x, X86_PXOR, 0, d, d, x86_reg(d), 0);
    if (!l->result.is_signed) {
        /* Converts half the value, with a sticky lowest bit, and doubles it. */
        x86_test(x, X86_RAX);
        small = x86_jump(x, X86_CC_NS);
        x86_mov_reg(x, X86_RSI, X86_RAX);
        x86_shift_by(x, X86_SHR, true, X86_RAX, 1);
        x86_alu_imm(x, X86_AND, X86_RSI, 1, false);
        x86_gop(x, X86_G_OR, true, X86_RAX, x86_g(X86_RSI));
        x86_vop(x, X86_CVTSI2SS, 0, d, d, x86_reg(X86_RAX), 0);
        x86_vop(x, X86_ADDPS, 0, d, d, x86_reg(d), 0);
        done = x86_jump(x, X86_ALWAYS);
        x86_patch(x, small, x->size);
    }
    x86_vop(x, X86_CVTSI2SS, 0, d, d, x86_reg(X86_RAX), 0);
    if (done)
        x86_patch(x, done, x->size);
    x86_vop(x, X86_MOVD_TO_GPR, 0, d, 0, x86_reg(X86_RAX), 0);
}

/* eax := 1.0 if the value is above zero, otherwise 0. */
static void
to_saturated_float(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    x86_test(x, X86_RAX);
    x86_mov_imm(x, X86_RAX, 0);
    x86_mov_imm(x, X86_RSI, 0x3f800000);
    x86_cmov(x, l->result.is_signed ? X86_CC_G : X86_CC_NE, X86_RAX, X86_RSI);
}

/* al: the lane's condition. */
static void
collect_flag(const struct scalar_int *l, unsigned lane, unsigned gpr)
{
    struct x86 *x = &l->j->x;
    if (lane)
        x86_shift_by(x, X86_SHL, false, gpr, lane);
    x86_gop(x, X86_G_OR, false, SCALAR_FLAGS, x86_g(gpr));
}

/* Condition on the stored value, as in interp/convert.c. A UQ is ordered by the
 * carry, which TEST clears. */
static void
condition_of_result(const struct scalar_int *l, unsigned lane)
{
    struct x86 *x = &l->j->x;
    bool is_uq = l->dst.type == EU_TYPE_UQ && !l->dst.is_acc;
    x86_mov_reg(x, X86_RSI, X86_RAX);
    if (l->dst.is_acc)
        scalar_int_wrap_acc(l, X86_RSI);
    else
        scalar_int_wrap(l->j, X86_RSI, l->dst.type);
    x86_test(x, X86_RSI);
    x86_setcc(x, jit_int_condition(l->op->insn->cmod, is_uq), X86_RDX);
    x86_gop(x, X86_G_MOVZX8, false, X86_RDX, x86_g(X86_RDX));
    collect_flag(l, lane, X86_RDX);
}

static void
finish_lane(const struct scalar_int *l, unsigned lane)
{
    const struct eu_insn *insn = l->op->insn;
    struct x86 *x = &l->j->x;
    if (insn->opcode == EU_OP_CMP) {
        x86_gop(x, X86_G_MOV, false, X86_RDX, x86_g(X86_RAX));
        collect_flag(l, lane, X86_RDX);
        x86_unary(x, X86_NEG, true, X86_RAX);
        return;
    }
    if (eu_type_is_float(l->dst.type)) {
        if (insn->saturate)
            to_saturated_float(l);
        else
            to_float(l);
        return;
    }
    if (insn->saturate)
        clamp_result(l);
    if (l->wants_flags)
        condition_of_result(l, lane);
    if (insn->acc_wr && !scalar_int_has_own_acc(insn) && !l->dst.is_acc)
        scalar_int_store_acc(l, THREAD_AT(acc_wide) + (lane & 15) * 8);
}

static void
one_lane(const struct scalar_int *l, unsigned lane)
{
    static const uint8_t gpr[3] = {X86_RAX, X86_RCX, X86_RDX};
    struct x86 *x = &l->j->x;
    uint32_t skip = 0;
    if (!(l->lanes >> lane & 1))
        return;
    if (l->masked) {
        x86_bit_test(x, SCALAR_MASK, lane);
        skip = x86_jump(x, X86_CC_AE);
    }
    for (unsigned s = 0; s < l->op->insn->src_count; s++)
        scalar_int_load(l, s, lane, gpr[s]);
    scalar_int_op(l, lane);
    finish_lane(l, lane);
    if (l->scratch)
        x86_gop(x, X86_G_ST, true, X86_RAX, SCRATCH_AT(lane));
    else
        scalar_int_store(l, lane);
    if (l->masked)
        x86_patch(x, skip, x->size);
}

static void
store_from_scratch(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    for (unsigned i = 0; i < l->op->lanes; i++) {
        uint32_t skip = 0;
        if (!(l->lanes >> i & 1))
            continue;
        if (l->masked) {
            x86_bit_test(x, SCALAR_MASK, i);
            skip = x86_jump(x, X86_CC_AE);
        }
        x86_gop(x, X86_G_MOV, true, X86_RAX, SCRATCH_AT(i));
        scalar_int_store(l, i);
        if (l->masked)
            x86_patch(x, skip, x->size);
    }
}

/* Writes the flag bits of the lanes that ran. */
static void
write_flags(const struct scalar_int *l)
{
    const struct eu_op *op = l->op;
    struct x86 *x = &l->j->x;
    size_t at = THREAD_AT(f) + op->flag_reg * 4u;
    if (!l->masked)
        x86_mov_imm(x, SCALAR_MASK, op->full);
    else
        x86_alu_imm(x, X86_AND, SCALAR_MASK, op->full, false);
    if (op->flag_shift) {
        x86_shift_by(x, X86_SHL, false, SCALAR_MASK, op->flag_shift);
        x86_shift_by(x, X86_SHL, false, SCALAR_FLAGS, op->flag_shift);
    }
    x86_gop(x, X86_G_MOV, false, X86_RAX, x86_g_thread(at));
    x86_unary(x, X86_NOT, false, SCALAR_MASK);
    x86_gop(x, X86_G_AND, false, X86_RAX, x86_g(SCALAR_MASK));
    x86_gop(x, X86_G_OR, false, X86_RAX, x86_g(SCALAR_FLAGS));
    x86_gop(x, X86_G_ST, false, X86_RAX, x86_g_thread(at));
}

static bool
place_operands(struct scalar_int *l)
{
    const struct eu_insn *insn = l->op->insn;
    for (unsigned s = 0; s < insn->src_count; s++)
        if (!scalar_int_source(l, s))
            return false;
    if (!scalar_int_dst(l))
        return false;
    l->scratch = overwrites_source(l);
    l->wants_flags = insn->cmod && insn->opcode != EU_OP_SEL;
    return !overwrites_acc(l) && scalar_int_op_ok(l);
}

static void
emit_lanes(struct scalar_int *l)
{
    struct jit *j = l->j;
    if (eu_type_is_float(l->dst.type))
        l->temp = jit_temp(j);
    load_mask(l);
    scalar_int_check_run(l);
    j->asks = true;
    if (l->wants_flags)
        x86_mov_imm(&j->x, SCALAR_FLAGS, 0);
    for (unsigned i = 0; i < l->op->lanes; i++)
        one_lane(l, i);
    if (l->scratch)
        store_from_scratch(l);
    if (l->wants_flags)
        write_flags(l);
    /* Conditions and destinations may be flags. */
    jit_forget_flag(j, 0);
    jit_forget_flag(j, 1);
}

bool
jit_lower_scalar_int(struct jit *j, const struct eu_op *op)
{
    struct scalar_int l = {.j = j, .op = op, .lanes = op->full};
    struct eu_op mov_op;
    struct eu_insn mov;
    if (op->slow != eu_op_general || op->chan + op->lanes > 32u)
        return false;
    l.op_index = (uint32_t)(op - j->f->k->ops);
    if (scalar_int_skips_constant(&l)) {
        jit_forget_flag(j, 0);
        jit_forget_flag(j, 1);
        return true;
    }
    if (!scalar_int_choose(&l, &mov_op, &mov) || !place_operands(&l))
        return false;
    scalar_int_join_run(&l);
    emit_lanes(&l);
    if (!j->out_of_registers)
        scalar_int_end_run(&l);
    return !j->out_of_registers;
}
