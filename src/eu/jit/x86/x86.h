/* x86.h: encodes x86-64 machine code, in the few forms that the JIT uses.
 *
 * Callers: all of eu/jit that emits code. Vector instructions are rows of
 * vector_ops.h, encoded as EVEX, or as VEX if the target has no AVX-512.
 * Addresses are [rbx + disp] (the thread), [rip + constant] and [rax]. Names
 * and encodings: Intel SDM vol 2. One emitter per thread. */
#ifndef EU_JIT_X86_X86_H
#define EU_JIT_X86_X86_H

#include "base/arena.h"
#include "base/base.h"

#include "eu/jit/x86/vector_ops.h"

enum x86_gpr {
    X86_RAX,
    X86_RCX,
    X86_RDX,
    X86_RBX,
    X86_RSP,
    X86_RBP,
    X86_RSI,
    X86_RDI,
    X86_R8,
    X86_R9,
    X86_R10,
    X86_R11,
    X86_R12,
    X86_R13,
    X86_R14,
    X86_R15,
};

enum x86_kop {
    X86_KAND = 0x41,
    X86_KANDN = 0x42, /* ~b & c */
    X86_KOR = 0x45,
    X86_KXNOR = 0x46,
    X86_KXOR = 0x47,
};

/* Predicates of CMPPS and CMPPD. */
#define JIT_PRED_ORD 0x07
#define JIT_PRED_UNORD 0x03
#define JIT_PRED_GE 0x1d
#define JIT_PRED_LT 0x11
#define JIT_PRED_NE 0x0c /* not equal, and no NaN */

enum x86_rm_kind { X86_REG, X86_THREAD, X86_CONST, X86_AT_RAX };

/* Operand: a register or a memory place, in one number. Compilers copy structs
 * of small fields byte by byte through memory, which stalls a reader of the
 * whole. Bits 0-7 are an enum x86_rm_kind, 8-15 the register, 32-63 the
 * displacement (X86_CONST: byte offset in the constant pool). */
struct x86_rm {
    uint64_t bits;
};
#define X86_RM_BCAST (UINT64_C(1) << 16) /* broadcast one dword (EVEX) */

struct x86_fixup {
    uint32_t at; /* of a 32-bit displacement */
    uint32_t target;
};

#define X86_KNOWN 512
/* Longest code that is emitted without checking for room again. */
#define X86_ROOM 64

struct x86 {
    bool evex;
    int32_t bias; /* added to X86_THREAD displacements: see lockstep.c */
    bool failed;  /* out of memory: the code is unusable */
    struct arena *memory;
    uint8_t *code;
    uint32_t size, capacity;
    uint32_t *pool; /* constants; placed after the code */
    uint32_t pool_count, pool_capacity;
    uint16_t known[X86_KNOWN]; /* 1 plus the constants' indices in the pool */
    struct x86_fixup *fixups;  /* references to the pool */
    uint32_t fixup_count, fixup_capacity;
    uint8_t nowhere[X86_ROOM]; /* code goes here without memory */
};

/* All arrays lie in this arena, which belongs to the caller. */
void x86_init(struct x86 *x, bool evex, struct arena *memory);
/* Appends the constants and patches all references to them. */
void x86_place_pool(struct x86 *x);

static inline enum x86_rm_kind
x86_kind(struct x86_rm rm)
{
    return (enum x86_rm_kind)(rm.bits & 0xff);
}

static inline unsigned
x86_reg_of(struct x86_rm rm)
{
    return rm.bits >> 8 & 0xff;
}

static inline bool
x86_is_bcast(struct x86_rm rm)
{
    return rm.bits & X86_RM_BCAST;
}

static inline int32_t
x86_disp(struct x86_rm rm)
{
    return (int32_t)(rm.bits >> 32);
}

static inline struct x86_rm
x86_reg(unsigned reg)
{
    return (struct x86_rm){X86_REG | (uint64_t)(reg & 0xff) << 8};
}

static inline struct x86_rm
x86_memory(enum x86_rm_kind kind, size_t disp)
{
    return (struct x86_rm){kind | (uint64_t)disp << 32};
}

static inline struct x86_rm
x86_thread(size_t disp)
{
    return x86_memory(X86_THREAD, disp);
}

static inline struct x86_rm
x86_at_rax(size_t disp)
{
    return x86_memory(X86_AT_RAX, disp);
}

/* The operand with its dword broadcast to all lanes, or not broadcast. */
static inline struct x86_rm
x86_bcast(struct x86_rm rm, bool all)
{
    rm.bits &= ~X86_RM_BCAST;
    rm.bits |= all ? X86_RM_BCAST : 0;
    return rm;
}

static inline struct x86_rm
x86_thread_bcast(size_t disp)
{
    return x86_bcast(x86_thread(disp), true);
}

/* A double, or an integer, in all lanes (EVEX only). */
struct x86_rm x86_const_qword(struct x86 *x, uint64_t value);
struct x86_rm x86_const_double(struct x86 *x, double value);
/* count consecutive dwords of the pool, shared with equal constants. */
struct x86_rm x86_const(struct x86 *x, const uint32_t *dw, unsigned count);
struct x86_rm x86_new_dword(struct x86 *x, uint32_t value);

