/* test_guard_ifs.c: guarded IFs in compiled code against the interpreter. */
#include <criterion/criterion.h>

#include "chains.h"
#include "compare_tiers.h"
#include "if_kernels.h"

Test(guard_ifs, nested_ifs_on_both_tiers)
{
    compare_tiers(CPU_AVX512, make_nested_ifs, 2 * KERNELS, 3);
}

Test(guard_ifs, nested_ifs_with_avx2)
{
    compare_tiers(CPU_AVX2, make_nested_ifs, 2 * KERNELS, 3);
}

/* How many of the kernels end without their masked variant although all
 * channels were on at first. */
Test(guard_ifs, channels_that_diverge_stay_unmasked)
{
    static struct rk k;
    static struct eu_thread t;
    unsigned stay = 0, kernels = 0;
    if (cpu_selected() < CPU_AVX2)
        return;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make_nested_ifs(&k, seed);
        struct eu_kernel *kernel = eu_kernel_build(k.code, k.size_B, k.gen);
        struct eu_jit *jit = kernel ? eu_jit_compile(kernel, cpu_selected(), 0)
                                    : NULL;
        struct rk_log log = {.lanes = true};
        if (jit) {
            struct eu_start start = rk_start(&k, kernel);
            start.alt_mode = false;
            start.denorm_f_retain = false;
            start.rounding = 0;
            start.dispatch_mask = start.vector_mask = 0xffff;
            eu_thread_init(&t, &start);
            rk_fill_registers(&k, &t);
            t.user = &log;
            eu_jit_execute(jit, &t, BUDGET);
            kernels++;
            stay += t.status == EU_FINISHED && !eu_jit_info(jit).has_masked;
        }
        eu_jit_free(jit);
        eu_kernel_free(kernel);
    }
    cr_expect_gt(stay, kernels / 2, "%u of %u", stay, kernels);
}
