/* test_alu_types.c: accumulators, HF, bytes and words, macros, dot products,
 * predicated SEL. */
#include "interp_run.h"

#include "interp_kernels.h"

static void
set_bytes(struct test_thread *t, unsigned reg, const void *bytes, size_t n)
{
    memcpy(t->eu.grf + reg * EU_GRF_B, bytes, n);
}

static int
get_w(const struct test_thread *t, unsigned reg, unsigned i)
{
    int16_t w;
    memcpy(&w, t->eu.grf + reg * EU_GRF_B + i * 2, 2);
    return w;
}

Test(interp_types, float_accumulators)
{
    struct test_thread *t = THREAD(accumulator, 0xffff);
    float a[16], b[16];
    for (unsigned i = 0; i < 16; i++) {
        a[i] = (float)i + 0.5f;
        b[i] = 3.0f - (float)i;
    }
    set_bytes(t, 1, a, 64);
    set_bytes(t, 3, b, 64);
    RUN(t);
    for (unsigned i = 0; i < 16; i++)
        cr_expect_eq(get_f(t, 5 + i / 8, i % 8), a[i] * b[i] + a[i] * 2);
    for (unsigned i = 0; i < 8; i++) {
        cr_expect_eq(get_f(t, 7, i), a[8 + i] * b[8 + i], "acc1 lane %u", i);
        cr_expect_eq(get_f(t, 9, i), -(a[i] + b[i]), "AccWrEn lane %u", i);
    }
    test_thread_free(t);
}

Test(interp_types, half_floats)
{
    struct test_thread *t = THREAD(half, 0xff);
    /* 1, 65504, denormal, -inf, NaN, 0.1, -0, 2048 */
    static const uint16_t a[8] = {0x3c00, 0x7bff, 0x0001, 0xfc00,
                                  0x7e00, 0x2e66, 0x8000, 0x6800};
    static const uint16_t b[8] = {0x4000, 0x7bff, 0x0001, 0x3c00,
                                  0x3c00, 0x2e66, 0x0000, 0x3c00};
    static const uint16_t sum[8] = {0x4200, 0x7c00, 0x0002, 0xfc00,
                                    0x7e00, 0x3266, 0x0000, 0x6800};
    static const uint16_t max[8] = {0x4000, 0x7bff, 0x0001, 0x3c00,
                                    0x3c00, 0x2e66, 0x0000, 0x6800};
    set_bytes(t, 1, a, 16);
    set_bytes(t, 2, b, 16);
    set_f(t, 3, F(0x1p-25f, 0x1.8p-25f, 32760, 1.0f / 3, -2, 0, 1e9f, 5));
    RUN(t);
    static const uint16_t product[8] = {0x0001, 0x0002, 0x7c00, 0x3955,
                                        0xc400, 0x0000, 0x7c00, 0x4900};
    for (unsigned i = 0; i < 8; i++) {
        if (i != 4)
            cr_expect_eq((uint16_t)get_w(t, 4, i), sum[i], "sum %u: %x", i,
                         get_w(t, 4, i));
        cr_expect_eq((uint16_t)get_w(t, 7, i), max[i], "max %u", i);
        cr_expect_eq((uint16_t)get_w(t, 6, i * 2), product[i], "product %u: %x",
                     i, get_w(t, 6, i * 2));
    }
    cr_expect_eq(get_f(t, 5, 0), 3);
    cr_expect_eq(get_u(t, 5, 1), 0x7f800000);
    cr_expect_eq(get_f(t, 5, 2), 0x1p-23f);
    cr_expect(isnan(get_f(t, 5, 4)));
    test_thread_free(t);
}

