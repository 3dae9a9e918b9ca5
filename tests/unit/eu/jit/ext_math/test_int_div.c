/* test_int_div.c: quotients and remainders (jit/ext_math/lower_int_div.c)
 * against the interpreter, of random numbers, small ones, and those at which an
 * inexact quotient would be one off. */
#include "base/fields.h"
#include "compare_tiers.h"

#define KERNELS 3000
#define STATES 3

static unsigned
any_dword_type(struct rk *k)
{
    return rk_chance(k, 50) ? EU_TYPE_UD : EU_TYPE_D;
}

/* A packed vector, or one element; its fields begin at bit `at`. */
static void
put_source(struct rk *k, uint32_t dw[4], unsigned at)
{
    bool one = rk_chance(k, 20);
    fields_put(dw, at + 5, at + 12, 2 + rk_rnd(k, 4) * 2);
    fields_put(dw, at + 13, at + 14, rk_chance(k, 90) ? 0 : 1 + rk_rnd(k, 3));
    fields_put(dw, at + 16, at + 17, one ? 0 : 1);
    fields_put(dw, at + 18, at + 20, one ? 0 : 3);
    fields_put(dw, at + 21, at + 24, one ? 0 : 4);
}

static uint32_t
any_number(struct rk *k)
{
    static const uint32_t edges[] = {0,          1,          2,
                                     0x7fffffff, 0x80000000, UINT32_MAX};
    if (rk_chance(k, 40))
        return edges[rk_rnd(k, ARRAY_SIZE(edges))] + rk_rnd(k, 3) - 1;
    return rk_rnd(k, UINT32_MAX) >> rk_rnd(k, 32);
}

static void
put_exec(struct rk *k, uint32_t dw[4])
{
    static const uint8_t lanes[] = {1, 4, 8, 8, 16, 16};
    rk_put_exec(k, dw, lanes[rk_rnd(k, ARRAY_SIZE(lanes))]);
    fields_put(dw, 34, 34, rk_chance(k, 50));
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 41, 42, EU_FILE_GRF);
    fields_put(dw, 53, 60, 2 + rk_rnd(k, 4) * 2);
    fields_put(dw, 61, 62, 1);
}

/* math.iqot or math.irem rA rB rC, or an immediate */
static void
add_division(struct rk *k)
{
    uint32_t dw[4] = {EU_OP_MATH};
    put_exec(k, dw);
    fields_put(dw, 16, 19, rk_chance(k, 20));
    fields_put(dw, 24, 27, EU_MATH_INT_DIV_QUOTIENT + rk_rnd(k, 2));
    fields_put(dw, 37, 40, any_dword_type(k));
    fields_put(dw, 43, 46, any_dword_type(k));
    put_source(k, dw, 64);
    fields_put(dw, 91, 94, any_dword_type(k));
    fields_put(dw, 89, 90, EU_FILE_GRF);
    put_source(k, dw, 96);
    if (rk_chance(k, 40)) {
        fields_put(dw, 89, 90, EU_FILE_IMM);
        dw[3] = any_number(k);
    }
    rk_append(k, dw);
}

/* rA := a number, or a product plus one, or less one. */
static void
add_operand(struct rk *k)
{
    uint32_t dw[4] = {rk_chance(k, 40) ? EU_OP_MOV : EU_OP_MUL};
    uint32_t one[4] = {EU_OP_ADD};
    bool moves = dw[0] == EU_OP_MOV;
    put_exec(k, dw);
    fields_put(dw, 37, 40, EU_TYPE_UD);
    fields_put(dw, 43, 46, EU_TYPE_UD);
    if (moves)
        fields_put(dw, 41, 42, EU_FILE_IMM);
    else
        put_source(k, dw, 64);
    fields_put(dw, 89, 90, moves ? 0 : EU_FILE_IMM);
    dw[3] = any_number(k);
    rk_append(k, dw);
    put_exec(k, one);
    fields_put(one, 37, 40, EU_TYPE_D);
    fields_put(one, 43, 46, EU_TYPE_D);
    put_source(k, one, 64);
    fields_put(one, 89, 90, EU_FILE_IMM);
    fields_put(one, 91, 94, EU_TYPE_D);
    one[3] = rk_rnd(k, 3) - 1;
    rk_append(k, one);
}

static void
make(struct rk *k, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;
    k->gen = EU_GEN9;
    k->simd = 16;
    k->mode = seed % 2 ? RK_WHOLE : RK_STEPS;
    for (unsigned n = 1 + rk_rnd(k, 6); n; n--) {
        add_operand(k);
        add_division(k);
    }
    rk_add_send(k, 1, 15, 0, false);
    rk_add_send(k, 112, 1, 0, true);
}

Test(jit_int_div, avx512)
{
    compare_tiers(CPU_AVX512, make, KERNELS, STATES);
}

Test(jit_int_div, avx2)
{
    compare_tiers(CPU_AVX2, make, KERNELS, STATES);
}
