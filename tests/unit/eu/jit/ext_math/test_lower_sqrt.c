/* test_lower_sqrt.c: SQRT in Newton steps gives the bits of the host's roots,
 * which the interpreter uses. Mantissas repeat with every second exponent. */
#include <criterion/criterion.h>

#include "base/fpmode.h"
#include "eu/interp/fmath.h"
#include "eu/jit/jit.h"
#include "interp_kernels.h"

#define COUNT 128 /* roots of a run */
#define FROM_GRF 2
#define SENT_GRF 8 /* payload register; there are two messages */

/* Runs in the float mode that the thread left. */
static __attribute__((noinline)) void
expect_roots(const uint32_t *from, const uint32_t *to)
{
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t want = bits_from_float(fmath_sqrt(float_from_bits(from[i])));
        cr_assert_eq(to[i], want, "of 0x%x: 0x%x, not 0x%x", from[i], to[i],
                     want);
    }
}

struct results {
    uint32_t dw[COUNT];
    unsigned count;
};

static enum eu_msg_result
keep_results(struct eu_thread *t, const struct eu_message *m)
{
    struct results *r = t->user;
    if (m->mlen_grf == SENT_GRF && r->count < COUNT) {
        memcpy(r->dw + r->count, m->src0, SENT_GRF * EU_GRF_B);
        r->count += SENT_GRF * 8;
    }
    return EU_MSG_OK;
}

struct fixture {
    struct eu_thread t;
    const struct eu_kernel *kernel;
    struct eu_jit *jit;
    struct eu_start start;
    struct results out;
    uint32_t in[COUNT];
    unsigned count;
};

static void
begin(struct fixture *f, bool keep)
{
    if (cpu_selected() < CPU_AVX512)
        cr_skip_test("the host lacks the instruction set");
    f->kernel = eu_kernel_get(kernel_sqrt, sizeof kernel_sqrt, EU_GEN9);
    f->jit = eu_jit_compile(f->kernel, CPU_AVX512,
                            EU_JIT_ROOTS | (keep ? EU_JIT_DENORMALS : 0u));
    cr_assert_not_null(f->jit);
    f->start = (struct eu_start){.kernel = f->kernel,
                                 .simd = 16,
                                 .dispatch_mask = 0xffff,
                                 .vector_mask = 0xffff,
                                 .denorm_f_retain = keep,
                                 .send = keep_results,
                                 .user = &f->out};
    f->count = 0;
}

static void
run(struct fixture *f)
{
    eu_thread_init(&f->t, &f->start);
    memcpy(f->t.grf + FROM_GRF * EU_GRF_B, f->in, sizeof f->in);
    eu_thread_update_mxcsr(&f->t);
    f->out.count = 0;
    eu_jit_execute(f->jit, &f->t, 1000);
    cr_assert_eq(f->out.count, COUNT);
    expect_roots(f->in, f->out.dw);
    fpmode_set(FPMODE_DEFAULT);
    f->count = 0;
}

static void
add(struct fixture *f, uint32_t number)
{
    f->in[f->count++] = number;
    if (f->count == COUNT)
        run(f);
}

static void
end(struct fixture *f)
{
    while (f->count)
        add(f, 0);
    eu_jit_free(f->jit);
    eu_kernel_unref(f->kernel);
}

static struct fixture fixture;

Test(roots, of_all_mantissas)
{
    struct fixture *f = &fixture;
    begin(f, false);
    for (uint32_t i = 0x3f800000; i < 0x40800000; i++)
        add(f, i);
    end(f);
}

static void
all_exponents(bool keep)
{
    struct fixture *f = &fixture;
    uint32_t seed = 1;
    begin(f, keep);
    for (uint32_t e = 0; e < 512; e++) {
        for (uint32_t m = 0; m < 64; m++) {
            add(f, e << 23 | m);
            add(f, e << 23 | (0x7fffff - m));
            add(f, e << 23 | (0x3fffe0 + m));
            add(f, e << 23 | 1u << m % 23);
            seed = seed * 1664525 + 1013904223;
            add(f, e << 23 | seed >> 9);
        }
    }
    end(f);
}

Test(roots, of_all_exponents)
{
    all_exponents(false);
}

Test(roots, of_all_exponents_with_denormals)
{
    all_exponents(true);
}
