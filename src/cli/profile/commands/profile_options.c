/* profile_options.c: options of softlake profile, and their variables. */
#include "cli/profile/commands/profile_options.h"

#include "cli/launch/launch.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: softlake profile [OPTION]... [--] COMMAND [ARG...]\n"
    "       softlake profile [OPTION]... --from=FILE.json\n"
    "\n"
    "Runs COMMAND under softlake and counts exactly how often each "
    "instruction\n"
    "of each EU kernel is executed, in all its processes. Shortcuts that run\n"
    "fewer threads than hardware are switched off. Needs no GPU and no "
    "rights.\n"
    "\n"
    "      --counts             executions and messages; always counted\n"
    "      --timeline           also when batches, draws and dispatches ran\n"
    "      --lanes              also active lanes and divergent branches\n"
    "      --memory             also lines, strides and bank conflicts of "
    "each\n"
    "                           SEND that accesses memory\n"
    "      --memory=trace[=FILE]  also the addresses of each message, in FILE\n"
    "                           (memory.trace); a million messages of a "
    "process,\n"
    "                           in the interpreter\n"
    "      --pixels             also what becomes of the vertices, primitives\n"
    "                           and pixels of each draw\n"
    "      --sampler            also which texels sampler messages read; "
    "implies\n"
    "                           --pixels\n"
    "      --json[=FILE]        profile.json, for annotate and diff\n"
    "      --json=lines[=FILE]  an object a line (profile.jsonl)\n"
    "      --html[=FILE]        a report for a browser, in one file\n"
    "      --csv[=DIR]          tables: kernels, insns, messages, lanes,\n"
    "                           sends, launches, draws, sampler\n"
    "      --callgrind[=FILE]   for callgrind_annotate and KCachegrind\n"
    "      --pprof[=FILE]       for pprof\n"
    "      --perfetto[=FILE]    timeline for ui.perfetto.dev; implies "
    "--timeline\n"
    "      --chrome[=FILE]      timeline as Chrome's JSON; likewise\n"
    "      --folded[=FILE]      stacks for flamegraph.pl\n"
    "      --speedscope[=FILE]  for speedscope.app\n"
    "      --overdraw[=DIR]     pictures of how often each pixel of a target "
    "was\n"
    "                           written; implies --pixels\n"
    "  -o, --output=DIR         where files without a name go; default\n"
    "                           softlake-profile-PID. Alone: as with --json\n"
    "      --all                all of these files, of all that can be "
    "measured\n"
    "      --from=FILE          take the counts of a profile.json instead of\n"
    "                           running a command\n"
    "  -k, --kernel=GLOB        only kernels with such names\n"
    "      --stage=LIST         only these stages: vs,hs,ds,gs,fs,cs\n"
    "      --frames=A-B         count only frames A to B, from 1; also A, A-, "
    "-B\n"
    "      --submits=A-B        only these submissions of each process\n"
    "      --draws=A-B, --dispatches=A-B\n"
    "                           only these draws, dispatches of each process\n"
    "      --control=FIFO       commands while it runs: pause, resume, stop,\n"
    "                           snapshot\n"
    "      --start-paused       until 'resume' comes from the FIFO\n"
    "      --per=WHAT           also a table by frame, submit, draw, dispatch "
    "or\n"
    "                           shader; implies --csv without other files\n"
    "      --source             build OpenCL programs with -g: source lines\n"
    "      --symbols=FILE       names: a program binary, or lines 'HASH NAME'\n"
    "      --mesa-log=FILE      names: what Mesa printed with INTEL_DEBUG=fs\n"
    "      --model=TABLE        clocks by table A or B, both (default), or "
    "off\n"
    "      --clock=MHZ          of the model (1150)\n"
    "      --as-run             leave the shortcuts on\n"
    "      --sort=KEY           order of kernels: insn (default), lanes,\n"
    "                           threads, size, name, stage, bytes, model, "
    "time\n"
    "      --top=N              kernels in the summary (10)\n"
    "      --fail-if=EXPR       exit 1 if 'insn>N' is true; also threads,\n"
    "                           spills, fills, bytes, lines (with "
    "--memory),\n"
    "                           simd_efficiency (with --lanes), and <\n"
    "  -q, --quiet              no summary\n"
    "  -h, --help               this text\n"
    "\n"
    "Each option has an environment variable: SOFTLAKE_PROFILE_JSON for "
    "--json,\n"
    "SOFTLAKE_PROFILE_START_PAUSED for --start-paused; 1: without a value.\n"
    "Exit status: the command's, or 1 for --fail-if if the command "
    "succeeded.\n";

