/* Closing: what is known about descriptors goes before they do. */
#undef _FILE_OFFSET_BITS
#include "drm-shim/interpose.h"
#include "drm-shim/numbers.h"
#include "drm-shim/raw.h"

#include <errno.h>
#include <limits.h>

static int
close_one(int fd)
{
    numbers_closing((unsigned)fd, (unsigned)fd);
    int ret = (int)syscall(SYS_close, fd);
    numbers_closed();
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

/* The new number is closed first. */
static int
dup_over(int fd, int to)
{
    numbers_closing((unsigned)to, (unsigned)to);
    int ret = (int)syscall(SYS_dup2, fd, to);
    numbers_closed();
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
    numbers_closing((unsigned)to, (unsigned)to);
    int ret = (int)syscall(SYS_dup3, fd, to, flags);
    numbers_closed();
    return ret;
}

static int
close_range_of(unsigned first, unsigned last, int flags)
{
    numbers_closing(first, last);
    int ret = (int)syscall(SYS_close_range, first, last, flags);
    numbers_closed();
    return ret;
}

INTERPOSE(int, shim_close_range, "close_range",
          (unsigned first, unsigned last, int flags))
{
    return close_range_of(first, last, flags);
}

/* glibc falls back to /proc where the kernel is old; so does this. */
INTERPOSE(void, shim_closefrom, "closefrom", (int first))
{
    unsigned low = first < 0 ? 0 : (unsigned)first;
    numbers_closing(low, UINT_MAX);
    REAL(void (*)(int), "closefrom")(first);
    numbers_closed();
}
