/* cmd_profile.c: softlake profile: runs a command and reports how often each
 * instruction of its kernels was executed. */
#include "cli/launch/launch.h"
#include "cli/profile/commands/profile_options.h"
#include "cli/profile/profile.h"
#include "cli/symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Run fewer threads, or none, where the image is the same. */
#define APART "no_wait,no_merge" /* draws end before others begin */
#define EXACT "no_rects,no_hidden,no_cleared," APART ",no_uniform,no_mcs_blocks"

static const char *const default_names[REPORT_COUNT] = {
    [REPORT_JSON] = "profile.json",
    [REPORT_JSON_LINES] = "profile.jsonl",
    [REPORT_HTML] = "report.html",
    [REPORT_CSV] = "csv",
    [REPORT_CALLGRIND] = "callgrind.out",
    [REPORT_PPROF] = "profile.pb.gz",
    [REPORT_PERFETTO] = "profile.pftrace",
    [REPORT_CHROME] = "profile.trace.json",
    [REPORT_FOLDED] = "profile.folded",
    [REPORT_SPEEDSCOPE] = "profile.speedscope.json",
    [REPORT_OVERDRAW] = "overdraw",
};

/* ---- reports ------------------------------------------------------------- */

static const char *
write_report(const struct profile *p, const struct profile_origin *from,
             enum report kind, enum units_per per, const char *file)
{
    switch (kind) {
    case REPORT_JSON: return profile_write_json(p, from, file);
    case REPORT_JSON_LINES: return profile_write_json_lines(p, from, file);
    case REPORT_HTML: return profile_write_html(p, from, file);
    case REPORT_CSV: return profile_write_csv(p, file, per);
    case REPORT_CALLGRIND: return profile_write_callgrind(p, from, file);
    case REPORT_PPROF: return profile_write_pprof(p, from, file);
    case REPORT_PERFETTO: return profile_write_perfetto(p, file);
    case REPORT_CHROME: return profile_write_chrome(p, file);
    case REPORT_FOLDED: return profile_write_folded(p, file);
    case REPORT_OVERDRAW: return profile_write_overdraw(p, file);
    default: return profile_write_speedscope(p, file);
    }
}

/* False, after a message, if it cannot be written. */
static bool
write_trace(const struct profile_options *o, const char *from)
{
    char path[4096];
    const char *file = o->trace_file;
    if (!file) {
        char dir[64];
        snprintf(dir, sizeof dir, "softlake-profile-%d", (int)getpid());
        mkdir(o->dir ? o->dir : dir, 0777);
        snprintf(path, sizeof path, "%s/memory.trace", o->dir ? o->dir : dir);
        file = path;
    }
    const char *why = sends_write_trace(from, file);
    if (why)
        cli_complain(0, "profile: %s: %s", file, why);
    else if (!o->quiet)
        cli_complain(0, "profile: wrote %s", file);
    return !why;
}

/* False, after a message, if one cannot be written. */
static bool
write_reports(const struct profile *p, const struct profile_origin *from,
              const struct profile_options *o)
{
    char dir[64], path[4096], numbered[4096 + 12];
    bool ok = true;
    snprintf(dir, sizeof dir, "softlake-profile-%d", (int)getpid());
    for (unsigned i = 0; i < REPORT_COUNT; i++) {
        const char *in = o->dir ? o->dir : dir, *file = o->file[i];
        bool is_timeline = i == REPORT_PERFETTO || i == REPORT_CHROME;
        bool is_there = (!is_timeline || p->timeline) &&
                        (i != REPORT_OVERDRAW || p->maps);
        if (!o->wanted[i] && (!o->all || !is_there))
            continue;
        if (!file) {
            mkdir(in, 0777);
            snprintf(path, sizeof path, "%s/%s", in, default_names[i]);
            file = path;
        }
        if (o->snapshot) {
            snprintf(numbered, sizeof numbered, "%.4095s.%u", file,
                     o->snapshot);
            file = numbered;
        }
        const char *why = write_report(p, from, (enum report)i, o->per, file);
        if (why)
            cli_complain(0, "profile: %s: %s", file, why);
        else if (!o->quiet)
            cli_complain(0, "profile: wrote %s", file);
        ok &= !why;
    }
    return ok;
}

/* 0; CLI_EXIT_LAUNCHER if a file cannot be written; 1 if --fail-if is true. */
static int
report(struct profile *p, const struct profile_origin *from,
       const struct profile_options *o)
{
    bool failed = false;
    p->model = o->model;
    if (o->kernel || o->stage)
        profile_select(p, o->kernel, o->stage);
    if (p->units.incomplete)
        cli_complain(0, "profile: not all draws and dispatches are listed");
    profile_sort(p, o->sort);
    if (!o->quiet)
        profile_print_summary(p, o->top, from->switches);
    bool wrote = write_reports(p, from, o);
    if (o->fail_if && profile_judge(o->fail_if, p, &failed) && failed)
        cli_complain(0, "profile: %s", o->fail_if);
    return wrote ? failed : CLI_EXIT_LAUNCHER;
}

