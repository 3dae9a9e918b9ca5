/* kernels.c: cycles per executed EU instruction, for each tier, on real
 * shaders.
 *
 * usage: kernels [NAME...]
 *
 * A function that writes constants answers messages. A run writes a thread's
 * payload, starts the thread, and executes it to its EOT. Pixel shaders run in
 * the rasterizer's own loop and leave their colours in memory. A sample is many
 * runs between two readings of the time stamp counter. Samples of two kernels
 * that are compared alternate. Cycles are the core's: after each sample the
 * counter is calibrated against chains of dependent multiplications. Processors
 * may run slower while they compute with 512 bits, and for a while after that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#include "engine/raster/shade/interpolate.h"
#include "eu/jit/jit.h"
#include "eu/tiers/kernel.h"
#include "eu/tiers/tiers.h"
#include "kernels_code.h"

#define SAMPLES 41
#define SAMPLE_CYCLES 500000
#define CHAIN 2000
#define CHAINS 3 /* one may be interrupted */
#define IMUL_CYCLES 3
#define BUDGET 100000000
#define MAX_MESSAGES 4096
#define PART_MASK 0x0fff /* one quad is off */
#define BATCH 32         /* pixel shader threads that run in one go */

static _Alignas(64) float payload[EU_GRF_COUNT * 8];
static _Alignas(64) float values[32 * 8]; /* contents of answers */

/* How to run a kernel; jit == NULL: interpreted. */
struct way {
    const struct eu_kernel *k;
    const struct eu_jit *jit;
    const struct interpolate_ops *ops;
    uint32_t mask;
    bool bare;     /* without a payload */
    unsigned runs; /* in a sample */
};

/* How threads of one kernel start. */
struct starter {
    struct eu_launch launch;
    const struct interpolate_ops *ops;
    /* Registers that threads overwrite, and for pixel shaders the registers
     * that stay. Pixel shaders compute their weights at their start. */
    struct grf_copy copy[EU_GRF_COUNT], stay[EU_GRF_COUNT];
    unsigned copies, stays;
    bool weighs;
};

struct samples {
    double median, min;
};

/* The instructions that a kernel executes. */
struct profile {
    unsigned insns, vectors; /* computing, of eight lanes and more */
    unsigned messages;
    uint32_t code[MAX_MESSAGES][4]; /* the messages alone, in their order */
};

/* With stores as wide as the loads that follow. */
static enum eu_msg_result
answer(struct eu_thread *t, const struct eu_message *m)
{
    const struct interpolate_ops *ops = t->user;
    const struct grf_copy copy = {.from = (const uint8_t *)values,
                                  .count = (uint8_t)m->rlen_grf};
    if (m->sfid == EU_SFID_GATEWAY)
        t->n0[0]++; /* the only thread of its group */
    if (m->rlen_grf)
        ops->copy((uint8_t *)m->dst, &copy, 1, 0);
    return EU_MSG_OK;
}

static bool
has(const uint32_t set[4], unsigned grf)
{
    return set[grf / 32] >> grf % 32 & 1;
}

static void
add_copy(struct grf_copy *copy, unsigned *count, unsigned grf)
{
    struct grf_copy *last = *count ? &copy[*count - 1] : NULL;
    if (last && last->grf + last->count == grf)
        last->count++;
    else
        copy[(*count)++] = (struct grf_copy){
            .from = (const uint8_t *)(payload + grf * 8),
            .grf = (uint8_t)grf,
            .count = 1};
}

/* Registers that are read before they are written, in runs. */
static void
find_copies(struct starter *s)
{
    const struct eu_launch *l = &s->launch;
    s->weighs = l->chain_grf &&
                eu_kernel_live_in(l->start.kernel)->captures_rt_write;
    for (unsigned g = 0; g < EU_GRF_COUNT; g++) {
        if (!has(l->live_in, g) ||
            (s->weighs && g - l->chain_grf < EU_CHAIN_GRF))
            continue;
        if (s->weighs && !has(l->written, g))
            add_copy(s->stay, &s->stays, g);
        else
            add_copy(s->copy, &s->copies, g);
    }
}

static void
prepare(struct starter *s, const struct way *w)
{
    struct eu_start begin = {.kernel = w->k, .simd = 16, .send = answer};
    eu_launch_init(&s->launch, &begin);
    if (w->jit)
        eu_jit_launch(w->jit, &s->launch);
    s->ops = w->ops;
    s->copies = s->stays = 0;
    s->weighs = false;
    if (!w->bare)
        find_copies(s);
}

