/* cmd_annotate.c: softlake annotate: kernels of a profile with the counts of
 * their instructions. */
#include "cli/launch/launch.h"
#include "cli/profile/profile.h"
#include "cli/profile/profile_data.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: softlake annotate [OPTION]... FILE [KERNEL]\n"
    "\n"
    "Lists the instructions of the kernels in FILE, a profile.json, with how\n"
    "often each ran. KERNEL: a name or a pattern; without it the kernel with\n"
    "most executed instructions.\n"
    "\n"
    "  -a, --all    all kernels\n"
    "  -l, --lines  counts of source lines instead of instructions\n"
    "  -m, --model  clocks that each instruction takes by table A of the\n"
    "               cycle model, and the kernel's time\n"
    "  -h, --help   this text\n"
    "\n"
    "Columns: share of the kernel's executed instructions, [ count ], offset,\n"
    "assembly. With profile --lanes: [ count | active lanes ], and after each\n"
    "branch how often all, none or some of its active lanes took it, and how\n"
    "many lanes; at the end, how often each block's instructions ran with how\n"
    "many active lanes. With profile --memory, after each SEND that accesses "
    "memory:\n"
    "how often, then in the mean lanes, bytes and lines of 64 bytes, by the\n"
    "least number of lines (or passes through local memory, likewise), and\n"
    "strides between lanes.\n";

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

/* What limits the kernel. */
static void
list_findings(const struct profile *p, const struct profile_code *k)
{
    struct profile_finding found[PROFILE_FINDINGS];
    unsigned count = profile_find(p, found, PROFILE_FINDINGS);
    for (unsigned i = 0; i < count; i++) {
        if (&p->kernels[found[i].kernel] != k)
            continue;
        printf("%s: %s", found[i].rule, found[i].text);
        if (found[i].has_place)
            printf(" (0x%04" PRIx32 ")", found[i].offset_B);
        putchar('\n');
    }
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

/* Messages by shared function and type. */
static void
list_messages(const struct profile_code *k, bool has_lanes)
{
    for (unsigned i = 0; i < k->message_count; i++) {
        const struct profile_message *m = &k->messages[i];
        printf("%s %12" PRIu64, i ? "         " : "messages:", m->count);
        if (has_lanes)
            printf(" | %11" PRIu64 " lanes", m->lanes);
        printf("  %s: %s\n", *m->function ? m->function : "-",
               *m->type ? m->type : "-");
    }
}

/* Executions by active lanes. */
static void
list_histograms(const struct profile_code *k)
{
    for (unsigned i = 0; i < k->histograms.count; i++) {
        const struct lanes_histogram *h = &k->histograms.items[i];
        char text[LANES_TEXT_B];
        lanes_format(text, h);
        printf("%s 0x%04" PRIx32 " %s\n", i ? "      " : "lanes:", h->offset_B,
               text);
    }
}

static void
list_send(const struct profile_code *k, const struct profile_insn *n)
{
    const struct profile_send *s = profile_find_send(k, n);
    char text[SENDS_TEXT_B];
    if (!s)
        return;
    sends_format(text, &s->n);
    printf("  // %s", text);
}

static double
share_of(const struct profile_code *k, uint64_t count)
{
    return k->executed ? 100.0 * (double)count / (double)k->executed : 0;
}

static void
list_source(const struct profile *p, const struct profile_insn *n)
{
    size_t size_B = 0;
    const char *text = profile_source_line(p, n->source, n->line, &size_B);
    printf("%s:%" PRIu32 ": %.*s\n", p->sources[n->source].name, n->line,
           (int)size_B, text ? text : "");
}

/* What the cycle model says of the kernel. */
static void
list_model(const struct profile *p, const struct profile_code *k)
{
    struct cycles_time time = {.limit = CYCLES_LIMIT_LATENCY};
    char text[CYCLES_TIME_B];
    if (!k->has_model || !cycles_time(&p->model, k->model, &time)) {
        puts("model: -");
        return;
    }
    cycles_format_time(text, &time);
    printf("model: %s us at %.2f GHz, limit: %s\n", text,
           p->model.clock_MHz / 1000, cycles_limit_names[time.limit]);
}

static void
list_clocks(const struct profile_code *k, const struct profile_insn *n)
{
    if (k->has_model)
        printf(" | %5" PRIu32 " clk", n->model[CYCLES_A].clocks);
    else
        printf(" | %5s clk", "-");
}

static void
list_kernel(const struct profile *p, const struct profile_code *k,
            bool with_model)
{
    const bool has_lanes = p->has_lanes;
    const struct profile_insn *last = NULL;
    list_title(k, has_lanes);
    list_findings(p, k);
    if (with_model)
        list_model(p, k);
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        if (n->line &&
            (!last || n->line != last->line || n->source != last->source)) {
            list_source(p, n);
            last = n;
        }
        printf("%5.1f%% [ %10" PRIu64, share_of(k, n->count), n->count);
        if (has_lanes)
            printf(" | %11" PRIu64, n->lanes);
        if (with_model)
            list_clocks(k, n);
        printf(" ] 0x%04" PRIx32 " : %s", n->offset_B, n->text ? n->text : "");
        if (has_lanes)
            list_branch(n);
        if (p->has_memory)
            list_send(k, n);
        putchar('\n');
    }
    list_messages(k, has_lanes);
    list_histograms(k);
}

