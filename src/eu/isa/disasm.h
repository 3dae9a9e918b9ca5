/* disasm.h: between the parts of the disassembler. */
#ifndef EU_ISA_DISASM_H
#define EU_ISA_DISASM_H

#include "eu/isa/tables.h"

/* len counts what did not fit too, as snprintf does. */
struct text {
    char *buf;
    size_t size, len;
    bool labels; /* branch targets as L and the offset in the kernel */
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
 * -1; of DF, a pair of components is one. iga64 then writes a scalar. */
int disasm_only_component(const struct eu_insn *insn, const struct isa_op *op);

/* What a send asks for: lengths, shared function, message. */
void disasm_put_message(struct text *t, const struct eu_insn *insn,
                        enum eu_gen gen);

#endif
