/* lower_f16.c: HF, computed in F and rounded again, as in the interpreter
 * (alu_float.c).
 *
 * Host conversions agree with half.h: from HF they are exact, denormals
 * included. To HF they round as MXCSR says, but F denormals count as zero if F
 * flushes them. Such code does not run while cr0 flushes HF. */
#include "eu/jit/lower/lower_f16.h"

#include "eu/interp/alu.h"

/* VCVTPS2PH's immediate: round as MXCSR says. */
#define ROUND_AS_MXCSR 4

/* ---- results ---- */

/* Whether an F that is moved, not computed, may be a denormal: directed
 * rounding would not round it to zero. Extended math may also return one. */
static bool
may_be_denormal(const struct eu_insn *insn)
{
    bool moves = insn->opcode == EU_OP_MOV || insn->opcode == EU_OP_SEL ||
                 insn->opcode == EU_OP_CSEL;
    for (unsigned s = 0; moves && s < insn->src_count; s++)
        if (insn->src[s].type == EU_TYPE_F)
            return true;
    return insn->opcode == EU_OP_MATH;
}

unsigned
jit_float_to_f16(struct jit *j, const struct eu_op *op, unsigned len,
                 unsigned r)
{
    unsigned d = jit_temp(j);
    j->needs_nearest |= may_be_denormal(op->insn);
    j->needs_halves = true;
    x86_vop_imm(&j->x, X86_CVTPS2PH, len, r, 0, x86_reg(d), 0, ROUND_AS_MXCSR);
    return d;
}

/* Rounds to odd: of the two floats around the result, takes the odd one. For an
 * exact result the two are equal. */
static unsigned
fuse_evex(struct jit *j, unsigned len, unsigned x, unsigned y, unsigned z)
{
    unsigned down = jit_copy_reg(j, len, x86_reg(z)),
             up = jit_copy_reg(j, len, x86_reg(z));
    unsigned d = jit_temp(j);
    x86_vop_rounded(&j->x, X86_FMADD231PS, down, y, x, X86_DOWN);
    x86_vop_rounded(&j->x, X86_FMADD231PS, up, y, x, X86_UP);
    x86_vop(&j->x, X86_PTESTMD, len, 2, down, jit_dword(j, 1), 0);
    x86_vop(&j->x, X86_BLENDMPS, len, d, up, x86_reg(down), 2);
    return d;
}

/* Rounds to odd: the product is exact, and so is the sum's error. If the error
 * is not zero, an even sum is replaced by its odd neighbour on that side. The
 * error of a NaN is a NaN, so NaNs stay. */
static unsigned
fuse_vex(struct jit *j, unsigned len, unsigned x, unsigned y, unsigned z)
{
    struct x86 *a = &j->x;
    unsigned sum = jit_copy_reg(j, len, x86_reg(z));
    unsigned p = jit_temp(j), t = jit_temp(j), lost = jit_temp(j);
    x86_vop(a, X86_FMADD231PS, len, sum, y, x86_reg(x), 0);
    x86_vop(a, X86_MULPS, len, p, y, x86_reg(x), 0);
    x86_vop(a, X86_SUBPS, len, t, sum, x86_reg(p), 0);
    x86_vop(a, X86_SUBPS, len, lost, sum, x86_reg(t), 0);
    x86_vop(a, X86_SUBPS, len, lost, p, x86_reg(lost), 0);
    x86_vop(a, X86_SUBPS, len, t, z, x86_reg(t), 0);
    x86_vop(a, X86_ADDPS, len, lost, lost, x86_reg(t), 0);
    /* t := plus or minus 1 if the error is not zero and the sum is even */
    x86_vop(a, X86_PXOR, len, t, lost, x86_reg(sum), 0);
    x86_vop_imm(a, X86_PSHIFTD_IMM, len, 4, t, x86_reg(t), 0, 31);
    x86_vop(a, X86_POR, len, t, t, jit_dword(j, 1), 0);
    x86_vop(a, X86_PXOR, 0, p, p, x86_reg(p), 0);
    x86_vop_imm(a, X86_CMPPS, len, lost, lost, x86_reg(p), 0, JIT_PRED_NE);
    x86_vop(a, X86_PAND, len, t, t, x86_reg(lost), 0);
    x86_vop(a, X86_PAND, len, p, sum, jit_dword(j, 1), 0);
    x86_vop(a, X86_PSUBD, len, p, p, jit_dword(j, 1), 0);
    x86_vop(a, X86_PAND, len, t, t, x86_reg(p), 0);
    x86_vop(a, X86_PADDD, len, t, t, x86_reg(sum), 0);
    return t;
}

