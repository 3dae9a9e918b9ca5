/* test_alu_special.c: instructions, flags and modes that compilers rarely use;
 * undefined encodings. Expected values are computed by hand. */
#include "interp_run.h"

#include "encode.h"
#include "eu/isa/eu_opcodes.h"
#include "interp_kernels.h"

static void
set_w(struct test_thread *t, unsigned reg, const uint16_t v[8])
{
    memcpy(t->eu.grf + reg * EU_GRF_B, v, 16);
}

static unsigned
get_w(const struct test_thread *t, unsigned reg, unsigned i)
{
    uint16_t w;
    memcpy(&w, t->eu.grf + reg * EU_GRF_B + i * 2, 2);
    return w;
}

static void
expect_w(const struct test_thread *t, unsigned reg, const uint16_t v[8])
{
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(get_w(t, reg, i), v[i], "r%u lane %u: 0x%x, expected 0x%x",
                     reg, i, get_w(t, reg, i), v[i]);
}

#define W(...) ((const uint16_t[8]){__VA_ARGS__})

Test(interp_special, movi_permutes_one_register)
{
    struct test_thread *t = THREAD(indexed_moves, 0xff);
    for (unsigned i = 0; i < 16; i++) {
        uint16_t w = (uint16_t)(100 + i);
        memcpy(t->eu.grf + 1280 + i * 2, &w, 2);
    }
    /* Only the first address's register matters. */
    set_w(t, 1, W(1286, 2, 1280, 1310, 4, 2568, 1290, 1292));
    RUN(t);
    expect_w(t, 4, W(103, 101, 100, 115, 102, 104, 105, 106));
    test_thread_free(t);
}

/* Observed: IGC stores one value at a different place for each channel so.
 * Bits, and elements of the destination, count from the instruction's first
 * channel. */
Test(interp_special, smov_writes_the_channels_that_are_chosen)
{
    struct test_thread *t = THREAD(scattered_moves, 0xfffffffb);
    const uint16_t at_B[16] = {
        [0] = 640, [1] = 672, [2] = 704, [9] = 736, [15] = 768};
    memcpy(t->eu.grf + EU_GRF_B, at_B, sizeof at_B);
    set_w(t, 2, W(0, 0, 0, 333, 444, 0, 0, 0));
    memset(t->eu.grf + 640, 0x11, 160);
    set_d(t, 3, D(10, 11, 12, 13, 14, 15, 16, 17));
    /* Each channel tests its own bit. */
    set_d(t, 4, D(1, 1, 4, 8, 0xef, 0x20, -1, 0x7f));
    set_d(t, 5, D(0, 0, 0, 0, 0, 0, 0, 0));
    set_d(t, 6, D(0, 0, 0, 0, 0, 0, 0, 0));
    RUN(t);
    for (unsigned i = 0; i < 16; i++) {
        cr_expect_eq(get_w(t, 20, i), i == 0 ? 444 : 0x1111);
        cr_expect_eq(get_w(t, 21, i), i == 1 ? 333 : 0x1111);
        cr_expect_eq(get_w(t, 22, i), 0x1111, "channel 2 is off");
        cr_expect_eq(get_w(t, 23, i), i == 9 ? 333 : 0x1111);
        cr_expect_eq(get_w(t, 24, i), i == 15 ? 444 : 0x1111);
    }
    expect_d(t, 5, D(0, 11, 0, 13, 14, 0, 16, 0));
    expect_d(t, 6, D(10, 0, 0, 13, 0, 15, 16, 0));
    test_thread_free(t);
}

/* IGC emits these if a program asks for fast mathematics. */
Test(interp_special, math_of_immediates)
{
    struct test_thread *t = THREAD(math_of_immediates, 0xffff);
    RUN(t);
    cr_expect_eq(get_f(t, 4, 0), -2);
    for (unsigned i = 0; i < 16; i++) {
        cr_expect_eq(get_f(t, 5, i % 8), 1.5f);
        cr_expect_eq(get_f(t, 6 + i / 8, i % 8), -0.25f);
    }
    test_thread_free(t);
}

