/* machine.c: what one core of this machine can do at most, as scripts/bench
 * compares rows with it: multiply-adds of 32-bit floats of each instruction
 * set, and memory: copied (read and written bytes count), filled, read, as much
 * of it as the rows have. The best of some runs, in CPU time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"

#define RUNS 40
#define M1 ((size_t)1 << 20)

struct memory {
    char *from, *to; /* 16 MB each */
};

static double
cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double
copy_memory(const struct memory *m)
{
    memcpy(m->to, m->from, 4 * M1);
    __asm__ volatile("" ::: "memory");
    return 8.0 * M1;
}

static double
fill_memory(const struct memory *m)
{
    memset(m->to, 1, 4 * M1);
    __asm__ volatile("" ::: "memory");
    return 4.0 * M1;
}

static double
read_memory(const struct memory *m)
{
    /* It looks for a byte that is not there, with the host's best loads. */
    m->to[0] = memchr(m->from, 0, 16 * M1) != NULL;
    return 16.0 * M1;
}

#ifdef __x86_64__
static double
fma_avx2(const struct memory *m)
{
    (void)m;
    return __builtin_cpu_supports("avx2") ? machine_fma_avx2(100000) : 0;
}

static double
fma_avx512(const struct memory *m)
{
    (void)m;
    return __builtin_cpu_supports("avx512f") ? machine_fma_avx512(100000) : 0;
}
#endif

static const struct limit {
    const char *name;
    double (*run)(const struct memory *m); /* returns operations or bytes */
} limits[] = {
    {"copy", copy_memory},  {"fill", fill_memory},      {"read", read_memory},
#ifdef __x86_64__
    {"fma-avx2", fma_avx2}, {"fma-avx512", fma_avx512},
#endif
};

int
main(void)
{
    struct memory m = {malloc(16 * M1), malloc(16 * M1)};
    if (!m.from || !m.to)
        return 1;
    memset(m.from, 1, 16 * M1);
    memset(m.to, 0, 16 * M1);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        double best = 0;
        for (unsigned run = 0; run < RUNS; run++) {
            double start = cpu_s(), work = limits[i].run(&m);
            double speed = work / (cpu_s() - start);
            best = speed > best ? speed : best;
        }
        printf("%s %.4g\n", limits[i].name, best);
    }
    free(m.from);
    free(m.to);
    return 0;
}
