/* cmd_check.c: --check: opens each driver stack in a child of its own, because
 * a stack that crashes or hangs must not hide the others. */
#include "cli/check/check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/check/probe.h"

static const struct {
    const char *name, *title;
    int (*probe)(void);
} stacks[] = {
    {"egl", "EGL surfaceless", probe_egl},
    {"gbm", "GBM", probe_gbm},
    {"kms", "KMS", probe_kms},
    {"vulkan", "Vulkan", probe_vulkan},
    {"opencl", "OpenCL", probe_opencl},
    {"va", "VA-API", probe_va},
};

#define STACKS (sizeof stacks / sizeof stacks[0])
#define PROBE_SECONDS 30

int
check_probe(const char *stack)
{
    for (unsigned i = 0; i < STACKS; i++)
        if (!strcmp(stack, stacks[i].name)) {
            int status = stacks[i].probe();
            fflush(stdout);
            /* _exit() skips the exit handlers of drivers, which are irrelevant
             * here. */
            _exit(status);
        }
    return PROBE_FAILED;
}

static int
run_probe(const char *self, const char *stack, char *text, size_t size)
{
    int fds[2];
    if (pipe(fds))
        return PROBE_FAILED;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDOUT_FILENO);
        close(fds[0]);
        close(fds[1]);
        alarm(PROBE_SECONDS);
        execl(self, "softlake", "--probe", stack, (char *)NULL);
        _exit(PROBE_FAILED);
    }
    close(fds[1]);
    size_t n = 0;
    ssize_t got;
    while (n + 1 < size && (got = read(fds[0], text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = 0;
    close(fds[0]);
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid < 0 || !WIFEXITED(status)) {
        snprintf(text, size, "died of signal %d\n",
                 pid < 0 ? 0 : WTERMSIG(status));
        return PROBE_FAILED;
    }
    return WEXITSTATUS(status);
}

int
check_run(const char *self)
{
    int worst = 0;
    for (unsigned i = 0; i < STACKS; i++) {
        char text[1024];
        int status = run_probe(self, stacks[i].name, text, sizeof text);
        const char *word = status == PROBE_OK        ? "ok"
                           : status == PROBE_ABSENT  ? "not installed"
                           : status == PROBE_FOREIGN ? "NOT SOFTLAKE"
                                                     : "FAILED";
        text[strcspn(text, "\n")] = 0;
        printf("%-16s %-14s %s\n", stacks[i].title, word, text);
        fflush(stdout);
        if (status == PROBE_FOREIGN || status == PROBE_FAILED)
            worst = 1;
    }
    return worst;
}
