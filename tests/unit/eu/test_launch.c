/* Launches against threads that are made whole: random kernels whose threads
 * hold rubbish wherever a launch says that it does not matter. */
#include <criterion/criterion.h>
#include <immintrin.h>
#include <stdlib.h>

#include "base/fpmode.h"
#include "encode.h"
#include "rk.h"

#define KERNELS 3000
#define BUDGET 4000
#define TURNS 6

/* Registers and state of a thread as another kernel may have left them. */
static void
poison(struct eu_thread *t, unsigned seed)
{
    uint8_t *b = (uint8_t *)t;
    for (size_t i = 0; i < sizeof *t; i++)
        b[i] = (uint8_t)(seed * 41 + i * 167 + (i >> 8));
}

static bool
is_live(const struct eu_launch *l, unsigned grf)
{
    return l->live_in[grf / 32] >> grf % 32 & 1;
}

static bool
finished(const struct eu_thread *t)
{
    return t->status == EU_FINISHED || t->status == EU_FAILED;
}

static enum eu_status
run_whole(struct eu_thread *t, const struct eu_start *s, struct rk_log *log)
{
    unsigned patience = TURNS;
    eu_thread_init(t, s);
    t->user = log;
    do
        eu_run_reference(t, BUDGET);
    while (rk_notify(t, &patience));
    return t->status;
}

static enum eu_status
run_launched(struct eu_thread *t, const struct eu_launch *l, struct rk_log *log)
{
    unsigned patience = TURNS;
    t->user = log;
    eu_launch_run(l, t, l->start.dispatch_mask, l->start.vector_mask, BUDGET);
    while (rk_notify(t, &patience))
        eu_run(t, BUDGET);
    return t->status;
}

/* The same, but the last message is caught first and then sent from here. */
static enum eu_status
run_caught(struct eu_thread *t, const struct eu_launch *l, struct rk_log *log)
{
    alignas(64) uint8_t caught[EU_CATCH_GRF * EU_GRF_B];
    const struct eu_kernel *k = l->start.kernel;
    const struct eu_op *last = k->ops;
    int64_t left = BUDGET;
    while (!last->insn->eot)
        last++;
    t->user = log;
    t->caught = caught;
    uint32_t before = eu_launch_begin(l);
    enum eu_status status = eu_launch_next(l, t, l->start.dispatch_mask,
                                           l->start.vector_mask, &left);
    eu_launch_end(l, before);
    if (status != EU_FINISHED) {
        cr_expect_null(t->caught);
        return eu_run(t, BUDGET);
    }
    cr_expect_eq(BUDGET - left, last - k->ops + 1);
    uint32_t *payload = eu_grf(t, last->insn->src[0].reg);
    memcpy(payload, caught, sizeof caught);
    const struct eu_message m = {.sfid = l->last_sfid,
                                 .eot = true,
                                 .exec_size = last->lanes,
                                 .mlen_grf = EU_CATCH_GRF,
                                 .desc = l->last_desc,
                                 .ex_desc = last->insn->ex_desc,
                                 .exec_mask = t->message.exec_mask,
                                 .src0 = payload};
    rk_answer(t, &m);
    return status;
}

struct tally {
    unsigned rubbish; /* registers that were left so */
    unsigned kept;    /* ... that no instruction writes */
    unsigned apart;   /* kernels whose lanes keep to themselves */
    bool catches;     /* threads that can be caught are */
    unsigned caught;
    unsigned leaves[3]; /* by enum eu_leaves */
};

/* The thread's state is what the next one begins with, but for what the launch
 * says, and what eu_launch_quick() sets for each. */
static void
expect_state(const struct eu_launch *l, const struct eu_thread *t,
             uint64_t seed)
{
    static struct eu_thread want;
    memcpy(want.a0, l->begin, sizeof l->begin);
    want.sr0[2] = t->sr0[2];
    want.sr0[3] = t->sr0[3];
    want.mask = t->mask;
    want.ip = t->ip;
    want.status = t->status;
    if (l->leaves == EU_LEAVES_ADDRESS_AND_FLAGS)
        memcpy(want.a0, t->a0, sizeof t->a0 + sizeof t->f);
    if (l->leaves != EU_LEAVES_ALL)
        cr_expect_arr_eq(t->a0, want.a0, EU_THREAD_BEGIN_B, "seed %llu",
                         (unsigned long long)seed);
}

