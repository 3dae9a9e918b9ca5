/* reencode.h: templates of vector code: a sequence of instructions is kept once
 * and emitted again with other registers. */
#ifndef EU_JIT_X86_REENCODE_H
#define EU_JIT_X86_REENCODE_H

#include "eu/jit/x86/encode_control.h"

#define X86_TEMPLATE_STEPS 64
#define X86_TEMPLATE_DWORDS 256

/* Templates number their registers. Lower numbers look like fields that are not
 * operands, such as EVEX mask registers, and stay unchanged. */
static inline unsigned
x86_template_first(bool evex)
{
    return evex ? 8 : 1;
}

struct x86_template_step {
    uint64_t bits; /* the first bytes, with zero in operands' register fields */
    uint32_t rest;
    uint8_t reg, vvvv, rm,
        last; /* their numbers, or 0; last: in a VEX form's immediate */
    uint8_t size_B;
};

struct x86_template {
    struct x86_template_step step[X86_TEMPLATE_STEPS];
    struct x86_fixup fixups[X86_TEMPLATE_STEPS];
    uint32_t dw[X86_TEMPLATE_DWORDS]; /* constants */
    uint32_t count, fixup_count, dw_count;
    bool evex;
};

/* Makes a template of all code in x, which must be vector instructions only.
 * False: other instructions, or too many. */
bool x86_make_template(struct x86_template *r, const struct x86 *x);
/* Emits the template with register reg[number] for each number; reg[0] is 0. */
void x86_put_template(struct x86 *x, const struct x86_template *r,
                      const uint8_t reg[32]);

#endif
