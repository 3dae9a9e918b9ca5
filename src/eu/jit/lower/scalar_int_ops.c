/* scalar_int_ops.c: integer operations on one lane, as in interp/alu_int.c. a
 * is in rax, b in rcx, c in rdx. */
#include "eu/jit/lower/scalar_int.h"

#include "eu/interp/alu.h"

#define ACC_AT(lane) (offsetof(struct eu_thread, acc_wide) + ((lane)&15u) * 8u)

/* Width of the execution type: the widest source, at least a word. */
static unsigned
exec_bits(const struct scalar_int *l)
{
    unsigned size_B = 2;
    for (unsigned s = 0; s < l->op->insn->src_count; s++)
        size_B = MAX2(size_B, l->src[s].size_B);
    return size_B * 8;
}

static bool
shifts_64(const struct scalar_int *l)
{
    return l->dst.size_B == 8 ||
           eu_type_size_B((enum eu_type)l->op->insn->src[0].type) == 8;
}

/* Bits of a source's largest magnitude. */
static unsigned
magnitude_bits(const struct scalar_int *l, unsigned s)
{
    bool is_signed = eu_type_is_signed(l->src[s].type);
    return l->src[s].size_B * 8u - (is_signed ? 1 : 0);
}

static struct scalar_int_range
range_of_source(const struct scalar_int *l, unsigned s)
{
    const struct eu_operand *o = &l->op->insn->src[s];
    bool is_signed = eu_type_is_signed(l->src[s].type);
    bool plain = !o->abs && !o->negate;
    if (l->src[s].size_B < 8)
        return (struct scalar_int_range){
            .is_signed = true, .is_unsigned = !is_signed && !o->negate};
    return (struct scalar_int_range){.is_signed = is_signed,
                                     .is_unsigned = !is_signed && plain};
}

static struct scalar_int_range
range_of_result(const struct scalar_int *l)
{
    const struct scalar_int_range exact = {.is_signed = true},
                                  none = {false, false};
    bool narrow = exec_bits(l) < 64;
    unsigned product = 0;
    switch (l->op->insn->opcode) {
    case EU_OP_MOV: return l->range[0];
    case EU_OP_SEL:
        return (struct scalar_int_range){
            .is_signed = l->range[0].is_signed && l->range[1].is_signed,
            .is_unsigned = l->range[0].is_unsigned && l->range[1].is_unsigned};
    case EU_OP_NOT:
    case EU_OP_AND:
    case EU_OP_OR:
    case EU_OP_XOR:
    case EU_OP_BFI2:
        /* Bits as the destination's type has them. */
        return l->dst.type == EU_TYPE_UQ || eu_type_is_float(l->dst.type)
                   ? none
                   : exact;
    case EU_OP_SHL:
        return narrow && !shifts_64(l) && magnitude_bits(l, 0) < 32 ? exact
                                                                    : none;
    case EU_OP_ADD:
    case EU_OP_AVG: return narrow ? exact : none;
    case EU_OP_MAD:
        product = magnitude_bits(l, 1) + magnitude_bits(l, 2);
        return narrow && product <= 62 ? exact : none;
    case EU_OP_MUL:
        product = magnitude_bits(l, 0) + magnitude_bits(l, 1);
        return narrow && product <= 62 ? exact : none;
    case EU_OP_MAC: return none;
    case EU_OP_SHR: return narrow ? exact : none;
    case EU_OP_ASR: return l->range[0].is_signed ? exact : l->range[0];
    default: return exact;
    }
}

static bool
same_signedness(const struct scalar_int *l)
{
    const struct scalar_int_range *r = l->range;
    return (r[0].is_signed && r[1].is_signed) ||
           (r[0].is_unsigned && r[1].is_unsigned);
}

/* Whether a signed comparison of a and b is right. */
static bool
both_signed(const struct scalar_int *l)
{
    return l->range[0].is_signed && l->range[1].is_signed;
}

static bool
is_compare(unsigned cmod)
{
    return cmod >= EU_CMOD_Z && cmod <= EU_CMOD_LE;
}

