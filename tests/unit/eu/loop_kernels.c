/* loop_kernels.c: random kernels with counted loops. */
#include "loop_kernels.h"

#define COUNTER_GRF 110
#define LIMIT_GRF 112

/* op (16|M0) r110.0<1>:d r110.0<8;8,1>:d imm:d */
struct code
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

/* An op that neither reads nor writes flags. */
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

/* Values in random order, so that they form cycles on their way to the loop's
 * pinned registers. */
void
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

void
add_to_values(struct rk *k)
{
    add_values(k, false);
}

/* op (1|M0) r112.dword<1>:d r<0;1,0>:d imm:d, {NoMask} or for channel 0 alone
 */
static void
add_to_limit(struct rk *k, unsigned opcode, unsigned grf, uint32_t imm,
             bool no_mask)
{
    struct code c = encode_count(opcode, imm);
    put(&c, 23, 21, 0);
    put(&c, 34, 34, no_mask);
    put(&c, 60, 53, LIMIT_GRF);
    put(&c, 76, 69, grf);
    put(&c, 88, 80, 0);
    rk_append(k, c.dw);
}

/* Makes a dword limit for all lanes, and compares with it. */
static void
take_limit(struct rk *k, struct code *test)
{
    put(test, 90, 89, EU_FILE_GRF);
    put(test, 127, 96, 0);
    put(test, 108, 101, LIMIT_GRF);
    put(test, 120, 112, 0);
    add_to_limit(k, EU_OP_AND, GIVEN_GRF + rk_rnd(k, 4), 7, rk_chance(k, 90));
}

void
add_loop(struct rk *k, uint32_t times, bool given,
         void (*add_body)(struct rk *k))
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
    if (given)
        take_limit(k, &test);
    rk_append(k, start.dw);
    uint32_t head_B = k->size_B;
    rk_append(k, test.dw);
    unsigned at = rk_append(k, out.dw);
    add_body(k);
    if (given && rk_chance(k, 10))
        add_to_limit(k, EU_OP_ADD, LIMIT_GRF, UINT32_MAX, true);
    rk_append(k, step.dw);
    uint32_t end_B = k->size_B - k->at_B[at];
    out = encode_branch(EU_OP_BREAK, (int32_t)end_B, (int32_t)end_B);
    put(&out, 19, 16, 1);
    memcpy(k->code + k->at_B[at], out.dw, sizeof out.dw);
    struct code again = encode_branch(EU_OP_WHILE,
                                      (int32_t)(head_B - k->size_B), 0);
    rk_append(k, again.dw);
}

void
make_loops(struct rk *k, uint64_t seed)
{
    make_silent(k, seed, true);
    k->size_B = k->at_B[--k->count];
    for (unsigned n = 1 + rk_rnd(k, 2); n--;) {
        add_loop(k, rk_rnd(k, 12), rk_chance(k, 50), add_any);
        for (unsigned i = rk_rnd(k, 4); i--;)
            rk_add_alu(k);
    }
    rk_add_send(k, rk_reg(k, RK_FLOAT, EU_CAPTURE_GRF), EU_CAPTURE_GRF, 0,
                true);
}

void
make_circles(struct rk *k, uint64_t seed)
{
    make_silent(k, seed, true);
    k->size_B = k->at_B[--k->count];
    add_values(k, true);
    add_loop(k, rk_rnd(k, 12), rk_chance(k, 50), add_to_values);
    rk_add_send(k, VALUE_GRF(rk_rnd(k, 3)), EU_CAPTURE_GRF, 0, true);
}

static void
add_some_send(struct rk *k)
{
    rk_add_send(k, rk_reg(k, (enum rk_bank)rk_rnd(k, 2), 4), 1 + rk_rnd(k, 4),
                rk_rnd(k, 5), false);
}

static void
add_any_and_send(struct rk *k)
{
    add_any(k);
    if (rk_chance(k, 30))
        add_some_send(k);
    if (rk_chance(k, 10))
        rk_add_alu(k);
    else
        add_any(k);
}

void
make_sending_loops(struct rk *k, uint64_t seed)
{
    make_silent(k, seed, true);
    k->count = rk_rnd(k, k->count);
    k->size_B = k->count ? k->at_B[k->count] : 0;
    for (unsigned n = 1 + rk_rnd(k, 2); n--;) {
        add_loop(k, rk_rnd(k, 6), rk_chance(k, 50), add_any_and_send);
        if (rk_chance(k, 50))
            add_some_send(k);
    }
    unsigned mlen = rk_chance(k, 50) ? EU_CAPTURE_GRF : 2;
    rk_add_send(k, rk_reg(k, RK_FLOAT, mlen), mlen, 0, true);
}
