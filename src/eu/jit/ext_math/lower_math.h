/* lower_math.h: shared by the files that compile extended math. They repeat the
 * steps of eu/interp/fmath_ext.h. AVX-512 forms handle special values; AVX2
 * forms blend them in at the end. */
#ifndef EU_JIT_EXT_MATH_LOWER_MATH_H
#define EU_JIT_EXT_MATH_LOWER_MATH_H

#include "eu/jit/ext_math/ext_math.h"

#include "eu/interp/fmath_ext.h"

#define JIT_K_MATH 4 /* a temporary mask register */

enum { SHIFT_RIGHT = 2, SHIFT_RIGHT_SIGNED = 4, SHIFT_LEFT = 6 };

struct jit_math {
    struct jit *j;
    unsigned len; /* of the vectors, in lanes */
};

/* A dword in all lanes, in memory. */
static inline struct x86_rm
math_dword(const struct jit_math *m, uint32_t value)
{
    struct x86 *x = &m->j->x;
    return x->evex ? x86_dword_const(x, value) : x86_dwords_const(x, value);
}

static inline struct x86_rm
math_float(const struct jit_math *m, float value)
{
    return math_dword(m, bits_from_float(value));
}

/* d := a op b */
static inline void
math_set(const struct jit_math *m, enum x86_vop op, unsigned d, unsigned a,
         struct x86_rm b)
{
    x86_vop(&m->j->x, op, m->len, d, a, b, 0);
}

/* a op b in a new register */
static inline unsigned
math_op(const struct jit_math *m, enum x86_vop op, unsigned a, struct x86_rm b)
{
    unsigned d = jit_temp(m->j);
    math_set(m, op, d, a, b);
    return d;
}

static inline unsigned
math_op_imm(const struct jit_math *m, enum x86_vop op, unsigned a,
            struct x86_rm b, uint8_t imm)
{
    unsigned d = jit_temp(m->j);
    x86_vop_imm(&m->j->x, op, m->len, d, a, b, 0, imm);
    return d;
}

static inline unsigned
math_load(const struct jit_math *m, struct x86_rm rm)
{
    return jit_in_reg(m->j, rm, m->len);
}

/* d := a shifted; `how` is the kind of shift */
static inline void
math_set_shift(const struct jit_math *m, unsigned how, unsigned d, unsigned a,
               uint8_t count)
{
    x86_vop_imm(&m->j->x, X86_PSHIFTD_IMM, m->len, how, d, x86_reg(a), 0,
                count);
}

static inline unsigned
math_shift(const struct jit_math *m, unsigned how, unsigned a, uint8_t count)
{
    unsigned d = jit_temp(m->j);
    math_set_shift(m, how, d, a, count);
    return d;
}

/* d := b in lanes where the sign of mask is set, otherwise a. */
static inline void
math_blend(const struct jit_math *m, unsigned d, unsigned a, struct x86_rm b,
           unsigned mask)
{
    x86_vop_imm(&m->j->x, X86_BLENDVPS, m->len, d, a, b, 0,
                (uint8_t)(mask << 4));
}

/* coef[1] * x + coef[0] */
static inline unsigned
math_pair(const struct jit_math *m, unsigned x, const float coef[2])
{
    unsigned p = math_load(m, math_float(m, coef[1]));
    math_set(m, X86_FMADD213PS, p, x, math_float(m, coef[0]));
    return p;
}

/* p := p * x + q; clobbers q. */
static inline void
math_join(const struct jit_math *m, unsigned p, unsigned x, unsigned q)
{
    math_set(m, X86_FMADD213PS, p, x, x86_reg(q));
    jit_release(m->j, q);
}

/* (...(coef[count-1] * x + coef[count-2]) * x + ...) + coef[0] */
static inline unsigned
math_polynomial(const struct jit_math *m, unsigned x, const float *coef,
                unsigned count)
{
    /* Copying a register is free, a broadcast load is not. */
    float c = coef[count - 1];
    unsigned p = m->j->f->evex
                     ? math_op(m, X86_MOVAPS, 0,
                               x86_reg(jit_dword_reg(m->j, bits_from_float(c))))
                     : math_load(m, math_float(m, c));
    for (unsigned i = count - 1; i-- > 0;)
        math_set(m, X86_FMADD213PS, p, x, math_float(m, coef[i]));
    return p;
}

/* AVX2: all ones in lanes that are not positive, normal and finite. */
static inline unsigned
math_not_plain(const struct jit_math *m, unsigned a)
{
    /* An unsigned comparison, by flipping the sign. */
    unsigned d = math_op(m, X86_PADDD, a, math_dword(m, 0x7f800000));
    math_set(m, X86_PCMPGTD, d, d, math_dword(m, 0xfeffffff));
    return d;
}

/* Whether denormal operands count as numbers. */
static inline bool
math_denormals(const struct jit_math *m)
{
    return (m->j->f->flags & EU_JIT_DENORMALS) || m->j->f->has_modes;
}

/* AVX-512: multiplies the lanes of JIT_K_MATH by a factor, if there are any.
 * The caller has just set the flags with KORTEST. */
void math_fix_denorms(const struct jit_math *m, unsigned reg, float factor);

/* Denormals scaled by 2^24; tiny: the mask of the scaled lanes. */
struct math_scaled {
    unsigned value, tiny;
};
static inline struct math_scaled
math_scale(const struct jit_math *m, unsigned a)
{
    struct jit *j = m->j;
    struct math_scaled s = {a, JIT_K_MATH};
    if (!math_denormals(m)) {
        j->needs_flush = true;
        return s;
    }
    if (j->f->evex) {
        s.value = math_op(m, X86_MOVAPS, 0, x86_reg(a));
        x86_vop_imm(&j->x, X86_FPCLASSPS, m->len, s.tiny, 0, x86_reg(a), 0,
                    0x20);
        x86_kortest(&j->x, s.tiny, s.tiny);
        math_fix_denorms(m, s.value, 0x1p24f);
        return s;
    }
    s.tiny = math_load(m, math_dword(m, 0x00800000));
    math_set(m, X86_PCMPGTD, s.tiny, s.tiny, x86_reg(a));
    s.value = math_op(m, X86_MULPS, a, math_float(m, 0x1p24f));
    math_blend(m, s.value, a, x86_reg(s.value), s.tiny);
    return s;
}

/* lower_exp_log.c */
unsigned jit_math_exp(const struct jit_math *m, unsigned a);
unsigned jit_math_log(const struct jit_math *m, unsigned a);
unsigned jit_math_pow(const struct jit_math *m, unsigned a, unsigned b);
/* lower_sin_cos.c; call jit_math_large() afterwards. */
unsigned jit_math_trig(const struct jit_math *m, unsigned a, bool is_cos);
void jit_math_large(struct jit *j, unsigned a, unsigned d, bool is_cos);
/* lower_sqrt.c */
unsigned jit_math_sqrt(const struct jit_math *m, unsigned a);
/* lower_math.c */
unsigned jit_math_steps(const struct jit_math *m, unsigned fn, unsigned a,
                        unsigned b);
/* lower_math_templates.c: jit_math_steps() without denormals; b < 0: the
 * function has one operand. JIT_NO_CODE: no memory. */
unsigned jit_math_copy(struct jit *j, unsigned fn, unsigned len, unsigned a,
                       int b);

#endif
