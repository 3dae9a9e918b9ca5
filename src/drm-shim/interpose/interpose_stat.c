/* interpose_stat.c: stat(), access(), readlink(), realpath() and their
 * variants. */
#undef _FILE_OFFSET_BITS
#include "base/own_stack.h"
#include "drm-shim/device/device.h"
#include "drm-shim/interpose/interpose.h"
#include "drm-shim/core/core.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

/* On x86-64 struct stat and struct stat64 are the same. */
static int
stat_path(int dir, const char *path, void *st, int flags)
{
    void *block;
    const char *real = devtree_redirect(dir, path, &block);
    int ret = syscall_fstatat(dir, real, st, flags);
    own_block_give(block);
    if (!ret)
        devtree_patch_stat(st);
    return ret;
}

/* Makes the socket of an open device look like a character device. */
static int
stat_fd(int fd, struct stat *st)
{
    int ret = syscall_fstat(fd, st);
    if (ret)
        return ret;
    if (S_ISSOCK(st->st_mode)) {
        int minor = device_minor_of_inode(fd, st->st_ino);
        if (minor >= 0) {
            st->st_mode = S_IFCHR | 0666;
            st->st_rdev = makedev(226, (unsigned)minor);
            st->st_size = 0;
        }
    } else {
        devtree_patch_stat(st);
    }
    return 0;
}

static int
stat_at(int dir, const char *path, void *st, int flags)
{
    if (flags & AT_EMPTY_PATH && dir >= 0 && client_may_have(path) && !*path)
        return stat_fd(dir, st);
    return stat_path(dir, path, st, flags);
}

#define STAT(name, symbol, flags)                              \
    INTERPOSE(int, name, symbol, (const char *path, void *st)) \
    {                                                          \
        return stat_path(AT_FDCWD, path, st, flags);           \
    }
STAT(shim_stat, "stat", 0)
STAT(shim_stat64, "stat64", 0)
STAT(shim_lstat, "lstat", AT_SYMLINK_NOFOLLOW)
STAT(shim_lstat64, "lstat64", AT_SYMLINK_NOFOLLOW)
#undef STAT

/* Entry points of programs linked before glibc 2.33. On x86-64 the version
 * changes nothing. */
#define XSTAT(name, symbol, flags)                                          \
    INTERPOSE(int, name, symbol, (int version, const char *path, void *st)) \
    {                                                                       \
        return stat_path(AT_FDCWD, path, st, flags);                        \
    }
XSTAT(shim___xstat, "__xstat", 0)
XSTAT(shim___xstat64, "__xstat64", 0)
XSTAT(shim___lxstat, "__lxstat", AT_SYMLINK_NOFOLLOW)
XSTAT(shim___lxstat64, "__lxstat64", AT_SYMLINK_NOFOLLOW)
#undef XSTAT

#define FSTAT(name, symbol)                          \
    INTERPOSE(int, name, symbol, (int fd, void *st)) \
    {                                                \
        return stat_fd(fd, st);                      \
    }
FSTAT(shim_fstat, "fstat")
FSTAT(shim_fstat64, "fstat64")
#undef FSTAT

#define FXSTAT(name, symbol)                                      \
    INTERPOSE(int, name, symbol, (int version, int fd, void *st)) \
    {                                                             \
        return stat_fd(fd, st);                                   \
    }
FXSTAT(shim___fxstat, "__fxstat")
FXSTAT(shim___fxstat64, "__fxstat64")
#undef FXSTAT

#define FSTATAT(name, symbol)                                   \
    INTERPOSE(int, name, symbol,                                \
              (int dir, const char *path, void *st, int flags)) \
    {                                                           \
        return stat_at(dir, path, st, flags);                   \
    }
FSTATAT(shim_fstatat, "fstatat")
FSTATAT(shim_fstatat64, "fstatat64")
#undef FSTATAT

#define FXSTATAT(name, symbol)                                               \
    INTERPOSE(int, name, symbol,                                             \
              (int version, int dir, const char *path, void *st, int flags)) \
    {                                                                        \
        return stat_at(dir, path, st, flags);                                \
    }
FXSTATAT(shim___fxstatat, "__fxstatat")
FXSTATAT(shim___fxstatat64, "__fxstatat64")
#undef FXSTATAT

INTERPOSE(int, shim_statx, "statx",
          (int dir, const char *path, int flags, unsigned mask,
           struct statx *sx))
{
    void *block;
    struct stat st;
    const char *real = devtree_redirect(dir, path, &block);
    int ret = (int)syscall(SYS_statx, dir, real, flags, mask, sx);
    own_block_give(block);
    if (ret || !sx)
        return ret;
    memset(&st, 0, sizeof st);
    st.st_dev = makedev(sx->stx_dev_major, sx->stx_dev_minor);
    st.st_ino = sx->stx_ino;
    int minor = devtree_patch_stat(&st);
    if (S_ISSOCK(sx->stx_mode) && path && !*path)
        minor = device_minor_of_inode(dir, sx->stx_ino);
    if (minor >= 0) {
        sx->stx_mode = S_IFCHR | 0666;
        sx->stx_rdev_major = 226;
        sx->stx_rdev_minor = (uint32_t)minor;
    }
    return 0;
}

static int
access_at(int dir, const char *path, int mode, int flags)
{
    void *block;
    path = devtree_redirect(dir, path, &block);
    int ret = flags ? (int)syscall(SYS_faccessat2, dir, path, mode, flags)
                    : (int)syscall(SYS_faccessat, dir, path, mode);
    own_block_give(block);
    return ret;
}