static void
start(struct eu_thread *t, const struct starter *s)
{
    t->user = (void *)s->ops;
    s->ops->copy(t->grf, s->copy, s->copies, 0);
}

static void
make_payload(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
        values[i] = 0.4375f;
    for (unsigned i = 0; i < EU_GRF_COUNT * 8; i++)
        payload[i] = 0.1f + 0.8f * (float)(i * 37 % 101) / 101.0f;
}

/* ---- samples ---- */

static int
compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static struct samples
summarise(double *v, unsigned count)
{
    qsort(v, count, sizeof *v, compare);
    return (struct samples){.median = v[count / 2], .min = v[0]};
}

static double
core_per_tick(void)
{
    double best = 0;
    for (unsigned r = 0; r < CHAINS; r++) {
        uint64_t x = r + 3, from = __rdtsc();
        for (unsigned i = 0; i < CHAIN; i++)
            __asm__ volatile("imul %0, %0" : "+r"(x));
        best = MAX2(best,
                    CHAIN * (double)IMUL_CYCLES / (double)(__rdtsc() - from));
    }
    return best;
}

/* ---- runs ---- */

static void
run_threads(const struct starter *s, const struct way *w)
{
    static struct eu_thread t;
    for (unsigned r = 0; r < w->runs; r++) {
        start(&t, s);
        eu_launch_run(&s->launch, &t, w->mask, w->mask, BUDGET);
    }
}

static void
run_batches(const struct starter *s, const struct way *w)
{
    static struct eu_thread t[EU_CHAIN_THREADS];
    static const struct plane b1 = {0.1, 0.3, 0.2}, b2 = {0.2, 0.1, 0.4};
    static _Alignas(64) uint32_t color[BATCH][4][16];
    static uint16_t masks[BATCH];
    static struct eu_chain_entry rows[BATCH];
    static struct tile_centres centres = {.x_px = -1, .y_px = -1};
    struct row_copies rest;
    unsigned stored;
    struct batch_block block[BATCH];
    const struct run_weights weights = {
        .b1 = &b1, .b2 = &b2, .grf = (uint8_t)s->launch.chain_grf};
    t[0].user = (void *)s->ops;
    s->ops->copy(t[0].grf, s->stay, s->stays, 0);
    for (unsigned n = 0; n < BATCH; n++)
        block[n] = (struct batch_block){.x = (int32_t)n * 4,
                                        .live = (uint16_t)w->mask,
                                        .helper = (uint16_t)w->mask};
    struct thread_run run = {.launch = &s->launch,
                             .thread = t,
                             .weights = s->weighs ? &weights : NULL,
                             .copy = s->copy,
                             .copies = s->copies,
                             .block = block,
                             .row = rows,
                             .rest = &rest,
                             .stored = &stored,
                             .centres = &centres,
                             .color = color,
                             .mask = masks};
    for (unsigned left = w->runs; left;) {
        unsigned n = MIN2(left, BATCH);
        int64_t budget = BUDGET;
        if (s->ops->run(&run, 0, n, &budget) != n)
            abort();
        left -= n;
    }
}

static double
sample(const struct way *w)
{
    static struct starter s;
    prepare(&s, w);
    bool catches = w->jit && eu_kernel_live_in(w->k)->captures_rt_write;
    uint32_t before = eu_launch_begin(&s.launch);
    uint64_t from = __rdtsc();
    if (catches)
        run_batches(&s, w);
    else
        run_threads(&s, w);
    uint64_t ticks = __rdtsc() - from;
    eu_launch_end(&s.launch, before);
    return (double)ticks * core_per_tick() / w->runs;
}

static void
choose_runs(struct way *w)
{
    w->runs = 1;
    sample(w);
    w->runs = (unsigned)(1 + SAMPLE_CYCLES / (sample(w) + 1));
}

/* Core cycles of a run, and its difference to another run. */
struct cost {
    struct samples run, extra;
};