enum {
    OPT_STAGE = 256,
    OPT_COUNTS,
    OPT_LANES,
    OPT_MEMORY,
    OPT_PIXELS,
    OPT_SAMPLER,
    OPT_TIMELINE,
    OPT_AS_RUN,
    OPT_TOP,
    OPT_FAIL_IF,
    OPT_ALL,
    OPT_FROM,
    OPT_SORT,
    OPT_SOURCE,
    OPT_SYMBOLS,
    OPT_MESA_LOG,
    OPT_MODEL,
    OPT_CLOCK,
    OPT_CONTROL,
    OPT_START_PAUSED,
    OPT_PER,
    OPT_RANGE,
    OPT_REPORT = OPT_RANGE + CHOICE_RANGES,
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"kernel", required_argument, NULL, 'k'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"stage", required_argument, NULL, OPT_STAGE},
    {"counts", no_argument, NULL, OPT_COUNTS},
    {"lanes", no_argument, NULL, OPT_LANES},
    {"memory", optional_argument, NULL, OPT_MEMORY},
    {"pixels", no_argument, NULL, OPT_PIXELS},
    {"sampler", no_argument, NULL, OPT_SAMPLER},
    {"timeline", no_argument, NULL, OPT_TIMELINE},
    {"as-run", no_argument, NULL, OPT_AS_RUN},
    {"top", required_argument, NULL, OPT_TOP},
    {"fail-if", required_argument, NULL, OPT_FAIL_IF},
    {"all", no_argument, NULL, OPT_ALL},
    {"from", required_argument, NULL, OPT_FROM},
    {"sort", required_argument, NULL, OPT_SORT},
    {"source", no_argument, NULL, OPT_SOURCE},
    {"symbols", required_argument, NULL, OPT_SYMBOLS},
    {"mesa-log", required_argument, NULL, OPT_MESA_LOG},
    {"model", required_argument, NULL, OPT_MODEL},
    {"clock", required_argument, NULL, OPT_CLOCK},
    {"control", required_argument, NULL, OPT_CONTROL},
    {"start-paused", no_argument, NULL, OPT_START_PAUSED},
    {"per", required_argument, NULL, OPT_PER},
    {"frames", required_argument, NULL, OPT_RANGE + CHOICE_FRAMES},
    {"submits", required_argument, NULL, OPT_RANGE + CHOICE_SUBMITS},
    {"draws", required_argument, NULL, OPT_RANGE + CHOICE_DRAWS},
    {"dispatches", required_argument, NULL, OPT_RANGE + CHOICE_DISPATCHES},
    {"json", optional_argument, NULL, OPT_REPORT + REPORT_JSON},
    {"html", optional_argument, NULL, OPT_REPORT + REPORT_HTML},
    {"csv", optional_argument, NULL, OPT_REPORT + REPORT_CSV},
    {"callgrind", optional_argument, NULL, OPT_REPORT + REPORT_CALLGRIND},
    {"pprof", optional_argument, NULL, OPT_REPORT + REPORT_PPROF},
    {"perfetto", optional_argument, NULL, OPT_REPORT + REPORT_PERFETTO},
    {"chrome", optional_argument, NULL, OPT_REPORT + REPORT_CHROME},
    {"folded", optional_argument, NULL, OPT_REPORT + REPORT_FOLDED},
    {"speedscope", optional_argument, NULL, OPT_REPORT + REPORT_SPEEDSCOPE},
    {"overdraw", optional_argument, NULL, OPT_REPORT + REPORT_OVERDRAW},
    {NULL, 0, NULL, 0},
};

