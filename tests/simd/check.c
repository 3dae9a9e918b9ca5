/* check.c: runs the rows of check.h.
 *
 * usage: check [--list] [--test=PATTERN] [--bench[=PATTERN]] [--seed N]
 *
 * Compares each kernel that this processor has with its reference, and prints
 * TAP. SOFTLAKE_CPU leaves out later instruction sets. --list prints kernel,
 * instruction set, reference and translation unit of each row. --bench prints
 * core cycles per call instead: the reference, and each kernel with its
 * speed-up. PATTERN is a shell's, for a kernel or a family. */
#include "check.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/fpmode.h"

static const struct check_family *const families[] = {
    &check_avc_recon,       &check_coverage,
    &check_depth,           &check_direct,
    &check_fast_ops,        &check_footprint,
    &check_gather_scatter,  &check_interpolate,
    &check_mfx_idct,        &check_rt,
    &check_rt_sample_store, &check_sample,
    &check_small_triangle,  &check_typed_elements,
    &check_vue_transpose,
};

static const char *const isa_name[CHECK_ISAS] = {"scalar", "avx2", "avx512",
                                                 "vbmi"};
/* Values of SOFTLAKE_CPU; index: enum cpu_level. */
static const char *const level_name[] = {"sse4", "avx2", "avx512"};

static struct options {
    const char *test, *bench;
    uint32_t seed;
    bool list;
} options = {.test = "*", .seed = 1};

/* ---- inputs ---- */

static uint64_t random_state;

uint32_t
check_seed(void)
{
    return options.seed;
}

uint32_t
check_random(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) +
                   1442695040888963407;
    return (uint32_t)(random_state >> 32);
}

uint32_t
check_below(uint32_t n)
{
    return (uint32_t)((uint64_t)check_random() * n >> 32);
}

uint32_t
check_bits(void)
{
    static const uint32_t special[] = {
        0x7fc00000, 0xffc00001, 0x7f800001, 0xff812345, 0x7f800000, 0xff800000,
        0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x80000000,
        0x00000000, 0x4b189680, 0xcb189680, 0x3f800000, 0xbf800000, 0x3f7fffff};
    switch (check_below(4)) {
    case 0: return special[check_below(ARRAY_SIZE(special))];
    case 1: return check_random();
    default: return bits_from_float(((float)check_below(4000) - 2000) / 1000);
    }
}

float
check_float(void)
{
    return float_from_bits(check_bits());
}

uint16_t
check_mask(void)
{
    switch (check_below(4)) {
    case 0: return (uint16_t)check_random();
    case 1:
        return (uint16_t)(0xffff << check_below(16) &
                          0xffff >> check_below(16));
    case 2: return (uint16_t)(1u << check_below(16));
    default: return 0xffff;
    }
}

