/* masks.h: functions that masks.c calls in masks_vex.c. */
#ifndef EU_JIT_OPERAND_MASKS_H
#define EU_JIT_OPERAND_MASKS_H

#include "eu/jit/operand/operand.h"

/* Mask of lanes that execute, whose predicate is true, or both. */
struct jit_mask jit_mask_vex(struct jit *j, const struct eu_op *op,
                             const struct jit_part *p, bool exec, bool pred);
struct jit_mask jit_pred_vex(struct jit *j, const struct eu_op *op,
                             const struct jit_part *p);
void jit_write_flags_vex(struct jit *j, const struct eu_op *op,
                         const struct jit_part *p, unsigned k);
/* Whether the op only writes flags, and does not need its parts' mask. */
bool jit_needs_no_mask(const struct eu_op *op);
/* Something else writes these flags: bits of f0 and f1. */
void jit_forget_flags_vex(struct jit *j, unsigned bit, unsigned count);

#endif
