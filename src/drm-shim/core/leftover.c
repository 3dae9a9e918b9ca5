#include "drm-shim/core/leftover.h"

#include "base/base.h"
#include "drm-shim/core/syscall.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/file.h>

struct entry { /* struct linux_dirent64 */
    uint64_t ino;
    int64_t next;
    unsigned short size_B;
    unsigned char type;
    char name[];
};

/* Allocates nothing, because a signal handler may call _exit(). Links are not
 * followed, and the tree is only a few levels deep. */
static void
remove_below(int dir, const char *name, unsigned depth)
{
    _Alignas(8) char buf[2048];
    int fd = syscall_openat(dir, name,
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

#define DEPTH 12

void
leftover_remove_dir(const char *path)
{
    remove_below(AT_FDCWD, path, DEPTH);
}

bool
leftover_lock(int fd)
{
    struct stat st;
    return fd >= 0 && !flock(fd, LOCK_SH) && !syscall_fstat(fd, &st) &&
           st.st_nlink > 0;
}

bool
leftover_is_free(const char *path)
{
    int fd = syscall_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC,
                            0);
    bool is_free = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);
    if (fd >= 0)
        close(fd);
    return is_free;
}

static bool
is_ours(int dir, const char *name)
{
    static const char *const prefixes[] = {LEFTOVER_TREE, LEFTOVER_SCREEN,
                                           LEFTOVER_COUNTS};
    struct stat st;
    unsigned i = 0;
    while (i < ARRAY_SIZE(prefixes) &&
           strncmp(name, prefixes[i], strlen(prefixes[i])))
        i++;
    return i < ARRAY_SIZE(prefixes) &&
           !syscall_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
           (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) &&
           st.st_uid == geteuid();
}

/* Removes it under the lock, so that a process that has just made it notices:
 * leftover_lock(). */
bool
leftover_remove(int dir, const char *name)
{
    int fd = syscall_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    bool is_free = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);
    if (is_free && unlinkat(dir, name, 0) < 0)
        remove_below(dir, name, DEPTH);
    if (fd >= 0)
        close(fd);
    return is_free;
}

static void
sweep_one(const char *path)
{
    int fd = syscall_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                            0);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (is_ours(fd, e->d_name))
            leftover_remove(fd, e->d_name);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

void
leftover_sweep(const char *dir)
{
    static const char *const usual[] = {"/dev/shm", "/tmp"};
    bool seen = !dir;
    for (unsigned i = 0; i < ARRAY_SIZE(usual); i++) {
        sweep_one(usual[i]);
        seen |= dir && !strcmp(dir, usual[i]);
    }
    if (!seen)
        sweep_one(dir);
}
