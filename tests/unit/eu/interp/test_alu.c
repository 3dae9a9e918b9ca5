/* test_alu.c: arithmetic, regions and conversions of the general path. Expected
 * values are computed by hand or with the host's libm. */
#include "interp_run.h"

#include "eu/predecode/predecode.h"

#include "interp_kernels.h"

#define INF_BITS 0x7f800000u
#define QNAN 0x7fc00000u

Test(interp_alu, mach_gives_the_high_half)
{
    static const int32_t a[8] = {-1,         INT32_MIN, INT32_MAX, 123456789,
                                 -987654321, 0x10000,   7,         -5};
    static const int32_t b[8] = {-1,        INT32_MIN, INT32_MIN, 987654321,
                                 123456789, 0x10000,   -3,        0};
    struct test_thread *t = THREAD(mach, 0xff);
    set_d(t, 1, a);
    set_d(t, 2, b);
    RUN(t);
    for (unsigned i = 0; i < 8; i++) {
        int64_t s = (int64_t)a[i] * b[i];
        uint64_t u = (uint64_t)(uint32_t)a[i] * (uint32_t)b[i];
        cr_expect_eq(get_u(t, 4, i), (uint32_t)(s >> 32), "lane %u", i);
        cr_expect_eq(get_u(t, 5, i), (uint32_t)(u >> 32), "lane %u", i);
        cr_expect_eq(get_u(t, 6, i), (uint32_t)s, "lane %u", i);
    }
    test_thread_free(t);
}

Test(interp_alu, carry_and_borrow)
{
    struct test_thread *t = THREAD(carry, 0xffff);
    set_d(t, 1, D(-1, -1, 5, 0, 7, INT32_MIN, 0, 1));
    set_d(t, 2, D(1, -1, 6, 0, -8, INT32_MIN, 1, 1));
    RUN(t);
    expect_d(t, 4, D(0, -2, 11, 0, -1, 0, 1, 2));
    expect_d(t, 5, D(1, 1, 0, 0, 0, 1, 0, 0));
    expect_d(t, 6, D(-2, 0, -1, 0, 15, 0, -1, 0));
    expect_d(t, 7, D(0, 0, 1, 0, 1, 0, 1, 0));
    test_thread_free(t);
}

Test(interp_alu, min_and_max)
{
    struct test_thread *t = THREAD(minmax, 0xff);
    set_f(t, 1, F(1, NAN, 2, 0.0f, -0.0f, -INFINITY, -1, 1e-40f));
    set_f(t, 2, F(2, 3, NAN, -0.0f, 0.0f, 5, -2, 0));
    RUN(t);
    expect_u(t, 4,
             U(0x40000000, 0x40400000, 0x40000000, 0, 0, 0x40a00000, 0xbf800000,
               bits_from_float(1e-40f)));
    expect_u(t, 5,
             U(0x3f800000, 0x40400000, 0x40000000, 0x80000000, 0x80000000,
               0xff800000, 0xc0000000, 0));
    test_thread_free(t);
}

Test(interp_alu, both_nan_gives_the_second)
{
    struct test_thread *t = THREAD(minmax, 0xff);
    set_d(t, 1, D(0x7fc00001));
    set_d(t, 2, D(0x7fc00002));
    RUN(t);
    cr_expect_eq(get_u(t, 4, 0), 0x7fc00002);
    cr_expect_eq(get_u(t, 5, 0), 0x7fc00002);
    test_thread_free(t);
}

Test(interp_alu, float_to_int_clamps)
{
    struct test_thread *t = THREAD(float_to_int, 0xff);
    set_f(t, 1, F(1.9f, -1.9f, 3e9f, -3e9f, NAN, INFINITY, 70000.5f, 300));
    RUN(t);
    expect_d(t, 4, D(1, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX, 70000, 300));
    expect_u(t, 5, U(1, 0, 3000000000u, 0, 0, UINT32_MAX, 70000, 300));
    static const uint8_t bytes[8] = {1, 0, 255, 0, 0, 255, 255, 255};
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(t->eu.grf[7 * 32 + i * 4], bytes[i], "lane %u", i);
    int16_t w[16];
    memcpy(w, t->eu.grf + 6 * 32, 32);
    static const int16_t words[8] = {1, -1,    32767, -32768,
                                     0, 32767, 32767, 300};
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(w[i * 2], words[i], "lane %u", i);
    test_thread_free(t);
}