Test(interp_types, bytes_and_words)
{
    struct test_thread *t = THREAD(bytes, 0xffff);
    uint8_t in[33];
    for (unsigned i = 0; i < 33; i++)
        in[i] = (uint8_t)(i * 37 + 100);
    set_bytes(t, 1, in, 33);
    int16_t words[16];
    memcpy(words, in, 32);
    RUN(t);
    for (unsigned i = 0; i < 16; i++) {
        int8_t s = (int8_t)in[i];
        cr_expect_eq(get_w(t, 4, i), s);
        cr_expect_eq(get_w(t, 5, i), (in[i] + in[i + 1] + 1) / 2);
        int8_t sat = (int8_t)t->eu.grf[6 * 32 + i * 2];
        cr_expect_eq(sat, CLAMP(2 * s, -128, 127), "lane %u: %d", i, sat);
        cr_expect_eq(get_w(t, 7, i), 0); /* x & ~x in 8 bits */
    }
    for (unsigned i = 0; i < 16; i += 2) {
        int d = abs(in[i] - in[i + 1]) + abs(in[i + 1] - in[i + 2]);
        cr_expect_eq(get_w(t, 8, i), d, "sad2 lane %u", i);
        cr_expect_eq(get_w(t, 8, i + 1), 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        int16_t next;
        memcpy(&next, in + i * 2 + 2, 2);
        cr_expect_eq((int32_t)get_u(t, 9, i), words[i] * next);
        cr_expect_eq((int32_t)get_u(t, 10, i), words[i] >> 4);
    }
    test_thread_free(t);
}

Test(interp_types, division_macros_are_exact_at_once)
{
    struct test_thread *t = THREAD(macros, 0x7f);
    set_f(t, 1, F(1, 10, -7, 0, 5, 1e30f, 2));
    set_f(t, 2, F(3, 7, 2, 0, 0, 1e-30f, 2));
    RUN(t);
    for (unsigned i = 0; i < 7; i++) {
        float a = ((float[]){1, 10, -7, 0, 5, 1e30f, 2})[i];
        float b = ((float[]){3, 7, 2, 0, 0, 1e-30f, 2})[i];
        if (i == 3)
            cr_expect(isnan(get_f(t, 4, i)));
        else
            cr_expect_eq(get_f(t, 4, i), a / b);
        cr_expect_eq(get_f(t, 5, i), sqrtf(b));
    }
    cr_expect_eq(get_u(t, 6, 0), 0x007f007f); /* early out */
    test_thread_free(t);
}

Test(interp_types, dot_products)
{
    struct test_thread *t = THREAD(dots, 0xff);
    set_f(t, 1, F(1, 2, 3, 4, 5, 6, 7, 8));
    set_f(t, 2, F(2, 3, 5, 7, 1, -1, 2, -2));
    RUN(t);
    for (unsigned i = 0; i < 8; i++) {
        cr_expect_eq(get_f(t, 4, i), i < 4 ? 51 : -3);
        cr_expect_eq(get_f(t, 5, i), i < 4 ? 30 : 11);
        cr_expect_eq(get_f(t, 6, i), i < 4 ? 23 : 13);
        cr_expect_eq(get_f(t, 7, i), i < 4 ? 8 : -1);
        cr_expect_eq(get_f(t, 8, i), get_f(t, 2, i) + 4); /* line */
    }
    test_thread_free(t);
}

Test(interp_types, predicate_selects_or_enables)
{
    struct test_thread *t = THREAD(predicated_sel, 0x3f);
    set_d(t, 1, D(1, 2, 3, 4, 5, 6, 7, 8));
    set_d(t, 2, D(-1, -2, -3, -4, -5, -6, -7, -8));
    RUN(t);
    /* f0.0 = 10100101b; lanes 6 and 7 are not dispatched */
    expect_d(t, 4, D(1, -2, 3, -4, -5, 6, 0, 0));
    expect_u(t, 5, U(0x7fffffff, 2, 0x7ffffffd, 4, 5, 0x7ffffffa, 0, 0));
    expect_d(t, 6, D(1, 0, 3, 0, 0, 6, 0, 0));
    expect_d(t, 7, D(-2, 0, 0, 0, 0, 3, 0, 0));
    /* Only lane 2 was zero; lanes 1, 3, 4, 6, 7 keep their bits. */
    cr_expect_eq(get_u(t, 8, 0), 0x84);
    test_thread_free(t);
}

Test(interp_types, integers_become_floats_exactly_once)
{
    static const int32_t in[8] = {0,         -1,       1,         INT32_MIN,
                                  INT32_MAX, 16777217, -16777219, 5};
    struct test_thread *t = THREAD(bool_to_float, 0xff);
    set_d(t, 1, in);
    RUN(t);
    for (unsigned i = 0; i < 8; i++) {
        int64_t v = in[i];
        /* Negation and absolute value are in D, so INT_MIN stays INT_MIN. */
        int32_t negated = (int32_t)(uint32_t)-v,
                positive = v < 0 ? negated : in[i];
        cr_expect_eq(get_u(t, 4, i), bits_from_float((float)negated));
        cr_expect_eq(get_u(t, 5, i), bits_from_float((float)positive));
        cr_expect_eq(get_u(t, 6, i), bits_from_float((float)(v + INT32_MAX)));
        cr_expect_eq(get_f(t, 7, i), (float)(uint32_t)v);
        cr_expect_eq(get_u(t, 8, i), ~(uint32_t)v);
        cr_expect_eq(get_u(t, 9, i), (uint32_t)(in[0] - v));
    }
    test_thread_free(t);
}
