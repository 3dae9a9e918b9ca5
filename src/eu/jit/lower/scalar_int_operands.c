/* scalar_int_operands.c: operands of instructions compiled lane by lane. */
#include "eu/jit/lower/scalar_int.h"

#define THREAD_AT(member) ((uint32_t)offsetof(struct eu_thread, member))

static bool
is_logic(const struct eu_insn *insn)
{
    return insn->opcode >= EU_OP_NOT && insn->opcode <= EU_OP_XOR;
}

static uint64_t
wrap_value(uint64_t v, enum eu_type type)
{
    switch (type) {
    case EU_TYPE_UB: return (uint8_t)v;
    case EU_TYPE_B: return (uint64_t)(int8_t)v;
    case EU_TYPE_UW: return (uint16_t)v;
    case EU_TYPE_W: return (uint64_t)(int16_t)v;
    case EU_TYPE_UD: return (uint32_t)v;
    case EU_TYPE_D: return (uint64_t)(int32_t)v;
    default: return v;
    }
}

/* Whether modified values wrap, as in interp/convert.c. */
static bool
modifiers_wrap(const struct scalar_int_place *p)
{
    return eu_type_is_signed(p->type) && !p->is_acc;
}

static void
place_immediate(struct scalar_int *l, unsigned s)
{
    const struct eu_operand *o = &l->op->insn->src[s];
    struct scalar_int_place *p = &l->src[s];
    bool logic = is_logic(l->op->insn);
    p->kind = SCALAR_IMM;
    for (unsigned i = 0; i < l->op->lanes; i++) {
        uint64_t v = o->imm;
        unsigned element = eu_vector_element(l->op->insn, i);
        uint32_t nibble = (uint32_t)(o->imm >> element * 4) & 15;
        if (o->type == EU_TYPE_V)
            v = (uint16_t)((int)(nibble ^ 8) - 8);
        else if (o->type == EU_TYPE_UV)
            v = nibble;
        v = wrap_value(v, p->type);
        if (logic) {
            p->value[i] = o->negate ? ~v : v;
            continue;
        }
        if (o->abs && (int64_t)v < 0 && p->type != EU_TYPE_UQ)
            v = -v;
        v = o->negate ? -v : v;
        p->value[i] = modifiers_wrap(p)
                          ? wrap_value(v, eu_negated_type(l->op->insn, p->type))
                          : v;
    }
}

/* Offset in struct eu_thread, and size, of an architecture register that is
 * plain memory. */
static bool
arf_memory(const struct eu_operand *o, uint32_t *at, uint32_t *size_B)
{
    switch (o->reg & 0xf0) {
    case EU_ARF_A: *at = THREAD_AT(a0), *size_B = 32; return true;
    case EU_ARF_F:
        *at = THREAD_AT(f) + (o->reg & 1u) * 4;
        *size_B = 8 - (o->reg & 1u) * 4;
        return true;
    case EU_ARF_SP: *at = THREAD_AT(sp), *size_B = 8; return true;
    case EU_ARF_SR: *at = THREAD_AT(sr0), *size_B = 16; return true;
    case EU_ARF_CR: *at = THREAD_AT(cr0), *size_B = 12; return true;
    case EU_ARF_N: *at = THREAD_AT(n0), *size_B = 12; return true;
    default: return false;
    }
}

static void
note_range(struct scalar_int_place *p, unsigned lanes)
{
    p->first_B = UINT32_MAX;
    for (unsigned i = 0; i < lanes; i++) {
        p->first_B = MIN2(p->first_B, (uint32_t)p->at[i]);
        p->end_B = MAX2(p->end_B, (uint32_t)p->at[i] + p->size_B);
    }
}

/* Integer accumulators: 64 bits per channel. */
static void
place_acc(struct scalar_int *l, struct scalar_int_place *p,
          const struct eu_operand *o, bool is_dst)
{
    p->is_acc = true;
    for (unsigned i = 0; i < l->op->lanes; i++)
        p->at[i] = (int32_t)(THREAD_AT(acc_wide) + (o->reg & 1) * 128u +
                             eu_operand_acc_index(l->op->insn, o, i, is_dst) *
                                 8);
}

static bool
place_indirect(struct scalar_int *l, struct scalar_int_place *p,
               const struct eu_operand *o, bool is_dst)
{
    bool per_row = !is_dst && o->vstride == EU_VSTRIDE_VXH;
    p->kind = SCALAR_INDIRECT;
    for (unsigned i = 0; i < l->op->lanes; i++) {
        unsigned row = per_row ? i / o->width : 0;
        unsigned off = is_dst    ? i * o->hstride * p->size_B
                       : per_row ? i % o->width * o->hstride * p->size_B
                                 : eu_region_offset_B(l->op->insn, o, i);
        p->word[i] = (uint8_t)((o->addr_subreg + row) & 15);
        p->at[i] = o->addr_imm_B + (int32_t)off;
    }
    return true;
}

