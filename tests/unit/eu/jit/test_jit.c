/* test_jit.c: compiled code against the interpreter: thousands of random
 * kernels. tests/fuzz/random_kernels runs more. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "rk.h"

#define KERNELS 3000

static void
compare(enum cpu_level cpu)
{
    static struct rk k;
    unsigned modes[RK_MODES] = {0}, finished = 0;
    uint64_t native = 0;
    if (cpu > cpu_selected())
        cr_skip_test("the host lacks the instruction set");
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        char text[512];
        struct rk_result r;
        rk_make(&k, seed);
        bool same = rk_run(&k, seed, cpu, &r, text, sizeof text);
        cr_assert(same, "seed %llu: %s", (unsigned long long)seed, text);
        cr_assert(r.built || k.mode == RK_DAMAGED, "seed %llu is refused",
                  (unsigned long long)seed);
        modes[k.mode]++;
        finished += r.finished;
        native += r.native_count;
    }
    /* Makes sure that every mode was compared. */
    for (unsigned m = 0; m < RK_MODES; m++)
        cr_expect_gt(modes[m], KERNELS / 20);
    cr_expect_gt(finished, modes[RK_WHOLE] / 2);
    cr_expect_gt(native, KERNELS * 15);
}

Test(jit, random_kernels_agree_avx512)
{
    compare(CPU_AVX512);
}

Test(jit, random_kernels_agree_avx2)
{
    compare(CPU_AVX2);
}

/* A division as IGC writes it, of eight channels of F or four of DF; another
 * instruction's second half comes before the IF. */
static struct eu_kernel *
make_division(struct rk *k, enum eu_type type)
{
    unsigned lanes = type == EU_TYPE_DF ? 4 : 8;
    const struct rk_channels all = {.count = lanes};
    uint32_t size = lanes == 8 ? 3 : 2, jip_B = 5 * 16;
    uint32_t test[4] = {EU_OP_IF | size << 21 | 0x11u << 16, 0, jip_B, jip_B};
    uint32_t end[4] = {EU_OP_ENDIF | size << 21, 0, 0, 16};
    memset(k, 0, offsetof(struct rk, code));
    k->count = 0;
    k->size_B = 0;
    k->banks = true;
    k->simd = 8;
    rk_add_invm(k, &all, type);
    rk_add_madm(k, &all, type);
    rk_append(k, test);
    for (unsigned i = 0; i < 4; i++)
        rk_add_madm(k, &all, type);
    rk_append(k, end);
    rk_add_send(k, 112, 1, 0, true);
    return eu_kernel_build(k->code, k->size_B, EU_GEN9);
}

/* The refinement of a macro is dropped, and with it the branch. */
Test(jit, division_has_no_branch)
{
    static const enum eu_type types[] = {EU_TYPE_F, EU_TYPE_DF};
    static const enum cpu_level cpus[] = {CPU_AVX2, CPU_AVX512};
    static struct rk k;
    for (unsigned n = 0; n < 4; n++) {
        enum cpu_level cpu = cpus[n / 2];
        if (cpu > cpu_selected())
            continue;
        struct eu_kernel *kernel = make_division(&k, types[n % 2]);
        cr_assert_not_null(kernel);
        struct eu_jit *jit = eu_jit_compile(kernel, cpu, EU_JIT_DENORMALS);
        struct eu_jit *counts = eu_jit_compile(
            kernel, cpu, EU_JIT_DENORMALS | EU_JIT_COUNTS);
        cr_assert(jit && counts);
        for (uint32_t at = 16; at < 8 * 16; at += 16)
            cr_expect_not(eu_jit_begins_block(jit, at), "block at %u", at);
        cr_expect(eu_jit_begins_block(counts, 48), "profiles count the branch");
        cr_expect_eq(eu_jit_info(jit).native_count, eu_jit_info(jit).op_count);
        eu_jit_free(counts);
        eu_jit_free(jit);
        eu_kernel_free(kernel);
    }
}
