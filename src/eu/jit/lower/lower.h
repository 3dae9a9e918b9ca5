/* lower.h: lowers computing EU ops to host instructions.
 *
 * Callers: session/ and lockstep/, op by op. The interpreter's function runs an
 * op that is not compiled. One compilation belongs to one thread. */
#ifndef EU_JIT_LOWER_LOWER_H
#define EU_JIT_LOWER_LOWER_H

#include "eu/jit/operand/operand.h"

/* lower_common_ops.c, for ops with a fast function. False: not compiled
 * here. */
bool jit_lower_common_op(struct jit *j, const struct eu_op *op);
/* lower_alu.c. False: not compiled, the interpreter runs the op. */
bool jit_lower_alu(struct jit *j, const struct eu_op *op);

/* Sets the host's float mode: F's mode, or the mode that keeps denormals. */
void jit_set_float_mode(struct jit *j, bool keeps_denorms);
static inline void
jit_float_mode(struct jit *j, bool keeps_denorms)
{
    if (j->keeps_denorms != keeps_denorms)
        jit_set_float_mode(j, keeps_denorms);
}

#endif
