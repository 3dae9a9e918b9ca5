/* sink.h: between liveness.c and sink.c. */
#ifndef EU_SINK_H
#define EU_SINK_H

#include "eu/jit/compile.h"

/* sink.c: once jit.start and jit.regs are known, and nothing of what depends on
 * the order of ops. */
void jit_sink(struct jit *j);
/* liveness.c: at least the registers that the op writes. */
struct jit_set jit_written(const struct jit_regs *r, const struct eu_op *op);

#endif
