/* mi_math.c: MI_MATH, the streamer's ALU. Sixteen general purpose registers,
 * two sources, an accumulator and two flags, 64 bits each; a flag stores as all
 * ones or zero. KBL PRM vol 6, "MI_MATH"; layout: vol 2d,
 * MI_MATH_ALU_INSTRUCTION. */
#include "engine/cs/cs.h"

enum {
    OP_NOOP = 0x000,
    OP_LOAD = 0x080,
    OP_LOADINV = 0x480,
    OP_LOAD0 = 0x081,
    OP_LOAD1 = 0x481,
    OP_ADD = 0x100,
    OP_SUB = 0x101,
    OP_AND = 0x102,
    OP_OR = 0x103,
    OP_XOR = 0x104,
    OP_STORE = 0x180,
    OP_STOREINV = 0x580,
};

enum { SRCA = 0x20, SRCB = 0x21, ACCU = 0x31, ZF = 0x32, CF = 0x33 };

struct alu {
    uint64_t srca, srcb, accu;
    bool zf, cf;
};

static bool
operand_get(const struct alu *alu, const struct hw_state *hw, unsigned op,
            uint64_t *value)
{
    if (op < 16)
        *value = reg_gpr(hw, op);
    else if (op == ACCU)
        *value = alu->accu;
    else if (op == ZF)
        *value = alu->zf ? UINT64_MAX : 0;
    else if (op == CF)
        *value = alu->cf ? UINT64_MAX : 0;
    else
        return false;
    return true;
}

static bool
load(struct alu *alu, unsigned op, uint64_t value)
{
    if (op == SRCA)
        alu->srca = value;
    else if (op == SRCB)
        alu->srcb = value;
    else
        return false;
    return true;
}

static void
compute(struct alu *alu, unsigned opcode)
{
    uint64_t a = alu->srca, b = alu->srcb, r = 0;
    bool carry = false;
    switch (opcode) {
    case OP_ADD:
        r = a + b;
        carry = r < a;
        break;
    case OP_SUB:
        r = a - b;
        carry = a < b;
        break;
    case OP_AND: r = a & b; break;
    case OP_OR: r = a | b; break;
    case OP_XOR: r = a ^ b; break;
    }
    alu->accu = r;
    alu->zf = r == 0;
    alu->cf = carry;
}

static bool
alu_step(struct alu *alu, struct hw_state *hw, uint32_t insn)
{
    unsigned opcode = bits_get(insn, 20, 31);
    unsigned op1 = bits_get(insn, 10, 19), op2 = bits_get(insn, 0, 9);
    uint64_t value;
    switch (opcode) {
    case OP_NOOP: return true;
    case OP_LOAD:
        return operand_get(alu, hw, op2, &value) && load(alu, op1, value);
    case OP_LOADINV:
        return operand_get(alu, hw, op2, &value) && load(alu, op1, ~value);
    case OP_LOAD0: return load(alu, op1, 0);
    case OP_LOAD1: return load(alu, op1, UINT64_MAX);
    case OP_ADD:
    case OP_SUB:
    case OP_AND:
    case OP_OR:
    case OP_XOR: compute(alu, opcode); return true;
    case OP_STORE:
    case OP_STOREINV:
        if (op1 >= 16 || !operand_get(alu, hw, op2, &value))
            return false;
        reg_set_gpr(hw, op1, opcode == OP_STORE ? value : ~value);
        return true;
    default: return false;
    }
}

bool
alu_run(struct hw_state *hw, const uint32_t *program, unsigned count)
{
    struct alu alu = {0};
    for (unsigned i = 0; i < count; i++)
        if (!alu_step(&alu, hw, program[i])) {
            guest_error("MI_MATH instruction 0x%08x", program[i]);
            return false;
        }
    return true;
}
