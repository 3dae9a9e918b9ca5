/* raw.h: system calls of our own that must not meet our own wrappers.
 * As libc: -1 and errno. x86-64: struct stat is what the kernel fills in.
 * Any thread. */
#ifndef SHIM_RAW_H
#define SHIM_RAW_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int
raw_openat(int dir, const char *path, int flags, unsigned mode)
{
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

static inline int
raw_fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

static inline int
raw_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return (int)syscall(SYS_newfstatat, dir, path, st, flags);
}

static inline int
raw_ioctl(int fd, unsigned long request, void *arg)
{
    return (int)syscall(SYS_ioctl, fd, request, arg);
}

static inline void *
raw_mmap(void *addr, size_t length, int prot, int flags, int fd,
         uint64_t offset)
{
    return (void *)syscall(SYS_mmap, addr, length, prot, flags, fd, offset);
}

static inline ssize_t
raw_readlinkat(int dir, const char *path, char *buf, size_t size)
{
    return syscall(SYS_readlinkat, dir, path, buf, size);
}

/* A new descriptor out of the way of the application's small numbers, closed
 * by exec; the old one is closed. -1 stays -1. */
static inline int
raw_fd_up(int fd)
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
