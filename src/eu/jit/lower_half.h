/* lower_half.h: HF operands and results. Halves lie side by side in registers,
 * as words do in the register file; they are computed with in F. */
#ifndef EU_LOWER_HALF_H
#define EU_LOWER_HALF_H

#include "eu/jit/lower_float.h"

/* Whether the operand is one of those that are compiled. */
bool jit_half_ok(const struct jit *j, const struct eu_insn *insn);
/* A source in the GRF as F, without modifiers. */
unsigned jit_half_to_float(struct jit *j, const struct eu_op *op, unsigned s,
                           const struct jit_part *p);
/* F as halves, rounded as cr0 says. */
unsigned jit_float_to_half(struct jit *j, const struct eu_op *op, unsigned len,
                           unsigned r);
/* What they are worth. */
unsigned jit_halves_to_float(struct jit *j, unsigned len, unsigned halves);
/* x * y + z of F that were HF, so that rounding it to HF is the only rounding.
 */
unsigned jit_half_fused(struct jit *j, unsigned len, struct x86_rm x,
                        struct x86_rm y, struct x86_rm z);
/* MOV and SEL keep every bit, of signalling NaNs, too. */
bool jit_moves_halves(const struct eu_insn *insn);
unsigned jit_move_halves(struct jit *j, const struct eu_op *op,
                         const struct jit_part *p);

#endif
