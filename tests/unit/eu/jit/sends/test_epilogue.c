/* test_epilogue.c: chains of threads, and epilogues, against single threads. */
#include <criterion/criterion.h>
#include <immintrin.h>
#include <stdlib.h>

#include "base/fields.h"
#include "chains.h"

/* State of the test's epilogues, and how often they were called. */
struct tail_run {
    struct eu_thread *thread;
    const struct own *own;
    unsigned calls, copies;
    bool copying;
};

/* Epilogues that store their payload where it would be captured. */
static void
take_row(struct eu_chain_entry *row, struct tail_run *run, uint32_t mask)
{
    row->captured_mask ^= mask; /* equal masks give zero */
    run->calls++;
    if (row->more)
        set_own(run->thread, run->own, run->calls);
}

__attribute__((target("avx512f"))) static void
tail_avx512(__m512 r, __m512 g, __m512 b, __m512 a, struct eu_chain_entry *row,
            struct tail_run *run, uint32_t mask)
{
    float *to = (float *)(void *)row->captured;
    _mm512_storeu_ps(to, r);
    _mm512_storeu_ps(to + 16, g);
    _mm512_storeu_ps(to + 32, b);
    _mm512_storeu_ps(to + 48, a);
    take_row(row, run, mask);
}

__attribute__((target("avx512f"))) static void
tail_of_two(__m512 r, __m512 g, __m512 b, __m512 a, __m512 r1, __m512 g1,
            __m512 b1, __m512 a1, struct eu_chain_entry *row,
            struct tail_run *run)
{
    cr_assert(row->more && !run->own);
    tail_avx512(r, g, b, a, row, run, row->captured_mask);
    tail_avx512(r1, g1, b1, a1, row + 1, run, row[1].captured_mask);
}

__attribute__((target("avx2"))) static void
tail_avx2(__m256 r0, __m256 r1, __m256 g0, __m256 g1, __m256 b0, __m256 b1,
          __m256 a0, __m256 a1, struct eu_chain_entry *row,
          struct tail_run *run, uint32_t mask)
{
    const __m256 v[8] = {r0, r1, g0, g1, b0, b1, a0, a1};
    memcpy(row->captured, v, sizeof v);
    take_row(row, run, mask);
}

/* Answers that the lane's two coordinates determine. */
static uint32_t
answer_of(uint32_t u, uint32_t v, unsigned channel)
{
    uint32_t n = (u ^ v * 2654435761u) + channel * 40503u;
    return (n ^ n >> 15) * 0x2c1b3c6d;
}

static enum eu_msg_result
answer(struct eu_thread *t, const struct eu_message *m)
{
    uint32_t u[16], v[16];
    ++*(unsigned *)t->user;
    memcpy(u, eu_message_reg(m, 0), sizeof u);
    memcpy(v, eu_message_reg(m, 2), sizeof v);
    for (unsigned i = 0; i < 64; i++)
        if (m->exec_mask >> i % 16 & 1)
            m->dst[i] = answer_of(u[i % 16], v[i % 16], i / 16);
    return EU_MSG_OK;
}

/* Declines every third call. */
static bool
copy_some(const uint32_t from[2][16], struct eu_chain_entry *row,
          struct tail_run *run, uint32_t mask)
{
    if (++run->copies % 3 == 0)
        return false;
    for (unsigned i = 0; i < 64; i++)
        ((uint32_t *)(void *)row->captured)[i] = answer_of(
            from[0][i % 16], from[1][i % 16], i / 16);
    take_row(row, run, mask);
    return true;
}

__attribute__((target("avx512f"))) static bool
copy_avx512(__m512 u, __m512 v, struct eu_chain_entry *row,
            struct tail_run *run, uint32_t mask)
{
    uint32_t from[2][16];
    _mm512_storeu_ps(from[0], u);
    _mm512_storeu_ps(from[1], v);
    return copy_some(from, row, run, mask);
}

__attribute__((target("avx2"))) static bool
copy_avx2(__m256 u0, __m256 u1, __m256 v0, __m256 v1,
          struct eu_chain_entry *row, struct tail_run *run, uint32_t mask)
{
    const __m256 v[4] = {u0, u1, v0, v1};
    uint32_t from[2][16];
    memcpy(from, v, sizeof v);
    return copy_some(from, row, run, mask);
}

