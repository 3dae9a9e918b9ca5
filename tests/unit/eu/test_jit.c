/* Compiled code against the interpreter. */
#include <criterion/criterion.h>

#include "eu/interp/fpmode.h"
#include "eu/jit/jit.h"
#include "random_kernel.h"

/* One NaN is as good as another. */
static uint32_t
canonical(uint32_t v)
{
    return (v & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : v;
}

static enum eu_msg_result
answer(struct eu_thread *t, const struct eu_message *m)
{
    uint64_t *log = t->user;
    uint64_t h = *log + m->exec_mask + m->desc;
    for (unsigned i = 0; i < m->mlen_grf * 8u; i++)
        h = (h ^ canonical(m->src0[i])) * UINT64_C(0x100000001b3);
    *log = h;
    for (unsigned i = 0; i < m->rlen_grf * 8u; i++)
        if (m->exec_mask >> (i % m->exec_size) & 1)
            m->dst[i] = (uint32_t)(h >> (i & 31)) & 0x40ffffff;
    return EU_MSG_OK;
}

static void
start(struct eu_thread *t, struct random_kernel *rk,
      const struct eu_kernel *kernel, uint64_t *log)
{
    uint32_t mask = rk_chance(rk, 50) ? UINT32_MAX : rk_rnd(rk, UINT32_MAX);
    struct eu_start s = {
        .kernel = kernel,
        .simd = rk->simd,
        .dispatch_mask = mask,
        .vector_mask = mask,
        .denorm_f_retain = rk_chance(rk, 30),
        .rounding = rk_chance(rk, 20) ? (uint8_t)rk_rnd(rk, 4) : 0,
        .send = answer,
        .user = log,
    };
    eu_thread_init(t, &s);
    rk_state(rk, t);
    eu_thread_update_mxcsr(t);
}

static void
compare_random(enum eu_cpu cpu, unsigned flags, unsigned rounds)
{
    uint64_t first = 1;
    if (getenv("JIT_SEED"))
        first = strtoull(getenv("JIT_SEED"), NULL, 0);
    if (getenv("JIT_ROUNDS"))
        rounds = (unsigned)atoi(getenv("JIT_ROUNDS"));
    static struct random_kernel rk;
    static struct eu_thread t;
    uint64_t native = 0, ops = 0;
    if (cpu > eu_cpu_selected())
        cr_skip_test("the host lacks the instruction set");
    for (uint64_t n = first; n < first + rounds; n++) {
        char text[512];
        uint64_t log = 0, left = 60;
        rk_make(&rk, n, flags & EU_JIT_STEP);
        struct eu_kernel *k = eu_kernel_build(rk.code, rk.count * 16, EU_GEN9);
        cr_assert_not_null(k, "seed %llu", (unsigned long long)n);
        struct eu_jit *jit = eu_jit_compile(k, cpu, flags);
        cr_assert_not_null(jit);
        start(&t, &rk, k, &log);
        bool same = eu_jit_agrees(jit, &t, &left, text, sizeof text);
        fpmode_set(FPMODE_DEFAULT);
        cr_assert(same, "seed %llu: %s", (unsigned long long)n, text);
        native += eu_jit_info(jit).native_count;
        ops += eu_jit_info(jit).op_count;
        eu_jit_free(jit);
        eu_kernel_free(k);
    }
    cr_log_info("%llu of %llu instructions compiled",
                (unsigned long long)native, (unsigned long long)ops);
}

Test(jit, blocks_agree_avx512)
{
    compare_random(EU_CPU_AVX512, EU_JIT_SPLIT, 4000);
}

Test(jit, instructions_agree_avx512)
{
    compare_random(EU_CPU_AVX512, EU_JIT_SPLIT | EU_JIT_STEP, 4000);
}

Test(jit, blocks_agree_avx2)
{
    compare_random(EU_CPU_AVX2, EU_JIT_SPLIT, 4000);
}

Test(jit, instructions_agree_avx2)
{
    compare_random(EU_CPU_AVX2, EU_JIT_SPLIT | EU_JIT_STEP, 4000);
}

/* Code as it runs outside check mode: the messages must be the same. */
static void
compare_messages(enum eu_cpu cpu, unsigned rounds)
{
    static struct random_kernel rk;
    static struct eu_thread a, b;
    unsigned finished = 0;
    if (cpu > eu_cpu_selected())
        cr_skip_test("the host lacks the instruction set");
    for (uint64_t n = 1; n <= rounds; n++) {
        uint64_t log_a = 0, log_b = 0;
        rk_make(&rk, n ^ 0x55555555, false);
        struct eu_kernel *k = eu_kernel_build(rk.code, rk.count * 16, EU_GEN9);
        cr_assert_not_null(k);
        struct eu_jit *jit = eu_jit_compile(k, cpu, 0);
        cr_assert_not_null(jit);
        start(&a, &rk, k, &log_a);
        b = a;
        b.user = &log_b;
        eu_jit_execute(jit, &a, 500);
        fpmode_set(FPMODE_DEFAULT);
        if (a.status == EU_FINISHED) {
            finished++;
            eu_run_reference(&b, 2000);
            cr_assert_eq(b.status, EU_FINISHED, "seed %llu",
                         (unsigned long long)n);
            cr_assert_eq(log_a, log_b, "seed %llu: other messages",
                         (unsigned long long)n);
        }
        eu_jit_free(jit);
        eu_kernel_free(k);
    }
    cr_expect_gt(finished, rounds / 2, "only %u kernels finished", finished);
}

Test(jit, whole_kernels_send_the_same_avx512)
{
    compare_messages(EU_CPU_AVX512, 4000);
}

Test(jit, whole_kernels_send_the_same_avx2)
{
    compare_messages(EU_CPU_AVX2, 4000);
}

/* Any bytes that decode: odd regions, types, registers, branch targets. */
static void
compare_damaged(enum eu_cpu cpu, unsigned rounds)
{
    static struct random_kernel rk;
    static struct eu_thread t;
    if (cpu > eu_cpu_selected())
        cr_skip_test("the host lacks the instruction set");
    if (getenv("JIT_ROUNDS"))
        rounds = (unsigned)atoi(getenv("JIT_ROUNDS"));
    for (uint64_t n = 1; n <= rounds; n++) {
        char text[512];
        uint64_t log = 0, left = 60;
        rk_make(&rk, n ^ 0xdead0000, true);
        for (unsigned i = 1 + rk_rnd(&rk, 12); i > 0; i--) {
            uint32_t bit = rk_rnd(&rk, rk.count * 128);
            rk.code[bit / 128][bit / 32 % 4] ^= UINT32_C(1) << bit % 32;
        }
        struct eu_kernel *k = eu_kernel_build(rk.code, rk.count * 16, EU_GEN9);
        if (!k)
            continue;
        struct eu_jit *jit = eu_jit_compile(k, cpu, EU_JIT_SPLIT | EU_JIT_STEP);
        cr_assert_not_null(jit);
        start(&t, &rk, k, &log);
        bool same = eu_jit_agrees(jit, &t, &left, text, sizeof text);
        fpmode_set(FPMODE_DEFAULT);
        cr_assert(same, "seed %llu: %s", (unsigned long long)n, text);
        eu_jit_free(jit);
        eu_kernel_free(k);
    }
}

Test(jit, damaged_kernels_agree_avx512)
{
    compare_damaged(EU_CPU_AVX512, 5000);
}

Test(jit, damaged_kernels_agree_avx2)
{
    compare_damaged(EU_CPU_AVX2, 5000);
}
