/* test_fmath_ext.c: extended math: its precision, and equal bits on all tiers.
 * The bounds are the PRM's or tighter; the reference is the C library in
 * double. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "eu/interp/fmath_ext.h"
#include "base/fpmode.h"
#include "eu/jit/jit.h"
#include "interp_kernels.h"

/* ---- precision ---- */

/* Every F whose pattern is a multiple of this, and one more: 2^21 numbers. */
#define STEP 2039

struct errors {
    double ulp, relative, absolute; /* maxima; relative: of normal results */
    double largest;                 /* result */
};

static struct errors
errors_of(float (*fn)(float), double (*exact)(double), float bound)
{
    struct errors e = {0};
    for (uint64_t i = 0; i <= UINT32_MAX; i += STEP) {
        float x = float_from_bits((uint32_t)i);
        if (!(fabsf(x) <= bound))
            continue;
        double want = exact((double)x), got = (double)fn(x);
        if (isnan(want) || fabs(want) > (double)FLT_MAX) {
            cr_assert(isnan(want) ? isnan(got) : got == (double)(float)want,
                      "%a gives %a", (double)x, got);
            continue;
        }
        double d = fabs(got - want);
        int exponent;
        frexp(want, &exponent);
        cr_assert(d <= 1 || d < fabs(want), "%a gives %a", (double)x, got);
        e.ulp = fmax(e.ulp, ldexp(d, 24 - MAX2(exponent, -125)));
        if (fabs(want) >= 0x1p-126)
            e.relative = fmax(e.relative, d / fabs(want));
        e.absolute = fmax(e.absolute, d);
        e.largest = fmax(e.largest, fabs(got));
    }
    return e;
}

static float
rsq(float x)
{
    return fmath_rsq(x);
}

static double
exact_rsq(double x)
{
    return 1 / sqrt(x);
}

static float
my_exp(float x)
{
    return fmath_exp(x);
}

static float
my_log(float x)
{
    return fmath_log(x);
}

static float
my_sin(float x)
{
    return fmath_sin(x);
}

static float
my_cos(float x)
{
    return fmath_cos(x);
}

Test(ext_math, rsq_is_exact_to_an_ulp)
{
    struct errors e = errors_of(rsq, exact_rsq, INFINITY);
    cr_expect_lt(e.ulp, 0.91, "%g", e.ulp);
    for (int i = -126; i <= 126; i += 2)
        cr_expect_eq(rsq(ldexpf(1, i)), ldexpf(1, -i / 2), "2^%d", i);
}

Test(ext_math, exp_is_exact_to_an_ulp)
{
    struct errors e = errors_of(my_exp, exp2, INFINITY);
    cr_expect_lt(e.ulp, 0.99, "%g", e.ulp);
    for (int i = -149; i <= 127; i++)
        cr_expect_eq(my_exp((float)i), ldexpf(1, i), "2^%d", i);
    cr_expect_eq(my_exp(-150.5f), 0);
}

Test(ext_math, log_is_exact_to_22_bits)
{
    struct errors e = errors_of(my_log, log2, INFINITY);
    cr_expect_lt(e.ulp, 2, "%g", e.ulp);
    cr_expect_lt(e.relative, 0x1p-22, "%g", e.relative);
    for (int i = -149; i <= 127; i++)
        cr_expect_eq(my_log(ldexpf(1, i)), (float)i, "log2 2^%d", i);
    for (uint32_t i = 0x3f7fff00; i < 0x3f800100; i++) {
        float x = float_from_bits(i), want = (float)log2((double)x);
        cr_expect_leq(fabsf(my_log(x) - want), fabsf(want) * 0x1p-22f, "%a",
                      (double)x);
    }
}

Test(ext_math, sine_and_cosine)
{
    const struct {
        float (*fn)(float);
        double (*exact)(double);
    } cases[] = {{my_sin, sin}, {my_cos, cos}};
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        float hundred_pi = 314.159265f;
        struct errors e = errors_of(cases[i].fn, cases[i].exact, hundred_pi);
        cr_expect_lt(e.absolute, 0x1p-23, "%g", e.absolute);
        e = errors_of(cases[i].fn, cases[i].exact, 0x1p20f);
        cr_expect_lt(e.absolute, 0x1p-22, "%g", e.absolute);
        cr_expect_leq(e.largest, 1);
    }
    cr_expect_eq(bits_from_float(my_sin(-0.0f)), 0x80000000);
    cr_expect_eq(bits_from_float(my_sin(0.0f)), 0);
    cr_expect_eq(my_cos(-0.0f), 1);
}

Test(ext_math, pow_is_exact_to_fifteen_bits)
{
    uint32_t seed = 3;
    double worst = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < 4000000; i++) {
        seed = seed * 1664525 + 1013904223;
        float x = ldexpf(1 + (float)(seed >> 9) * 0x1p-23f,
                         (int)(seed & 31) - (seed & 32 ? 16 : 31));
        seed = seed * 1664525 + 1013904223;
        float y = ldexpf((float)(int32_t)seed, (int)(seed & 15) - 34);
        double want = pow((double)x, (double)y);
        if (!(want > 0x1p-126 && want < 0x1p127))
            continue;
        worst = fmax(worst, fabs((double)fmath_pow(x, y) - want) / want);
        count++;
    }
    cr_expect_lt(worst, 0x1p-16, "2^%g", log2(worst));
    cr_expect_gt(count, 1000000);
}

/* ---- tiers ---- */

#define IN_X 2 /* registers of the kernel */
#define IN_Y 4
#define OUT 10 /* sent in two messages */
#define OUT_HALF_GRF 15

