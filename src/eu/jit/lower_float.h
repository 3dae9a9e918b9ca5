/* lower_float.h: what the files share that compute in F. */
#ifndef EU_LOWER_FLOAT_H
#define EU_LOWER_FLOAT_H

#include "eu/jit/compile.h"

/* Of CMPPS. */
#define JIT_PRED_ORD 0x07
#define JIT_PRED_UNORD 0x03
#define JIT_PRED_GE 0x1d
#define JIT_PRED_LT 0x11
#define JIT_PRED_NE 0x0c /* nor NaN */

static inline unsigned
jit_copy(struct jit *j, unsigned len, struct x86_rm rm)
{
    if (x86_kind(rm) != X86_REG)
        return jit_in_reg(j, rm, len);
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_MOVAPS, len, d, 0, rm, 0);
    return d;
}

static inline unsigned
jit_binary(struct jit *j, enum x86_vop op, unsigned len, struct x86_rm a,
           struct x86_rm b)
{
    unsigned ra = jit_read(j, a, len), d = jit_temp(j);
    x86_vop(&j->x, op, len, d, ra, b, 0);
    return d;
}

/* lower_float.c: MATH, but not of the alternate mode. */
unsigned jit_float_math(struct jit *j, const struct eu_op *op,
                        const struct jit_part *p, struct x86_rm a,
                        struct x86_rm b);

/* Lanes where SEL takes a, as the minimum or maximum: a mask register or a
 * vector. */
unsigned jit_first_wins(struct jit *j, unsigned len, unsigned a, unsigned b,
                        bool is_min);

/* lower_convert.c */
unsigned jit_to_int(struct jit *j, unsigned len, unsigned a, enum eu_type type);

/* lower_alt.c */
/* Infinities become the largest numbers; NaNs stay. */
unsigned jit_to_finite(struct jit *j, unsigned len, unsigned r);
/* a * b + c, or a * b: 0 times anything is 0. */
unsigned jit_alt_multiply(struct jit *j, unsigned len, const struct x86_rm *a,
                          const struct x86_rm *b, const struct x86_rm *c);
/* Without NaN to answer with: of |x|. */
struct x86_rm jit_alt_argument(struct jit *j, const struct eu_insn *insn,
                               unsigned len, struct x86_rm a);
/* x^0 is 1, of every number. */
unsigned jit_alt_power(struct jit *j, const struct eu_op *op,
                       const struct jit_part *p, struct x86_rm a,
                       struct x86_rm b);

#endif
