/* lower_exp_log.c: EXP, LOG and POW. */
#include "eu/jit/ext_math/lower_math.h"

#define ROUND_SIXTEENTHS 0x48 /* RNDSCALE: to even */
#define ROUND_DOWN 9
/* GETMANT: 3/4 <= m < 3/2; NaN for negative numbers, 1 for -0 */
#define MANTISSA 0x0f
/* x + this has the integer nearest to 16 * x in the low bits. */
#define SIXTEENTHS 0x1.8p19f

/* table[index & 15] */
static unsigned
look_up(const struct jit_math *m, const float table[16], unsigned index)
{
    struct x86 *x = &m->j->x;
    uint32_t dw[16];
    memcpy(dw, table, sizeof dw);
    if (m->j->f->evex) {
        unsigned t = jit_temp(m->j);
        x86_vop(x, X86_PERMPS, 2, t, index, x86_const(x, dw, 16), 0);
        return t;
    }
    unsigned low = math_op(m, X86_PERMPS, index, x86_const(x, dw, 8));
    unsigned high = math_op(m, X86_PERMPS, index, x86_const(x, dw + 8, 8));
    unsigned by = math_shift(m, SHIFT_LEFT, index, 31 - 3);
    math_blend(m, low, low, x86_reg(high), by);
    jit_release(m->j, by);
    jit_release(m->j, high);
    return low;
}

/* p * 2^n for an integral n of at most 8 bits, in two halves; the first is
 * added to the exponent. Clobbers n. */
static void
scale_exponent(const struct jit_math *m, unsigned p, unsigned n)
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

/* 2^f times the number that t's low bits encode; clobbers f and t. */
static unsigned
exp_fraction(const struct jit_math *m, unsigned f, unsigned t)
{
    const float *c = fmath_exp_coef;
    unsigned times = look_up(m, fmath_exp_table, t);
    unsigned p = math_pair(m, f, c + 1);
    math_set(m, X86_FMADD213PS, p, f, math_float(m, c[0]));
    math_set(m, X86_MULPS, f, f, x86_reg(times));
    math_set(m, X86_FMADD213PS, p, f, x86_reg(times));
    jit_release(m->j, times);
    jit_release(m->j, f);
    jit_release(m->j, t);
    return p;
}

unsigned
jit_math_exp(const struct jit_math *m, unsigned a)
{
    unsigned f, n, t, p;
    if (m->j->f->evex) {
        /* Infinities give NaN, which SCALEFPS ignores; SCALEFPS rounds n
         * down. */
        t = math_op(m, X86_ADDPS, a, math_float(m, SIXTEENTHS));
        n = math_op_imm(m, X86_ROUNDPS, 0, x86_reg(a), ROUND_SIXTEENTHS);
        f = math_op(m, X86_SUBPS, a, x86_reg(n));
        p = exp_fraction(m, f, t);
        math_set(m, X86_SCALEFPS, p, p, x86_reg(n));
    } else {
        /* This operand order keeps NaN. */
        f = math_load(m, math_float(m, -FMATH_EXP_BOUND));
        n = math_load(m, math_float(m, FMATH_EXP_BOUND));
        math_set(m, X86_MAXPS, f, f, x86_reg(a));
        math_set(m, X86_MINPS, f, n, x86_reg(f));
        t = math_op(m, X86_ADDPS, f, math_float(m, SIXTEENTHS));
        math_set(m, X86_SUBPS, n, t, math_float(m, SIXTEENTHS));
        math_set(m, X86_SUBPS, f, f, x86_reg(n));
        p = exp_fraction(m, f, t);
        x86_vop_imm(&m->j->x, X86_ROUNDPS, m->len, n, 0, x86_reg(n), 0,
                    ROUND_DOWN);
        scale_exponent(m, p, n);
    }
    jit_release(m->j, n);
    return p;
}

/* m and e as AVX-512 gives them: 3/4 <= m < 3/2, and |a| = m * 2^e, or 2m * 2^e
 * if m < 1. */
static unsigned
split_vex(const struct jit_math *m, const struct math_scaled *s,
          unsigned *exponent)
{
    unsigned r = math_op(m, X86_PSUBD, s->value, math_dword(m, 0x3f400000));
    unsigned e = math_op(m, X86_PSUBD, s->value, math_float(m, 1.0f));
    math_set(m, X86_PAND, r, r, math_dword(m, 0x007fffff));
    math_set(m, X86_PADDD, r, r, math_dword(m, 0x3f400000));
    math_set_shift(m, SHIFT_RIGHT_SIGNED, e, e, 23);
    math_set(m, X86_CVTDQ2PS, e, 0, x86_reg(e));
    if (math_denormals(m)) {
        unsigned t = math_op(m, X86_PAND, s->tiny, math_float(m, 24.0f));
        math_set(m, X86_SUBPS, e, e, x86_reg(t));
        jit_release(m->j, t);
    }
    *exponent = e;
    return r;
}

/* For zeros, infinities, NaN and negative numbers: a - 1/sqrt(a). */
static void
log_specials(const struct jit_math *m, unsigned l, unsigned a)
{
    unsigned t = math_op(m, X86_ADDPS, a, math_float(m, 0.0f)); /* not -0 */
    unsigned special = math_op(m, X86_RSQRTPS, 0, x86_reg(t));
    math_set(m, X86_SUBPS, special, t, x86_reg(special));
    math_blend(m, l, l, x86_reg(special), math_not_plain(m, a));
}

/* log2(r) + e, for r and e as above. */
static unsigned
log_fraction(const struct jit_math *m, unsigned r, unsigned e)
{
    const float *c = fmath_log_coef;
    unsigned i = math_shift(m, SHIFT_RIGHT, r, 19);
    unsigned t = look_up(m, fmath_log_factor, i);
    math_set(m, X86_FMADD213PS, r, t, math_float(m, -1.0f));
    jit_release(m->j, t);
    t = look_up(m, fmath_log_table, i);
    math_set(m, X86_ADDPS, e, e, x86_reg(t));
    jit_release(m->j, t);
    jit_release(m->j, i);
    unsigned r2 = math_op(m, X86_MULPS, r, x86_reg(r));
    unsigned p = math_pair(m, r, c + 3);
    math_join(m, p, r2, math_pair(m, r, c + 1));
    math_set(m, X86_FMADD231PS, e, r, math_float(m, c[0]));
    math_set(m, X86_FMADD213PS, p, r2, x86_reg(e));
    jit_release(m->j, r2);
    return p;
}

unsigned
jit_math_log(const struct jit_math *m, unsigned a)
{
    struct math_scaled s = {a, 0};
    unsigned e, r;
    if (m->j->f->evex) {
        r = math_op_imm(m, X86_GETMANTPS, 0, x86_reg(a), MANTISSA);
        e = math_op(m, X86_GETEXPPS, 0, x86_reg(a));
    } else {
        s = math_scale(m, a);
        r = split_vex(m, &s, &e);
    }
    unsigned p = log_fraction(m, r, e);
    jit_release(m->j, r);
    jit_release(m->j, e);
    if (!m->j->f->evex)
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
    return jit_math_exp(m, l);
}