uint8_t *
check_room(size_t size_B)
{
    const size_t page_B = 4096;
    uint8_t *p = mmap(NULL, size_B + 2 * page_B, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check_that(p != MAP_FAILED);
    check_eq(mprotect(p + page_B, size_B, PROT_READ | PROT_WRITE), 0);
    return p + page_B;
}

/* ---- comparing ---- */

static sigjmp_buf row_end;
static char failure[400];

void
check_fail(const char *file, int line, const char *what, const char *format,
           ...)
{
    va_list args;
    int used = snprintf(failure, sizeof failure, "%s:%d: %s:", file, line,
                        what);
    fpmode_set(FPMODE_DEFAULT);
    va_start(args, format);
    if (used >= 0 && (size_t)used < sizeof failure)
        vsnprintf(failure + used, sizeof failure - (size_t)used, format, args);
    va_end(args);
    siglongjmp(row_end, 1);
}

static void
end_by_signal(int sig)
{
    strcpy(failure, "the kernel raised signal 00");
    failure[25] = (char)('0' + sig / 10 % 10);
    failure[26] = (char)('0' + sig % 10);
    siglongjmp(row_end, 1);
}

/* Sanitizers keep their own handlers, which tell more. */
static void
catch_signals(void)
{
    static const int sigs[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    for (unsigned i = 0; i < ARRAY_SIZE(sigs); i++) {
        struct sigaction old, catcher = {.sa_handler = end_by_signal};
        sigaction(sigs[i], NULL, &old);
        if (!(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
            sigaction(sigs[i], &catcher, NULL);
    }
}

static enum cpu_level
level_of(enum check_isa isa)
{
    return isa == CHECK_AVX2     ? CPU_AVX2
           : isa == CHECK_SCALAR ? CPU_SSE4
                                 : CPU_AVX512;
}

static bool
processor_has(enum check_isa isa)
{
    return cpu_selected() >= level_of(isa) &&
           (isa != CHECK_VBMI || (__builtin_cpu_supports("avx512vbmi") &&
                                  __builtin_cpu_supports("avx512vnni")));
}

static bool
compare_row(const struct check_row *row, unsigned number)
{
    static volatile bool ok;
    random_state = options.seed;
    ok = false;
    if (!sigsetjmp(row_end, 1)) {
        row->compare(row->isa);
        ok = true;
    }
    fpmode_set(FPMODE_DEFAULT);
    printf("%s %u - %s %s against %s\n", ok ? "ok" : "not ok", number,
           row->kernel, isa_name[row->isa], row->reference);
    if (!ok)
        printf("# %s (seed %u)\n", failure, options.seed);
    return ok;
}

/* Calls fn for the rows of a level that --test selects; returns how many. */
typedef void row_fn(const struct check_row *row, void *arg);

static unsigned
each_row(enum cpu_level level, row_fn *fn, void *arg)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(families); i++) {
        for (unsigned k = 0; k < families[i]->count; k++) {
            const struct check_row *row = &families[i]->row[k];
            if (level_of(row->isa) != level ||
                (fnmatch(options.test, row->kernel, 0) &&
                 fnmatch(options.test, families[i]->stem, 0)))
                continue;
            if (fn)
                fn(row, arg);
            count++;
        }
    }
    return count;
}

struct progress {
    unsigned number;
    bool failed, left_out;
};

static void
take_row(const struct check_row *row, void *arg)
{
    struct progress *p = arg;
    p->number++;
    if (p->left_out || !processor_has(row->isa))
        printf("ok %u - %s %s # SKIP not on this processor\n", p->number,
               row->kernel, isa_name[row->isa]);
    else if (!compare_row(row, p->number))
        p->failed = true;
    fflush(stdout);
}

/* In a process of its own, because a process selects its level once. */
static bool
compare_level(enum cpu_level level, unsigned first, bool left_out)
{
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        struct progress p = {.number = first, .left_out = left_out};
        setenv("SOFTLAKE_CPU", level_name[level], 1);
        catch_signals();
        each_row(level, take_row, &p);
        exit(p.failed);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        printf("Bail out! the process of %s died\n", level_name[level]);
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool
compare_all(void)
{
    const char *most = getenv("SOFTLAKE_CPU");
    unsigned count = 0, first = 0;
    bool ok = true, left_out = false;
    for (enum cpu_level level = CPU_SSE4; level <= CPU_AVX512; level++)
        count += each_row(level, NULL, NULL);
    printf("1..%u\n", count);
    for (enum cpu_level level = CPU_SSE4; level <= CPU_AVX512; level++) {
        ok &= compare_level(level, first, left_out);
        first += each_row(level, NULL, NULL);
        left_out |= most && !strcmp(most, level_name[level]);
    }
    return ok && count;
}

static void
list_row(const struct check_row *row, void *arg)
{
    printf("%-28s %-7s %-36s %s\n", row->kernel, isa_name[row->isa],
           row->reference, row->unit);
}

/* ---- timing ---- */

enum { TRIES = 60, CHAIN = 30000, IMUL_CYCLES = 3, VARIANTS = 128 };

static struct timing {
    double core_per_tick;
    const struct check_row *row;
    enum check_isa isa;
    unsigned variants;
    struct {
        char variant[40];
        double cycles;
    } reference[VARIANTS];
} timing;

/* The time stamp counter against dependent multiplications. */
static void
calibrate(void)
{
    for (unsigned r = 0; r < TRIES; r++) {
        uint64_t x = r + 3, from = __rdtsc();
        for (unsigned i = 0; i < CHAIN; i++)
            __asm__ volatile("imul %0, %0" : "+r"(x));
        double v = CHAIN * (double)IMUL_CYCLES / (double)(__rdtsc() - from);
        timing.core_per_tick = MAX2(timing.core_per_tick, v);
    }
}

/* Remembers the reference's time; prints how much faster a kernel is. */
static void
note_time(const char *variant, double cycles)
{
    unsigned n = 0;
    if (timing.isa == CHECK_SCALAR && timing.variants < VARIANTS) {
        n = timing.variants++;
        snprintf(timing.reference[n].variant, sizeof timing.reference->variant,
                 "%s", variant);
        timing.reference[n].cycles = cycles;
        return;
    }
    while (n < timing.variants && strcmp(timing.reference[n].variant, variant))
        n++;
    if (n < timing.variants)
        printf(" %7.2fx", timing.reference[n].cycles / cycles);
}

void
check_time(const char *variant, void (*run)(void *arg), void *arg,
           unsigned calls)
{
    double best = 1e30;
    for (unsigned t = 0; t < TRIES; t++) {
        uint64_t from = __rdtsc();
        run(arg);
        best = MIN2(best, (double)(__rdtsc() - from));
    }
    best *= timing.core_per_tick / calls;
    printf("%-28s %-26s %-7s %10.1f", timing.row->kernel, variant,
           isa_name[timing.isa], best);
    note_time(variant, best);
    printf("\n");
    fflush(stdout);
}

static void
bench_row(const struct check_row *row, enum check_isa isa)
{
    timing.row = row;
    timing.isa = isa;
    if (isa == CHECK_SCALAR)
        timing.variants = 0;
    random_state = options.seed;
    row->bench(isa);
}

static void
bench_family(const struct check_family *family)
{
    const char *last = "";
    for (unsigned k = 0; k < family->count; k++) {
        const struct check_row *row = &family->row[k];
        if (!row->bench || (fnmatch(options.bench, row->kernel, 0) &&
                            fnmatch(options.bench, family->stem, 0)))
            continue;
        if (strcmp(last, row->kernel))
            bench_row(row, CHECK_SCALAR);
        last = row->kernel;
        if (row->isa != CHECK_SCALAR && processor_has(row->isa))
            bench_row(row, row->isa);
    }
}

static bool
bench_all(void)
{
    calibrate();
    if (sigsetjmp(row_end, 1)) {
        printf("%s\n", failure);
        return false;
    }
    printf("%-28s %-26s %-7s %10s\n", "kernel", "variant", "isa",
           "core cycles per call");
    for (unsigned i = 0; i < ARRAY_SIZE(families); i++)
        bench_family(families[i]);
    return true;
}

static bool
parse_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list"))
            options.list = true;
        else if (!strncmp(argv[i], "--test=", 7))
            options.test = argv[i] + 7;
        else if (!strcmp(argv[i], "--bench"))
            options.bench = "*";
        else if (!strncmp(argv[i], "--bench=", 8))
            options.bench = argv[i] + 8;
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            options.seed = (uint32_t)strtoul(argv[++i], NULL, 0);
        else
            return false;
    }
    return true;
}

int
main(int argc, char **argv)
{
    if (!parse_options(argc, argv)) {
        fprintf(stderr,
                "usage: %s [--list] [--test=PATTERN] "
                "[--bench[=PATTERN]] [--seed N]\n",
                argv[0]);
        return 2;
    }
    if (options.list) {
        for (enum cpu_level level = CPU_SSE4; level <= CPU_AVX512; level++)
            each_row(level, list_row, NULL);
        return 0;
    }
    return options.bench ? !bench_all() : !compare_all();
}
