/* lower_float.c: F instructions.
 *
 * Operand order matters: if two operands are NaN the result is the first one,
 * as in the interpreter. x86 takes the first source; a fused multiply-add
 * chooses by the digits of its name. */
#include "eu/jit/lower/lower_f16.h"

#include "eu/interp/alu.h"

static bool
is_compare(unsigned cmod)
{
    return (cmod >= EU_CMOD_Z && cmod <= EU_CMOD_LE) || cmod == EU_CMOD_U;
}

/* A condition on the result: integers are never unordered. */
static bool
tests_ok(const struct eu_insn *insn)
{
    return !insn->cmod || (is_compare(insn->cmod) &&
                           (insn->cmod != EU_CMOD_U ||
                            eu_type_is_float((enum eu_type)insn->dst.type)));
}

static bool
plane_ok(const struct eu_op *op)
{
    const struct eu_operand *p = &op->insn->src[0], *o = &op->insn->src[1];
    unsigned at = o->reg * EU_GRF_B + o->subreg_B;
    return (op->lanes == 8 || op->lanes == 16) && p->file == EU_FILE_GRF &&
           !p->indirect && o->file == EU_FILE_GRF && !o->indirect &&
           p->type == EU_TYPE_F &&
           at + op->lanes / 8 * 2 * EU_GRF_B <= EU_GRF_FILE_B;
}

static bool
math_ok(const struct jit *j, const struct eu_insn *insn)
{
    unsigned fn = insn->math;
    if (eu_begins_macro(insn))
        return !(j->f->flags & EU_JIT_ALT);
    return fn == EU_MATH_INV || fn == EU_MATH_FDIV || jit_math_ok(fn);
}

bool
jit_float_ok(const struct jit *j, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    unsigned cmod = insn->cmod;
    for (unsigned s = 0; s < insn->src_count; s++) {
        if (jit_src_plain(op, s, true))
            continue;
        enum eu_type type = eu_operand_type(&insn->src[s]);
        if (!jit_src_ok(j, op, s, true) || (!j->f->evex && type == EU_TYPE_UD))
            return false;
    }
    switch (insn->opcode) {
    case EU_OP_CMP:
    case EU_OP_CSEL: return is_compare(cmod);
    case EU_OP_SEL: return true;
    case EU_OP_PLN: return plane_ok(op) && tests_ok(insn);
    case EU_OP_MATH: return math_ok(j, insn);
    case EU_OP_MOV:
    case EU_OP_ADD:
    case EU_OP_MUL:
    case EU_OP_MAD:
    case EU_OP_MADM:
    case EU_OP_FRC:
    case EU_OP_RNDU:
    case EU_OP_RNDD:
    case EU_OP_RNDE:
    case EU_OP_RNDZ:
    case EU_OP_LRP: return tests_ok(insn);
    default: return false;
    }
}

unsigned
jit_fused(struct jit *j, unsigned len, struct x86_rm x, struct x86_rm y,
          struct x86_rm z)
{
    unsigned d, r;
    if (x86_kind(y) == X86_THREAD && x86_is_bcast(y))
        y = x86_reg(jit_read(j, y, len));
    if (x86_kind(y) != X86_REG) {
        d = jit_in_reg(j, y, len);
        r = jit_in_reg(j, z, len);
        x86_vop(&j->x, X86_FMADD132PS, len, d, r, x, 0);
    } else if (x86_kind(z) != X86_REG) {
        if (x86_kind(x) == X86_THREAD && x86_is_bcast(x))
            x = x86_reg(jit_read(j, x, len));
        d = jit_owned(j, len, x);
        x86_vop(&j->x, X86_FMADD213PS, len, d, x86_reg_of(y), z, 0);
    } else {
        d = jit_owned(j, len, z);
        x86_vop(&j->x, X86_FMADD231PS, len, d, x86_reg_of(y), x, 0);
    }
    return d;
}

/* floor, ceil, even, zero; a NaN becomes quiet. */
static unsigned
round_to_int(struct jit *j, unsigned len, unsigned a, uint8_t mode)
{
    unsigned d = jit_temp(j);
    x86_vop_imm(&j->x, X86_ROUNDPS, len, d, 0, x86_reg(a), 0, mode | 8);
    return d;
}

