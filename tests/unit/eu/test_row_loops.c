/* Loops of two threads that run together against one after the other. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "encode.h"
#include "rows.h"

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

static void
add_any(struct rk *k)
{
    for (unsigned n = 1 + rk_rnd(k, 8); n--;)
        add_without_flags(k);
}

/* As many values as a loop may keep in registers of each thread. */
#define VALUES 9
#define VALUE_GRF(i) (40 + 2 * (i))
#define GIVEN_GRF 90 /* that nobody writes */
#define BEHIND_GRF 64

static void
add_sum(struct rk *k, unsigned dst, unsigned a, unsigned b)
{
    struct code c = encode_binary(EU_OP_ADD, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, dst);
    put(&c, 76, 69, a);
    put(&c, 108, 101, b);
    rk_append(k, c.dw);
}

/* Values in any order, so that they go round in circles on their way to the
 * registers in which the loop has them. */
static void
add_values(struct rk *k, bool first)
{
    unsigned order[VALUES];
    for (unsigned i = 0; i < VALUES; i++) {
        unsigned at = rk_rnd(k, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (unsigned i = 0; i < VALUES; i++) {
        unsigned grf = VALUE_GRF(order[i]);
        unsigned other = VALUE_GRF(rk_rnd(k, VALUES));
        add_sum(k, grf, first ? GIVEN_GRF : grf,
                first ? GIVEN_GRF + 2 * rk_rnd(k, 8) : other);
    }
}

static void
add_to_values(struct rk *k)
{
    add_values(k, false);
}

/* mov r110 0; loop: cmp.ge r110 times; break; ...; add r110 r110 1; while */
static void
add_loop(struct rk *k, uint32_t times, void (*add_body)(struct rk *k))
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
    add_body(k);
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
    make_silent(k, seed, true);
    k->size_B = k->at_B[--k->count];
    for (unsigned n = 1 + rk_rnd(k, 2); n--;) {
        add_loop(k, rk_rnd(k, 12), add_any);
        for (unsigned i = rk_rnd(k, 4); i--;)
            rk_add_alu(k);
    }
    rk_add_send(k, rk_reg(k, RK_FLOAT, EU_CATCH_GRF), EU_CATCH_GRF, 0, true);
}

static void
make_circles(struct rk *k, uint64_t seed)
{
    make_silent(k, seed, true);
    k->size_B = k->at_B[--k->count];
    add_values(k, true);
    add_loop(k, rk_rnd(k, 12), add_to_values);
    rk_add_send(k, VALUE_GRF(rk_rnd(k, 3)), EU_CATCH_GRF, 0, true);
}

/* Those that did not stay together, or were left over, one at a time. */
static unsigned
run_rest(const struct eu_launch *l, struct eu_thread *t, unsigned from,
         const struct eu_row row[ROW], struct caught_row *to, int64_t *left)
{
    for (unsigned n = from;; n++) {
        set_payload(l, t, &row[n]);
        t->caught = (uint8_t *)to->color[n];
        if (eu_launch_next(l, t, row[n].dispatch_mask, row[n].vector_mask,
                           left) != EU_FINISHED)
            return n;
        to->mask[n] = t->message.exec_mask & row[n].dispatch_mask;
        if (!row[n].more)
            return n + 1;
        memcpy(t->grf, t[EU_ROW_THREADS].grf, sizeof t->grf);
    }
}

struct pair_tally {
    unsigned kernels, pairs, lost;
};

/* t: two threads that run, and one that has what they begin with. */
static void
compare_pairs(struct rk *k, uint64_t seed, struct pair_tally *tally)
{
    static struct eu_thread t[EU_ROW_THREADS + 1], single;
    static struct caught_row want, got;
    struct rk state = {.random = seed, .banks = true, .simd = 16};
    struct rk_log log = {.lanes = true};
    struct ready r;
    const struct eu_launch *l = &r.launch;
    bool fits = make_ready(&r, &state, k, true, NULL, &got) && !l->rows;
    tally->kernels += fits;
    if (fits && eu_jit_together(l->jit, 2)) {
        int64_t budget = rk_rnd(&state, 4) ? BUDGET : rk_rnd(&state, 1000);
        int64_t left[2] = {budget, budget};
        poison(&t[0], (unsigned)seed);
        rk_fill_registers(&state, &t[0]);
        t[0].user = &log;
        t[EU_ROW_THREADS] = single = t[0];
        poison(&t[1], (unsigned)seed + 1);
        uint32_t before = eu_launch_begin(l);
        unsigned done = run_single(l, &single, true, NULL, r.row, &want,
                                   &left[0]);
        unsigned pairs = eu_launch_two(l, t, r.row, (struct eu_tail){0},
                                       &left[1]);
        for (unsigned n = 0; n < pairs; n++)
            got.mask[n] = r.row[n].caught_mask;
        tally->pairs += pairs / 2;
        tally->lost += pairs / 2 < r.count / 2;
        if (pairs < r.count)
            pairs = run_rest(l, t, pairs, r.row, &got, &left[1]);
        eu_launch_end(l, before);
        /* Two that run together look at the budget earlier than in turn. */
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
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() == CPU_AVX512) {
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
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() == CPU_AVX512)
        cr_expect_gt(t.pairs, KERNELS / 10, "%u of %u", t.pairs, t.kernels);
    else
        cr_expect_eq(t.kernels, 0);
}

/* Whether a kernel reads what it writes behind its loop: all channels leave
 * that at once if they count alike. */
static bool
finds_written(bool alike)
{
    static struct rk k;
    struct eu_start start = {.simd = 16, .dispatch_mask = 0xffff};
    struct eu_launch l;
    make_silent(&k, 1, true);
    k.count = k.size_B = 0;
    add_values(&k, true);
    add_loop(&k, 5, add_to_values);
    if (!alike) {
        struct code other = encode_count(EU_OP_AND, 7); /* of given values */
        put(&other, 76, 69, GIVEN_GRF);
        memcpy(k.code + k.at_B[VALUES], other.dw, sizeof other.dw);
    }
    for (unsigned i = 0; i < EU_CATCH_GRF; i += 2)
        add_sum(&k, BEHIND_GRF + i, VALUE_GRF(i), VALUE_GRF(i + 1));
    rk_add_send(&k, BEHIND_GRF, EU_CATCH_GRF, 0, true);
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

/* Such as those that only ask where they are. */
Test(row_loops, threads_without_weights_in_pairs)
{
    static struct rk k;
    struct pair_tally t = {0};
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        make_silent(&k, seed, false);
        compare_pairs(&k, seed, &t);
    }
    if (eu_tier_selected() == EU_TIER_JIT && cpu_selected() == CPU_AVX512)
        cr_expect_gt(t.pairs, KERNELS / 100, "%u of %u", t.pairs, t.kernels);
    else
        cr_expect_eq(t.kernels, 0);
}
