/* x86_control.c: encodings of what surrounds vectors: masks, general registers,
 * calls and jumps. Intel SDM vol 2, ch. 2 "Instruction Format". */
#include "eu/jit/x86_emit.h"

static inline uint8_t *
put_dword(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, 4);
    return p + 4;
}

static inline uint8_t *
put_qword(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, 8);
    return p + 8;
}

static inline uint8_t *
modrm(const struct x86 *x, uint8_t *p, unsigned reg, struct x86_rm rm)
{
    unsigned base = rm.kind == X86_AT_RAX ? X86_RAX : X86_RBX;
    assert(rm.kind == X86_THREAD || rm.kind == X86_AT_RAX);
    *p++ = (uint8_t)(0x80 | (reg & 7) << 3 | base);
    return put_dword(p, (uint32_t)(rm.disp + (base == X86_RBX ? x->bias : 0)));
}

static inline uint8_t *
vex3(uint8_t *p, unsigned map, unsigned pp, unsigned w, unsigned len,
     unsigned reg, unsigned vvvv, struct x86_rm rm, unsigned opcode)
{
    unsigned b = rm.kind == X86_REG ? rm.reg >> 3 & 1 : 0;
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
kmem(struct x86 *x, unsigned opcode, unsigned k, struct x86_rm rm, bool is_byte)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0xc5;
    *p++ = (uint8_t)(1 << 7 | 15 << 3 | is_byte);
    *p++ = (uint8_t)opcode;
    p = modrm(x, p, k, rm);
    x86_end(x, p);
}

void
x86_kload(struct x86 *x, unsigned k, struct x86_rm rm, bool is_byte)
{
    kmem(x, 0x90, k, rm, is_byte);
}

void
x86_kstore(struct x86 *x, unsigned k, struct x86_rm rm, bool is_byte)
{
    kmem(x, 0x91, k, rm, is_byte);
}

void
x86_kmov_from_gpr(struct x86 *x, unsigned k, unsigned gpr, bool is_64)
{
    uint8_t *p = x86_begin(x); /* kmovd or kmovq */
    p = vex3(p, 1, 3, is_64, 0, k, 0, x86_reg(gpr), 0x92);
    *p++ = (uint8_t)(0xc0 | k << 3 | (gpr & 7));
    x86_end(x, p);
}

void
x86_kmov_to_gpr(struct x86 *x, unsigned gpr, unsigned k)
{
    uint8_t *p = x86_begin(x); /* kmovw */
    p = vex3(p, 1, 0, 0, 0, gpr, 0, x86_reg(k), 0x93);
    *p++ = (uint8_t)(0xc0 | (gpr & 7) << 3 | k);
    x86_end(x, p);
}

void
x86_kshift_right(struct x86 *x, unsigned d, unsigned s, uint8_t count)
{
    uint8_t *p = x86_begin(x); /* kshiftrw */
    p = vex3(p, 3, 1, 1, 0, d, 0, x86_reg(s), 0x30);
    *p++ = (uint8_t)(0xc0 | d << 3 | s);
    *p++ = count;
    x86_end(x, p);
}

void
x86_kortest(struct x86 *x, unsigned a, unsigned b)
{
    uint8_t *p = x86_begin(x); /* kortestw */
    p = vex3(p, 1, 0, 0, 0, a, 0, x86_reg(b), 0x98);
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

static inline uint8_t *
rex(uint8_t *p, bool w, unsigned reg, unsigned rm)
{
    unsigned b = 0x40 | (unsigned)w << 3 | (reg >> 3) << 2 | rm >> 3;
    *p = (uint8_t)b;
    return p + (b != 0x40);
}

void
x86_mov_imm(struct x86 *x, unsigned gpr, uint64_t imm)
{
    uint8_t *p = x86_begin(x);
    bool wide = imm > UINT32_MAX;
    p = rex(p, wide, 0, gpr);
    *p++ = (uint8_t)(0xb8 | (gpr & 7));
    if (wide)
        p = put_qword(p, imm);
    else
        p = put_dword(p, (uint32_t)imm);
    x86_end(x, p);
}

static void
reg_reg(struct x86 *x, bool w, unsigned opcode, unsigned reg, unsigned rm)
{
    uint8_t *p = x86_begin(x);
    p = rex(p, w, reg, rm);
    *p++ = (uint8_t)opcode;
    *p++ = (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7));
    x86_end(x, p);
}

