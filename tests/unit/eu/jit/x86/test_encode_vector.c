/* test_encode_vector.c: the encoder against GNU as. */
#include <criterion/criterion.h>

#include "eu/jit/x86/reencode.h"

struct x86_case {
    enum x86_vop op;
    bool evex;
    uint8_t len, reg, vvvv;
    struct {
        enum x86_rm_kind kind;
        uint8_t reg;
        bool bcast;
        int32_t disp;
    } rm;
    uint8_t k;
    int imm;
    uint8_t size;
    uint8_t bytes[16];
};

static const struct x86_case cases[] = {
#include "x86_cases.h"
};

static struct x86_rm
operand(const struct x86_case *c)
{
    if (c->rm.kind == X86_REG)
        return x86_reg(c->rm.reg);
    return x86_bcast(x86_memory(c->rm.kind, (size_t)c->rm.disp), c->rm.bcast);
}

static void
begin(struct x86 *x, bool evex)
{
    static struct arena memory;
    arena_init(&memory, 65536, 0);
    x86_init(x, evex, &memory);
}

Test(jit_x86, vector_instructions)
{
    struct x86 x;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct x86_case *c = &cases[i];
        begin(&x, c->evex);
        if (c->imm >= 0)
            x86_vop_imm(&x, c->op, c->len, c->reg, c->vvvv, operand(c), c->k,
                        (uint8_t)c->imm);
        else
            x86_vop(&x, c->op, c->len, c->reg, c->vvvv, operand(c), c->k);
        cr_expect(x.size == c->size && !memcmp(x.code, c->bytes, c->size),
                  "case %u, operation %u", i, c->op);
        arena_finish(x.memory);
    }
}

/* By GNU as: the short displacement counts halves of the vector. */
Test(jit_x86, halves_of_a_vector)
{
    static const uint8_t expected[] = {
        0x62, 0xf3, 0xfd, 0x48, 0x1b, 0x7b, 5, 1, /* [rbx + 160], zmm7 */
        0x62, 0xf3, 0xcd, 0x48, 0x1a, 0x7b, 5, 1, /* zmm7, zmm6, [...] */
    };
    struct x86 x;
    begin(&x, true);
    x86_vop_imm(&x, X86_EXTRACTF64X4, 2, 7, 0, x86_thread(160), 0, 1);
    x86_vop_imm(&x, X86_INSERTF64X4, 2, 7, 6, x86_thread(160), 0, 1);
    cr_assert_eq(x.size, sizeof expected);
    cr_expect_arr_eq(x.code, expected, sizeof expected);
    arena_finish(x.memory);
}

/* By GNU as. */
Test(jit_x86, places_beside_rax)
{
    static const uint8_t expected[] = {
        0xc4, 0x61, 0x78, 0x10, 0x1c, 0x08,       /* xmm11, [rax + rcx] */
        0xc4, 0x63, 0x25, 0x18, 0x1c, 0x08, 1,    /* vinsertf128 ymm11, .. */
        0xc4, 0x63, 0x7d, 0x19, 0x98, 64,   1, 0, /* vextractf128 .. */
        0,    1,                                  /* [rax + 320], ymm11, 1 */
        0xc4, 0xa2, 0x65, 0x90, 0xac, 0x20, 8, 0, /* vpgatherdd ymm5, */
        0,    0,                                  /* [rax + ymm12 + 8], ymm3 */
    };
    struct x86 x;
    begin(&x, false);
    x86_vop_indexed(&x, X86_MOVUPS_LD, 0, 11, 0, -1);
    x86_vop_indexed(&x, X86_INSERTF128, 1, 11, 11, 1);
    x86_vop_imm(&x, X86_EXTRACTF128, 1, 11, 0, x86_at_rax(320), 0, 1);
    x86_gather_at_rax(&x, 1, 5, 12, 8, 3);
    cr_assert_eq(x.size, sizeof expected);
    cr_expect_arr_eq(x.code, expected, sizeof expected);
    arena_finish(x.memory);
}