static bool
opcode_ok(const struct scalar_int *l)
{
    const struct eu_insn *insn = l->op->insn;
    bool narrow = exec_bits(l) < 64;
    switch (insn->opcode) {
    case EU_OP_CMP:
        return is_compare(insn->cmod) && same_signedness(l) && !insn->acc_wr;
    case EU_OP_SEL: return !insn->cmod || same_signedness(l);
    case EU_OP_MOV:
    case EU_OP_NOT:
    case EU_OP_AND:
    case EU_OP_OR:
    case EU_OP_XOR:
    case EU_OP_SHL:
    case EU_OP_ADD:
    case EU_OP_MUL:
    case EU_OP_MAD:
    case EU_OP_CBIT:
    case EU_OP_BFREV:
    case EU_OP_LZD:
    case EU_OP_FBH:
    case EU_OP_FBL:
    case EU_OP_BFE:
    case EU_OP_BFI1:
    case EU_OP_BFI2: return true;
    case EU_OP_SHR:
        return narrow || insn->src[0].type != EU_TYPE_Q ||
               l->range[0].is_signed;
    case EU_OP_ASR: return l->range[0].is_signed || l->range[0].is_unsigned;
    case EU_OP_AVG: return narrow;
    case EU_OP_ADDC:
        if (insn->saturate)
            return false; /* illegal, need not be fast */
        /* fall through */
    case EU_OP_MACH:
    case EU_OP_SUBB:
    case EU_OP_MAC:
        /* No compiler uses 64 bits of these; signs would need care. */
        return narrow && l->op->lanes <= 16 && !l->scratch &&
               eu_type_size_B(l->dst.type) <= 4;
    case EU_OP_MATH:
        return narrow && (insn->math == EU_MATH_INT_DIV_QUOTIENT ||
                          insn->math == EU_MATH_INT_DIV_REMAINDER);
    default: return false;
    }
}

bool
scalar_int_op_ok(struct scalar_int *l)
{
    const struct eu_insn *insn = l->op->insn;
    bool flags = insn->cmod && insn->opcode != EU_OP_SEL;
    for (unsigned s = 0; s < insn->src_count; s++)
        l->range[s] = range_of_source(l, s);
    if (!opcode_ok(l))
        return false;
    l->result = range_of_result(l);
    if (insn->opcode == EU_OP_CMP)
        return true;
    if (eu_type_is_float(l->dst.type))
        return l->dst.type == EU_TYPE_F && !flags && !insn->acc_wr &&
               !scalar_int_has_own_acc(insn) &&
               (l->result.is_signed || l->result.is_unsigned);
    if (insn->saturate && !l->result.is_signed)
        return false;
    return !flags || is_compare(insn->cmod);
}

/* ---- code ---- */

static void
emit_rr(const struct scalar_int *l, enum x86_gop op, unsigned d, unsigned s)
{
    x86_gop(&l->j->x, op, true, d, x86_g(s));
}

static void
emit_rr32(const struct scalar_int *l, enum x86_gop op, unsigned d, unsigned s)
{
    x86_gop(&l->j->x, op, false, d, x86_g(s));
}

static void
emit_shift(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    unsigned opcode = l->op->insn->opcode;
    enum eu_type type = (enum eu_type)l->op->insn->src[0].type;
    enum x86_shift how = opcode == EU_OP_SHL ? X86_SHL : X86_SAR;
    x86_alu_imm(x, X86_AND, X86_RCX, shifts_64(l) ? 63 : 31, false);
    if (opcode == EU_OP_SHR && type != EU_TYPE_D && type != EU_TYPE_Q) {
        /* As wide as the execution type, with zeros above. */
        how = X86_SHR;
        if (exec_bits(l) == 16)
            emit_rr32(l, X86_G_MOVZX16, X86_RAX, X86_RAX);
        else if (exec_bits(l) == 32)
            emit_rr32(l, X86_G_MOV, X86_RAX, X86_RAX);
    } else if (opcode == EU_OP_ASR && !l->range[0].is_signed) {
        how = X86_SHR;
    }
    x86_shift_cl(x, how, true, X86_RAX);
}

