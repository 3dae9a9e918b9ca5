/* profile_summary.c: the table on standard error. */
#include "cli/profile/profile_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A count in at most six characters. */
static void
format_count(char text[16], uint64_t n)
{
    static const char units[] = " kMGTPE";
    double d = (double)n;
    unsigned u = 0;
    for (; d >= 999.95; d /= 1000)
        u++;
    if (u)
        snprintf(text, 16, "%.1f%c", d, units[u]);
    else
        snprintf(text, 16, "%" PRIu64, n);
}

/* Active lanes of 16, and as a percentage. */
static void
print_lanes(const struct profile_code *k)
{
    double part = profile_efficiency(k->lanes, k->channels);
    if (part < 0)
        fprintf(stderr, " %9s", "-");
    else
        fprintf(stderr, " %4.1f %3.0f%%", 16 * part, 100 * part);
}

static void
print_kernel(const struct profile *p, const struct profile_code *k)
{
    char threads[16], executed[16], simd[16] = "-";
    double share = p->executed
                       ? 100.0 * (double)k->executed / (double)p->executed
                       : 0;
    format_count(threads, k->threads);
    format_count(executed, k->executed);
    if (k->simd)
        snprintf(simd, sizeof simd, "%u", k->simd);
    fprintf(stderr, "  %-32s %5s %4s %9s %9s %6.1f%%", k->name,
            *k->stage ? k->stage : "-", simd, threads, executed, share);
    if (p->has_lanes)
        print_lanes(k);
    for (unsigned g = 0; g < PROFILE_GROUP_COUNT; g++) {
        double part = k->executed
                          ? 100.0 * (double)k->group[g] / (double)k->executed
                          : 0;
        fprintf(stderr, " %4.0f%%", part);
    }
    putc('\n', stderr);
}

void
profile_print_summary(const struct profile *p, unsigned top,
                      const char *switches)
{
    unsigned ran = 0, shown = 0;
    for (unsigned i = 0; i < p->kernel_count; i++)
        ran += p->kernels[i].executed > 0;
    fprintf(stderr,
            "softlake profile: %" PRIu64 " EU instructions, %u kernel%s, %u "
            "process%s; counts are exact%s%s%s\n",
            p->executed, ran, ran == 1 ? "" : "s", p->process_count,
            p->process_count == 1 ? "" : "es", switches ? " (" : ", as run",
            switches ? switches : "", switches ? ")" : "");
    if (!ran)
        fputs("softlake profile: no kernel ran on the Softlake device\n",
              stderr);
    if (p->not_counted)
        fprintf(stderr, "softlake profile: %u kernels found no counters\n",
                p->not_counted);
    if (!ran)
        return;
    fprintf(stderr, "  %-32s %5s %4s %9s %9s %7s%s %5s %5s %5s %5s %5s %5s\n",
            "kernel", "stage", "simd", "threads", "insn", "share",
            p->has_lanes ? "  lanes/16" : "", "flow", "send", "16", "32", "64",
            "other");
    for (unsigned i = 0; i < p->kernel_count && shown < top; i++) {
        if (!p->kernels[i].executed)
            continue;
        print_kernel(p, &p->kernels[i]);
        shown++;
    }
    if (shown < ran)
        fprintf(stderr, "  and %u more (--top=%u)\n", ran - shown, ran);
}
