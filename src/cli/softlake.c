/* The front door: runs a command under the preloaded library.
 *
 * Without --strict the launcher becomes the command (exec), so signals, exit
 * status and job control are the command's own. With --strict it stays as
 * parent, because somebody has to look at the report afterwards. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/cli.h"
#include "drm-shim/report.h"

/* env(1)'s exit codes, and ours for --strict. */
enum {
    EXIT_STRICT = 120,
    EXIT_LAUNCHER = 125,
    EXIT_NOEXEC = 126,
    EXIT_NOTFOUND = 127
};

#define LIBRARY "libsoftlake.so"

static const char usage_text[] =
    "usage: softlake [options] [--] COMMAND [ARG...]\n"
    "       softlake --check\n"
    "       softlake disasm [OPTION]... FILE...\n"
    "       softlake eu-run FILE [OPTION]... [SPEC]...\n"
    "\n"
    "Runs COMMAND with a software Intel GPU: the stock driver loads as on\n"
    "Kaby Lake hardware, and its work is executed on the CPU.\n"
    "\n"
    "  -c, --check             say which driver stacks work here, and exit\n"
    "  -s, --strict            exit 120 if the command did not use the device\n"
    "                          or met anything unimplemented\n"
    "  -n, --noop              accept all work, execute none\n"
    "  -p, --platform=NAME     skl, kbl (default), bxt, glk, cfl, bdw\n"
    "  -j, --threads=N         threads that execute; 0: in the submitter, who\n"
    "                          then cannot give what its work waits for\n"
    "  -f, --framebuffer=FILE  write what was last shown or drawn as PNG\n"
    "  -t, --trace=TAGS        trace topics, comma separated; 'help' lists\n"
    "  -o, --output=FILE       append messages, traces, statistics to FILE\n"
    "      --stats             print counters at exit\n"
    "      --perf=HOW          show compiled kernels to perf: map, jitdump;\n"
    "                          leave out: no_rects, no_wait, no_hidden, "
    "no_cleared,\n"
    "                          no_raster, no_fs, no_depth, no_blend, no_tex\n"
    "      --gdb               show compiled kernels to gdb\n"
    "  -h, --help              this text\n"
    "  -V, --version           the version\n"
    "\n"
    "Each option has an environment variable: SOFTLAKE_STRICT, _NOOP,\n"
    "_PLATFORM, _THREADS, _FRAMEBUFFER, _TRACE, _OUTPUT, _STATS, _PERF, _GDB.\n"
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

static int complain(int status, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int
complain(int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("softlake: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return status;
}

/* The library: beside us in a build tree, or where meson installed it. */
static bool
find_library(char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return false;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    static const char *const places[] = {"../drm-shim", SOFTLAKE_LIB_FROM_BIN};
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        char candidate[PATH_MAX + 256];
        snprintf(candidate, sizeof candidate, "%s/%s/" LIBRARY, self,
                 places[i]);
        char resolved[PATH_MAX];
        if (realpath(candidate, resolved) && !access(resolved, R_OK)) {
            snprintf(path, size, "%s", resolved);
            return true;
        }
    }
    return false;
}

static bool
preload(void)
{
    char library[PATH_MAX];
    if (!find_library(library, sizeof library))
        return false;
    const char *old = getenv("LD_PRELOAD");
    if (old && strstr(old, library))
        return true; /* nested softlake */
    char value[PATH_MAX * 4];
    int n = snprintf(value, sizeof value, "%s%s%s", old ? old : "",
                     old && *old ? ":" : "", library);
    return n < (int)sizeof value && !setenv("LD_PRELOAD", value, 1);
}

static struct shim_report *
make_report(char *path)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, PATH_MAX, "%s/softlake-report-XXXXXX",
             dir && *dir ? dir : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct shim_report *report = MAP_FAILED;
    if (!ftruncate(fd, sizeof *report))
        report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED,
                      fd, 0);
    close(fd);
    if (report == MAP_FAILED) {
        unlink(path);
        return NULL;
    }
    report->magic = SHIM_REPORT_MAGIC;
    report->counters = STAT_COUNT;
    setenv("SOFTLAKE_REPORT", path, 1);
    return report;
}

static volatile pid_t child;

static void
forward(int sig)
{
    if (child > 0)
        kill(child, sig);
}

