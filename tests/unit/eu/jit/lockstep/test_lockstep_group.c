/* test_lockstep_group.c: two threads of a group in lockstep
 * (jit/lockstep/lockstep_group.c), each with its own memory, against the
 * interpreter running one after the other. */
#include <criterion/criterion.h>

#include "base/fpmode.h"
#include "eu/jit/jit.h"
#include "eu/profile/profile.h"
#include "eu/tiers/kernel.h"
#include "eu/tiers/tiers.h"
#include "memory_kernels.h"

#define KERNELS 6000
#define BUDGET 4000
#define START 90 /* initial count of some loops, in its first dword */

static struct rk k;

static uint32_t *
last_op(void)
{
    return (void *)(k.code + k.at_B[k.count - 1]);
}

/* count = 0, or a register's value; while (count < 4) { ...; count++; } */
static void
add_loop(unsigned simd)
{
    bool scalar = rk_chance(&k, 40);
    binary(&k, EU_OP_MOV, 16, COUNT, START, 0, false);
    uint32_t *dw = last_op();
    fields_put(dw, 80, 127, 0);
    if (!scalar) {
        fields_put(dw, 41, 42, EU_FILE_IMM);
        fields_put(dw, 64, 95, 0);
    }
    uint32_t head_B = k.size_B;
    binary(&k, EU_OP_CMP, 16, 0, COUNT, 4, true);
    fields_put(last_op(), 24, 27, EU_CMOD_GE);
    unsigned out = k.count;
    add_branch(&k, EU_OP_BREAK, true, 0, 0);
    for (unsigned n = 1 + rk_rnd(&k, 6); n--;) {
        if (rk_chance(&k, 30))
            add_message(&k, simd, true);
        else
            add_other(&k, simd, false);
    }
    binary(&k, EU_OP_ADD, 16, COUNT, COUNT, 1, true);
    add_branch(&k, EU_OP_WHILE, false, (int32_t)(head_B - k.size_B), 0);
    int32_t end_B = (int32_t)(k.size_B - k.at_B[out]) - 16;
    dw = (void *)(k.code + k.at_B[out]);
    fields_put(dw, 64, 95, (uint32_t)end_B);
    fields_put(dw, 96, 127, (uint32_t)end_B);
}

static void
make(uint64_t seed)
{
    begin_memory_kernel(&k, seed);
    unsigned simd = rk_chance(&k, 75) ? 16 : 8;
    bool loops = rk_chance(&k, 60);
    for (unsigned n = rk_rnd(&k, 6); n--;) {
        if (rk_chance(&k, 50))
            add_message(&k, simd, true);
        else
            add_other(&k, simd, true);
    }
    if (loops)
        add_loop(simd);
    for (unsigned n = 3 + rk_rnd(&k, 12); n--;) {
        if (rk_chance(&k, 50))
            add_message(&k, simd, rk_chance(&k, 30));
        else if (rk_chance(&k, 10))
            add_fence(&k);
        else
            add_other(&k, simd, true);
    }
    add_end(&k, true);
}

/* Sets a thread's own initial values, equal in both runs. */
static void
begin(struct eu_thread *t, struct world *w, uint64_t seed)
{
    struct rk random = {.random = seed};
    make_world(w, &random);
    fill(t, &random);
    eu_grf(t, START)[0] = rk_chance(&random, 70) ? 0 : rk_rnd(&random, 6);
    t->user = w;
}

static enum eu_status
run_alone(const struct eu_kernel *kernel, struct eu_thread *t, struct world *w,
          uint32_t mask, uint64_t seed)
{
    start_in_world(t, w, kernel, mask);
    begin(t, w, seed);
    return eu_run_reference(t, BUDGET);
}

struct tally {
    unsigned together, lost, sent[2];
};

static void
expect_world(const struct world *got, const struct world *want, uint64_t seed)
{
    cr_expect_eq(got->hash, want->hash, "kernel %llu: registers",
                 (unsigned long long)seed);
    for (unsigned i = 0; i < PLACES; i++)
        cr_expect_arr_eq(got->room[i], want->room[i], ROOM_B,
                         "kernel %llu: memory", (unsigned long long)seed);
}

/* Profiles: of compiled code, and of the interpreter. */
static uint64_t counters[2][RK_COUNTERS];
static uint64_t full; /* messages that compiled code counted itself */

