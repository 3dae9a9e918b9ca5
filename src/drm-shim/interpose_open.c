/* Opening: by descriptor, stream or directory. */
#undef _FILE_OFFSET_BITS
#include "drm-shim/device.h"
#include "drm-shim/interpose.h"
#include "drm-shim/raw.h"
#include "drm-shim/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Every open: redirected, and if it turned out to be one of the two device
 * nodes, exchanged for the device. */
static int
open_any(int dir, const char *path, int flags, unsigned mode)
{
    char other[PATH_MAX];
    const char *real = tree_redirect(dir, path, other);
    int fd = raw_openat(dir, real, flags, mode);
    bool relative = path && path[0] != '/';
    if (fd < 0 || flags & O_PATH || (real == path && !relative))
        return fd;
    struct stat st;
    if (raw_fstat(fd, &st) < 0)
        return fd;
    enum tree_node node = tree_node_of(st.st_dev, st.st_ino);
    if (node == TREE_NONE)
        return fd;
    close(fd);
    return device_open(node, flags);
}

#define NEEDS_MODE(flags) ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE)

static unsigned
mode_arg(int flags, va_list ap)
{
    return NEEDS_MODE(flags) ? va_arg(ap, unsigned) : 0;
}

#define OPEN(name, symbol)                                           \
    INTERPOSE(int, name, symbol, (const char *path, int flags, ...)) \
    {                                                                \
        va_list ap;                                                  \
        va_start(ap, flags);                                         \
        unsigned mode = mode_arg(flags, ap);                         \
        va_end(ap);                                                  \
        return open_any(AT_FDCWD, path, flags, mode);                \
    }
OPEN(shim_open, "open")
OPEN(shim_open64, "open64")
OPEN(shim___open, "__open")
OPEN(shim___open64, "__open64")
#undef OPEN

#define OPENAT(name, symbol)                                                  \
    INTERPOSE(int, name, symbol, (int dir, const char *path, int flags, ...)) \
    {                                                                         \
        va_list ap;                                                           \
        va_start(ap, flags);                                                  \
        unsigned mode = mode_arg(flags, ap);                                  \
        va_end(ap);                                                           \
        return open_any(dir, path, flags, mode);                              \
    }
OPENAT(shim_openat, "openat")
OPENAT(shim_openat64, "openat64")
#undef OPENAT

/* The forms that -D_FORTIFY_SOURCE calls. */
INTERPOSE(int, shim___open_2, "__open_2", (const char *path, int flags))
{
    return open_any(AT_FDCWD, path, flags, 0);
}

INTERPOSE(int, shim___open64_2, "__open64_2", (const char *path, int flags))
{
    return open_any(AT_FDCWD, path, flags, 0);
}

INTERPOSE(int, shim___openat_2, "__openat_2",
          (int dir, const char *path, int flags))
{
    return open_any(dir, path, flags, 0);
}

INTERPOSE(int, shim___openat64_2, "__openat64_2",
          (int dir, const char *path, int flags))
{
    return open_any(dir, path, flags, 0);
}

#define FOPEN(name, symbol)                                                \
    INTERPOSE(FILE *, name, symbol, (const char *path, const char *mode))  \
    {                                                                      \
        char other[PATH_MAX];                                              \
        path = tree_redirect(AT_FDCWD, path, other);                       \
        return REAL(FILE * (*)(const char *, const char *), symbol)(path,  \
                                                                    mode); \
    }
FOPEN(shim_fopen, "fopen")
FOPEN(shim_fopen64, "fopen64")
#undef FOPEN

#define FREOPEN(name, symbol)                                       \
    INTERPOSE(FILE *, name, symbol,                                 \
              (const char *path, const char *mode, FILE *file))     \
    {                                                               \
        char other[PATH_MAX];                                       \
        path = tree_redirect(AT_FDCWD, path, other);                \
        return REAL(FILE * (*)(const char *, const char *, FILE *), \
                    symbol)(path, mode, file);                      \
    }
FREOPEN(shim_freopen, "freopen")
FREOPEN(shim_freopen64, "freopen64")
#undef FREOPEN

INTERPOSE(DIR *, shim_opendir, "opendir", (const char *path))
{
    char other[PATH_MAX];
    path = tree_redirect(AT_FDCWD, path, other);
    return REAL(DIR * (*)(const char *), "opendir")(path);
}

/* The list, filter and order arguments are passed through untouched. */
#define SCANDIR(name, symbol)                                            \
    INTERPOSE(int, name, symbol,                                         \
              (const char *path, void *list, void *filter, void *order)) \
    {                                                                    \
        char other[PATH_MAX];                                            \
        path = tree_redirect(AT_FDCWD, path, other);                     \
        return REAL(int (*)(const char *, void *, void *, void *),       \
                    symbol)(path, list, filter, order);                  \
    }
SCANDIR(shim_scandir, "scandir")
SCANDIR(shim_scandir64, "scandir64")
#undef SCANDIR

#define SCANDIRAT(name, symbol)                                             \
    INTERPOSE(                                                              \
        int, name, symbol,                                                  \
        (int dir, const char *path, void *list, void *filter, void *order)) \
    {                                                                       \
        char other[PATH_MAX];                                               \
        path = tree_redirect(dir, path, other);                             \
        return REAL(int (*)(int, const char *, void *, void *, void *),     \
                    symbol)(dir, path, list, filter, order);                \
    }
SCANDIRAT(shim_scandirat, "scandirat")
SCANDIRAT(shim_scandirat64, "scandirat64")
#undef SCANDIRAT
