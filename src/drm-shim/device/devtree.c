#include "drm-shim/device/devtree.h"

#include "base/base.h"
#include "base/own_stack.h"
#include "drm-shim/core/core.h"
#include "drm-shim/device/devtree_make.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/sysmacros.h>

/* The trees of this process, newest first: its children and the launcher share
 * a tree, and a process makes another one when its tree is gone. */
static struct {
    pthread_mutex_t lock; /* while one is made */
    _Atomic(struct devtree *) newest;
    atomic_bool over; /* none is made any more */
} trees = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define SYSCTL "/proc/sys/dev/i915"

static bool
is_under(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);
    return !strncmp(path, prefix, n) && (!path[n] || path[n] == '/');
}

static const struct devtree *
make_tree(void)
{
    pthread_mutex_lock(&trees.lock);
    struct devtree *tree = atomic_load(&trees.newest);
    if (!tree || !devtree_is_there(tree)) {
        struct devtree *made = devtree_make();
        if (made) {
            made->older = tree;
            atomic_store(&trees.newest, made);
        } else {
            atomic_store(&trees.over, true);
        }
        tree = made;
    }
    pthread_mutex_unlock(&trees.lock);
    return tree;
}

static void
look_for_tree(void *newest)
{
    const struct devtree **tree = newest;
    if (!*tree || !devtree_is_there(*tree))
        *tree = make_tree();
}

static const struct devtree *
need_tree(void)
{
    int saved = errno;
    const struct devtree *tree = atomic_load(&trees.newest);
    if (atomic_load(&trees.over))
        tree = NULL;
    else
        own_stack_call(look_for_tree, &tree);
    errno = saved;
    return tree;
}

/* Some machines have a pci0000:00 of their own. */
static bool
has_real_pci(void)
{
    struct stat st;
    int saved = errno;
    bool has = !syscall_fstatat(AT_FDCWD, "/sys/devices/pci0000:00", &st, 0);
    errno = saved;
    return has;
}

/* Whether the tree shows this absolute, clean path. */
static bool
is_shown(const char *p)
{
    if (p[1] == 'd')
        return is_under(p, "/dev/dri");
    if (p[1] == 'p')
        return is_under(p, SYSCTL);
    if (strncmp(p, "/sys/", 5))
        return false;
    return is_under(p, "/sys/dev/char/226:0") ||
           is_under(p, "/sys/dev/char/226:128") ||
           is_under(p, "/sys/class/drm") || !strcmp(p, "/sys/class") ||
           !strcmp(p, "/sys/bus/pci/devices") ||
           is_under(p, "/sys/bus/pci/devices/" DEVTREE_PCI_SLOT) ||
           is_under(p, "/sys/bus/pci/drivers/i915") ||
           is_under(p, "/sys/devices/pci0000:00/" DEVTREE_PCI_SLOT) ||
           (!strcmp(p, "/sys/devices/pci0000:00") && !has_real_pci());
}

/* Removes "//", "." and ".." lexically. */
static bool
clean_path(char out[PATH_MAX], const char *path)
{
    size_t n = 0;
    while (*path) {
        size_t len;
        path += strspn(path, "/");
        len = strcspn(path, "/");
        if (len == 2 && path[0] == '.' && path[1] == '.') {
            while (n && out[--n] != '/')
                ;
        } else if (len && !(len == 1 && path[0] == '.')) {
            if (n + len + 2 > PATH_MAX)
                return false;
            out[n++] = '/';
            memcpy(out + n, path, len);
            n += len;
        }
        path += len;
    }
    if (!n)
        out[n++] = '/';
    out[n] = 0;
    return true;
}

