/* encode_control.h: encodings of general registers, calls, jumps and other
 * scalar instructions. Inline, because callers' operands are constants: most
 * calls reduce to the bytes themselves. Intel SDM vol 2, ch. 2 "Instruction
 * Format". */
#ifndef EU_JIT_X86_ENCODE_CONTROL_H
#define EU_JIT_X86_ENCODE_CONTROL_H

#include "eu/jit/x86/put_bytes.h"

enum x86_alu {
    X86_ADD = 0,
    X86_OR = 1,
    X86_AND = 4,
    X86_SUB = 5,
    X86_XOR = 6,
    X86_CMP = 7,
};

enum x86_cc {
    X86_CC_B = 2,
    X86_CC_AE = 3,
    X86_CC_E = 4,
    X86_CC_NE = 5,
    X86_CC_BE = 6,
    X86_CC_A = 7,
    X86_CC_S = 8,
    X86_CC_NS = 9,
    X86_CC_L = 12,
    X86_CC_GE = 13,
    X86_CC_LE = 14,
    X86_CC_G = 15,
    X86_ALWAYS = 16,
};

/* rbx, r12, r13 := rdi, rsi, rcx, after saving them; jmp rdx. */
void x86_enter(struct x86 *x);
/* Restores rbx, r12 and r13; returns r12. */
void x86_leave(struct x86 *x);
void x86_mov_imm(struct x86 *x, unsigned gpr, uint64_t imm);
/* prefetcht0 [rax + disp] */
void x86_prefetch_at_rax(struct x86 *x, size_t disp);
void x86_pdep(struct x86 *x, unsigned d, unsigned s, unsigned mask);
void x86_call(struct x86 *x, const void *function); /* through rax */

/* Puts bytes after a REX prefix, if one is needed. */
static inline void
x86_put_rex(struct x86 *x, bool w, unsigned reg, unsigned rm, uint64_t v,
            unsigned size_B)
{
    unsigned b = 0x40 | (unsigned)w << 3 | (reg >> 3) << 2 | rm >> 3;
    bool has = b != 0x40;
    x86_put(x, v << has * 8 | (has ? b : 0), size_B + has);
}

/* ModRM of two registers, of [base + disp32]. */
static inline unsigned
x86_both(unsigned reg, unsigned rm)
{
    return 0xc0 | (reg & 7) << 3 | (rm & 7);
}

static inline uint64_t
x86_at_disp(unsigned reg, unsigned base, int32_t disp)
{
    return 0x80 | (reg & 7) << 3 | base | (uint64_t)(uint32_t)disp << 8;
}

static inline uint64_t
x86_at_thread(const struct x86 *x, unsigned reg, size_t disp)
{
    return x86_at_disp(reg, X86_RBX, (int32_t)disp + x->bias);
}

static inline void
x86_reg_reg(struct x86 *x, bool w, unsigned opcode, unsigned reg, unsigned rm)
{
    x86_put_rex(x, w, reg, rm, opcode | x86_both(reg, rm) << 8, 2);
}

static inline void
x86_move_at_rax(struct x86 *x, uint8_t opcode, bool wide, unsigned gpr,
                size_t disp)
{
    uint64_t at = x86_at_disp(gpr, X86_RAX, (int32_t)disp);
    x86_put_rex(x, wide, gpr, 0, at << 8 | opcode, 6);
}

/* 64 bits */
static inline void
x86_mov_reg(struct x86 *x, unsigned d, unsigned s)
{
    x86_reg_reg(x, true, 0x89, s, d);
}

/* gpr := a field of the thread, at disp. */
static inline void
x86_load(struct x86 *x, unsigned gpr, size_t disp, unsigned size_B)
{
    uint64_t at = x86_at_thread(x, gpr, disp);
    if (size_B < 4) /* movzx */
        x86_put_rex(x, false, gpr, 0,
                    at << 16 | (size_B == 1 ? 0xb6 : 0xb7) << 8 | 0x0f, 7);
    else
        x86_put_rex(x, size_B == 8, gpr, 0, at << 8 | 0x8b, 6);
}