/* By GNU as. */
Test(jit_x86, parts_of_vectors)
{
    static const uint8_t expected[] = {
        0xc4, 0x62, 0x7d, 0x5a, 0x9b, 64,   1, 0, 0, /* vbroadcasti128 */
        0xc4, 0x43, 0x29, 0x4c, 0xd9, 0x40,          /* vpblendvb xmm11, */
    };                                               /* xmm10, xmm9, xmm4 */
    struct x86 x;
    begin(&x, false);
    x86_vop(&x, X86_BROADCASTI128, 1, 11, 0, x86_thread(320), 0);
    x86_vop_imm(&x, X86_BLENDVB, 0, 11, 10, x86_reg(9), 0, 4 << 4);
    cr_assert_eq(x.size, sizeof expected);
    cr_expect_arr_eq(x.code, expected, sizeof expected);
    arena_finish(x.memory);
}

/* By GNU as: vpbroadcastw and vpbroadcastb ymm11, [rbx + 320]. */
Test(jit_x86, narrow_broadcasts)
{
    static const uint8_t expected[] = {
        0xc4, 0x62, 0x7d, 0x79, 0x9b, 64, 1, 0, 0,
        0xc4, 0x62, 0x7d, 0x78, 0x9b, 64, 1, 0, 0,
    };
    struct x86 x;
    begin(&x, false);
    x86_vop(&x, X86_PBROADCASTW, 1, 11, 0, x86_thread(320), 0);
    x86_vop(&x, X86_PBROADCASTB, 1, 11, 0, x86_thread(320), 0);
    cr_assert_eq(x.size, sizeof expected);
    cr_expect_arr_eq(x.code, expected, sizeof expected);
    arena_finish(x.memory);
}

/* By GNU as. */
Test(jit_x86, halves_and_rounding)
{
    static const uint8_t evex[] = {
        0x62, 0x82, 0x7d, 0x48, 0x13, 0xed,    /* vcvtph2ps zmm21, ymm29 */
        0x62, 0xe2, 0x7d, 0x28, 0x13, 0x6b,    /* vcvtph2ps ymm21, .. */
        0x14,                                  /* [rbx + 320] */
        0x62, 0x83, 0x7d, 0x48, 0x1d, 0xed, 4, /* vcvtps2ph ymm29, zmm21, 4 */
        0x62, 0xe2, 0x7d, 0x28, 0x79, 0x6b,    /* vpbroadcastw ymm21, .. */
        0x03,                                  /* [rbx + 6] */
        0x62, 0x83, 0x6d, 0x20, 0x18, 0xed, 1, /* vinsertf32x4 ymm21, .. */
        0x62, 0x82, 0x6d, 0x30, 0xb8, 0xed,    /* vfmadd231ps .., {rd-sae} */
        0x62, 0x82, 0x6d, 0x50, 0xb8, 0xed,    /* vfmadd231ps .., {ru-sae} */
    };
    static const uint8_t vex[] = {
        0xc4, 0x62, 0x7d, 0x13, 0xdf,    /* vcvtph2ps ymm11, xmm7 */
        0xc4, 0x63, 0x7d, 0x1d, 0xdf, 4, /* vcvtps2ph xmm7, ymm11, 4 */
    };
    struct x86 x;
    begin(&x, true);
    x86_vop(&x, X86_CVTPH2PS, 2, 21, 0, x86_reg(29), 0);
    x86_vop(&x, X86_CVTPH2PS, 1, 21, 0, x86_thread(320), 0);
    x86_vop_imm(&x, X86_CVTPS2PH, 2, 21, 0, x86_reg(29), 0, 4);
    x86_vop(&x, X86_PBROADCASTW, 1, 21, 0, x86_thread(6), 0);
    x86_vop_imm(&x, X86_INSERTF128, 1, 21, 18, x86_reg(29), 0, 1);
    x86_vop_rounded(&x, X86_FMADD231PS, 21, 18, 29, X86_DOWN);
    x86_vop_rounded(&x, X86_FMADD231PS, 21, 18, 29, X86_UP);
    cr_assert_eq(x.size, sizeof evex);
    cr_expect_arr_eq(x.code, evex, sizeof evex);
    arena_finish(x.memory);
    begin(&x, false);
    x86_vop(&x, X86_CVTPH2PS, 1, 11, 0, x86_reg(7), 0);
    x86_vop_imm(&x, X86_CVTPS2PH, 1, 11, 0, x86_reg(7), 0, 4);
    cr_assert_eq(x.size, sizeof vex);
    cr_expect_arr_eq(x.code, vex, sizeof vex);
    arena_finish(x.memory);
}

