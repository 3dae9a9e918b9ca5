/* isa.c: opcode and message tables, and opcode names. */
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
