/* syscall.h: system calls that bypass the wrappers of interpose/.
 *
 * Results as in libc: -1 and errno. On x86-64 struct stat has the kernel's
 * layout. Any thread. */
#ifndef DRM_SHIM_CORE_SYSCALL_H
#define DRM_SHIM_CORE_SYSCALL_H

#include "base/file_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int
syscall_openat(int dir, const char *path, int flags, unsigned mode)
{
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

static inline int
syscall_fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

static inline int
syscall_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return (int)syscall(SYS_newfstatat, dir, path, st, flags);
}

static inline int
syscall_ioctl(int fd, unsigned long request, void *arg)
{
    return (int)syscall(SYS_ioctl, fd, request, arg);
}

static inline void *
syscall_mmap(void *addr, size_t length, int prot, int flags, int fd,
             uint64_t offset)
{
    return (void *)syscall(SYS_mmap, addr, length, prot, flags, fd, offset);
}

static inline ssize_t
syscall_readlinkat(int dir, const char *path, char *buf, size_t size)
{
    return syscall(SYS_readlinkat, dir, path, buf, size);
}

/* ftruncate() of a file of the library. Above RLIMIT_FSIZE the kernel would
 * send SIGXFSZ; this fails with EFBIG. */
static inline int
syscall_truncate(int fd, uint64_t size_B)
{
    if (!file_limit_allows(size_B))
        return -1;
    return (int)syscall(SYS_ftruncate, fd, size_B);
}

/* Moves a descriptor above the application's small numbers and sets
 * close-on-exec. Closes the old one. -1 stays -1. */
static inline int
syscall_fd_up(int fd)
{
    if (fd < 0)
        return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 1000);
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

#endif