static struct cost
measure(struct way a, struct way b)
{
    double run[SAMPLES], extra[SAMPLES];
    choose_runs(&a);
    choose_runs(&b);
    double best = 1e30;
    for (unsigned s = 0; s < SAMPLES; s++) {
        run[s] = sample(&a);
        double other = sample(&b);
        extra[s] = run[s] - other;
        best = MIN2(best, other);
    }
    struct cost c = {summarise(run, SAMPLES), summarise(extra, SAMPLES)};
    c.extra.min = c.run.min - best;
    return c;
}

/* Steps through one run. */
static bool
observe(struct profile *p, const struct eu_kernel *k)
{
    static struct eu_thread t;
    static struct starter s;
    memset(p, 0, sizeof *p);
    const struct way way = {.k = k, .ops = &interpolate_ops_ref};
    prepare(&s, &way);
    start(&t, &s);
    eu_launch_start(&s.launch, &t, UINT32_MAX, UINT32_MAX);
    do {
        const struct eu_insn *insn = k->ops[k->op_of[t.ip / 8]].insn;
        if (insn->opcode >= EU_OP_SEND && insn->opcode <= EU_OP_SENDSC) {
            if (p->messages == MAX_MESSAGES)
                return false;
            memcpy(p->code[p->messages++], insn->raw, 16);
        } else if (!eu_flow_fn(insn->opcode) && insn->opcode != EU_OP_WAIT &&
                   insn->opcode != EU_OP_NOP) {
            p->vectors += insn->exec_size >= 8;
        }
    } while (eu_run(&t, 1) == EU_RUNNING || t.status == EU_WAITING);
    p->insns = (unsigned)t.insn_count;
    return t.status == EU_FINISHED;
}

/* Measures a kernel, and its messages alone. */
static struct cost
measure_alu(struct way way, const struct eu_kernel *messages,
            const struct eu_jit *alone)
{
    struct way bare = way;
    bare.k = messages;
    bare.jit = alone;
    bare.bare = true;
    return measure(way, bare);
}

static void
print_run(const struct profile *p, const struct eu_kernel *k,
          const struct eu_kernel *messages, enum cpu_level cpu)
{
    struct eu_jit *jit = eu_jit_compile(k, cpu, 0);
    struct eu_jit *alone = eu_jit_compile(messages, cpu, 0);
    if (jit && alone) {
        struct way way = {.k = k,
                          .jit = jit,
                          .ops = cpu == CPU_AVX512 ? &interpolate_ops_avx512
                                                   : &interpolate_ops_avx2,
                          .mask = UINT32_MAX};
        struct cost c = measure_alu(way, messages, alone);
        way.mask = PART_MASK;
        struct cost part = measure_alu(way, messages, alone);
        printf(" %8.0f %6.2f %6.2f %6.2f %6.2f", c.run.median,
               c.run.median / p->insns, c.extra.median / p->vectors,
               c.extra.min / p->vectors, part.extra.median / p->vectors);
    } else {
        printf("        -      -      -      -      -");
    }
    eu_jit_free(jit);
    eu_jit_free(alone);
}

static void
report_run(const char *name, const uint32_t *code, size_t size_B)
{
    static struct profile p;
    const struct eu_kernel *k = eu_kernel_get(code, size_B, EU_GEN9);
    if (!k || !observe(&p, k)) {
        printf("%-15s does not run\n", name);
        return;
    }
    const struct eu_kernel *messages = eu_kernel_get(p.code, p.messages * 16,
                                                     EU_GEN9);
    struct way way = {.k = k, .ops = &interpolate_ops_ref, .mask = UINT32_MAX};
    struct cost c = measure_alu(way, messages, NULL);
    printf("%-15s %6u %6u %5u %6.2f %6.2f", name, p.insns, p.vectors,
           p.messages, c.run.median / p.insns, c.extra.median / p.vectors);
    for (enum cpu_level cpu = CPU_AVX512; cpu >= CPU_AVX2; cpu--)
        if (cpu <= cpu_selected())
            print_run(&p, k, messages, cpu);
    printf("\n");
    eu_kernel_unref(messages);
    eu_kernel_unref(k);
}

/* ---- compiling ---- */

static double
now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static struct samples
build_us(const uint32_t *code, size_t size_B)
{
    double v[SAMPLES];
    for (unsigned s = 0; s < SAMPLES; s++) {
        double from = now_us();
        struct eu_kernel *k = eu_kernel_build(code, size_B, EU_GEN9);
        v[s] = now_us() - from;
        eu_kernel_free(k);
    }
    return summarise(v, SAMPLES);
}