static unsigned
run_tails(const struct eu_launch *l, struct eu_thread *t, struct tail_run *run,
          struct eu_chain_entry row[ROW], int64_t *left)
{
    const struct own *own = run->own;
    struct eu_epilogue tail = {(void (*)(void))tail_avx2, run,
                               (void (*)(void))copy_avx2, NULL};
    run->thread = t;
    if (cpu_selected() == CPU_AVX512) {
        tail.fn = (void (*)(void))tail_avx512;
        tail.store_pair = (void (*)(void))tail_of_two;
        tail.sample_store = (void (*)(void))copy_avx512;
    }
    if (!run->copying)
        tail.sample_store = NULL;
    for (unsigned n = 0; n < ROW; n++)
        row[n].captured_mask = row[n].dispatch_mask;
    set_own(t, own, 0);
    struct eu_chain_entry *at = eu_launch_chain(l, t, row, tail, !own, left);
    unsigned done = (unsigned)(at - row) + (t->status == EU_FINISHED);
    for (unsigned n = 0; n < done; n++)
        cr_expect_eq(row[n].captured_mask, 0);
    cr_expect_eq(run->calls, done);
    cr_expect_null(t->epilogue.fn);
    return done;
}

static unsigned
run_row(const struct eu_launch *l, struct eu_thread *t,
        struct eu_chain_entry row[ROW], struct caught_row *to, int64_t *left)
{
    struct eu_chain_entry *at = eu_launch_chain(
        l, t, row, (struct eu_epilogue){0}, true, left);
    unsigned done = (unsigned)(at - row) + (t->status == EU_FINISHED);
    for (unsigned n = 0; n < done; n++)
        to->mask[n] = row[n].captured_mask;
    cr_expect_null(t->chain);
    return done;
}

struct row_tally {
    unsigned rows, whole, lit, four;
};

/* Makes lockstep code for two threads, and for four if the seed is odd. */
static bool
runs_together(const struct eu_jit *jit, uint64_t seed, struct row_tally *tally)
{
    tally->four += seed % 2 && eu_jit_lockstep(jit, 4);
    return eu_jit_lockstep(jit, 2);
}

/* A budget may end within the chain. pairs: in lockstep. send: as for
 * make_ready(). */
static void
compare_row(struct rk *k, uint64_t seed, bool pairs, eu_send_fn send,
            struct row_tally *tally)
{
    static struct eu_thread single, in_row[EU_CHAIN_THREADS],
        again[EU_CHAIN_THREADS];
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log[3] = {{.lanes = true}, {.lanes = true}, {.lanes = true}};
    struct ready r;
    const struct eu_launch *l = &r.launch;
    if (make_ready(&r, &state, k, false, send, &got) && l->chains &&
        (!pairs || runs_together(l->jit, seed, tally))) {
        poison(&single, (unsigned)seed);
        rk_fill_registers(&state, &single);
        in_row[0] = again[0] = single;
        for (unsigned i = 1; i < EU_CHAIN_THREADS; i++) {
            poison(&in_row[i], (unsigned)seed + i);
            poison(&again[i], (unsigned)seed + i + EU_CHAIN_THREADS);
        }
        single.user = &log[0];
        in_row[0].user = &log[1];
        again[0].user = &log[2];
        uint32_t before = eu_launch_begin(l);
        struct tail_run tails = {0};
        int64_t left[3] = {BUDGET, BUDGET, BUDGET};
        unsigned done = run_single(l, &single, pairs, NULL, r.row, &want,
                                   &left[0]);
        row_directs.fills = true;
        cr_assert_eq(run_row(l, in_row, r.row, &got, &left[1]), done);
        expect_colors(&got, &want, done, seed);
        memset(got.color, 0, sizeof got.color);
        cr_assert_eq(run_tails(l, again, &tails, r.row, &left[2]), done);
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
        tally->lit += l->chain_sets_mask;
    }
    eu_kernel_free(r.kernel);
}

/* Epilogues give the next thread another value in some register. */
static void
compare_own(struct rk *k, uint64_t seed, unsigned *rows)
{
    static struct eu_thread single, in_row[EU_CHAIN_THREADS];
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log[2] = {{.lanes = true}, {.lanes = true}};
    struct ready r;
    const struct eu_launch *l = &r.launch;
    struct own own;
    bool fits = make_ready(&r, &state, k, false, NULL, &got);
    own.grf = (l->chain_grf + EU_CHAIN_GRF + rk_rnd(&state, 124)) %
              EU_GRF_COUNT;
    for (unsigned i = 0; i < ROW * 8; i++)
        own.value[i / 8][i % 8] = rk_rnd(&state, UINT32_MAX);
    if (fits && l->chains) {
        rk_fill_registers(&state, &single);
        in_row[0] = in_row[1] = single;
        single.user = &log[0];
        in_row[0].user = &log[1];
        int64_t left[2] = {BUDGET, BUDGET};
        uint32_t before = eu_launch_begin(l);
        unsigned done = run_single(l, &single, false, &own, r.row, &want,
                                   &left[0]);
        struct tail_run tails = {.own = &own};
        memcpy(got.mask, want.mask, sizeof got.mask);
        cr_assert_eq(run_tails(l, in_row, &tails, r.row, &left[1]), done);
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
    bool fours = cpu_selected() == CPU_AVX512;
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2)
        cr_expect(t.whole > KERNELS / 10 && t.lit > t.rows / 20 &&
                      (t.four > t.rows / 20) == fours,
                  "%u, %u and %u of %u", t.whole, t.lit, t.four, t.rows);
    else
        cr_expect_eq(t.rows, 0);
}