Test(interp_alu, denormals_flush_in_arithmetic_only)
{
    struct test_thread *t = THREAD(denorm, 0xff);
    set_d(t, 1, D(1, 0x007fffff, (int32_t)0x80000001, 0x00800000));
    RUN(t);
    cr_expect_eq(get_u(t, 4, 0), 0);
    cr_expect_eq(get_u(t, 4, 1), 0);
    cr_expect_eq(get_u(t, 4, 3), 0x00800000);
    expect_d(t, 5, D(1, 0x007fffff, (int32_t)0x80000001, 0x00800000));
    expect_d(t, 6, D(1, 0x007fffff, (int32_t)0x80000001, 0x00800000));
    expect_d(t, 7, D(1, 0x007fffff, (int32_t)0x80000001, 0x00800000));
    test_thread_free(t);
}

Test(interp_alu, rounding_follows_cr0)
{
    struct test_thread *t = THREAD(rounding, 0xff);
    /* 1 + 2^-24 lies half-way, -1 - 2^-24 too. */
    set_f(t, 1, F(1, -1));
    set_f(t, 2, F(0x1p-24f, -0x1p-24f));
    set_f(t, 3, F(1.0f + 0x1p-12f, -1.0f - 0x1p-12f, 65519, 65520, 1e-8f));
    RUN(t);
    cr_expect_eq(get_u(t, 4, 0), 0x3f800000);
    cr_expect_eq(get_u(t, 5, 0), 0x3f800001); /* up */
    cr_expect_eq(get_u(t, 5, 1), 0xbf800000);
    cr_expect_eq(get_u(t, 6, 0), 0x3f800000); /* down */
    cr_expect_eq(get_u(t, 6, 1), 0xbf800001);
    cr_expect_eq(get_u(t, 8, 0), 0x3f800000); /* zero */
    cr_expect_eq(get_u(t, 8, 1), 0xbf800000);
    cr_expect_eq(get_u(t, 7, 0) & 0xffff, 0x3c00); /* HF, down */
    cr_expect_eq(get_u(t, 7, 1) & 0xffff, 0xbc01);
    cr_expect_eq(get_u(t, 7, 2) & 0xffff, 0x7bff);
    cr_expect_eq(get_u(t, 7, 3) & 0xffff, 0x7bff);
    cr_expect_eq(get_u(t, 7, 4) & 0xffff, 0);
    test_thread_free(t);
}

Test(interp_alu, vector_immediates)
{
    struct test_thread *t = THREAD(vectors, 0xffff);
    int16_t w[16], in[16] = {0};
    for (unsigned i = 0; i < 16; i++)
        in[i] = (int16_t)(i * 100);
    memcpy(t->eu.grf + 32, in, 32);
    RUN(t);
    memcpy(w, t->eu.grf + 4 * 32, 32);
    static const int16_t v[8] = {-8, 1, 2, 3, 4, 5, 6, 7};
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(w[i], v[i], "V element %u", i);
    memcpy(w, t->eu.grf + 5 * 32, 32);
    for (unsigned i = 0; i < 16; i++)
        cr_expect_eq(w[i], (int)(8 + i % 8), "UV element %u", i);
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(get_f(t, 6, i), ((float[]){0.5f, 1, 2, 3})[i % 4]);
    /* <2;4,0>: words 4, 6, 8, 10, four times each, plus the pixel offsets */
    memcpy(w, t->eu.grf + 8 * 32, 32);
    static const int16_t add[8] = {0, 1, 0, 1, 0, 0, 1, 1};
    for (unsigned i = 0; i < 16; i++)
        cr_expect_eq(w[i], (int)(4 + i / 4 * 2) * 100 + add[i % 8],
                     "lane %u: %d", i, w[i]);
    test_thread_free(t);
}