/* Makes a path absolute, as the application sees it. */
static bool
absolute_path(int dirfd, const char *path, char out[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
    ssize_t n = syscall_readlinkat(AT_FDCWD, link, out, PATH_MAX - 2);
    if (n <= 0 || out[0] != '/')
        return false;
    out[n] = 0;
    devtree_strip(out);
    size_t len = strlen(out), more = strlen(path);
    if (len + more + 2 > PATH_MAX)
        return false;
    out[len] = '/';
    memcpy(out + len + 1, path, more + 1);
    return true;
}

/* Most paths: clean ones elsewhere, and those relative to the working
 * directory. */
static bool
is_other(int dirfd, const char *path)
{
    if (path[0] != '/')
        return dirfd < 0;
    return strncmp(path, "/dev/", 5) && strncmp(path, "/sys", 4) &&
           strncmp(path, SYSCTL, sizeof SYSCTL - 1) && path[1] != '/' &&
           path[1] != '.';
}

/* Paths on the way; too large for the caller's stack. */
struct paths {
    char out[PATH_MAX], joined[PATH_MAX], plain[PATH_MAX];
};
_Static_assert(sizeof(struct paths) <= OWN_BLOCK_B, "a block holds them");

static bool
redirect(int dirfd, const char *path, struct paths *p)
{
    const char *full = path[0] == '/' ? path : p->joined;
    if (full != path && !absolute_path(dirfd, path, p->joined))
        return false;
    if (!clean_path(p->plain, full) || !is_shown(p->plain))
        return false;
    const struct devtree *tree = need_tree();
    if (!tree || tree->root_len + strlen(p->plain) + 1 > PATH_MAX)
        return false;
    memcpy(p->out, tree->root, tree->root_len);
    strcpy(p->out + tree->root_len, p->plain);
    trace(path, "%s -> %s", full, p->out);
    return true;
}

const char *
devtree_redirect(int dirfd, const char *path, void **block)
{
    *block = NULL;
    if (!client_may_have(path) || !*path || is_other(dirfd, path))
        return path;
    int saved = errno;
    struct paths *p = own_block_take();
    bool shown = p && redirect(dirfd, path, p);
    errno = saved;
    if (shown) {
        *block = p;
        return p->out;
    }
    own_block_give(p);
    return path;
}

bool
devtree_may_strip(const char *path, size_t n)
{
    const struct devtree *tree = atomic_load(&trees.newest);
    while (tree && strncmp(path, tree->root, MIN2(n, tree->root_len)))
        tree = tree->older;
    return tree;
}

/* The tree that a path lies in, or NULL. */
static const struct devtree *
find_tree(const char *path)
{
    const struct devtree *tree = atomic_load(&trees.newest);
    while (tree && !is_under(path, tree->root))
        tree = tree->older;
    return tree;
}

int
devtree_open_root(void)
{
    const struct devtree *tree = need_tree();
    return tree
               ? syscall_fd_up(syscall_openat(
                     AT_FDCWD, tree->root, O_PATH | O_DIRECTORY | O_CLOEXEC, 0))
               : -1;
}

void
devtree_strip(char *path)
{
    const struct devtree *tree = find_tree(path);
    if (!tree)
        return;
    char *rest = path + tree->root_len;
    if (*rest)
        memmove(path, rest, strlen(rest) + 1);
    else
        strcpy(path, "/");
}

bool
devtree_owns_fd(int fd)
{
    char link[64], *target;
    if (!atomic_load(&trees.newest) || !(target = own_block_take()))
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = syscall_readlinkat(AT_FDCWD, link, target, PATH_MAX - 1);
    target[MAX2(n, 0)] = 0;
    bool owns = n > 0 && find_tree(target);
    own_block_give(target);
    return owns;
}

enum devtree_node
devtree_node_of(dev_t dev, ino_t ino)
{
    const struct devtree *tree = atomic_load(&trees.newest);
    for (; tree; tree = tree->older)
        for (int i = 0; i < 2; i++)
            if (tree->node[i].ino == ino && tree->node[i].dev == dev && ino)
                return i ? DEVTREE_RENDER : DEVTREE_CARD;
    return DEVTREE_NONE;
}

enum devtree_node
devtree_patch_stat(struct stat *st)
{
    enum devtree_node node = devtree_node_of(st->st_dev, st->st_ino);
    if (node != DEVTREE_NONE) {
        st->st_mode = S_IFCHR | 0666;
        st->st_rdev = makedev(226, (unsigned)node);
    }
    return node;
}

void
devtree_remove(void)
{
    atomic_store(&trees.over, true);
    struct devtree *tree = atomic_exchange(&trees.newest, NULL);
    for (; tree; tree = tree->older)
        devtree_unmake(tree);
}

void
devtree_after_fork(void)
{
    pthread_mutex_init(&trees.lock, NULL);
}
