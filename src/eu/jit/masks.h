/* masks.h: what masks.c leaves to masks_vex.c. */
#ifndef EU_MASKS_H
#define EU_MASKS_H

#include "eu/jit/compile.h"

/* A mask of the lanes that execute, that have their predicate, or both. */
struct jit_mask jit_mask_vex(struct jit *j, const struct eu_op *op,
                             const struct jit_part *p, bool exec, bool pred);
struct jit_mask jit_pred_vex(struct jit *j, const struct eu_op *op,
                             const struct jit_part *p);
void jit_write_flags_vex(struct jit *j, const struct eu_op *op,
                         const struct jit_part *p, unsigned k);
/* It only writes flags, and not by the mask of its parts. */
bool jit_needs_no_mask(const struct eu_op *op);
/* Others write these flags: bits of f0 and f1. */
void jit_forget_flags_vex(struct jit *j, unsigned bit, unsigned count);

#endif