Test(interp_alu, vector_immediates_lie_as_words_over_the_destination)
{
    struct test_thread *t = THREAD(vectors_over_dwords, 0xff);
    t->eu.grf[32] = 100;
    RUN(t);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(get_u(t, 4, i), 100 + 4 * i, "dword %u", i);
        cr_expect_eq(get_u(t, 5, i) & 0xffff, 4 + i, "word %u", i);
    }
    test_thread_free(t);
}

Test(interp_alu, conditions_see_64_bits_as_stored)
{
    struct test_thread *t = THREAD(conditions_of_64_bits, 0xff);
    static const int64_t a[4] = {INT64_MAX, INT64_MIN, 5, -5},
                         b[4] = {1, -1, -4, 4};
    memcpy(t->eu.grf + 1 * 32, a, 32);
    memcpy(t->eu.grf + 2 * 32, b, 32);
    RUN(t);
    cr_expect_eq(t->eu.f[0] & 15, 0x6);
    test_thread_free(t);
}

Test(interp_alu, indirect_regions)
{
    struct test_thread *t = THREAD(vx1, 0xff);
    uint16_t address[16] = {640, 652, 704, 644, 1000, 640, 660, 4088};
    for (unsigned i = 640 / 4; i < 1024; i++)
        memcpy(t->eu.grf + i * 4, &i, 4);
    memcpy(t->eu.grf + 32, address, 32);
    set_d(t, 2, D(10, 11, 12, 13, 14, 15, 16, 17));
    RUN(t);
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(get_u(t, 4, i), (address[i] + 4u) / 4, "Vx1 lane %u", i);
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(get_u(t, 5, i), address[i / 4] / 4 + i % 4, "VxH lane %u",
                     i);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t v;
        memcpy(&v, t->eu.grf + 652 + 32 + i * 4, 4);
        cr_expect_eq(v, 10 + i);
    }
    test_thread_free(t);
}

Test(interp_alu, three_sources)
{
    static const float x[8] = {1, -2, 0.1f, 1e30f, 3, 0, -0.0f, 0.25f};
    static const float y[8] = {3, 4, 0.3f, 1e30f, -1, 5, 2, 8};
    static const float z[8] = {5, -7, 0.7f, 1, 0, -0.0f, 4, 2};
    struct test_thread *t = THREAD(three_source, 0xff);
    set_f(t, 1, x);
    set_f(t, 2, y);
    set_f(t, 3, z);
    set_d(t, 7, D(4, 0, 8, 31, 16, 8, 3, 35));
    set_d(t, 8, D(4, 3, 28, 1, 16, 31, 0, 32));
    set_d(t, 9, D(0xa5, -1, 0x7fffffff, -2, 0x12345678, INT32_MIN, 6, 5));
    RUN(t);
    for (unsigned i = 0; i < 8; i++) {
        cr_expect_eq(get_f(t, 4, i), fmaf(y[i], z[0], x[i]), "mad lane %u", i);
        float lrp = x[i] * y[i] + (1 - x[i]) * z[i];
        cr_expect(
            fabsf(get_f(t, 5, i) - lrp) <= fabsf(lrp) * 1e-5f || isinf(lrp),
            "lrp lane %u: %g, %g", i, (double)get_f(t, 5, i), (double)lrp);
        cr_expect_eq(get_f(t, 11, i), z[i] < 0 ? x[i] : y[i]);
    }
    expect_d(t, 6, D(-6, 0, 7, -1, 0x1234, -1, -2, -3));
    /* bfi2 takes src1, moved up to the mask, where src0 has ones */
    for (unsigned i = 0; i < 8; i++) {
        uint32_t m = get_u(t, 7, i), a = get_u(t, 8, i), b = get_u(t, 9, i);
        unsigned shift = 0;
        while (m && a && !(m >> shift & 1))
            shift++;
        cr_expect_eq(get_u(t, 10, i), (m & (a << shift)) | (~m & b));
    }
    test_thread_free(t);
}