/* Compile times: for threads with all channels on, and for others. */
static void
compile_us(const struct eu_kernel *k, enum cpu_level cpu, struct samples us[2])
{
    double full[SAMPLES], masked[SAMPLES];
    struct eu_jit *jit[SAMPLES]; /* all kept: no memory is used again */
    for (unsigned s = 0; s < SAMPLES; s++) {
        double from = now_us();
        jit[s] = eu_jit_compile(k, cpu, 0);
        double middle = now_us();
        eu_jit_complete(jit[s]);
        masked[s] = now_us() - middle;
        full[s] = middle - from;
    }
    for (unsigned s = 0; s < SAMPLES; s++)
        eu_jit_free(jit[s]);
    us[0] = summarise(full, SAMPLES);
    us[1] = summarise(masked, SAMPLES);
}

static void
report_compile(const char *name, const uint32_t *code, size_t size_B)
{
    struct samples build = build_us(code, size_B);
    const struct eu_kernel *k = eu_kernel_get(code, size_B, EU_GEN9);
    double thousands = k->insn_count / 1000.0;
    printf("%-15s %6u %7.1f %7.1f", name, k->insn_count, build.median,
           build.median / thousands);
    for (enum cpu_level cpu = CPU_AVX512; cpu >= CPU_AVX2; cpu--) {
        struct eu_jit *jit = cpu > cpu_selected() ? NULL
                                                  : eu_jit_compile(k, cpu, 0);
        if (!jit)
            continue;
        struct eu_jit_info info = eu_jit_info(jit);
        struct samples us[2];
        compile_us(k, cpu, us);
        printf(" %8.1f %6.1f %6.1f %7.1f %6u %5.1f%%", us[0].median, us[0].min,
               us[0].median / thousands, us[1].median / thousands, info.code_B,
               100.0 * info.native_count / info.op_count);
        eu_jit_free(jit);
    }
    printf("\n");
    eu_kernel_unref(k);
}

/* ---- tables ---- */

static void
print_run_header(void)
{
    printf(
        "Core cycles, at the clock that the core had during the sample.\n"
        "insns: executed by a run. vectors: those that compute, on eight "
        "lanes or more.\n"
        "run: cycles of a run, thread start, call and messages included "
        "(medians).\n"
        "/insn: the same per insns.\n"
        "ALU: (run - a run of the kernel's messages alone, without payload) / "
        "vectors:\n"
        "     median, minimum, with interp only the median; part: the median, "
        "with one\n"
        "     quad off.\n\n"
        "%-34s | interp      | AVX-512 %29s | AVX2\n"
        "%-15s %6s %6s %5s %6s %6s",
        "", "", "kernel", "insns", "vector", "msgs", "/insn", "ALU");
    for (unsigned i = 0; i < 2; i++)
        printf(" %8s %6s %6s %6s %6s", "run", "/insn", "ALU", "min", "part");
    printf("\n");
}

static void
print_compile_header(void)
{
    printf(
        "\nMicroseconds (medians; minima), in all and per 1000 "
        "instructions, for the code\nof threads with all channels on. "
        "part: the same for the code of the others, which is\nmade when one "
        "comes. Bytes of code; how many of the ops are compiled, not left to "
        "\nthe interpreter.\n"
        "%-15s %6s %7s %7s",
        "kernel", "insns", "decode", "/1000");
    for (unsigned i = 0; i < 2; i++)
        printf(" %8s %6s %6s %7s %6s %6s", i ? "AVX2" : "AVX-512", "min",
               "/1000", "part", "bytes", "native");
    printf("\n");
}

static bool
wanted(int argc, char **argv, const char *name)
{
    bool found = argc < 2;
    for (int i = 1; i < argc; i++)
        found |= !strcmp(argv[i], name);
    return found;
}

int
main(int argc, char **argv)
{
    setenv("SOFTLAKE_EU", "interp", 1); /* for eu_run() */
    make_payload();
    print_run_header();
#define X(name)                    \
    if (wanted(argc, argv, #name)) \
        report_run(#name, name##_code, sizeof name##_code);
    KERNELS(X)
#undef X
    print_compile_header();
#define X(name)                    \
    if (wanted(argc, argv, #name)) \
        report_compile(#name, name##_code, sizeof name##_code);
    KERNELS(X)
#undef X
    return 0;
}