/* Hash table slot of a constant with these first dwords. */
static inline unsigned
x86_const_slot(uint32_t dw0, uint32_t dw1, unsigned count)
{
    uint32_t h = dw0 * 0x9e3779b1u + dw1 * 0x85ebca6bu + count;
    return h >> 23 & (X86_KNOWN - 1);
}

/* One dword, broadcast with EVEX. */
static inline struct x86_rm
x86_dword_const(struct x86 *x, uint32_t value)
{
    uint32_t at = x->known[x86_const_slot(value, 0, 1)] - 1u;
    if (at < x->pool_count && x->pool[at] == value)
        return x86_bcast(x86_memory(X86_CONST, at * 4), x->evex);
    return x86_new_dword(x, value);
}

/* One dword, eight times. */
struct x86_rm x86_dwords_const(struct x86 *x, uint32_t value);

/* Modifiers, where EVEX has them: log2 of the length in 128 bits, the mask
 * register, zeroing of lanes outside the mask, an immediate and its size. */
static inline uint64_t
x86_mods(unsigned len, unsigned k, bool zero)
{
    return (uint32_t)zero << 31 | len << 29 | k << 24;
}

static inline uint64_t
x86_mods_imm(unsigned len, unsigned k, uint8_t imm)
{
    return x86_mods(len, k, false) | (uint64_t)imm << 48 | UINT64_C(1) << 56;
}

/* regs: reg | vvvv << 8 */
void x86_vector(struct x86 *x, enum x86_vop op, uint64_t mods, unsigned regs,
                struct x86_rm rm);

/* Emits op reg, vvvv, rm on vectors of 128 << len bits; k is a mask register or
 * 0. For operations with an immediate: x86_vop_imm(). */
static inline void
x86_vop(struct x86 *x, enum x86_vop op, unsigned len, unsigned reg,
        unsigned vvvv, struct x86_rm rm, unsigned k)
{
    x86_vector(x, op, x86_mods(len, k, false), reg | vvvv << 8, rm);
}

/* x86_vop() that zeroes lanes outside k. */
static inline void
x86_vop_z(struct x86 *x, enum x86_vop op, unsigned len, unsigned reg,
          unsigned vvvv, struct x86_rm rm, unsigned k)
{
    x86_vector(x, op, x86_mods(len, k, true), reg | vvvv << 8, rm);
}

static inline void
x86_vop_imm(struct x86 *x, enum x86_vop op, unsigned len, unsigned reg,
            unsigned vvvv, struct x86_rm rm, unsigned k, uint8_t imm)
{
    x86_vector(x, op, x86_mods_imm(len, k, imm), reg | vvvv << 8, rm);
}

/* x86_vop() on registers, 512 bits, with a fixed rounding mode. */
enum x86_rounding { X86_DOWN = 1, X86_UP };
static inline void
x86_vop_rounded(struct x86 *x, enum x86_vop op, unsigned reg, unsigned vvvv,
                unsigned rm, enum x86_rounding rounding)
{
    uint64_t mods = x86_mods(rounding, 0, false) | 1u << 28;
    x86_vector(x, op, mods, reg | vvvv << 8, x86_reg(rm));
}

/* x86_vop() with [rax + rcx], VEX only; imm < 0: none. */
void x86_vop_indexed(struct x86 *x, enum x86_vop op, unsigned len, unsigned reg,
                     unsigned vvvv, int imm);
/* Gathers from, or scatters to, [rbx + disp + index]. */
void x86_gather(struct x86 *x, unsigned len, unsigned reg, unsigned index,
                int32_t disp, unsigned k);
void x86_scatter(struct x86 *x, unsigned len, unsigned reg, unsigned index,
                 int32_t disp, unsigned k);
/* Gathers from, or scatters to, [rax + disp + index]. Without AVX-512 there are
 * no scatters, and k is a vector register with the lanes' sign bits, which are
 * cleared. */
void x86_gather_at_rax(struct x86 *x, unsigned len, unsigned reg,
                       unsigned index, int32_t disp, unsigned k);
void x86_scatter_at_rax(struct x86 *x, unsigned len, unsigned reg,
                        unsigned index, int32_t disp, unsigned k);
void x86_vzeroupper(struct x86 *x);

/* d := s >> count */
void x86_kshift_right(struct x86 *x, unsigned d, unsigned s, uint8_t count);
/* Sets the CPU's flags by the OR of both: X86_CC_E if no bit is set. */
void x86_kortest(struct x86 *x, unsigned a, unsigned b);
/* Mask register operations on 16 bits (or 8: is_byte). */
void x86_kop(struct x86 *x, enum x86_kop op, unsigned d, unsigned b,
             unsigned c);
void x86_kload(struct x86 *x, unsigned k, struct x86_rm rm, bool is_byte);
void x86_kstore(struct x86 *x, unsigned k, struct x86_rm rm, bool is_byte);
void x86_kmov_from_gpr(struct x86 *x, unsigned k, unsigned gpr, bool is_64);
void x86_kmov_to_gpr(struct x86 *x, unsigned gpr, unsigned k);

/* Emits the given bytes. */
void x86_bytes(struct x86 *x, const uint8_t *b, unsigned count);

#endif
