/* cmd_eu_run.c: `softlake eu-run FILE`: runs one kernel outside of any driver.
 */
#include "cli/kernel/eu_run.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/kernel/kernel.h"
#include "cli/kernel/read_file.h"

static const char usage[] =
    "usage: softlake eu-run FILE [--kernel NAME] --global X[,Y[,Z]] "
    "--args SPEC...\n"
    "       softlake eu-run FILE --grf REGISTERS [--simd 8|16|32] [--mask "
    "HEX]\n"
    "       softlake eu-run --batch FILE\n"
    "Runs a kernel of an ocloc binary, or raw code in one thread.\n"
    "  SPEC       TYPE:V,V...  TYPE[N]:V,V...  TYPE[N]@FILE  local[BYTES]  "
    "null\n"
    "             TYPE: [u]char short int long, half float double, with 2 3 4 "
    "8 16;\n"
    "             hex. TYPE[] and TYPE[N] are buffers, printed afterwards\n"
    "  --local X[,Y[,Z]]   work group size\n"
    "  --offset X[,Y[,Z]]  global offset\n"
    "  --out ARG=FILE      write a buffer to FILE instead\n"
    "  --grf FILE          4096 bytes, or lines of rN[.SUB][:TYPE] VALUE...\n"
    "  --memory VA=TYPE[N]:V,V...  memory of a raw kernel, printed afterwards\n"
    "  --all-registers     print unchanged registers, too\n"
    "  --gen 8|9           generation of a raw kernel\n"
    "  --tier interp|jit|check\n"
    "  --counts            executions per opcode and instruction (interp)\n"
    "  --json\n"
    "  --profile[=WORD,...]  counts as `softlake profile --WORD...`, as in\n"
    "             --profile=lanes,html=report.html\n"
    "  --batch FILE        one run's arguments per line; - is standard input\n";

enum {
    EXIT_RUN = 1, /* the kernel failed, or cannot run */
    EXIT_USAGE = 2,
};

