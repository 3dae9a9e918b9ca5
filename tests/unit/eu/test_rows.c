/* Rows of threads against the same threads one after the other. */
#include <criterion/criterion.h>
#include <immintrin.h>
#include <stdlib.h>

#include "rows.h"

/* What tails know, and how often they were called. */
struct tail_run {
    struct eu_thread *thread;
    const struct own *own;
    unsigned calls;
};

/* Tails that leave what they are called with where it would be caught. */
static void
take_row(struct eu_row *row, struct tail_run *run, uint32_t mask)
{
    row->caught_mask ^= mask; /* the same: nothing is left of it */
    run->calls++;
    if (row->more)
        set_own(run->thread, run->own, run->calls);
}

__attribute__((target("avx512f"))) static void
tail_avx512(__m512 r, __m512 g, __m512 b, __m512 a, struct eu_row *row,
            struct tail_run *run, uint32_t mask)
{
    float *to = (float *)(void *)row->caught;
    _mm512_storeu_ps(to, r);
    _mm512_storeu_ps(to + 16, g);
    _mm512_storeu_ps(to + 32, b);
    _mm512_storeu_ps(to + 48, a);
    take_row(row, run, mask);
}

__attribute__((target("avx2"))) static void
tail_avx2(__m256 r0, __m256 r1, __m256 g0, __m256 g1, __m256 b0, __m256 b1,
          __m256 a0, __m256 a1, struct eu_row *row, struct tail_run *run,
          uint32_t mask)
{
    const __m256 v[8] = {r0, r1, g0, g1, b0, b1, a0, a1};
    memcpy(row->caught, v, sizeof v);
    take_row(row, run, mask);
}

static unsigned
run_tails(const struct eu_launch *l, struct eu_thread *t, const struct own *own,
          struct eu_row row[ROW], int64_t *left)
{
    struct tail_run run = {t, own, 0};
    struct eu_tail tail = {(void (*)(void))tail_avx2, &run};
    if (cpu_selected() == CPU_AVX512)
        tail.fn = (void (*)(void))tail_avx512;
    for (unsigned n = 0; n < ROW; n++)
        row[n].caught_mask = row[n].dispatch_mask;
    set_own(t, own, 0);
    struct eu_row *at = eu_launch_row(l, t, row, tail, !own, left);
    unsigned done = (unsigned)(at - row) + (t->status == EU_FINISHED);
    for (unsigned n = 0; n < done; n++)
        cr_expect_eq(row[n].caught_mask, 0);
    cr_expect_eq(run.calls, done);
    cr_expect_null(t->tail.fn);
    return done;
}

static unsigned
run_row(const struct eu_launch *l, struct eu_thread *t, struct eu_row row[ROW],
        struct caught_row *to, int64_t *left)
{
    struct eu_row *at = eu_launch_row(l, t, row, (struct eu_tail){0}, true,
                                      left);
    unsigned done = (unsigned)(at - row) + (t->status == EU_FINISHED);
    for (unsigned n = 0; n < done; n++)
        to->mask[n] = row[n].caught_mask;
    cr_expect_null(t->row);
    return done;
}

struct row_tally {
    unsigned rows, whole;
};

/* A budget may end within the row. pairs: two threads at a time. send: as for
 * make_ready(). */
static void
compare_row(struct rk *k, uint64_t seed, bool pairs, eu_send_fn send,
            struct row_tally *tally)
{
    static struct eu_thread single, in_row[2], again[2];
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log[3] = {{.lanes = true}, {.lanes = true}, {.lanes = true}};
    struct ready r;
    const struct eu_launch *l = &r.launch;
    if (make_ready(&r, &state, k, false, send, &got) && l->rows &&
        (!pairs || eu_jit_pair(l->jit))) {
        poison(&single, (unsigned)seed);
        rk_fill_registers(&state, &single);
        in_row[0] = again[0] = single;
        poison(&in_row[1], (unsigned)seed + 1);
        poison(&again[1], (unsigned)seed + 2);
        single.user = &log[0];
        in_row[0].user = &log[1];
        again[0].user = &log[2];
        uint32_t before = eu_launch_begin(l);
        int64_t left[3] = {BUDGET, BUDGET, BUDGET};
        unsigned done = run_single(l, &single, pairs, NULL, r.row, &want,
                                   &left[0]);
        cr_assert_eq(run_row(l, in_row, r.row, &got, &left[1]), done);
        expect_colors(&got, &want, done, seed);
        memset(got.color, 0, sizeof got.color);
        cr_assert_eq(run_tails(l, again, NULL, r.row, &left[2]), done);
        expect_colors(&got, &want, done, seed);
        eu_launch_end(l, before);
        for (unsigned i = 1; i < 3; i++) {
            cr_expect_eq(left[i], left[0]);
            cr_expect_eq(log[i].count, log[0].count);
            cr_expect_eq(log[i].hash, log[0].hash, "seed %llu",
                         (unsigned long long)seed);
        }
        tally->rows++;
        tally->whole += done == r.count;
    }
    eu_kernel_free(r.kernel);
}