unsigned
jit_f16_fused(struct jit *j, unsigned len, struct x86_rm x, struct x86_rm y,
              struct x86_rm z)
{
    unsigned rx = jit_in_reg(j, x, len), ry = jit_in_reg(j, y, len);
    unsigned rz = jit_in_reg(j, z, len);
    j->needs_nearest = true;
    return j->f->evex ? fuse_evex(j, len, rx, ry, rz)
                      : fuse_vex(j, len, rx, ry, rz);
}

/* ---- moves ---- */

bool
jit_moves_f16(const struct eu_insn *insn)
{
    return (insn->opcode == EU_OP_MOV || insn->opcode == EU_OP_SEL) &&
           !insn->saturate && eu_is_all_half(insn, true);
}

static unsigned
modified_halves(struct jit *j, const struct eu_operand *o, unsigned len,
                unsigned r)
{
    enum x86_vop op = !o->abs ? X86_PXOR : o->negate ? X86_POR : X86_PAND;
    uint32_t bits = o->negate ? 0x80008000 : 0x7fff7fff;
    if (!o->abs && !o->negate)
        return r;
    unsigned d = jit_temp(j);
    x86_vop(&j->x, op, len, d, r, jit_dword(j, bits), 0);
    return d;
}

/* d := a in lanes of the mask, otherwise b */
static unsigned
blend_halves(struct jit *j, unsigned len, unsigned mask, unsigned a, unsigned b)
{
    unsigned d = jit_temp(j), words;
    if (j->f->evex) {
        x86_vop(&j->x, X86_MOVAPS, len, d, 0, x86_reg(b), 0);
        x86_vop(&j->x, X86_MOVDQU16_ST, len, a, 0, x86_reg(d), mask);
        return d;
    }
    words = jit_temp(j);
    jit_pack_words_vex(j, X86_PACKSSDW, words, mask);
    x86_vop_imm(&j->x, X86_BLENDVB, len, d, b, x86_reg(a), 0,
                (uint8_t)(words << 4));
    return d;
}

static unsigned
select_halves(struct jit *j, const struct eu_op *op, const struct jit_part *p,
              unsigned a, unsigned b)
{
    unsigned cmod = op->insn->cmod, len = jit_f16_len(p->len);
    if (!cmod) {
        struct jit_mask m = jit_op_pred(j, op, p);
        if (m.all)
            return jit_owned(j, len, x86_reg(a));
        return blend_halves(j, len, m.k, m.inverted ? b : a,
                            m.inverted ? a : b);
    }
    unsigned fa = jit_in_reg(j, jit_src_float(j, op, 0, p), p->len);
    unsigned fb = jit_in_reg(j, jit_src_float(j, op, 1, p), p->len);
    bool is_min = cmod == EU_CMOD_L || cmod == EU_CMOD_LE;
    return blend_halves(j, len, jit_first_wins(j, p->len, fa, fb, is_min), a,
                        b);
}

unsigned
jit_move_f16(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    const struct eu_insn *insn = op->insn;
    unsigned len = jit_f16_len(p->len), r[2] = {0};
    for (unsigned s = 0; s < insn->src_count; s++)
        r[s] = modified_halves(j, &insn->src[s], len,
                               jit_read_f16(j, op, s, p));
    if (insn->opcode == EU_OP_SEL)
        return select_halves(j, op, p, r[0], r[1]);
    return jit_owned(j, len, x86_reg(r[0]));
}
