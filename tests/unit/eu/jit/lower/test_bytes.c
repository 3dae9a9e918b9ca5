/* test_bytes.c: arithmetic on bytes that lie a byte, a word or a dword apart
 * (jit/operand/store_result.c, words_vex.c), against the interpreter. */
#include "base/fields.h"
#include "compare_tiers.h"

#define KERNELS 3000
#define STATES 3

static unsigned
any_byte_type(struct rk *k)
{
    return rk_chance(k, 50) ? EU_TYPE_UB : EU_TYPE_B;
}

/* A source: bytes `step` apart, or one byte; its fields begin at dw bit `at`.
 */
static void
put_source(struct rk *k, uint32_t dw[4], unsigned at)
{
    bool one = rk_chance(k, 15);
    unsigned step = 1 + rk_rnd(k, 3);
    fields_put(dw, at, at + 4, rk_rnd(k, rk_chance(k, 80) ? 4 : 32));
    fields_put(dw, at + 5, at + 12, 2 + rk_rnd(k, 12));
    fields_put(dw, at + 13, at + 14, rk_chance(k, 90) ? 0 : 1 + rk_rnd(k, 3));
    fields_put(dw, at + 16, at + 17, one ? 0 : step);
    fields_put(dw, at + 18, at + 20, one ? 0 : 3);
    fields_put(dw, at + 21, at + 24, one ? 0 : 3 + step);
}

/* (f) op (8 or 16) (cmod)rA<1, 2 or 4>:b rB:b rC:b */
static void
add_bytes(struct rk *k)
{
    static const uint8_t opcodes[] = {EU_OP_ADD, EU_OP_MUL, EU_OP_SHL,
                                      EU_OP_ASR, EU_OP_XOR, EU_OP_SEL};
    uint32_t dw[4] = {opcodes[rk_rnd(k, ARRAY_SIZE(opcodes))]};
    unsigned lanes = rk_chance(k, 70) ? 16 : 8, step = 1 + rk_rnd(k, 3);
    bool selects = dw[0] == EU_OP_SEL;
    rk_put_exec(k, dw, lanes);
    fields_put(dw, 34, 34, rk_chance(k, 50));
    fields_put(dw, 16, 19, selects || rk_chance(k, 30));
    fields_put(dw, 24, 27, selects || rk_chance(k, 80) ? 0 : EU_CMOD_L);
    fields_put(dw, 32, 33, lanes == 8 ? rk_rnd(k, 4) : rk_rnd(k, 2) * 2);
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 37, 40, any_byte_type(k));
    fields_put(dw, 48, 52, rk_rnd(k, rk_chance(k, 80) ? 1 << (step - 1) : 32));
    fields_put(dw, 53, 60, 2 + rk_rnd(k, 12));
    fields_put(dw, 61, 62, step);
    fields_put(dw, 41, 42, EU_FILE_GRF);
    fields_put(dw, 43, 46, any_byte_type(k));
    put_source(k, dw, 64);
    fields_put(dw, 89, 90, EU_FILE_GRF);
    fields_put(dw, 91, 94, any_byte_type(k));
    put_source(k, dw, 96);
    rk_append(k, dw);
}

static void
make(struct rk *k, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;
    k->gen = EU_GEN9;
    k->simd = 16;
    k->mode = seed % 2 ? RK_WHOLE : RK_STEPS;
    for (unsigned n = 1 + rk_rnd(k, 5); n; n--)
        add_bytes(k);
    rk_add_send(k, 1, 15, 0, false);
    rk_add_send(k, 112, 1, 0, true);
}

Test(jit_bytes, avx512)
{
    compare_tiers(CPU_AVX512, make, KERNELS, STATES);
}

Test(jit_bytes, avx2)
{
    compare_tiers(CPU_AVX2, make, KERNELS, STATES);
}
