/* interpose_read.c: read(), which fails on streams of performance counters that
 * have nothing to give (oa/), as i915's does. */
#undef _FILE_OFFSET_BITS
#include "drm-shim/interpose/interpose.h"
#include "drm-shim/oa/oa.h"

#include <errno.h>
#include <stdint.h>
#include <sys/types.h>

static void *real; /* libc's read() */

/* Before anybody reads in a signal handler, where dlsym() may not be called. */
__attribute__((constructor)) static void
find_real(void)
{
    interpose_real(&real, "read");
}

static ssize_t
read_from(int fd, void *data, size_t size_B)
{
    int err = oa_stream_check_read(fd, size_B);
    if (err) {
        errno = -err;
        return -1;
    }
    void *to = interpose_real(&real, "read");
    return ((ssize_t(*)(int, void *, size_t))(uintptr_t)to)(fd, data, size_B);
}

INTERPOSE(ssize_t, shim_read, "read", (int fd, void *data, size_t size_B))
{
    return read_from(fd, data, size_B);
}

INTERPOSE(ssize_t, shim___read, "__read", (int fd, void *data, size_t size_B))
{
    return read_from(fd, data, size_B);
}