static unsigned
fraction_of(struct jit *j, unsigned len, unsigned a)
{
    unsigned f = round_to_int(j, len, a, 1), r;
    x86_vop(&j->x, X86_SUBPS, len, f, a, x86_reg(f), 0);
    r = jit_dword_reg(j, 0x3f7fffff);
    x86_vop(&j->x, X86_MINPS, len, f, r, x86_reg(f), 0);
    return f;
}

/* ((1 - a) * y) + a * x */
static unsigned
lower_lrp(struct jit *j, unsigned len, struct x86_rm a, struct x86_rm x,
          struct x86_rm y)
{
    unsigned one = jit_dword_reg(j, 0x3f800000);
    unsigned t = jit_temp(j), rx = jit_read(j, x, len);
    x86_vop(&j->x, X86_SUBPS, len, t, one, a, 0);
    x86_vop(&j->x, X86_MULPS, len, t, t, y, 0);
    x86_vop(&j->x, X86_FMADD231PS, len, t, rx, a, 0);
    return t;
}

/* ---- PLN ---- */

static struct x86_rm
plane_scalar(struct jit *j, const struct eu_operand *o, unsigned index,
             unsigned len)
{
    unsigned at = o->reg * EU_GRF_B + (o->subreg_B & ~15u) + index * 4;
    struct x86_rm rm = jit_bcast(j, at);
    if (!o->abs && !o->negate)
        return rm;
    struct x86_rm bits = jit_dword(j, o->negate ? 0x80000000 : 0x7fffffff);
    return x86_reg(jit_binary(j,
                              !o->abs     ? X86_XORPS
                              : o->negate ? X86_ORPS
                                          : X86_ANDPS,
                              len, rm, bits));
}

/* U or V of 16 channels, kept for the next PLN. */
static unsigned
plane_vector(struct jit *j, unsigned at, bool is_v)
{
    enum jit_kind kind = is_v ? JIT_PLANE_V : JIT_PLANE_U;
    int found = jit_find(j, kind, at, 4 * EU_GRF_B);
    if (found >= 0)
        return (unsigned)found;
    int a = jit_find(j, JIT_GRF, at, 64), b = jit_find(j, JIT_GRF, at + 64, 64);
    if (a < 0 || b < 0)
        jit_sync(j, at, 4 * EU_GRF_B);
    unsigned d = jit_temp(j);
    if (a < 0 || b < 0)
        jit_load_plane(j, d, kind, at);
    else
        x86_vop_imm(&j->x, X86_SHUFF32X4, 2, d, (unsigned)a,
                    x86_reg((unsigned)b), 0, is_v ? 0xee : 0x44);
    jit_note(j, d, kind, at, 4 * EU_GRF_B);
    return d;
}

static unsigned
lower_pln(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    const struct eu_operand *o = &op->insn->src[0], *uv = &op->insn->src[1];
    unsigned at = uv->reg * EU_GRF_B + uv->subreg_B +
                  p->first / 8 * 2 * EU_GRF_B;
    unsigned u, v;
    if (p->lanes == 16) {
        u = plane_vector(j, at, false);
        v = plane_vector(j, at, true);
    } else {
        u = jit_vec(j, at, EU_GRF_B);
        v = jit_vec(j, at + EU_GRF_B, EU_GRF_B);
    }
    unsigned d = jit_copy_reg(j, p->len, plane_scalar(j, o, 3, p->len));
    x86_vop(&j->x, X86_FMADD231PS, p->len, d, v, plane_scalar(j, o, 1, p->len),
            0);
    x86_vop(&j->x, X86_FMADD231PS, p->len, d, u, plane_scalar(j, o, 0, p->len),
            0);
    return d;
}

/* ---- SEL ---- */

/* Orders bit patterns as signed integers. */
static unsigned
order_totally(struct jit *j, unsigned len, unsigned a)
{
    unsigned d = jit_temp(j);
    x86_vop_imm(&j->x, X86_PSHIFTD_IMM, len, 4, d, x86_reg(a), 0, 31);
    struct x86_rm low = jit_dword(j, 0x7fffffff);
    x86_vop(&j->x, X86_PAND, len, d, d, low, 0);
    x86_vop(&j->x, X86_PXOR, len, d, d, x86_reg(a), 0);
    return d;
}

