/* test_lower_memory.c: messages compiled as memory accesses
 * (jit/sends/lower_memory.c), in random surroundings, against the interpreter
 * with a plain send function; and their counts for profiles. */
#include <criterion/criterion.h>

#include "base/fpmode.h"
#include "eu/profile/profile.h"
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

/* Of compiled code, and of the interpreter. */
static uint64_t counters[2][RK_COUNTERS];

/* full: NULL, or the counts are compared, too, and added to. */
static void
compare(struct world *a, struct world *b, enum cpu_level cpu, uint64_t seed,
        unsigned sent[2], uint64_t *full)
{
    struct eu_kernel *kernel = eu_kernel_build(k.code, k.size_B, k.gen);
    cr_assert_not_null(kernel);
    unsigned flags = EU_JIT_DENORMALS;
    if (full) {
        kernel->profile_slot = RK_SLOT;
        kernel->profile_memory = true;
        flags |= EU_JIT_COUNTS | EU_JIT_MEMORY;
    }
    struct eu_jit *jit = eu_jit_compile(kernel, cpu, flags);
    cr_assert_not_null(jit);
    uint32_t mode = fpmode_get();
    struct eu_thread t, u;
    begin(&t, a, kernel, seed);
    begin(&u, b, kernel, seed);
    memset(counters, 0, sizeof counters);
    eu_profile_count_at(full ? counters[0] : NULL);
    eu_jit_execute(jit, &t, BUDGET);
    if (t.status == EU_RUNNING)
        eu_run_reference(&t, BUDGET);
    eu_profile_count_at(full ? counters[1] : NULL);
    eu_run_reference(&u, BUDGET);
    eu_profile_count_at(NULL);
    fpmode_set(mode);
    if (full)
        *full += compare_memory_counts(kernel, counters[0], counters[1], seed);
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
compare_tiers(enum cpu_level cpu, bool counts)
{
    uint64_t full = 0;
    static struct world a, b;
    unsigned sent[2] = {0};
    if (cpu > cpu_selected())
        return;
    make_rooms(&a);
    make_rooms(&b);
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make(seed);
        compare(&a, &b, cpu, seed, sent, counts ? &full : NULL);
    }
    if (counts) {
        cr_expect_gt(full, KERNELS * 3 / 4, "%llu", (unsigned long long)full);
        return;
    }
    /* Subtracts the messages at the end, which send all registers. */
    sent[0] -= KERNELS * (END - COUNT) / 2;
    sent[1] -= KERNELS * (END - COUNT) / 2;
    cr_expect_lt(sent[0], sent[1] * 3 / 4, "%u of %u", sent[0], sent[1]);
}

Test(jit_memory, avx512)
{
    compare_tiers(CPU_AVX512, false);
}

Test(jit_memory, counts_avx512)
{
    compare_tiers(CPU_AVX512, true);
}

Test(jit_memory, counts_avx2)
{
    compare_tiers(CPU_AVX2, true);
}

Test(jit_memory, avx2)
{
    compare_tiers(CPU_AVX2, false);
}

/* ---- fences and barriers ---- */

/* Counts locked instructions in the code of a fence, and optionally of another
 * fence, a signal, a read and a wait. */
static unsigned
locks(bool another, bool signal, bool read, bool wait)
{
    static const uint8_t lock[] = {0xf0, 0x83, 0x0c, 0x24, 0x00};
    size_t size_B;
    begin_memory_kernel(&k, 1);
    add_fence(&k);
    if (another)
        add_fence(&k);
    binary(&k, EU_OP_XOR, 16, DATA, DATA, DATA, false);
    if (signal)
        add_signal(&k);
    if (read)
        add_message(&k, 16, true);
    if (wait)
        add_wait(&k);
    add_end(&k, true);
    struct eu_kernel *kernel = eu_kernel_build(k.code, k.size_B, k.gen);
    cr_assert_not_null(kernel);
    struct eu_jit *jit = eu_jit_compile(kernel, cpu_selected(), 0);
    cr_assert_not_null(jit);
    const uint8_t *code = eu_jit_code(jit, &size_B);
    unsigned count = 0;
    for (size_t at = 0; at + sizeof lock <= size_B; at++)
        count += !memcmp(code + at, lock, sizeof lock);
    eu_jit_free(jit);
    eu_kernel_free(kernel);
    return count;
}

/* A signal has one for threads with a pending notification. */
Test(jit_memory, leaves_fences_to_barriers)
{
    if (cpu_selected() < CPU_AVX2)
        return;
    cr_expect_eq(locks(false, true, false, true), 1);
    cr_expect_eq(locks(true, true, false, true), 2, "the first of two");
    cr_expect_eq(locks(false, true, true, true), 1, "a read before the wait");
    cr_expect_eq(locks(false, true, false, false), 1, "no wait");
    cr_expect_eq(locks(false, false, false, true), 1, "no signal");
}

/* A thread of a group signals with this header, and waits. Returns how many
 * have arrived without a message. */
static unsigned
arrivals(uint32_t header, unsigned notifications)
{
    static struct world w;
    struct eu_thread t;
    unsigned arrived = 0;
    make_rooms(&w);
    w.sent = 0;
    begin_memory_kernel(&k, 1);
    add_signal(&k);
    add_wait(&k);
    add_end(&k, true);
    struct eu_kernel *kernel = eu_kernel_build(k.code, k.size_B, k.gen);
    cr_assert_not_null(kernel);
    struct eu_start s = {.kernel = kernel,
                         .simd = 16,
                         .send = answer,
                         .arrived = &arrived,
                         .user = &w};
    struct eu_launch launch;
    eu_launch_init(&launch, &s);
    memset(t.grf, 0, sizeof t.grf);
    eu_grf(&t, LIMIT)[2] = header;
    t.user = &w;
    eu_launch_start(&launch, &t, 0xffff, 0xffff);
    t.n0[0] = notifications;
    if (notifications)
        cr_expect_eq(launch.run(&launch, &t, BUDGET), EU_FINISHED);
    else
        cr_expect_eq(launch.run(&launch, &t, BUDGET), EU_WAITING);
    if (!notifications) {
        cr_expect_eq(eu_launch_resume(&launch, &t, BUDGET), EU_WAITING);
        t.n0[0]++;
        cr_expect_eq(eu_launch_resume(&launch, &t, BUDGET), EU_FINISHED);
    }
    cr_expect_eq(t.n0[0], 0);
    cr_expect_eq(w.sent + arrived, (END - COUNT) / 2 + 1u);
    eu_kernel_free(kernel);
    return arrived;
}

Test(jit_memory, signals_barriers)
{
    if (cpu_selected() < CPU_AVX2)
        return;
    cr_expect_eq(arrivals(0, 0), 1);
    cr_expect_eq(arrivals(0, 1), 1, "a notification is there");
    cr_expect_eq(arrivals(UINT32_C(1) << 15, 0), 0, "it says how many");
}
