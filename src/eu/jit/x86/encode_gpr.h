/* encode_gpr.h: general-register instructions for code that works lane by lane.
 * Sources are registers or fields of the thread, [rbx + disp] or [rbx + index +
 * disp]. Names and encodings: Intel SDM vol 2. */
#ifndef EU_JIT_X86_ENCODE_GPR_H
#define EU_JIT_X86_ENCODE_GPR_H

#include "eu/jit/x86/encode_control.h"

/* name, prefix byte or 0, opcode map (0: none, 1: 0F), opcode; 64 bits wide
 * unless the caller says otherwise. */
#define X86_GPR_OPS(X)       \
    X(ADD, 0, 0, 0x03)       \
    X(OR, 0, 0, 0x0b)        \
    X(AND, 0, 0, 0x23)       \
    X(SUB, 0, 0, 0x2b)       \
    X(XOR, 0, 0, 0x33)       \
    X(CMP, 0, 0, 0x3b)       \
    X(MOV, 0, 0, 0x8b)       \
    X(MOVSXD, 0, 0, 0x63)    \
    X(MOVZX8, 0, 1, 0xb6)    \
    X(MOVZX16, 0, 1, 0xb7)   \
    X(MOVSX8, 0, 1, 0xbe)    \
    X(MOVSX16, 0, 1, 0xbf)   \
    X(IMUL, 0, 1, 0xaf)      \
    X(TEST, 0, 0, 0x85)      \
    X(CMOV, 0, 1, 0x40)      \
    X(POPCNT, 0xf3, 1, 0xb8) \
    X(TZCNT, 0xf3, 1, 0xbc)  \
    X(LZCNT, 0xf3, 1, 0xbd)  \
    X(ST8, 0, 0, 0x88)       \
    X(ST16, 0x66, 0, 0x89)   \
    X(ST, 0, 0, 0x89)

enum x86_gop {
#define X(name, prefix, map, opcode) X86_G_##name,
    X86_GPR_OPS(X)
#undef X
        X86_GOP_COUNT
};

/* The second operand. */
struct x86_gm {
    bool in_memory, indexed;
    uint8_t reg; /* or the index */
    int32_t disp;
};

static inline struct x86_gm
x86_g(unsigned gpr)
{
    return (struct x86_gm){.reg = (uint8_t)gpr};
}

static inline struct x86_gm
x86_g_thread(size_t disp)
{
    return (struct x86_gm){.in_memory = true, .disp = (int32_t)disp};
}

static inline struct x86_gm
x86_g_index(unsigned index, size_t disp)
{
    return (struct x86_gm){.in_memory = true,
                           .indexed = true,
                           .reg = (uint8_t)index,
                           .disp = (int32_t)disp};
}

void x86_gop(struct x86 *x, enum x86_gop op, bool is_64, unsigned reg,
             struct x86_gm m);
void x86_cmov(struct x86 *x, enum x86_cc cc, unsigned d, unsigned s);
/* al, cl or dl := the condition */
void x86_setcc(struct x86 *x, enum x86_cc cc, unsigned gpr);

enum x86_unary {
    X86_NOT = 2,
    X86_NEG = 3,
    X86_DIV = 6, /* rdx:rax */
    X86_IDIV = 7,
};
void x86_unary(struct x86 *x, enum x86_unary op, bool is_64, unsigned gpr);

enum x86_shift { X86_SHL = 4, X86_SHR = 5, X86_SAR = 7 };
void x86_shift_cl(struct x86 *x, enum x86_shift op, bool is_64, unsigned gpr);
void x86_shift_by(struct x86 *x, enum x86_shift op, bool is_64, unsigned gpr,
                  unsigned count);
/* The carry flag := a bit of the register. */
void x86_bit_test(struct x86 *x, unsigned gpr, unsigned bit);
void x86_bswap(struct x86 *x, unsigned gpr);
void x86_cqo(struct x86 *x);

#endif