/* A number wins over NaN; b if both are NaN or equal. */
unsigned
jit_first_wins(struct jit *j, unsigned len, unsigned a, unsigned b, bool is_min)
{
    unsigned oa = order_totally(j, len, a), ob = order_totally(j, len, b), d, t;
    unsigned less = is_min ? oa : ob, more = is_min ? ob : oa;
    if (j->f->evex) {
        x86_vop_imm(&j->x, X86_PCMPD, len, 2, less, x86_reg(more), 0, 1);
        x86_vop_imm(&j->x, X86_CMPPS, len, 4, b, x86_reg(b), 0, JIT_PRED_UNORD);
        x86_kop(&j->x, X86_KOR, 2, 2, 4);
        x86_vop_imm(&j->x, X86_CMPPS, len, 2, a, x86_reg(a), 2, JIT_PRED_ORD);
        return 2;
    }
    d = jit_temp(j);
    t = jit_temp(j);
    x86_vop(&j->x, X86_PCMPGTD, len, d, more, x86_reg(less), 0);
    x86_vop_imm(&j->x, X86_CMPPS, len, t, b, x86_reg(b), 0, JIT_PRED_UNORD);
    x86_vop(&j->x, X86_POR, len, d, d, x86_reg(t), 0);
    x86_vop_imm(&j->x, X86_CMPPS, len, t, a, x86_reg(a), 0, JIT_PRED_ORD);
    x86_vop(&j->x, X86_PAND, len, d, d, x86_reg(t), 0);
    return d;
}

/* max(a, b) for b >= 0, as signed integers. Adding 0x007fffff first wraps
 * positive NaNs to negative integers and negative NaNs to small ones. */
static unsigned
max_positive(struct jit *j, unsigned len, unsigned a, uint32_t b)
{
    const uint32_t nans = 0x007fffff;
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_PADDD, len, d, a, jit_dword(j, nans), 0);
    x86_vop(&j->x, X86_PMAXSD, len, d, d, jit_dword(j, b + nans), 0);
    x86_vop(&j->x, X86_PSUBD, len, d, d, jit_dword(j, nans), 0);
    return d;
}

/* Minimum, or maximum of b < 0. Integer comparisons order numbers of b's sign,
 * and others, correctly; a NaN gives b. */
static unsigned
min_max_known(struct jit *j, unsigned len, unsigned a, uint32_t b, bool is_min)
{
    bool negative = b >> 31;
    enum x86_vop vop = !is_min    ? X86_PMINUD
                       : negative ? X86_PMAXUD
                                  : X86_PMINSD;
    unsigned d, t;
    if (!j->f->evex) {
        unsigned known = jit_dword_reg(j, b);
        d = jit_binary(j, vop, len, x86_reg(a), x86_reg(known));
        t = jit_temp(j);
        x86_vop_imm(&j->x, X86_CMPPS, len, t, a, x86_reg(a), 0, JIT_PRED_ORD);
        x86_vop_imm(&j->x, X86_BLENDVPS, len, d, known, x86_reg(d), 0,
                    (uint8_t)(t << 4));
        return d;
    }
    d = jit_in_reg(j, jit_dword(j, b), len);
    x86_vop_imm(&j->x, X86_CMPPS, len, 4, a, x86_reg(a), 0, JIT_PRED_ORD);
    x86_vop(&j->x, vop, len, d, a, jit_dword(j, b), 4);
    return d;
}

/* Whether MINPS or MAXPS does it. The host returns the known number unless the
 * other one is less (or more): also for NaN and for two zeros. It treats
 * denormals as zeros. */
static bool
host_min_max(struct jit *j, unsigned a, uint32_t b, bool is_min)
{
    uint32_t size = b & 0x7fffffff;
    bool fits = size ? size >= 0x00800000 : is_min == b >> 31;
    return fits && jit_is_normal(j, a);
}

static bool
is_known_number(const struct eu_operand *o)
{
    return o->file == EU_FILE_IMM && o->type == EU_TYPE_F && !o->abs &&
           !o->negate && ((uint32_t)o->imm & 0x7fffffff) <= 0x7f800000;
}