static bool
place_lanes(struct scalar_int *l, struct scalar_int_place *p,
            const struct eu_operand *o, bool is_dst)
{
    const struct eu_insn *insn = l->op->insn;
    uint32_t base = THREAD_AT(grf) + o->reg * EU_GRF_B, limit_B = 0;
    p->kind = SCALAR_MEMORY;
    if (o->file == EU_FILE_GRF && o->indirect)
        return place_indirect(l, p, o, is_dst);
    if (eu_operand_is_acc(o)) {
        if (eu_type_is_float(p->type))
            return false;
        place_acc(l, p, o, is_dst);
        note_range(p, l->op->lanes);
        return l->op->lanes <= 16;
    }
    if (o->file == EU_FILE_ARF && !arf_memory(o, &base, &limit_B))
        return false;
    for (unsigned i = 0; i < l->op->lanes; i++) {
        unsigned off = is_dst ? i * o->hstride * p->size_B
                              : eu_region_offset_B(insn, o, i);
        p->at[i] = (int32_t)(base + o->subreg_B + off);
    }
    note_range(p, l->op->lanes);
    return o->file == EU_FILE_GRF || p->end_B <= base + limit_B;
}

static enum eu_type
type_of(const struct scalar_int *l, enum eu_type type)
{
    static const uint8_t bits[9] = {
        [2] = EU_TYPE_UW, [4] = EU_TYPE_UD, [8] = EU_TYPE_UQ};
    return l->moves_bits ? (enum eu_type)bits[eu_type_size_B(type)] : type;
}

bool
scalar_int_source(struct scalar_int *l, unsigned s)
{
    const struct eu_operand *o = &l->op->insn->src[s];
    struct scalar_int_place *p = &l->src[s];
    p->type = type_of(l, eu_operand_type(o));
    p->size_B = (uint8_t)eu_type_size_B(p->type);
    if (o->file == EU_FILE_IMM) {
        place_immediate(l, s);
        return true;
    }
    if (o->file == EU_FILE_ARF && (o->reg & 0xf0) == EU_ARF_CE) {
        p->kind = SCALAR_CE;
        return p->size_B == 4 && o->subreg_B == 0 && l->op->lanes == 1;
    }
    if (!place_lanes(l, p, o, false))
        return false;
    if (p->kind == SCALAR_INDIRECT)
        jit_sync(l->j, 0, EU_GRF_FILE_B);
    else if (o->file == EU_FILE_GRF)
        jit_sync(l->j, p->first_B - THREAD_AT(grf), p->end_B - p->first_B);
    return true;
}

bool
scalar_int_dst(struct scalar_int *l)
{
    const struct eu_operand *o = &l->op->insn->dst;
    struct scalar_int_place *p = &l->dst;
    unsigned arf = o->file == EU_FILE_ARF ? o->reg & 0xf0u : ~0u;
    p->type = type_of(l, (enum eu_type)o->type);
    p->size_B = (uint8_t)eu_type_size_B(p->type);
    if (arf == EU_ARF_NULL) {
        p->kind = SCALAR_NULL;
        return true;
    }
    /* The interpreter writes registers with side effects. */
    if (arf == EU_ARF_SR || arf == EU_ARF_CR)
        return false;
    if ((arf == EU_ARF_F && l->op->insn->cmod) || !place_lanes(l, p, o, true))
        return false;
    if (p->kind == SCALAR_INDIRECT)
        jit_sync_drop(l->j, 0, EU_GRF_FILE_B);
    else if (o->file == EU_FILE_GRF)
        jit_sync_drop(l->j, p->first_B - THREAD_AT(grf), p->end_B - p->first_B);
    return true;
}

/* ---- code ---- */

void
scalar_int_wrap(struct jit *j, unsigned gpr, enum eu_type type)
{
    static const uint8_t extend[EU_TYPE_COUNT] = {
        [EU_TYPE_UB] = X86_G_MOVZX8,  [EU_TYPE_B] = X86_G_MOVSX8,
        [EU_TYPE_UW] = X86_G_MOVZX16, [EU_TYPE_W] = X86_G_MOVSX16,
        [EU_TYPE_UD] = X86_G_MOV,     [EU_TYPE_D] = X86_G_MOVSXD,
    };
    if (eu_type_size_B(type) == 8)
        return;
    bool is_signed = eu_type_is_signed(type);
    x86_gop(&j->x, (enum x86_gop)extend[type], is_signed, gpr, x86_g(gpr));
}

/* rsi := the lane's position in the register file. */
static void
find_indirect(const struct scalar_int *l, const struct scalar_int_place *p,
              unsigned lane)
{
    struct x86 *x = &l->j->x;
    if (l->in_run) {
        x86_gop(x, X86_G_MOV, false, X86_RSI,
                x86_g_thread(THREAD_AT(scratch) + p->word[lane] * 4u));
        return;
    }
    x86_gop(x, X86_G_MOVZX16, false, X86_RSI,
            x86_g_thread(THREAD_AT(a0) + p->word[lane] * 2u));
    if (p->at[lane]) {
        x86_alu_imm(x, X86_ADD, X86_RSI, (uint32_t)p->at[lane], false);
        x86_gop(x, X86_G_MOVZX16, false, X86_RSI, x86_g(X86_RSI));
    }
    x86_alu_imm(x, X86_CMP, X86_RSI, EU_GRF_FILE_B - p->size_B, false);
    jit_fail_outside(l->j, X86_CC_A, l->op_index, l->op_index);
}

