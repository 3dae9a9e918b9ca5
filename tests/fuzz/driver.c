/* driver.c: main() of a fuzz target without libFuzzer.
 *
 *   TARGET FILE|DIR...            runs each input once
 *   TARGET -max_total_time=S [-seed=N] [-runs=N] [-timeout=S]
 *          [-artifact_prefix=P] FILE|DIR...
 *                                 runs inputs made from these ones at random
 *
 * The flags and the lines that it prints are libFuzzer's, as far as
 * scripts/fuzz needs them. Nothing guides the choice of inputs, so this finds
 * less per execution; but it takes any compiler, and the build that the unit
 * tests have. The input of the moment is kept in a file, because nothing could
 * write it once the process has died. */
#include "driver.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define STATUS_HANG 70 /* as libFuzzer's */
#define WAIT_FACTOR 4

static struct {
    double seconds, timeout_s;
    uint64_t seed, runs;
    const char *prefix;
} options = {.timeout_s = 60, .seed = 1, .prefix = "./"};

static struct corpus corpus;

static double
clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double
now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

/* ------------------------------------------------------------------------
 * Inputs of the command line */

static void
load_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(INPUT_MAX_B);
    if (f && data) {
        size_t size_B = fread(data, 1, INPUT_MAX_B, f);
        if (!ferror(f))
            corpus_add(&corpus, data, size_B);
    }
    free(data);
    if (f)
        fclose(f);
}

static void
load(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) {
        load_file(path);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        char file[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        load_file(file);
    }
    closedir(dir);
}

/* ------------------------------------------------------------------------
 * Runs */

/* 0: none runs. */
static _Atomic double run_began_s, run_began_cpu_s;

/* A buffer of exactly this size, so that sanitizers notice reads beyond the
 * end. */
static void
run_one(const uint8_t *data, size_t size_B)
{
    uint8_t *exact = malloc(size_B ? size_B : 1);
    if (!exact)
        return;
    if (size_B)
        memcpy(exact, data, size_B);
    run_began_cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    run_began_s = now_s();
    LLVMFuzzerTestOneInput(exact, size_B);
    run_began_s = 0;
    free(exact);
}

static void
on_tick(int sig)
{
    static const char text[] = "ERROR: driver: timeout\n";
    double began_s = run_began_s, cpu_s = run_began_cpu_s;
    /* Processor time: a loaded machine is no hang. Waits get more. */
    if (began_s == 0 ||
        (clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s < options.timeout_s &&
         now_s() - began_s < WAIT_FACTOR * options.timeout_s))
        return;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(STATUS_HANG + 1);
    _exit(STATUS_HANG);
}

static void
start_clock(void)
{
    struct sigaction sa = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    struct itimerval second = {{1, 0}, {1, 0}};
    sigaction(SIGALRM, &sa, NULL);
    setitimer(ITIMER_REAL, &second, NULL);
}

/* The file of the input of the moment: its size, then its bytes. */
struct current {
    uint64_t size_B;
    uint8_t data[INPUT_MAX_B];
};

static struct current *
map_current(char *path, size_t path_B)
{
    snprintf(path, path_B, "%scurrent-%d", options.prefix, (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || ftruncate(fd, sizeof(struct current)))
        return NULL;
    void *p = mmap(NULL, sizeof(struct current), PROT_READ | PROT_WRITE,
                   MAP_SHARED, fd, 0);
    close(fd);
    return p == MAP_FAILED ? NULL : p;
}

static void
print_pulse(uint64_t done, double took_s)
{
    fprintf(stderr, "#%llu\tpulse  exec/s: %.0f\n", (unsigned long long)done,
            (double)done / (took_s > 0 ? took_s : 1));
}

static void
print_totals(uint64_t done, double took_s)
{
    fprintf(stderr,
            "stat::number_of_executed_units: %llu\n"
            "stat::average_exec_per_sec:     %.0f\n",
            (unsigned long long)done, (double)done / (took_s > 0 ? took_s : 1));
}

static int
run_mutants(void)
{
    char path[4096];
    struct current *current = map_current(path, sizeof path);
    struct mutator m = {.state = options.seed, .corpus = &corpus};
    double began_s = now_s(), printed_s = began_s, at_s = began_s;
    uint64_t done = 0;
    if (!current) {
        fprintf(stderr, "cannot write %s\n", path);
        return 1;
    }
    start_clock();
    while ((!options.seconds || at_s - began_s < options.seconds) &&
           (!options.runs || done < options.runs)) {
        /* Each input of the corpus as it is, first. */
        current->size_B = done < corpus.count
                              ? corpus_copy(&corpus, done, current->data)
                              : mutant_make(&m, current->data);
        run_one(current->data, current->size_B);
        done++;
        at_s = now_s();
        if (at_s - printed_s >= 1) {
            print_pulse(done, at_s - began_s);
            printed_s = at_s;
        }
    }
    unlink(path);
    print_totals(done, at_s - began_s);
    return 0;
}

static int
replay(void)
{
    for (size_t i = 0; i < corpus.count; i++)
        run_one(corpus.inputs[i].data, corpus.inputs[i].size_B);
    fprintf(stderr, "%zu inputs replayed\n", corpus.count);
    return corpus.count ? 0 : 1;
}

/* Flags of libFuzzer's that nothing here needs are accepted. */
static void
read_flag(const char *flag)
{
    unsigned long long n;
    sscanf(flag, "-max_total_time=%lf", &options.seconds);
    sscanf(flag, "-timeout=%lf", &options.timeout_s);
    if (sscanf(flag, "-seed=%llu", &n) == 1)
        options.seed = n;
    if (sscanf(flag, "-runs=%llu", &n) == 1)
        options.runs = n;
    if (!strncmp(flag, "-artifact_prefix=", 17))
        options.prefix = flag + 17;
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            read_flag(argv[i]);
        else
            load(argv[i]);
    }
    return options.seconds > 0 || options.runs ? run_mutants() : replay();
}
