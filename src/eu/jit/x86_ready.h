/* x86_ready.h: runs of vector instructions that are needed more than once, with
 * other registers each time: what they came to is kept and copied. EVEX
 * forms only. */
#ifndef EU_X86_READY_H
#define EU_X86_READY_H

#include "eu/jit/x86_control.h"

#define X86_READY_STEPS 64
#define X86_READY_DWORDS 128

/* Registers have numbers of their own in it. Below these nothing is told
 * apart from mask registers and what is no operand, and stays as it is. */
#define X86_READY_FIRST 8u

struct x86_ready_step {
    uint64_t bits; /* the first bytes, with zero for those registers */
    uint32_t rest;
    uint8_t reg, vvvv, rm; /* their numbers, or 0 */
    uint8_t size_B;
};

struct x86_ready {
    struct x86_ready_step step[X86_READY_STEPS];
    struct x86_fixup fixups[X86_READY_STEPS];
    uint32_t dw[X86_READY_DWORDS]; /* constants */
    uint32_t count, fixup_count, dw_count;
};

/* All that is in x so far, without anything else but vectors. False: it is
 * something else, or too much. */
bool x86_make_ready(struct x86_ready *r, const struct x86 *x);
/* reg[number] is the register instead; reg[0] is 0. */
void x86_copy_ready(struct x86 *x, const struct x86_ready *r,
                    const uint8_t reg[32]);

#endif
