/* apart.h: follows the instructions one by one, in their order, to find out
 * whether their lanes keep to themselves (apart.c). */
#ifndef EU_APART_H
#define EU_APART_H

#include "eu/jit/compile.h"

/* What a register holds: the same whatever channels are on; or in dword i the
 * value of channel home + i, rubbish if that is off; or rubbish anywhere. */
enum { JIT_SAME = -1000, JIT_ANYWHERE = -1001 };

struct jit_apart {
    const struct eu_op *op;
    const struct jit_regs *regs;
    int16_t grf[EU_GRF_COUNT + 1];
    int16_t flag[2][2]; /* per 16 bits; dword i is bit i of 32 */
    bool quads;         /* lanes of a quad may see each other */
    bool rubbish;       /* of the instruction now followed: it reads some */
    bool ended;         /* and all went well */
};

void jit_apart_begin(struct jit_apart *f);
/* False: no more. */
bool jit_apart_follow(struct jit_apart *f, const struct eu_op *op,
                      const struct jit_regs *regs);
/* flat.c: makes do without branches, if jit.flattens, and follows what comes of
 * it. */
void jit_flatten(struct jit *j, struct jit_apart *apart);
/* The whole kernel, with its loops, if jit.only_counts. */
void jit_apart_follow_loops(struct jit_apart *f, const struct jit *j);

/* What this register and the next one hold. */
static inline uint32_t
jit_homes(int home, int next)
{
    return (uint32_t)(uint16_t)home | (uint32_t)next << 16;
}

/* Ops that are EU_PLAIN_BY_LANES, by their fast function, source by source. */
struct jit_apart_step {
    uint32_t home, mask; /* of one register or two */
    bool changes;        /* something read is not the same in all lanes */
    bool fails;          /* look closer */
};

static inline struct jit_apart_step
jit_apart_step(const struct eu_op *op)
{
    return (struct jit_apart_step){.home = jit_homes(op->chan, op->chan + 8),
                                   .mask = op->lanes == 16 ? UINT32_MAX
                                                           : 0xffff,
                                   .changes = !op->no_mask};
}

/* A whole vector, from this register on, or a scalar in it. */
static inline void
jit_apart_read(struct jit_apart_step *s, const struct jit_apart *f,
               unsigned grf, bool scalar)
{
    uint32_t now, mask = scalar ? 0xffff : s->mask;
    memcpy(&now, &f->grf[grf], sizeof now);
    if (!((now ^ jit_homes(JIT_SAME, JIT_SAME)) & mask))
        return;
    s->changes = true;
    s->fails |= scalar || ((now ^ s->home) & mask);
}

static inline void
jit_apart_write(const struct jit_apart_step *s, struct jit_apart *f,
                unsigned grf)
{
    uint32_t now = s->changes ? s->home : jit_homes(JIT_SAME, JIT_SAME);
    if (s->mask == UINT32_MAX) /* read as a whole, too */
        memcpy(&f->grf[grf], &now, sizeof now);
    else
        f->grf[grf] = (int16_t)now;
}

#endif
