/* lane_deps.h: lane independence (lane_deps.c), inline because the walk in
 * def_use.c calls it for every instruction. */
#ifndef EU_JIT_ANALYSIS_LANE_DEPS_H
#define EU_JIT_ANALYSIS_LANE_DEPS_H

#include "eu/jit/analysis/analysis.h"

/* State of a register. UNIFORM: one value whatever channels are on. A number,
 * home: dword i is the value of channel home + i, undefined if that channel is
 * off. UNDEFINED: undefined everywhere. */
enum { JIT_UNIFORM = -1000, JIT_UNDEFINED = -1001 };

struct jit_lane_deps {
    const struct eu_op *op;
    const struct jit_regs *regs;
    int16_t grf[EU_GRF_COUNT + 1];
    int16_t flag[2][2];   /* per 16 bits; dword i is bit i of 32 */
    bool quad_dependent;  /* lanes of a quad may observe each other */
    bool reads_undefined; /* the current instruction reads an undefined value */
    bool ended;           /* followed up to EOT without failure */
};

/* State that the walk over all ops leaves to later passes. */
struct jit_walk {
    struct jit_lane_deps lane_deps;
    bool whole;      /* the kernel begins here, with a launch's payload */
    bool follows;    /* lane dependence followed so far */
    bool sees_state; /* some op reads thread state besides the payload */
    jit_bits written;
};
/* def_use.c: one walk over all ops: basic blocks, registers that each op reads
 * and writes, messages, and lane dependence. */
void jit_note_ops(struct jit_facts *facts, struct jit_walk *w);

void jit_lane_deps_begin(struct jit_lane_deps *f);
/* False: the analysis has ended. */
bool jit_lane_deps_follow(struct jit_lane_deps *f, const struct eu_op *op,
                          const struct jit_regs *regs);
/* Follows the whole kernel, with its loops, if jit_facts.only_counts. */
void jit_lane_deps_follow_loops(struct jit_lane_deps *f,
                                const struct jit_facts *facts);

/* States of two consecutive registers. */
static inline uint32_t
jit_homes(int home, int next)
{
    return (uint32_t)(uint16_t)home | (uint32_t)next << 16;
}

/* Lane dependence of EU_PLAIN_BY_LANES ops, source by source. */
struct jit_lane_deps_step {
    uint32_t home, mask; /* of one register or two */
    bool changes;        /* an operand is not uniform */
    bool fails;          /* needs jit_lane_deps_follow() */
};

static inline struct jit_lane_deps_step
jit_lane_deps_step(const struct eu_op *op)
{
    return (struct jit_lane_deps_step){
        .home = jit_homes(op->chan, op->chan + 8),
        .mask = op->lanes == 16 ? UINT32_MAX : 0xffff,
        .changes = !op->no_mask};
}

/* Reads a whole vector from this register on, or a scalar in it. */
static inline void
jit_lane_deps_read(struct jit_lane_deps_step *s, const struct jit_lane_deps *f,
                   unsigned grf, bool scalar)
{
    uint32_t now, mask = scalar ? 0xffff : s->mask;
    memcpy(&now, &f->grf[grf], sizeof now);
    if (!((now ^ jit_homes(JIT_UNIFORM, JIT_UNIFORM)) & mask))
        return;
    s->changes = true;
    s->fails |= scalar || ((now ^ s->home) & mask);
}

static inline void
jit_lane_deps_write(const struct jit_lane_deps_step *s, struct jit_lane_deps *f,
                    unsigned grf)
{
    uint32_t now = s->changes ? s->home : jit_homes(JIT_UNIFORM, JIT_UNIFORM);
    if (s->mask == UINT32_MAX) /* both registers are read together */
        memcpy(&f->grf[grf], &now, sizeof now);
    else
        f->grf[grf] = (int16_t)now;
}

#endif
