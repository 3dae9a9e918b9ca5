/* random_kernels.c: both tiers on kernel after kernel, each from its own seed.
 *
 *   random_kernels [--seed N] [--count N] [--cpu avx512|avx2] [--counts]
 *                  [--dump]
 *   random_kernels --corpus DIR [--seed N] [--count N]
 *
 * --counts compares executed instructions, too, and in three of four kernels
 * lanes and branches. The first difference ends the run: its seed is printed,
 * and the kernel with every instruction it does not need replaced by a NOP.
 * --corpus writes short kernels as inputs of fuzz_eu instead. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rk.h"

struct options {
    uint64_t seed, count;
    enum cpu_level cpu;
    bool dump, counts;
    const char *corpus;
};

struct totals {
    uint64_t run, refused, ops, native, whole, finished;
    uint64_t mode[RK_MODES];
};

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t
length_B(const struct rk *k, unsigned i)
{
    return (i + 1 < k->count ? k->at_B[i + 1] : k->size_B) - k->at_B[i];
}

static void
dump(const struct rk *k)
{
    printf("%s, SIMD%u, Gen%d, %u instructions\n", rk_mode_name(k->mode),
           k->simd, k->gen, k->count);
    for (unsigned i = 0; i < k->count; i++) {
        uint32_t at = k->at_B[i];
        struct eu_insn insn;
        char text[256] = "(no instruction)";
        const char *why = NULL;
        if (eu_decode(&insn, k->code + at, k->size_B - at, k->gen, &why)) {
            eu_disasm(text, sizeof text, &insn, k->gen);
            if (insn.opcode == EU_OP_NOP)
                continue;
            why = eu_validate(&insn, k->gen);
        }
        uint32_t dw[4] = {0};
        memcpy(dw, k->code + at, length_B(k, i));
        printf("%5x: %s%s%s\n       {0x%08x, 0x%08x, 0x%08x, 0x%08x},\n", at,
               text, why ? "  // " : "", why ? why : "", dw[0], dw[1], dw[2],
               dw[3]);
    }
}

static void
blank(struct rk *k, unsigned i)
{
    uint32_t nop = EU_OP_NOP | (length_B(k, i) == 8 ? 1u << 29 : 0);
    memset(k->code + k->at_B[i], 0, length_B(k, i));
    memcpy(k->code + k->at_B[i], &nop, 4);
}

/* Fewer and fewer instructions at a time, as long as the tiers differ. */
static void
shrink(struct rk *k, const struct options *o, uint64_t seed)
{
    char text[512];
    static struct rk smaller;
    struct rk_result r;
    for (unsigned step = k->count / 2; step; step /= 2) {
        for (unsigned from = 0; from < k->count; from += step) {
            smaller = *k;
            for (unsigned i = from; i < MIN2(from + step, k->count); i++)
                blank(&smaller, i);
            if (!rk_run(&smaller, seed, o->cpu, &r, text, sizeof text))
                *k = smaller;
        }
    }
}

static void
report(struct rk *k, const struct options *o, uint64_t seed, char *text,
       size_t text_size)
{
    struct rk_result r;
    printf("seed %llu: %s\n", (unsigned long long)seed, text);
    shrink(k, o, seed);
    rk_run(k, seed, o->cpu, &r, text, text_size);
    printf("what is needed: %s\n", text);
    dump(k);
}

/* Writes an input of fuzz_eu, in the format that fuzz_eu.c describes. */
static bool
write_input(const struct options *o, uint64_t seed)
{
    static struct rk k;
    char path[4096];
    rk_make(&k, seed);
    if (k.size_B > 600)
        return true;
    uint8_t head[2] = {
        (uint8_t)((k.gen == EU_GEN8) | (seed & 1) << 1 | (k.simd / 16) << 2),
        (uint8_t)seed};
    snprintf(path, sizeof path, "%s/%llu", o->corpus, (unsigned long long)seed);
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool ok = fwrite(head, sizeof head, 1, f) == 1 &&
              fwrite(k.code, k.size_B, 1, f) == 1;
    return fclose(f) == 0 && ok;
}

static bool
run_one(const struct options *o, uint64_t seed, struct totals *t)
{
    static struct rk k;
    char text[512];
    struct rk_result r;
    rk_make(&k, seed);
    k.counts = o->counts;
    k.lanes = o->counts && seed % 4;
    if (o->dump)
        dump(&k);
    if (!rk_run(&k, seed, o->cpu, &r, text, sizeof text)) {
        report(&k, o, seed, text, sizeof text);
        return false;
    }
    t->run++;
    t->mode[k.mode]++;
    t->refused += !r.built;
    t->ops += r.op_count;
    t->native += r.native_count;
    t->whole += k.mode == RK_WHOLE;
    t->finished += r.finished;
    return true;
}

static void
print(const struct totals *t, double seconds)
{
    printf("%llu kernels, %.0f a second", (unsigned long long)t->run,
           (double)t->run / seconds);
    for (unsigned m = 0; m < RK_MODES; m++)
        printf(", %llu %s", (unsigned long long)t->mode[m],
               rk_mode_name((enum rk_mode)m));
    printf("; %llu refused; %.1f%% of %llu instructions native; %.1f%% of "
           "whole kernels end\n",
           (unsigned long long)t->refused,
           100.0 * (double)t->native / (double)MAX2(t->ops, 1),
           (unsigned long long)t->ops,
           100.0 * (double)t->finished / (double)MAX2(t->whole, 1));
    fflush(stdout);
}

static bool
parse(struct options *o, int argc, char **argv)
{
    static const struct option longs[] = {
        {"seed", required_argument, NULL, 's'},
        {"count", required_argument, NULL, 'n'},
        {"cpu", required_argument, NULL, 'c'},
        {"dump", no_argument, NULL, 'd'},
        {"counts", no_argument, NULL, 'p'},
        {"corpus", required_argument, NULL, 'w'},
        {0},
    };
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        switch (c) {
        case 's': o->seed = strtoull(optarg, NULL, 0); break;
        case 'n': o->count = strtoull(optarg, NULL, 0); break;
        case 'd': o->dump = true; break;
        case 'p': o->counts = true; break;
        case 'w': o->corpus = optarg; break;
        case 'c':
            if (strcmp(optarg, "avx512") && strcmp(optarg, "avx2"))
                return false;
            o->cpu = strcmp(optarg, "avx2") ? CPU_AVX512 : CPU_AVX2;
            break;
        default: return false;
        }
    }
    return optind == argc;
}

int
main(int argc, char **argv)
{
    struct options o = {.seed = 1, .count = 10000, .cpu = cpu_selected()};
    struct totals t = {0};
    if (!parse(&o, argc, argv)) {
        fprintf(stderr, "usage: random_kernels [--seed N] [--count N] "
                        "[--cpu avx512|avx2] [--counts] [--dump]\n"
                        "       random_kernels --corpus DIR ...\n");
        return 2;
    }
    if (o.cpu > cpu_selected() || o.cpu == CPU_SSE4) {
        fprintf(stderr, "random_kernels: not on this CPU\n");
        return 77;
    }
    for (uint64_t i = 0; o.corpus && i < o.count; i++)
        if (!write_input(&o, o.seed + i))
            return 1;
    if (o.corpus)
        return 0;
    double begin = now(), said = begin;
    for (uint64_t i = 0; i < o.count; i++) {
        if (!run_one(&o, o.seed + i, &t))
            return 1;
        if (i % 256 == 0 && now() - said > 10) {
            said = now();
            print(&t, said - begin);
        }
    }
    print(&t, now() - begin);
    return 0;
}