static void
load_element(const struct scalar_int *l, const struct scalar_int_place *p,
             unsigned lane, unsigned gpr)
{
    static const uint8_t load[EU_TYPE_COUNT] = {
        [EU_TYPE_UB] = X86_G_MOVZX8,  [EU_TYPE_B] = X86_G_MOVSX8,
        [EU_TYPE_UW] = X86_G_MOVZX16, [EU_TYPE_W] = X86_G_MOVSX16,
        [EU_TYPE_UD] = X86_G_MOV,     [EU_TYPE_D] = X86_G_MOVSXD,
        [EU_TYPE_UQ] = X86_G_MOV,     [EU_TYPE_Q] = X86_G_MOV,
    };
    struct x86_gm from = x86_g_thread((uint32_t)p->at[lane]);
    if (p->kind == SCALAR_INDIRECT) {
        find_indirect(l, p, lane);
        from = x86_g_index(X86_RSI, THREAD_AT(grf));
    }
    bool wide = p->size_B == 8 || eu_type_is_signed(p->type);
    x86_gop(&l->j->x, (enum x86_gop)load[p->type], wide, gpr, from);
}

void
scalar_int_load(const struct scalar_int *l, unsigned s, unsigned lane,
                unsigned gpr)
{
    const struct eu_operand *o = &l->op->insn->src[s];
    const struct scalar_int_place *p = &l->src[s];
    struct x86 *x = &l->j->x;
    if (p->kind == SCALAR_IMM) {
        x86_mov_imm(x, gpr, p->value[lane]);
        return;
    }
    if (p->kind == SCALAR_CE) {
        x86_gop(x, X86_G_MOV, false, gpr, x86_g_thread(THREAD_AT(live)));
        if (l->op->chan)
            x86_shift_by(x, X86_SHR, false, gpr, l->op->chan);
        scalar_int_wrap(l->j, gpr, p->type);
    } else {
        load_element(l, p, lane, gpr);
    }
    if (is_logic(l->op->insn)) {
        if (o->negate)
            x86_unary(x, X86_NOT, true, gpr);
        return;
    }
    if (o->abs && eu_type_is_signed(p->type)) {
        x86_mov_reg(x, X86_RSI, gpr);
        x86_unary(x, X86_NEG, true, X86_RSI);
        x86_cmov(x, X86_CC_NS, gpr, X86_RSI);
    }
    if (o->negate)
        x86_unary(x, X86_NEG, true, gpr);
    if ((o->abs || o->negate) && modifiers_wrap(p))
        scalar_int_wrap(l->j, gpr, eu_negated_type(l->op->insn, p->type));
}

/* As eu_acc_wrap(). */
void
scalar_int_wrap_acc(const struct scalar_int *l, unsigned gpr)
{
    if (l->dst.size_B > 2)
        return;
    x86_shift_by(&l->j->x, X86_SHL, true, gpr, 31);
    x86_shift_by(&l->j->x, X86_SAR, true, gpr, 31);
}

void
scalar_int_store_acc(const struct scalar_int *l, size_t at)
{
    struct x86 *x = &l->j->x;
    unsigned from = l->dst.size_B <= 2 ? X86_RSI : X86_RAX;
    if (from == X86_RSI)
        x86_mov_reg(x, X86_RSI, X86_RAX);
    scalar_int_wrap_acc(l, from);
    x86_gop(x, X86_G_ST, true, from, x86_g_thread(at));
}

/* Stores rax to the lane's element. */
void
scalar_int_store(const struct scalar_int *l, unsigned lane)
{
    const struct scalar_int_place *p = &l->dst;
    const struct eu_operand *o = &l->op->insn->dst;
    struct x86 *x = &l->j->x;
    static const uint8_t store[9] = {
        [1] = X86_G_ST8, [2] = X86_G_ST16, [4] = X86_G_ST, [8] = X86_G_ST};
    if (p->kind == SCALAR_NULL)
        return;
    if (l->op->insn->align16 &&
        !(eu_operand_components(l->op->insn) >> lane & 1))
        return;
    struct x86_gm to = x86_g_thread((uint32_t)p->at[lane]);
    if (p->kind == SCALAR_INDIRECT) {
        find_indirect(l, p, lane);
        to = x86_g_index(X86_RSI, THREAD_AT(grf));
    }
    if (!p->is_acc) {
        x86_gop(x, (enum x86_gop)store[p->size_B], p->size_B == 8, X86_RAX, to);
        return;
    }
    /* Stored twice: with more bits, and as written. */
    unsigned index = eu_operand_acc_index(l->op->insn, o, lane, true);
    unsigned reg = o->reg & 15u;
    scalar_int_store_acc(l, (uint32_t)p->at[lane]);
    x86_gop(x, (enum x86_gop)store[p->size_B], p->size_B == 8, X86_RAX,
            x86_g_thread(THREAD_AT(acc) + (reg < 2 ? 0 : reg % 10) * 64 +
                         (index * p->size_B & 63)));
}
