/* x86_ready.h: runs of vector instructions that are needed more than once, with
 * other registers each time: what they came to is kept and copied. */
#ifndef EU_X86_READY_H
#define EU_X86_READY_H

#include "eu/jit/x86_control.h"

#define X86_READY_STEPS 64
#define X86_READY_DWORDS 256

/* Registers have numbers of their own in it. Below these nothing is told
 * apart from what is no operand, with EVEX mask registers among it, and stays
 * as it is. */
static inline unsigned
x86_ready_first(bool evex)
{
    return evex ? 8 : 1;
}

struct x86_ready_step {
    uint64_t bits; /* the first bytes, with zero for those registers */
    uint32_t rest;
    uint8_t reg, vvvv, rm, last; /* their numbers, or 0; last: in the immediate
                                    of a VEX form */
    uint8_t size_B;
};

struct x86_ready {
    struct x86_ready_step step[X86_READY_STEPS];
    struct x86_fixup fixups[X86_READY_STEPS];
    uint32_t dw[X86_READY_DWORDS]; /* constants */
    uint32_t count, fixup_count, dw_count;
    bool evex;
};

/* All that is in x so far, without anything else but vectors. False: it is
 * something else, or too much. */
bool x86_make_ready(struct x86_ready *r, const struct x86 *x);
/* reg[number] is the register instead; reg[0] is 0. */
void x86_copy_ready(struct x86 *x, const struct x86_ready *r,
                    const uint8_t reg[32]);

#endif
