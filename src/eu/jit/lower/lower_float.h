/* lower_float.h: shared by the files that compute in F. */
#ifndef EU_JIT_LOWER_LOWER_FLOAT_H
#define EU_JIT_LOWER_LOWER_FLOAT_H

#include "eu/jit/lower/lower_ops.h"

/* lower_float.c: MATH, except in the alternate mode. */
unsigned jit_float_math(struct jit *j, const struct eu_op *op,
                        const struct jit_part *p, struct x86_rm a,
                        struct x86_rm b);

/* Lanes where SEL takes a as the minimum or maximum: a mask register or a
 * vector. */
unsigned jit_first_wins(struct jit *j, unsigned len, unsigned a, unsigned b,
                        bool is_min);

/* lower_convert.c */
unsigned jit_to_int(struct jit *j, unsigned len, unsigned a, enum eu_type type);

/* lower_alt_mode.c */
/* Infinities become the largest finite numbers; NaNs stay. */
unsigned jit_to_finite(struct jit *j, unsigned len, unsigned r);
/* a * b + c, or a * b; 0 times anything is 0. */
unsigned jit_alt_multiply(struct jit *j, unsigned len, const struct x86_rm *a,
                          const struct x86_rm *b, const struct x86_rm *c);
/* Functions without NaN results use |x|. */
struct x86_rm jit_alt_argument(struct jit *j, const struct eu_insn *insn,
                               unsigned len, struct x86_rm a);
/* x^0 is 1 for every number x. */
unsigned jit_alt_power(struct jit *j, const struct eu_op *op,
                       const struct jit_part *p, struct x86_rm a,
                       struct x86_rm b);

#endif