/* True when the kernel came to its end in both. */
static bool
compare(const struct rk *k, uint64_t seed, bool lanes, struct tally *tally)
{
    static struct eu_thread whole, launched;
    static uint8_t before[sizeof launched.grf];
    struct rk state = {.random = seed, .banks = k->banks, .simd = k->simd};
    struct rk_log want = {0}, got = {0};
    struct eu_launch l;
    struct eu_kernel *kernel = eu_kernel_build(k->code, k->size_B, k->gen);
    cr_assert_not_null(kernel, "seed %llu", (unsigned long long)seed);
    struct eu_start s = rk_start(&state, kernel);
    s.single_program_flow = seed % 16 == 0;
    if (seed & 1) /* whole quads */
        s.dispatch_mask = s.vector_mask = (s.dispatch_mask & 0x11111111) * 15;
    eu_launch_init(&l, &s);
    want.lanes = got.lanes = lanes && l.apart;
    poison(&launched, (unsigned)seed);
    rk_fill_registers(&state, &whole);
    for (unsigned g = 0; g < EU_GRF_COUNT; g++) {
        if (is_live(&l, g))
            memcpy(eu_grf(&launched, g), eu_grf(&whole, g), EU_GRF_B);
        else
            memset(eu_grf(&whole, g), 0, EU_GRF_B);
        tally->rubbish += !is_live(&l, g);
    }
    tally->apart += l.apart;
    memcpy(before, launched.grf, sizeof before);
    run_whole(&whole, &s, &want);
    if (tally->catches && l.catches) {
        if (run_caught(&launched, &l, &got) == EU_FINISHED)
            expect_state(&l, &launched, seed);
        tally->leaves[l.leaves]++;
        tally->caught++;
    } else {
        run_launched(&launched, &l, &got);
    }
    for (unsigned g = 0; g < EU_GRF_COUNT; g++) {
        if (l.written[g / 32] >> g % 32 & 1)
            continue;
        tally->kept++;
        cr_assert_arr_eq(eu_grf(&launched, g), before + g * EU_GRF_B, EU_GRF_B,
                         "seed %llu: r%u", (unsigned long long)seed, g);
    }
    bool both = finished(&whole) && finished(&launched);
    if (both) {
        cr_assert_eq(launched.status, whole.status, "seed %llu",
                     (unsigned long long)seed);
        cr_assert_eq(got.count, want.count, "seed %llu: %u messages, not %u",
                     (unsigned long long)seed, got.count, want.count);
        cr_assert_eq(got.hash, want.hash, "seed %llu: other messages",
                     (unsigned long long)seed);
    }
    eu_kernel_free(kernel);
    return both;
}

Test(launch, rubbish_does_not_matter)
{
    static struct rk k;
    unsigned compared = 0, whole = 0;
    struct tally tally = {0};
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        rk_make(&k, seed);
        if (k.mode != RK_WHOLE)
            continue;
        whole++;
        compared += compare(&k, seed, false, &tally);
    }
    cr_expect_gt(whole, KERNELS / 20);
    cr_expect_gt(compared, whole / 2);
    cr_expect_gt(tally.rubbish, whole);
    cr_expect_gt(tally.kept, whole);
}

/* ---- lanes that keep to themselves --------------------------------------- */

/* No branches, and messages whose payload was computed. */
static void
make_straight(struct rk *k, uint64_t seed, bool pixels)
{
    memset(k, 0, sizeof *k);
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 3;
    k->mode = RK_WHOLE;
    k->banks = true;
    k->plain = rk_chance(k, 85);
    k->gen = EU_GEN9;
    k->simd = pixels || rk_chance(k, 60) ? 16 : 8;
    for (unsigned n = 1 + rk_rnd(k, 3); n--;) {
        for (unsigned i = 2 + rk_rnd(k, 8); i--;)
            rk_add_alu(k);
        rk_add_send(k, rk_reg(k, (enum rk_bank)rk_rnd(k, 2), 4),
                    1 + rk_rnd(k, 4), rk_rnd(k, 5), false);
    }
    unsigned mlen = pixels ? EU_CATCH_GRF : 2 + rk_rnd(k, 3);
    rk_add_send(k, rk_reg(k, RK_FLOAT, mlen), mlen, 0, true);
}

