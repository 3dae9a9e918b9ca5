/* test_lockstep_loop.c: loops of two threads in lockstep against single
 * threads. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/fpmode.h"
#include "compare_tiers.h"
#include "if_kernels.h"
#include "loop_kernels.h"
#include "chains.h"

/* Runs threads that were given up, or are left over, one at a time. */
static unsigned
run_rest(const struct eu_launch *l, struct eu_thread *t, unsigned from,
         const struct eu_chain_entry row[ROW], struct caught_row *to,
         int64_t *left)
{
    for (unsigned n = from;; n++) {
        set_payload(l, t, &row[n]);
        t->captured = (uint8_t *)to->color[n];
        if (eu_launch_next(l, t, row[n].dispatch_mask, row[n].vector_mask,
                           left) != EU_FINISHED)
            return n;
        to->mask[n] = t->message.exec_mask & row[n].dispatch_mask;
        if (!row[n].more)
            return n + 1;
        memcpy(t->grf, t[EU_CHAIN_THREADS].grf, sizeof t->grf);
    }
}

struct pair_tally {
    unsigned kernels, pairs, lost;
};

/* t: the threads that run, and one with their initial registers. */
static void
compare_pairs(struct rk *k, uint64_t seed, struct pair_tally *tally)
{
    static struct eu_thread t[EU_CHAIN_THREADS + 1], single;
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log = {.lanes = true};
    struct ready r;
    const struct eu_launch *l = &r.launch;
    bool fits = make_ready(&r, &state, k, seed & 1, NULL, &got);
    if (fits && eu_jit_lockstep(l->jit, 2)) {
        tally->kernels++;
        int64_t budget = rk_rnd(&state, 4) ? BUDGET : rk_rnd(&state, 1000);
        int64_t left[2] = {budget, budget};
        poison(&t[0], (unsigned)seed);
        rk_fill_registers(&state, &t[0]);
        t[0].user = &log;
        t[EU_CHAIN_THREADS] = single = t[0];
        poison(&t[1], (unsigned)seed + 1);
        uint32_t before = eu_launch_begin(l);
        unsigned done = run_single(l, &single, true, NULL, r.row, &want,
                                   &left[0]);
        unsigned pairs = eu_launch_chain_two(l, t, r.row,
                                             (struct eu_epilogue){0}, &left[1]);
        for (unsigned n = 0; n < pairs; n++)
            got.mask[n] = r.row[n].captured_mask;
        tally->pairs += pairs / 2;
        tally->lost += pairs / 2 < r.count / 2;
        if (pairs < r.count)
            pairs = run_rest(l, t, pairs, r.row, &got, &left[1]);
        eu_launch_end(l, before);
        /* Lockstep tests the budget earlier than single threads. */
        cr_assert(pairs >= done, "seed %llu", (unsigned long long)seed);
        if (done == r.count)
            cr_expect_eq(left[1], left[0], "seed %llu",
                         (unsigned long long)seed);
        expect_colors(&got, &want, done, seed);
    }
    eu_kernel_free(r.kernel);
}

