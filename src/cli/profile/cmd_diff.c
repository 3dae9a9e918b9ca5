/* cmd_diff.c: softlake diff: two profiles, kernel by kernel. */
#include "cli/launch/launch.h"
#include "cli/profile/profile.h"
#include "cli/profile/profile_data.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: softlake diff [OPTION]... A.json B.json\n"
    "\n"
    "Compares the executed instructions of two profiles, by kernel.\n"
    "\n"
    "      --fail-above=P%   exit 1 if a kernel or the total of B executes\n"
    "                        more than P percent more than A's\n"
    "  -a, --all             list equal kernels, too\n"
    "  -h, --help            this text\n"
    "\n"
    "Exit status: 0; 1 something grew by more, or a file cannot be read.\n";

struct diff {
    double limit; /* percent; infinite: none */
    bool all, grew;
};

static const struct profile_code *
find_kernel(const struct profile *p, const struct profile_code *k)
{
    for (unsigned i = 0; i < p->kernel_count; i++)
        if (!strcmp(p->kernels[i].name, k->name))
            return &p->kernels[i];
    return NULL;
}

static void
print_count(const uint64_t *count)
{
    if (count)
        printf("%15" PRIu64 " ", *count);
    else
        printf("%15s ", "-");
}

/* a or b: NULL if the profile has no such row. */
static void
compare_row(struct diff *d, const char *name, const uint64_t *a,
            const uint64_t *b)
{
    char change[24] = "-";
    double percent = 0;
    if (a && b && *a) {
        percent = 100.0 * ((double)*b - (double)*a) / (double)*a;
        snprintf(change, sizeof change, "%+.2f%%", percent);
    } else if (b && *b) {
        percent = INFINITY;
        snprintf(change, sizeof change, "new");
    } else if (a && !b) {
        snprintf(change, sizeof change, "gone");
    }
    bool fails = percent > d->limit;
    d->grew |= fails;
    if (!d->all && a && b && *a == *b && strcmp(name, "total"))
        return;
    print_count(a);
    print_count(b);
    printf("%9s  %s%s\n", change, name, fails ? "  <-- above the limit" : "");
}

static int
compare(struct diff *d, const struct profile *a, const struct profile *b)
{
    printf("%15s %15s %9s  kernel\n", "A insn", "B insn", "change");
    for (unsigned i = 0; i < b->kernel_count; i++) {
        const struct profile_code *old = find_kernel(a, &b->kernels[i]);
        compare_row(d, b->kernels[i].name, old ? &old->executed : NULL,
                    &b->kernels[i].executed);
    }
    for (unsigned i = 0; i < a->kernel_count; i++)
        if (!find_kernel(b, &a->kernels[i]))
            compare_row(d, a->kernels[i].name, &a->kernels[i].executed, NULL);
    compare_row(d, "total", &a->executed, &b->executed);
    return d->grew;
}

static bool
parse_limit(const char *text, double *limit)
{
    char *end;
    *limit = strtod(text, &end);
    return end != text && *limit >= 0 && (!*end || !strcmp(end, "%"));
}

int
cli_diff(int argc, char **argv)
{
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'},
        {"fail-above", required_argument, NULL, 'F'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct diff d = {.limit = INFINITY};
    int c;
    optind = 0;
    while ((c = getopt_long(argc, argv, "ah", options, NULL)) != -1) {
        if (c == 'h')
            return fputs(usage, stdout) < 0;
        if (c == 'F' && !parse_limit(optarg, &d.limit))
            return cli_complain(CLI_EXIT_LAUNCHER,
                                "diff: --fail-above wants a percentage, not "
                                "'%s'",
                                optarg);
        if (c == '?')
            return CLI_EXIT_LAUNCHER;
        d.all |= c == 'a';
    }
    if (optind + 2 != argc) {
        fputs(usage, stderr);
        return CLI_EXIT_LAUNCHER;
    }
    struct profile p[2];
    for (unsigned i = 0; i < 2; i++) {
        const char *why = profile_load_json(&p[i], NULL, argv[optind + (int)i]);
        if (why)
            return cli_complain(1, "diff: %s: %s", argv[optind + (int)i], why);
    }
    int status = compare(&d, &p[0], &p[1]);
    profile_free(&p[0]);
    profile_free(&p[1]);
    return status;
}
