/* ext_math.h: MATH functions that the host has no instruction for.
 *
 * Callers: lower/ for each instruction; session/ and lockstep/ once after all
 * blocks. Results equal the interpreter's (eu/interp/fmath_ext.h) bit for bit.
 * One compilation belongs to one thread. */
#ifndef EU_JIT_EXT_MATH_EXT_MATH_H
#define EU_JIT_EXT_MATH_EXT_MATH_H

#include "eu/jit/regs/regs.h"

bool jit_math_ok(unsigned fn);
/* Emits code that several instructions of the kernel call, or that few threads
 * reach. */
void jit_math_helpers(struct jit *j);
void jit_math_denorm_fixups(struct jit *j);
/* Whether jit_lower_math() should compile the next square root. */
bool jit_sqrt_in_steps(struct jit *j, unsigned len);
unsigned jit_lower_math(struct jit *j, const struct eu_op *op,
                        const struct jit_part *p, struct x86_rm a,
                        struct x86_rm b);
#define JIT_NO_CODE UINT32_MAX

/* lower_int_div.c: quotients or remainders of up to 32 bits. */
bool jit_int_div_ok(const struct eu_insn *insn);
unsigned jit_lower_int_div(struct jit *j, const struct eu_insn *insn,
                           unsigned len, unsigned a, unsigned b);

#endif
