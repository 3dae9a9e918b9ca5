/* lower_int.c: integer instructions whose exact result fits 32 bits.
 *
 * The EU computes in wider integers than its types: -x of an unsigned x is
 * negative when it is compared or shifted right. The interpreter runs such
 * cases, saturation and 64-bit types. */
#include "eu/jit/lower/lower_f16.h"

/* Value range of a source, modifiers included. */
struct range {
    bool fits_d, fits_ud;
};

static struct range
range_of(const struct eu_operand *o)
{
    enum eu_type type = eu_operand_type(o);
    bool is_signed = eu_type_is_signed(type);
    bool small = eu_type_size_B(type) < 4 ||
                 (o->file == EU_FILE_IMM && (uint32_t)o->imm <= INT32_MAX);
    bool changed = o->negate || (o->abs && is_signed);
    return (struct range){
        .fits_d = is_signed || small,
        .fits_ud = !changed &&
                   (!is_signed || (small && eu_type_size_B(type) == 4)),
    };
}

static bool
is_binary_exact(const struct eu_insn *insn)
{
    struct range a = range_of(&insn->src[0]), b = range_of(&insn->src[1]);
    return (a.fits_d && b.fits_d) || (a.fits_ud && b.fits_ud);
}

static bool
is_compare(unsigned cmod)
{
    return cmod >= EU_CMOD_Z && cmod <= EU_CMOD_LE;
}

/* Conditions test the stored value; only .o needs the exact result. */
static bool
cmod_ok(const struct eu_insn *insn)
{
    return !insn->cmod || is_compare(insn->cmod);
}

static bool
to_float_ok(const struct jit *j, const struct eu_insn *insn)
{
    const struct eu_operand *o = &insn->src[0];
    if (insn->opcode != EU_OP_MOV || insn->cmod)
        return false;
    return o->type != EU_TYPE_UD || (j->f->evex && !o->negate);
}

/* SHR of a D keeps the sign, see alu_int.c. */
static bool
shifts_signed(const struct eu_insn *insn)
{
    return eu_operand_type(&insn->src[0]) == EU_TYPE_D;
}

/* Saturating sums of UD: loop counters that stay at their largest value. */
static bool
adds_unsigned(const struct eu_insn *insn)
{
    return insn->opcode == EU_OP_ADD && insn->dst.type == EU_TYPE_UD &&
           !insn->cmod && range_of(&insn->src[0]).fits_ud &&
           range_of(&insn->src[1]).fits_ud;
}

bool
jit_int_ok(const struct jit *j, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    struct range a = range_of(&insn->src[0]);
    for (unsigned s = 0; s < insn->src_count; s++)
        if (!jit_src_plain(op, s, false) && !jit_src_ok(j, op, s, false))
            return false;
    if (insn->opcode == EU_OP_CMP)
        return is_compare(insn->cmod) && is_binary_exact(insn);
    if (eu_type_is_float((enum eu_type)insn->dst.type))
        return to_float_ok(j, insn);
    if (insn->saturate)
        return j->f->evex && adds_unsigned(insn);
    switch (insn->opcode) {
    case EU_OP_SEL: return !insn->cmod || is_binary_exact(insn);
    case EU_OP_ASR: return (a.fits_d || a.fits_ud) && cmod_ok(insn);
    case EU_OP_SHR:
        return (a.fits_d || a.fits_ud || !shifts_signed(insn)) && cmod_ok(insn);
    case EU_OP_MOV:
    case EU_OP_NOT:
    case EU_OP_AND:
    case EU_OP_OR:
    case EU_OP_XOR:
    case EU_OP_SHL:
    case EU_OP_ADD:
    case EU_OP_MUL: return cmod_ok(insn);
    case EU_OP_MATH: return jit_int_div_ok(insn);
    default: return false;
    }
}

static unsigned
binary_op(struct jit *j, enum x86_vop op, unsigned len, unsigned a,
          struct x86_rm b)
{
    unsigned d = jit_temp(j);
    x86_vop(&j->x, op, len, d, a, b, 0);
    return d;
}