static const struct option long_options[] = {
    {"args", no_argument, NULL, 'a'},
    {"all-registers", no_argument, NULL, 'r'},
    {"batch", required_argument, NULL, 'b'},
    {"counts", no_argument, NULL, 'c'},
    {"gen", required_argument, NULL, 'G'},
    {"global", required_argument, NULL, 'g'},
    {"grf", required_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {"json", no_argument, NULL, 'j'},
    {"kernel", required_argument, NULL, 'k'},
    {"local", required_argument, NULL, 'l'},
    {"mask", required_argument, NULL, 'm'},
    {"memory", required_argument, NULL, 'M'},
    {"offset", required_argument, NULL, 'O'},
    {"out", required_argument, NULL, 'o'},
    {"simd", required_argument, NULL, 's'},
    {"tier", required_argument, NULL, 't'},
    {NULL, 0, NULL, 0},
};

/* State that runs of a batch share. */
struct session {
    const char *tier;             /* chosen by the first run */
    struct launcher *launcher[2]; /* Gen8, Gen9 */
    char *path;
    uint8_t *data;
    struct program program;
    bool loaded;
};

/* ---- arguments --------------------------------------------------------- */

/* Reads up to three numbers; returns their count, or 0. */
static unsigned
parse_size(const char *text, uint32_t size[3])
{
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        unsigned long value = strtoul(text, &end, 0);
        if (end == text || value > UINT32_MAX)
            return 0;
        size[i] = (uint32_t)value;
        if (!*end)
            return i + 1;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
    return 0;
}

/* Reads an argument `TYPE[N]` with values, the contents of a file, or zeros. */
static const char *
parse_buffer(const char *spec, struct value_type *type, uint8_t **data,
             size_t *size_B)
{
    const char *bracket = strchr(spec, '[');
    if (!bracket || !value_type_find(type, spec, (size_t)(bracket - spec)))
        return "not TYPE[N]";
    char *end;
    unsigned long count = strtoul(bracket + 1, &end, 0);
    if (*end != ']' || count > UINT32_MAX)
        return "not TYPE[N]";
    *size_B = count * type->room_B;
    if (end[1] == '@') {
        size_t file_B;
        uint8_t *file = read_file(end + 2, &file_B);
        if (!file)
            return "no such file";
        uint8_t *grown = realloc(file, MAX2(file_B, *size_B) + 1);
        if (!grown) {
            free(file);
            return "out of memory";
        }
        if (file_B < *size_B)
            memset(grown + file_B, 0, *size_B - file_B);
        else if (!*size_B)
            *size_B = file_B;
        *data = grown;
        return NULL;
    }
    if (end[1] && end[1] != ':')
        return "not TYPE[N]:VALUES";
    return values_parse(type, end[1] ? end + 2 : "", data, size_B);
}

static const char *
parse_spec(struct eu_run *run, const char *spec)
{
    struct launch *l = &run->launch;
    if (l->arg_count == LAUNCH_MAX_ARGS)
        return "too many arguments";
    struct launch_arg *a = &l->args[l->arg_count];
    struct value_type *type = &run->type[l->arg_count++];
    size_t name_B = strcspn(spec, "[:");
    if (!strcmp(spec, "null"))
        return NULL;
    if (!strncmp(spec, "local[", 6)) {
        char *end;
        a->kind = ARG_LOCAL;
        a->size_B = strtoul(spec + 6, &end, 0);
        return strcmp(end, "]") ? "not local[BYTES]" : NULL;
    }
    if (spec[name_B] == '[') {
        a->kind = ARG_BUFFER;
        return parse_buffer(spec, type, &a->data, &a->size_B);
    }
    a->kind = ARG_VALUE;
    if (spec[name_B] != ':' || !value_type_find(type, spec, name_B))
        return "not TYPE:VALUES or TYPE[N]:VALUES";
    return values_parse(type, spec + name_B + 1, &a->data, &a->size_B);
}

static const char *
parse_memory(struct eu_run *run, const char *text)
{
    struct launch *l = &run->launch;
    if (l->memory_count == LAUNCH_MAX_MEMORY)
        return "too much memory";
    struct launch_memory *m = &l->memory[l->memory_count];
    struct value_type type;
    char *end;
    m->va = strtoull(text, &end, 16);
    if (end == text || *end != '=')
        return "not ADDRESS=TYPE[N]";
    const char *why = parse_buffer(end + 1, &type, &m->data, &m->size_B);
    if (!why)
        l->memory_count++;
    return why;
}

static const char *
parse_out(struct eu_run *run, const char *text)
{
    char *end;
    unsigned long arg = strtoul(text, &end, 10);
    if (end == text || *end != '=' || arg >= LAUNCH_MAX_ARGS)
        return "not ARG=FILE";
    run->out[arg] = end + 1;
    return NULL;
}

static const char *
parse_word(const char *value, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(value, *words))
            return NULL;
    return "an unknown choice";
}

/* Returns NULL or an error message. */
static const char *
take_option(struct eu_run *run, int option, const char *value)
{
    struct launch *l = &run->launch;
    switch (option) {
    case 'a': return NULL; /* arguments follow in any case */
    case 'r': run->all_registers = true; return NULL;
    case 'c': run->want_counts = true; return NULL;
    case 'f': run->grf = value; return NULL;
    case 'j': run->json = true; return NULL;
    case 'k': run->kernel = value; return NULL;
    case 'G':
        run->gen = value[0] == '8' ? EU_GEN8 : EU_GEN9;
        return parse_word(value, (const char *[]){"8", "9", NULL});
    case 'g':
        l->dims = parse_size(value, l->global);
        return l->dims ? NULL : "not X[,Y[,Z]]";
    case 'l': return parse_size(value, l->local) ? NULL : "not X[,Y[,Z]]";
    case 'O': return parse_size(value, l->offset) ? NULL : "not X[,Y[,Z]]";
    case 'm':
        l->dispatch_mask = (uint32_t)strtoul(value, NULL, 16);
        return NULL;
    case 'M': return parse_memory(run, value);
    case 'o': return parse_out(run, value);
    case 's':
        l->simd = (unsigned)atoi(value);
        return parse_word(value, (const char *[]){"8", "16", "32", NULL});
    case 't':
        run->tier = value;
        return parse_word(value,
                          (const char *[]){"interp", "jit", "check", NULL});
    default: return "unknown option";
    }
}

