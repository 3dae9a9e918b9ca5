/* if_kernels.c: random kernels with short IFs. */
#include "if_kernels.h"

#include "loop_kernels.h"

/* Few registers, so that code outside an IF reads many of its results, and
 * ignores others. */
#define FIRST_GRF 8
#define IF_VALUES 8
#define CONSTANTS_GRF 62

/* Percentage of vectors that consist of parts of two others: their lanes are
 * shifted. */
static unsigned percent_odd;

static unsigned
any_value(struct rk *k)
{
    return FIRST_GRF + 2 * rk_rnd(k, IF_VALUES) + rk_chance(k, percent_odd);
}

/* op (16|M0) r:f r:f r:f, or of a constant */
static void
add_binary(struct rk *k)
{
    static const unsigned opcodes[] = {EU_OP_ADD, EU_OP_MUL, EU_OP_MOV,
                                       EU_OP_SEL};
    unsigned opcode = opcodes[rk_rnd(k, ARRAY_SIZE(opcodes))];
    struct code c = opcode == EU_OP_MOV ? encode_unary(opcode, EU_TYPE_F)
                                        : encode_binary(opcode, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 31, 31, rk_chance(k, 10));
    if (opcode == EU_OP_SEL)
        put(&c, 27, 24, rk_chance(k, 50) ? EU_CMOD_GE : EU_CMOD_L);
    put(&c, 60, 53, any_value(k));
    put(&c, 76, 69, any_value(k));
    if (opcode == EU_OP_MOV) {
        rk_append(k, c.dw);
        return;
    }
    put(&c, 108, 101, any_value(k));
    if (rk_chance(k, 20)) {
        put(&c, 108, 101, CONSTANTS_GRF);
        put(&c, 100, 96, 4 * rk_rnd(k, 8));
        put(&c, 120, 112, 0);
    }
    rk_append(k, c.dw);
}

static void
add_ternary(struct rk *k)
{
    struct code c = encode_ternary(EU_OP_MAD);
    put(&c, 23, 21, 4);
    put(&c, 63, 56, any_value(k));
    put(&c, 83, 76, any_value(k));
    put(&c, 104, 97, any_value(k));
    put(&c, 125, 118, any_value(k));
    rk_append(k, c.dw);
}

static void
add_function(struct rk *k)
{
    static const unsigned functions[] = {EU_MATH_INV, EU_MATH_SQRT, EU_MATH_RSQ,
                                         EU_MATH_EXP};
    struct code c = encode_unary(EU_OP_MATH, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 27, 24, functions[rk_rnd(k, ARRAY_SIZE(functions))]);
    put(&c, 60, 53, any_value(k));
    put(&c, 76, 69, any_value(k));
    rk_append(k, c.dw);
}

/* mov (1|M0) r62.n<1>:d imm:d {NoMask} */
static void
add_constant(struct rk *k)
{
    struct code c = encode_unary(EU_OP_MOV, EU_TYPE_D);
    put(&c, 23, 21, 0);
    put(&c, 34, 34, 1);
    put(&c, 60, 53, CONSTANTS_GRF);
    put(&c, 52, 48, 4 * rk_rnd(k, 8));
    put(&c, 42, 41, EU_FILE_IMM);
    put(&c, 127, 96, rk_bits_f(k));
    rk_append(k, c.dw);
}

static void
add_some(struct rk *k, unsigned most, unsigned percent_any)
{
    for (unsigned n = rk_rnd(k, most + 1); n--;) {
        unsigned what = rk_rnd(k, 100);
        if (what < percent_any)
            rk_add_alu(k);
        else if (what < 60)
            add_binary(k);
        else if (what < 80)
            add_ternary(k);
        else if (what < 90)
            add_function(k);
        else
            add_constant(k);
    }
}