Test(rows, threads_of_a_row_in_another_order)
{
    static struct rk k;
    struct row_tally t = {0};
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make_hoisted(&k, seed);
        compare_row(&k, seed, true, NULL, &t);
    }
    bool fours = cpu_selected() == CPU_AVX512;
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2)
        cr_expect(t.whole > KERNELS / 10 && (t.four > t.rows / 4) == fours,
                  "%u and %u of %u", t.whole, t.four, t.rows);
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
        cr_expect_gt(row_directs.calls, KERNELS / 20, "%u", row_directs.calls);
        cr_expect_gt(t.whole, KERNELS / 200, "%u of %u", t.whole, t.rows);
        cr_expect_lt(t.whole, t.rows, "some messages fail");
    } else {
        cr_expect_eq(t.rows, 0);
    }
}

struct copying {
    bool exact;
    unsigned dst;
};

/* sample_store leaves no part of the answer in registers. */
static bool
reads_answers_of_others(const struct eu_launch *l, unsigned dst)
{
    for (unsigned i = dst; i < dst + EU_CAPTURE_GRF; i++)
        if (l->live_in[i / 32] >> i % 32 & 1)
            return true;
    return false;
}

/* The last payload is the answer of the message before it, or nearly so. */
static struct copying
make_copying(struct rk *k, uint64_t seed)
{
    make_first(k, seed, seed / 16 % 2);
    for (unsigned n = rk_rnd(k, 4); n--;)
        rk_add_alu(k);
    unsigned dst = rk_reg(k, RK_FLOAT, EU_CAPTURE_GRF + 1);
    rk_add_send(k, rk_reg(k, RK_FLOAT, 4), 4, EU_CAPTURE_GRF, false);
    uint32_t *dw = (uint32_t *)(void *)(k->code + k->size_B - 16);
    bool exact = seed % 4, header = seed % 16 == 4, masked = seed % 16 == 8;
    fields_put(dw, 24, 27, EU_SFID_SAMPLER);
    fields_put(dw, 16, 20, masked);
    fields_put(dw, 53, 60, dst);
    fields_put(dw, 115, 115, header);
    rk_add_send(k, dst + (seed % 16 == 12), EU_CAPTURE_GRF, 0, true);
    return (struct copying){exact || seed % 16 == 0, dst};
}

static void
compare_copies(struct rk *k, uint64_t seed, struct copying c, unsigned *copies)
{
    static struct eu_thread single, in_row[EU_CHAIN_THREADS];
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    unsigned sent[2] = {0, 0};
    struct ready r;
    const struct eu_launch *l = &r.launch;
    bool fits = make_ready(&r, &state, k, false, answer, &got);
    cr_assert_eq(l->sample_store.sfid,
                 l->captures_rt_write && c.exact ? EU_SFID_SAMPLER : 0);
    if (fits && l->chains && !reads_answers_of_others(l, c.dst)) {
        rk_fill_registers(&state, &single);
        in_row[0] = single;
        single.user = &sent[0];
        in_row[0].user = &sent[1];
        int64_t left[2] = {BUDGET, BUDGET};
        uint32_t before = eu_launch_begin(l);
        unsigned done = run_single(l, &single, false, NULL, r.row, &want,
                                   &left[0]);
        struct tail_run run = {.copying = true};
        memcpy(got.mask, want.mask, sizeof got.mask);
        cr_assert_eq(run_tails(l, in_row, &run, r.row, &left[1]), done);
        eu_launch_end(l, before);
        expect_colors(&got, &want, done, seed);
        cr_expect_eq(left[1], left[0]);
        cr_expect_eq(in_row[0].message_count, single.message_count);
        cr_expect_eq(sent[0] - sent[1], run.copies - run.copies / 3);
        cr_expect(c.exact || !run.copies);
        *copies += run.copies;
    }
    eu_kernel_free(r.kernel);
}

Test(rows, copies_do_the_work_of_two_messages)
{
    static struct rk k;
    unsigned copies = 0;
    for (uint64_t seed = 1; seed <= 2 * KERNELS; seed++) {
        struct copying c = make_copying(&k, seed);
        compare_copies(&k, seed, c, &copies);
    }
    if (eu_tier_selected() == EU_TIER_JIT)
        cr_expect_gt(copies, KERNELS / 30, "%u", copies);
    else
        cr_expect_eq(copies, 0);
}