void
x86_mov_reg(struct x86 *x, unsigned d, unsigned s)
{
    reg_reg(x, true, 0x89, s, d);
}

void
x86_load(struct x86 *x, unsigned gpr, size_t disp, unsigned size_B)
{
    uint8_t *p = x86_begin(x);
    p = rex(p, size_B == 8, gpr, 0);
    if (size_B < 4) {
        *p++ = 0x0f; /* movzx */
        *p++ = (uint8_t)(size_B == 1 ? 0xb6 : 0xb7);
    } else {
        *p++ = 0x8b;
    }
    p = modrm(x, p, gpr, x86_thread(disp));
    x86_end(x, p);
}

static void
move_at_rax(struct x86 *x, uint8_t opcode, bool wide, unsigned gpr, size_t disp)
{
    uint8_t *p = x86_begin(x);
    p = rex(p, wide, gpr, 0);
    *p++ = (uint8_t)opcode;
    p = modrm(x, p, gpr,
              (struct x86_rm){.kind = X86_AT_RAX, .disp = (int32_t)disp});
    x86_end(x, p);
}

void
x86_load_from_rax(struct x86 *x, unsigned gpr, size_t disp)
{
    move_at_rax(x, 0x8b, false, gpr, disp);
}

void
x86_load_at_rax(struct x86 *x, unsigned gpr, size_t disp)
{
    move_at_rax(x, 0x8b, true, gpr, disp);
}

void
x86_store_at_rax(struct x86 *x, unsigned gpr, size_t disp)
{
    move_at_rax(x, 0x89, false, gpr, disp);
}

void
x86_prefetch_at_rax(struct x86 *x, size_t disp)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0x0f;
    *p++ = 0x18;
    p = modrm(x, p, 1,
              (struct x86_rm){.kind = X86_AT_RAX, .disp = (int32_t)disp});
    x86_end(x, p);
}

void
x86_store(struct x86 *x, unsigned gpr, size_t disp, unsigned size_B)
{
    uint8_t *p = x86_begin(x);
    if (size_B == 2)
        *p++ = 0x66;
    if (size_B == 1 && gpr >= 4)
        *p++ = (uint8_t)(0x40 | (gpr >> 3) << 2);
    else
        p = rex(p, size_B == 8, gpr, 0);
    *p++ = (uint8_t)(size_B == 1 ? 0x88 : 0x89);
    p = modrm(x, p, gpr, x86_thread(disp));
    x86_end(x, p);
}

void
x86_store_imm(struct x86 *x, size_t disp, uint32_t imm)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0xc7;
    p = modrm(x, p, 0, x86_thread(disp));
    p = put_dword(p, imm);
    x86_end(x, p);
}

void
x86_alu_imm(struct x86 *x, enum x86_alu op, unsigned gpr, uint32_t imm,
            bool is_64)
{
    uint8_t *p = x86_begin(x);
    p = rex(p, is_64, 0, gpr);
    *p++ = 0x81;
    *p++ = (uint8_t)(0xc0 | op << 3 | (gpr & 7));
    p = put_dword(p, imm);
    x86_end(x, p);
}

void
x86_alu_reg(struct x86 *x, enum x86_alu op, unsigned d, unsigned s, bool is_64)
{
    reg_reg(x, is_64, op << 3 | 1, s, d);
}

void
x86_alu_mem_imm(struct x86 *x, enum x86_alu op, size_t disp, uint32_t imm)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0x81;
    p = modrm(x, p, op, x86_thread(disp));
    p = put_dword(p, imm);
    x86_end(x, p);
}

