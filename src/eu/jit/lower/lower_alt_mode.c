/* lower_alt_mode.c: the alternate float mode, which has no infinities. */
#include "eu/jit/lower/lower_float.h"

unsigned
jit_to_finite(struct jit *j, unsigned len, unsigned r)
{
    unsigned d = jit_temp(j);
    unsigned most = jit_in_reg(j, jit_dword(j, 0x7f7fffff), len);
    unsigned least = jit_in_reg(j, jit_dword(j, 0xff7fffff), len);
    x86_vop(&j->x, X86_MINPS, len, d, most, x86_reg(r), 0);
    x86_vop(&j->x, X86_MAXPS, len, d, least, x86_reg(d), 0);
    return d;
}

static void
or_zero(struct jit *j, unsigned len, unsigned zeros, unsigned a)
{
    struct x86_rm zero = jit_dword(j, 0);
    if (j->f->evex) {
        x86_vop_imm(&j->x, X86_CMPPS, len, zeros, a, zero, 0, 0);
        return;
    }
    unsigned t = jit_temp(j);
    x86_vop_imm(&j->x, X86_CMPPS, len, t, a, zero, 0, 0);
    x86_vop(&j->x, X86_POR, len, zeros, zeros, x86_reg(t), 0);
}

unsigned
jit_alt_multiply(struct jit *j, unsigned len, const struct x86_rm *a,
                 const struct x86_rm *b, const struct x86_rm *c)
{
    unsigned ra = jit_in_reg(j, *a, len), rb = jit_in_reg(j, *b, len);
    struct x86_rm zero = jit_dword(j, 0);
    unsigned product = jit_binary(j, X86_MULPS, len, x86_reg(ra), x86_reg(rb));
    unsigned r = product, instead = jit_in_reg(j, zero, len), d, k, rc = 0;
    if (c) {
        rc = jit_in_reg(j, *c, len);
        r = jit_fused(j, len, x86_reg(jit_copy_reg(j, len, x86_reg(ra))),
                      x86_reg(rb), x86_reg(jit_copy_reg(j, len, x86_reg(rc))));
        instead = jit_binary(j, X86_ADDPS, len, x86_reg(instead), x86_reg(rc));
    }
    d = jit_temp(j);
    if (j->f->evex) {
        or_zero(j, len, 2, ra);
        or_zero(j, len, 4, rb);
        x86_kop(&j->x, X86_KOR, 2, 2, 4);
        x86_vop_imm(&j->x, X86_CMPPS, len, 2, product, x86_reg(product), 2,
                    JIT_PRED_UNORD);
        x86_vop(&j->x, X86_BLENDMPS, len, d, r, x86_reg(instead), 2);
        return d;
    }
    k = jit_temp(j);
    x86_vop(&j->x, X86_PXOR, len, k, k, x86_reg(k), 0);
    or_zero(j, len, k, ra);
    or_zero(j, len, k, rb);
    x86_vop_imm(&j->x, X86_CMPPS, len, d, product, x86_reg(product), 0,
                JIT_PRED_UNORD);
    x86_vop(&j->x, X86_PAND, len, k, k, x86_reg(d), 0);
    x86_vop_imm(&j->x, X86_BLENDVPS, len, d, r, x86_reg(instead), 0,
                (uint8_t)(k << 4));
    return d;
}

struct x86_rm
jit_alt_argument(struct jit *j, const struct eu_insn *insn, unsigned len,
                 struct x86_rm a)
{
    if (insn->math != EU_MATH_LOG && insn->math != EU_MATH_SQRT &&
        insn->math != EU_MATH_RSQ)
        return a;
    return x86_reg(jit_binary(j, X86_ANDPS, len, a, jit_dword(j, 0x7fffffff)));
}

unsigned
jit_alt_power(struct jit *j, const struct eu_op *op, const struct jit_part *p,
              struct x86_rm a, struct x86_rm b)
{
    unsigned ra = jit_in_reg(j, a, p->len), rb = jit_in_reg(j, b, p->len);
    unsigned ones = jit_temp(j), t, r;
    if (j->f->evex) {
        t = jit_in_reg(j, jit_dword(j, UINT32_MAX), p->len);
        x86_vop_imm(&j->x, X86_CMPPS, p->len, 4, rb, jit_dword(j, 0), 0, 0);
        x86_vop_imm(&j->x, X86_CMPPS, p->len, 4, ra, x86_reg(ra), 4,
                    JIT_PRED_ORD);
        x86_vop_z(&j->x, X86_MOVAPS, p->len, ones, 0, x86_reg(t), 4);
    } else {
        t = jit_temp(j);
        x86_vop_imm(&j->x, X86_CMPPS, p->len, ones, rb, jit_dword(j, 0), 0, 0);
        x86_vop_imm(&j->x, X86_CMPPS, p->len, t, ra, x86_reg(ra), 0,
                    JIT_PRED_ORD);
        x86_vop(&j->x, X86_PAND, p->len, ones, ones, x86_reg(t), 0);
    }
    r = jit_float_math(j, op, p, x86_reg(ra), x86_reg(rb));
    if (r == JIT_NO_CODE)
        return r;
    t = jit_temp(j);
    struct x86_rm one = jit_dword(j, 0x3f800000);
    if (j->f->evex) {
        x86_vop(&j->x, X86_PTESTMD, p->len, 4, ones, x86_reg(ones), 0);
        x86_vop(&j->x, X86_BLENDMPS, p->len, t, r, one, 4);
    } else {
        x86_vop_imm(&j->x, X86_BLENDVPS, p->len, t, r, one, 0,
                    (uint8_t)(ones << 4));
    }
    return t;
}