/* FBH and FBL: eax := all ones if rsi is zero. */
static void
ones_if_zero(const struct scalar_int *l)
{
    x86_mov_imm(&l->j->x, X86_RDI, UINT32_MAX);
    emit_rr32(l, X86_G_TEST, X86_RSI, X86_RSI);
    x86_cmov(&l->j->x, X86_CC_E, X86_RAX, X86_RDI);
}

static void
find_bit(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    emit_rr32(l, X86_G_MOV, X86_RSI, X86_RAX);
    switch (l->op->insn->opcode) {
    case EU_OP_LZD: emit_rr32(l, X86_G_LZCNT, X86_RAX, X86_RSI); return;
    case EU_OP_FBL: emit_rr32(l, X86_G_TZCNT, X86_RAX, X86_RSI); break;
    default:
        if (eu_type_is_signed((enum eu_type)l->op->insn->src[0].type)) {
            x86_shift_by(x, X86_SAR, false, X86_RSI, 31);
            emit_rr32(l, X86_G_XOR, X86_RSI, X86_RAX);
        }
        emit_rr32(l, X86_G_LZCNT, X86_RAX, X86_RSI);
        break;
    }
    ones_if_zero(l);
}

/* Swaps neighbouring groups of `by` bits in eax. */
static void
swap_bits(const struct scalar_int *l, unsigned by, uint32_t low)
{
    struct x86 *x = &l->j->x;
    emit_rr32(l, X86_G_MOV, X86_RSI, X86_RAX);
    x86_shift_by(x, X86_SHR, false, X86_RSI, by);
    x86_alu_imm(x, X86_AND, X86_RSI, low, false);
    x86_alu_imm(x, X86_AND, X86_RAX, low, false);
    x86_shift_by(x, X86_SHL, false, X86_RAX, by);
    emit_rr32(l, X86_G_OR, X86_RAX, X86_RSI);
}

static void
emit_reverse(const struct scalar_int *l)
{
    swap_bits(l, 1, 0x55555555);
    swap_bits(l, 2, 0x33333333);
    swap_bits(l, 4, 0x0f0f0f0f);
    x86_bswap(&l->j->x, X86_RAX);
}

/* width eax, offset ecx, value edx: shifts up by max(0, 32 - width - offset),
 * then down by that and the offset. */
static void
emit_extract(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    bool is_signed = l->op->insn->src[2].type == EU_TYPE_D;
    x86_alu_imm(x, X86_AND, X86_RAX, 31, false);
    x86_alu_imm(x, X86_AND, X86_RCX, 31, false);
    emit_rr32(l, X86_G_MOV, X86_RDI, X86_RCX);
    emit_rr32(l, X86_G_MOV, X86_RSI, X86_RCX);
    emit_rr32(l, X86_G_ADD, X86_RSI, X86_RAX);
    x86_mov_imm(x, X86_RCX, 32);
    emit_rr32(l, X86_G_SUB, X86_RCX, X86_RSI);
    x86_mov_imm(x, X86_RSI, 0);
    emit_rr32(l, X86_G_TEST, X86_RCX, X86_RCX);
    x86_cmov(x, X86_CC_S, X86_RCX, X86_RSI);
    x86_shift_cl(x, X86_SHL, false, X86_RDX);
    emit_rr32(l, X86_G_ADD, X86_RCX, X86_RDI);
    if (is_signed) {
        emit_rr(l, X86_G_MOVSXD, X86_RDX, X86_RDX);
        x86_shift_cl(x, X86_SAR, true, X86_RDX);
    } else {
        emit_rr32(l, X86_G_MOV, X86_RDX, X86_RDX);
        x86_shift_cl(x, X86_SHR, true, X86_RDX);
    }
    emit_rr32(l, X86_G_TEST, X86_RAX, X86_RAX);
    emit_rr(l, X86_G_MOV, X86_RAX, X86_RDX);
    x86_cmov(x, X86_CC_E, X86_RAX, X86_RSI);
}

/* mask eax, insert ecx, base edx; the insert moves to the mask's lowest bit. */
static void
emit_insert(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    emit_rr32(l, X86_G_MOV, X86_RSI, X86_RCX);
    emit_rr32(l, X86_G_TZCNT, X86_RCX, X86_RAX);
    x86_shift_cl(x, X86_SHL, false, X86_RSI);
    emit_rr32(l, X86_G_AND, X86_RSI, X86_RAX);
    x86_unary(x, X86_NOT, false, X86_RAX);
    emit_rr32(l, X86_G_AND, X86_RAX, X86_RDX);
    emit_rr32(l, X86_G_OR, X86_RAX, X86_RSI);
}

