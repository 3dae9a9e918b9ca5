/* disasm.h: shared by the disassembler's files. */
#ifndef EU_ISA_DISASM_H
#define EU_ISA_DISASM_H

#include "eu/isa/tables.h"

/* len also counts text that did not fit, as snprintf() does. */
struct text {
    char *buf;
    size_t size, len;
    bool labels; /* print branch targets as L and the offset in the kernel */
};

void text_put(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

void disasm_put_type(struct text *t, const struct eu_operand *o);
void disasm_put_register(struct text *t, const struct eu_operand *o,
                         bool subreg);
void disasm_put_dst(struct text *t, const struct eu_insn *insn,
                    const struct isa_op *op);
void disasm_put_src(struct text *t, const struct eu_insn *insn,
                    const struct isa_op *op, unsigned n);

/* The only component that a three-source instruction of one group writes, or
 * -1; for DF, a pair of components counts as one. iga64 then writes a
 * scalar. */
int disasm_only_component(const struct eu_insn *insn, const struct isa_op *op);

/* Puts a send's lengths, shared function and message. */
void disasm_put_message(struct text *t, const struct eu_insn *insn,
                        enum eu_gen gen);

#endif