/* ---- lines --------------------------------------------------------------- */

#define CONTEXT 2u /* lines shown before and after a line with counts */

static int
compare_lines(const void *a, const void *b)
{
    const struct profile_insn *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Adds up the instructions of each source line. The sums are in the order of
 * lines; instructions without a line are left out. NULL: no memory. */
static struct profile_insn *
sum_lines(const struct profile_code *k, uint32_t *count)
{
    struct profile_insn *sums = calloc(k->insn_count + 1, sizeof *sums);
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; sums && i < k->insn_count; i++)
        if (k->insns[i].line)
            sums[n++] = k->insns[i];
    if (n)
        qsort(sums, n, sizeof *sums, compare_lines);
    for (uint32_t i = 0; i < n; i++) {
        if (kept && !compare_lines(&sums[kept - 1], &sums[i])) {
            sums[kept - 1].count += sums[i].count;
            sums[kept - 1].lanes += sums[i].lanes;
        } else {
            sums[kept++] = sums[i];
        }
    }
    *count = kept;
    return sums;
}

static void
list_line(const struct profile *p, const struct profile_code *k,
          const struct profile_insn *n)
{
    size_t size_B = 0;
    const char *text = profile_source_line(p, n->source, n->line, &size_B);
    printf("%5.1f%% [ %10" PRIu64, share_of(k, n->count), n->count);
    if (p->has_lanes)
        printf(" | %11" PRIu64, n->lanes);
    printf(" ] %5" PRIu32 " : %.*s\n", n->line, (int)size_B, text ? text : "");
}

/* Lines without counts, from first on, to but not including end. */
static void
list_between(const struct profile *p, unsigned source, uint32_t first,
             uint32_t end)
{
    for (uint32_t line = first; line < end; line++) {
        size_t size_B = 0;
        const char *text = profile_source_line(p, source, line, &size_B);
        if (!text)
            return;
        printf("%*s %5" PRIu32 " : %.*s\n", p->has_lanes ? 35 : 21, "", line,
               (int)size_B, text);
    }
}

/* Before a line with counts: the file if it is the first, or a few lines. */
static void
list_before(const struct profile *p, const struct profile_insn *last,
            const struct profile_insn *n)
{
    uint32_t from = n->line > CONTEXT ? n->line - CONTEXT : 1;
    if (!last || last->source != n->source) {
        printf("--- %s ---\n", p->sources[n->source].name);
        list_between(p, n->source, from, n->line);
    } else if (n->line - last->line <= 2 * CONTEXT + 1) {
        list_between(p, n->source, last->line + 1, n->line);
    } else {
        list_between(p, n->source, last->line + 1, last->line + 1 + CONTEXT);
        puts("  ...");
        list_between(p, n->source, from, n->line);
    }
}

static void
list_lines(const struct profile *p, const struct profile_code *k)
{
    uint32_t count = 0;
    struct profile_insn *sums = sum_lines(k, &count);
    list_title(k, p->has_lanes);
    if (!count)
        puts("no source lines: see softlake profile --source");
    for (uint32_t i = 0; i < count; i++) {
        list_before(p, i ? &sums[i - 1] : NULL, &sums[i]);
        list_line(p, k, &sums[i]);
    }
    free(sums);
}

int
cli_annotate(int argc, char **argv)
{
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'},
        {"lines", no_argument, NULL, 'l'},
        {"model", no_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    bool all = false, lines = false, model = false;
    int c;
    optind = 0;
    while ((c = getopt_long(argc, argv, "ahlm", options, NULL)) != -1) {
        if (c == 'h')
            return fputs(usage, stdout) < 0;
        if (c == '?')
            return CLI_EXIT_LAUNCHER;
        all |= c == 'a';
        model |= c == 'm';
        lines |= c == 'l';
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
    for (unsigned i = 0; i < p.kernel_count && (all || pattern || !i); i++) {
        if (lines)
            list_lines(&p, &p.kernels[i]);
        else
            list_kernel(&p, &p.kernels[i], model);
    }
    int status = p.kernel_count
                     ? 0
                     : cli_complain(1, "annotate: %s has no kernel%s%s",
                                    argv[optind], pattern ? " " : "",
                                    pattern ? pattern : "");
    profile_free(&p);
    return status;
}
