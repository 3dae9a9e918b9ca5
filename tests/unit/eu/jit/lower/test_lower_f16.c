/* test_lower_f16.c: HF in compiled code (jit/lower/lower_f16.c) against the
 * interpreter. */
#include "compare_tiers.h"
#include "encode.h"

#define KERNELS 4000
#define STATES 3

static bool
has_half(const struct eu_insn *insn)
{
    bool found = insn->dst.type == EU_TYPE_HF;
    for (unsigned s = 0; s < insn->src_count; s++)
        found |= insn->src[s].type == EU_TYPE_HF;
    return found;
}

/* Adds a random instruction with an HF operand. */
static void
add_half(struct rk *k)
{
    const uint32_t size_B = k->size_B;
    const unsigned count = k->count;
    for (unsigned tries = 0; tries < 500; tries++) {
        struct eu_insn insn;
        uint32_t dw[4];
        if (!rk_add_alu(k))
            continue;
        memcpy(dw, k->code + size_B, sizeof dw);
        if (eu_decode(&insn, dw, 16, k->gen, NULL) && has_half(&insn))
            return;
        k->size_B = size_B;
        k->count = count;
    }
}

static void
make(struct rk *k, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 11;
    k->gen = seed % 5 ? EU_GEN9 : EU_GEN8;
    k->simd = seed % 3 ? 16 : 8;
    k->banks = true;
    k->plain = seed % 8;
    k->mode = seed % 2 ? RK_WHOLE : RK_STEPS;
    for (unsigned n = 1 + rk_rnd(k, 6); n; n--)
        add_half(k);
    for (unsigned reg = 2; reg < 100; reg += 14)
        rk_add_send(k, reg, 14, 0, false);
    rk_add_send(k, 112, 1, 0, true);
}

Test(jit_half, avx512)
{
    compare_tiers(CPU_AVX512, make, KERNELS, STATES);
}

Test(jit_half, avx2)
{
    compare_tiers(CPU_AVX2, make, KERNELS, STATES);
}

/* ---- forms compiled without the interpreter ---- */

enum { PACKED, SCALAR, EVERY_OTHER, SPREAD /* the result, with stride 2 */ };

struct form {
    uint8_t opcode, count, dst, src, cmod, region, exec;
    bool evex; /* with AVX-512 only */
};

static const struct form forms[] = {
    {EU_OP_ADD, 2, EU_TYPE_HF, EU_TYPE_HF, 0, PACKED, 16, false},
    {EU_OP_ADD, 2, EU_TYPE_HF, EU_TYPE_HF, 0, PACKED, 8, false},
    {EU_OP_ADD, 2, EU_TYPE_HF, EU_TYPE_HF, 0, PACKED, 1, false},
    {EU_OP_ADD, 2, EU_TYPE_HF, EU_TYPE_HF, EU_CMOD_G, PACKED, 16, false},
    {EU_OP_MUL, 2, EU_TYPE_HF, EU_TYPE_HF, 0, SCALAR, 16, false},
    {EU_OP_MUL, 2, EU_TYPE_HF, EU_TYPE_HF, 0, EVERY_OTHER, 16, false},
    {EU_OP_MUL, 2, EU_TYPE_HF, EU_TYPE_F, 0, PACKED, 8, false},
    {EU_OP_MUL, 2, EU_TYPE_F, EU_TYPE_HF, 0, PACKED, 8, false},
    {EU_OP_ADD, 2, EU_TYPE_HF, EU_TYPE_HF, 0, SPREAD, 16, false},
    {EU_OP_MOV, 1, EU_TYPE_HF, EU_TYPE_UW, 0, SPREAD, 16, false},
    {EU_OP_SEL, 2, EU_TYPE_HF, EU_TYPE_HF, 0, PACKED, 16, false},
    {EU_OP_SEL, 2, EU_TYPE_HF, EU_TYPE_HF, EU_CMOD_L, PACKED, 16, false},
    {EU_OP_SEL, 2, EU_TYPE_HF, EU_TYPE_HF, EU_CMOD_GE, SCALAR, 16, false},
    {EU_OP_MOV, 1, EU_TYPE_HF, EU_TYPE_HF, 0, PACKED, 16, false},
    {EU_OP_MOV, 1, EU_TYPE_HF, EU_TYPE_HF, 0, EVERY_OTHER, 16, false},
    {EU_OP_MOV, 1, EU_TYPE_HF, EU_TYPE_F, 0, PACKED, 8, false},
    {EU_OP_MOV, 1, EU_TYPE_F, EU_TYPE_HF, 0, PACKED, 8, false},
    {EU_OP_MOV, 1, EU_TYPE_D, EU_TYPE_HF, 0, PACKED, 8, false},
    {EU_OP_MOV, 1, EU_TYPE_HF, EU_TYPE_D, 0, PACKED, 8, false},
    {EU_OP_MOV, 1, EU_TYPE_HF, EU_TYPE_UW, 0, PACKED, 16, false},
    {EU_OP_MOV, 1, EU_TYPE_HF, EU_TYPE_UD, 0, PACKED, 8, true},
    {EU_OP_RNDE, 1, EU_TYPE_HF, EU_TYPE_HF, 0, PACKED, 16, false},
    {EU_OP_FRC, 1, EU_TYPE_HF, EU_TYPE_HF, 0, PACKED, 16, false},
};

static struct code
encode_form(const struct form *f)
{
    struct code c = f->count == 2 ? encode_binary(f->opcode, EU_TYPE_HF)
                                  : encode_unary(f->opcode, EU_TYPE_HF);
    put(&c, 23, 21, f->exec == 16 ? 4 : f->exec == 8 ? 3 : 0);
    put(&c, 40, 37, f->dst);
    put(&c, 27, 24, f->cmod);
    put(&c, 62, 61, f->region == SPREAD ? 2 : 1);
    for (unsigned s = 0; s < f->count; s++) {
        unsigned at = s ? 96 : 64;
        put(&c, s ? 94 : 46, s ? 91 : 43, f->src);
        if (f->region == SCALAR || f->exec == 1) {
            put(&c, at + 24, at + 21, 0); /* <0;1,0> */
            put(&c, at + 20, at + 16, 0);
        } else if (f->region == EVERY_OTHER) {
            put(&c, at + 17, at + 16, 2); /* <16;8,2> */
            put(&c, at + 24, at + 21, 5);
        }
    }
    return c;
}

static void
all_native(enum cpu_level cpu)
{
    if (cpu > cpu_selected())
        return;
    for (unsigned i = 0; i < ARRAY_SIZE(forms); i++) {
        struct code program[2] = {encode_form(&forms[i]),
                                  encode_send(EU_SFID_SPAWNER, 0x02000010)};
        put(&program[1], 127, 127, 1);
        struct eu_kernel *kernel = eu_kernel_build(program, sizeof program,
                                                   EU_GEN9);
        cr_assert(kernel);
        struct eu_jit *jit = eu_jit_compile(kernel, cpu, 0);
        cr_assert(jit);
        struct eu_jit_info info = eu_jit_info(jit);
        bool native = !forms[i].evex || cpu == CPU_AVX512;
        cr_expect_eq(info.native_count, info.op_count - !native, "form %u", i);
        eu_jit_free(jit);
        eu_kernel_free(kernel);
    }
}

Test(jit_half, all_native_avx512)
{
    all_native(CPU_AVX512);
}

Test(jit_half, all_native_avx2)
{
    all_native(CPU_AVX2);
}