/* ((1 << width) - 1) << offset */
static void
make_mask(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    emit_rr32(l, X86_G_MOV, X86_RDI, X86_RCX);
    emit_rr32(l, X86_G_MOV, X86_RCX, X86_RAX);
    x86_mov_imm(x, X86_RAX, 1);
    x86_shift_cl(x, X86_SHL, false, X86_RAX);
    x86_alu_imm(x, X86_SUB, X86_RAX, 1, false);
    emit_rr32(l, X86_G_MOV, X86_RCX, X86_RDI);
    x86_shift_cl(x, X86_SHL, false, X86_RAX);
}

static void
emit_divide(const struct scalar_int *l)
{
    struct x86 *x = &l->j->x;
    bool is_signed = eu_divides_signed(l->op->insn);
    scalar_int_wrap(l->j, X86_RAX, is_signed ? EU_TYPE_D : EU_TYPE_UD);
    scalar_int_wrap(l->j, X86_RCX, is_signed ? EU_TYPE_D : EU_TYPE_UD);
    emit_rr(l, X86_G_TEST, X86_RCX, X86_RCX);
    uint32_t by_zero = x86_jump(x, X86_CC_E);
    x86_cqo(x);
    x86_unary(x, X86_IDIV, true, X86_RCX);
    if (l->op->insn->math == EU_MATH_INT_DIV_REMAINDER)
        emit_rr(l, X86_G_MOV, X86_RAX, X86_RDX);
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, by_zero, x->size);
    if (is_signed) {
        /* INT_MAX, or INT_MIN for a negative number. */
        x86_shift_by(x, X86_SAR, true, X86_RAX, 63);
        x86_alu_imm(x, X86_XOR, X86_RAX, INT32_MAX, true);
    } else {
        x86_mov_imm(x, X86_RAX, UINT32_MAX);
    }
    x86_patch(x, done, x->size);
}

/* Condition code under which the condition holds. */
static enum x86_cc
condition_code(unsigned cmod, bool is_signed)
{
    switch (cmod) {
    case EU_CMOD_Z: return X86_CC_E;
    case EU_CMOD_NZ: return X86_CC_NE;
    case EU_CMOD_G: return is_signed ? X86_CC_G : X86_CC_A;
    case EU_CMOD_GE: return is_signed ? X86_CC_GE : X86_CC_AE;
    case EU_CMOD_L: return is_signed ? X86_CC_L : X86_CC_B;
    default: return is_signed ? X86_CC_LE : X86_CC_BE;
    }
}

static void
emit_select(const struct scalar_int *l, unsigned lane)
{
    unsigned cmod = l->op->insn->cmod;
    bool is_min = cmod == EU_CMOD_L || cmod == EU_CMOD_LE;
    if (!cmod) {
        x86_bit_test(&l->j->x, SCALAR_PRED, lane);
        x86_cmov(&l->j->x, X86_CC_AE, X86_RAX, X86_RCX);
        return;
    }
    emit_rr(l, X86_G_CMP, X86_RAX, X86_RCX);
    x86_cmov(&l->j->x,
             condition_code(is_min ? EU_CMOD_GE : EU_CMOD_LE, both_signed(l)),
             X86_RAX, X86_RCX);
}

