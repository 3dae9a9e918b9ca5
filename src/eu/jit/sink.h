/* sink.h: between liveness.c and sink.c. */
#ifndef EU_SINK_H
#define EU_SINK_H

#include "eu/jit/compile.h"

static inline bool
jit_is_empty(const struct jit_set *s)
{
    return !(s->w[0] | s->w[1]);
}

static inline unsigned
jit_take_grf(struct jit_set *s)
{
    unsigned w = !s->w[0], g = (unsigned)__builtin_ctzll(s->w[w]);
    s->w[w] &= s->w[w] - 1;
    return w * 64 + g;
}

/* sink.c: once jit.start and jit.regs are known, and nothing of what depends on
 * the order of ops. */
void jit_sink(struct jit *j);
/* liveness.c: at least the registers that the op writes. */
struct jit_set jit_written(const struct jit_regs *r, const struct eu_op *op);

#endif
