/* serve.c: the command loop of the benchmark's clients, and the comparison of
 * their pictures. */
#include "serve.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define FAR (8.0 / 255) /* a value that differs by more is wrong */
/* Frames in flight before the clock is looked at. */
#define CALIBRATION_FRAMES 4

void
serve_die(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
            detail);
    exit(1);
}

/* ---- pictures ---- */

static float *
read_picture(const char *path, size_t *count)
{
    float *values = malloc(SERVE_MAX_VALUES * sizeof *values);
    FILE *f = fopen(path, "rb");
    if (!values || !f)
        serve_die(path, "cannot read");
    *count = fread(values, sizeof *values, SERVE_MAX_VALUES, f);
    fclose(f);
    return values;
}

/* Relative to values above one. */
static double
distance(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : 1;
    if (a == b)
        return 0;
    double off = fabs(a - b) / fmax(1, fmax(fabs(a), fabs(b)));
    return fmin(off, 1);
}

static void
compare(const char *path_a, const char *path_b)
{
    size_t count, count_b;
    float *a = read_picture(path_a, &count);
    float *b = read_picture(path_b, &count_b);
    double sum = 0;
    size_t far = 0;
    if (!count || count != count_b)
        serve_die(path_a, "the pictures have different sizes");
    for (size_t i = 0; i < count; i++) {
        double off = distance(a[i], b[i]);
        sum += off;
        far += off > FAR;
    }
    printf("compare %.4f %.4f\n", sum * 255 / (double)count,
           100.0 * (double)far / (double)count);
    free(a);
    free(b);
}

const char *
serve_arguments(int argc, char **argv, void (*list)(void))
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list();
        exit(0);
    }
    if (argc == 4 && !strcmp(argv[1], "--compare")) {
        compare(argv[2], argv[3]);
        exit(0);
    }
    if (argc == 2)
        return argv[1];
    fprintf(stderr, "usage: %s --list | --compare A B | ROW\n", argv[0]);
    exit(2);
}

static void
take_picture(const struct serve *s, const char *path)
{
    float *values = malloc(SERVE_MAX_VALUES * sizeof *values);
    if (!values)
        serve_die("picture", "out of memory");
    size_t count = s->picture(s->self, values);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(values, sizeof *values, count, f) != count || fclose(f))
        serve_die(path, "cannot write");
    free(values);
    printf("picture %zu\n", count);
}

/* ---- time ---- */

static double
seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Number of frames that take that long. */
static uint32_t
calibrate(const struct serve *s, double duration_s)
{
    uint32_t frames = 0;
    for (unsigned i = 0; i < 2; i++)
        s->frame(s->self);
    s->finish(s->self);
    double start = seconds(CLOCK_MONOTONIC), spent;
    do {
        s->frame(s->self);
        frames++;
        if (s->finishes || frames % CALIBRATION_FRAMES == 0)
            s->finish(s->self);
        spent = seconds(CLOCK_MONOTONIC) - start;
    } while (spent < duration_s / 3);
    s->finish(s->self);
    spent = seconds(CLOCK_MONOTONIC) - start;
    return (uint32_t)(duration_s / spent * frames) + 1;
}

static void
time_frames(const struct serve *s, uint32_t frames)
{
    double wall = seconds(CLOCK_MONOTONIC);
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t i = 0; i < frames; i++)
        s->frame(s->self);
    s->finish(s->self);
    printf("time %u %.9f %.9f %.17g\n", frames, seconds(CLOCK_MONOTONIC) - wall,
           seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, s->work);
}

/* ---- commands ---- */

void
serve(const struct serve *s)
{
    char line[4096], path[4096];
    double duration_s;
    uint32_t frames = 0;
    printf("ready %s; %s\n", s->driver, s->version);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "time %lf", &duration_s) == 1) {
            if (!frames)
                frames = calibrate(s, duration_s);
            time_frames(s, frames);
        } else if (sscanf(line, "picture %4095s", path) == 1) {
            take_picture(s, path);
        } else if (!strcmp(line, "memory\n")) {
            struct rusage usage;
            getrusage(RUSAGE_SELF, &usage);
            printf("memory %ld\n", usage.ru_maxrss);
        } else {
            serve_die(line, "no such command");
        }
        if (s->check)
            s->check(s->self);
        fflush(stdout);
    }
}
