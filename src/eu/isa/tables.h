/* tables.h: opcodes.csv and messages.csv as C. Private to eu/isa. */
#ifndef EU_ISA_TABLES_H
#define EU_ISA_TABLES_H

#include "eu/isa/isa.h"

/* How an instruction's 128 bits divide into operands. */
enum isa_form {
    ISA_NULLARY,
    ISA_BASIC, /* one or two sources */
    ISA_TERNARY,
    ISA_MATH,
    ISA_SEND,
    ISA_SENDS,
    ISA_WAIT,
    ISA_BRANCH1,     /* JIP */
    ISA_BRANCH2,     /* JIP and UIP */
    ISA_BRANCH_REG,  /* JIP or a register (brd) */
    ISA_BRANCH_REG2, /* JIP and UIP, or a register (brc) */
    ISA_JUMP,        /* relative to the next instruction */
    ISA_CALL,
    ISA_CALL_ABSOLUTE, /* from the start of instruction memory */
    ISA_RET,
};

enum isa_cap {
    ISA_CAP_PRED = 1 << 0,
    ISA_CAP_CMOD = 1 << 1,
    ISA_CAP_SAT = 1 << 2,
    ISA_CAP_SRC_MOD = 1 << 3,
    ISA_CAP_LOGIC = 1 << 4, /* source negation is bitwise NOT */
    ISA_CAP_BRANCH_CTRL = 1 << 5,
};

struct isa_type_rule {
    uint16_t dst, src; /* bit per enum eu_type */
};

struct isa_op {
    const char *name; /* NULL: no such opcode */
    uint8_t form;     /* enum isa_form */
    uint8_t src_count;
    uint8_t caps; /* enum isa_cap */
    uint8_t first_gen;
    uint8_t rule_count;
    const struct isa_type_rule *rules;
};

/* NULL if the generation has no such opcode. */
const struct isa_op *isa_op(unsigned opcode, enum eu_gen gen);

/* Whether messages.csv has the message. Always true for shared functions that
 * it leaves out. */
bool isa_message_known(unsigned sfid, uint32_t desc);

#endif