/* Tails give the next thread another value in some register. */
static void
compare_own(struct rk *k, uint64_t seed, unsigned *rows)
{
    static struct eu_thread single, in_row[2];
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log[2] = {{.lanes = true}, {.lanes = true}};
    struct ready r;
    const struct eu_launch *l = &r.launch;
    struct own own;
    bool fits = make_ready(&r, &state, k, false, NULL, &got);
    own.grf = (l->row_grf + EU_ROW_GRF + rk_rnd(&state, 124)) % EU_GRF_COUNT;
    for (unsigned i = 0; i < ROW * 8; i++)
        own.value[i / 8][i % 8] = rk_rnd(&state, UINT32_MAX);
    if (fits && l->rows) {
        rk_fill_registers(&state, &single);
        in_row[0] = in_row[1] = single;
        single.user = &log[0];
        in_row[0].user = &log[1];
        int64_t left[2] = {BUDGET, BUDGET};
        uint32_t before = eu_launch_begin(l);
        unsigned done = run_single(l, &single, false, &own, r.row, &want,
                                   &left[0]);
        memcpy(got.mask, want.mask, sizeof got.mask);
        cr_assert_eq(run_tails(l, in_row, &own, r.row, &left[1]), done);
        eu_launch_end(l, before);
        expect_colors(&got, &want, done, seed);
        cr_expect_eq(left[1], left[0]);
        ++*rows;
    }
    eu_kernel_free(r.kernel);
}

Test(rows, threads_of_a_row_with_registers_of_their_own)
{
    static struct rk k;
    unsigned rows = 0;
    for (uint64_t seed = 1; seed <= 6 * KERNELS; seed++) {
        make_straight(&k, seed, true);
        compare_own(&k, seed, &rows);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2)
        cr_expect_gt(rows, KERNELS / 60);
    else
        cr_expect_eq(rows, 0);
}

Test(rows, threads_of_a_row)
{
    static struct rk k;
    struct row_tally t = {0};
    for (uint64_t seed = 1; seed <= 6 * KERNELS; seed++) {
        make_straight(&k, seed, true);
        compare_row(&k, seed, false, NULL, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2)
        cr_expect_gt(t.whole, KERNELS / 60, "%u of %u", t.whole, t.rows);
    else
        cr_expect_eq(t.rows, 0);
}

Test(rows, threads_of_a_row_in_pairs)
{
    static struct rk k;
    struct row_tally t = {0};
    for (uint64_t seed = 1; seed <= 10 * KERNELS; seed++) {
        make_silent(&k, seed, true);
        compare_row(&k, seed, true, NULL, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() == CPU_AVX512)
        cr_expect_gt(t.whole, KERNELS / 10, "%u of %u", t.whole, t.rows);
    else
        cr_expect_eq(t.rows, 0);
}

Test(rows, threads_of_a_row_that_sample_in_pairs)
{
    static struct rk k;
    struct row_tally t = {0};
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make_sampling(&k, seed);
        compare_row(&k, seed, true, answer_alone, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() == CPU_AVX512) {
        cr_expect_gt(t.whole, KERNELS / 200, "%u of %u", t.whole, t.rows);
        cr_expect_lt(t.whole, t.rows, "some messages fail");
    } else {
        cr_expect_eq(t.rows, 0);
    }
}