/* An exit status. */
static int
refuse(const char *option, const char *wants)
{
    return cli_complain(CLI_EXIT_LAUNCHER, "profile: %s wants %s, not '%s'",
                        option, wants, optarg);
}

static int
take_symbols(struct profile_options *o, bool mesa_log)
{
    if (o->symbols_count == MAX_SYMBOLS)
        return cli_complain(CLI_EXIT_LAUNCHER,
                            "profile: too many files with names");
    o->symbols[o->symbols_count].file = optarg;
    o->symbols[o->symbols_count++].mesa_log = mesa_log;
    return -1;
}

static int
take_range(struct profile_options *o, unsigned range)
{
    o->choice.range[range] = optarg;
    return choice_is_range(optarg)
               ? -1
               : refuse("a range", "A-B, A-, -B or A, from 1");
}

/* As take_option(). */
static int
take_model(struct cycles_model *m, int c)
{
    char *end;
    if (c == OPT_MODEL && cycles_parse_model(optarg, m))
        return -1;
    if (c == OPT_MODEL)
        return refuse("--model", "A, B, both or off");
    m->clock_MHz = strtod(optarg, &end);
    return !*end && m->clock_MHz > 0 ? -1 : refuse("--clock", "megahertz");
}

/* Whether the value is WORD or WORD=FILE. *file: NULL without a name. */
static bool
take_word(const char *value, const char *word, const char **file)
{
    size_t n = strlen(word);
    if (!value || strncmp(value, word, n) || (value[n] && value[n] != '='))
        return false;
    *file = value[n] && value[n + 1] ? value + n + 1 : NULL;
    return true;
}

/* An exit status, or -1 to go on. */
static int
take_option(struct profile_options *o, int c)
{
    char *end;
    bool is_true;
    if (c == OPT_REPORT + REPORT_JSON &&
        take_word(optarg, "lines", &o->file[REPORT_JSON_LINES])) {
        o->wanted[REPORT_JSON_LINES] = true;
        return -1;
    }
    if (c >= OPT_REPORT) {
        o->wanted[c - OPT_REPORT] = true;
        o->file[c - OPT_REPORT] = optarg;
        return -1;
    }
    if (c >= OPT_RANGE)
        return take_range(o, (unsigned)(c - OPT_RANGE));
    switch (c) {
    case 'o': o->dir = optarg; return -1;
    case 'k': o->kernel = optarg; return -1;
    case 'q': o->quiet = true; return -1;
    case OPT_STAGE: o->stage = optarg; return -1;
    case OPT_TIMELINE: o->timeline = true; return -1;
    case OPT_COUNTS: return -1; /* the level below all others */
    case OPT_LANES: o->lanes = true; return -1;
    case OPT_MEMORY:
        o->memory = true;
        if (!optarg)
            return -1;
        if (take_word(optarg, "trace", &o->trace_file)) {
            o->trace = true;
            return -1;
        }
        return cli_complain(CLI_EXIT_LAUNCHER,
                            "profile: --memory wants nothing, trace or "
                            "trace=FILE, not '%s'",
                            optarg);
    case OPT_PIXELS: o->pixels = true; return -1;
    case OPT_SAMPLER: o->texels = true; return -1;
    case OPT_AS_RUN: o->as_run = true; return -1;
    case OPT_ALL:
        o->all = o->lanes = o->memory = o->timeline = o->texels = true;
        return -1;
    case OPT_FROM: o->from = optarg; return -1;
    case OPT_SOURCE: o->source = true; return -1;
    case OPT_CONTROL: o->choice.control = optarg; return -1;
    case OPT_START_PAUSED: o->choice.paused = true; return -1;
    case OPT_SYMBOLS: return take_symbols(o, false);
    case OPT_MESA_LOG: return take_symbols(o, true);
    case OPT_PER:
        if (units_parse_per(optarg, &o->per))
            return -1;
        return refuse("--per", "kernel, frame, submit, draw, dispatch or "
                               "shader");
    case OPT_SORT:
        if (profile_parse_sort(optarg, &o->sort))
            return -1;
        return refuse("--sort",
                      "insn, lanes, threads, size, name, stage, bytes, "
                      "model or time");
    case OPT_TOP:
        o->top = (unsigned)strtoul(optarg, &end, 10);
        return !*end && end != optarg ? -1 : refuse("--top", "a number");
    case OPT_FAIL_IF:
        o->fail_if = optarg;
        if (profile_judge(optarg, NULL, &is_true))
            return -1;
        return refuse("--fail-if",
                      "insn, threads, spills, fills, bytes, lines or "
                      "simd_efficiency, then > or < and a number");
    case OPT_MODEL:
    case OPT_CLOCK: return take_model(&o->model, c);
    case 'h': fputs(usage, stdout); return 0;
    default: return CLI_EXIT_LAUNCHER;
    }
}

