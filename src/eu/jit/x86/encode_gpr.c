/* encode_gpr.c: encodings of general-register instructions. Intel SDM vol 2,
 * ch. 2 "Instruction Format". */
#include "eu/jit/x86/encode_gpr.h"

static const struct {
    uint8_t prefix, map, opcode;
} rows[X86_GOP_COUNT] = {
#define X(name, prefix, map, opcode) [X86_G_##name] = {prefix, map, opcode},
    X86_GPR_OPS(X)
#undef X
};

struct bytes {
    uint64_t v;
    unsigned n;
};

static inline void
add_byte(struct bytes *o, unsigned b)
{
    o->v |= (uint64_t)(uint8_t)b << o->n * 8;
    o->n++;
}

static inline void
add_rex(struct bytes *o, bool is_64, unsigned reg, unsigned index, unsigned rm,
        bool force)
{
    unsigned b = 0x40 | (unsigned)is_64 << 3 | (reg >> 3) << 2 |
                 (index >> 3) << 1 | rm >> 3;
    if (b != 0x40 || force)
        add_byte(o, b);
}

static inline void
add_operand(struct bytes *o, unsigned reg, struct x86_gm m)
{
    if (!m.in_memory) {
        add_byte(o, 0xc0 | (reg & 7) << 3 | (m.reg & 7));
    } else if (m.indexed) {
        add_byte(o, 0x84 | (reg & 7) << 3);
        add_byte(o, (m.reg & 7u) << 3 | X86_RBX);
    } else {
        add_byte(o, 0x80 | (reg & 7) << 3 | X86_RBX);
    }
}

static void
put_instruction(struct x86 *x, enum x86_gop op, unsigned plus, bool is_64,
                unsigned reg, struct x86_gm m)
{
    struct bytes o = {.n = 0};
    unsigned rm = m.in_memory ? X86_RBX : m.reg;
    unsigned index = m.in_memory && m.indexed ? m.reg : 0;
    bool byte_reg = (op == X86_G_ST8 && reg >= 4) ||
                    ((op == X86_G_MOVZX8 || op == X86_G_MOVSX8) &&
                     !m.in_memory && m.reg >= 4);
    if (rows[op].prefix)
        add_byte(&o, rows[op].prefix);
    add_rex(&o, is_64, reg, index, rm, byte_reg);
    if (rows[op].map)
        add_byte(&o, 0x0f);
    add_byte(&o, rows[op].opcode + plus);
    add_operand(&o, reg, m);
    x86_put(x, o.v, o.n);
    if (m.in_memory)
        x86_put_more(x, (uint32_t)(m.disp + x->bias), 4);
}

void
x86_gop(struct x86 *x, enum x86_gop op, bool is_64, unsigned reg,
        struct x86_gm m)
{
    put_instruction(x, op, 0, is_64, reg, m);
}

void
x86_cmov(struct x86 *x, enum x86_cc cc, unsigned d, unsigned s)
{
    put_instruction(x, X86_G_CMOV, cc, true, d, x86_g(s));
}

void
x86_setcc(struct x86 *x, enum x86_cc cc, unsigned gpr)
{
    uint8_t b[3] = {0x0f, (uint8_t)(0x90 | cc), (uint8_t)(0xc0 | gpr)};
    assert(gpr < 4);
    x86_bytes(x, b, sizeof b);
}

static void
put_group(struct x86 *x, unsigned opcode, bool is_64, unsigned ext,
          unsigned gpr, int imm)
{
    struct bytes o = {.n = 0};
    add_rex(&o, is_64, 0, 0, gpr, false);
    if (opcode > 0xff)
        add_byte(&o, 0x0f);
    add_byte(&o, opcode & 0xff);
    add_byte(&o, 0xc0 | ext << 3 | (gpr & 7));
    if (imm >= 0)
        add_byte(&o, (unsigned)imm);
    x86_put(x, o.v, o.n);
}

void
x86_unary(struct x86 *x, enum x86_unary op, bool is_64, unsigned gpr)
{
    put_group(x, 0xf7, is_64, op, gpr, -1);
}

void
x86_shift_cl(struct x86 *x, enum x86_shift op, bool is_64, unsigned gpr)
{
    put_group(x, 0xd3, is_64, op, gpr, -1);
}

void
x86_shift_by(struct x86 *x, enum x86_shift op, bool is_64, unsigned gpr,
             unsigned count)
{
    put_group(x, 0xc1, is_64, op, gpr, (int)count);
}

void
x86_bit_test(struct x86 *x, unsigned gpr, unsigned bit)
{
    put_group(x, 0x1ba, false, 4, gpr, (int)bit);
}

void
x86_bswap(struct x86 *x, unsigned gpr)
{
    uint8_t b[2] = {0x0f, (uint8_t)(0xc8 | gpr)};
    assert(gpr < 8);
    x86_bytes(x, b, sizeof b);
}

void
x86_cqo(struct x86 *x)
{
    const uint8_t b[2] = {0x48, 0x99};
    x86_bytes(x, b, sizeof b);
}
