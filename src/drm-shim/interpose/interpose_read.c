/* interpose_read.c: read(), which fails on streams of performance counters that
 * have nothing to give (oa/), as i915's does. */
#undef _FILE_OFFSET_BITS
#include "drm-shim/interpose/interpose.h"
#include "drm-shim/oa/oa.h"

#include <errno.h>
#include <stdint.h>
#include <sys/types.h>

static ssize_t
read_from(int fd, void *data, size_t size_B)
{
    int err = oa_stream_check_read(fd, size_B);
    if (!err)
        return REAL(ssize_t(*)(int, void *, size_t), "read")(fd, data, size_B);
    errno = -err;
    return -1;
}

INTERPOSE(ssize_t, shim_read, "read", (int fd, void *data, size_t size_B))
{
    return read_from(fd, data, size_B);
}

INTERPOSE(ssize_t, shim___read, "__read", (int fd, void *data, size_t size_B))
{
    return read_from(fd, data, size_B);
}