/* The result is the first NaN, made quiet, as in compiled code. */
Test(interp_special, of_two_half_nans_one_is_the_result)
{
    struct test_thread *t = THREAD(half_nans, 0x7);
    set_w(t, 2, W(0x7e01, 0, 0x7c05, 0, 0x3c00, 0, 0, 0));
    set_w(t, 3, W(0xfe02, 0, 0x7e09, 0, 0xfe0a, 0, 0, 0));
    RUN(t);
    for (unsigned reg = 4; reg <= 5; reg++) {
        cr_expect_eq(get_w(t, reg, 0), 0x7e01);
        cr_expect_eq(get_w(t, reg, 2), 0x7e05);
        cr_expect_eq(get_w(t, reg, 4), 0xfe0a);
    }
    test_thread_free(t);
}

/* ---- predicates ---- */

static bool
of_group(uint32_t bits, unsigned bit, unsigned size, bool all)
{
    unsigned on = 0;
    for (unsigned i = bit / size * size; i < bit / size * size + size; i++)
        on += bits >> i & 1;
    return all ? on == size : on > 0;
}

static void
expect_group(const struct test_thread *t, unsigned reg, unsigned lane,
             bool value)
{
    cr_expect_eq(t->eu.grf[reg * EU_GRF_B + lane], value, "r%u lane %u", reg,
                 lane);
}

Test(interp_special, any_and_all_of_every_size)
{
    static const uint32_t patterns[][2] = {
        {0x00ff0f31, 0x0000ffff}, {0xffffffff, 0x12345678},
        {0, UINT32_MAX},          {0x00010000, 0},
        {0xffff7fff, 0x80000001}, {0x0000ffff, 0x00010000},
    };
    for (unsigned n = 0; n < ARRAY_SIZE(patterns); n++) {
        uint32_t f0 = patterns[n][0], f1 = patterns[n][1];
        struct test_thread *t = THREAD(group_predicates, UINT32_MAX);
        memcpy(t->eu.grf + 32, patterns[n], 8);
        RUN(t);
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned s = 0; s < 10; s++)
                expect_group(t, 4 + s, i, of_group(f0, i, 2u << s / 2, s & 1));
            bool a = f0 >> i & 1, b = f1 >> i & 1;
            expect_group(t, 14, i, a || b);
            expect_group(t, 15, i, a && b);
            expect_group(t, 16, i, !of_group(f0, i, 4, false));
            expect_group(t, 17, i, !(a && b));
        }
        for (unsigned i = 0; i < 16; i++) {
            expect_group(t, 18, i, of_group(f0, 16 + i, 2, false));
            expect_group(t, 19, i, of_group(f0, 16 + i, 2, true));
        }
        test_thread_free(t);
    }
}

/* ---- accumulators ---- */

Test(interp_special, word_accumulators_have_33_bits)
{
    struct test_thread *t = THREAD(word_accumulator, 0xff);
    set_w(t, 1, W(32767, 32767));
    set_w(t, 2, W(32767, 32767));
    t->eu.acc_wide[0][1] = 0xffffffff;
    RUN(t);
    /* 0x3fff0001, and 0x13fff0000, which is negative in 33 bits */
    cr_expect_eq(get_w(t, 4, 0), 1);
    cr_expect_eq(get_w(t, 5, 0), 1);
    cr_expect_eq(get_w(t, 6, 0), 32767);
    cr_expect_eq(get_w(t, 4, 1), 0);
    cr_expect_eq(get_w(t, 5, 1), 0);
    cr_expect_eq(get_w(t, 6, 1), 0x8000);
    test_thread_free(t);
}

