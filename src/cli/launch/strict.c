/* strict.c: runs the command as a child, and judges the counters that its
 * processes left in the report (drm-shim/report/report.h). */
#include "base/fd_pass.h"
#include "cli/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drm-shim/report/report.h"

struct strict {
    struct shim_report *report;
    int fd;        /* closed by exec */
    int inherited; /* for the command, above the small numbers */
    int listener;  /* hands the descriptor out again; -1: none */
    int signals;   /* -1: none */
    const char *command;
};

/* ---- the report ---------------------------------------------------------- */

static bool
make_report(struct strict *s)
{
    s->fd = memfd_create("softlake-report", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (s->fd < 0 || ftruncate(s->fd, sizeof *s->report))
        return false;
    fcntl(s->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    s->report = mmap(NULL, sizeof *s->report, PROT_READ | PROT_WRITE,
                     MAP_SHARED, s->fd, 0);
    if (s->report == MAP_FAILED)
        return false;
    s->report->magic = SHIM_REPORT_MAGIC;
    s->report->counters = STAT_COUNT;
    s->inherited = fd_pass_dup_high(s->fd);
    return s->inherited >= 0;
}

/* Opens the socket that sends the report's descriptor again. The launcher goes
 * on if that fails. */
static void
listen_for_lost(struct strict *s, char name[64])
{
    struct sockaddr_un sa;
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = (uintptr_t)s->report;
    snprintf(name, 64, "softlake-report-%d-%016" PRIx64, (int)getpid(), random);
    socklen_t sa_B = fd_pass_address(&sa, name);
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
                         0);
    if (s->listener < 0 || (!bind(s->listener, (struct sockaddr *)&sa, sa_B) &&
                            !listen(s->listener, 64)))
        return;
    close(s->listener);
    s->listener = -1;
}

static bool
announce_report(struct strict *s)
{
    char socket_name[64], value[160];
    struct stat st;
    if (fstat(s->fd, &st))
        return false;
    listen_for_lost(s, socket_name);
    snprintf(value, sizeof value, SHIM_REPORT_FORMAT, s->inherited,
             (unsigned long long)st.st_ino, socket_name);
    return !setenv("SOFTLAKE_REPORT", value, 1);
}

static void
send_report(const struct strict *s)
{
    int connection = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0)
        return;
    fd_pass_send(connection, s->fd);
    close(connection);
}

/* ---- the child ----------------------------------------------------------- */

/* SIGCHLD may be missed: the tick bounds the wait. */
static int
wait_for_child(const struct strict *s, pid_t child)
{
    const int tick_ms = s->signals < 0 ? 10 : 1000;
    struct pollfd fds[2] = {{s->signals, POLLIN, 0}, {s->listener, POLLIN, 0}};
    int status;
    for (;;) {
        pid_t pid = waitpid(child, &status, WNOHANG);
        if (pid < 0 && errno != EINTR)
            return CLI_EXIT_LAUNCHER;
        if (pid > 0)
            break;
        if (poll(fds, 2, tick_ms) <= 0)
            continue;
        struct signalfd_siginfo info;
        if (fds[0].revents && read(s->signals, &info, sizeof info) < 0)
            continue;
        if (fds[1].revents)
            send_report(s);
    }
    return cli_exit_status(status);
}

/* ---- the verdict --------------------------------------------------------- */

static const char *const drawer_names[] = {
#define X(id, name) name,
    SHIM_DRAWERS(X)
#undef X
};

static uint64_t
read_counter(const struct strict *s, enum stat_id id)
{
    return atomic_load(&s->report->counter[id]);
}

/* The first software rasteriser that drew, or that was only set up (a guess);
 * -1: none. */
static int
find_drawer(const struct strict *s, bool drew)
{
    for (int i = 0; i < DRAWER_COUNT; i++)
        if (atomic_load(drew ? &s->report->drawer[i].drew_pid
                             : &s->report->drawer[i].ready_pid))
            return i;
    return -1;
}

/* A phrase that names the rasteriser that drew instead of the device, if
 * known. */
static const char *
drew_instead(const struct strict *s)
{
    int drawer = find_drawer(s, true);
    static char text[64];
    if (drawer < 0)
        drawer = find_drawer(s, false);
    if (drawer < 0)
        return "whatever it drew, it did not draw here";
    snprintf(text, sizeof text, "%s drew instead", drawer_names[drawer]);
    return text;
}

/* Programs that print what a driver offers, and need not draw. */
static bool
only_asks(const char *command)
{
    static const char *const names[] = {"vainfo", "clinfo", "eglinfo",
                                        "vulkaninfo"};
    const char *slash = strrchr(command, '/');
    const char *name = slash ? slash + 1 : command;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static int
judge_device(const struct strict *s)
{
    if (!read_counter(s, STAT_opens))
        return cli_complain(CLI_EXIT_STRICT,
                            "strict: %s never opened the Softlake device: %s",
                            s->command, drew_instead(s));
    /* Frames count as work if no rasteriser was set up: the program may have
     * drawn their pixels itself. */
    bool done = atomic_load(&s->report->work) || read_counter(s, STAT_flips) ||
                only_asks(s->command);
    bool elsewhere = !atomic_load(&s->report->work) &&
                     find_drawer(s, false) >= 0;
    if (!done || elsewhere)
        return cli_complain(
            CLI_EXIT_STRICT,
            "strict: %s opened the Softlake device, but nothing "
            "was drawn, computed or copied there: %s",
            s->command, drew_instead(s));
    int drawer = find_drawer(s, true);
    if (drawer < 0)
        return 0;
    return cli_complain(
        CLI_EXIT_STRICT,
        "strict: %s used the Softlake device, but %s drew, too (process %d, "
        "%.15s)",
        s->command, drawer_names[drawer],
        (int)atomic_load(&s->report->drawer[drawer].drew_pid),
        s->report->drawer[drawer].process);
}

/* The verdict of --strict on a finished run; 0: no objection. */
static int
judge_run(const struct strict *s)
{
    int verdict = judge_device(s);
    uint64_t unimp_hits = read_counter(s, STAT_unimp);
    uint64_t errors = read_counter(s, STAT_guest_errors);
    if (verdict)
        return verdict;
    if (unimp_hits)
        return cli_complain(CLI_EXIT_STRICT,
                            "strict: %s met %" PRIu64
                            " unimplemented features (listed above)",
                            s->command, unimp_hits);
    if (errors)
        return cli_complain(CLI_EXIT_STRICT,
                            "strict: %s made %" PRIu64
                            " guest errors (listed above)",
                            s->command, errors);
    return 0;
}

int
strict_run(char **argv)
{
    struct strict s = {.command = argv[0], .listener = -1};
    sigset_t chld, old;
    if (!make_report(&s) || !announce_report(&s))
        return cli_complain(CLI_EXIT_LAUNCHER, "cannot make a report: %s",
                            strerror(errno));
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, &old);
    s.signals = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return cli_complain(CLI_EXIT_LAUNCHER, "fork: %s", strerror(errno));
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        _exit(cli_exec(argv));
    }
    close(s.inherited);
    cli_forward_signals(child);
    int status = wait_for_child(&s, child);
    int verdict = status == CLI_EXIT_NOEXEC || status == CLI_EXIT_NOTFOUND
                      ? 0
                      : judge_run(&s);
    /* A command that failed keeps its own status: it is more important. */
    return status ? status : verdict;
}
