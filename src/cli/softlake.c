/* softlake.c: main(): options and subcommands. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/check/check.h"
#include "cli/launch/launch.h"
#include "cli/kernel/kernel.h"
#include "cli/profile/profile.h"

static const char usage_text[] =
    "usage: softlake [options] [--] COMMAND [ARG...]\n"
    "       softlake --check\n"
    "       softlake disasm [OPTION]... FILE...\n"
    "       softlake eu-run FILE [OPTION]... [SPEC]...\n"
    "       softlake profile [OPTION]... [--] COMMAND [ARG...]\n"
    "       softlake annotate [OPTION]... FILE [KERNEL]\n"
    "       softlake diff [OPTION]... A.json B.json\n"
    "\n"
    "Runs COMMAND with a software Intel GPU: the stock driver loads as on\n"
    "Kaby Lake hardware, and its work is executed on the CPU.\n"
    "\n"
    "  -c, --check             say which driver stacks work here, and exit\n"
    "  -s, --strict            exit 120 if the command did not use the device\n"
    "                          or met anything unimplemented\n"
    "  -n, --noop              accept all work, execute none\n"
    "  -p, --platform=NAME     skl, kbl (default), bxt, glk, cfl, bdw\n"
    "  -j, --threads=N         threads that execute; 0: the submitting "
    "thread,\n"
    "                          which must not be what its work waits for\n"
    "  -f, --framebuffer=FILE  write the last shown or drawn picture as PNG\n"
    "  -t, --trace=TAGS        trace topics, comma separated; 'help' lists\n"
    "  -o, --output=FILE       append messages, traces, statistics to FILE\n"
    "      --stats             print counters at exit\n"
    "      --perf=HOW          show compiled kernels to perf: map, jitdump;\n"
    "                          leave out: no_rects, no_rect_buffers, no_wait,\n"
    "                          no_merge, no_hidden,\n"
    "                          no_cleared, no_block_list, no_sample_list,\n"
    "                          no_depth_only, no_block, no_covered,\n"
    "                          no_multi_prim,\n"
    "                          no_uniform, no_chain, no_rt_batch,\n"
    "                          no_mcs_blocks,\n"
    "                          no_tex_grid, no_tex_dwords, no_tex_bc1,\n"
    "                          no_tex_bc1_srgb, no_tex_bc3, no_tex_etc,\n"
    "                          no_tex_footprint, no_tex_lanes,\n"
    "                          no_blt_fill, no_blt_copy,\n"
    "                          no_typed_lanes, no_typed_lines,\n"
    "                          no_group_series,\n"
    "                          no_raster, no_fs, no_depth, no_blend, no_tex\n"
    "      --gdb               show compiled kernels to gdb\n"
    "  -h, --help              this text\n"
    "  -V, --version           the version\n"
    "\n"
    "Each option has an environment variable: SOFTLAKE_STRICT, _NOOP,\n"
    "_PLATFORM, _THREADS, _FRAMEBUFFER, _TRACE, _OUTPUT, _STATS, _PERF, _GDB.\n"
    "SOFTLAKE_HANG_S: seconds without progress until work counts as hung "
    "(10).\n"
    "Exit status: the command's; 120 strict failure, 125 softlake itself\n"
    "failed, 126 COMMAND cannot be run, 127 COMMAND not found.\n";

static const struct option long_options[] = {
    {"check", no_argument, NULL, 'c'},
    {"strict", no_argument, NULL, 's'},
    {"noop", no_argument, NULL, 'n'},
    {"platform", required_argument, NULL, 'p'},
    {"threads", required_argument, NULL, 'j'},
    {"framebuffer", required_argument, NULL, 'f'},
    {"trace", required_argument, NULL, 't'},
    {"output", required_argument, NULL, 'o'},
    {"stats", no_argument, NULL, 'S'},
    {"perf", required_argument, NULL, 'F'},
    {"gdb", no_argument, NULL, 'G'},
    {"probe", required_argument, NULL, 'P'}, /* private: child of --check */
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static bool
valid_threads(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && n <= 1024;
}

