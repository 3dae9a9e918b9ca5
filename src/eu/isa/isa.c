/* isa.c: opcode and message tables, opcode names, kinds of branches. */
#include "eu/isa/eu_opcodes.h"
#include "eu/isa/tables.h"
#include "eu/isa/isa_table.h"

static const char *const type_names[EU_TYPE_COUNT] = {
    [EU_TYPE_UD] = "ud", [EU_TYPE_D] = "d",   [EU_TYPE_UW] = "uw",
    [EU_TYPE_W] = "w",   [EU_TYPE_UB] = "ub", [EU_TYPE_B] = "b",
    [EU_TYPE_DF] = "df", [EU_TYPE_F] = "f",   [EU_TYPE_UQ] = "uq",
    [EU_TYPE_Q] = "q",   [EU_TYPE_HF] = "hf", [EU_TYPE_UV] = "uv",
    [EU_TYPE_V] = "v",   [EU_TYPE_VF] = "vf",
};

const char *
eu_type_name(enum eu_type type)
{
    return type_names[type];
}

const struct isa_op *
isa_op(unsigned opcode, enum eu_gen gen)
{
    if (opcode >= ARRAY_SIZE(isa_ops))
        return NULL;
    const struct isa_op *op = &isa_ops[opcode];
    return op->name && (unsigned)gen >= op->first_gen ? op : NULL;
}

const char *
eu_opcode_name(unsigned opcode, enum eu_gen gen)
{
    const struct isa_op *op = isa_op(opcode, gen);
    return op ? op->name : NULL;
}

bool
eu_insn_is_send(const struct eu_insn *insn)
{
    return insn->opcode >= EU_OP_SEND && insn->opcode <= EU_OP_SENDSC;
}

bool
eu_parts_channels(const struct eu_insn *insn)
{
    switch (insn->opcode) {
    case EU_OP_IF:
    case EU_OP_WHILE:
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT:
    case EU_OP_GOTO:
    case EU_OP_JMPI:
    case EU_OP_BRD:
    case EU_OP_BRC:
    case EU_OP_CALL:
    case EU_OP_CALLA:
    case EU_OP_RET: return true;
    default: return false;
    }
}

bool
eu_is_usually_taken(const struct eu_insn *insn)
{
    return insn->opcode == EU_OP_IF || insn->opcode == EU_OP_WHILE ||
           !insn->pred_ctrl;
}

/* Branches move only channels that are on (interp/flow.c), even with NoMask.
 * JMPI has one lane. */
unsigned
eu_fixed_lanes(const struct eu_insn *insn)
{
    if (insn->opcode == EU_OP_JMPI)
        return 1;
    return insn->no_mask && !eu_parts_channels(insn) ? insn->exec_size : 0;
}