static void
expect_counts(const struct eu_launch *l, uint64_t seed)
{
    char text[512];
    cr_expect(rk_same_counts(l->jit, l->start.kernel, counters[0], counters[1],
                             text, sizeof text),
              "kernel %llu: %s", (unsigned long long)seed, text);
    if (l->start.kernel->profile_memory)
        full += compare_memory_counts(l->start.kernel, counters[0], counters[1],
                                      seed);
}

/* Two threads given up must be in their initial state. */
static void
run_two(const struct eu_launch *l, struct world got[2], struct world want[2],
        const uint32_t mask[2], uint64_t seed, struct tally *tally)
{
    static struct eu_thread t[2], u;
    for (unsigned n = 0; n < 2; n++) {
        if (!eu_launch_takes(l, mask[n]))
            return;
        memset(&t[n], 0xa5, sizeof t[n]);
        begin(&t[n], &got[n], 2 * seed + n);
        eu_launch_start(l, &t[n], mask[n], mask[n]);
        t[n].surfaces = got[n].surfaces;
        t[n].slm = &got[n].range[PLACES - 1];
    }
    u = t[1];
    memset(counters, 0, sizeof counters);
    eu_profile_count_at(counters[0]);
    bool done = l->two(l, t, BUDGET);
    tally->together += done;
    tally->lost += !done;
    for (unsigned n = 0; n < 2; n++) {
        eu_profile_count_at(counters[0]);
        if (!done)
            l->run(l, &t[n], BUDGET);
        eu_profile_count_at(counters[1]);
        cr_assert_eq(t[n].status, EU_FINISHED);
        enum eu_status s = run_alone(l->start.kernel, &u, &want[n], mask[n],
                                     2 * seed + n);
        cr_assert_eq(s, EU_FINISHED);
        cr_expect_eq(t[n].insn_count, u.insn_count, "kernel %llu",
                     (unsigned long long)seed);
        expect_world(&got[n], &want[n], seed);
        tally->sent[0] += got[n].sent;
        tally->sent[1] += want[n].sent;
    }
    if (l->start.kernel->profile_slot)
        expect_counts(l, seed);
}

static void
compare(struct world got[2], struct world want[2], uint64_t seed,
        struct tally *tally)
{
    struct rk random = {.random = seed};
    struct eu_kernel *kernel = eu_kernel_build(k.code, k.size_B, k.gen);
    cr_assert_not_null(kernel);
    kernel->profile_slot = seed % 2 ? RK_SLOT : 0;
    kernel->profile_bins = seed % 2 && seed % 3 ? PROFILE_BINS_MAX : 0;
    kernel->profile_memory = seed % 2 && seed % 5 < 2;
    struct eu_start s = {.kernel = kernel,
                         .simd = 16,
                         .denorm_f_retain = true,
                         .send = answer,
                         .ends_quietly = true,
                         .surfaces = got[0].surfaces,
                         .slm = &got[0].range[PLACES - 1]};
    struct eu_launch l;
    uint32_t mask[2];
    for (unsigned n = 0; n < 2; n++)
        mask[n] = rk_chance(&random, 90) ? 0xffff : rk_rnd(&random, 0x10000);
    uint32_t mode = fpmode_get();
    eu_launch_init(&l, &s);
    if (l.two && eu_jit_lockstep(l.jit, 2)) {
        unsigned again = rk_chance(&random, 20) ? 3 : 1;
        while (again--)
            run_two(&l, got, want, mask, seed + again * UINT64_C(1000003),
                    tally);
    }
    eu_profile_count_at(NULL);
    fpmode_set(mode);
    eu_kernel_free(kernel);
}

Test(groups, two_threads)
{
    static struct world got[2], want[2];
    struct tally t = {0};
    for (unsigned n = 0; n < 2; n++) {
        make_rooms(&got[n]);
        make_rooms(&want[n]);
    }
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make(seed);
        compare(got, want, seed, &t);
    }
    if (cpu_selected() != CPU_AVX512 || eu_tier_selected() != EU_TIER_JIT) {
        cr_expect_eq(t.together, 0);
        return;
    }
    cr_expect_gt(t.together, KERNELS / 4, "%u", t.together);
    cr_expect_gt(t.lost, KERNELS / 100, "%u", t.lost);
    cr_expect_gt(full, KERNELS / 10, "%llu", (unsigned long long)full);
    cr_expect_lt(t.sent[0], t.sent[1], "%u of %u", t.sent[0], t.sent[1]);
}
