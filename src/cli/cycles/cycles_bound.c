/* cycles_bound.c: sums of clocks, shared among the parts of a machine.
 *
 * Kaby Lake GT2: 24 EUs in 3 subslices, 7 threads each, two FPUs of four lanes,
 * of which one also has extended math. "The Compute Architecture of Intel
 * Processor Graphics Gen9". */
#include "cli/cycles/cycles.h"

#include <stdio.h>
#include <string.h>

#define EUS 24.0
#define SUBSLICES 3.0
#define THREADS_PER_EU 7.0
#define FPUS 2.0
/* The part of the FPUs' clocks that a full EU uses. From a UHD 630: chains of
 * dependent MADs run at 340 to 374 GFLOP/s of 422 at 1100 MHz
 * (krrishnarraj/clpeak#202). */
#define FPU_EFFICIENCY 0.85
/* Texels that a subslice's sampler filters a clock. As above. */
#define SAMPLER_LANES 4.0
/* Guess: pixels of 32 bits that the slice stores a clock. */
#define PIXELS 8.0
/* Lines of 64 bytes that a subslice exchanges with L3 a clock, and with local
 * memory. From the maxima of Mesa's OA metrics for KBL GT2. */
#define LINES 1.0

const char *const cycles_limit_keys[CYCLES_LIMIT_COUNT] = {
#define X(id, key, name) key,
    CYCLES_LIMITS(X)
#undef X
};

const char *const cycles_limit_names[CYCLES_LIMIT_COUNT] = {
#define X(id, key, name) name,
    CYCLES_LIMITS(X)
#undef X
};

void
cycles_add(struct cycles_work *w, const struct cycles_cost *cost,
           unsigned exec_size, uint64_t count)
{
    double n = (double)count;
    w->clocks += n * cost->clocks;
    w->busy[cost->unit] += n * cost->busy;
    switch (cost->unit) {
    case CYCLES_UNIT_FLOW: w->branches += n; break;
    case CYCLES_UNIT_SAMPLER: w->sampler_lanes += n * exec_size; break;
    case CYCLES_UNIT_RENDER: w->pixels += n * exec_size; break;
    default: break;
    }
}

struct cycles_bounds
cycles_bound(const struct cycles_work *w, double threads)
{
    double at_once = MIN2(threads, EUS * THREADS_PER_EU);
    double eus = MIN2(threads, EUS);
    struct cycles_bounds b = {.limit = CYCLES_LIMIT_LATENCY};
    if (threads < 1)
        return b;
    double em = w->busy[CYCLES_UNIT_EM] / eus / FPU_EFFICIENCY;
    double fpu = w->busy[CYCLES_UNIT_FPU] / eus / FPU_EFFICIENCY;
    b.clocks[CYCLES_LIMIT_FPU] = (fpu + em) / FPUS;
    b.clocks[CYCLES_LIMIT_EM] = em;
    b.clocks[CYCLES_LIMIT_FLOW] = w->branches / eus;
    b.clocks[CYCLES_LIMIT_SAMPLER] = w->sampler_lanes /
                                     (SUBSLICES * SAMPLER_LANES);
    b.clocks[CYCLES_LIMIT_PIXELS] = w->pixels / PIXELS;
    b.clocks[CYCLES_LIMIT_MEMORY] = w->lines / (SUBSLICES * LINES);
    b.clocks[CYCLES_LIMIT_LOCAL] = w->local_passes / (SUBSLICES * LINES);
    if (!w->has_memory)
        b.clocks[CYCLES_LIMIT_MEMORY] = b.clocks[CYCLES_LIMIT_LOCAL] = -1;
    b.clocks[CYCLES_LIMIT_LATENCY] = w->clocks / at_once;
    for (unsigned i = 0; i < CYCLES_LIMIT_COUNT; i++)
        if (b.clocks[i] > b.clocks[b.limit])
            b.limit = (enum cycles_limit)i;
    return b;
}

bool
cycles_parse_model(const char *text, struct cycles_model *m)
{
    bool both = !strcmp(text, "both"), off = !strcmp(text, "off");
    enum cycles_table table = CYCLES_A;
    if (!both && !off && !cycles_parse_table(text, &table))
        return false;
    for (unsigned t = 0; t < CYCLES_TABLES; t++)
        m->tables[t] = both || (!off && t == table);
    return true;
}

bool
cycles_time(const struct cycles_model *m,
            const struct cycles_bounds bounds[CYCLES_TABLES],
            struct cycles_time *time)
{
    bool any = false;
    for (unsigned t = 0; t < CYCLES_TABLES; t++) {
        const struct cycles_bounds *b = &bounds[t];
        double us = b->clocks[b->limit] / m->clock_MHz;
        if (!m->tables[t])
            continue;
        if (!any || us < time->us[0])
            time->us[0] = us;
        if (!any || us > time->us[1]) {
            time->us[1] = us;
            time->limit = b->limit;
        }
        any = true;
    }
    return any;
}

static void
format_us(char text[16], double us)
{
    const char *format = us < 0.1 ? "%.2f" : us < 10 ? "%.1f" : "%.0f";
    snprintf(text, 16, format, us);
}

void
cycles_format_time(char text[CYCLES_TIME_B], const struct cycles_time *time)
{
    char least[16], most[16];
    format_us(least, time->us[0]);
    format_us(most, time->us[1]);
    bool alike = !strcmp(least, most);
    snprintf(text, CYCLES_TIME_B, "%s%s%s", alike ? "" : least,
             alike ? "" : "..", most);
}