/* High half of a product, carry and borrow; rdi := the new accumulator. */
static void
emit_accumulate(const struct scalar_int *l, unsigned lane)
{
    struct x86 *x = &l->j->x;
    struct x86_gm acc = x86_g_thread(ACC_AT(lane));
    switch (l->op->insn->opcode) {
    case EU_OP_MACH:
        x86_shift_by(x, X86_SAR, true, X86_RCX, 16);
        emit_rr(l, X86_G_IMUL, X86_RAX, X86_RCX);
        x86_shift_by(x, X86_SHL, true, X86_RAX, 16);
        x86_gop(x, X86_G_ADD, true, X86_RAX, acc);
        emit_rr(l, X86_G_MOV, X86_RDI, X86_RAX);
        x86_shift_by(x, X86_SAR, true, X86_RAX, 32);
        scalar_int_wrap(l->j, X86_RAX, l->dst.type);
        break;
    case EU_OP_ADDC:
        emit_rr(l, X86_G_ADD, X86_RAX, X86_RCX);
        emit_rr(l, X86_G_MOV, X86_RDI, X86_RAX);
        x86_shift_by(x, X86_SHR, true, X86_RDI, 32);
        x86_alu_imm(x, X86_AND, X86_RDI, 1, false);
        emit_rr32(l, X86_G_MOV, X86_RAX, X86_RAX);
        break;
    case EU_OP_SUBB:
        emit_rr(l, X86_G_SUB, X86_RAX, X86_RCX);
        emit_rr(l, X86_G_MOV, X86_RDI, X86_RAX);
        x86_shift_by(x, X86_SHR, true, X86_RDI, 63);
        if (!l->op->insn->saturate)
            emit_rr32(l, X86_G_MOV, X86_RAX, X86_RAX);
        break;
    default:
        emit_rr(l, X86_G_IMUL, X86_RAX, X86_RCX);
        x86_gop(x, X86_G_ADD, true, X86_RAX, acc);
        return;
    }
    x86_gop(x, X86_G_ST, true, X86_RDI, acc);
}

void
scalar_int_op(const struct scalar_int *l, unsigned lane)
{
    const struct eu_insn *insn = l->op->insn;
    struct x86 *x = &l->j->x;
    switch (insn->opcode) {
    case EU_OP_MOV: return;
    case EU_OP_NOT: x86_unary(x, X86_NOT, true, X86_RAX); break;
    case EU_OP_AND: emit_rr(l, X86_G_AND, X86_RAX, X86_RCX); break;
    case EU_OP_OR: emit_rr(l, X86_G_OR, X86_RAX, X86_RCX); break;
    case EU_OP_XOR: emit_rr(l, X86_G_XOR, X86_RAX, X86_RCX); break;
    case EU_OP_SHL:
    case EU_OP_SHR:
    case EU_OP_ASR: emit_shift(l); return;
    case EU_OP_ADD: emit_rr(l, X86_G_ADD, X86_RAX, X86_RCX); return;
    case EU_OP_AVG:
        emit_rr(l, X86_G_ADD, X86_RAX, X86_RCX);
        x86_alu_imm(x, X86_ADD, X86_RAX, 1, true);
        x86_shift_by(x, X86_SAR, true, X86_RAX, 1);
        return;
    case EU_OP_MUL: emit_rr(l, X86_G_IMUL, X86_RAX, X86_RCX); return;
    case EU_OP_MAD:
        emit_rr(l, X86_G_IMUL, X86_RCX, X86_RDX);
        emit_rr(l, X86_G_ADD, X86_RAX, X86_RCX);
        return;
    case EU_OP_LZD:
    case EU_OP_FBH:
    case EU_OP_FBL: find_bit(l); return;
    case EU_OP_CBIT:
        if (exec_bits(l) == 16)
            emit_rr32(l, X86_G_MOVZX16, X86_RAX, X86_RAX);
        x86_gop(x, X86_G_POPCNT, exec_bits(l) == 64, X86_RAX, x86_g(X86_RAX));
        return;
    case EU_OP_BFREV: emit_reverse(l); return;
    case EU_OP_BFE: emit_extract(l); return;
    case EU_OP_BFI1: make_mask(l); return;
    case EU_OP_BFI2: emit_insert(l); break;
    case EU_OP_SEL: emit_select(l, lane); return;
    case EU_OP_CMP:
        emit_rr(l, X86_G_CMP, X86_RAX, X86_RCX);
        x86_setcc(x, condition_code(insn->cmod, both_signed(l)), X86_RAX);
        emit_rr32(l, X86_G_MOVZX8, X86_RAX, X86_RAX);
        return;
    case EU_OP_MATH: emit_divide(l); return;
    default: emit_accumulate(l, lane); return;
    }
    /* Bitwise: extends the bits as the destination's type says. */
    scalar_int_wrap(l->j, X86_RAX, l->dst.type);
}