Test(interp_special, accumulators_of_every_type)
{
    struct test_thread *t = THREAD(accumulator_types, 0xffff);
    double d[8] = {1, 2, 3, 4, 10, 20, 30, 40}, got[8];
    set_d(t, 1, D(0, 1, 2, 3, 4, 5, 6, 7));
    set_d(t, 2, D(4, 4, 4, 4, 4, 4, 4, 4));
    for (unsigned i = 0; i < 16; i++) {
        uint16_t a = (uint16_t)(0x3c00 + i), b = (uint16_t)(0x4000 + i);
        memcpy(t->eu.grf + 6 * 32 + i * 2, &a, 2);
        memcpy(t->eu.grf + 7 * 32 + i * 2, &b, 2);
    }
    memcpy(t->eu.grf + 14 * 32, d, 64);
    RUN(t);
    expect_d(t, 4, D(-1, -1, -1, -1, 0, 0, 0, 0));
    expect_d(t, 5, D(-1, -1, -1, -1, 0, 0, 0, 0));
    for (unsigned i = 0; i < 16; i++) {
        cr_expect_eq(get_w(t, 8, i), 0x3c00 + i, "acc0 lane %u", i);
        cr_expect_eq(get_w(t, 9, i), 0x4000 + i, "acc1 lane %u", i);
    }
    /* (1 + 0/1024) * (2 + 0/512) = 2, and twice that */
    cr_expect_eq(get_w(t, 10, 0), 0x4000);
    cr_expect_eq(get_w(t, 11, 0), 0x4400);
    memcpy(got, t->eu.grf + 16 * 32, 64);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(got[i], 2 * d[i] + d[i] * d[i + 4]);
        cr_expect_eq(got[i + 4], 2 * d[i + 4] + d[i] * d[i + 4]);
    }
    test_thread_free(t);
}

/* ---- HF ---- */

static struct test_thread *
half_modes(bool keep)
{
    struct test_thread *t = THREAD(half_modes, 0xff);
    set_w(t, 1,
          W(0x0001, 0x8001, 0x03ff, 0x3c00, 0x0400, 0x0401, 0x3800, 0x3c00));
    set_w(t, 2, W(0x0001, 0, 0, 0x3c00, 0x8200, 0x8400, 0x0400, 0));
    t->eu.cr0[0] &= ~(1u << 10);
    t->eu.cr0[0] |= keep ? 1u << 10 : 0;
    RUN(t);
    expect_w(t, 4,
             W(0x0001, 0x8001, 0x03ff, 0x3c00, 0x0400, 0x0401, 0x3800, 0x3c00));
    expect_w(t, 7, W(0x0001, 0x8001, 0, 0x3c00, 0x8200, 0x8400, 0x0400, 0));
    /* Mixed mode converts, and conversions do not flush. */
    cr_expect_eq(get_f(t, 8, 0), 0x1p-24f);
    cr_expect_eq(get_f(t, 8, 1), -0x1p-24f);
    cr_expect_eq(get_w(t, 9, 0), 0x0001);
    cr_expect_eq(get_w(t, 9, 2), 0x8001);
    cr_expect_eq(get_f(t, 12, 2), 0x1.ff8p-15f);
    cr_expect_eq(t->eu.f[0] >> 16, 0);
    return t;
}

Test(interp_special, half_denormals_are_kept)
{
    struct test_thread *t = half_modes(true);
    expect_w(t, 5,
             W(0x0002, 0x8001, 0x03ff, 0x4000, 0x0200, 0x0001, 0x3800, 0x3c00));
    expect_w(t, 6, W(0, 0x8000, 0, 0x3c00, 0x8000, 0x8000, 0x0200, 0));
    cr_expect_eq(t->eu.f[0], 0x09);
    test_thread_free(t);
}

Test(interp_special, half_denormals_are_flushed)
{
    struct test_thread *t = half_modes(false);
    expect_w(t, 5, W(0, 0, 0, 0x4000, 0x0400, 0, 0x3800, 0x3c00));
    expect_w(t, 6, W(0, 0x8000, 0, 0x3c00, 0x8000, 0x8000, 0, 0));
    cr_expect_eq(t->eu.f[0], 0x0f);
    test_thread_free(t);
}

