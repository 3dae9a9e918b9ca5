/* interpose_close.c: close(), dup2() and the like: the descriptor cache forgets
 * a number before the kernel frees it. */
#undef _FILE_OFFSET_BITS
#include "drm-shim/interpose/interpose.h"
#include "drm-shim/device/device.h"
#include "drm-shim/core/core.h"
#include "drm-shim/report/report.h"

#include <errno.h>
#include <limits.h>

static int
close_one(int fd)
{
    if (report_owns_fd(fd))
        return 0; /* the client closes every descriptor that it does not know */
    fd_cache_closing((unsigned)fd, (unsigned)fd);
    int ret = (int)syscall(SYS_close, fd);
    fd_cache_closed();
    return ret;
}

INTERPOSE(int, shim_close, "close", (int fd))
{
    return close_one(fd);
}

INTERPOSE(int, shim___close, "__close", (int fd))
{
    return close_one(fd);
}

/* dup2() closes the new number first. */
static int
dup_over(int fd, int to)
{
    report_leave_fd(to);
    fd_cache_closing((unsigned)to, (unsigned)to);
    int ret = (int)syscall(SYS_dup2, fd, to);
    fd_cache_closed();
    return ret;
}

INTERPOSE(int, shim_dup2, "dup2", (int fd, int to))
{
    return dup_over(fd, to);
}

INTERPOSE(int, shim___dup2, "__dup2", (int fd, int to))
{
    return dup_over(fd, to);
}

INTERPOSE(int, shim_dup3, "dup3", (int fd, int to, int flags))
{
    fd_cache_closing((unsigned)to, (unsigned)to);
    int ret = (int)syscall(SYS_dup3, fd, to, flags);
    fd_cache_closed();
    return ret;
}

static int
close_range_of(unsigned first, unsigned last, int flags)
{
    unsigned kept = (unsigned)report_fd();
    int ret = 0;
    fd_cache_closing(first, last);
    if (report_fd() < 0 || kept < first || kept > last) {
        ret = (int)syscall(SYS_close_range, first, last, flags);
    } else {
        if (first < kept)
            ret = (int)syscall(SYS_close_range, first, kept - 1, flags);
        if (!ret && kept < last)
            ret = (int)syscall(SYS_close_range, kept + 1, last, flags);
    }
    fd_cache_closed();
    return ret;
}

INTERPOSE(int, shim_close_range, "close_range",
          (unsigned first, unsigned last, int flags))
{
    return close_range_of(first, last, flags);
}

/* Falls back to glibc's walk of /proc where the kernel lacks close_range(). */
INTERPOSE(void, shim_closefrom, "closefrom", (int first))
{
    unsigned low = first < 0 ? 0 : (unsigned)first;
    if (!close_range_of(low, UINT_MAX, 0))
        return;
    fd_cache_closing(low, UINT_MAX);
    REAL(void (*)(int), "closefrom")(first);
    fd_cache_closed();
}
