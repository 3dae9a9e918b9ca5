/* interpose_open.c: open(), fopen(), opendir() and their variants. */
#undef _FILE_OFFSET_BITS
#include "base/own_stack.h"
#include "drm-shim/device/device.h"
#include "drm-shim/interpose/interpose.h"
#include "drm-shim/core/core.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Opens the redirected path, and replaces a descriptor of a device node by one
 * of the device. */
struct node {
    enum devtree_node node;
    int flags, fd;
};

static void
open_node(void *data)
{
    struct node *n = data;
    n->fd = device_open(n->node, n->flags);
}

static int
open_any(int dir, const char *path, int flags, unsigned mode)
{
    void *block;
    const char *real = devtree_redirect(dir, path, &block);
    int fd = syscall_openat(dir, real, flags, mode);
    own_block_give(block);
    if (fd < 0 || flags & O_PATH || (!block && path[0] == '/'))
        return fd;
    struct stat st;
    if (syscall_fstat(fd, &st) < 0)
        return fd;
    enum devtree_node node = devtree_node_of(st.st_dev, st.st_ino);
    if (node == DEVTREE_NONE)
        return fd;
    close(fd);
    struct node n = {node, flags, -1};
    own_stack_call(open_node, &n);
    return n.fd;
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

/* Forms that -D_FORTIFY_SOURCE calls. */
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

#define FOPEN(name, symbol)                                               \
    INTERPOSE(FILE *, name, symbol, (const char *path, const char *mode)) \
    {                                                                     \
        void *block;                                                      \
        path = devtree_redirect(AT_FDCWD, path, &block);                  \
        FILE *file = REAL(FILE * (*)(const char *, const char *),         \
                          symbol)(path, mode);                            \
        own_block_give(block);                                            \
        return file;                                                      \
    }
FOPEN(shim_fopen, "fopen")
FOPEN(shim_fopen64, "fopen64")
#undef FOPEN

#define FREOPEN(name, symbol)                                       \
    INTERPOSE(FILE *, name, symbol,                                 \
              (const char *path, const char *mode, FILE *file))     \
    {                                                               \
        void *block;                                                \
        path = devtree_redirect(AT_FDCWD, path, &block);            \
        file = REAL(FILE * (*)(const char *, const char *, FILE *), \
                    symbol)(path, mode, file);                      \
        own_block_give(block);                                      \
        return file;                                                \
    }
FREOPEN(shim_freopen, "freopen")
FREOPEN(shim_freopen64, "freopen64")
#undef FREOPEN

INTERPOSE(DIR *, shim_opendir, "opendir", (const char *path))
{
    void *block;
    path = devtree_redirect(AT_FDCWD, path, &block);
    DIR *dir = REAL(DIR * (*)(const char *), "opendir")(path);
    own_block_give(block);
    return dir;
}

/* Passes the list, filter and order arguments through. */
#define SCANDIR(name, symbol)                                            \
    INTERPOSE(int, name, symbol,                                         \
              (const char *path, void *list, void *filter, void *order)) \
    {                                                                    \
        void *block;                                                     \
        path = devtree_redirect(AT_FDCWD, path, &block);                 \
        int n = REAL(int (*)(const char *, void *, void *, void *),      \
                     symbol)(path, list, filter, order);                 \
        own_block_give(block);                                           \
        return n;                                                        \
    }
SCANDIR(shim_scandir, "scandir")
SCANDIR(shim_scandir64, "scandir64")
#undef SCANDIR

#define SCANDIRAT(name, symbol)                                             \
    INTERPOSE(                                                              \
        int, name, symbol,                                                  \
        (int dir, const char *path, void *list, void *filter, void *order)) \
    {                                                                       \
        void *block;                                                        \
        path = devtree_redirect(dir, path, &block);                         \
        int n = REAL(int (*)(int, const char *, void *, void *, void *),    \
                     symbol)(dir, path, list, filter, order);               \
        own_block_give(block);                                              \
        return n;                                                           \
    }
SCANDIRAT(shim_scandirat, "scandirat")
SCANDIRAT(shim_scandirat64, "scandirat64")
#undef SCANDIRAT
