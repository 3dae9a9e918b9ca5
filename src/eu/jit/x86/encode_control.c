/* encode_control.c: encodings of masks, general registers, calls and jumps.
 * Intel SDM vol 2, ch. 2 "Instruction Format". */
#include "eu/jit/x86/encode_control.h"

static inline uint8_t *
put_dword(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, 4);
    return p + 4;
}

static inline uint8_t *
put_modrm(const struct x86 *x, uint8_t *p, unsigned reg, struct x86_rm rm)
{
    unsigned base = x86_kind(rm) == X86_AT_RAX ? X86_RAX : X86_RBX;
    assert(x86_kind(rm) == X86_THREAD || x86_kind(rm) == X86_AT_RAX);
    *p++ = (uint8_t)(0x80 | (reg & 7) << 3 | base);
    return put_dword(
        p, (uint32_t)(x86_disp(rm) + (base == X86_RBX ? x->bias : 0)));
}

static inline uint8_t *
put_vex3(uint8_t *p, unsigned map, unsigned pp, unsigned w, unsigned len,
         unsigned reg, unsigned vvvv, struct x86_rm rm, unsigned opcode)
{
    unsigned b = x86_kind(rm) == X86_REG ? x86_reg_of(rm) >> 3 & 1 : 0;
    *p++ = 0xc4;
    *p++ = (uint8_t)((~reg >> 3 & 1) << 7 | 1 << 6 | (~b & 1) << 5 | map);
    *p++ = (uint8_t)(w << 7 | (~vvvv & 15) << 3 | len << 2 | pp);
    *p++ = (uint8_t)opcode;
    return p;
}

/* ---- masks ---- */

void
x86_kop(struct x86 *x, enum x86_kop op, unsigned d, unsigned b, unsigned c)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0xc5;
    *p++ = (uint8_t)(1 << 7 | (~b & 15) << 3 | 1 << 2);
    *p++ = (uint8_t)op;
    *p++ = (uint8_t)(0xc0 | d << 3 | c);
    x86_end(x, p);
}

static void
put_kmem(struct x86 *x, unsigned opcode, unsigned k, struct x86_rm rm,
         bool is_byte)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0xc5;
    *p++ = (uint8_t)(1 << 7 | 15 << 3 | is_byte);
    *p++ = (uint8_t)opcode;
    p = put_modrm(x, p, k, rm);
    x86_end(x, p);
}

void
x86_kload(struct x86 *x, unsigned k, struct x86_rm rm, bool is_byte)
{
    put_kmem(x, 0x90, k, rm, is_byte);
}

void
x86_kstore(struct x86 *x, unsigned k, struct x86_rm rm, bool is_byte)
{
    put_kmem(x, 0x91, k, rm, is_byte);
}

void
x86_kmov_from_gpr(struct x86 *x, unsigned k, unsigned gpr, bool is_64)
{
    uint8_t *p = x86_begin(x); /* kmovd or kmovq */
    p = put_vex3(p, 1, 3, is_64, 0, k, 0, x86_reg(gpr), 0x92);
    *p++ = (uint8_t)(0xc0 | k << 3 | (gpr & 7));
    x86_end(x, p);
}

void
x86_kmov_to_gpr(struct x86 *x, unsigned gpr, unsigned k)
{
    uint8_t *p = x86_begin(x); /* kmovw */
    p = put_vex3(p, 1, 0, 0, 0, gpr, 0, x86_reg(k), 0x93);
    *p++ = (uint8_t)(0xc0 | (gpr & 7) << 3 | k);
    x86_end(x, p);
}

void
x86_kshift_right(struct x86 *x, unsigned d, unsigned s, uint8_t count)
{
    uint8_t *p = x86_begin(x); /* kshiftrw */
    p = put_vex3(p, 3, 1, 1, 0, d, 0, x86_reg(s), 0x30);
    *p++ = (uint8_t)(0xc0 | d << 3 | s);
    *p++ = count;
    x86_end(x, p);
}

void
x86_kortest(struct x86 *x, unsigned a, unsigned b)
{
    uint8_t *p = x86_begin(x); /* kortestw */
    p = put_vex3(p, 1, 0, 0, 0, a, 0, x86_reg(b), 0x98);
    *p++ = (uint8_t)(0xc0 | a << 3 | b);
    x86_end(x, p);
}

void
x86_bytes(struct x86 *x, const uint8_t *b, unsigned count)
{
    x86_room(x);
    if (x->failed)
        return;
    memcpy(x->code + x->size, b, count);
    x->size += count;
}

/* ---- general registers ---- */

void
x86_enter(struct x86 *x)
{
    static const uint8_t b[16] = {
        0x53,             /* push rbx */
        0x41, 0x54,       /* push r12 */
        0x41, 0x55,       /* push r13 */
        0x48, 0x89, 0xfb, /* mov rbx, rdi */
        0x49, 0x89, 0xf4, /* mov r12, rsi */
        0x49, 0x89, 0xcd, /* mov r13, rcx */
        0xff, 0xe2,       /* jmp rdx */
    };
    x86_room(x);
    memcpy(x->code + x->size, b, sizeof b);
    x->size += sizeof b;
}

void
x86_leave(struct x86 *x)
{
    /* mov rax, r12; pop r13; pop r12; pop rbx; ret */
    x86_put(x, 0x5b5c415d41e0894c, 8);
    x86_put_more(x, 0xc3, 1);
}

void
x86_mov_imm(struct x86 *x, unsigned gpr, uint64_t imm)
{
    uint64_t opcode = 0xb8 | (gpr & 7);
    if (imm <= UINT32_MAX) {
        x86_put_rex(x, false, 0, gpr, opcode | imm << 8, 5);
        return;
    }
    x86_put_rex(x, true, 0, gpr, opcode, 1);
    x86_put_more(x, imm, 8);
}

void
x86_prefetch_at_rax(struct x86 *x, size_t disp)
{
    x86_put(x, x86_at_disp(1, X86_RAX, (int32_t)disp) << 16 | 0x180f, 7);
}

void
x86_pdep(struct x86 *x, unsigned d, unsigned s, unsigned mask)
{
    uint8_t *p = x86_begin(x);
    p = put_vex3(p, 2, 3, 1, 0, d, s, x86_reg(mask), 0xf5);
    *p++ = (uint8_t)x86_both(d, mask);
    x86_end(x, p);
}

void
x86_call(struct x86 *x, const void *function)
{
    x86_mov_imm(x, X86_RAX, (uintptr_t)function);
    x86_put(x, 0xd0ff, 2);
}