struct numbers {
    uint32_t x[16], y[16];
};

struct results {
    uint32_t dw[2 * OUT_HALF_GRF * 8];
    unsigned messages;
};

static enum eu_msg_result
keep_results(struct eu_thread *t, const struct eu_message *m)
{
    struct results *r = t->user;
    if (m->mlen_grf == OUT_HALF_GRF && r->messages < 2)
        memcpy(r->dw + r->messages++ * OUT_HALF_GRF * 8, m->src0,
               OUT_HALF_GRF * EU_GRF_B);
    return EU_MSG_OK;
}

static void
start(struct eu_thread *t, const struct eu_kernel *k, bool keep,
      const struct numbers *n, struct results *r)
{
    struct eu_start s = {.kernel = k,
                         .simd = 16,
                         .dispatch_mask = 0xffff,
                         .vector_mask = 0xffff,
                         .denorm_f_retain = keep,
                         .send = keep_results,
                         .user = r};
    eu_thread_init(t, &s);
    memset(t->grf, 0, sizeof t->grf);
    memcpy(t->grf + IN_X * EU_GRF_B, n->x, sizeof n->x);
    memcpy(t->grf + IN_Y * EU_GRF_B, n->y, sizeof n->y);
    r->messages = 0;
    eu_thread_update_mxcsr(t);
}

static uint32_t
random_bits(uint32_t *seed)
{
    static const uint32_t special[] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
        0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x40000000, 0x7f7fffff,
        0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
        0xff812345, 0x49800000, 0x49800001, 0xc9800001, 0x5f000000, 0x43160000,
        0xc3160000, 0x42fe0000, 0x43000000, 0x3f000000, 0x3f400000, 0x3fc00000,
        0xbf000000, 0xb3800000};
    *seed = *seed * 1664525 + 1013904223;
    uint32_t r = *seed >> 8, exponent = 96 + (r >> 3 & 63);
    *seed = *seed * 1664525 + 1013904223;
    switch (r & 7) {
    case 0: return special[*seed >> 27];
    case 1: return *seed & 0x807fffff; /* denormal */
    case 2: return *seed ^ r << 8;
    default: return (*seed & 0x807fffff) | exponent << 23;
    }
}

static void
expect_same(const struct results *a, const struct results *b,
            const struct numbers *n)
{
    cr_assert_eq(a->messages, 2);
    cr_assert_eq(b->messages, 2);
    for (unsigned i = 0; i < ARRAY_SIZE(a->dw); i++) {
        /* The register identifies the function; SIMD16 has the first 12. */
        unsigned lane = i < 96 ? i % 16 : i % 8;
        cr_assert_eq(a->dw[i], b->dw[i],
                     "r%u.%u of 0x%x, 0x%x: 0x%x, compiled 0x%x", OUT + i / 8,
                     i % 8, n->x[lane], n->y[lane], a->dw[i], b->dw[i]);
    }
}

static void
compare(enum cpu_level cpu, bool keep)
{
    static struct eu_thread t;
    if (cpu > cpu_selected())
        cr_skip_test("the host lacks the instruction set");
    const struct eu_kernel *k = eu_kernel_get(kernel_ext_math,
                                              sizeof kernel_ext_math, EU_GEN9);
    cr_assert_not_null(k);
    struct eu_jit *jit = eu_jit_compile(k, cpu, keep ? EU_JIT_DENORMALS : 0);
    struct eu_jit_info info = eu_jit_info(jit);
    cr_expect_eq(info.native_count, info.op_count);
    uint32_t seed = 1;
    for (unsigned round = 0; round < 40000; round++) {
        struct numbers n;
        struct results a, b;
        for (unsigned i = 0; i < 16; i++) {
            n.x[i] = random_bits(&seed);
            n.y[i] = random_bits(&seed);
        }
        start(&t, k, keep, &n, &a);
        eu_run(&t, 1000);
        start(&t, k, keep, &n, &b);
        eu_jit_execute(jit, &t, 1000);
        fpmode_set(FPMODE_DEFAULT);
        expect_same(&a, &b, &n);
    }
    eu_jit_free(jit);
    eu_kernel_unref(k);
}

Test(ext_math, compiled_avx512)
{
    compare(CPU_AVX512, false);
}

Test(ext_math, compiled_avx512_with_denormals)
{
    compare(CPU_AVX512, true);
}

Test(ext_math, compiled_avx2)
{
    compare(CPU_AVX2, false);
}

Test(ext_math, compiled_avx2_with_denormals)
{
    compare(CPU_AVX2, true);
}

/* Code for threads that flush must not run in threads that do not. */
Test(ext_math, code_without_denormals_is_not_run_with_them)
{
    static struct eu_thread t;
    struct results r;
    const struct numbers n = {.x = {1}};
    if (cpu_selected() == CPU_SSE4)
        cr_skip_test("the host lacks the instruction set");
    const struct eu_kernel *k = eu_kernel_get(kernel_ext_math,
                                              sizeof kernel_ext_math, EU_GEN9);
    struct eu_jit *jit = eu_jit_compile(k, cpu_selected(), 0);
    start(&t, k, true, &n, &r);
    eu_jit_execute(jit, &t, 1000);
    cr_expect_eq(t.ip, 0);
    start(&t, k, false, &n, &r);
    eu_jit_execute(jit, &t, 1000);
    fpmode_set(FPMODE_DEFAULT);
    cr_expect_gt(t.ip, 0);
    eu_jit_free(jit);
    eu_kernel_unref(k);
}
