/* test_profile.c: compiled code and the interpreter count each instruction and
 * its lanes alike: in random kernels, in loops that all channels leave at once,
 * in IFs, and where threads wait. Chains count the lanes of each thread, and
 * threads in lockstep what they would count alone. */
#include "compare_tiers.h"
#include "if_kernels.h"
#include "loop_kernels.h"

#include "eu/profile/profile.h"

static void
make_counted(struct rk *k, void (*make)(struct rk *k, uint64_t seed),
             uint64_t seed)
{
    make(k, seed);
    k->mode = RK_WHOLE;
    k->counts = true;
    k->lanes = seed % 4;
}

/* Only whole kernels are counted: the other modes split blocks. */
static void
make_any(struct rk *k, uint64_t seed)
{
    do
        rk_make(k, seed);
    while (k->mode != RK_WHOLE && (seed += UINT64_C(1) << 32));
    k->counts = true;
    k->lanes = seed % 4;
}

#define COUNTED(name)                                       \
    static void name##_counted(struct rk *k, uint64_t seed) \
    {                                                       \
        make_counted(k, name, seed);                        \
    }
COUNTED(make_loops)
COUNTED(make_circles)
COUNTED(make_sending_loops)
COUNTED(make_ifs)
COUNTED(make_sending_ifs)

#define COMPARED(name, make, kernels)                \
    Test(profile, name)                              \
    {                                                \
        compare_tiers(CPU_AVX512, make, kernels, 3); \
        compare_tiers(CPU_AVX2, make, kernels, 3);   \
    }
COMPARED(random_kernels, make_any, 1000)
COMPARED(loops, make_loops_counted, 300)
COMPARED(circles, make_circles_counted, 300)
COMPARED(sending_loops, make_sending_loops_counted, 300)
COMPARED(ifs, make_ifs_counted, 300)
COMPARED(sending_ifs, make_sending_ifs_counted, 300)

/* The lanes of an array of counters at the kernel's first instruction. */
static uint64_t
first_of(const uint64_t *counters, const struct eu_kernel *k,
         enum profile_array array)
{
    return counters[RK_SLOT + array * (k->size_B / 8)];
}

/* The lanes of its executions with some lane off. */
static uint64_t
first_lanes(const uint64_t *counters, const struct eu_kernel *k)
{
    uint64_t lanes = 0;
    uint32_t at = RK_SLOT + profile_bin(PROFILE_BLOCK_BINS,
                                        eu_profile_arrays_of(k),
                                        k->profile_bins, k->size_B / 8, 0);
    for (unsigned n = 0; n < k->profile_bins; n++)
        lanes += n * counters[at + n];
    return lanes;
}

static void
drop_colors(void)
{
}

/* Runs a chain whose threads have different lanes. Returns the number of its
 * threads, or 0 if it cannot be one, or does not end. */
static unsigned
count_chain(struct rk *k, uint64_t seed)
{
    static uint64_t counters[RK_COUNTERS];
    static struct eu_thread t[EU_CHAIN_THREADS];
    static struct caught_row to;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log = {.lanes = true};
    struct ready r;
    struct eu_epilogue tail = {.fn = drop_colors, .store_pair = drop_colors};
    int64_t left = BUDGET;
    uint64_t lanes = 0;
    bool fits = make_ready(&r, &state, k, false, NULL, &to) && r.launch.chains;
    if (fits) {
        poison(&t[0], (unsigned)seed);
        rk_fill_registers(&state, &t[0]);
        t[0].user = &log;
        memset(counters, 0, sizeof counters);
        eu_profile_count_at(counters);
        uint32_t before = eu_launch_begin(&r.launch);
        struct eu_chain_entry *at = eu_launch_chain(&r.launch, t, r.row, tail,
                                                    true, &left);
        eu_launch_end(&r.launch, before);
        eu_profile_count_at(NULL);
        for (unsigned n = 0; n < r.count; n++)
            lanes += (unsigned)__builtin_popcount(r.row[n].mask);
        fits = t[0].status == EU_FINISHED && at == &r.row[r.count - 1];
    }
    if (fits) {
        uint64_t full = first_of(counters, r.kernel, PROFILE_ENTERED_FULL);
        cr_assert_eq(first_of(counters, r.kernel, PROFILE_ENTERED) + full,
                     r.count);
        cr_assert_eq(first_lanes(counters, r.kernel) + full * 16, lanes,
                     "seed %llu", (unsigned long long)seed);
    }
    eu_kernel_free(r.kernel);
    return fits ? r.count : 0;
}

/* The first instruction of such a kernel has all lanes that are on. */
Test(profile, chains)
{
    static struct rk k;
    unsigned threads = 0;
    if (cpu_selected() < CPU_AVX2)
        return;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make_silent(&k, seed, seed % 2);
        k.counts = k.lanes = true;
        threads += count_chain(&k, seed);
    }
    cr_expect_gt(threads, 300);
}

/* Runs a chain in lockstep, and its threads singly. Returns whether both ended,
 * after a comparison of their counts. */
static bool
compare_lockstep(struct rk *k, uint64_t seed, eu_send_fn send)
{
    static uint64_t counters[2][RK_COUNTERS];
    static struct eu_thread single, t[EU_CHAIN_THREADS];
    static struct caught_row to;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log[2] = {{.lanes = true}, {.lanes = true}};
    struct ready r;
    int64_t left[2] = {BUDGET, BUDGET};
    unsigned done = 0;
    char text[512];
    const struct eu_launch *l = &r.launch;
    if (make_ready(&r, &state, k, seed % 4, send, &to) && l->chains &&
        eu_jit_lockstep(l->jit, 2)) {
        if (seed % 2)
            eu_jit_lockstep(l->jit, 4);
        poison(&single, (unsigned)seed);
        rk_fill_registers(&state, &single);
        t[0] = single;
        single.user = &log[0];
        t[0].user = &log[1];
        memset(counters, 0, sizeof counters);
        uint32_t before = eu_launch_begin(l);
        eu_profile_count_at(counters[0]);
        done = run_single(l, &single, true, NULL, r.row, &to, &left[0]);
        eu_profile_count_at(counters[1]);
        struct eu_chain_entry *at = eu_launch_chain(
            l, t, r.row, (struct eu_epilogue){0}, true, &left[1]);
        eu_launch_end(l, before);
        eu_profile_count_at(NULL);
        done = done == r.count && at == &r.row[r.count - 1] &&
               t[0].status == EU_FINISHED;
    }
    if (done)
        cr_assert(rk_same_counts(l->jit, r.kernel, counters[1], counters[0],
                                 text, sizeof text),
                  "seed %llu: %s", (unsigned long long)seed, text);
    eu_kernel_free(r.kernel);
    return done;
}

Test(profile, lockstep)
{
    static struct rk k;
    unsigned rows[4] = {0};
    if (cpu_selected() < CPU_AVX512)
        return;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            if (kind == 0)
                make_silent(&k, seed, seed % 3);
            else
                (kind == 1   ? make_loops
                 : kind == 2 ? make_circles
                             : make_hoisted)(&k, seed);
            k.counts = true;
            k.lanes = seed % 5;
            rows[kind] += compare_lockstep(&k, seed, NULL);
        }
    }
    for (unsigned kind = 0; kind < 4; kind++)
        cr_expect_gt(rows[kind], 10, "kind %u: %u", kind, rows[kind]);
}
