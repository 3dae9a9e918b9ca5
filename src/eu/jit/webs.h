/* webs.h: between sink.c and webs.c. */
#ifndef EU_WEBS_H
#define EU_WEBS_H

#include "eu/jit/compile.h"

/* A value of sixteen lanes and who reads it, all within a block. It is in these
 * two registers, but could be in others unless it stays. */
struct jit_web {
    uint8_t grf;
    bool stays;
};

/* Per op, those that it writes and reads; 0: none. */
struct jit_op_webs {
    uint16_t dst, src[3];
};

struct jit_webs {
    struct jit_web *web;
    struct jit_op_webs *op;
    uint32_t count;
};

/* None are found unless jit.sinks. False: no memory, or too many. Once
 * jit.start and jit.regs are known. */
bool jit_find_webs(const struct jit *j, struct jit_webs *w);
/* Of these ops, which are the kernel's in the order `of`, each web that does
 * not stay gets registers while it is needed, none of those taken; or false,
 * where there are not enough. */
bool jit_place_webs(struct jit *j, const struct jit_webs *w,
                    const struct jit_set *taken, const uint32_t *of,
                    struct eu_op *ops, struct jit_regs *regs);

#endif