static unsigned
lower_sel(struct jit *j, const struct eu_op *op, const struct jit_part *p,
          struct x86_rm a, struct x86_rm b)
{
    unsigned cmod = op->insn->cmod;
    bool is_min = cmod == EU_CMOD_L || cmod == EU_CMOD_LE;
    if (!cmod)
        return jit_blend(j, p->len, jit_op_pred(j, op, p), a, b);
    unsigned ra = jit_in_reg(j, a, p->len);
    if (is_known_number(&op->insn->src[1])) {
        uint32_t known = (uint32_t)op->insn->src[1].imm;
        if (host_min_max(j, ra, known, is_min))
            return jit_binary(j, is_min ? X86_MINPS : X86_MAXPS, p->len,
                              x86_reg(ra), b);
        if (!is_min && !(known >> 31))
            return max_positive(j, p->len, ra, known);
        return min_max_known(j, p->len, ra, known, is_min);
    }
    unsigned rb = jit_in_reg(j, b, p->len);
    struct jit_mask m = {
        .k = (uint8_t)jit_first_wins(j, p->len, ra, rb, is_min)};
    return jit_blend(j, p->len, m, x86_reg(ra), x86_reg(rb));
}

unsigned
jit_float_math(struct jit *j, const struct eu_op *op, const struct jit_part *p,
               struct x86_rm a, struct x86_rm b)
{
    unsigned d;
    switch (op->insn->math) {
    case EU_MATH_INV:
        return jit_binary(j, X86_DIVPS, p->len,
                          x86_reg(jit_dword_reg(j, 0x3f800000)), a);
    case EU_MATH_RSQRTM:
        d = jit_temp(j);
        x86_vop(&j->x, X86_SQRTPS, p->len, d, 0, a, 0);
        return d;
    case EU_MATH_SQRT:
        if (jit_sqrt_in_steps(j, p->len))
            return jit_lower_math(j, op, p, a, b);
        d = jit_temp(j);
        x86_vop(&j->x, X86_SQRTPS, p->len, d, 0, a, 0);
        return d;
    case EU_MATH_INVM:
    case EU_MATH_FDIV: return jit_binary(j, X86_DIVPS, p->len, a, b);
    default: return jit_lower_math(j, op, p, a, b);
    }
}

static void
set_macro_flags(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    if (!p->mask.all && j->f->evex)
        x86_kmov_to_gpr(&j->x, X86_RCX, p->mask.k);
    else if (!p->mask.all)
        x86_vop(&j->x, X86_MOVMSKPS, p->len, X86_RCX, 0, x86_reg(p->mask.k), 0);
    jit_set_flags(j, op, p);
}

/* The condition on the stored value. */
static unsigned
test_result(struct jit *j, const struct eu_op *op, const struct jit_part *p,
            unsigned r)
{
    const struct eu_insn *insn = op->insn;
    enum eu_type type = (enum eu_type)insn->dst.type;
    if (!insn->cmod || insn->opcode == EU_OP_SEL || insn->opcode == EU_OP_CSEL)
        return r;
    struct x86_rm zero = jit_dword(j, 0);
    unsigned v = type == EU_TYPE_HF ? jit_widen_f16(j, p->len, r) : r;
    unsigned k = eu_type_is_float(type)
                     ? jit_compare_float(j, p, insn->cmod, v, zero)
                     : jit_compare_int(j, p, insn->cmod, v, zero,
                                       eu_type_is_signed(type));
    jit_write_flags(j, op, p, k);
    return r;
}

static unsigned
finish_part(struct jit *j, const struct eu_op *op, const struct jit_part *p,
            unsigned r)
{
    const struct eu_insn *insn = op->insn;
    enum eu_type type = (enum eu_type)insn->dst.type;
    if ((j->f->flags & EU_JIT_ALT) && insn->opcode != EU_OP_MOV &&
        insn->opcode != EU_OP_SEL && insn->opcode != EU_OP_CSEL)
        r = jit_to_finite(j, p->len, r);
    if (!eu_type_is_float(type))
        r = jit_to_int(j, p->len, r, type);
    else if (insn->saturate)
        r = jit_saturate(j, p->len, r);
    if (type == EU_TYPE_HF)
        r = jit_float_to_f16(j, op, p->len, r);
    return test_result(j, op, p, r);
}

static bool
is_spread(const struct eu_op *op, unsigned s)
{
    const struct eu_operand *o = &op->insn->src[s];
    enum eu_src_class cls = op->src[s].cls;
    if (op->fn != op->slow && cls != EU_SRC_STRIDED && cls != EU_SRC_OTHER)
        return cls <= EU_SRC_VEC_MOD;
    return o->file == EU_FILE_GRF && (o->width > 1 || o->vstride);
}

