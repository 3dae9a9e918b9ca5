/* test_words_evex.c: sums of words in one vector (jit/lower/words_evex.c), and
 * sums that barely do not fit, against the interpreter. */
#include "base/fields.h"
#include "compare_tiers.h"

#define KERNELS 3000
#define STATES 3

/* (W) add (16 or 32) rA<1>:w rB<vstride;width,hstride>:w imm */
static void
add_sum(struct rk *k)
{
    static const uint8_t types[] = {EU_TYPE_UW, EU_TYPE_W, EU_TYPE_UD};
    static const uint8_t codes[] = {2, 3, 4, 6}; /* UW, W, UV, V */
    uint32_t dw[4] = {EU_OP_ADD};
    bool wide = rk_chance(k, 60), odd = rk_chance(k, 10);
    rk_put_exec(k, dw, wide ? 32 : 16);
    fields_put(dw, 34, 34, wide || rk_chance(k, 50));
    fields_put(dw, 31, 31, rk_chance(k, 5));
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 37, 40, types[rk_rnd(k, odd ? 3 : 2)]);
    fields_put(dw, 41, 42, EU_FILE_GRF);
    fields_put(dw, 43, 46, types[rk_rnd(k, 2)]);
    fields_put(dw, 48, 52, odd ? rk_rnd(k, 16) * 2 : 0);
    fields_put(dw, 53, 60, 2 + rk_rnd(k, 12));
    fields_put(dw, 61, 62, rk_chance(k, 95) ? 1 : 2);
    fields_put(dw, 64, 68, rk_rnd(k, 16) * 2);
    fields_put(dw, 69, 76, rk_chance(k, 95) ? 2 + rk_rnd(k, 12) : 126);
    fields_put(dw, 77, 78, rk_chance(k, 95) ? 0 : 1 + rk_rnd(k, 3));
    fields_put(dw, 80, 81, rk_rnd(k, 4));
    fields_put(dw, 82, 84, rk_rnd(k, 5));
    fields_put(dw, 85, 88, rk_rnd(k, 6));
    fields_put(dw, 89, 90, EU_FILE_IMM);
    fields_put(dw, 91, 94, codes[rk_rnd(k, 4)]);
    dw[3] = rk_rnd(k, UINT32_MAX);
    if (fields_get(dw, 91, 94) < 4)
        dw[3] = (dw[3] & 0xffff) * 0x10001;
    rk_append(k, dw);
}

/* Random sums, whose registers are also read in halves and at other offsets. */
static void
make(struct rk *k, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;
    k->gen = EU_GEN9;
    k->simd = 16;
    k->mode = seed % 2 ? RK_WHOLE : RK_STEPS;
    for (unsigned n = 1 + rk_rnd(k, 5); n; n--)
        add_sum(k);
    rk_add_send(k, 1, 15, 0, false);
    rk_add_send(k, 112, 1, 0, true);
}

Test(jit_words, avx512)
{
    compare_tiers(CPU_AVX512, make, KERNELS, STATES);
}

Test(jit_words, avx2)
{
    compare_tiers(CPU_AVX2, make, KERNELS, STATES);
}
