/* isa.c: names and sizes. */
#include "eu/isa/tables.h"
#include "eu/isa/isa_table.h"

static const struct {
    const char *name;
    uint8_t size_B;
} types[EU_TYPE_COUNT] = {
    [EU_TYPE_UD] = {"ud", 4},
    [EU_TYPE_D] = {"d", 4},
    [EU_TYPE_UW] = {"uw", 2},
    [EU_TYPE_W] = {"w", 2},
    [EU_TYPE_UB] = {"ub", 1},
    [EU_TYPE_B] = {"b", 1},
    [EU_TYPE_DF] = {"df", 8},
    [EU_TYPE_F] = {"f", 4},
    [EU_TYPE_UQ] = {"uq", 8},
    [EU_TYPE_Q] = {"q", 8},
    [EU_TYPE_HF] = {"hf", 2},
    /* The packed immediates behave as vectors of W, UW and F. */
    [EU_TYPE_UV] = {"uv", 2},
    [EU_TYPE_V] = {"v", 2},
    [EU_TYPE_VF] = {"vf", 4},
};

unsigned
eu_type_size_B(enum eu_type type)
{
    return types[type].size_B;
}

const char *
eu_type_name(enum eu_type type)
{
    return types[type].name;
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
