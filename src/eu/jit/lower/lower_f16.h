/* lower_f16.h: HF operands and results. Registers hold halves packed, as the
 * register file does; computations are in F. */
#ifndef EU_JIT_LOWER_LOWER_F16_H
#define EU_JIT_LOWER_LOWER_F16_H

#include "eu/jit/lower/lower_float.h"

/* F to halves, rounded as cr0 says. */
unsigned jit_float_to_f16(struct jit *j, const struct eu_op *op, unsigned len,
                          unsigned r);
/* x * y + z of F values that were HF, prepared so that rounding to HF is the
 * only rounding. */
unsigned jit_f16_fused(struct jit *j, unsigned len, struct x86_rm x,
                       struct x86_rm y, struct x86_rm z);
/* MOV and SEL keep every bit, also of signalling NaNs. */
bool jit_moves_f16(const struct eu_insn *insn);
unsigned jit_move_f16(struct jit *j, const struct eu_op *op,
                      const struct jit_part *p);

#endif
