/* file_limit.h: RLIMIT_FSIZE. A file of the library that would grow beyond it
 * would end the application with SIGXFSZ, so ask first. Any thread. */
#ifndef BASE_FILE_LIMIT_H
#define BASE_FILE_LIMIT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* False, with errno set: files may not have this size. */
static inline bool
file_limit_allows(uint64_t size_B)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) || size_B <= limit.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

/* write() at the end of a file, or to something that is no file. */
static inline ssize_t
file_limit_append(int fd, const void *data, size_t size_B)
{
    struct rlimit limit;
    struct stat st;
    bool limited = !getrlimit(RLIMIT_FSIZE, &limit) &&
                   limit.rlim_cur != RLIM_INFINITY;
    if (limited && !syscall(SYS_fstat, fd, &st) && S_ISREG(st.st_mode) &&
        !file_limit_allows((uint64_t)st.st_size + size_B))
        return -1;
    return write(fd, data, size_B);
}

#endif