INTERPOSE(int, shim_access, "access", (const char *path, int mode))
{
    return access_at(AT_FDCWD, path, mode, 0);
}

INTERPOSE(int, shim_eaccess, "eaccess", (const char *path, int mode))
{
    return access_at(AT_FDCWD, path, mode, AT_EACCESS);
}

INTERPOSE(int, shim_euidaccess, "euidaccess", (const char *path, int mode))
{
    return access_at(AT_FDCWD, path, mode, AT_EACCESS);
}

INTERPOSE(int, shim_faccessat, "faccessat",
          (int dir, const char *path, int mode, int flags))
{
    return access_at(dir, path, mode, flags);
}

/* ------------------------------------------------------------------------
 * Links and real paths. Results must not show the library's root, and a link of
 * /proc to the device must name its node. */

/* The minor of the descriptor that /proc/self/fd/N names, -1 if other. */
static int
proc_minor(const char *target, const char *path)
{
    unsigned long ino;
    int fd, used = 0;
    if (sscanf(target, "socket:[%lu]", &ino) != 1)
        return -1;
    if (sscanf(path, "/proc/self/fd/%d%n", &fd, &used) != 1 || path[used])
        return -1;
    return device_minor_of_inode(fd, ino);
}

/* The target as the application sees it, if it is not what the kernel says;
 * PATH_MAX bytes of room. False: it is. */
static bool
change_target(const char *path, char *target)
{
    if (target[0] == '/') {
        devtree_strip(target);
        return true;
    }
    int minor = path ? proc_minor(target, path) : -1;
    if (minor >= 0)
        strcpy(target, minor ? "/dev/dri/renderD128" : "/dev/dri/card0");
    return minor >= 0;
}

static ssize_t
read_link(int dir, const char *path, char *buf, size_t size)
{
    void *block;
    const char *real = devtree_redirect(dir, path, &block);
    ssize_t n = syscall_readlinkat(dir, real, buf, size);
    char *target = NULL;
    ssize_t all = 0;
    if (n > 0 && (buf[0] == 's' || devtree_may_strip(buf, (size_t)n)))
        target = own_block_take();
    if (target)
        all = syscall_readlinkat(dir, real, target, PATH_MAX - 1);
    if (all > 0) {
        target[all] = 0;
        if (change_target(path, target)) {
            n = (ssize_t)MIN2(strlen(target), size);
            memcpy(buf, target, (size_t)n);
        }
    }
    own_block_give(target);
    own_block_give(block);
    return n;
}

INTERPOSE(ssize_t, shim_readlink, "readlink",
          (const char *path, char *buf, size_t size))
{
    return read_link(AT_FDCWD, path, buf, size);
}

INTERPOSE(ssize_t, shim_readlinkat, "readlinkat",
          (int dir, const char *path, char *buf, size_t size))
{
    return read_link(dir, path, buf, size);
}

INTERPOSE(ssize_t, shim___readlink_chk, "__readlink_chk",
          (const char *path, char *buf, size_t size, size_t room))
{
    return read_link(AT_FDCWD, path, buf, size < room ? size : room);
}

INTERPOSE(ssize_t, shim___readlinkat_chk, "__readlinkat_chk",
          (int dir, const char *path, char *buf, size_t size, size_t room))
{
    return read_link(dir, path, buf, size < room ? size : room);
}

static char *
real_path(const char *path, char *out)
{
    void *block;
    const char *real = devtree_redirect(AT_FDCWD, path, &block);
    char *result = REAL(char *(*)(const char *, char *), "realpath")(real, out);
    own_block_give(block);
    if (result && block)
        devtree_strip(result);
    return result;
}

INTERPOSE(char *, shim_realpath, "realpath", (const char *path, char *out))
{
    return real_path(path, out);
}

INTERPOSE(char *, shim___realpath_chk, "__realpath_chk",
          (const char *path, char *out, size_t room))
{
    return real_path(path, out);
}

INTERPOSE(char *, shim_canonicalize_file_name, "canonicalize_file_name",
          (const char *path))
{
    return real_path(path, NULL);
}

static int
stat_fs(int fd, struct statfs *st)
{
    int ret = (int)syscall(SYS_fstatfs, fd, st);
    if (!ret && st->f_type != SYSFS_MAGIC && devtree_owns_fd(fd))
        st->f_type = SYSFS_MAGIC;
    return ret;
}

INTERPOSE(int, shim_fstatfs, "fstatfs", (int fd, struct statfs *st))
{
    return stat_fs(fd, st);
}

INTERPOSE(int, shim_fstatfs64, "fstatfs64", (int fd, void *st))
{
    return stat_fs(fd, st);
}

#define STATFS(name, symbol)                                            \
    INTERPOSE(int, name, symbol, (const char *path, struct statfs *st)) \
    {                                                                   \
        void *block;                                                    \
        const char *real = devtree_redirect(AT_FDCWD, path, &block);    \
        int ret = (int)syscall(SYS_statfs, real, st);                   \
        own_block_give(block);                                          \
        if (!ret && block && !strncmp(path, "/sys", 4))                 \
            st->f_type = SYSFS_MAGIC;                                   \
        return ret;                                                     \
    }
STATFS(shim_statfs, "statfs")
STATFS(shim_statfs64, "statfs64")
#undef STATFS