/* By GNU as: vpextrd eax, xmm25, 1 and vpextrd eax, xmm11, 1. */
Test(jit_x86, lanes_to_general_registers)
{
    static const uint8_t evex[] = {0x62, 0x63, 0x7d, 0x08, 0x16, 0xc8, 1};
    static const uint8_t vex[] = {0xc4, 0x63, 0x79, 0x16, 0xd8, 1};
    struct x86 x;
    begin(&x, true);
    x86_vop_imm(&x, X86_PEXTRD, 0, 25, 0, x86_reg(X86_RAX), 0, 1);
    cr_assert_eq(x.size, sizeof evex);
    cr_expect_arr_eq(x.code, evex, sizeof evex);
    arena_finish(x.memory);
    begin(&x, false);
    x86_vop_imm(&x, X86_PEXTRD, 0, 11, 0, x86_reg(X86_RAX), 0, 1);
    cr_assert_eq(x.size, sizeof vex);
    cr_expect_arr_eq(x.code, vex, sizeof vex);
    arena_finish(x.memory);
}

Test(jit_x86, constants_are_shared_and_reached)
{
    struct x86 x;
    const uint32_t one = 0x3f800000, two = 0x40000000;
    begin(&x, true);
    struct x86_rm a = x86_const(&x, &one, 1), b = x86_const(&x, &two, 1);
    cr_expect_eq(x86_const(&x, &one, 1).bits, a.bits);
    cr_expect_neq(a.bits, b.bits);
    x86_vop(&x, X86_ADDPS, 2, 1, 2, b, 0);
    uint32_t end = x.size;
    x86_place_pool(&x);
    int32_t distance;
    uint32_t value;
    memcpy(&distance, x.code + end - 4, 4);
    memcpy(&value, x.code + (int32_t)end + distance, 4);
    cr_expect_eq(value, two);
    arena_finish(x.memory);
}

Test(jit_x86, constant_before_an_immediate_byte)
{
    struct x86 x;
    const uint32_t one = 0x3f800000;
    begin(&x, true);
    x86_vop_imm(&x, X86_CMPPS, 2, 1, 2, x86_const(&x, &one, 1), 0, 4);
    uint32_t end = x.size, value;
    x86_place_pool(&x);
    int32_t distance;
    memcpy(&distance, x.code + end - 5, 4);
    memcpy(&value, x.code + (int32_t)end + distance, 4);
    cr_expect_eq(value, one);
    arena_finish(x.memory);
}

/* All fields that can name a register, and look-alikes. */
static void
emit_evex(struct x86 *x, const uint8_t r[6])
{
    const uint32_t half = 0x3f000000, table[16] = {7, 3, 1};
    x86_vop(x, X86_MOVUPS_LD, 2, r[0], 0, x86_const(x, table, 16), 0);
    x86_vop(x, X86_FMADD213PS, 2, r[0], r[1], x86_reg(r[2]), 0);
    x86_vop(x, X86_PERMPS, 2, r[3], r[2], x86_const(x, table, 16), 0);
    x86_vop_imm(x, X86_PSHIFTD_IMM, 2, 6, r[4], x86_reg(r[3]), 0, 23);
    x86_vop_imm(x, X86_CMPPS, 2, 4, r[4], x86_const(x, &half, 1), 0, 0x11);
    x86_vop(x, X86_ADDPS, 2, r[5], r[5], x86_reg(r[0]), 4);
    x86_vop_imm(x, X86_GETMANTPS, 2, r[1], 0, x86_reg(r[5]), 0, 0x0f);
    x86_vop_imm(x, X86_FIXUPIMMPS, 2, r[1], r[2], x86_const(x, &half, 1), 0, 0);
}

