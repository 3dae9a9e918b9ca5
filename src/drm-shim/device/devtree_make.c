#include "drm-shim/device/devtree_make.h"

#include "drm-shim/core/core.h"
#include "drm-shim/device/devtree_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const node_names[2] = {"dev/dri/card0",
                                          "dev/dri/renderD128"};

static bool
build_at(const char *path)
{
    int fd = syscall_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                            0);
    if (fd < 0)
        return false;
    bool ok = devtree_build(fd, platform_from_env());
    close(fd);
    return ok;
}

/* Shared base directory: builds the tree under another name and renames it, so
 * that no process sees half a tree. The first process wins. */
static bool
make_shared(struct devtree *tree, const char *base)
{
    char tmp[PATH_MAX];
    snprintf(tree->root, sizeof tree->root, "%s/tree", base);
    if (!access(tree->root, F_OK))
        return true;
    snprintf(tmp, sizeof tmp, "%s/new-XXXXXX", base);
    if (!mkdtemp(tmp) || !build_at(tmp))
        return false;
    if (rename(tmp, tree->root) < 0)
        leftover_remove_dir(tmp);
    return !access(tree->root, F_OK);
}

/* A directory below dir with a lock on it, which children inherit. Others may
 * pass: the process may change its user. */
static bool
make_locked(struct devtree *tree, const char *dir)
{
    for (unsigned tries = 0; tries < 10; tries++) {
        snprintf(tree->root, sizeof tree->root, "%s/" LEFTOVER_TREE "XXXXXX",
                 dir);
        if (!mkdtemp(tree->root))
            return false;
        tree->lock = syscall_fd_up(syscall_openat(
            AT_FDCWD, tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
        if (leftover_lock(tree->lock))
            return !fchmod(tree->lock, 0755);
        if (tree->lock >= 0)
            syscall(SYS_close, tree->lock);
        tree->lock = -1;
    }
    return false;
}

static bool
make_private_below(struct devtree *tree, const char *dir)
{
    if (!make_locked(tree, dir))
        return false;
    leftover_sweep(dir);
    if (build_at(tree->root))
        return true;
    int saved = errno;
    leftover_remove_dir(tree->root);
    syscall(SYS_close, tree->lock);
    tree->lock = -1;
    errno = saved;
    return false;
}

static bool
make_private(struct devtree *tree)
{
    /* A hundred files: a disk's file system takes ten times as long for them as
     * a file system in memory, and longer if many have been there before. */
    const char *const dirs[] = {
        getenv("XDG_RUNTIME_DIR"),
        "/dev/shm",
        "/tmp",
        getenv("TMPDIR"),
        "/var/tmp",
        getenv("HOME"),
        "/run",
        "/dev",
    };
    for (unsigned i = 0; i < ARRAY_SIZE(dirs); i++)
        if (dirs[i] && dirs[i][0] == '/' && make_private_below(tree, dirs[i]))
            return true;
    return false;
}

static void
find_nodes(struct devtree *tree)
{
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", tree->root, node_names[i]);
        if (syscall_fstatat(AT_FDCWD, path, &st, 0) < 0)
            continue;
        tree->node[i].dev = st.st_dev;
        tree->node[i].ino = st.st_ino;
    }
}

static bool
make_anywhere(struct devtree *tree)
{
    const char *base = getenv("SOFTLAKE_ROOT");
    return (base && base[0] == '/' && make_shared(tree, base)) ||
           make_private(tree);
}

struct devtree *
devtree_make(void)
{
    struct devtree *tree = calloc(1, sizeof *tree);
    if (!tree)
        return NULL;
    tree->lock = -1;
    if (!make_anywhere(tree)) {
        log_printf("softlake: no place for the device tree (%s): %m",
                   tree->root);
        free(tree);
        return NULL;
    }
    /* realpath() answers with this prefix, so it must hold no links. */
    char resolved[PATH_MAX];
    if (realpath(tree->root, resolved) && strlen(resolved) < sizeof tree->root)
        strcpy(tree->root, resolved);
    tree->root_len = strlen(tree->root);
    find_nodes(tree);
    trace(path, "device tree in %s", tree->root);
    return tree;
}

bool
devtree_is_there(const struct devtree *tree)
{
    char path[PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", tree->root, node_names[1]);
    return !syscall_fstatat(AT_FDCWD, path, &st, 0) &&
           st.st_ino == tree->node[1].ino && st.st_dev == tree->node[1].dev;
}

/* The application may have closed the descriptor, and its number be another
 * file's. */
static bool
is_lock_of(const struct devtree *tree, int fd)
{
    struct stat is, should;
    return fd >= 0 && !syscall_fstat(fd, &is) &&
           !syscall_fstatat(AT_FDCWD, tree->root, &should,
                            AT_SYMLINK_NOFOLLOW) &&
           is.st_ino == should.st_ino && is.st_dev == should.st_dev;
}

void
devtree_unmake(struct devtree *tree)
{
    int fd = tree->lock;
    tree->lock = -1;
    if (!is_lock_of(tree, fd))
        return;
    syscall(SYS_close, fd);
    if (leftover_is_free(tree->root))
        leftover_remove_dir(tree->root);
}
