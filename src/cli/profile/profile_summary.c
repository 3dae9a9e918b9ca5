/* profile_summary.c: the table on standard error. */
#include "cli/profile/pixels/pixels.h"
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

/* Lines of memory, by the least number of them. */
static void
print_lines(const struct profile_code *k)
{
    double part = sends_lines_ratio(&k->memory);
    char lines[16];
    format_count(lines, k->memory.lines);
    if (part < 0)
        fprintf(stderr, " %16s", "-");
    else
        fprintf(stderr, " %8s %6.2fx", lines, part);
}

#define NAME_CHARS 32

/* As "1024x2"; nothing where the driver has chosen. */
static int
format_sizes(char text[80], const uint64_t *sizes, unsigned dims)
{
    int n = 0;
    *text = 0;
    for (unsigned i = 0; i < dims && sizes[0]; i++)
        n += snprintf(text + n, 80 - (size_t)n, "%s%" PRIu64, i ? "x" : "",
                      sizes[i]);
    return n;
}

/* With the work sizes, if it was always started with the same and they have
 * room: name [global]{local}. */
static void
format_name(char text[NAME_CHARS + 1], const struct profile_code *k)
{
    char global[80], local[80], all[PROFILE_NAME_B + 180];
    const struct profile_launch *l = k->launches;
    size_t length = strlen(k->name);
    snprintf(text, NAME_CHARS + 1, "%.*s", NAME_CHARS, k->name);
    if (length > NAME_CHARS)
        memcpy(text + NAME_CHARS - 3, "...", 3);
    if (k->launch_count != 1)
        return;
    format_sizes(global, l->global, l->dims);
    bool known = format_sizes(local, l->local, l->dims);
    int n = snprintf(all, sizeof all, "%s [%s]%s%s%s", k->name, global,
                     known ? "{" : "", local, known ? "}" : "");
    if (n <= NAME_CHARS)
        memcpy(text, all, (size_t)n + 1);
}

/* The cycle model's bracket, and what limits the kernel. */
static void
print_model(const struct profile *p, const struct profile_code *k)
{
    struct cycles_time time = {.limit = CYCLES_LIMIT_LATENCY};
    char text[CYCLES_TIME_B] = "-";
    bool known = k->has_model && k->executed &&
                 cycles_time(&p->model, k->model, &time);
    if (known)
        cycles_format_time(text, &time);
    fprintf(stderr, " %12s%s%s%s", text, known ? " (" : "",
            known ? cycles_limit_names[time.limit] : "", known ? ")" : "");
}

static void
print_kernel(const struct profile *p, const struct profile_code *k)
{
    char threads[16], executed[16], simd[16] = "-";
    double share = p->executed
                       ? 100.0 * (double)k->executed / (double)p->executed
                       : 0;
    char name[NAME_CHARS + 1];
    format_name(name, k);
    format_count(threads, k->threads);
    format_count(executed, k->executed);
    if (k->simd)
        snprintf(simd, sizeof simd, "%u", k->simd);
    fprintf(stderr, "  %-32s %5s %4s %9s %9s %6.1f%%", name,
            *k->stage ? k->stage : "-", simd, threads, executed, share);
    if (p->has_lanes)
        print_lanes(k);
    if (p->has_memory)
        print_lines(k);
    for (unsigned g = 0; g < PROFILE_GROUP_COUNT; g++) {
        double part = k->executed
                          ? 100.0 * (double)k->group[g] / (double)k->executed
                          : 0;
        fprintf(stderr, " %4.0f%%", part);
    }
    if (cycles_is_on(&p->model))
        print_model(p, k);
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
            "process%s; counts are %s%s%s%s\n",
            p->executed, ran, ran == 1 ? "" : "s", p->process_count,
            p->process_count == 1 ? "" : "es",
            p->lost_pages ? "incomplete" : "exact",
            switches ? " (" : ", as run", switches ? switches : "",
            switches ? ")" : "");
    if (!ran && !p->lost_pages)
        fputs("softlake profile: no kernel ran on the Softlake device\n",
              stderr);
    if (p->lost_pages)
        fputs("softlake profile: the file system of the counts was full, some "
              "counts are lost\n",
              stderr);
    if (p->not_counted)
        fprintf(stderr, "softlake profile: %u kernels found no counters\n",
                p->not_counted);
    if (!ran)
        return;
    fprintf(stderr, "  %-32s %5s %4s %9s %9s %7s%s%s %5s %5s %5s %5s %5s %5s",
            "kernel", "stage", "simd", "threads", "insn", "share",
            p->has_lanes ? "  lanes/16" : "",
            p->has_memory ? " mem lines(x min)" : "", "flow", "send", "16",
            "32", "64", "other");
    if (cycles_is_on(&p->model))
        fprintf(stderr, " %12s @%.2fGHz (limit)", "model us",
                p->model.clock_MHz / 1000);
    putc('\n', stderr);
    for (unsigned i = 0; i < p->kernel_count && shown < top; i++) {
        if (!p->kernels[i].executed)
            continue;
        print_kernel(p, &p->kernels[i]);
        shown++;
    }
    if (shown < ran)
        fprintf(stderr, "  and %u more (--top=%u)\n", ran - shown, ran);
    if (p->draw_sums)
        pixels_print(stderr, p->draw_sums, top);
    if (p->targets)
        pixels_print_targets(stderr, p->targets, top);
    if (p->texels)
        pixels_print_texels(stderr, p->texels, top);
}
