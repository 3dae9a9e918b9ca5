/* lower_explog.c: EXP, LOG and POW. */
#include "eu/jit/lower_math.h"

#define PRED_LT 0x11
#define ROUND_EVEN 8
/* getmant: 3/4 <= m < 3/2; NaN for negative numbers, 1 for -0 */
#define MANTISSA 0x0f

/* p * 2^n for an integral n of at most 8 bits: half of it at a time, the
 * first half added to the exponent. n is gone afterwards. */
static void
scale(const struct jit_math *m, unsigned p, unsigned n)
{
    math_set(m, X86_CVTTPS2DQ, n, 0, x86_reg(n));
    unsigned half = math_shift(m, SHIFT_RIGHT_SIGNED, n, 1);
    math_set(m, X86_PSUBD, n, n, x86_reg(half));
    math_set_shift(m, SHIFT_LEFT, half, half, 23);
    math_set_shift(m, SHIFT_LEFT, n, n, 23);
    math_set(m, X86_PADDD, p, p, x86_reg(half));
    math_set(m, X86_PADDD, n, n, math_float(m, 1.0f));
    math_set(m, X86_MULPS, p, p, x86_reg(n));
    jit_release(m->j, half);
}

/* 2^f for |f| <= 1/2 */
static unsigned
exp_fraction(const struct jit_math *m, unsigned f, bool quick)
{
    const float *c = fmath_exp_coef;
    unsigned f2 = math_op(m, X86_MULPS, f, x86_reg(f));
    unsigned p = math_load(m, math_float(m, c[6]));
    math_join(m, p, f2, math_pair(m, f, c + 4));
    unsigned q = math_pair(m, f, c + 2);
    if (quick) {
        math_join(m, q, f2, math_pair(m, f, c));
        math_set(m, X86_MULPS, f2, f2, x86_reg(f2));
    }
    math_join(m, p, f2, q);
    if (!quick) {
        math_set(m, X86_FMADD213PS, p, f, math_float(m, c[1]));
        math_set(m, X86_FMADD213PS, p, f, math_float(m, c[0]));
    }
    jit_release(m->j, f2);
    return p;
}

unsigned
jit_math_exp(const struct jit_math *m, unsigned a, bool quick)
{
    unsigned f, n, p;
    if (m->j->evex) {
        /* Infinities give NaN, which SCALEFPS ignores. */
        n = math_op_imm(m, X86_ROUNDPS, 0, x86_reg(a), ROUND_EVEN);
        f = math_op(m, X86_SUBPS, a, x86_reg(n));
        p = exp_fraction(m, f, quick);
        math_set(m, X86_SCALEFPS, p, p, x86_reg(n));
    } else {
        /* In this order of operands NaN stays. */
        f = math_load(m, math_float(m, -FMATH_EXP_BOUND));
        n = math_load(m, math_float(m, FMATH_EXP_BOUND));
        math_set(m, X86_MAXPS, f, f, x86_reg(a));
        math_set(m, X86_MINPS, f, n, x86_reg(f));
        x86_vop_imm(&m->j->x, X86_ROUNDPS, m->len, n, 0, x86_reg(f), 0,
                    ROUND_EVEN);
        math_set(m, X86_SUBPS, f, f, x86_reg(n));
        p = exp_fraction(m, f, quick);
        scale(m, p, n);
    }
    jit_release(m->j, f);
    jit_release(m->j, n);
    return p;
}

/* r := m - 1 and e, where |a| = m * 2^e */
static unsigned
split_evex(const struct jit_math *m, unsigned a, unsigned *exponent)
{
    struct x86 *x = &m->j->x;
    unsigned r = math_op_imm(m, X86_GETMANTPS, 0, x86_reg(a), MANTISSA);
    unsigned e = math_op(m, X86_GETEXPPS, 0, x86_reg(a));
    x86_vop_imm(x, X86_CMPPS, m->len, JIT_K_MATH, r, math_float(m, 1.0f), 0,
                PRED_LT);
    math_set(m, X86_SUBPS, r, r, math_float(m, 1.0f));
    x86_vop(x, X86_ADDPS, m->len, e, e, math_float(m, 1.0f), JIT_K_MATH);
    *exponent = e;
    return r;
}

static unsigned
split_vex(const struct jit_math *m, const struct math_scaled *s,
          unsigned *exponent)
{
    unsigned r = math_op(m, X86_PSUBD, s->value, math_dword(m, 0x3f400000));
    unsigned e = math_shift(m, SHIFT_RIGHT_SIGNED, r, 23);
    math_set(m, X86_PAND, r, r, math_dword(m, 0x007fffff));
    math_set(m, X86_PADDD, r, r, math_dword(m, 0x3f400000));
    math_set(m, X86_SUBPS, r, r, math_float(m, 1.0f));
    math_set(m, X86_CVTDQ2PS, e, 0, x86_reg(e));
    if (math_denormals(m)) {
        unsigned t = math_op(m, X86_PAND, s->tiny, math_float(m, 24.0f));
        math_set(m, X86_SUBPS, e, e, x86_reg(t));
        jit_release(m->j, t);
    }
    *exponent = e;
    return r;
}

/* Of zeros, infinities, NaN and negative numbers: a - 1/sqrt(a). */
static void
log_specials(const struct jit_math *m, unsigned l, unsigned a)
{
    unsigned t = math_op(m, X86_ADDPS, a, math_float(m, 0.0f)); /* not -0 */
    unsigned special = math_op(m, X86_RSQRTPS, 0, x86_reg(t));
    math_set(m, X86_SUBPS, special, t, x86_reg(special));
    math_blend(m, l, l, x86_reg(special), math_not_plain(m, a));
}

/* log2(1 + r) + e */
static unsigned
log_fraction(const struct jit_math *m, unsigned r, unsigned e)
{
    const float *c = fmath_log_coef;
    unsigned r2 = math_op(m, X86_MULPS, r, x86_reg(r));
    unsigned q = math_pair(m, r, c + 3);
    math_join(m, q, r2, math_pair(m, r, c + 1));
    unsigned p = math_pair(m, r, c + 7);
    math_join(m, p, r2, math_pair(m, r, c + 5));
    unsigned r4 = math_op(m, X86_MULPS, r2, x86_reg(r2));
    math_join(m, p, r4, q);
    q = math_load(m, math_float(m, c[0]));
    math_set(m, X86_FMADD213PS, q, r, x86_reg(e));
    math_join(m, p, r2, q);
    jit_release(m->j, r2);
    jit_release(m->j, r4);
    return p;
}

unsigned
jit_math_log(const struct jit_math *m, unsigned a)
{
    struct math_scaled s = {a, 0};
    unsigned e, r;
    if (m->j->evex) {
        r = split_evex(m, a, &e);
    } else {
        s = math_scale(m, a);
        r = split_vex(m, &s, &e);
    }
    unsigned p = log_fraction(m, r, e);
    jit_release(m->j, r);
    jit_release(m->j, e);
    if (!m->j->evex)
        log_specials(m, p, s.value);
    return p;
}

unsigned
jit_math_pow(const struct jit_math *m, unsigned a, unsigned b)
{
    unsigned v = math_op(m, X86_PAND, a, math_dword(m, 0x7fffffff));
    unsigned l = jit_math_log(m, v);
    jit_release(m->j, v);
    math_set(m, X86_MULPS, l, l, x86_reg(b));
    return jit_math_exp(m, l, true);
}