Test(interp_alu, plane_equation)
{
    struct test_thread *t = THREAD(pln, 0xffff);
    float setup[8] = {0, 0, 0, 0, 2, 3, 99, 5};
    set_f(t, 1, setup);
    for (unsigned r = 2; r < 6; r++) {
        float v[8];
        for (unsigned i = 0; i < 8; i++)
            v[i] = (float)(r * 10 + i);
        set_f(t, r, v);
    }
    /* The first PLN writes r4 before the second reads it. */
    RUN(t);
    for (unsigned i = 0; i < 8; i++) {
        float u = (float)(20 + i), v = (float)(30 + i);
        float first = 2 * u + 3 * v + 5;
        cr_expect_eq(get_f(t, 4, i), first);
        cr_expect_eq(get_f(t, 6, i), first);
        cr_expect_eq(get_f(t, 7, i), 2 * first + 3 * (float)(50 + i) + 5);
    }
    test_thread_free(t);
}

Test(interp_alu, bit_counting)
{
    struct test_thread *t = THREAD(bits, 0xff);
    set_d(t, 1, D(0, 1, -1, INT32_MIN, 0x00ff0000, -256, 0x7fffffff, 37));
    set_d(t, 2, D(0, 1, 2, 3, 4, 5, 6, 7));
    RUN(t);
    expect_d(t, 4, D(32, 31, 0, 0, 8, 0, 1, 26));
    expect_d(t, 5, D(-1, 31, 0, 0, 8, 0, 1, 26));
    expect_d(t, 6, D(-1, 31, -1, 1, 8, 24, 1, 26));
    expect_d(t, 7, D(-1, 0, 0, 31, 16, 8, 0, 0));
    expect_d(t, 8, D(0, 1, 32, 1, 8, 24, 31, 3));
    expect_u(t, 9,
             U(0, 0x80000000, ~0u, 1, 0x0000ff00, 0x00ffffff, ~1u, 0xa4000000));
    expect_u(
        t, 10,
        U(0, 1u << 1, 0x7fffffffu << 2, 0, 0, 0, 0x7fffffffu << 6, 31u << 7));
    test_thread_free(t);
}

Test(interp_alu, saturation)
{
    struct test_thread *t = THREAD(saturate, 0xff);
    set_d(t, 1, D(INT32_MAX, INT32_MIN, 5, -5, 300, 0, 255, 256));
    set_d(t, 2, D(1, -1, 6, 3, 0, 1, 255, -1));
    set_f(t, 3, F(2, -1, NAN, 0.5f, -0.0f, 1, INFINITY, -INFINITY));
    RUN(t);
    expect_d(t, 4, D(INT32_MAX, INT32_MIN, 11, -2, 300, 1, 510, 255));
    /* As UD, with a negated second source. */
    expect_u(t, 5, U(0x7ffffffe, 0, 0, 0xfffffff8, 300, 0, 0, 0));
    expect_u(t, 6,
             U(0x3f800000, 0, 0, 0x3f000000, 0, 0x3f800000, 0x3f800000, 0));
    static const uint8_t bytes[8] = {255, 0, 5, 0, 255, 0, 255, 255};
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(t->eu.grf[7 * 32 + i * 4], bytes[i], "lane %u", i);
    /* The condition tests the wrapped sum. */
    cr_expect_eq(get_u(t, 9, 0), 0xf6);
    test_thread_free(t);
}

Test(interp_alu, sixty_four_bits)
{
    struct test_thread *t = THREAD(wide, 0xff);
    static const int32_t a[4] = {3, -7, INT32_MAX, INT32_MIN};
    static const int32_t b[4] = {-5, -9, INT32_MAX, 2};
    set_d(t, 1, D(a[0], a[1], a[2], a[3]));
    set_d(t, 2, D(b[0], b[1], b[2], b[3]));
    RUN(t);
    for (unsigned i = 0; i < 4; i++) {
        double d;
        int64_t q, add;
        uint64_t shl, shr;
        memcpy(&d, t->eu.grf + 6 * 32 + i * 8, 8);
        cr_expect_eq(d, (double)a[i] * a[i]);
        memcpy(&q, t->eu.grf + 8 * 32 + i * 8, 8);
        cr_expect_eq(q, (int64_t)a[i] * b[i]);
        memcpy(&shl, t->eu.grf + 10 * 32 + i * 8, 8);
        cr_expect_eq(shl, (uint64_t)(uint32_t)a[i] << 33);
        memcpy(&shr, t->eu.grf + 12 * 32 + i * 8, 8);
        cr_expect_eq(shr, shl >> 40);
        memcpy(&add, t->eu.grf + 14 * 32 + i * 8, 8);
        cr_expect_eq(add, (int64_t)((uint64_t)q - shl));
    }
    test_thread_free(t);
}