Test(interp_special, half_mad_is_rounded_once)
{
    struct test_thread *t = THREAD(half_mad, 0xff);
    /* 2050 + (1 + 2^-10)(1 - 2^-10) = 2051 - 2^-20: below the middle of 2050
     * and 2052, but not in F */
    set_w(t, 1, W(0x6801, 0x4200, 0x7bff, 0x7e00, 0x3400, 0x6801, 0, 0x8001));
    set_w(t, 2, W(0x3c01, 0x3c00, 0x7bff, 0x3c00, 0x3400, 0x3c01, 0x0001, 0));
    set_w(t, 3, W(0x3bfe, 0x4000, 0x3c00, 0x3c00, 0x3c00, 0xbbfe, 0x3800, 0));
    RUN(t);
    expect_w(t, 4,
             W(0x6801, 0x4500, 0x7c00, 0x7e00, 0x3800, 0x6801, 0, 0x8001));
    expect_w(t, 5, W(0x3c00, 0x3c00, 0x3c00, 0, 0x3800, 0x3c00, 0, 0));
    test_thread_free(t);

    t = THREAD(half_mad, 0xff);
    set_w(t, 1, W(0x6801, 0x6801));
    set_w(t, 2, W(0x3c01, 0x0001));
    set_w(t, 3, W(0x3bfe, 0x0001));
    t->eu.cr0[0] |= 1u << 4; /* up */
    RUN(t);
    cr_expect_eq(get_w(t, 4, 0), 0x6802);
    cr_expect_eq(get_w(t, 4, 1), 0x6802);
    test_thread_free(t);
}

Test(interp_special, arithmetic_quiets_what_moves_leave)
{
    struct test_thread *t = THREAD(quiet_nan, 0xff);
    set_d(t, 1, D(0x7f800001, (int32_t)0xff812345));
    set_w(t, 2, W(0x7c01, 0x7c01));
    RUN(t);
    for (unsigned reg = 4; reg <= 11; reg++) {
        bool quiet = reg != 9 && reg != 10;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t v = get_u(t, reg, i);
            cr_expect((v & 0x7fffffff) > 0x7f800000, "r%u lane %u", reg, i);
            cr_expect_eq(!!(v & 0x00400000), quiet, "r%u lane %u", reg, i);
        }
    }
    cr_expect_eq(get_u(t, 9, 0), 0x7f800001);
    cr_expect_eq(get_u(t, 10, 0), 0xff800001);
    cr_expect_eq(get_f(t, 12, 0), 1);
    cr_expect_eq(get_w(t, 13, 0), 0x7c01);
    cr_expect(get_u(t, 14, 0) > 0x7fc00000);
    cr_expect_eq(get_w(t, 15, 0), 0x7c01);
    cr_expect_eq(get_w(t, 15, 1), 0xfc01);
    test_thread_free(t);
}

/* ---- undefined encodings ---- */

static enum eu_status
run_one(struct code c)
{
    struct code program[3] = {c};
    memcpy(&program[1], kernel_halt + ARRAY_SIZE(kernel_halt) - 8, 32);
    struct test_thread *t = test_thread_new(program[0].dw, sizeof program,
                                            0xff);
    enum eu_status status = eu_run(&t->eu, 100);
    test_thread_free(t);
    return status;
}

Test(interp_special, undefined_encodings_fail)
{
    struct code c = encode_binary(EU_OP_ADD, EU_TYPE_F);
    cr_expect_eq(run_one(c), EU_FINISHED);
    put(&c, 19, 16, 14);
    cr_expect_eq(run_one(c), EU_FAILED, "predicate control");
    c = encode_binary(EU_OP_ADD, EU_TYPE_F);
    put(&c, 27, 24, 7);
    cr_expect_eq(run_one(c), EU_FAILED, "condition");
    cr_expect_eq(run_one(encode_binary(EU_OP_AND, EU_TYPE_F)), EU_FAILED);
    cr_expect_eq(run_one(encode_binary(EU_OP_SHL, EU_TYPE_DF)), EU_FAILED);
    cr_expect_eq(run_one(encode_unary(EU_OP_RNDD, EU_TYPE_D)), EU_FAILED);
    cr_expect_eq(run_one(encode_unary(EU_OP_FRC, EU_TYPE_DF)), EU_FAILED);
    cr_expect_eq(run_one(encode_unary(EU_OP_MOVI, EU_TYPE_D)), EU_FAILED);
    c = encode_binary(EU_OP_MATH, EU_TYPE_F);
    put(&c, 27, 24, EU_MATH_INT_DIV_QUOTIENT);
    cr_expect_eq(run_one(c), EU_FAILED, "integer division of F");
    c = encode_binary(EU_OP_MATH, EU_TYPE_D);
    put(&c, 27, 24, EU_MATH_SIN);
    cr_expect_eq(run_one(c), EU_FAILED, "sine of D");
    c = encode_binary(EU_OP_MATH, EU_TYPE_DF);
    put(&c, 27, 24, EU_MATH_POW);
    cr_expect_eq(run_one(c), EU_FAILED, "power of DF");
}