/* Returns -1 to go on, or the exit status. */
static int
parse_args(struct eu_run *run, int argc, char **argv, const char **batch)
{
    int option;
    optind = 0; /* resets getopt(), because each run of a batch parses */
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (option == 'b' && batch) {
            *batch = optarg;
            continue;
        }
        const char *why = take_option(run, option, optarg);
        if (why) {
            fprintf(stderr, "softlake: eu-run: %s%s%s\n", optarg ? optarg : "",
                    optarg ? ": " : "", why);
            return EXIT_USAGE;
        }
    }
    if (optind < argc)
        run->file = argv[optind++];
    for (; optind < argc; optind++) {
        const char *why = parse_spec(run, argv[optind]);
        if (why) {
            fprintf(stderr, "softlake: eu-run: argument %s: %s\n", argv[optind],
                    why);
            return EXIT_USAGE;
        }
    }
    return -1;
}

/* ---- running ----------------------------------------------------------- */

static bool
load_program(struct session *s, const struct eu_run *run, const char **why)
{
    if (s->loaded && !strcmp(s->path, run->file))
        return true;
    if (s->loaded)
        program_free(&s->program);
    free(s->data);
    free(s->path);
    size_t size_B;
    s->loaded = false;
    s->path = strdup(run->file);
    s->data = read_file(run->file, &size_B);
    *why = NULL; /* printed by the reader */
    if (!s->path || !s->data)
        return false;
    s->loaded = program_read(&s->program, s->data, size_B, run->gen, why);
    return s->loaded;
}

static bool
prepare_raw(struct eu_run *run, const char **why)
{
    struct launch *l = &run->launch;
    l->thread = aligned_alloc(64, sizeof *l->thread);
    run->before = aligned_alloc(64, sizeof *run->before);
    *why = "out of memory";
    if (!l->thread || !run->before)
        return false;
    memset(l->thread, 0, sizeof *l->thread);
    if (run->grf && !grf_read(l->thread, run->grf, why))
        return false;
    memcpy(run->before, l->thread, sizeof *run->before);
    if (!l->simd)
        l->simd = 8;
    if (!l->dispatch_mask)
        l->dispatch_mask = l->simd == 32 ? UINT32_MAX
                                         : (UINT32_C(1) << l->simd) - 1;
    return true;
}

static bool
write_outputs(const struct eu_run *run, const char **why)
{
    const struct launch *l = &run->launch;
    for (unsigned i = 0; i < LAUNCH_MAX_ARGS; i++) {
        if (!run->out[i])
            continue;
        *why = "--out needs the number of a buffer";
        if (i >= l->arg_count || l->args[i].kind != ARG_BUFFER)
            return false;
        FILE *file = fopen(run->out[i], "wb");
        bool ok = file && fwrite(l->args[i].data, 1, l->args[i].size_B, file) ==
                              l->args[i].size_B;
        if (file)
            ok &= !fclose(file);
        *why = "an output cannot be written";
        if (!ok)
            return false;
    }
    return true;
}

static bool
execute_run(struct session *s, struct eu_run *run, const char **why)
{
    struct launch *l = &run->launch;
    if (!load_program(s, run, why))
        return false;
    run->gen = s->program.gen;
    l->program = &s->program;
    l->kernel = program_find(&s->program, run->kernel);
    *why = run->kernel ? "no such kernel" : "--kernel must name one of several";
    if (!l->kernel)
        return false;
    bool raw = run->grf || s->program.raw;
    if (raw && !prepare_raw(run, why))
        return false;
    *why = "--global is missing";
    if (!raw && !l->dims)
        return false;
    *why = "out of memory";
    bool interp = !strcmp(run->tier, "interp");
    if (interp && (run->want_counts || run->json || !run->in_batch) &&
        !(l->counts = calloc(l->kernel->code_B / 8 + 1, sizeof *l->counts)))
        return false;
    struct launcher **launcher = &s->launcher[run->gen == EU_GEN9];
    if (!*launcher && !(*launcher = launcher_create(run->gen)))
        return false;
    if (!(raw ? launch_run_raw : launch_run)(*launcher, l, why))
        return false;
    run->problem = l->unimp          ? "something is not implemented"
                   : l->guest_errors ? "the kernel made an error"
                   : l->finished     ? NULL
                                     : "the kernel did not finish";
    return true;
}