Test(launch, lanes_that_are_off_do_not_matter)
{
    static struct rk k;
    struct tally tally = {0};
    for (uint64_t seed = 1; seed <= 4 * KERNELS; seed++) {
        make_straight(&k, seed, false);
        cr_expect(compare(&k, seed, true, &tally), "seed %llu does not end",
                  (unsigned long long)seed);
    }
    cr_expect_gt(tally.apart, KERNELS / 4);
}

Test(launch, the_last_message_is_caught)
{
    static struct rk k;
    struct tally tally = {.catches = true};
    for (uint64_t seed = 1; seed <= 2 * KERNELS; seed++) {
        make_straight(&k, seed, true);
        cr_expect(compare(&k, seed, true, &tally), "seed %llu does not end",
                  (unsigned long long)seed);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2) {
        cr_expect_gt(tally.caught, KERNELS / 2);
        cr_expect_gt(tally.leaves[EU_LEAVES_ADDRESS_AND_FLAGS], KERNELS / 16);
        cr_expect_gt(tally.leaves[EU_LEAVES_NONE], KERNELS / 30);
    } else {
        cr_expect_eq(tally.caught, 0);
    }
}

/* ---- rows ---------------------------------------------------------------- */

#define ROW 5

struct caught_row {
    alignas(64) uint32_t color[ROW][4][16];
    uint32_t mask[ROW];
};

/* Returns how many they are. */
static unsigned
make_row(struct rk *k, const struct eu_launch *l, bool whole,
         struct eu_row row[ROW], struct caught_row *to)
{
    static struct eu_thread t;
    unsigned count = ROW - rk_rnd(k, 2);
    for (unsigned n = 0; n < count; n++) {
        uint32_t lit = whole || !rk_rnd(k, 3) ? 0xffff : rk_rnd(k, 0x10000);
        uint32_t quads = lit | lit >> 1 | lit >> 2 | lit >> 3;
        rk_fill_registers(k, &t);
        row[n].caught = (uint8_t *)to->color[n];
        row[n].dispatch_mask = lit;
        row[n].vector_mask = (quads & 0x1111) * 15;
        row[n].mask = l->start.vector_mask_enable ? row[n].vector_mask : lit;
        row[n].more = n + 1 < count;
        memcpy(row[n].payload, eu_grf(&t, l->row_grf), sizeof row->payload);
    }
    return count;
}

/* A register that each thread has a value of its own in. */
struct own {
    unsigned grf;
    uint32_t value[ROW][8];
};

static void
set_own(struct eu_thread *t, const struct own *own, unsigned n)
{
    if (own)
        memcpy(eu_grf(t, own->grf), own->value[n], EU_GRF_B);
}

/* One thread after the other; what one leaves in registers, the next one finds
 * there, as in a row; in pairs they begin alike. Returns how many came to their
 * end. */
static unsigned
run_single(const struct eu_launch *l, struct eu_thread *t, bool alike,
           const struct own *own, const struct eu_row row[ROW],
           struct caught_row *to, int64_t *left)
{
    static struct eu_thread first;
    unsigned n = 0;
    first = *t;
    do {
        if (alike)
            memcpy(t->grf, first.grf, sizeof t->grf);
        set_own(t, own, n);
        memcpy(eu_grf(t, l->row_grf), row[n].payload, sizeof row->payload);
        t->caught = (uint8_t *)to->color[n];
        if (eu_launch_next(l, t, row[n].dispatch_mask, row[n].vector_mask,
                           left) != EU_FINISHED)
            return n;
        to->mask[n] = t->message.exec_mask & row[n].dispatch_mask;
    } while (row[n++].more);
    return n;
}

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

static void
expect_colors(const struct caught_row *got, const struct caught_row *want,
              unsigned count, uint64_t seed)
{
    for (unsigned n = 0; n < count; n++) {
        cr_assert_eq(got->mask[n], want->mask[n], "seed %llu: thread %u",
                     (unsigned long long)seed, n);
        for (unsigned i = 0; i < 64; i++) {
            if (want->mask[n] >> i % 16 & 1)
                cr_assert_eq(got->color[n][i / 16][i % 16],
                             want->color[n][i / 16][i % 16],
                             "seed %llu: thread %u, dword %u",
                             (unsigned long long)seed, n, i);
        }
    }
}

struct row_tally {
    unsigned rows, whole;
};

