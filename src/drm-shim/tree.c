#include "drm-shim/tree.h"

#include "base/base.h"
#include "drm-shim/platform.h"
#include "drm-shim/raw.h"
#include "drm-shim/tree_build.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <time.h>

/* The one tree of this process. Written once, by make(). */
static struct {
    pthread_once_t once;
    char root[PATH_MAX - 512]; /* "" until made or when it failed */
    size_t root_len;
    bool own;      /* to be removed by us */
    bool real_pci; /* the machine has a pci0000:00 of its own */
    atomic_bool ready;
    struct {
        dev_t dev;
        ino_t ino;
    } node[2]; /* card0, renderD128 */
} tree = {.once = PTHREAD_ONCE_INIT};

static bool
under(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);
    return !strncmp(path, prefix, n) && (!path[n] || path[n] == '/');
}

struct entry { /* struct linux_dirent64 */
    uint64_t ino;
    int64_t next;
    unsigned short size_B;
    unsigned char type;
    char name[];
};

/* Without any allocation: _exit() may be called in a signal handler. Links are
 * not followed, and no tree of ours is deeper than a few levels. */
static void
remove_below(int dir, const char *name, unsigned depth)
{
    _Alignas(8) char buf[2048];
    int fd = raw_openat(dir, name,
                        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    long n;
    while (fd >= 0 && depth &&
           (n = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0) {
        for (long at = 0; at < n;) {
            const struct entry *e = (const void *)(buf + at);
            at += e->size_B;
            if (!strcmp(e->name, ".") || !strcmp(e->name, ".."))
                continue;
            if (unlinkat(fd, e->name, 0) < 0)
                remove_below(fd, e->name, depth - 1);
        }
    }
    if (fd >= 0)
        close(fd);
    unlinkat(dir, name, AT_REMOVEDIR);
}

static void
remove_dir(const char *path)
{
    remove_below(AT_FDCWD, path, 12);
}

static bool
build_at(const char *path)
{
    int fd = raw_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool ok = tree_build(fd, platform_from_env());
    close(fd);
    return ok;
}

/* Below a directory that several processes share: built beside and renamed,
 * so that nobody sees half a tree and the first one wins. */
static bool
make_shared(const char *base)
{
    char tmp[PATH_MAX];
    snprintf(tree.root, sizeof tree.root, "%s/tree", base);
    if (!access(tree.root, F_OK))
        return true;
    snprintf(tmp, sizeof tmp, "%s/new-XXXXXX", base);
    if (!mkdtemp(tmp) || !build_at(tmp))
        return false;
    if (rename(tmp, tree.root) < 0)
        remove_dir(tmp);
    return !access(tree.root, F_OK);
}

#define PRIVATE_PREFIX "softlake-tree-"

/* A process that is killed leaves its tree behind. The lock that it held on
 * the directory tells; a minute's grace is for those that have made theirs
 * but not locked it yet. */
static void
remove_stale(const char *dir)
{
    int fd = raw_openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;
    time_t now = time(NULL);
    while (d && (e = readdir(d))) {
        struct stat st;
        char path[PATH_MAX];
        if (strncmp(e->d_name, PRIVATE_PREFIX, strlen(PRIVATE_PREFIX)))
            continue;
        if (raw_fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
            now - st.st_ctime < 60)
            continue;
        int old = raw_openat(fd, e->d_name, O_RDONLY | O_CLOEXEC, 0);
        if (old >= 0 && !flock(old, LOCK_EX | LOCK_NB)) {
            snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
            remove_dir(path);
        }
        if (old >= 0)
            close(old);
    }
    if (d)
        closedir(d);
}

static bool
make_private(void)
{
    /* A hundred files: a disk's file system takes ten times as long for them as
     * one in memory, and longer still when many have been there before. */
    const char *const dirs[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm", "/tmp"};
    for (unsigned i = 0; i < ARRAY_SIZE(dirs); i++) {
        const char *dir = dirs[i];
        if (!dir || dir[0] != '/')
            continue;
        snprintf(tree.root, sizeof tree.root, "%s/" PRIVATE_PREFIX "XXXXXX",
                 dir);
        if (!mkdtemp(tree.root))
            continue;
        tree.own = true;
        /* Held until the process ends, or its last child that did not exec. */
        int fd = raw_fd_up(raw_openat(AT_FDCWD, tree.root,
                                      O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
        flock(fd, LOCK_SH);
        remove_stale(dir);
        return build_at(tree.root);
    }
    return false;
}

static void
find_nodes(void)
{
    static const char *const names[2] = {"dev/dri/card0", "dev/dri/renderD128"};
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", tree.root, names[i]);
        if (raw_fstatat(AT_FDCWD, path, &st, 0) < 0)
            continue;
        tree.node[i].dev = st.st_dev;
        tree.node[i].ino = st.st_ino;
    }
}

static void
make(void)
{
    struct stat st;
    const char *base = getenv("SOFTLAKE_ROOT");
    bool ok = base && base[0] == '/' ? make_shared(base) : make_private();
    /* Links in front of it would make realpath answer something else. */
    char resolved[PATH_MAX];
    if (ok && realpath(tree.root, resolved) &&
        strlen(resolved) < sizeof tree.root)
        strcpy(tree.root, resolved);
    if (!ok) {
        log_printf("softlake: no place for the device tree (%s): %m",
                   tree.root);
        tree.root[0] = 0;
    }
    tree.root_len = strlen(tree.root);
    tree.real_pci = !raw_fstatat(AT_FDCWD, "/sys/devices/pci0000:00", &st, 0);
    find_nodes();
    trace(path, "device tree in %s", tree.root);
    atomic_store(&tree.ready, ok);
}

static bool
tree_need(void)
{
    int saved = errno;
    pthread_once(&tree.once, make);
    errno = saved;
    return atomic_load(&tree.ready);
}

/* Is this absolute, clean path shown from our tree? */
static bool
ours(const char *p)
{
    if (p[1] == 'd')
        return under(p, "/dev/dri");
    if (strncmp(p, "/sys/", 5))
        return false;
    return under(p, "/sys/dev/char/226:0") ||
           under(p, "/sys/dev/char/226:128") || under(p, "/sys/class/drm") ||
           !strcmp(p, "/sys/class") || !strcmp(p, "/sys/bus/pci/devices") ||
           under(p, "/sys/bus/pci/devices/" TREE_PCI_SLOT) ||
           under(p, "/sys/bus/pci/drivers/i915") ||
           under(p, "/sys/devices/pci0000:00/" TREE_PCI_SLOT) ||
           (!strcmp(p, "/sys/devices/pci0000:00") && tree_need() &&
            !tree.real_pci);
}

/* Removes "//", "." and ".." by their spelling. */
static bool
clean(char out[PATH_MAX], const char *path)
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

/* The absolute path a relative one means, as the application sees it. */
static bool
absolute(int dirfd, const char *path, char out[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
    ssize_t n = raw_readlinkat(AT_FDCWD, link, out, PATH_MAX - 2);
    if (n <= 0 || out[0] != '/')
        return false;
    out[n] = 0;
    tree_strip(out);
    size_t len = strlen(out), more = strlen(path);
    if (len + more + 2 > PATH_MAX)
        return false;
    out[len] = '/';
    memcpy(out + len + 1, path, more + 1);
    return true;
}

const char *
tree_redirect(int dirfd, const char *path, char out[PATH_MAX])
{
    char joined[PATH_MAX], plain[PATH_MAX];
    if (!path || !*path)
        return path;
    int saved = errno;
    const char *full = path;
    if (path[0] != '/') {
        if (dirfd < 0 || !absolute(dirfd, path, joined)) {
            errno = saved;
            return path;
        }
        full = joined;
    } else if (strncmp(path, "/dev/", 5) && strncmp(path, "/sys", 4) &&
               path[1] != '/' && path[1] != '.') {
        return path;
    }
    errno = saved;
    if (!clean(plain, full) || !ours(plain) || !tree_need())
        return path;
    if (tree.root_len + strlen(plain) + 1 > PATH_MAX)
        return path;
    memcpy(out, tree.root, tree.root_len);
    strcpy(out + tree.root_len, plain);
    trace(path, "%s -> %s", full, out);
    return out;
}

void
tree_strip(char *path)
{
    if (!atomic_load(&tree.ready) || strncmp(path, tree.root, tree.root_len))
        return;
    char *rest = path + tree.root_len;
    if (*rest == '/')
        memmove(path, rest, strlen(rest) + 1);
    else if (!*rest)
        strcpy(path, "/");
}

bool
tree_owns_fd(int fd)
{
    char link[64], target[PATH_MAX];
    if (!atomic_load(&tree.ready))
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = raw_readlinkat(AT_FDCWD, link, target, sizeof target - 1);
    if (n <= 0)
        return false;
    target[n] = 0;
    return under(target, tree.root);
}

enum tree_node
tree_node_of(dev_t dev, ino_t ino)
{
    if (!atomic_load(&tree.ready))
        return TREE_NONE;
    for (int i = 0; i < 2; i++)
        if (tree.node[i].ino == ino && tree.node[i].dev == dev && ino)
            return i ? TREE_RENDER : TREE_CARD;
    return TREE_NONE;
}

enum tree_node
tree_patch_stat(struct stat *st)
{
    enum tree_node node = tree_node_of(st->st_dev, st->st_ino);
    if (node != TREE_NONE) {
        st->st_mode = S_IFCHR | 0666;
        st->st_rdev = makedev(226, (unsigned)node);
    }
    return node;
}

void
tree_remove(void)
{
    if (!atomic_load(&tree.ready) || !tree.own)
        return;
    tree.own = false;
    atomic_store(&tree.ready, false);
    remove_dir(tree.root);
}

void
tree_after_fork(void)
{
    tree.own = false;
}