void
x86_lea(struct x86 *x, unsigned gpr, unsigned base, int32_t disp)
{
    assert((base & 7) != X86_RSP);
    uint8_t *p = x86_begin(x);
    p = rex(p, true, gpr, base);
    *p++ = 0x8d;
    *p++ = (uint8_t)(0x80 | (gpr & 7) << 3 | (base & 7));
    p = put_dword(p, (uint32_t)disp);
    x86_end(x, p);
}

void
x86_shift_imm(struct x86 *x, bool left, unsigned gpr, uint8_t count)
{
    uint8_t *p = x86_begin(x);
    p = rex(p, false, 0, gpr);
    *p++ = 0xc1;
    *p++ = (uint8_t)(0xc0 | (left ? 4 : 5) << 3 | (gpr & 7));
    *p++ = count;
    x86_end(x, p);
}

void
x86_not(struct x86 *x, unsigned gpr)
{
    reg_reg(x, false, 0xf7, 2, gpr);
}

void
x86_test(struct x86 *x, unsigned gpr)
{
    reg_reg(x, true, 0x85, gpr, gpr);
}

void
x86_pdep(struct x86 *x, unsigned d, unsigned s, unsigned mask)
{
    uint8_t *p = x86_begin(x);
    p = vex3(p, 2, 3, 1, 0, d, s, x86_reg(mask), 0xf5);
    *p++ = (uint8_t)(0xc0 | (d & 7) << 3 | (mask & 7));
    x86_end(x, p);
}

void
x86_push(struct x86 *x, unsigned gpr)
{
    uint8_t *p = x86_begin(x);
    p = rex(p, false, 0, gpr);
    *p++ = (uint8_t)(0x50 | (gpr & 7));
    x86_end(x, p);
}

void
x86_pop(struct x86 *x, unsigned gpr)
{
    uint8_t *p = x86_begin(x);
    p = rex(p, false, 0, gpr);
    *p++ = (uint8_t)(0x58 | (gpr & 7));
    x86_end(x, p);
}

void
x86_call(struct x86 *x, const void *function)
{
    x86_mov_imm(x, X86_RAX, (uintptr_t)function);
    uint8_t *p = x86_begin(x);
    *p++ = 0xff;
    *p++ = 0xd0;
    x86_end(x, p);
}

uint32_t
x86_call_local(struct x86 *x)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0xe8;
    p = put_dword(p, 0);
    x86_end(x, p);
    return x->size - 4;
}

void
x86_jmp_reg(struct x86 *x, unsigned gpr)
{
    uint8_t *p = x86_begin(x);
    p = rex(p, false, 0, gpr);
    *p++ = 0xff;
    *p++ = (uint8_t)(0xe0 | (gpr & 7));
    x86_end(x, p);
}

void
x86_jmp_at_rax(struct x86 *x)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0xff;
    *p++ = 0x20;
    x86_end(x, p);
}

void
x86_call_at_rax(struct x86 *x)
{
    const uint8_t b[2] = {0xff, 0x10};
    x86_bytes(x, b, sizeof b);
}

void
x86_ret(struct x86 *x)
{
    uint8_t *p = x86_begin(x);
    *p++ = 0xc3;
    x86_end(x, p);
}

uint32_t
x86_jump(struct x86 *x, enum x86_cc cc)
{
    uint8_t *p = x86_begin(x);
    if (cc == X86_ALWAYS) {
        *p++ = 0xe9;
    } else {
        *p++ = 0x0f;
        *p++ = (uint8_t)(0x80 | cc);
    }
    p = put_dword(p, 0);
    x86_end(x, p);
    return x->size - 4;
}

void
x86_patch(struct x86 *x, uint32_t at, uint32_t target)
{
    uint32_t distance = target - (at + 4);
    if (!x->failed)
        memcpy(x->code + at, &distance, 4);
}