Test(interp_alu, integer_division)
{
    struct test_thread *t = THREAD(intdiv, 0xff);
    set_d(t, 1, D(7, -7, 7, -7, 5, -5, INT32_MIN, 0));
    set_d(t, 2, D(2, 2, -2, -2, 0, 0, -1, 3));
    RUN(t);
    expect_d(t, 4, D(3, -3, -3, 3, INT32_MAX, INT32_MIN, INT32_MIN, 0));
    expect_d(t, 5, D(1, -1, 1, -1, INT32_MAX, INT32_MIN, 0, 0));
    expect_u(t, 6, U(3, 0x7ffffffc, 0, 0, ~0u, ~0u, 0, 0));
    test_thread_free(t);
}

static float
ulp_error(float got, double want)
{
    if (isnan(want))
        return isnan(got) ? 0 : INFINITY;
    float w = fabs(want) < 0x1p-126 ? 0 : (float)want; /* flushed */
    if (got == w)
        return 0;
    return (float)(fabs((double)got - want) /
                   (double)(nextafterf(fabsf(w), INFINITY) - fabsf(w)));
}

Test(interp_alu, math_functions)
{
    uint32_t seed = 1;
    for (unsigned n = 0; n < 400; n++) {
        float x[8], y[8];
        for (unsigned i = 0; i < 8; i++) {
            seed = seed * 1664525 + 1013904223;
            x[i] = ldexpf((float)(seed >> 8) / 0x1p23f - 1.0f,
                          (int)(seed & 15) - 6);
            y[i] = (float)(int)(seed >> 20 & 31) / 4 - 3;
        }
        struct test_thread *t = THREAD(math, 0xff);
        set_f(t, 1, x);
        set_f(t, 2, y);
        RUN(t);
        for (unsigned i = 0; i < 8; i++) {
            double d = (double)x[i];
            cr_assert_leq(ulp_error(get_f(t, 10, i), 1 / d), 1);
            cr_assert_leq(ulp_error(get_f(t, 11, i), log2(d)), 2.42);
            cr_assert_leq(ulp_error(get_f(t, 12, i), exp2(d)), 1);
            cr_assert_leq(ulp_error(get_f(t, 13, i), sqrt(d)), 1);
            cr_assert_leq(ulp_error(get_f(t, 14, i), 1 / sqrt(d)), 1);
            cr_assert_leq(fabs((double)get_f(t, 15, i) - sin(d)), 0x1p-23);
            cr_assert_leq(fabs((double)get_f(t, 16, i) - cos(d)), 0x1p-23);
            double p = pow(fabs(d), (double)y[i]);
            cr_assert_leq(fabs((double)get_f(t, 17, i) - p), p * 0x1p-16,
                          "%a ^ %a = %a", d, (double)y[i],
                          (double)get_f(t, 17, i));
            cr_assert_leq(ulp_error(get_f(t, 18, i), d / (double)y[i]), 1);
        }
        test_thread_free(t);
    }
}