int
jit_subtracted(const struct eu_op *op)
{
    const struct eu_operand *o = op->insn->src;
    for (int s = 0; s < 2; s++)
        if (o[s].negate && !o[s].abs && !o[!s].negate && is_spread(op, 0) &&
            is_spread(op, 1))
            return s;
    return -1;
}

static unsigned
compute_part(struct jit *j, const struct eu_op *op, const struct jit_part *p,
             const struct x86_rm *s)
{
    bool alt = j->f->flags & EU_JIT_ALT;
    unsigned len = p->len;
    switch (op->insn->opcode) {
    case EU_OP_MOV: return jit_owned(j, len, s[0]);
    case EU_OP_ADD:
        switch (jit_subtracted(op)) {
        case 0: return jit_binary(j, X86_SUBPS, len, s[1], s[0]);
        case 1: return jit_binary(j, X86_SUBPS, len, s[0], s[1]);
        default: return jit_binary(j, X86_ADDPS, len, s[0], s[1]);
        }
    case EU_OP_MUL:
        if (alt)
            return jit_alt_multiply(j, len, &s[0], &s[1], NULL);
        return jit_binary(j, X86_MULPS, len, s[0], s[1]);
    case EU_OP_MAD:
    case EU_OP_MADM:
        if (alt)
            return jit_alt_multiply(j, len, &s[1], &s[2], &s[0]);
        if (eu_is_all_half(op->insn, true))
            return jit_f16_fused(j, len, s[1], s[2], s[0]);
        return jit_fused(j, len, s[1], s[2], s[0]);
    case EU_OP_LRP: return lower_lrp(j, len, s[0], s[1], s[2]);
    case EU_OP_SEL: return lower_sel(j, op, p, s[0], s[1]);
    case EU_OP_FRC: return fraction_of(j, len, jit_in_reg(j, s[0], len));
    case EU_OP_RNDE: return round_to_int(j, len, jit_in_reg(j, s[0], len), 0);
    case EU_OP_RNDD: return round_to_int(j, len, jit_in_reg(j, s[0], len), 1);
    case EU_OP_RNDU: return round_to_int(j, len, jit_in_reg(j, s[0], len), 2);
    case EU_OP_RNDZ: return round_to_int(j, len, jit_in_reg(j, s[0], len), 3);
    case EU_OP_MATH:
        if (alt && op->insn->math == EU_MATH_POW)
            return jit_alt_power(j, op, p, s[0], s[1]);
        return jit_float_math(
            j, op, p, alt ? jit_alt_argument(j, op->insn, len, s[0]) : s[0],
            s[1]);
    default: return JIT_NO_CODE;
    }
}

unsigned
jit_lower_float(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    const struct eu_insn *insn = op->insn;
    struct x86_rm s[3] = {{0}};
    unsigned r;
    if (insn->opcode == EU_OP_PLN)
        return finish_part(j, op, p, lower_pln(j, op, p));
    if (jit_moves_f16(insn))
        return test_result(j, op, p, jit_move_f16(j, op, p));

    int bare = insn->opcode == EU_OP_ADD ? jit_subtracted(op) : -1;
    for (unsigned i = 0; i < insn->src_count; i++)
        s[i] = (int)i == bare ? jit_src_bare(j, op, i, p)
                              : jit_src_float(j, op, i, p);
    if (insn->opcode == EU_OP_CMP) {
        unsigned k = jit_compare_float(j, p, insn->cmod,
                                       jit_in_reg(j, s[0], p->len), s[1]);
        r = insn->dst.file == EU_FILE_GRF ? jit_ones_where(j, p, k)
                                          : jit_temp(j);
        jit_write_flags(j, op, p, k);
        return r;
    }
    if (insn->opcode == EU_OP_CSEL) {
        struct jit_part all = *p;
        all.mask.all = true;
        all.flags = 0;
        unsigned k = jit_compare_float(
            j, &all, insn->cmod, jit_in_reg(j, s[2], p->len), jit_dword(j, 0));
        struct jit_mask m = {.k = (uint8_t)k};
        r = jit_blend(j, p->len, m, s[0], s[1]);
    } else {
        r = compute_part(j, op, p, s);
    }
    if (eu_begins_macro(insn))
        set_macro_flags(j, op, p);
    return r == JIT_NO_CODE ? r : finish_part(j, op, p, r);
}
