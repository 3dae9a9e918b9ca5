/* test_launch.c: launches against fully initialised threads: random kernels,
 * whose threads have undefined values wherever the launch says that they do not
 * matter. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/fpmode.h"
#include "encode.h"
#include "chains.h"

#define TURNS 6

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

/* Runs the launch, captures the last message, then sends it. */
static enum eu_status
run_caught(struct eu_thread *t, const struct eu_launch *l, struct rk_log *log)
{
    alignas(64) uint8_t caught[EU_CAPTURE_GRF * EU_GRF_B];
    const struct eu_kernel *k = l->start.kernel;
    const struct eu_op *last = k->ops;
    int64_t left = BUDGET;
    while (!last->insn->eot)
        last++;
    t->user = log;
    t->captured = caught;
    uint32_t before = eu_launch_begin(l);
    enum eu_status status = eu_launch_next(l, t, l->start.dispatch_mask,
                                           l->start.vector_mask, &left);
    eu_launch_end(l, before);
    if (status != EU_FINISHED) {
        cr_expect_null(t->captured);
        return eu_run(t, BUDGET);
    }
    cr_expect_eq(BUDGET - left, last - k->ops + 1);
    uint32_t *payload = eu_grf(t, last->insn->src[0].reg);
    memcpy(payload, caught, sizeof caught);
    const struct eu_message m = {.sfid = l->last_sfid,
                                 .eot = true,
                                 .exec_size = last->lanes,
                                 .mlen_grf = EU_CAPTURE_GRF,
                                 .desc = l->last_desc,
                                 .ex_desc = last->insn->ex_desc,
                                 .exec_mask = t->message.exec_mask,
                                 .src0 = payload};
    rk_answer(t, &m);
    return status;
}

struct tally {
    unsigned rubbish; /* registers left undefined */
    unsigned kept;    /* of these, never written */
    unsigned apart;   /* lane-independent kernels */
    bool catches;     /* capturable threads are captured */
    unsigned caught;
    unsigned leaves[3]; /* by enum eu_clobbers */
};

/* The thread's state equals the next thread's initial state, except for state
 * that the launch names and eu_launch_quick() sets. */
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
    if (l->clobbers == EU_CLOBBERS_ADDRESS_AND_FLAGS)
        memcpy(want.a0, t->a0, sizeof t->a0 + sizeof t->f);
    if (l->clobbers != EU_CLOBBERS_ALL)
        cr_expect_arr_eq(t->a0, want.a0, EU_THREAD_BEGIN_B, "seed %llu",
                         (unsigned long long)seed);
}

/* Returns whether the kernel finished in both. */
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
    want.lanes = got.lanes = lanes && l.lane_independent;
    poison(&launched, (unsigned)seed);
    rk_fill_registers(&state, &whole);
    for (unsigned g = 0; g < EU_GRF_COUNT; g++) {
        if (is_live(&l, g))
            memcpy(eu_grf(&launched, g), eu_grf(&whole, g), EU_GRF_B);
        else
            memset(eu_grf(&whole, g), 0, EU_GRF_B);
        tally->rubbish += !is_live(&l, g);
    }
    tally->apart += l.lane_independent;
    memcpy(before, launched.grf, sizeof before);
    run_whole(&whole, &s, &want);
    if (tally->catches && l.captures_rt_write) {
        if (run_caught(&launched, &l, &got) == EU_FINISHED)
            expect_state(&l, &launched, seed);
        tally->leaves[l.clobbers]++;
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

/* ---- lane independence ---- */

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
        cr_expect_gt(tally.leaves[EU_CLOBBERS_ADDRESS_AND_FLAGS], KERNELS / 16);
        cr_expect_gt(tally.leaves[EU_CLOBBERS_NONE], KERNELS / 30);
    } else {
        cr_expect_eq(tally.caught, 0);
    }
}

/* ---- live-in registers ---- */

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
     * all lanes, active or not */
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

/* The host's own mode is restored. */
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

/* A sampler message to r10..r13, which are then sent: their old values are live
 * unless the answer covers all of them. */
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

/* add (8|M0) r10:f r20:f r30:f; then mov (8|M0) r12:f r10, with variations;
 * then send r12, EOT. */
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
    return !l.lane_independent ? TOGETHER : l.quad_dependent ? QUADS : APART;
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

/* A register held values of other channels: under a predicate part of it
 * stays. */
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
    cr_expect(l[0].lane_independent);
    cr_expect_not(l[1].lane_independent);
}