/* The tier is chosen once per process: the engine reads it when first used. */
static bool
choose_tier(struct session *s, struct eu_run *run)
{
    const char *given = getenv("SOFTLAKE_EU");
    if (!s->tier) {
        s->tier = run->tier ? run->tier : given ? given : "interp";
        setenv("SOFTLAKE_EU", s->tier, 1);
        s->tier = getenv("SOFTLAKE_EU");
    }
    if (run->tier && strcmp(run->tier, s->tier))
        return false;
    run->tier = s->tier;
    return true;
}

static int
run_one(struct session *s, struct eu_run *run)
{
    const char *why = "a batch has one tier";
    if (!run->file) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (!choose_tier(s, run)) {
        fprintf(stderr, "softlake: eu-run: %s\n", why);
        return EXIT_USAGE;
    }
    if (run->want_counts && strcmp(run->tier, "interp")) {
        fputs("softlake: eu-run: --counts needs --tier interp\n", stderr);
        return EXIT_USAGE;
    }
    if (!execute_run(s, run, &why) || !write_outputs(run, &why)) {
        fflush(stdout);
        if (why)
            fprintf(stderr, "softlake: eu-run: %s: %s\n", run->file, why);
        return EXIT_RUN;
    }
    (run->json ? report_json : report_text)(run);
    return run->problem ? EXIT_RUN : 0;
}

static void
finish_run(struct eu_run *run)
{
    for (unsigned i = 0; i < run->launch.arg_count; i++)
        free(run->launch.args[i].data);
    for (unsigned i = 0; i < run->launch.memory_count; i++)
        free(run->launch.memory[i].data);
    free(run->launch.counts);
    free(run->launch.thread);
    free(run->before);
}

/* ---- batches ----------------------------------------------------------- */

#define MAX_WORDS 256

static int
run_line(struct session *s, char *line)
{
    char *argv[MAX_WORDS + 1] = {"eu-run"}, *save;
    int argc = 1;
    for (char *word = strtok_r(line, " \t\n", &save); word && argc < MAX_WORDS;
         word = strtok_r(NULL, " \t\n", &save))
        argv[argc++] = word;
    struct eu_run run = {.gen = EU_GEN9, .in_batch = true};
    int status = parse_args(&run, argc, argv, NULL);
    if (status < 0)
        status = run_one(s, &run);
    finish_run(&run);
    return status;
}

/* Prints the exit status of each run on a line after its output. */
static int
run_batch(struct session *s, const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
    char *line = NULL;
    size_t room = 0;
    int worst = 0;
    if (!file) {
        fprintf(stderr, "softlake: ");
        perror(path);
        return EXIT_RUN;
    }
    while (getline(&line, &room, file) > 0) {
        int status = run_line(s, line);
        printf("== exit %d\n", status);
        fflush(stdout);
        worst = MAX2(worst, status);
    }
    free(line);
    if (file != stdin)
        fclose(file);
    return worst;
}

int
cli_eu_run(int argc, char **argv)
{
    struct session s = {0};
    struct eu_run run = {.gen = EU_GEN9};
    const char *batch = NULL;
    int status = parse_args(&run, argc, argv, &batch);
    if (status < 0) {
        log_init();
        if (batch && run.tier)
            choose_tier(&s, &run);
        status = batch ? run_batch(&s, batch) : run_one(&s, &run);
    }
    finish_run(&run);
    for (unsigned i = 0; i < ARRAY_SIZE(s.launcher); i++)
        if (s.launcher[i])
            launcher_destroy(s.launcher[i]);
    if (s.loaded)
        program_free(&s.program);
    free(s.data);
    free(s.path);
    return status;
}