static bool
shifts_words(const struct eu_insn *insn)
{
    return eu_type_size_B(eu_operand_type(&insn->src[0])) < 4 &&
           eu_type_size_B(eu_operand_type(&insn->src[1])) < 4;
}

static unsigned
shift_lanes(struct jit *j, const struct eu_insn *insn, unsigned len, unsigned a,
            struct x86_rm b)
{
    bool is_signed = range_of(&insn->src[0]).fits_d;
    enum x86_vop op = X86_PSLLVD;
    uint8_t ext = 6;
    bool extends = insn->opcode == EU_OP_ASR || shifts_signed(insn);
    if (insn->opcode != EU_OP_SHL && !(extends && is_signed))
        op = X86_PSRLVD, ext = 2;
    else if (insn->opcode != EU_OP_SHL)
        op = X86_PSRAVD, ext = 4;
    if (insn->opcode == EU_OP_SHR && shifts_words(insn))
        a = binary_op(j, X86_PAND, len, a, jit_dword(j, 0xffff));

    const struct eu_operand *o = &insn->src[1];
    bool plain = o->file == EU_FILE_IMM && !o->abs && !o->negate &&
                 o->type != EU_TYPE_V && o->type != EU_TYPE_UV;
    if (plain) {
        unsigned d = jit_temp(j);
        x86_vop_imm(&j->x, X86_PSHIFTD_IMM, len, ext, d, x86_reg(a), 0,
                    (uint8_t)(o->imm & 31));
        return d;
    }
    unsigned rb = jit_in_reg(j, b, len);
    return binary_op(
        j, op, len, a,
        x86_reg(binary_op(j, X86_PAND, len, rb, jit_dword(j, 31))));
}

static unsigned
to_float(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    bool is_unsigned = op->insn->src[0].type == EU_TYPE_UD;
    struct x86_rm a = jit_src_int(j, op, 0, p);
    unsigned d = jit_temp(j);
    x86_vop(&j->x, is_unsigned ? X86_CVTUDQ2PS : X86_CVTDQ2PS, p->len, d, 0, a,
            0);
    if (op->insn->saturate) {
        x86_vop(&j->x, X86_MAXPS, p->len, d, d, jit_dword(j, 0), 0);
        x86_vop(&j->x, X86_MINPS, p->len, d, d, jit_dword(j, 0x3f800000), 0);
    }
    return d;
}

static unsigned
lower_sel(struct jit *j, const struct eu_op *op, const struct jit_part *p,
          struct x86_rm a, struct x86_rm b)
{
    const struct eu_insn *insn = op->insn;
    if (!insn->cmod)
        return jit_blend(j, p->len, jit_op_pred(j, op, p), a, b);
    bool is_min = insn->cmod == EU_CMOD_L || insn->cmod == EU_CMOD_LE;
    bool is_signed = range_of(&insn->src[0]).fits_d &&
                     range_of(&insn->src[1]).fits_d;
    enum x86_vop vop = is_min      ? is_signed ? X86_PMINSD : X86_PMINUD
                       : is_signed ? X86_PMAXSD
                                   : X86_PMAXUD;
    return binary_op(j, vop, p->len, jit_in_reg(j, a, p->len), b);
}

/* Commutative operations: puts the operand in memory second. */
static unsigned
commute_sources(struct jit *j, enum x86_vop op, unsigned len, struct x86_rm a,
                struct x86_rm b)
{
    if (x86_kind(a) != X86_REG && x86_kind(b) == X86_REG)
        return binary_op(j, op, len, x86_reg_of(b), a);
    return binary_op(j, op, len, jit_in_reg(j, a, len), b);
}

static unsigned
add_saturate(struct jit *j, unsigned len, struct x86_rm a, struct x86_rm b)
{
    unsigned ra = jit_in_reg(j, a, len),
             d = binary_op(j, X86_PADDD, len, ra, b);
    x86_vop_imm(&j->x, X86_PCMPUD, len, 4, d, x86_reg(ra), 0, 1);
    x86_vop_imm(&j->x, X86_PTERNLOGD, len, d, d, x86_reg(d), 4, 0xff);
    return d;
}