static bool
valid_platform(const char *name)
{
    static const char *const names[] = {"skl", "kbl", "bxt",
                                        "glk", "cfl", "bdw"};
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Makes the path absolute, because the command may change directory. */
static void
set_path(const char *name, const char *file)
{
    char cwd[PATH_MAX], value[PATH_MAX * 2];
    if (*file != '/' && getcwd(cwd, sizeof cwd))
        snprintf(value, sizeof value, "%s/%s", cwd, file);
    else
        snprintf(value, sizeof value, "%s", file);
    setenv(name, value, 1);
}

/* Puts one option into the environment. Returns an exit status, or -1 to go on.
 */
static int
take_option(int option)
{
    switch (option) {
    case 's': setenv("SOFTLAKE_STRICT", "1", 1); return -1;
    case 'n': setenv("SOFTLAKE_NOOP", "1", 1); return -1;
    case 'S': setenv("SOFTLAKE_STATS", "1", 1); return -1;
    case 'f': set_path("SOFTLAKE_FRAMEBUFFER", optarg); return -1;
    case 'o': set_path("SOFTLAKE_OUTPUT", optarg); return -1;
    case 'F': setenv("SOFTLAKE_PERF", optarg, 1); return -1;
    case 'G': setenv("SOFTLAKE_GDB", "1", 1); return -1;
    case 'p':
        if (!valid_platform(optarg))
            return cli_complain(CLI_EXIT_LAUNCHER, "no platform '%s'", optarg);
        setenv("SOFTLAKE_PLATFORM", optarg, 1);
        return -1;
    case 'j':
        if (!valid_threads(optarg))
            return cli_complain(CLI_EXIT_LAUNCHER,
                                "--threads wants 0 to 1024, not "
                                "'%s'",
                                optarg);
        setenv("SOFTLAKE_THREADS", optarg, 1);
        return -1;
    case 't':
        setenv("SOFTLAKE_TRACE", optarg, 1);
        if (!strcmp(optarg, "help")) {
            log_init();
            return 0;
        }
        return -1;
    case 'P': return check_probe(optarg);
    case 'h': fputs(usage_text, stdout); return 0;
    case 'V': puts("softlake " SOFTLAKE_VERSION); return 0;
    default:
        fputs("Try 'softlake --help'.\n", stderr);
        return CLI_EXIT_LAUNCHER;
    }
}

static int
run_check(void)
{
    char self[PATH_MAX];
    const char *why = cli_preload();
    if (!why && !cli_self(self, sizeof self))
        why = "cannot find the path of this program";
    return why ? cli_complain(CLI_EXIT_LAUNCHER, "%s", why) : check_run(self);
}

/* Whether the file is a program binary, which has the names of its kernels. */
static bool
is_program(const char *file)
{
    char magic[4] = "";
    FILE *f = fopen(file, "re");
    bool read = f && fread(magic, sizeof magic, 1, f) == 1;
    if (f)
        fclose(f);
    return read && (!memcmp(magic, "\177ELF", 4) || !memcmp(magic, "CTNI", 4));
}

/* Adds --WORD for each word of a list. NULL: no memory. */
static char **
add_options(char **at, char *words)
{
    for (char *word = strtok(words, ","); word; word = strtok(NULL, ","))
        if (asprintf(at++, "--%s", word) < 0)
            return NULL;
    return at;
}

/* eu-run with --profile: the command is eu-run without it. */
static int
profile_eu_run(int argc, char **argv, int option)
{
    static char self[PATH_MAX];
    char *words = strchr(argv[option], '=');
    size_t room = (size_t)argc + strlen(argv[option]) + 8;
    char **args = calloc(room, sizeof *args), **at = args;
    if (!args || !cli_self(self, sizeof self))
        return cli_complain(CLI_EXIT_LAUNCHER, "eu-run: no memory");
    *at++ = "profile";
    at = words ? add_options(at, words + 1) : at;
    if (!at)
        return cli_complain(CLI_EXIT_LAUNCHER, "eu-run: no memory");
    if (*argv[1] != '-' && is_program(argv[1])) {
        *at++ = "--symbols";
        *at++ = argv[1];
    }
    *at++ = "--";
    *at++ = self;
    for (int i = 0; i < argc; i++)
        if (i != option)
            *at++ = argv[i];
    return cli_profile((int)(at - args), args);
}

static int
run_eu(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--profile") ||
            !strncmp(argv[i], "--profile=", 10))
            return profile_eu_run(argc, argv, i);
    return cli_eu_run(argc, argv);
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"disasm", cli_disasm},     {"eu-run", run_eu}, {"profile", cli_profile},
    {"annotate", cli_annotate}, {"diff", cli_diff},
};

int
main(int argc, char **argv)
{
    bool check = false;
    int option;
    while ((option = getopt_long(argc, argv, "+csnp:j:f:t:o:hV", long_options,
                                 NULL)) != -1) {
        if (option == 'c') {
            check = true;
            continue;
        }
        int status = take_option(option);
        if (status >= 0)
            return status;
    }
    if (check)
        return run_check();
    if (optind >= argc) {
        fputs(usage_text, stderr);
        return CLI_EXIT_LAUNCHER;
    }
    bool dashes = optind > 1 && !strcmp(argv[optind - 1], "--");
    for (unsigned i = 0; i < ARRAY_SIZE(subcommands) && !dashes; i++)
        if (!strcmp(argv[optind], subcommands[i].name))
            return subcommands[i].run(argc - optind, argv + optind);
    return cli_run_command(argv + optind);
}
