/* x86_control.c: encodings of what surrounds vectors: masks, general registers,
 * calls and jumps. Intel SDM vol 2, ch. 2 "Instruction Format". */
#include "eu/jit/x86_emit.h"

static void
qword(struct x86 *x, uint64_t v)
{
    x86_dword(x, (uint32_t)v);
    x86_dword(x, (uint32_t)(v >> 32));
}

static void
vex3(struct x86 *x, unsigned map, unsigned pp, unsigned w, unsigned len,
     unsigned reg, unsigned vvvv, struct x86_rm rm, unsigned opcode)
{
    unsigned b = rm.kind == X86_REG ? rm.reg >> 3 & 1 : 0;
    x86_byte(x, 0xc4);
    x86_byte(x, (~reg >> 3 & 1) << 7 | 1 << 6 | (~b & 1) << 5 | map);
    x86_byte(x, w << 7 | (~vvvv & 15) << 3 | len << 2 | pp);
    x86_byte(x, opcode);
}

/* ---- masks ---- */

void
x86_kop(struct x86 *x, enum x86_kop op, unsigned d, unsigned b, unsigned c)
{
    x86_room(x);
    x86_byte(x, 0xc5);
    x86_byte(x, 1 << 7 | (~b & 15) << 3 | 1 << 2);
    x86_byte(x, op);
    x86_byte(x, 0xc0 | d << 3 | c);
}

static void
kmem(struct x86 *x, unsigned opcode, unsigned k, struct x86_rm rm, bool is_byte)
{
    x86_room(x);
    x86_byte(x, 0xc5);
    x86_byte(x, 1 << 7 | 15 << 3 | is_byte);
    x86_byte(x, opcode);
    x86_modrm(x, k, rm);
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
    x86_room(x); /* kmovd or kmovq */
    vex3(x, 1, 3, is_64, 0, k, 0, x86_reg(gpr), 0x92);
    x86_byte(x, 0xc0 | k << 3 | (gpr & 7));
}

void
x86_kmov_to_gpr(struct x86 *x, unsigned gpr, unsigned k)
{
    x86_room(x); /* kmovw */
    vex3(x, 1, 0, 0, 0, gpr, 0, x86_reg(k), 0x93);
    x86_byte(x, 0xc0 | (gpr & 7) << 3 | k);
}

void
x86_kshift_right(struct x86 *x, unsigned d, unsigned s, uint8_t count)
{
    x86_room(x); /* kshiftrw */
    vex3(x, 3, 1, 1, 0, d, 0, x86_reg(s), 0x30);
    x86_byte(x, 0xc0 | d << 3 | s);
    x86_byte(x, count);
}

