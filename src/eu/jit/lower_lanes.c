/* lower_lanes.c: an integer instruction in general registers, one lane after
 * the other. */
#include "eu/jit/lanes.h"

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define SCRATCH_AT(lane) x86_g_thread(THREAD_AT(scratch) + (lane)*8u)

/* Does a lane's result overwrite what a later lane reads? */
static bool
overwrites(const struct lanes *l)
{
    unsigned lanes = l->op->lanes;
    const struct lanes_place *d = &l->dst;
    if (lanes == 1 || d->kind == LANES_NULL)
        return false;
    for (unsigned s = 0; s < l->op->insn->src_count; s++) {
        const struct lanes_place *p = &l->src[s];
        if (p->kind == LANES_INDIRECT || d->kind == LANES_INDIRECT)
            return true;
        if (p->kind != LANES_MEMORY || p->first_B >= d->end_B ||
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

/* Does a lane's implicit write to the accumulator change what a later lane
 * reads? */
static bool
overwrites_acc(const struct lanes *l)
{
    const struct eu_insn *insn = l->op->insn;
    if (l->dst.is_acc)
        return lanes_has_own_acc(insn) || insn->opcode == EU_OP_MAC;
    if (!insn->acc_wr && !lanes_has_own_acc(insn))
        return false;
    for (unsigned s = 0; s < insn->src_count; s++)
        for (unsigned i = 0; l->src[s].is_acc && i < l->op->lanes; i++)
            if (l->src[s].at[i] !=
                (int32_t)(THREAD_AT(acc_wide) + (i & 15) * 8))
                return true;
    return false;
}

/* ---- masks ---- */

/* gpr := for each group of bits 1 where any (or all) are set, in all bits of
 * the group. */
static void
reduce(struct x86 *x, unsigned gpr, unsigned group, bool all)
{
    static const uint32_t lowest[6] = {[1] = 0x55555555,
                                       [2] = 0x11111111,
                                       [3] = 0x01010101,
                                       [4] = 0x00010001,
                                       [5] = 0x00000001};
    unsigned log = (unsigned)__builtin_ctz(group);
    for (unsigned by = 1; by < group; by *= 2) {
        x86_gop(x, X86_G_MOV, false, X86_RSI, x86_g(gpr));
        x86_shift_by(x, X86_SHR, false, X86_RSI, by);
        x86_gop(x, all ? X86_G_AND : X86_G_OR, false, gpr, x86_g(X86_RSI));
    }
    x86_alu_imm(x, X86_AND, gpr, lowest[log], false);
    x86_gop(x, X86_G_MOV, false, X86_RSI, x86_g(gpr));
    if (group < 32)
        x86_shift_by(x, X86_SHL, false, gpr, group);
    else
        x86_gop(x, X86_G_XOR, false, gpr, x86_g(gpr));
    x86_gop(x, X86_G_SUB, false, gpr, x86_g(X86_RSI));
}

/* As eu_pred_other(). */
static void
other_pred_bits(struct jit *j, const struct eu_op *op, unsigned gpr)
{
    const struct eu_insn *insn = op->insn;
    struct x86 *x = &j->x;
    unsigned p = insn->pred_ctrl;
    bool vertical = !insn->align16 && (p == 2 || p == 3);
    x86_gop(x, X86_G_MOV, false, gpr,
            x86_g_thread(THREAD_AT(f) + (vertical ? 0 : insn->flag >> 1) * 4u));
    if (vertical)
        x86_gop(x, p == 2 ? X86_G_OR : X86_G_AND, false, gpr,
                x86_g_thread(THREAD_AT(f) + 4));
    if (insn->align16 && p >= 2 && p <= 5) {
        if (p > 2)
            x86_shift_by(x, X86_SHR, false, gpr, p - 2);
        x86_alu_imm(x, X86_AND, gpr, 0x11111111, false);
        x86_gop(x, X86_G_MOV, false, X86_RSI, x86_g(gpr));
        x86_shift_by(x, X86_SHL, false, gpr, 4);
        x86_gop(x, X86_G_SUB, false, gpr, x86_g(X86_RSI));
    } else if (insn->align16 && p >= 2) {
        reduce(x, gpr, 4, p == 7);
    } else if (p >= 4) {
        reduce(x, gpr, 2u << (MIN2(p, 13) - 4) / 2, p & 1);
    }
}

void
jit_load_flags(struct jit *j, const struct eu_op *op, unsigned gpr)
{
    size_t at = THREAD_AT(f) + op->flag_reg * 4u;
    unsigned lanes = op->lanes;
    if (jit_flags_kept(j, op)) {
        x86_kmov_to_gpr(&j->x, gpr, jit_flags_kept(j, op));
    } else if ((lanes == 8 || lanes == 16) && op->flag_shift % 8 == 0 &&
               op->flag_shift + lanes <= 32) {
        /* Not into the next flag register, which illegal channels reach. */
        x86_load(&j->x, gpr, at + op->flag_shift / 8, lanes / 8);
    } else {
        x86_load(&j->x, gpr, at, 4);
        if (op->flag_shift)
            x86_shift_by(&j->x, X86_SHR, false, gpr, op->flag_shift);
    }
}

void
jit_pred_bits(struct jit *j, const struct eu_op *op, unsigned gpr)
{
    struct x86 *x = &j->x;
    if (op->pred == 1) {
        jit_load_flags(j, op, gpr);
    } else {
        other_pred_bits(j, op, gpr);
        if (op->flag_shift)
            x86_shift_by(x, X86_SHR, false, gpr, op->flag_shift);
    }
    if (op->pred_inv)
        x86_unary(x, X86_NOT, false, gpr);
}

static void
load_mask(struct lanes *l)
{
    const struct eu_op *op = l->op;
    struct x86 *x = &l->j->x;
    bool selects = op->insn->opcode == EU_OP_SEL && !op->insn->cmod;
    bool exec = !op->no_mask && !l->j->full, pred = op->pred != 0;
    if (pred)
        jit_pred_bits(l->j, op, LANES_PRED);
    else if (selects)
        x86_mov_imm(x, LANES_PRED, UINT32_MAX);
    l->masked = exec || (pred && !selects);
    if (!l->masked)
        return;
    if (!exec) {
        x86_gop(x, X86_G_MOV, false, LANES_MASK, x86_g(LANES_PRED));
        return;
    }
    x86_gop(x, X86_G_MOV, false, LANES_MASK, x86_g_thread(THREAD_AT(mask)));
    if (op->chan)
        x86_shift_by(x, X86_SHR, false, LANES_MASK, op->chan);
    if (pred && !selects)
        x86_gop(x, X86_G_AND, false, LANES_MASK, x86_g(LANES_PRED));
}

/* ---- results ---- */

static void
clamp(const struct lanes *l)
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

/* eax := rax as F, in the rounding mode. */
static void
to_float(const struct lanes *l)
{
    struct x86 *x = &l->j->x;
    unsigned d = l->temp;
    uint32_t small = 0, done = 0;
    x86_vop(x, X86_PXOR, 0, d, d, x86_reg(d), 0);
    if (!l->result.is_signed) {
        /* The half of it, with a sticky lowest bit, twice. */
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

/* eax := 1.0 for all that is above zero. */
static void
to_saturated_float(const struct lanes *l)
{
    struct x86 *x = &l->j->x;
    x86_test(x, X86_RAX);
    x86_mov_imm(x, X86_RAX, 0);
    x86_mov_imm(x, X86_RSI, 0x3f800000);
    x86_cmov(x, l->result.is_signed ? X86_CC_G : X86_CC_NE, X86_RAX, X86_RSI);
}

/* al holds the lane's condition. */
static void
collect_flag(const struct lanes *l, unsigned lane, unsigned gpr)
{
    struct x86 *x = &l->j->x;
    if (lane)
        x86_shift_by(x, X86_SHL, false, gpr, lane);
    x86_gop(x, X86_G_OR, false, LANES_FLAGS, x86_g(gpr));
}

static void
condition_of_result(const struct lanes *l, unsigned lane)
{
    static const uint8_t cc[8] = {
        [EU_CMOD_Z] = X86_CC_E, [EU_CMOD_NZ] = X86_CC_NE,
        [EU_CMOD_G] = X86_CC_G, [EU_CMOD_GE] = X86_CC_GE,
        [EU_CMOD_L] = X86_CC_L, [EU_CMOD_LE] = X86_CC_LE,
    };
    struct x86 *x = &l->j->x;
    unsigned cmod = l->op->insn->cmod;
    x86_mov_reg(x, X86_RSI, X86_RAX);
    /* Equality looks at what is stored, order at the exact result. */
    if (cmod <= EU_CMOD_NZ)
        lanes_wrap(l->j, X86_RSI, l->dst.type);
    x86_test(x, X86_RSI);
    x86_setcc(x, (enum x86_cc)cc[cmod], X86_RDX);
    x86_gop(x, X86_G_MOVZX8, false, X86_RDX, x86_g(X86_RDX));
    collect_flag(l, lane, X86_RDX);
}

static void
finish(const struct lanes *l, unsigned lane)
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
        clamp(l);
    if (l->wants_flags)
        condition_of_result(l, lane);
    if (insn->acc_wr && !lanes_has_own_acc(insn) && !l->dst.is_acc)
        lanes_store_acc(l, THREAD_AT(acc_wide) + (lane & 15) * 8);
}

static void
one_lane(const struct lanes *l, unsigned lane)
{
    static const uint8_t gpr[3] = {X86_RAX, X86_RCX, X86_RDX};
    struct x86 *x = &l->j->x;
    uint32_t skip = 0;
    if (l->masked) {
        x86_bit_test(x, LANES_MASK, lane);
        skip = x86_jump(x, X86_CC_AE);
    }
    for (unsigned s = 0; s < l->op->insn->src_count; s++)
        lanes_load(l, s, lane, gpr[s]);
    lanes_op(l, lane);
    finish(l, lane);
    if (l->scratch)
        x86_gop(x, X86_G_ST, true, X86_RAX, SCRATCH_AT(lane));
    else
        lanes_store(l, lane);
    if (l->masked)
        x86_patch(x, skip, x->size);
}

static void
store_from_scratch(const struct lanes *l)
{
    struct x86 *x = &l->j->x;
    for (unsigned i = 0; i < l->op->lanes; i++) {
        uint32_t skip = 0;
        if (l->masked) {
            x86_bit_test(x, LANES_MASK, i);
            skip = x86_jump(x, X86_CC_AE);
        }
        x86_gop(x, X86_G_MOV, true, X86_RAX, SCRATCH_AT(i));
        lanes_store(l, i);
        if (l->masked)
            x86_patch(x, skip, x->size);
    }
}

/* The flag register's bits of the lanes that ran. */
static void
write_flags(const struct lanes *l)
{
    const struct eu_op *op = l->op;
    struct x86 *x = &l->j->x;
    size_t at = THREAD_AT(f) + op->flag_reg * 4u;
    if (!l->masked)
        x86_mov_imm(x, LANES_MASK, op->full);
    else
        x86_alu_imm(x, X86_AND, LANES_MASK, op->full, false);
    if (op->flag_shift) {
        x86_shift_by(x, X86_SHL, false, LANES_MASK, op->flag_shift);
        x86_shift_by(x, X86_SHL, false, LANES_FLAGS, op->flag_shift);
    }
    x86_gop(x, X86_G_MOV, false, X86_RAX, x86_g_thread(at));
    x86_unary(x, X86_NOT, false, LANES_MASK);
    x86_gop(x, X86_G_AND, false, X86_RAX, x86_g(LANES_MASK));
    x86_gop(x, X86_G_OR, false, X86_RAX, x86_g(LANES_FLAGS));
    x86_gop(x, X86_G_ST, false, X86_RAX, x86_g_thread(at));
}

bool
jit_lower_lanes(struct jit *j, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    struct lanes l = {.j = j, .op = op};
    if (op->slow != eu_op_general || op->chan + op->lanes > 32u)
        return false;
    for (unsigned s = 0; s < insn->src_count; s++)
        if (!lanes_source(&l, s))
            return false;
    if (!lanes_dst(&l))
        return false;
    l.scratch = overwrites(&l);
    l.wants_flags = insn->cmod && insn->opcode != EU_OP_SEL;
    if (overwrites_acc(&l) || !lanes_op_ok(&l))
        return false;

    if (eu_type_is_float(l.dst.type))
        l.temp = jit_temp(j);
    load_mask(&l);
    j->asks = true;
    if (l.wants_flags)
        x86_mov_imm(&j->x, LANES_FLAGS, 0);
    for (unsigned i = 0; i < op->lanes; i++)
        one_lane(&l, i);
    if (l.scratch)
        store_from_scratch(&l);
    if (l.wants_flags)
        write_flags(&l);
    /* Its conditions and destinations may be flags. */
    jit_forget_flag(j, 0);
    jit_forget_flag(j, 1);
    return !j->crowded;
}