Test(interp_alu, math_special_cases)
{
    struct test_thread *t = THREAD(math, 0xff);
    set_f(t, 1, F(INFINITY, 0, -0.0f, -INFINITY, -2, NAN, 1, 0.5f));
    set_f(t, 2, F(0, 0, 2, 1, 3, 1, INFINITY, INFINITY));
    RUN(t);
    uint32_t big = 0xff800000;
    expect_u(t, 10,
             U(0, INF_BITS, big, 0x80000000, 0xbf000000, QNAN, 0x3f800000,
               0x40000000));
    expect_u(t, 12,
             U(INF_BITS, 0x3f800000, 0x3f800000, 0, 0x3e800000, QNAN,
               0x40000000, 0x3fb504f3));
    cr_expect_eq(get_u(t, 11, 0), INF_BITS);
    cr_expect_eq(get_u(t, 11, 1), big);
    cr_expect_eq(get_u(t, 11, 2), big);
    for (unsigned i = 3; i < 6; i++) {
        cr_expect(isnan(get_f(t, 11, i)));
        cr_expect(isnan(get_f(t, 13, i)));
        cr_expect(isnan(get_f(t, 14, i)));
    }
    cr_expect_eq(get_u(t, 13, 2), 0x80000000);
    cr_expect_eq(get_u(t, 14, 0), 0);
    cr_expect_eq(get_u(t, 14, 1), INF_BITS);
    cr_expect_eq(get_u(t, 14, 2), big);
    cr_expect(isnan(get_f(t, 15, 0)));
    cr_expect_eq(get_u(t, 15, 1), 0);
    cr_expect_eq(get_u(t, 15, 2), 0x80000000);
    cr_expect_eq(get_f(t, 16, 2), 1);
    cr_expect(isnan(get_f(t, 17, 0))); /* inf^0 */
    cr_expect(isnan(get_f(t, 17, 1))); /* 0^0 */
    cr_expect_eq(get_f(t, 17, 4), 8);  /* the base's sign is ignored */
    cr_expect(isnan(get_f(t, 17, 6))); /* 1^inf */
    cr_expect_eq(get_f(t, 17, 7), 0);
    test_thread_free(t);
}

Test(interp_alu, alternate_mode_has_no_infinity)
{
    struct test_thread *t = THREAD(math, 0xff);
    struct eu_start start = {.kernel = t->eu.kernel,
                             .dispatch_mask = 0xff,
                             .alt_mode = true,
                             .send = probe_send,
                             .user = &t->probe};
    eu_thread_init(&t->eu, &start);
    set_f(t, 1, F(0, -0.0f, -4, 200));
    RUN(t);
    cr_expect_eq(get_u(t, 10, 0), 0x7f7fffff);
    cr_expect_eq(get_u(t, 10, 1), 0xff7fffff);
    cr_expect_eq(get_f(t, 11, 2), 2);
    cr_expect_eq(get_f(t, 13, 2), 2);
    cr_expect_eq(get_f(t, 14, 2), 0.5f);
    cr_expect_eq(get_u(t, 12, 3), 0x7f7fffff);
    test_thread_free(t);
}

Test(interp_alu, rounding_instructions)
{
    static const float x[8] = {1.5f,    2.5f,   -0.25f, -1.5f,
                               8388609, -1e-9f, 0.75f,  -0.0f};
    struct test_thread *t = THREAD(round, 0xff);
    set_f(t, 1, x);
    RUN(t);
    for (unsigned i = 0; i < 8; i++) {
        float frc = x[i] - floorf(x[i]);
        cr_expect_eq(get_f(t, 10, i), frc < 1 ? frc : 0x1.fffffep-1f);
        cr_expect_eq(get_u(t, 11, i), bits_from_float(floorf(x[i])));
        cr_expect_eq(get_u(t, 12, i), bits_from_float(ceilf(x[i])));
        cr_expect_eq(get_u(t, 13, i), bits_from_float(rintf(x[i])), "%u", i);
        cr_expect_eq(get_u(t, 14, i), bits_from_float(truncf(x[i])));
    }
    test_thread_free(t);
}

Test(interp_alu, sources_are_read_before_the_write)
{
    struct test_thread *t = THREAD(overlap, 0xffff);
    for (unsigned i = 0; i < 1024; i++)
        memcpy(t->eu.grf + i * 4, &i, 4);
    RUN(t);
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(get_u(t, 1, 1) + i,
                     get_u(t, 1 + (i + 1) / 8, (i + 1) % 8));
    /* r2.0 was overwritten by r1.7's value, r3 and r4 copy r2 and r3. */
    cr_expect_eq(get_u(t, 3, 0), 15);
    for (unsigned i = 1; i < 16; i++)
        cr_expect_eq(get_u(t, 3 + i / 8, i % 8), 16 + i);
    for (unsigned i = 0; i < 8; i++)
        cr_expect_eq(get_u(t, 6, i), 6 * 8 + 3);
    test_thread_free(t);
}

/* ---- regions against a byte-array model ---- */

static const struct eu_op *
run_one(struct eu_thread *t, const struct eu_insn *insn, bool slow)
{
    struct eu_op op;
    eu_op_predecode(&op, insn);
    return slow ? op.slow(t, &op) : op.fn(t, &op);
}