static void
emit_vex(struct x86 *x, const uint8_t r[6])
{
    const uint32_t table[8] = {7, 3, 1};
    x86_vop(x, X86_MOVUPS_LD, 1, r[0], 0, x86_const(x, table, 8), 0);
    x86_vop(x, X86_FMADD213PS, 1, r[0], r[1], x86_reg(r[2]), 0);
    x86_vop(x, X86_PERMPS, 1, r[3], r[2], x86_dwords_const(x, 5), 0);
    x86_vop_imm(x, X86_PSHIFTD_IMM, 1, 6, r[4], x86_reg(r[3]), 0, 23);
    x86_vop_imm(x, X86_CMPPS, 1, r[4], r[4], x86_const(x, table, 8), 0, 0x11);
    x86_vop_imm(x, X86_BLENDVPS, 1, r[5], r[1], x86_reg(r[0]), 0,
                (uint8_t)(r[2] << 4));
    x86_vop_imm(x, X86_ROUNDPS, 1, r[1], 0, x86_reg(r[5]), 0, 9);
    x86_vop(x, X86_MOVMSKPS, 1, X86_RCX, 0, x86_reg(r[4]), 0);
}

/* More than the initial buffer holds. */
#define COPIES 900

struct copies {
    bool evex;
    void (*emit)(struct x86 *x, const uint8_t r[6]);
    uint8_t numbers[6];
};

static void
compare_copies(const struct copies *c, const struct x86_template *ready,
               const uint8_t regs[6])
{
    struct x86 x, expected;
    struct arena memory[2];
    uint8_t to[32] = {0};
    for (unsigned n = 0; n < 6; n++)
        to[c->numbers[n]] = regs[n];
    arena_init(&memory[0], 65536, 0);
    arena_init(&memory[1], 65536, 0);
    x86_init(&x, c->evex, &memory[0]);
    x86_init(&expected, c->evex, &memory[1]);
    for (unsigned n = 0; n < COPIES; n++) {
        x86_put_template(&x, ready, to);
        c->emit(&expected, regs);
    }
    cr_assert_eq(x.size, expected.size);
    x86_place_pool(&x);
    x86_place_pool(&expected);
    cr_expect_arr_eq(x.code, expected.code, expected.size, "EVEX %d, from %u",
                     c->evex, regs[0]);
    arena_finish(&memory[0]);
    arena_finish(&memory[1]);
}

Test(jit_x86, copies_are_what_the_emitter_makes)
{
    static const struct copies forms[] = {
        {true, emit_evex, {8, 9, 10, 11, 30, 31}},
        {false, emit_vex, {1, 2, 7, 8, 14, 15}},
    };
    static const uint8_t regs[2][3][6] = {
        {{31, 24, 16, 15, 8, 7}, {0, 1, 2, 3, 4, 5}, {3, 3, 19, 27, 11, 0}},
        {{15, 14, 8, 7, 1, 0}, {0, 1, 2, 3, 4, 5}, {3, 3, 15, 12, 11, 0}}};
    static struct x86_template ready;
    for (unsigned i = 0; i < ARRAY_SIZE(forms); i++) {
        struct x86 first;
        begin(&first, forms[i].evex);
        forms[i].emit(&first, forms[i].numbers);
        cr_assert(x86_make_template(&ready, &first));
        arena_finish(first.memory);
        for (unsigned n = 0; n < ARRAY_SIZE(regs[i]); n++)
            compare_copies(&forms[i], &ready, regs[i][n]);
    }
}

/* Code that cannot be a template: thread fields, other forms, general
 * registers, operands in unexpected fields, too many instructions. */