/* gpr := the dword at [rax + disp] */
static inline void
x86_load_from_rax(struct x86 *x, unsigned gpr, size_t disp)
{
    x86_move_at_rax(x, 0x8b, false, gpr, disp);
}

/* gpr := the qword at [rax + disp] */
static inline void
x86_load_at_rax(struct x86 *x, unsigned gpr, size_t disp)
{
    x86_move_at_rax(x, 0x8b, true, gpr, disp);
}

/* [rax + disp] := a dword */
static inline void
x86_store_at_rax(struct x86 *x, unsigned gpr, size_t disp)
{
    x86_move_at_rax(x, 0x89, false, gpr, disp);
}

/* gpr := the qword at fs:[disp] */
static inline void
x86_load_tls(struct x86 *x, unsigned gpr, int32_t disp)
{
    x86_put(x, 0x64, 1);
    x86_put_rex(x, true, gpr, 0,
                (uint64_t)(uint32_t)disp << 24 | 0x25 << 16 |
                    (0x04 | (gpr & 7) << 3) << 8 | 0x8b,
                7);
}

/* qword [base + disp] += 1; base: rax, rcx, rdx, rsi or rdi */
static inline void
x86_inc_at(struct x86 *x, unsigned base, size_t disp)
{
    uint64_t at = x86_at_disp(0, base, (int32_t)disp);
    x86_put_rex(x, true, 0, 0, at << 8 | 0xff, 6);
}

/* qword [base + 8 * index + disp] += 1; both: rax, rcx, rdx, rsi or rdi */
static inline void
x86_inc_element(struct x86 *x, unsigned base, unsigned index, size_t disp)
{
    uint64_t sib = 0xc0 | index << 3 | base;
    x86_put(x, sib << 24 | 0x84ff48, 4);
    x86_put_more(x, (uint32_t)disp, 4);
}

/* qword [base + disp] += imm, less than 128; base likewise */
static inline void
x86_add_imm_at(struct x86 *x, unsigned base, size_t disp, uint8_t imm)
{
    uint64_t at = x86_at_disp(0, base, (int32_t)disp);
    assert(imm < 128);
    x86_put_rex(x, true, 0, 0, (uint64_t)imm << 48 | at << 8 | 0x83, 7);
}

/* qword [base + disp] += gpr; base likewise */
static inline void
x86_add_at(struct x86 *x, unsigned base, size_t disp, unsigned gpr)
{
    uint64_t at = x86_at_disp(gpr, base, (int32_t)disp);
    x86_put_rex(x, true, gpr, 0, at << 8 | 0x01, 6);
}

static inline void
x86_store(struct x86 *x, unsigned gpr, size_t disp, unsigned size_B)
{
    uint64_t v = x86_at_thread(x, gpr, disp) << 8 | (size_B == 1 ? 0x88 : 0x89);
    if (size_B == 2)
        x86_put(x, 0x66, 1);
    if (size_B == 1 && gpr >= 4)
        x86_put(x, v << 8 | 0x40 | (gpr >> 3) << 2, 7);
    else
        x86_put_rex(x, size_B == 8, gpr, 0, v, 6);
}

static inline void
x86_store_imm(struct x86 *x, size_t disp, uint32_t imm)
{
    x86_put(x, x86_at_thread(x, 0, disp) << 8 | 0xc7, 6);
    x86_put_more(x, imm, 4);
}

static inline void
x86_alu_imm(struct x86 *x, enum x86_alu op, unsigned gpr, uint32_t imm,
            bool is_64)
{
    x86_put_rex(x, is_64, 0, gpr,
                (uint64_t)imm << 16 | x86_both(op, gpr) << 8 | 0x81, 6);
}

static inline void
x86_alu_reg(struct x86 *x, enum x86_alu op, unsigned d, unsigned s, bool is_64)
{
    x86_reg_reg(x, is_64, op << 3 | 1, s, d);
}

static inline void
x86_alu_mem_imm(struct x86 *x, enum x86_alu op, size_t disp, uint32_t imm)
{
    x86_put(x, x86_at_thread(x, op, disp) << 8 | 0x81, 6);
    x86_put_more(x, imm, 4);
}

