/* Cycles per executed EU instruction, for each tier, on real shaders.
 *
 * usage: kernels [NAME...]
 * Messages are answered by a function that writes constants, so this measures
 * the EU alone. A cycle is one of the time stamp counter. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#include "eu/jit/jit.h"
#include "eu/interp/fpmode.h"
#include "kernels_code.h"

#define REPEAT 5
#define RUNS 300

static enum eu_msg_result
answer(struct eu_thread *t, const struct eu_message *m)
{
    const float v = 0.4375f;
    for (unsigned i = 0; i < m->rlen_grf * 8u; i++)
        memcpy(m->dst + i, &v, 4);
    return EU_MSG_OK;
}

static void
start(struct eu_thread *t, const struct eu_kernel *k, uint32_t mask)
{
    struct eu_start s = {.kernel = k,
                         .simd = 16,
                         .dispatch_mask = mask,
                         .vector_mask = mask,
                         .send = answer};
    eu_thread_init(t, &s);
}

static void
payload(struct eu_thread *t)
{
    for (unsigned i = 0; i < EU_GRF_COUNT * 8; i++) {
        float v = 0.1f + 0.8f * (float)(i * 37 % 101) / 101.0f;
        memcpy(t->grf + i * 4, &v, 4);
    }
}

/* Best time of one run, in cycles; with jit == NULL interpreted. */
static double
measure(const struct eu_kernel *k, const struct eu_jit *jit, uint32_t mask)
{
    static struct eu_thread t;
    uint64_t best = UINT64_MAX;
    payload(&t);
    for (unsigned r = 0; r < REPEAT; r++) {
        uint64_t sum = 0;
        for (unsigned n = 0; n < RUNS; n++) {
            start(&t, k, mask);
            eu_thread_update_mxcsr(&t);
            uint64_t from = __rdtsc();
            if (jit)
                eu_jit_execute(jit, &t, 1000000);
            else
                eu_run(&t, 1000000);
            sum += __rdtsc() - from;
        }
        best = MIN2(best, sum);
    }
    fpmode_set(FPMODE_DEFAULT);
    return (double)best / RUNS;
}

static double
compile_us(const struct eu_kernel *k, enum eu_cpu cpu)
{
    struct timespec a, b;
    double best = 1e9;
    for (unsigned r = 0; r < 20; r++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        struct eu_jit *jit = eu_jit_compile(k, cpu, 0);
        clock_gettime(CLOCK_MONOTONIC, &b);
        eu_jit_free(jit);
        double us = (double)(b.tv_sec - a.tv_sec) * 1e6 +
                    (double)(b.tv_nsec - a.tv_nsec) * 1e-3;
        best = MIN2(best, us);
    }
    return best;
}

static void
report(const char *name, const uint32_t *code, size_t size_B)
{
    static struct eu_thread t;
    const struct eu_kernel *k = eu_kernel_get(code, size_B, EU_GEN9);
    if (!k)
        return;
    payload(&t);
    start(&t, k, UINT32_MAX);
    eu_run(&t, 1000000);
    double insns = (double)t.insn_count;
    printf("%-16s %6.0f %7.2f", name, insns,
           measure(k, NULL, UINT32_MAX) / insns);
    for (enum eu_cpu cpu = EU_CPU_AVX512; cpu >= EU_CPU_AVX2; cpu--) {
        struct eu_jit *jit = cpu > eu_cpu_selected()
                                 ? NULL
                                 : eu_jit_compile(k, cpu, 0);
        if (!jit) {
            printf("       -       -       -      -");
            continue;
        }
        struct eu_jit_info info = eu_jit_info(jit);
        printf(" %7.2f %7.2f %7.1f %5.1f%%",
               measure(k, jit, UINT32_MAX) / insns,
               measure(k, jit, 0x7fff) / insns, compile_us(k, cpu),
               100.0 * info.native_count / info.op_count);
        eu_jit_free(jit);
    }
    printf("\n");
    eu_kernel_unref(k);
}

int
main(int argc, char **argv)
{
    setenv("SOFTLAKE_EU", "interp", 1); /* for eu_run() */
    printf("cycles per instruction    interp  AVX-512 partial compile native"
           "    AVX2 partial compile native\n");
    printf("kernel            insns          all on    mask      us     %%"
           "  all on    mask      us     %%\n");
#define X(name)                                  \
    for (int i = 1; i < MAX2(argc, 2); i++)      \
        if (argc < 2 || !strcmp(argv[i], #name)) \
            report(#name, name##_code, sizeof name##_code);
    KERNELS(X)
#undef X
    return 0;
}
