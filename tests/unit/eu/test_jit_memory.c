/* Messages that compiled code does itself (jit/lower_memory.c), put together by
 * chance with what surrounds them, against a plain send function that the
 * interpreter uses for all of them. */
#include <criterion/criterion.h>

#include "base/fpmode.h"
#include "memory_kernels.h"

#define KERNELS 1500
#define BUDGET 4000

static struct rk k;

/* count = 0; do { ...; if (++count >= limit) break; } while (true) or not */
static void
make(uint64_t seed)
{
    begin_memory_kernel(&k, seed);
    bool loops = rk_chance(&k, 50);
    unsigned simd = rk_chance(&k, 75) ? 16 : 8;
    binary(&k, EU_OP_XOR, 16, COUNT, COUNT, COUNT, false);
    uint32_t head_B = k.size_B;
    for (unsigned n = 3 + rk_rnd(&k, 20); n; n--) {
        if (rk_chance(&k, 50))
            add_message(&k, simd, false);
        else if (rk_chance(&k, 10))
            add_fence(&k);
        else
            add_other(&k, simd, true);
    }
    if (loops) {
        binary(&k, EU_OP_ADD, 16, COUNT, COUNT, 1, true);
        binary(&k, EU_OP_CMP, 16, 0, COUNT, LIMIT, false);
        fields_put((uint32_t *)(void *)(k.code + k.at_B[k.count - 1]), 24, 27,
                   EU_CMOD_GE);
        add_branch(&k, EU_OP_BREAK, true, 16, 16);
        add_branch(&k, EU_OP_WHILE, false, (int32_t)(head_B - k.size_B), 0);
    }
    add_end(&k, false);
}

/* ---- comparing ---- */

static void
begin(struct eu_thread *t, struct world *w, const struct eu_kernel *kernel,
      uint64_t seed)
{
    struct rk random = {.random = seed};
    uint32_t mask = rk_chance(&random, 80) ? 0xffff : rk_rnd(&random, 0x10000);
    make_world(w, &random);
    start_in_world(t, w, kernel, mask);
    fill(t, &random);
    t->f[0] = t->f[1] = rk_rnd(&random, UINT32_MAX);
}

static void
compare(struct world *a, struct world *b, enum cpu_level cpu, uint64_t seed,
        unsigned sent[2])
{
    struct eu_kernel *kernel = eu_kernel_build(k.code, k.size_B, k.gen);
    cr_assert_not_null(kernel);
    struct eu_jit *jit = eu_jit_compile(kernel, cpu, EU_JIT_DENORMALS);
    cr_assert_not_null(jit);
    uint32_t mode = fpmode_get();
    struct eu_thread t, u;
    begin(&t, a, kernel, seed);
    begin(&u, b, kernel, seed);
    eu_jit_execute(jit, &t, BUDGET);
    if (t.status == EU_RUNNING)
        eu_run_reference(&t, BUDGET);
    eu_run_reference(&u, BUDGET);
    fpmode_set(mode);
    cr_assert_eq(u.status, EU_FINISHED, "kernel %llu",
                 (unsigned long long)seed);
    cr_expect_eq(t.status, EU_FINISHED);
    cr_expect_eq(a->hash, b->hash, "kernel %llu: registers",
                 (unsigned long long)seed);
    for (unsigned i = 0; i < PLACES; i++)
        cr_expect_arr_eq(a->room[i], b->room[i], ROOM_B, "kernel %llu: memory",
                         (unsigned long long)seed);
    sent[0] += a->sent;
    sent[1] += b->sent;
    eu_jit_free(jit);
    eu_kernel_free(kernel);
}

static void
compare_tiers(enum cpu_level cpu)
{
    static struct world a, b;
    unsigned sent[2] = {0};
    if (cpu > cpu_selected())
        return;
    make_rooms(&a);
    make_rooms(&b);
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make(seed);
        compare(&a, &b, cpu, seed, sent);
    }
    /* All kernels show their registers at the end. */
    sent[0] -= KERNELS * (END - COUNT) / 2;
    sent[1] -= KERNELS * (END - COUNT) / 2;
    cr_expect_lt(sent[0], sent[1] * 3 / 4, "%u of %u", sent[0], sent[1]);
}

Test(jit_memory, avx512)
{
    compare_tiers(CPU_AVX512);
}

Test(jit_memory, avx2)
{
    compare_tiers(CPU_AVX2);
}