/* Compares size_B (1, 2, 4) bytes of the thread with all ones. */
static inline void
x86_cmp_ones(struct x86 *x, size_t disp, unsigned size_B)
{
    uint64_t at = x86_at_thread(x, X86_CMP, disp);
    if (size_B == 2)
        x86_put(x, 0x66, 1);
    x86_put(x, UINT64_C(0xff) << 48 | at << 8 | (size_B == 1 ? 0x80 : 0x83), 7);
}

static inline void
x86_lea(struct x86 *x, unsigned gpr, unsigned base, int32_t disp)
{
    assert((base & 7) != X86_RSP);
    x86_put_rex(x, true, gpr, base,
                x86_at_disp(gpr, base & 7, disp) << 8 | 0x8d, 6);
}

static inline void
x86_shift_imm(struct x86 *x, bool left, unsigned gpr, uint8_t count)
{
    x86_put_rex(x, false, 0, gpr,
                (uint64_t)count << 16 | x86_both(left ? 4 : 5, gpr) << 8 | 0xc1,
                3);
}

static inline void
x86_not(struct x86 *x, unsigned gpr)
{
    x86_reg_reg(x, false, 0xf7, 2, gpr);
}

/* 64 bits */
static inline void
x86_test(struct x86 *x, unsigned gpr)
{
    x86_reg_reg(x, true, 0x85, gpr, gpr);
}

/* Calls code of ours; returns the offset for x86_patch(). */
static inline uint32_t
x86_call_local(struct x86 *x)
{
    x86_put(x, 0xe8, 5);
    return x->size - 4;
}

static inline void
x86_jmp_reg(struct x86 *x, unsigned gpr)
{
    x86_put_rex(x, false, 0, gpr, (0xe0 | (gpr & 7)) << 8 | 0xff, 2);
}

/* jmp [rax] */
static inline void
x86_jmp_at_rax(struct x86 *x)
{
    x86_put(x, 0x20ff, 2);
}

/* call [rax] */
static inline void
x86_call_at_rax(struct x86 *x)
{
    x86_put(x, 0x10ff, 2);
}

/* call [rbx + disp] */
static inline void
x86_call_at(struct x86 *x, size_t disp)
{
    x86_put(x, x86_at_disp(2, X86_RBX, (int32_t)disp) << 8 | 0xff, 6);
}

static inline void
x86_ret(struct x86 *x)
{
    x86_put(x, 0xc3, 1);
}

/* A jump with a 32-bit distance that is filled in later. Returns the offset for
 * x86_patch(). */
static inline uint32_t
x86_jump(struct x86 *x, enum x86_cc cc)
{
    if (cc == X86_ALWAYS)
        x86_put(x, 0xe9, 5);
    else
        x86_put(x, 0x800f | cc << 8, 6);
    return x->size - 4;
}

static inline void
x86_patch(struct x86 *x, uint32_t at, uint32_t target)
{
    uint32_t distance = target - (at + 4);
    if (!x->failed)
        memcpy(x->code + at, &distance, 4);
}

/* Earlier stores become visible before later loads: lock or dword [rsp], 0 */
static inline void
x86_fence(struct x86 *x)
{
    x86_put(x, UINT64_C(0x00240c83f0), 5);
}

/* gpr := the address of code emitted earlier */
static inline void
x86_lea_code(struct x86 *x, unsigned gpr, uint32_t at)
{
    uint64_t distance = at - (x->size + 7);
    x86_put_rex(x, true, gpr, 0,
                (distance & UINT32_MAX) << 16 | (gpr & 7) << 11 | 0x058d, 6);
}

static inline void
x86_push(struct x86 *x, unsigned gpr)
{
    x86_put_rex(x, false, 0, gpr, 0x50 | (gpr & 7), 1);
}

static inline void
x86_pop(struct x86 *x, unsigned gpr)
{
    x86_put_rex(x, false, 0, gpr, 0x58 | (gpr & 7), 1);
}

#endif