Test(row_loops, loops_of_a_row_in_pairs)
{
    static struct rk k;
    struct pair_tally t = {0};
    for (uint64_t seed = 1; seed <= 8 * KERNELS; seed++) {
        make_loops(&k, seed);
        compare_pairs(&k, seed, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2) {
        cr_expect_gt(t.pairs, KERNELS / 10, "%u of %u", t.pairs, t.kernels);
        cr_expect_gt(t.lost, KERNELS / 300, "%u", t.lost);
    } else {
        cr_expect_eq(t.kernels, 0);
    }
}

Test(row_loops, values_in_any_registers)
{
    static struct rk k;
    struct pair_tally t = {0};
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make_circles(&k, seed);
        compare_pairs(&k, seed, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2)
        cr_expect_gt(t.pairs, KERNELS / 10, "%u of %u", t.pairs, t.kernels);
    else
        cr_expect_eq(t.kernels, 0);
}

/* Whether the kernel reads, after its loop, a register that the loop writes: if
 * all channels count equally they leave together. */
static bool
finds_written(bool alike)
{
    static struct rk k;
    struct eu_start start = {.simd = 16, .dispatch_mask = 0xffff};
    struct eu_launch l;
    make_silent(&k, 1, true);
    k.count = k.size_B = 0;
    add_values(&k, true);
    add_loop(&k, 5, false, add_to_values);
    if (!alike) {
        struct code other = encode_count(EU_OP_AND, 7); /* of given values */
        put(&other, 76, 69, GIVEN_GRF);
        memcpy(k.code + k.at_B[VALUES], other.dw, sizeof other.dw);
    }
    for (unsigned i = 0; i < EU_CAPTURE_GRF; i += 2)
        add_sum(&k, BEHIND_GRF + i, VALUE_GRF(i), VALUE_GRF(i + 1));
    rk_add_send(&k, BEHIND_GRF, EU_CAPTURE_GRF, 0, true);
    struct eu_kernel *kernel = eu_kernel_build(k.code, k.size_B, k.gen);
    start.kernel = kernel;
    eu_launch_init(&l, &start);
    bool finds = l.live_in[BEHIND_GRF / 32] >> BEHIND_GRF % 32 & 1;
    eu_kernel_free(kernel);
    return finds;
}

Test(row_loops, what_is_written_behind_loops)
{
    cr_expect(!finds_written(true));
    cr_expect(finds_written(false));
}

/* Kernels that only read their positions. */
Test(row_loops, threads_without_weights_in_pairs)
{
    static struct rk k;
    struct pair_tally t = {0};
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make_silent(&k, seed, false);
        compare_pairs(&k, seed, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2)
        cr_expect_gt(t.pairs, KERNELS / 100, "%u of %u", t.pairs, t.kernels);
    else
        cr_expect_eq(t.kernels, 0);
}

Test(row_loops, ifs_of_a_row_in_pairs)
{
    static struct rk k;
    struct pair_tally t = {0};
    for (uint64_t seed = 1; seed <= 4 * KERNELS; seed++) {
        make_ifs(&k, seed);
        compare_pairs(&k, seed, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2)
        cr_expect_gt(t.pairs, 4 * KERNELS, "%u of %u", t.pairs, t.kernels);
    else
        cr_expect_eq(t.kernels, 0);
}

/* ---- inactive lanes ---- */

/* Runs in pieces of this many instructions; 0: interprets. Returns whether the
 * thread finishes. */
static bool
run_lanes(struct eu_thread *t, const struct eu_jit *jit, unsigned piece)
{
    struct rk_log log = {.lanes = eu_jit_info(jit).lane_independent};
    unsigned patience = 100;
    t->user = &log;
    for (unsigned spent = 0; spent < BUDGET; spent += piece ? piece : BUDGET) {
        if (piece)
            eu_jit_execute(jit, t, piece);
        else
            eu_run_reference(t, BUDGET);
        if (t->status != EU_RUNNING && !rk_notify(t, &patience))
            break;
    }
    t->clock = log.hash;
    return t->status == EU_FINISHED;
}

struct lane_tally {
    unsigned apart, ended;
};

static void
compare_lanes(const struct rk *k, uint64_t seed, struct lane_tally *tally)
{
    static struct eu_thread single, piecewise;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct eu_kernel *kernel = eu_kernel_build(k->code, k->size_B, k->gen);
    cr_assert_not_null(kernel);
    struct eu_jit *jit = eu_jit_compile(kernel, cpu_selected(),
                                        EU_JIT_DENORMALS);
    cr_assert_not_null(jit);
    struct eu_start s = rk_start(&state, kernel);
    /* The code does not support other modes. */
    s.alt_mode = s.single_program_flow = false;
    s.rounding = 0;
    uint32_t mode = fpmode_get();
    eu_thread_init(&single, &s);
    rk_fill_registers(&state, &single);
    eu_thread_update_mxcsr(&single);
    piecewise = single;
    tally->apart += eu_jit_info(jit).lane_independent;
    if (run_lanes(&single, jit, 0)) {
        unsigned piece = seed % 3 ? 1 + (unsigned)(seed % 40) : BUDGET;
        cr_expect(run_lanes(&piecewise, jit, piece), "seed %llu",
                  (unsigned long long)seed);
        cr_expect_eq(piecewise.clock, single.clock, "seed %llu",
                     (unsigned long long)seed);
        tally->ended++;
    }
    fpmode_set(mode);
    eu_jit_free(jit);
    eu_kernel_free(kernel);
}

Test(row_loops, lanes_that_are_off)
{
    static struct rk k;
    struct lane_tally t = {0};
    if (cpu_selected() < CPU_AVX2)
        return;
    for (uint64_t seed = 1; seed <= 4 * KERNELS; seed++) {
        make_sending_loops(&k, seed);
        compare_lanes(&k, seed, &t);
    }
    cr_expect_gt(t.apart, KERNELS / 10, "%u", t.apart);
    cr_expect_gt(t.ended, 3 * KERNELS, "%u", t.ended);
}

Test(row_loops, lanes_that_are_off_around_ifs)
{
    static struct rk k;
    struct lane_tally t = {0};
    if (cpu_selected() < CPU_AVX2)
        return;
    for (uint64_t seed = 1; seed <= 8 * KERNELS; seed++) {
        make_sending_ifs(&k, seed);
        compare_lanes(&k, seed, &t);
    }
    cr_expect_gt(t.apart, 2 * KERNELS, "%u", t.apart);
    cr_expect_gt(t.ended, 6 * KERNELS, "%u", t.ended);
}

Test(row_loops, ifs_on_both_tiers)
{
    compare_tiers(cpu_selected(), make_sending_ifs, KERNELS, 4);
}

Test(row_loops, channels_that_may_be_off)
{
    cr_expect(eu_masks_nothing(0xffff, 0xffff, false, false));
    cr_expect(eu_masks_nothing(0x1ffff, 0xffff, false, false));
    cr_expect_not(eu_masks_nothing(0xf0f1, 0xffff, false, false));
    cr_expect(eu_masks_nothing(0xf0f1, 0xffff, true, false));
    cr_expect_not(eu_masks_nothing(0xf0f1, 0xffff, true, true));
    cr_expect(eu_masks_nothing(0xf0f0, 0xffff, true, true));
    cr_expect_not(eu_masks_nothing(0x1f0f0, 0xffff, true, false));
    cr_expect_not(eu_masks_nothing(0, 0xffff, true, false));
}

/* A move and a sum. The move reads a value of the previous iteration, or a
 * register that no op writes. */
static bool moves_scalar, moves_written;

static void
add_move_and_sum(struct rk *k)
{
    struct code c = encode_unary(EU_OP_MOV, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, VALUE_GRF(1));
    put(&c, 76, 69, moves_written ? VALUE_GRF(0) : GIVEN_GRF);
    if (moves_scalar)
        put(&c, 88, 80, 0);
    rk_append(k, c.dw);
    add_sum(k, VALUE_GRF(0), VALUE_GRF(1), VALUE_GRF(1));
}

static bool
is_apart(bool scalar, bool written)
{
    static struct rk k;
    struct eu_start start = {.simd = 16, .dispatch_mask = 0xffff};
    struct eu_launch l;
    moves_scalar = scalar;
    moves_written = written;
    make_silent(&k, 1, true);
    k.count = k.size_B = 0;
    add_loop(&k, 5, false, add_move_and_sum);
    rk_add_send(&k, VALUE_GRF(0), EU_CAPTURE_GRF, 0, true);
    start.kernel = eu_kernel_build(k.code, k.size_B, k.gen);
    eu_launch_init(&l, &start);
    eu_kernel_free((struct eu_kernel *)start.kernel);
    return l.lane_independent;
}

Test(row_loops, lanes_that_meet_in_the_next_round)
{
    cr_expect(is_apart(false, true));
    cr_expect(is_apart(true, false));
    cr_expect_not(is_apart(true, true));
}
