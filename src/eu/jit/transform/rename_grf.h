/* rename_grf.h: webs, shared by sink.c and rename_grf.c. */
#ifndef EU_JIT_TRANSFORM_RENAME_GRF_H
#define EU_JIT_TRANSFORM_RENAME_GRF_H

#include "eu/jit/analysis/analysis.h"

/* Web: a value of sixteen lanes and its readers, all within a block. It
 * occupies two registers from grf on, and may move to others unless it
 * stays. */
struct jit_web {
    uint8_t grf;
    bool stays;
};

/* Per op, the webs that it writes and reads; 0: none. */
struct jit_op_webs {
    uint16_t dst, src[3];
};

struct jit_webs {
    struct jit_web *web;
    struct jit_op_webs *op;
    uint32_t count;
};

/* Finds webs if jit_facts.sinks; needs jit_facts.start and regs. False: no
 * memory, or too many. */
bool jit_find_webs(const struct jit_facts *f, struct jit_webs *w);
/* Gives each movable web registers outside `taken` while it is live. ops are
 * the kernel's in the order `of`. False: there are too few registers. */
bool jit_place_webs(struct jit_facts *f, const struct jit_webs *w,
                    const struct jit_set *taken, const uint32_t *of,
                    struct eu_op *ops, struct jit_regs *regs);

#endif