/* cmp (16|M0) (cmod)f null:f r:f r:f */
static void
add_test(struct rk *k, unsigned flag)
{
    struct code c = encode_binary(EU_OP_CMP, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 27, 24, 1 + rk_rnd(k, 6));
    put(&c, 33, 32, flag);
    put(&c, 36, 35, EU_FILE_ARF);
    put(&c, 60, 53, 0);
    put(&c, 76, 69, any_value(k));
    put(&c, 108, 101, any_value(k));
    rk_append(k, c.dw);
}

static unsigned
add_branch(struct rk *k, unsigned opcode)
{
    struct code c = encode_branch(opcode, 16, 16);
    return rk_append(k, c.dw);
}

static void
set_target(struct rk *k, unsigned insn, uint32_t jip_B, uint32_t uip_B)
{
    uint32_t *dw = (uint32_t *)(void *)(k->code + k->at_B[insn]);
    dw[3] = jip_B - k->at_B[insn];
    dw[2] = uip_B - k->at_B[insn];
}

static void
add_if(struct rk *k, unsigned percent_any)
{
    unsigned flag = rk_rnd(k, 4), other = 0;
    if (rk_chance(k, 80))
        add_test(k, flag);
    unsigned first = add_branch(k, EU_OP_IF);
    uint32_t *dw = (uint32_t *)(void *)(k->code + k->at_B[first]);
    fields_put(dw, 16, 19, 1);
    fields_put(dw, 20, 20, rk_chance(k, 50));
    fields_put(dw, 32, 33, flag);
    add_some(k, 5, percent_any);
    if (rk_chance(k, 70)) {
        other = add_branch(k, EU_OP_ELSE);
        add_some(k, 5, percent_any);
    }
    uint32_t end_B = k->size_B;
    add_branch(k, EU_OP_ENDIF);
    set_target(k, first, other ? k->at_B[other] + 16 : end_B, end_B);
    if (other)
        set_target(k, other, end_B, end_B);
}

/* ---- nested IFs, and flags written inside of them ---- */

static void
put_pred(struct rk *k, struct code *c)
{
    put(c, 19, 16, 1);
    put(c, 20, 20, rk_chance(k, 50));
    put(c, 33, 32, rk_rnd(k, 4));
}

/* (f) sel, or (f) op, (16|M0) r:f r:f r:f */
static void
add_predicated(struct rk *k)
{
    static const unsigned opcodes[] = {EU_OP_SEL, EU_OP_SEL, EU_OP_ADD,
                                       EU_OP_MUL};
    struct code c = encode_binary(opcodes[rk_rnd(k, 4)], EU_TYPE_F);
    put(&c, 23, 21, 4);
    put_pred(k, &c);
    put(&c, 60, 53, any_value(k));
    put(&c, 76, 69, any_value(k));
    put(&c, 108, 101, any_value(k));
    rk_append(k, c.dw);
}

/* op (16|M0) (cmod)f r:d r:d r:d, or without a destination */
static void
add_int_test(struct rk *k)
{
    bool compares = rk_chance(k, 70);
    struct code c = encode_binary(compares ? EU_OP_CMP : EU_OP_OR, EU_TYPE_D);
    put(&c, 23, 21, 4);
    put(&c, 27, 24, compares ? 1 + rk_rnd(k, 6) : EU_CMOD_NZ);
    put(&c, 33, 32, rk_rnd(k, 4));
    put(&c, 60, 53, rk_reg(k, RK_INT, 3) & ~1u);
    put(&c, 76, 69, rk_reg(k, RK_INT, 3) & ~1u);
    put(&c, 108, 101, rk_reg(k, RK_INT, 3) & ~1u);
    if (rk_chance(k, 50)) {
        put(&c, 36, 35, EU_FILE_ARF);
        put(&c, 60, 53, 0);
    }
    rk_append(k, c.dw);
}

static void
add_with_flags(struct rk *k, unsigned most)
{
    for (unsigned n = rk_rnd(k, most + 1); n--;) {
        unsigned what = rk_rnd(k, 100);
        if (what < 30)
            add_predicated(k);
        else if (what < 40)
            add_int_test(k);
        else if (what < 50)
            add_test(k, rk_rnd(k, 4));
        else
            add_some(k, 1, what < 53 ? 10 : 0);
    }
}