Test(interp_alu, regions_are_byte_arithmetic)
{
    static struct eu_thread t;
    static uint8_t model[EU_GRF_FILE_B];
    static const uint8_t types[] = {EU_TYPE_UB, EU_TYPE_UW, EU_TYPE_UD,
                                    EU_TYPE_UQ};
    static const uint8_t strides[] = {0, 1, 2, 4, 8, 16, 32};
    uint32_t seed = 7;
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t r[8];
        for (unsigned i = 0; i < 8; i++)
            r[i] = (seed = seed * 1664525 + 1013904223) >> 8;
        struct eu_insn insn = {
            .opcode = EU_OP_MOV,
            .src_count = 1,
            .exec_size = (uint8_t)(1u << r[0] % 6),
            .no_mask = true,
            .dst = {.file = EU_FILE_GRF,
                    .type = types[r[1] % 4],
                    .reg = (uint8_t)(r[2] % 64),
                    .hstride = (uint8_t)(1u << r[3] % 3),
                    .writemask = 0xf},
            .src = {{.file = EU_FILE_GRF,
                     .type = types[r[4] % 4],
                     .reg = (uint8_t)(r[2] % 64 + r[5] % 3),
                     .vstride = strides[r[5] / 4 % 7],
                     .width = (uint8_t)(1u << r[6] % 5),
                     .hstride = strides[r[6] / 8 % 4]}},
        };
        unsigned src_B = eu_type_size_B((enum eu_type)insn.src[0].type);
        unsigned dst_B = eu_type_size_B((enum eu_type)insn.dst.type);
        insn.src[0].subreg_B = (uint8_t)(r[7] % (32 / src_B) * src_B);
        if (!eu_operand_fits(&insn, &insn.src[0], false) ||
            !eu_operand_fits(&insn, &insn.dst, true))
            continue;

        memset(&t, 0, sizeof t);
        for (unsigned i = 0; i < EU_GRF_FILE_B; i++) {
            seed = seed * 1664525 + 1013904223;
            t.grf[i] = (uint8_t)(seed >> 20);
        }
        memcpy(model, t.grf, sizeof model);
        for (unsigned i = 0; i < insn.exec_size; i++) {
            const struct eu_operand *s = &insn.src[0];
            unsigned row = i / s->width, col = i % s->width;
            unsigned from = s->reg * 32u + s->subreg_B +
                            (row * s->vstride + col * s->hstride) * src_B;
            unsigned to = insn.dst.reg * 32u + i * insn.dst.hstride * dst_B;
            for (unsigned b = 0; b < dst_B; b++)
                model[to + b] = b < src_B ? t.grf[from + b] : 0;
        }
        run_one(&t, &insn, n & 1);
        cr_assert_eq(memcmp(model, t.grf, sizeof model), 0, "round %u", n);
    }
}

Test(interp_alu, align16_swizzles_and_write_masks)
{
    static struct eu_thread t;
    struct eu_insn insn = {
        .opcode = EU_OP_ADD,
        .src_count = 2,
        .exec_size = 8,
        .align16 = true,
        .no_mask = true,
        .dst = {.file = EU_FILE_GRF,
                .type = EU_TYPE_F,
                .reg = 7,
                .hstride = 1,
                .writemask = 0xb},
        .src = {{.file = EU_FILE_GRF,
                 .type = EU_TYPE_F,
                 .reg = 4,
                 .vstride = 4,
                 .width = 4,
                 .hstride = 1,
                 .negate = true,
                 .swizzle = 0x44 /* xyxy */},
                {.file = EU_FILE_GRF,
                 .type = EU_TYPE_F,
                 .reg = 4,
                 .vstride = 4,
                 .width = 4,
                 .hstride = 1,
                 .swizzle = 0xee /* zwzw */}},
    };
    static const float in[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    static const float out[8] = {3, 6, 0, 6, 48, 96, 0, 96};
    memset(&t, 0, sizeof t);
    memcpy(t.grf + 4 * 32, in, 32);
    run_one(&t, &insn, false);
    cr_expect_eq(memcmp(t.grf + 7 * 32, out, 32), 0);
}