static int
wait_for_child(void)
{
    static const int forwarded[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    struct sigaction sa = {.sa_handler = forward, .sa_flags = SA_RESTART};
    for (unsigned i = 0; i < ARRAY_SIZE(forwarded); i++)
        sigaction(forwarded[i], &sa, NULL);
    /* The terminal sends these to the whole group: the command decides. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_LAUNCHER;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What --strict says about a finished run; 0 if it has no objection. */
static int
judge(const struct shim_report *report, const char *command)
{
    uint64_t opens = atomic_load(&report->counter[STAT_opens]);
    uint64_t unimp_hits = atomic_load(&report->counter[STAT_unimp]);
    uint64_t errors = atomic_load(&report->counter[STAT_guest_errors]);
    if (!opens)
        return complain(EXIT_STRICT,
                        "strict: %s never opened the Softlake device: "
                        "whatever it drew, it did not draw here",
                        command);
    if (unimp_hits)
        return complain(EXIT_STRICT,
                        "strict: %s met %" PRIu64
                        " unimplemented features (listed above)",
                        command, unimp_hits);
    if (errors)
        return complain(EXIT_STRICT,
                        "strict: %s made %" PRIu64
                        " guest errors (listed above)",
                        command, errors);
    return 0;
}

static int
exec_command(char **argv)
{
    execvp(argv[0], argv);
    int error = errno;
    return complain(error == ENOENT ? EXIT_NOTFOUND : EXIT_NOEXEC, "%s: %s",
                    argv[0], strerror(error));
}

static int
run_strict(char **argv)
{
    char path[PATH_MAX];
    struct shim_report *report = make_report(path);
    if (!report)
        return complain(EXIT_LAUNCHER, "cannot make a report file: %s",
                        strerror(errno));
    fflush(NULL);
    child = fork();
    if (child < 0) {
        unlink(path);
        return complain(EXIT_LAUNCHER, "fork: %s", strerror(errno));
    }
    if (child == 0)
        _exit(exec_command(argv));
    int status = wait_for_child();
    unlink(path);
    int verdict = status == EXIT_NOEXEC || status == EXIT_NOTFOUND
                      ? 0
                      : judge(report, argv[0]);
    /* A command that failed by itself keeps its own status: that is what the
     * caller has to look at first. */
    return status ? status : verdict;
}

static bool
flag_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0");
}

static int
run(char **argv)
{
    bool strict = flag_set("SOFTLAKE_STRICT");
    char path[PATH_MAX];
    enum exe_kind kind = exe_classify(argv[0], path, sizeof path);
    if (kind == EXE_MISSING)
        return complain(EXIT_NOTFOUND, "%s: %s", argv[0], exe_kind_text(kind));
    if (kind == EXE_DENIED)
        return complain(EXIT_NOEXEC, "%s: %s", argv[0], exe_kind_text(kind));
    if (kind != EXE_OK) {
        complain(0, "%s%s %s", strict ? "strict: " : "warning: ", path,
                 exe_kind_text(kind));
        if (strict)
            return EXIT_STRICT;
    }
    if (!preload())
        return complain(EXIT_LAUNCHER, LIBRARY " is not where it belongs");
    return strict ? run_strict(argv) : exec_command(argv);
}

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

/* Paths must survive the command's chdir. */
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

/* One option into the environment. Returns an exit status, or -1 to go on. */
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
            return complain(EXIT_LAUNCHER, "no platform '%s'", optarg);
        setenv("SOFTLAKE_PLATFORM", optarg, 1);
        return -1;
    case 'j':
        if (!valid_threads(optarg))
            return complain(EXIT_LAUNCHER,
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
    default: fputs("Try 'softlake --help'.\n", stderr); return EXIT_LAUNCHER;
    }
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"disasm", cli_disasm},
    {"eu-run", cli_eu_run},
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
    if (check) {
        if (!preload())
            return complain(EXIT_LAUNCHER, LIBRARY " is not where it belongs");
        return check_run();
    }
    if (optind >= argc) {
        fputs(usage_text, stderr);
        return EXIT_LAUNCHER;
    }
    bool dashes = optind > 1 && !strcmp(argv[optind - 1], "--");
    for (unsigned i = 0; i < ARRAY_SIZE(subcommands) && !dashes; i++)
        if (!strcmp(argv[optind], subcommands[i].name))
            return subcommands[i].run(argc - optind, argv + optind);
    return run(argv + optind);
}
