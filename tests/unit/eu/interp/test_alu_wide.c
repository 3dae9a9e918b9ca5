/* test_alu_wide.c: 64-bit types, flags of every kind, state registers, indirect
 * words. Expected values are computed in 128 bits or by hand. */
#include "interp_run.h"

#include "encode.h"
#include "eu/isa/eu_opcodes.h"
#include "interp_kernels.h"

typedef __int128 wide;

static uint64_t
get_q(const struct test_thread *t, unsigned reg, unsigned lane)
{
    uint64_t v;
    memcpy(&v, t->eu.grf + reg * EU_GRF_B + lane * 8, 8);
    return v;
}

static void
expect_q(const struct test_thread *t, unsigned reg, unsigned lane, wide v)
{
    cr_expect_eq(get_q(t, reg, lane), (uint64_t)v,
                 "r%u lane %u: 0x%llx, expected 0x%llx", reg, lane,
                 (unsigned long long)get_q(t, reg, lane),
                 (unsigned long long)v);
}

static wide
clamp(wide v, wide lo, wide hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

Test(interp_wide, quadwords_are_exact)
{
    static const int64_t a[8] = {INT64_MAX, INT64_MIN, -1, 5,
                                 0,         INT64_MIN, 7,  -(INT64_C(1) << 40)};
    static const int64_t b[8] = {1, -1, 1, -5, 0, INT64_MIN, INT64_MAX, 9};
    static const int32_t x[8] = {INT32_MIN, INT32_MAX, -1, 7, 65536, 0, -5, 9};
    static const int32_t y[8] = {INT32_MIN, INT32_MAX, 1, -7, 65536, -1, -5, 1};
    struct test_thread *t = THREAD(quadwords, 0xff);
    uint32_t less = 0, below = 0, over = 0;
    memcpy(t->eu.grf + 2 * 32, a, 64);
    memcpy(t->eu.grf + 4 * 32, b, 64);
    set_d(t, 6, x);
    set_d(t, 7, y);
    RUN(t);
    for (unsigned i = 0; i < 8; i++) {
        wide s = (wide)a[i] + b[i], p = a[i], q = b[i];
        uint64_t ua = (uint64_t)a[i], ub = (uint64_t)b[i];
        expect_q(t, 10, i, s);
        expect_q(t, 12, i, clamp(s, INT64_MIN, INT64_MAX));
        expect_q(t, 14, i, clamp((wide)ua - ub, 0, UINT64_MAX));
        expect_q(t, 16, i, p < q ? -1 : 0);
        expect_q(t, 18, i, p < q ? p : q);
        expect_q(t, 20, i, p >> 33);
        expect_q(t, 22, i, ua >> 63);
        expect_q(t, 24, i, (wide)(ua << 1));
        expect_q(t, 26, i, (wide)x[i] * y[i]);
        expect_q(t, 28, i, (wide)((uint64_t)(uint32_t)x[i] * (uint32_t)y[i]));
        expect_q(t, 30, i, (wide)(ua & ~ub));
        expect_q(t, 32, i, p < 0 ? -p : p);
        cr_expect_eq((int32_t)get_u(t, 34, i),
                     (int32_t)clamp(p, INT32_MIN, INT32_MAX), "lane %u", i);
        less |= (uint32_t)(p < q) << i;
        below |= (uint32_t)(ua < ub) << i;
        over |= (uint32_t)(s < INT64_MIN || s > INT64_MAX) << i;
    }
    cr_expect_eq(t->eu.f[0], less | below << 16);
    cr_expect_eq(t->eu.f[1], over);
    test_thread_free(t);
}

#define DENORM UINT64_C(0x000fffffffffffff)
#define MINUS (UINT64_C(1) << 63)
#define QUIET UINT64_C(0x7ff8000000000000)
#define SIGNALLING UINT64_C(0x7ff0000000000001)
#define HUGE_DF UINT64_C(0x7fe0000000000000) /* 2^1023 */
#define ONE UINT64_C(0x3ff0000000000000)
#define TWO UINT64_C(0x4000000000000000)

static void
run_doubles(bool keep)
{
    static const uint64_t a[8] = {UINT64_C(0x3ff8000000000000),
                                  DENORM,
                                  DENORM | MINUS,
                                  QUIET,
                                  SIGNALLING,
                                  MINUS,
                                  HUGE_DF,
                                  TWO};
    static const uint64_t b[8] = {TWO, 0, 0, ONE, ONE, 0, HUGE_DF, QUIET};
    static const uint64_t max[8] = {TWO, DENORM, 0, ONE, ONE, 0, HUGE_DF, TWO};
    struct test_thread *t = THREAD(doubles, 0xff);
    memcpy(t->eu.grf + 2 * 32, a, 64);
    memcpy(t->eu.grf + 4 * 32, b, 64);
    t->eu.cr0[0] &= ~(1u << 6);
    t->eu.cr0[0] |= keep ? 1u << 6 : 0;
    RUN(t);
    cr_expect_eq(get_q(t, 10, 0), UINT64_C(0x400c000000000000)); /* 3.5 */
    cr_expect_eq(get_q(t, 10, 1), keep ? DENORM : 0);
    cr_expect_eq(get_q(t, 10, 2), keep ? DENORM | MINUS : 0);
    cr_expect_geq(get_q(t, 10, 3) & ~MINUS, QUIET);
    cr_expect_geq(get_q(t, 10, 4) & ~MINUS, QUIET);
    cr_expect_eq(get_q(t, 10, 5), 0);
    cr_expect_eq(get_q(t, 10, 6), UINT64_C(0x7ff0000000000000));
    for (unsigned i = 0; i < 8; i++) {
        expect_q(t, 12, i, i == 0 || i == 6 ? ONE : 0); /* .sat */
        expect_q(t, 14, i, (wide)a[i]);
        expect_q(t, 18, i, (wide)max[i]);
    }
    cr_expect_eq(get_q(t, 16, 5), UINT64_MAX);
    cr_expect_eq(get_q(t, 16, 0), 0);
    /* eq, and cmpn.lt with NaN in src1 */
    cr_expect_eq(t->eu.f[0], keep ? 0x00850060 : 0x00810066, "%x", t->eu.f[0]);
    cr_expect_eq(t->eu.f[1], 0x98); /* unordered results */
    test_thread_free(t);
}

Test(interp_wide, doubles_keep_denormals)
{
    run_doubles(true);
}

Test(interp_wide, doubles_flush_denormals)
{
    run_doubles(false);
}

Test(interp_wide, flags_of_unusual_conditions_and_places)
{
    struct test_thread *t = THREAD(unusual_flags, UINT32_MAX);
    static const int16_t x[8] = {32767, -32768, 1}, y[8] = {1, -1, 1};
    memcpy(t->eu.grf + 32, x, 16);
    memcpy(t->eu.grf + 64, y, 16);
    set_f(t, 10, F(NAN, 1, INFINITY, 1, 3, 0, 0, 0));
    set_f(t, 11, F(1, NAN, -INFINITY, 2, 2, 0, 0, 0));
    set_d(t, 12, D(0, 1, 0, 2));
    RUN(t);
    /* overflow; unordered sums; cmpn.lt; the last nibble */
    cr_expect_eq(t->eu.f[0], 0xa00a0703, "%x", t->eu.f[0]);
    cr_expect_eq(t->eu.f[1], 0); /* CSEL writes none */
    cr_expect(isnan(get_f(t, 13, 0)) && isnan(get_f(t, 13, 1)));
    for (unsigned i = 2; i < 8; i++)
        cr_expect_eq(get_f(t, 13, i), get_f(t, 11, i));
    cr_expect(isnan(get_f(t, 14, 0)));
    for (unsigned i = 1; i < 8; i++)
        cr_expect_eq(get_f(t, 14, i), get_f(t, 10, i));
    expect_d(t, 15, D(0, 0, 0, 1, 1, 1, 1, 1));
    test_thread_free(t);
}

Test(interp_wide, state_registers)
{
    struct test_thread *t = THREAD(state_registers, 0xff);
    set_d(t, 7, D(-1, -1, -1, -1, -1, -1, -1, -1));
    RUN(t);
    expect_d(t, 4, D(1, 1, 1, 1, 0, 0, 0, 0)); /* new dispatch mask */
    expect_d(t, 5, D(0, 0, 0, 0, 1, 1, 1, 1)); /* vector mask */
    /* Time advances, and cannot be set. */
    cr_expect_neq(get_u(t, 6, 0), 5);
    cr_expect_eq(get_u(t, 6, 1), 0);
    cr_expect_gt(get_u(t, 6, 2), get_u(t, 6, 0));
    expect_d(t, 7, D(0, 0, 0, 0, -1, -1, -1, -1)); /* no dependencies */
    cr_expect_eq(get_u(t, 8, 0), 9 * 16);
    cr_expect_eq(get_u(t, 8, 1), 0);
    cr_expect_eq(get_u(t, 8, 2), 3);
    cr_expect_eq(t->eu.n0[1], 3);
    test_thread_free(t);
}

Test(interp_wide, indirect_words_and_packed_immediates)
{
    static const uint16_t a0[16] = {1280, 1344, 1283, 1290, 1300,
                                    1310, 1283, 1323, 1400, 1286};
    struct test_thread *t = THREAD(indirect_words, 0x0f);
    uint8_t *grf = t->eu.grf;
    for (unsigned i = 0; i < 256; i++)
        grf[1280 + i] = (uint8_t)(i * 7 + 100);
    uint8_t before[256];
    memcpy(before, grf + 1280, 256);
    memcpy(grf + 32, a0, 32);
    for (unsigned i = 0; i < 8; i++)
        memcpy(grf + 64 + i * 2, &(uint16_t){(uint16_t)(0x5500 + i)}, 2);
    RUN(t);
    for (unsigned i = 0; i < 4; i++) { /* active lanes */
        uint16_t w, got;
        memcpy(&w, before + a0[0] - 1280 + 2 + i * 2, 2);
        memcpy(&got, grf + 4 * 32 + i * 2, 2);
        cr_expect_eq(got, w, "VxH lane %u", i);
        memcpy(&got, grf + 5 * 32 + i * 2, 2);
        cr_expect_eq((int16_t)got, (int8_t)before[a0[2 + i] - 3 - 1280],
                     "Vx1 lane %u", i);
        memcpy(&got, grf + 1344 + 4 + i * 4, 2);
        cr_expect_eq(got, 0x5500 + i, "destination lane %u", i);
    }
    /* Nothing else was written. */
    for (unsigned i = 0; i < 256; i++) {
        bool written = i >= 68 && i < 84 && i % 4 < 2;
        if (!written)
            cr_expect_eq(grf[1280 + i], before[i], "byte %u", i);
    }
    test_thread_free(t);

    t = THREAD(indirect_words, UINT32_MAX);
    memcpy(t->eu.grf + 32, a0, 32);
    RUN(t);
    for (unsigned i = 0; i < 32; i++) {
        uint16_t w;
        memcpy(&w, t->eu.grf + 11 * 32 + i * 2, 2);
        cr_expect_eq(w, 8 + i % 8, "UV lane %u", i);
        memcpy(&w, t->eu.grf + 10 * 32 + i % 16 * 2, 2);
        cr_expect_eq(w, i % 8, "V lane %u", i);
        cr_expect_eq(get_f(t, 13 + i % 16 / 8, i % 8),
                     ((float[]){0.5f, 1, -2, 0})[i % 4], "VF lane %u", i);
    }
    test_thread_free(t);
}

/* ---- HF in Align16 ---- */

/* mov (8) r10.xy__:hf r20.yxwz:hf */
static struct code
align16_half(void)
{
    struct code c = {{0}};
    put(&c, 6, 0, EU_OP_MOV);
    put(&c, 8, 8, 1);
    put(&c, 23, 21, 3);
    put(&c, 36, 35, EU_FILE_GRF);
    put(&c, 40, 37, EU_TYPE_HF);
    put(&c, 51, 48, 3);
    put(&c, 60, 53, 10);
    put(&c, 62, 61, 1);
    put(&c, 42, 41, EU_FILE_GRF);
    put(&c, 46, 43, EU_TYPE_HF);
    put(&c, 76, 69, 20);
    put(&c, 67, 64, 1);     /* y x */
    put(&c, 83, 80, 3 | 8); /* w z */
    put(&c, 88, 85, 3);     /* vertical stride 4 */
    return c;
}

static void
expect_align16(enum eu_gen gen, const uint16_t want[8])
{
    struct code program[3] = {align16_half()};
    memcpy(&program[1], kernel_halt + ARRAY_SIZE(kernel_halt) - 8, 32);
    struct test_thread *t = test_thread_new(program[0].dw, sizeof program,
                                            0xff);
    eu_kernel_unref(t->eu.kernel);
    t->eu.kernel = eu_kernel_get(program[0].dw, sizeof program, gen);
    cr_assert_not_null(t->eu.kernel);
    for (unsigned i = 0; i < 8; i++)
        memcpy(t->eu.grf + 20 * 32 + i * 2, &(uint16_t){(uint16_t)(1 + i)}, 2);
    RUN(t);
    for (unsigned i = 0; i < 8; i++) {
        uint16_t w;
        memcpy(&w, t->eu.grf + 10 * 32 + i * 2, 2);
        cr_expect_eq(w, want[i], "Gen%d lane %u: %u", gen, i, w);
    }
    test_thread_free(t);
}

Test(interp_wide, align16_moves_halves_in_pairs_on_gen8)
{
    expect_align16(EU_GEN9, (const uint16_t[8]){2, 1, 0, 0, 6, 5, 0, 0});
    expect_align16(EU_GEN8, (const uint16_t[8]){3, 4, 1, 2, 0, 0, 0, 0});
}

/* ---- alternate mode ---- */

Test(interp_wide, alternate_mode_knows_the_power_zero)
{
    struct code c = encode_binary(EU_OP_MATH, EU_TYPE_F);
    put(&c, 27, 24, EU_MATH_POW);
    struct code program[3] = {c};
    memcpy(&program[1], kernel_halt + ARRAY_SIZE(kernel_halt) - 8, 32);
    struct test_thread *t = test_thread_new(program[0].dw, sizeof program,
                                            0xff);
    t->eu.cr0[0] |= EU_CR0_ALT;
    set_f(t, 20, F(0, -0.0f, 3, -2, 0, NAN, 0, 4));
    set_f(t, 30, F(0, 0, -0.0f, 0, -1, 0, 2, 0.5f));
    RUN(t);
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(get_f(t, 10, i), 1, "lane %u: %g", i,
                     (double)get_f(t, 10, i));
    cr_expect_eq(get_u(t, 10, 4), 0x7f7fffff); /* FLT_MAX */
    cr_expect(isnan(get_f(t, 10, 5)));
    cr_expect_eq(get_f(t, 10, 6), 0);
    cr_expect_float_eq(get_f(t, 10, 7), 2, 1e-4f);
    test_thread_free(t);
}