/* Names the kernels. False, after a message, if that fails. */
static bool
find_names(struct profile *p, const struct profile_options *o, const char *dir)
{
    struct symbols s = {0};
    const char *why = NULL, *file = NULL;
    symbols_add_layer(&s, dir);
    if (s.damaged)
        cli_complain(0, "profile: no names or lines of %u OpenCL programs: %s",
                     s.damaged, s.why);
    for (unsigned i = 0; i < o->symbols_count && !why; i++) {
        file = o->symbols[i].file;
        why = o->symbols[i].mesa_log ? symbols_add_mesa_log(&s, file)
                                     : symbols_add_file(&s, file);
    }
    if (!why) {
        file = "names";
        why = profile_set_symbols(p, &s);
    }
    if (why)
        cli_complain(0, "profile: %s: %s", file, why);
    symbols_free(&s);
    return !why;
}

/* What the command has executed, to be reported. */
struct taker {
    const struct profile_options *o;
    struct profile_run run;
    char **argv;
    unsigned snapshot; /* the first that is not reported, from 1 */
    uint64_t reported; /* a bit for it and each after it */
};

/* Of the device that the command had. */
static const char *
platform_name(void)
{
    const char *name = getenv("SOFTLAKE_PLATFORM");
    return name && *name ? name : "kbl";
}

/* Counts of kernels: the rest of a profile is read when the command has ended.
 */
static void
report_snapshot(const struct taker *t, unsigned number)
{
    struct profile_options o = *t->o;
    struct profile p;
    struct profile_origin from = {t->argv, t->run.switches, platform_name(), 0};
    o.snapshot = number;
    o.fail_if = NULL;
    o.wanted[REPORT_PERFETTO] = o.wanted[REPORT_CHROME] = false;
    o.wanted[REPORT_OVERDRAW] = false;
    const char *why = profile_read(&p, t->run.dir, number);
    if (why)
        cli_complain(0, "profile: cannot read a snapshot: %s", why);
    else if (!o.quiet)
        cli_complain(0, "profile: snapshot %u", number);
    find_names(&p, &o, t->run.dir);
    if (!why)
        report(&p, &from, &o);
    profile_free(&p);
}

/* Reports snapshots when they are whole. One that never is, because a process
 * was killed or had no memory, does not hold up the 63 after it. */
static void
take_snapshots(void *data)
{
    struct taker *t = data;
    for (unsigned i = 0; i < 64; i++) {
        if (t->reported >> i & 1 ||
            !choice_has_snapshot(t->run.dir, t->snapshot + i))
            continue;
        t->reported |= UINT64_C(1) << i;
        report_snapshot(t, t->snapshot + i);
    }
    for (; t->reported & 1; t->reported >>= 1)
        t->snapshot++;
}

static int
run_profile(const struct profile_options *o, char **argv)
{
    struct choice choice = o->choice;
    const char *left = choice_is_made(&choice) ? APART : NULL;
    struct taker t = {.o = o,
                      .snapshot = 1,
                      .argv = argv,
                      .run = {.switches = o->as_run ? left : EXACT,
                              .lanes = o->lanes,
                              .memory = o->memory,
                              .accesses = o->trace,
                              .times = o->timeline,
                              .pixels = o->pixels,
                              .texels = o->texels,
                              .overdraw = o->wanted[REPORT_OVERDRAW] || o->all,
                              .debug_info = o->source,
                              .choice = &choice}};
    struct profile_run *run = &t.run;
    struct profile p;
    run->data = &t;
    run->look = choice.control ? take_snapshots : NULL;
    int status = profile_run(run, argv);
    if (!*run->dir || status == CLI_EXIT_NOTFOUND ||
        status == CLI_EXIT_NOEXEC) {
        profile_remove(run);
        return status;
    }
    const char *why = profile_read(&p, run->dir, 0);
    if (why)
        cli_complain(0, "profile: cannot read the counters: %s", why);
    bool named = find_names(&p, o, run->dir);
    profile_name_units(&p);
    profile_read_timeline(&p, run->dir);
    bool traced = !o->trace || write_trace(o, run->dir);
    profile_read_pixels(&p, run->dir, run->overdraw);
    profile_remove(run);
    struct profile_origin from = {argv, run->switches, platform_name(), status};
    int failed = report(&p, &from, o);
    profile_free(&p);
    if (status)
        return status;
    return why || !named || !traced ? CLI_EXIT_LAUNCHER : failed;
}

static int
convert_profile(const struct profile_options *o)
{
    struct profile_origin from;
    struct profile p;
    const char *why = profile_load_json(&p, &from, o->from);
    int status = why ? cli_complain(CLI_EXIT_LAUNCHER, "profile: %s: %s",
                                    o->from, why)
                     : report(&p, &from, o);
    profile_free(&p);
    profile_free_origin(&from);
    return status;
}

int
cli_profile(int argc, char **argv)
{
    struct profile_options o;
    int first, status = profile_take_options(&o, argc, argv, &first);
    if (status >= 0)
        return status;
    return o.from ? convert_profile(&o) : run_profile(&o, argv + first);
}