static void
emit_what_is_refused(struct x86 *x, unsigned i)
{
    const uint32_t table[8] = {0};
    switch (i) {
    case 0: x86_vop(x, X86_MULPS, 1, 8, 9, x86_thread(64), 0); break;
    case 1: x86_vop(x, X86_MULPS, 1, 8, 9, x86_thread(4096), 0); break;
    case 2: x86_mov_imm(x, X86_RCX, 4); break;
    case 3:
        for (unsigned n = 0; n < X86_TEMPLATE_STEPS; n++)
            x86_vop(x, X86_MULPS, 1, 8, 9, x86_reg(10), 0);
        break;
    case 4:
        if (x->evex)
            x86_vop(x, X86_PCMPEQD, 1, 8, 9, x86_reg(10), 0);
        else
            x86_vop_imm(x, X86_BLENDVPS, 1, 8, 9, x86_const(x, table, 8), 0,
                        0x10);
        break;
    case 5:
        if (x->evex)
            x86_kmov_to_gpr(x, X86_RCX, 4);
        else
            x86_vop_indexed(x, X86_MOVUPS_LD, 1, 8, 0, -1);
        break;
    }
}

Test(jit_x86, what_cannot_be_copied_is_refused)
{
    static struct x86_template ready;
    for (unsigned i = 0; i < 2 * 6; i++) {
        struct x86 x;
        begin(&x, i % 2);
        x86_vop(&x, X86_MULPS, 1, 8, 9, x86_reg(10), 0);
        cr_expect(x86_make_template(&ready, &x));
        emit_what_is_refused(&x, i / 2);
        cr_expect_not(x86_make_template(&ready, &x), "case %u, EVEX %u", i / 2,
                      i % 2);
        arena_finish(x.memory);
    }
}

Test(jit_x86, jumps_reach_their_target)
{
    static const uint8_t expected[] = {0xe9, 1,    0,    0,    0,    0xc3,
                                       0x0f, 0x84, 0xf4, 0xff, 0xff, 0xff};
    struct x86 x;
    begin(&x, true);
    uint32_t at = x86_jump(&x, X86_ALWAYS);
    x86_ret(&x);
    x86_patch(&x, at, x.size);
    x86_patch(&x, x86_jump(&x, X86_CC_E), 0);
    cr_assert_eq(x.size, sizeof expected);
    cr_expect_arr_eq(x.code, expected, sizeof expected);
    arena_finish(x.memory);
}

Test(jit_x86, general_registers)
{
    static const uint8_t expected[] = {
        0x49, 0x89, 0xf4,                            /* mov r12, rsi */
        0x49, 0x81, 0xec, 7,    0,    0, 0,          /* sub r12, 7 */
        0x4d, 0x85, 0xe4,                            /* test r12, r12 */
        0xb8, 0x78, 0x56, 0x34, 0x12,                /* mov eax, imm */
        0x48, 0xb8, 1,    0,    0,    0, 2, 0, 0, 0, /* mov rax, imm */
        0x8b, 0x8b, 0x40, 1,    0,    0,             /* mov ecx, [rbx] */
        0x44, 0x89, 0xab, 0x40, 1,    0, 0,          /* mov [rbx], r13d */
        0x66, 0x89, 0x93, 0x40, 1,    0, 0,          /* mov [rbx], dx */
        0xc4, 0xe2, 0xfb, 0xf5, 0xc9,                /* pdep rcx,rax,rcx */
        0xc5, 0xf4, 0x42, 0xd3,                      /* kandnw k2,k1,k3 */
        0xc4, 0xe1, 0xfb, 0x92, 0xe9,                /* kmovq k5, rcx */
    };
    struct x86 x;
    begin(&x, true);
    x86_mov_reg(&x, X86_R12, X86_RSI);
    x86_alu_imm(&x, X86_SUB, X86_R12, 7, true);
    x86_test(&x, X86_R12);
    x86_mov_imm(&x, X86_RAX, 0x12345678);
    x86_mov_imm(&x, X86_RAX, 0x200000001);
    x86_load(&x, X86_RCX, 0x140, 4);
    x86_store(&x, X86_R13, 0x140, 4);
    x86_store(&x, X86_RDX, 0x140, 2);
    x86_pdep(&x, X86_RCX, X86_RAX, X86_RCX);
    x86_kop(&x, X86_KANDN, 2, 1, 3);
    x86_kmov_from_gpr(&x, 5, X86_RCX, true);
    cr_assert_eq(x.size, sizeof expected);
    cr_expect_arr_eq(x.code, expected, sizeof expected);
    arena_finish(x.memory);
}
