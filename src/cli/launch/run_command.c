/* run_command.c: runs a command under the preloaded library.
 *
 * Without --strict the launcher becomes the command (exec), so signals, exit
 * status and job control are the command's own. With --strict it stays as
 * parent, because it judges the report afterwards. */
#include "cli/launch/launch.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int
cli_complain(int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("softlake: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return status;
}

const char *
cli_option_twin(const char *prefix, const char *option)
{
    char name[128];
    int n = snprintf(name, sizeof name, "%s", prefix);
    for (; *option && n + 1 < (int)sizeof name; option++)
        name[n++] = *option == '-' ? '_' : (char)toupper((uint8_t)*option);
    name[n] = 0;
    return getenv(name);
}

int
cli_exec(char **argv)
{
    execvp(argv[0], argv);
    int error = errno;
    return cli_complain(error == ENOENT ? CLI_EXIT_NOTFOUND : CLI_EXIT_NOEXEC,
                        "%s: %s", argv[0], strerror(error));
}

static volatile pid_t forward_to;

static void
forward_signal(int sig)
{
    if (forward_to > 0)
        kill(forward_to, sig);
}

void
cli_forward_signals(pid_t child)
{
    static const int forwarded[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    struct sigaction sa = {.sa_handler = forward_signal,
                           .sa_flags = SA_RESTART};
    forward_to = child;
    for (unsigned i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaction(forwarded[i], &sa, NULL);
    /* The terminal sends these to the whole group, so the command decides. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
}

int
cli_exit_status(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                  : 128 + WTERMSIG(wait_status);
}

static bool
flag_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0");
}

int
cli_run_command(char **argv)
{
    bool strict = flag_set("SOFTLAKE_STRICT");
    char path[PATH_MAX];
    enum exe_kind kind = exe_classify(argv[0], path, sizeof path);
    if (kind == EXE_MISSING)
        return cli_complain(CLI_EXIT_NOTFOUND, "%s: %s", argv[0],
                            exe_kind_text(kind));
    if (kind == EXE_DENIED)
        return cli_complain(CLI_EXIT_NOEXEC, "%s: %s", argv[0],
                            exe_kind_text(kind));
    if (kind != EXE_OK) {
        cli_complain(0, "%s%s %s", strict ? "strict: " : "warning: ", path,
                     exe_kind_text(kind));
        if (strict)
            return CLI_EXIT_STRICT;
    }
    const char *why = cli_preload();
    if (why)
        return cli_complain(CLI_EXIT_LAUNCHER, "%s", why);
    return strict ? strict_run(argv) : cli_exec(argv);
}