/* A budget may end within the row. pairs: two threads at a time. */
static void
compare_row(struct rk *k, uint64_t seed, bool pairs, struct row_tally *tally)
{
    static struct eu_thread single, in_row[2], again[2];
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log[3] = {{.lanes = true}, {.lanes = true}, {.lanes = true}};
    struct eu_row row[ROW];
    struct eu_launch l;
    struct eu_kernel *kernel = eu_kernel_build(k->code, k->size_B, k->gen);
    cr_assert_not_null(kernel);
    struct eu_start s = rk_start(&state, kernel);
    eu_launch_init(&l, &s);
    unsigned count = make_row(&state, &l, false, row, &got);
    bool fits = l.row_grf && (!pairs || eu_jit_pair(l.jit));
    for (unsigned n = 0; n < count; n++)
        fits = fits && eu_launch_takes(&l, row[n].mask);
    if (fits) {
        poison(&single, (unsigned)seed);
        rk_fill_registers(&state, &single);
        in_row[0] = again[0] = single;
        poison(&in_row[1], (unsigned)seed + 1);
        poison(&again[1], (unsigned)seed + 2);
        single.user = &log[0];
        in_row[0].user = &log[1];
        again[0].user = &log[2];
        uint32_t before = eu_launch_begin(&l);
        int64_t left[3] = {BUDGET, BUDGET, BUDGET};
        unsigned done = run_single(&l, &single, pairs, NULL, row, &want,
                                   &left[0]);
        cr_assert_eq(run_row(&l, in_row, row, &got, &left[1]), done);
        expect_colors(&got, &want, done, seed);
        memset(got.color, 0, sizeof got.color);
        cr_assert_eq(run_tails(&l, again, NULL, row, &left[2]), done);
        expect_colors(&got, &want, done, seed);
        eu_launch_end(&l, before);
        for (unsigned i = 1; i < 3; i++) {
            cr_expect_eq(left[i], left[0]);
            cr_expect_eq(log[i].count, log[0].count);
            cr_expect_eq(log[i].hash, log[0].hash, "seed %llu",
                         (unsigned long long)seed);
        }
        tally->rows++;
        tally->whole += done == count;
    }
    eu_kernel_free(kernel);
}

/* Tails give the next thread another value in some register. */
static void
compare_own(struct rk *k, uint64_t seed, unsigned *rows)
{
    static struct eu_thread single, in_row[2];
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log[2] = {{.lanes = true}, {.lanes = true}};
    struct eu_row row[ROW];
    struct eu_launch l;
    struct own own;
    struct eu_kernel *kernel = eu_kernel_build(k->code, k->size_B, k->gen);
    cr_assert_not_null(kernel);
    struct eu_start s = rk_start(&state, kernel);
    eu_launch_init(&l, &s);
    unsigned count = make_row(&state, &l, false, row, &got);
    bool fits = l.row_grf && l.rows;
    for (unsigned n = 0; n < count; n++)
        fits = fits && eu_launch_takes(&l, row[n].mask);
    own.grf = (l.row_grf + EU_ROW_GRF + rk_rnd(&state, 124)) % EU_GRF_COUNT;
    for (unsigned i = 0; i < ROW * 8; i++)
        own.value[i / 8][i % 8] = rk_rnd(&state, UINT32_MAX);
    if (fits) {
        rk_fill_registers(&state, &single);
        in_row[0] = in_row[1] = single;
        single.user = &log[0];
        in_row[0].user = &log[1];
        int64_t left[2] = {BUDGET, BUDGET};
        uint32_t before = eu_launch_begin(&l);
        unsigned done = run_single(&l, &single, false, &own, row, &want,
                                   &left[0]);
        memcpy(got.mask, want.mask, sizeof got.mask);
        cr_assert_eq(run_tails(&l, in_row, &own, row, &left[1]), done);
        eu_launch_end(&l, before);
        expect_colors(&got, &want, done, seed);
        cr_expect_eq(left[1], left[0]);
        ++*rows;
    }
    eu_kernel_free(kernel);
}

Test(launch, threads_of_a_row_with_registers_of_their_own)
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

