/* report_find.c: finds the report of the launcher.
 *
 * A process inherits the descriptor under the number in SOFTLAKE_REPORT. If a
 * program in between has moved it, a scan finds it. If a program has closed it
 * by direct system calls, the launcher sends it again. */
#include "drm-shim/report/report.h"

#include "base/fd_pass.h"
#include "drm-shim/core/core.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define SCAN_MAX 65536
#define PATIENCE_MS 2000

struct address {
    int fd;
    unsigned long long ino;
    char socket[64];
};

static bool
is_report(int fd, const struct address *a)
{
    struct stat st;
    return !syscall_fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 0 &&
           st.st_ino == a->ino && st.st_size >= (off_t)sizeof(uint64_t);
}

static int
scan_fds(const struct address *a)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return -1;
    int end = (int)MIN2(limit.rlim_max, (rlim_t)SCAN_MAX);
    for (int fd = 3; fd < end; fd++)
        if (is_report(fd, a))
            return fd;
    return -1;
}

/* Moves a descriptor above the client's numbers; exec keeps it. */
static int
put_high(int fd)
{
    int high = fd_pass_dup_high(fd);
    if (high < 0)
        return fd;
    syscall(SYS_close, fd);
    return high;
}

static int
ask_launcher(const struct address *a)
{
    struct sockaddr_un sa;
    socklen_t sa_B = fd_pass_address(&sa, a->socket);
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return -1;
    int fd = -1;
    struct pollfd answer = {connection, POLLIN, 0};
    if (!connect(connection, (struct sockaddr *)&sa, sa_B) &&
        poll(&answer, 1, PATIENCE_MS) == 1)
        fd = fd_pass_receive(connection);
    syscall(SYS_close, connection);
    return fd < 0 ? -1 : put_high(fd);
}

int
report_find(void)
{
    struct address a;
    const char *text = getenv("SOFTLAKE_REPORT");
    int saved = errno;
    if (!text || sscanf(text, SHIM_REPORT_FORMAT, &a.fd, &a.ino, a.socket) != 3)
        return -1;
    int fd = is_report(a.fd, &a) ? a.fd : scan_fds(&a);
    if (fd < 0)
        fd = ask_launcher(&a);
    errno = saved;
    return fd;
}