/* IFs that follow each other, and inside of them `depth` levels more. */
static void
add_nested(struct rk *k, unsigned depth)
{
    unsigned other = 0;
    add_with_flags(k, 2);
    if (rk_chance(k, 80))
        add_test(k, 0);
    struct code c = encode_branch(EU_OP_IF, 16, 16);
    put_pred(k, &c);
    unsigned first = rk_append(k, c.dw);
    add_with_flags(k, 4);
    if (depth && rk_chance(k, 70))
        add_nested(k, depth - 1);
    if (rk_chance(k, 70)) {
        other = add_branch(k, EU_OP_ELSE);
        add_with_flags(k, 4);
        if (depth && rk_chance(k, 40))
            add_nested(k, depth - 1);
    }
    uint32_t end_B = k->size_B;
    add_branch(k, EU_OP_ENDIF);
    set_target(k, first, other ? k->at_B[other] + 16 : end_B, end_B);
    if (other)
        set_target(k, other, end_B, end_B);
}

/* jmpi distance, in all channels or in none */
static unsigned
add_jump(struct rk *k)
{
    struct code c = encode_branch(EU_OP_JMPI, 0, 0);
    put(&c, 23, 21, 0);
    if (rk_chance(k, 50))
        put_pred(k, &c);
    put(&c, 34, 34, 1);
    put(&c, 90, 89, EU_FILE_IMM);
    put(&c, 94, 91, EU_TYPE_D);
    return rk_append(k, c.dw);
}

static void
add_nested_body(struct rk *k)
{
    bool jumps = rk_chance(k, 10);
    unsigned at = jumps ? add_jump(k) : 0;
    for (unsigned n = 1 + rk_rnd(k, 2); n--;) {
        add_with_flags(k, 3);
        add_nested(k, rk_rnd(k, rk_chance(k, 10) ? 10 : 3));
    }
    add_with_flags(k, 3);
    if (!jumps)
        return;
    /* Anywhere, also to the middle of an IF. */
    uint32_t *dw = (uint32_t *)(void *)(k->code + k->at_B[at]);
    unsigned to = at + 1 + rk_rnd(k, k->count - at - 1);
    dw[3] = k->at_B[to] - k->at_B[at + 1];
}

void
make_nested_ifs(struct rk *k, uint64_t seed)
{
    make_first(k, seed, true);
    percent_odd = rk_chance(k, 80) ? 0 : 3;
    add_some(k, 6, 0);
    if (rk_chance(k, 60))
        add_loop(k, rk_rnd(k, 8), rk_chance(k, 20), add_nested_body);
    else
        add_nested_body(k);
    add_with_flags(k, 4);
    rk_add_send(k, FIRST_GRF + 2 * rk_rnd(k, IF_VALUES - 3), EU_CAPTURE_GRF, 0,
                true);
}

/* ---- */

static void
make(struct rk *k, uint64_t seed, unsigned percent_sends)
{
    make_first(k, seed, true);
    percent_odd = rk_chance(k, 80) ? 0 : 5;
    unsigned percent_any = rk_chance(k, 80) ? 0 : 10;
    for (unsigned n = 1 + rk_rnd(k, 3); n--;) {
        add_some(k, 6, percent_any);
        add_if(k, percent_any);
        if (rk_chance(k, percent_sends))
            rk_add_send(k, any_value(k), 4, 2 * rk_rnd(k, 3), false);
    }
    add_some(k, 6, percent_any);
    rk_add_send(k, FIRST_GRF + 2 * rk_rnd(k, IF_VALUES - 3), EU_CAPTURE_GRF, 0,
                true);
}

void
make_ifs(struct rk *k, uint64_t seed)
{
    make(k, seed, 0);
}

void
make_sending_ifs(struct rk *k, uint64_t seed)
{
    make(k, seed, 15);
}