/* A branch's source may name more elements than it needs. */
Test(interp_special, a_branch_reads_no_more_than_its_offset)
{
    struct code c = {{0}};
    put(&c, 6, 0, EU_OP_BRD);
    put(&c, 23, 21, 5);
    put(&c, 42, 41, EU_FILE_GRF);
    put(&c, 46, 43, EU_TYPE_D);
    put(&c, 76, 69, 127);
    put(&c, 68, 64, 28);
    put(&c, 88, 85, 6);
    put(&c, 84, 82, 0);
    cr_expect_eq(run_one(c), EU_RUNNING); /* offset 0: for ever */
}

/* ---- legal encodings ---- */

static bool
is_legal(const struct code *c)
{
    struct eu_insn insn;
    return eu_decode(&insn, c->dw, 16, EU_GEN9, NULL) &&
           !eu_validate(&insn, EU_GEN9);
}

static bool
computes(unsigned opcode)
{
    return opcode < 0x80 && opcode != EU_OP_ILLEGAL && opcode != EU_OP_NOP &&
           (opcode < EU_OP_JMPI || opcode > EU_OP_SENDSC);
}

static void
complete_math(struct code *c)
{
    unsigned fn = c->dw[0] >> 24 & 0xf;
    if (fn >= EU_MATH_INVM) { /* Align16, without extra registers */
        put(c, 8, 8, 1);
        put(c, 51, 48, EU_MME_NONE);
        put(c, 88, 80, 3 << 5);
        put(c, 120, 112, 3 << 5);
        put(c, 68, 64, EU_MME_NONE);
        put(c, 100, 96, EU_MME_NONE);
    }
    if (fn <= EU_MATH_COS || fn == EU_MATH_RSQRTM) {
        put(c, 90, 89, EU_FILE_ARF);
        put(c, 120, 96, 0);
    }
}

/* Adds the fields that the opcode needs besides types. */
static void
complete(struct code *c, unsigned opcode)
{
    switch (opcode) {
    case EU_OP_MOVI: /* r[a0.0] */
        put(c, 76, 69, 0);
        put(c, 79, 79, 1);
        break;
    case EU_OP_SEL: put(c, 19, 16, 1); break;
    case EU_OP_CMP:
    case EU_OP_CMPN:
    case EU_OP_CSEL: put(c, 27, 24, EU_CMOD_L); break;
    case EU_OP_ADDC:
    case EU_OP_SUBB: put(c, 28, 28, 1); break;
    case EU_OP_PLN:
    case EU_OP_LINE: put(c, 88, 80, 0); break;
    case EU_OP_MATH: complete_math(c); break;
    default: break;
    }
}

/* Returns how many forms were legal, with any destination stride. */
static unsigned
run_if_legal(struct code c, unsigned opcode, const char *what)
{
    complete(&c, opcode);
    struct code wider = c;
    for (unsigned stride = 2; stride <= 3 && !is_legal(&c); stride++) {
        put(&wider, 62, 61, stride);
        if (is_legal(&wider))
            c = wider;
    }
    if (!is_legal(&c))
        return 0;
    cr_expect_eq(run_one(c), EU_FINISHED, "opcode 0x%x, %s: %08x %08x", opcode,
                 what, c.dw[0], c.dw[1]);
    return 1;
}