void
x86_kortest(struct x86 *x, unsigned a, unsigned b)
{
    x86_room(x); /* kortestw */
    vex3(x, 1, 0, 0, 0, a, 0, x86_reg(b), 0x98);
    x86_byte(x, 0xc0 | a << 3 | b);
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

static void
rex(struct x86 *x, bool w, unsigned reg, unsigned rm)
{
    unsigned b = 0x40 | (unsigned)w << 3 | (reg >> 3) << 2 | rm >> 3;
    if (b != 0x40)
        x86_byte(x, b);
}

void
x86_mov_imm(struct x86 *x, unsigned gpr, uint64_t imm)
{
    x86_room(x);
    bool wide = imm > UINT32_MAX;
    rex(x, wide, 0, gpr);
    x86_byte(x, 0xb8 | (gpr & 7));
    if (wide)
        qword(x, imm);
    else
        x86_dword(x, (uint32_t)imm);
}

static void
reg_reg(struct x86 *x, bool w, unsigned opcode, unsigned reg, unsigned rm)
{
    x86_room(x);
    rex(x, w, reg, rm);
    x86_byte(x, opcode);
    x86_byte(x, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

void
x86_mov_reg(struct x86 *x, unsigned d, unsigned s)
{
    reg_reg(x, true, 0x89, s, d);
}

void
x86_load(struct x86 *x, unsigned gpr, size_t disp, unsigned size_B)
{
    x86_room(x);
    rex(x, size_B == 8, gpr, 0);
    if (size_B < 4) {
        x86_byte(x, 0x0f); /* movzx */
        x86_byte(x, size_B == 1 ? 0xb6 : 0xb7);
    } else {
        x86_byte(x, 0x8b);
    }
    x86_modrm(x, gpr, x86_thread(disp));
}

static void
move_at_rax(struct x86 *x, uint8_t opcode, bool wide, unsigned gpr, size_t disp)
{
    x86_room(x);
    rex(x, wide, gpr, 0);
    x86_byte(x, opcode);
    x86_modrm(x, gpr,
              (struct x86_rm){.kind = X86_AT_RAX, .disp = (int32_t)disp});
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
    x86_room(x);
    x86_byte(x, 0x0f);
    x86_byte(x, 0x18);
    x86_modrm(x, 1, (struct x86_rm){.kind = X86_AT_RAX, .disp = (int32_t)disp});
}

void
x86_store(struct x86 *x, unsigned gpr, size_t disp, unsigned size_B)
{
    x86_room(x);
    if (size_B == 2)
        x86_byte(x, 0x66);
    if (size_B == 1 && gpr >= 4)
        x86_byte(x, 0x40 | (gpr >> 3) << 2);
    else
        rex(x, size_B == 8, gpr, 0);
    x86_byte(x, size_B == 1 ? 0x88 : 0x89);
    x86_modrm(x, gpr, x86_thread(disp));
}

void
x86_store_imm(struct x86 *x, size_t disp, uint32_t imm)
{
    x86_room(x);
    x86_byte(x, 0xc7);
    x86_modrm(x, 0, x86_thread(disp));
    x86_dword(x, imm);
}

void
x86_alu_imm(struct x86 *x, enum x86_alu op, unsigned gpr, uint32_t imm,
            bool is_64)
{
    x86_room(x);
    rex(x, is_64, 0, gpr);
    x86_byte(x, 0x81);
    x86_byte(x, 0xc0 | op << 3 | (gpr & 7));
    x86_dword(x, imm);
}

void
x86_alu_reg(struct x86 *x, enum x86_alu op, unsigned d, unsigned s, bool is_64)
{
    reg_reg(x, is_64, op << 3 | 1, s, d);
}

void
x86_alu_mem_imm(struct x86 *x, enum x86_alu op, size_t disp, uint32_t imm)
{
    x86_room(x);
    x86_byte(x, 0x81);
    x86_modrm(x, op, x86_thread(disp));
    x86_dword(x, imm);
}

void
x86_lea(struct x86 *x, unsigned gpr, unsigned base, int32_t disp)
{
    assert((base & 7) != X86_RSP);
    x86_room(x);
    rex(x, true, gpr, base);
    x86_byte(x, 0x8d);
    x86_byte(x, 0x80 | (gpr & 7) << 3 | (base & 7));
    x86_dword(x, (uint32_t)disp);
}

void
x86_shift_imm(struct x86 *x, bool left, unsigned gpr, uint8_t count)
{
    x86_room(x);
    rex(x, false, 0, gpr);
    x86_byte(x, 0xc1);
    x86_byte(x, 0xc0 | (left ? 4 : 5) << 3 | (gpr & 7));
    x86_byte(x, count);
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
    x86_room(x);
    vex3(x, 2, 3, 1, 0, d, s, x86_reg(mask), 0xf5);
    x86_byte(x, 0xc0 | (d & 7) << 3 | (mask & 7));
}

void
x86_push(struct x86 *x, unsigned gpr)
{
    x86_room(x);
    rex(x, false, 0, gpr);
    x86_byte(x, 0x50 | (gpr & 7));
}

void
x86_pop(struct x86 *x, unsigned gpr)
{
    x86_room(x);
    rex(x, false, 0, gpr);
    x86_byte(x, 0x58 | (gpr & 7));
}

void
x86_call(struct x86 *x, const void *function)
{
    x86_mov_imm(x, X86_RAX, (uintptr_t)function);
    x86_byte(x, 0xff);
    x86_byte(x, 0xd0);
}

uint32_t
x86_call_local(struct x86 *x)
{
    x86_room(x);
    x86_byte(x, 0xe8);
    x86_dword(x, 0);
    return x->size - 4;
}

void
x86_jmp_reg(struct x86 *x, unsigned gpr)
{
    x86_room(x);
    rex(x, false, 0, gpr);
    x86_byte(x, 0xff);
    x86_byte(x, 0xe0 | (gpr & 7));
}

void
x86_jmp_at_rax(struct x86 *x)
{
    x86_room(x);
    x86_byte(x, 0xff);
    x86_byte(x, 0x20);
}

void
x86_ret(struct x86 *x)
{
    x86_room(x);
    x86_byte(x, 0xc3);
}

uint32_t
x86_jump(struct x86 *x, enum x86_cc cc)
{
    x86_room(x);
    if (cc == X86_ALWAYS) {
        x86_byte(x, 0xe9);
    } else {
        x86_byte(x, 0x0f);
        x86_byte(x, 0x80 | cc);
    }
    x86_dword(x, 0);
    return x->size - 4;
}

void
x86_patch(struct x86 *x, uint32_t at, uint32_t target)
{
    uint32_t distance = target - (at + 4);
    if (!x->failed)
        memcpy(x->code + at, &distance, 4);
}
