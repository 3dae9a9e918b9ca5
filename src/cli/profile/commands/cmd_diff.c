/* cmd_diff.c: softlake diff: two profiles, kernel by kernel, in every number
 * that both files have of a kernel. */
#include "cli/launch/launch.h"
#include "cli/profile/profile.h"

#include <fnmatch.h>
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: softlake diff [OPTION]... A.json B.json\n"
    "\n"
    "Compares two profiles, by kernel: executed instructions, then other\n"
    "figures that both files have and that differ.\n"
    "\n"
    "      --figure=GLOB     these figures: insn, lanes, channels, threads,\n"
    "                        spills, fills, mix.*; '*' has all\n"
    "      --fail-above=P%   exit 1 if an executed instruction count, or the\n"
    "                        figure of --figure, of a kernel or in total, is\n"
    "                        more than P percent above A's\n"
    "  -a, --all             list equal kernels, too\n"
    "  -h, --help            this text\n"
    "\n"
    "Exit status: 0; 1 something grew by more, or a file cannot be read.\n";

#define FIRST_FIGURE "insn"
#define FIGURE_B 64
#define MAX_FIGURES 64

struct diff {
    double limit; /* percent; infinite: none */
    const char *figure;
    bool all, grew;
    const json_t *a, *b; /* lists of kernels */
    unsigned count;
    char names[MAX_FIGURES][FIGURE_B];
};

/* ---- figures ------------------------------------------------------------- */

/* Counts above 2^53 are strings. False: not a number. */
static bool
to_number(const json_t *value, double *number)
{
    char *end = "";
    if (json_is_string(value))
        *number = strtod(json_string_value(value), &end);
    else
        *number = json_number_value(value);
    return json_is_number(value) ||
           (json_is_string(value) && !*end && *json_string_value(value));
}

/* Of a kernel: "insn", or "mix.control flow" for a key of an object. */
static bool
find_figure(const json_t *kernel, const char *figure, double *number)
{
    char outer[FIGURE_B];
    const char *dot = strchr(figure, '.');
    if (!dot)
        return to_number(json_object_get(kernel, figure), number);
    snprintf(outer, sizeof outer, "%.*s", (int)(dot - figure), figure);
    return to_number(json_object_get(json_object_get(kernel, outer), dot + 1),
                     number);
}

/* What names or sizes a kernel is no figure. */
static bool
is_figure(const char *key)
{
    static const char *const others[] = {"id", "name", "sha1", "simd",
                                         "size_B"};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(key, others[i]))
            return false;
    return true;
}

static void
add_figure(struct diff *d, const char *outer, const char *key)
{
    char name[FIGURE_B];
    snprintf(name, sizeof name, "%s%s%s", outer, *outer ? "." : "", key);
    for (unsigned i = 0; i < d->count; i++)
        if (!strcmp(d->names[i], name))
            return;
    if (d->count < MAX_FIGURES)
        memcpy(d->names[d->count++], name, sizeof name);
}

/* All figures of the kernels of B, the executed instructions first. */
static void
find_figures(struct diff *d)
{
    const char *key, *inner;
    double unused;
    size_t i;
    json_t *kernel, *value, *part;
    add_figure(d, "", FIRST_FIGURE);
    json_array_foreach(d->b, i, kernel)
    {
        json_object_foreach(kernel, key, value)
        {
            if (!is_figure(key))
                continue;
            if (to_number(value, &unused))
                add_figure(d, "", key);
            json_object_foreach(value, inner, part)
            {
                if (to_number(part, &unused))
                    add_figure(d, key, inner);
            }
        }
    }
}

/* ---- rows ---------------------------------------------------------------- */

static const char *
name_of(const json_t *kernel)
{
    const char *name = json_string_value(json_object_get(kernel, "name"));
    return name ? name : "";
}

static const json_t *
find_kernel(const json_t *kernels, const char *name)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        if (!strcmp(name_of(kernel), name))
            return kernel;
    }
    return NULL;
}

static void
print_number(const double *n)
{
    if (!n)
        printf("%15s ", "-");
    else if (*n == floor(*n))
        printf("%15.0f ", *n);
    else
        printf("%15.4f ", *n);
}

/* a or b: NULL if the profile has no such row. */
static void
compare_row(struct diff *d, const char *name, const double *a, const double *b)
{
    char change[24] = "-";
    double percent = 0;
    if (a && b && *a != 0) {
        percent = 100.0 * (*b - *a) / *a;
        snprintf(change, sizeof change, "%+.2f%%", percent);
    } else if (b && *b != 0) {
        percent = INFINITY;
        snprintf(change, sizeof change, "new");
    } else if (a && !b) {
        snprintf(change, sizeof change, "gone");
    }
    bool fails = percent > d->limit;
    d->grew |= fails;
    if (!d->all && a && b && *a == *b && strcmp(name, "total"))
        return;
    print_number(a);
    print_number(b);
    printf("%9s  %s%s\n", change, name, fails ? "  <-- above the limit" : "");
}