static unsigned
run_types(unsigned opcode, enum eu_type dst, enum eu_type src)
{
    const enum eu_type second[] = {src, EU_TYPE_W};
    unsigned legal = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(second); i++) {
        struct code c = encode_binary(opcode, dst);
        put(&c, 46, 43, src);
        put(&c, 94, 91, second[i]);
        if (opcode == EU_OP_MATH) {
            for (unsigned fn = 1; fn < 16; fn++) {
                put(&c, 27, 24, fn);
                bool divides = fn >= EU_MATH_INT_DIV_BOTH &&
                               fn <= EU_MATH_INT_DIV_REMAINDER;
                bool is_int = src == EU_TYPE_D || src == EU_TYPE_UD;
                if (divides == is_int && dst == src && second[i] == src &&
                    (src != EU_TYPE_DF || fn >= EU_MATH_INVM))
                    legal += run_if_legal(c, opcode, "math");
            }
        } else {
            legal += run_if_legal(c, opcode, "types");
        }
    }
    return legal;
}

/* Every form that the tables call legal executes. */
Test(interp_special, every_legal_combination_of_types_runs)
{
    for (unsigned opcode = 0; opcode < 0x80; opcode++) {
        unsigned legal = 0;
        struct code probe = encode_binary(opcode, EU_TYPE_D);
        struct eu_insn insn;
        if (!computes(opcode) ||
            (!eu_decode(&insn, probe.dw, 16, EU_GEN9, NULL) &&
             !eu_decode(&insn, encode_ternary(opcode).dw, 16, EU_GEN9, NULL)))
            continue;
        for (unsigned dst = 0; dst <= EU_TYPE_HF; dst++)
            for (unsigned src = 0; src <= EU_TYPE_HF; src++)
                legal += run_types(opcode, (enum eu_type)dst,
                                   (enum eu_type)src);
        for (unsigned dst = 0; dst < 5; dst++)
            for (unsigned src = 0; src < 5; src++) {
                struct code c = encode_ternary(opcode);
                put(&c, 45, 43, src);
                put(&c, 48, 46, dst);
                legal += run_if_legal(c, opcode, "three sources");
            }
        cr_expect_gt(legal, 0, "opcode 0x%x has no legal form", opcode);
    }
}

/* mov (8) acc0.0:f r1.0<0>; mac (1) acc0.1:f r2.0 4.0; mac (1) r10.1:f r2.0 2.0
 */
static const uint32_t mac_code[] = {
    0x00600001, 0x24003ae4, 0x00000020, 0x00000000, 0x00000048, 0x24043ae4,
    0x3e000040, 0x40800000, 0x00000048, 0x21443aec, 0x3e000040, 0x40000000,
    0x07600031, 0x20000204, 0x06000fe0, 0x82000010,
};

Test(interp_special, mac_adds_where_its_destination_lies)
{
    struct test_thread *t = test_thread_new(mac_code, sizeof mac_code, 0xff);
    const float start[8] = {100}, step[8] = {10};
    float got;
    set_f(t, 1, start);
    set_f(t, 2, step);
    RUN(t);
    memcpy(&got, t->eu.grf + 10 * EU_GRF_B + 4, 4);
    cr_expect_float_eq(got, 160.0f, 0.0f);
    test_thread_free(t);
}

/* The code above in two parts. */
Test(interp_special, zeros_between_parts_do_nothing)
{
    for (unsigned zeros = 1; zeros < 12; zeros++) {
        uint32_t apart[ARRAY_SIZE(mac_code) + 12 * 4] = {0};
        memcpy(apart, mac_code, 48);
        memcpy(apart + 12 + zeros * 4, mac_code + 12, 16);
        if (zeros != 8) {
            cr_expect_null(eu_kernel_get(apart, sizeof apart, EU_GEN9));
            continue;
        }
        struct test_thread *t = test_thread_new(apart, sizeof apart, 0xff);
        RUN(t);
        test_thread_free(t);
    }
}
