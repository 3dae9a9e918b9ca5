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