/* Of all kernels; false: none has the figure. */
static bool
sum_figure(const json_t *kernels, const char *figure, double *sum)
{
    bool any = false;
    double n;
    size_t i;
    json_t *kernel;
    *sum = 0;
    json_array_foreach(kernels, i, kernel)
    {
        if (!find_figure(kernel, figure, &n))
            continue;
        *sum += n;
        any = true;
    }
    return any;
}

/* Whether some kernel of both has another value, or but one has it. */
static bool
differs(const struct diff *d, const char *figure)
{
    double a, b;
    size_t i;
    json_t *kernel;
    json_array_foreach(d->b, i, kernel)
    {
        const json_t *old = find_kernel(d->a, name_of(kernel));
        bool has_a = find_figure(old, figure, &a);
        if (has_a != find_figure(kernel, figure, &b) || (has_a && a != b))
            return true;
    }
    return json_array_size(d->a) != json_array_size(d->b);
}

/* Ratios have no sum. */
static bool
adds_up(const char *figure)
{
    return !strstr(figure, "efficiency");
}

static void
compare_figure(struct diff *d, const char *figure)
{
    double a, b;
    size_t i;
    json_t *kernel;
    char first[FIGURE_B + 2], second[FIGURE_B + 2];
    snprintf(first, sizeof first, "A %s", figure);
    snprintf(second, sizeof second, "B %s", figure);
    printf("%15s %15s %9s  kernel\n", first, second, "change");
    json_array_foreach(d->b, i, kernel)
    {
        const json_t *old = find_kernel(d->a, name_of(kernel));
        bool has_a = find_figure(old, figure, &a);
        bool has_b = find_figure(kernel, figure, &b);
        if (has_a || has_b)
            compare_row(d, name_of(kernel), has_a ? &a : NULL,
                        has_b ? &b : NULL);
    }
    json_array_foreach(d->a, i, kernel)
    {
        if (!find_kernel(d->b, name_of(kernel)) &&
            find_figure(kernel, figure, &a))
            compare_row(d, name_of(kernel), &a, NULL);
    }
    bool has_a = sum_figure(d->a, figure, &a);
    bool has_b = sum_figure(d->b, figure, &b);
    if (adds_up(figure))
        compare_row(d, "total", has_a ? &a : NULL, has_b ? &b : NULL);
}

/* The limit is for what was asked for, or for executed instructions. */
static int
compare(struct diff *d)
{
    const double limit = d->limit;
    bool any = false;
    double unused;
    find_figures(d);
    for (unsigned i = 0; i < d->count; i++) {
        const char *figure = d->names[i];
        bool is_first = !strcmp(figure, FIRST_FIGURE);
        bool shown = d->figure
                         ? !fnmatch(d->figure, figure, 0)
                         : is_first || (sum_figure(d->a, figure, &unused) &&
                                        differs(d, figure));
        if (!shown)
            continue;
        if (any)
            putchar('\n');
        d->limit = d->figure || is_first ? limit : INFINITY;
        compare_figure(d, figure);
        any = true;
    }
    if (!any)
        return cli_complain(1, "diff: no figure %s in %s", d->figure, "B");
    return d->grew;
}

/* ---- command ------------------------------------------------------------- */

static bool
parse_limit(const char *text, double *limit)
{
    char *end;
    *limit = strtod(text, &end);
    return end != text && *limit >= 0 && (!*end || !strcmp(end, "%"));
}

/* An exit status, or -1 to go on. */
static int
take_options(struct diff *d, int argc, char **argv)
{
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'},
        {"fail-above", required_argument, NULL, 'F'},
        {"figure", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int c;
    optind = 0;
    while ((c = getopt_long(argc, argv, "ah", options, NULL)) != -1) {
        if (c == 'h')
            return fputs(usage, stdout) < 0;
        if (c == 'F' && !parse_limit(optarg, &d->limit))
            return cli_complain(CLI_EXIT_LAUNCHER,
                                "diff: --fail-above wants a percentage, not "
                                "'%s'",
                                optarg);
        if (c == '?')
            return CLI_EXIT_LAUNCHER;
        if (c == 'f')
            d->figure = optarg;
        d->all |= c == 'a';
    }
    if (optind + 2 == argc)
        return -1;
    fputs(usage, stderr);
    return CLI_EXIT_LAUNCHER;
}

/* NULL, after a message, if it is none. */
static json_t *
load_profile(const char *file)
{
    json_error_t error;
    json_t *o = json_load_file(file, 0, &error);
    bool is = json_integer_value(json_object_get(o, "schema")) == 1 &&
              json_is_array(json_object_get(o, "kernels"));
    if (is)
        return o;
    cli_complain(1, "diff: %s: %s", file,
                 o ? "not a profile of schema 1" : error.text);
    json_decref(o);
    return NULL;
}

int
cli_diff(int argc, char **argv)
{
    struct diff d = {.limit = INFINITY};
    int status = take_options(&d, argc, argv);
    if (status >= 0)
        return status;
    json_t *a = load_profile(argv[optind]);
    json_t *b = a ? load_profile(argv[optind + 1]) : NULL;
    d.a = json_object_get(a, "kernels");
    d.b = json_object_get(b, "kernels");
    status = a && b ? compare(&d) : 1;
    json_decref(a);
    json_decref(b);
    return status;
}