Test(launch, threads_of_a_row)
{
    static struct rk k;
    struct row_tally t = {0};
    for (uint64_t seed = 1; seed <= 6 * KERNELS; seed++) {
        make_straight(&k, seed, true);
        compare_row(&k, seed, false, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() >= CPU_AVX2)
        cr_expect_gt(t.whole, KERNELS / 60, "%u of %u", t.whole, t.rows);
    else
        cr_expect_eq(t.rows, 0);
}

/* pln (16|M0) r20.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f: who has weights may be in
 * a row. */
static void
add_plane(struct rk *k)
{
    struct code c = encode_binary(EU_OP_PLN, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, 20);
    put(&c, 76, 69, 6);
    put(&c, 88, 80, 0);
    put(&c, 108, 101, 2);
    rk_append(k, c.dw);
}

/* Kernels that send nothing but the last message. */
static void
make_silent(struct rk *k, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 5;
    k->mode = RK_WHOLE;
    k->banks = true;
    k->plain = rk_chance(k, 85);
    k->gen = EU_GEN9;
    k->simd = 16;
    add_plane(k);
    for (unsigned n = 2 + rk_rnd(k, 30); n--;)
        rk_add_alu(k);
    rk_add_send(k, rk_reg(k, RK_FLOAT, EU_CATCH_GRF), EU_CATCH_GRF, 0, true);
}

Test(launch, threads_of_a_row_in_pairs)
{
    static struct rk k;
    struct row_tally t = {0};
    for (uint64_t seed = 1; seed <= 10 * KERNELS; seed++) {
        make_silent(&k, seed);
        compare_row(&k, seed, true, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() == CPU_AVX512)
        cr_expect_gt(t.whole, KERNELS / 10, "%u of %u", t.whole, t.rows);
    else
        cr_expect_eq(t.rows, 0);
}

/* ---- loops in pairs ------------------------------------------------------ */

#define COUNTER_GRF 110

/* op (16|M0) r110.0<1>:d r110.0<8;8,1>:d imm:d */
static struct code
encode_count(unsigned opcode, uint32_t imm)
{
    struct code c = encode_binary(opcode, EU_TYPE_D);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, COUNTER_GRF);
    put(&c, 76, 69, COUNTER_GRF);
    put(&c, 90, 89, EU_FILE_IMM);
    put(&c, 127, 96, imm);
    return c;
}

/* What neither reads nor writes flags. */
static void
add_without_flags(struct rk *k)
{
    if (!rk_add_alu(k))
        return;
    uint32_t dw[4];
    memcpy(dw, k->code + k->at_B[k->count - 1], sizeof dw);
    bool math = (dw[0] & 127) == EU_OP_MATH;
    if (fields_get(dw, 16, 19) || (!math && fields_get(dw, 24, 27)))
        k->size_B = k->at_B[--k->count];
}

/* mov r110 0; loop: cmp.ge r110 times; break; ...; add r110 r110 1; while */
static void
add_loop(struct rk *k, uint32_t times)
{
    struct code start = encode_count(EU_OP_AND, 0);
    struct code test = encode_count(EU_OP_CMP, times);
    struct code out = encode_branch(EU_OP_BREAK, 0, 0);
    struct code step = encode_count(EU_OP_ADD, 1);
    put(&start, 6, 0, EU_OP_MOV);
    put(&start, 42, 41, EU_FILE_IMM);
    put(&start, 95, 64, 0);
    put(&test, 27, 24, EU_CMOD_GE);
    put(&test, 36, 35, EU_FILE_ARF);
    put(&test, 60, 53, 0);
    put(&out, 19, 16, 1);
    rk_append(k, start.dw);
    uint32_t head_B = k->size_B;
    rk_append(k, test.dw);
    unsigned at = rk_append(k, out.dw);
    for (unsigned n = 1 + rk_rnd(k, 8); n--;)
        add_without_flags(k);
    rk_append(k, step.dw);
    uint32_t end_B = k->size_B - k->at_B[at];
    out = encode_branch(EU_OP_BREAK, (int32_t)end_B, (int32_t)end_B);
    put(&out, 19, 16, 1);
    memcpy(k->code + k->at_B[at], out.dw, sizeof out.dw);
    struct code again = encode_branch(EU_OP_WHILE,
                                      (int32_t)(head_B - k->size_B), 0);
    rk_append(k, again.dw);
}

static void
make_loops(struct rk *k, uint64_t seed)
{
    make_silent(k, seed);
    k->size_B = k->at_B[--k->count];
    for (unsigned n = 1 + rk_rnd(k, 2); n--;) {
        add_loop(k, rk_rnd(k, 12));
        for (unsigned i = rk_rnd(k, 4); i--;)
            rk_add_alu(k);
    }
    rk_add_send(k, rk_reg(k, RK_FLOAT, EU_CATCH_GRF), EU_CATCH_GRF, 0, true);
}

/* Those that did not stay together, or were left over, one at a time. */
static unsigned
run_rest(const struct eu_launch *l, struct eu_thread *t, unsigned from,
         const struct eu_row row[ROW], struct caught_row *to, int64_t *left)
{
    for (unsigned n = from;; n++) {
        memcpy(eu_grf(t, l->row_grf), row[n].payload, sizeof row->payload);
        t->caught = (uint8_t *)to->color[n];
        if (eu_launch_next(l, t, row[n].dispatch_mask, row[n].vector_mask,
                           left) != EU_FINISHED)
            return n;
        to->mask[n] = t->message.exec_mask & row[n].dispatch_mask;
        if (!row[n].more)
            return n + 1;
        memcpy(t->grf, t[2].grf, sizeof t->grf);
    }
}

struct loop_tally {
    unsigned kernels, pairs, lost;
};

/* t: two threads that run, and one that has what they begin with. */
static void
compare_loops(struct rk *k, uint64_t seed, struct loop_tally *tally)
{
    static struct eu_thread t[3], single;
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log = {.lanes = true};
    struct eu_row row[ROW];
    struct eu_launch l;
    struct eu_kernel *kernel = eu_kernel_build(k->code, k->size_B, k->gen);
    cr_assert_not_null(kernel);
    struct eu_start s = rk_start(&state, kernel);
    eu_launch_init(&l, &s);
    unsigned count = make_row(&state, &l, true, row, &got);
    bool fits = l.row_grf && !l.rows && eu_launch_takes(&l, 0xffff);
    tally->kernels += fits;
    if (fits && eu_jit_pair(l.jit)) {
        int64_t budget = rk_rnd(&state, 4) ? BUDGET : rk_rnd(&state, 1000);
        int64_t left[2] = {budget, budget};
        poison(&t[0], (unsigned)seed);
        rk_fill_registers(&state, &t[0]);
        t[0].user = &log;
        t[2] = single = t[0];
        poison(&t[1], (unsigned)seed + 1);
        uint32_t before = eu_launch_begin(&l);
        unsigned done = run_single(&l, &single, true, NULL, row, &want,
                                   &left[0]);
        unsigned pairs = eu_launch_two(&l, t, row, (struct eu_tail){0},
                                       &left[1]);
        for (unsigned n = 0; n < pairs; n++)
            got.mask[n] = row[n].caught_mask;
        tally->pairs += pairs / 2;
        tally->lost += pairs / 2 < count / 2;
        if (pairs < count)
            pairs = run_rest(&l, t, pairs, row, &got, &left[1]);
        eu_launch_end(&l, before);
        /* Two that run together look at the budget earlier than in turn. */
        cr_assert(pairs >= done, "seed %llu", (unsigned long long)seed);
        if (done == count)
            cr_expect_eq(left[1], left[0], "seed %llu",
                         (unsigned long long)seed);
        expect_colors(&got, &want, done, seed);
    }
    eu_kernel_free(kernel);
}

Test(launch, loops_of_a_row_in_pairs)
{
    static struct rk k;
    struct loop_tally t = {0};
    for (uint64_t seed = 1; seed <= 8 * KERNELS; seed++) {
        make_loops(&k, seed);
        compare_loops(&k, seed, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() == CPU_AVX512) {
        cr_expect_gt(t.pairs, KERNELS / 10, "%u of %u", t.pairs, t.kernels);
        cr_expect_gt(t.lost, KERNELS / 300, "%u", t.lost);
    } else {
        cr_expect_eq(t.kernels, 0);
    }
}

/* ---- what a kernel may read ---------------------------------------------- */

static enum eu_msg_result
take_payload(struct eu_thread *t, const struct eu_message *m)
{
    memcpy(t->user, m->src0, m->mlen_grf * (size_t)EU_GRF_B);
    return EU_MSG_OK;
}

static struct eu_kernel *
add_and_send(void)
{
    /* add (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f; (W) send r10, EOT:
     * all lanes, whether they are on or not */
    struct code add = encode_binary(EU_OP_ADD, EU_TYPE_F);
    struct code eot = encode_send(EU_SFID_RENDER, 1u << 25);
    put(&eot, 34, 34, 1);
    put(&eot, 76, 69, 10);
    put(&eot, 127, 127, 1);
    uint32_t code[2][4];
    memcpy(code[0], add.dw, 16);
    memcpy(code[1], eot.dw, 16);
    return eu_kernel_build(code, sizeof code, EU_GEN9);
}

static void
run_add(uint32_t mask, uint32_t sum[8])
{
    static struct eu_thread t;
    struct eu_launch l;
    struct eu_kernel *k = add_and_send();
    cr_assert_not_null(k);
    struct eu_start s = {.kernel = k, .simd = 8, .send = take_payload};
    eu_launch_init(&l, &s);
    cr_expect_eq(l.live_in[0], 1u << 20 | 1u << 30);
    cr_expect_eq(l.live_in[1] | l.live_in[2] | l.live_in[3], 0);
    poison(&t, 1);
    t.user = sum;
    eu_launch_zero(&l, &t, 0);
    for (unsigned i = 0; i < 8; i++) {
        eu_grf(&t, 20)[i] = bits_from_float((float)i);
        eu_grf(&t, 30)[i] = bits_from_float(0.5f);
    }
    cr_expect_eq(eu_launch_run(&l, &t, mask, mask, 10), EU_FINISHED);
    cr_expect_eq(t.insn_count, 2);
    eu_kernel_free(k);
}

Test(launch, names_what_is_read)
{
    uint32_t sum[8];
    run_add(0xff, sum);
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(sum[i], bits_from_float((float)i + 0.5f));
}

Test(launch, channels_that_are_off_read_zero)
{
    uint32_t sum[8];
    run_add(0x3c, sum);
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(sum[i],
                     0x3c >> i & 1 ? bits_from_float((float)i + 0.5f) : 0);
}

Test(launch, zeroes_what_is_read)
{
    static struct eu_thread t;
    struct eu_launch l;
    struct eu_kernel *k = add_and_send();
    struct eu_start s = {.kernel = k, .simd = 8, .send = take_payload};
    eu_launch_init(&l, &s);
    poison(&t, 2);
    eu_launch_zero(&l, &t, 21);
    for (unsigned i = 0; i < 8; i++) {
        cr_expect_neq(eu_grf(&t, 20)[i], 0);
        cr_expect_eq(eu_grf(&t, 30)[i], 0);
    }
    eu_kernel_free(k);
}

/* The host's own mode comes back, whoever entered the kernel's. */
Test(launch, float_mode)
{
    uint32_t sum[8], host = FPMODE_DEFAULT | 2u << 13;
    struct eu_launch l;
    struct eu_kernel *k = add_and_send();
    struct eu_start s = {.kernel = k, .simd = 8, .send = take_payload};
    eu_launch_init(&l, &s);
    fpmode_set(host);
    run_add(0xff, sum);
    cr_expect_eq(fpmode_get() & ~FPMODE_STATUS, host);
    uint32_t before = eu_launch_begin(&l);
    cr_expect_eq(fpmode_get() & ~FPMODE_STATUS, FPMODE_DEFAULT | FPMODE_FLUSH);
    run_add(0xff, sum);
    cr_expect_eq(fpmode_get() & ~FPMODE_STATUS, FPMODE_DEFAULT | FPMODE_FLUSH);
    eu_launch_end(&l, before);
    cr_expect_eq(fpmode_get() & ~FPMODE_STATUS, host);
    fpmode_set(FPMODE_DEFAULT);
    eu_kernel_free(k);
}

/* A sampler message to r10..r13, which are sent on: what they held before
 * matters unless all of it is answered. */
static uint32_t
live_before_answer(uint32_t desc)
{
    struct eu_launch l;
    struct code sample = encode_send(EU_SFID_SAMPLER, 1u << 25 | desc);
    struct code eot = encode_send(EU_SFID_RENDER, 4u << 25);
    put(&eot, 76, 69, 10);
    put(&eot, 127, 127, 1);
    uint32_t code[2][4];
    memcpy(code[0], sample.dw, 16);
    memcpy(code[1], eot.dw, 16);
    struct eu_kernel *k = eu_kernel_build(code, sizeof code, EU_GEN9);
    cr_assert_not_null(k);
    struct eu_start s = {.kernel = k, .simd = 8, .send = take_payload};
    eu_launch_init(&l, &s);
    eu_kernel_free(k);
    return l.live_in[0];
}

Test(launch, answers_replace_registers)
{
    const uint32_t simd8 = 1u << 17, header = 1u << 19;
    cr_expect_eq(live_before_answer(4u << 20 | simd8), 1u << 20);
    cr_expect_eq(live_before_answer(3u << 20 | simd8), 1u << 20 | 1u << 13);
    cr_expect_eq(live_before_answer(4u << 20 | simd8 | header),
                 1u << 20 | 0xfu << 10);
}

/* add (8|M0) r10:f r20:f r30:f; then mov (8|M0) r12:f r10, somehow; then send
 * r12, EOT. */
static void
add_move_send(struct code code[3])
{
    code[0] = encode_binary(EU_OP_ADD, EU_TYPE_F);
    code[1] = encode_unary(EU_OP_MOV, EU_TYPE_F);
    put(&code[1], 60, 53, 12);
    put(&code[1], 76, 69, 10);
    code[2] = encode_send(EU_SFID_RENDER, 1u << 25);
    put(&code[2], 76, 69, 12);
    put(&code[2], 127, 127, 1);
}

enum { TOGETHER, QUADS, APART };

static int
apart(const struct code code[3])
{
    struct eu_launch l;
    struct eu_kernel *k = eu_kernel_build(code, 3 * sizeof *code, EU_GEN9);
    cr_assert_not_null(k);
    struct eu_start s = {.kernel = k, .simd = 16, .send = take_payload};
    eu_launch_init(&l, &s);
    eu_kernel_free(k);
    return !l.apart ? TOGETHER : l.quads ? QUADS : APART;
}

Test(launch, lanes_that_meet)
{
    static const struct {
        const char *what;
        unsigned insn, hi, lo, value;
        int expected;
    } rows[] = {
        {"as it is", 0, 0, 0, 0, APART},
        {"the whole source four lanes on", 1, 68, 64, 16, TOGETHER},
        {"... one lane on", 1, 68, 64, 4, TOGETHER},
        {"one lane for all: <0;8,0>", 1, 88, 80, 3 << 2, TOGETHER},
        {"one lane for four: <8;8,0>", 1, 81, 80, 0, TOGETHER},
        {"one lane for four: <4;4,0>", 1, 88, 80, 3 << 5 | 2 << 2, QUADS},
        {"lanes in pairs: <2;2,0>", 1, 88, 80, 2 << 5 | 1 << 2, QUADS},
        {"lanes of other channels", 1, 13, 12, 1, TOGETHER},
        {"a sum of other channels", 0, 13, 12, 1, TOGETHER},
        {"a move of all channels", 1, 34, 34, 1, APART},
        {"a message of all channels", 2, 34, 34, 1, TOGETHER},
        {"a message of other channels", 2, 13, 12, 1, TOGETHER},
        {"a sum that is sent as the header", 2, 115, 115, 1, TOGETHER},
        {"a sum to half the register", 0, 23, 21, 2, APART},
        {"a sum with a predicate", 0, 19, 16, 1, APART},
        {"a sum if any flag is set", 0, 19, 16, 4, APART},
        {"a sum of sixteen channels", 0, 23, 21, 4, APART},
        {"a move of sixteen channels", 1, 23, 21, 4, APART},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct code code[3];
        add_move_send(code);
        if (rows[i].hi)
            put(&code[rows[i].insn], rows[i].hi, rows[i].lo, rows[i].value);
        cr_expect_eq(apart(code), rows[i].expected, "%s: %d", rows[i].what,
                     apart(code));
    }
}

/* A register that held what other channels computed: a predicate leaves some
 * of it. */
Test(launch, rubbish_that_stays)
{
    struct code code[4];
    add_move_send(code + 1);
    code[0] = code[1];
    put(&code[0], 13, 12, 1);
    put(&code[3], 126, 96, 1u << 25);
    struct eu_launch l[2];
    for (unsigned pred = 0; pred < 2; pred++) {
        put(&code[1], 19, 16, pred);
        struct eu_kernel *k = eu_kernel_build(code, sizeof code, EU_GEN9);
        cr_assert_not_null(k);
        struct eu_start s = {.kernel = k, .simd = 16, .send = take_payload};
        eu_launch_init(&l[pred], &s);
        eu_kernel_free(k);
    }
    cr_expect(l[0].apart);
    cr_expect_not(l[1].apart);
}