static unsigned
compute_part(struct jit *j, const struct eu_op *op, const struct jit_part *p,
             struct x86_rm a, struct x86_rm b)
{
    unsigned r, d;
    switch (op->insn->opcode) {
    case EU_OP_MOV:
    case EU_OP_NOT:
        if (x86_kind(a) == X86_REG && j->v.reg[x86_reg_of(a)].kind == JIT_TEMP)
            return x86_reg_of(a);
        r = jit_in_reg(j, a, p->len);
        if (x86_kind(a) != X86_REG)
            return r;
        d = jit_temp(j);
        x86_vop(&j->x, X86_MOVAPS, p->len, d, 0, x86_reg(r), 0);
        return d;
    case EU_OP_AND: return commute_sources(j, X86_PAND, p->len, a, b);
    case EU_OP_OR: return commute_sources(j, X86_POR, p->len, a, b);
    case EU_OP_XOR: return commute_sources(j, X86_PXOR, p->len, a, b);
    case EU_OP_ADD:
        if (op->insn->saturate)
            return add_saturate(j, p->len, a, b);
        return commute_sources(j, X86_PADDD, p->len, a, b);
    case EU_OP_MUL: return commute_sources(j, X86_PMULLD, p->len, a, b);
    case EU_OP_SHL:
    case EU_OP_SHR:
    case EU_OP_ASR:
        return shift_lanes(j, op->insn, p->len, jit_in_reg(j, a, p->len), b);
    case EU_OP_SEL: return lower_sel(j, op, p, a, b);
    case EU_OP_MATH:
        r = jit_in_reg(j, a, p->len);
        return jit_lower_int_div(j, op->insn, p->len, r,
                                 jit_in_reg(j, b, p->len));
    default: return JIT_NO_CODE;
    }
}

/* The condition on r as stored: bytes and words are shifted to the top. */
static void
test_stored(struct jit *j, const struct eu_op *op, const struct jit_part *p,
            unsigned r)
{
    enum eu_type type = (enum eu_type)op->insn->dst.type;
    unsigned bits = eu_type_size_B(type) * 8;
    if (bits < 32) {
        unsigned d = jit_temp(j);
        x86_vop_imm(&j->x, X86_PSHIFTD_IMM, p->len, 6, d, x86_reg(r), 0,
                    (uint8_t)(32 - bits));
        r = d;
    }
    unsigned k = jit_compare_int(j, p, op->insn->cmod, r, jit_dword(j, 0),
                                 eu_type_is_signed(type));
    jit_write_flags(j, op, p, k);
}

unsigned
jit_lower_int(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    const struct eu_insn *insn = op->insn;
    struct x86_rm s[2] = {{0}};
    unsigned r;
    if (insn->dst.type == EU_TYPE_F && insn->opcode == EU_OP_MOV)
        return to_float(j, op, p);
    if (insn->dst.type == EU_TYPE_HF && insn->opcode == EU_OP_MOV)
        return jit_float_to_f16(j, op, p->len, to_float(j, op, p));

    for (unsigned i = 0; i < insn->src_count; i++)
        s[i] = jit_src_int(j, op, i, p);
    if (insn->opcode == EU_OP_CMP) {
        bool is_signed = range_of(&insn->src[0]).fits_d &&
                         range_of(&insn->src[1]).fits_d;
        unsigned k = jit_compare_int(
            j, p, insn->cmod, jit_in_reg(j, s[0], p->len), s[1], is_signed);
        r = insn->dst.file == EU_FILE_GRF ? jit_ones_where(j, p, k)
                                          : jit_temp(j);
        jit_write_flags(j, op, p, k);
        return r;
    }
    r = compute_part(j, op, p, s[0], s[1]);
    if (r == JIT_NO_CODE)
        return r;
    if (insn->opcode == EU_OP_NOT) {
        unsigned d = jit_temp(j),
                 ones = jit_in_reg(j, jit_dword(j, UINT32_MAX), p->len);
        x86_vop(&j->x, X86_PXOR, p->len, d, r, x86_reg(ones), 0);
        r = d;
    }
    if (insn->cmod && insn->opcode != EU_OP_SEL)
        test_stored(j, op, p, r);
    return r;
}
