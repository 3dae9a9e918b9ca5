/* disasm.h: between the two halves of the disassembler. */
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

/* What a send asks for: lengths, shared function, message. */
void disasm_put_message(struct text *t, const struct eu_insn *insn,
                        enum eu_gen gen);

#endif
