/* lower_ops.h: shared by the files of lower/. A result is never a register that
 * holds part of the register file. JIT_NO_CODE: the interpreter runs the op. */
#ifndef EU_JIT_LOWER_LOWER_OPS_H
#define EU_JIT_LOWER_LOWER_OPS_H

#include "eu/jit/ext_math/ext_math.h"
#include "eu/jit/lower/lower.h"

/* d := a in lanes of mask m, otherwise b. */
unsigned jit_blend(struct jit *j, unsigned len, struct jit_mask m,
                   struct x86_rm a, struct x86_rm b);
/* Lanes where the comparison holds: a mask register or a vector. */
unsigned jit_compare_float(struct jit *j, const struct jit_part *p,
                           unsigned cmod, unsigned a, struct x86_rm b);
unsigned jit_compare_int(struct jit *j, const struct jit_part *p, unsigned cmod,
                         unsigned a, struct x86_rm b, bool is_signed);
/* All ones in lanes of k. */
unsigned jit_ones_where(struct jit *j, const struct jit_part *p, unsigned k);

/* lower_float.c */
bool jit_float_ok(const struct jit *j, const struct eu_op *op);
unsigned jit_lower_float(struct jit *j, const struct eu_op *op,
                         const struct jit_part *p);
/* The negated operand that SUB can subtract in an F ADD; -1: none. Not with
 * scalars: a scalar stays a memory operand, and the negated vector is kept. */
int jit_subtracted(const struct eu_op *op);
/* x * y + z; the result's NaN is y's, then x's, then z's. */
unsigned jit_fused(struct jit *j, unsigned len, struct x86_rm x,
                   struct x86_rm y, struct x86_rm z);
/* lower_convert.c */
unsigned jit_saturate(struct jit *j, unsigned len, unsigned a);
/* lower_int.c */
bool jit_int_ok(const struct jit *j, const struct eu_op *op);
unsigned jit_lower_int(struct jit *j, const struct eu_op *op,
                       const struct jit_part *p);

/* lower_f64.c */
bool jit_lower_f64(struct jit *j, const struct eu_op *op);
/* lower_scalar_int.c: integers and moves of bits, lane by lane. */
bool jit_lower_scalar_int(struct jit *j, const struct eu_op *op);
/* words_evex.c: the op, if it is a sum that fits 16 bits. */
bool jit_lower_words(struct jit *j, const struct eu_op *op);

#endif