/* An exit status, or -1 to go on. */
static int
take_twins(struct profile_options *o)
{
    for (const struct option *l = long_options; l->name; l++) {
        const char *value = cli_option_twin("SOFTLAKE_PROFILE_", l->name);
        bool bare = l->has_arg == no_argument;
        if (!value || !*value || l->val == 'h' ||
            (l->has_arg != required_argument && !strcmp(value, "0")))
            continue;
        bare |= l->has_arg == optional_argument && !strcmp(value, "1");
        optarg = bare ? NULL : (char *)value;
        int status = take_option(o, l->val);
        if (status >= 0)
            return status;
    }
    return -1;
}

/* What options imply. */
static void
complete_options(struct profile_options *o)
{
    bool any = o->all;
    for (unsigned i = 0; i < REPORT_COUNT; i++)
        any |= o->wanted[i];
    o->wanted[REPORT_CSV] |= o->per != PER_KERNEL && !any;
    o->wanted[REPORT_JSON] |= o->dir && !any && o->per == PER_KERNEL;
    o->lanes |= o->sort == PROFILE_BY_LANES;
    o->timeline |= o->wanted[REPORT_PERFETTO] || o->wanted[REPORT_CHROME] ||
                   o->sort == PROFILE_BY_TIME;
    o->memory |= o->sort == PROFILE_BY_BYTES;
    o->pixels |= o->wanted[REPORT_OVERDRAW] || o->texels;
    if (o->fail_if && !strncmp(o->fail_if, "simd", 4))
        o->lanes = true;
    if (o->fail_if &&
        (!strncmp(o->fail_if, "bytes", 5) || !strncmp(o->fail_if, "lines", 5)))
        o->memory = true;
    o->choice.each = o->per != PER_KERNEL;
}

int
profile_take_options(struct profile_options *o, int argc, char **argv,
                     int *first)
{
    *o = (struct profile_options){.top = 10,
                                  .model = {{true, true}, CYCLES_CLOCK_MHZ}};
    int c = take_twins(o);
    if (c >= 0)
        return c;
    optind = 0;
    while ((c = getopt_long(argc, argv, "+o:k:qh", long_options, NULL)) != -1) {
        int status = take_option(o, c);
        if (status >= 0)
            return status;
    }
    *first = optind;
    if ((optind < argc) == (o->from != NULL)) {
        fputs(usage, stderr);
        return CLI_EXIT_LAUNCHER;
    }
    if (o->choice.paused && !o->choice.control)
        return cli_complain(CLI_EXIT_LAUNCHER,
                            "profile: --start-paused needs --control");
    if (o->from && (o->trace || o->choice.control))
        return cli_complain(CLI_EXIT_LAUNCHER,
                            "profile: --memory=trace and --control need a "
                            "command");
    complete_options(o);
    return -1;
}
