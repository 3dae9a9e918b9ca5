/* liveness.h: between liveness.c and live.c. */
#ifndef EU_LIVENESS_H
#define EU_LIVENESS_H

#include "eu/jit/compile.h"

extern const struct jit_set jit_all_regs;
/* Where it goes is known only when it runs. */
bool jit_is_dynamic(const struct eu_op *op);
/* The branch has a second target. */
bool jit_has_uip(const struct eu_op *op);
/* sets.c: so many registers from this one on, up to three. */
extern const struct jit_set jit_runs[4][EU_GRF_COUNT];
static inline jit_bits
jit_run(unsigned first_grf, unsigned count)
{
    return jit_bits_of(&jit_runs[count][first_grf & (EU_GRF_COUNT - 1)]);
}
/* live.c: whether the op's predicate may look at flags that are none of these
 * halves; those that it replaces become known. */
bool jit_finds_flags(const struct eu_op *op, unsigned *known);
/* live.c: jit.live from jit.regs and jit.start. False: it does not settle. */
bool jit_find_live(struct jit *j);

#endif
