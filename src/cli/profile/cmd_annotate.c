/* cmd_annotate.c: softlake annotate: kernels of a profile with the counts of
 * their instructions. */
#include "cli/launch/launch.h"
#include "cli/profile/profile.h"
#include "cli/profile/profile_data.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: softlake annotate [OPTION]... FILE [KERNEL]\n"
    "\n"
    "Lists the instructions of the kernels in FILE, a profile.json, with how\n"
    "often each ran. KERNEL: a name or a pattern; without it the kernel with\n"
    "most executed instructions.\n"
    "\n"
    "  -a, --all    all kernels\n"
    "  -h, --help   this text\n"
    "\n"
    "Columns: share of the kernel's executed instructions, [ count ], offset,\n"
    "assembly. With profile --lanes: [ count | active lanes ], and after each\n"
    "branch how often all, none or some of its active lanes took it, and how\n"
    "many lanes.\n";

static void
list_title(const struct profile_code *k, bool has_lanes)
{
    double part = profile_efficiency(k->lanes, k->channels);
    printf("=== %s: %" PRIu64 " threads, %" PRIu64 " instructions", k->name,
           k->threads, k->executed);
    if (has_lanes && part >= 0)
        printf(", %.1f%% of lanes active", 100 * part);
    puts(" ===");
}

static void
list_branch(const struct profile_insn *n)
{
    const struct profile_branch *b = &n->branch;
    if (n->has_branch && n->count)
        printf("  // all %" PRIu64 ", none %" PRIu64 ", divergent %" PRIu64
               "; %" PRIu64 " of %" PRIu64 " lanes",
               b->all, b->none, b->divergent, b->lanes, n->lanes);
}

static void
list_kernel(const struct profile_code *k, bool has_lanes)
{
    list_title(k, has_lanes);
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        double share = k->executed
                           ? 100.0 * (double)n->count / (double)k->executed
                           : 0;
        printf("%5.1f%% [ %10" PRIu64, share, n->count);
        if (has_lanes)
            printf(" | %11" PRIu64, n->lanes);
        printf(" ] 0x%04" PRIx32 " : %s", n->offset_B, n->text ? n->text : "");
        if (has_lanes)
            list_branch(n);
        putchar('\n');
    }
}

int
cli_annotate(int argc, char **argv)
{
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    bool all = false;
    int c;
    optind = 0;
    while ((c = getopt_long(argc, argv, "ah", options, NULL)) != -1) {
        if (c == 'h')
            return fputs(usage, stdout) < 0;
        if (c != 'a')
            return CLI_EXIT_LAUNCHER;
        all = true;
    }
    if (optind >= argc || optind + 2 < argc) {
        fputs(usage, stderr);
        return CLI_EXIT_LAUNCHER;
    }
    struct profile p;
    const char *why = profile_load_json(&p, NULL, argv[optind]);
    if (why)
        return cli_complain(1, "annotate: %s: %s", argv[optind], why);
    const char *pattern = argv[optind + 1];
    if (pattern)
        profile_select(&p, pattern, NULL);
    for (unsigned i = 0; i < p.kernel_count && (all || pattern || !i); i++)
        list_kernel(&p.kernels[i], p.has_lanes);
    int status = p.kernel_count
                     ? 0
                     : cli_complain(1, "annotate: %s has no kernel%s%s",
                                    argv[optind], pattern ? " " : "",
                                    pattern ? pattern : "");
    profile_free(&p);
    return status;
}
