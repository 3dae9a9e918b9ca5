#include "drm-shim/kms/screen.h"

#include "drm-shim/gem/gem.h"
#include "drm-shim/sync/sync.h"
#include "drm-shim/kms/display.h"
#include "drm-shim/core/core.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define PREFIX LEFTOVER_SCREEN
#define MAGIC UINT64_C(0x6e65657263736c73)

struct page {
    uint64_t magic;
    _Atomic uint32_t sequence; /* odd: being written */
    struct screen screen;
};

static const char *const dirs[] = {"/dev/shm", "/tmp"};

/* This process's page. */
static struct {
    struct page *page;
    pid_t pid;   /* its creator: a child of fork() creates another */
    bool failed; /* no directory accepts it */
    char path[64];
} own;

/* A new file with a lock, which the process keeps to its end; -1: none. */
static int
make_file(void)
{
    for (unsigned tries = 0; tries < 10; tries++) {
        unlink(own.path); /* of an earlier process with this pid */
        int fd = syscall_fd_up(syscall_openat(
            AT_FDCWD, own.path,
            O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (fd < 0 || leftover_lock(fd))
            return fd;
        close(fd);
    }
    return -1;
}

static void
make_page(void)
{
    pid_t pid = getpid();
    own.page = NULL;
    own.pid = pid;
    leftover_sweep(NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(dirs) && !own.page; i++) {
        snprintf(own.path, sizeof own.path, "%s/" PREFIX "%d", dirs[i],
                 (int)pid);
        int fd = make_file();
        if (fd < 0)
            continue;
        void *p = syscall_truncate(fd, BO_PAGE_B)
                      ? MAP_FAILED
                      : syscall_mmap(NULL, BO_PAGE_B, PROT_READ | PROT_WRITE,
                                     MAP_SHARED, fd, 0);
        if (p != MAP_FAILED) {
            own.page = p;
            continue;
        }
        unlink(own.path);
        close(fd);
    }
    own.failed = !own.page;
    if (own.page)
        own.page->magic = MAGIC;
}

static bool
describe_fb(const struct kms_fb *fb, struct screen *s)
{
    struct stat st;
    const struct bo *bo = fb->bo[0];
    if (bo->memfd < 0 || syscall_fstat(bo->memfd, &st) < 0)
        return false;
    *s = (struct screen){
        .fb_id = fb->id,
        .width_px = fb->width_px,
        .height_px = fb->height_px,
        .pitch_B = fb->pitch_B[0],
        .offset_B = fb->offset_B[0],
        .fourcc = fb->fourcc,
        .bpp = fb->bpp,
        .depth = fb->depth,
        .modifier = fb->modifier,
        .size_B = bo->size_B,
        .memory_fd = bo->memfd,
        .pid = getpid(),
        .dev = st.st_dev,
        .ino = st.st_ino,
        .shown_ns = fence_now_ns(),
    };
    return true;
}

void
screen_publish(const struct kms_fb *fb)
{
    struct screen s = {0};
    if (fb && !describe_fb(fb, &s))
        return;
    if (fb)
        gtt_sync(fb->bo[0]);
    if (own.pid != getpid() && fb)
        make_page();
    if (own.pid != getpid() || !own.page)
        return;
    atomic_fetch_add(&own.page->sequence, 1);
    own.page->screen = s;
    atomic_fetch_add(&own.page->sequence, 1);
}

void
screen_withdraw(void)
{
    if (own.page && own.pid == getpid())
        unlink(own.path);
}

/* ---- screens of other processes ------------------------------------------ */

static bool
read_page(const struct page *page, struct screen *s)
{
    for (unsigned tries = 0; tries < 100; tries++) {
        uint32_t before = atomic_load(&page->sequence);
        memcpy(s, &page->screen, sizeof *s);
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && atomic_load(&page->sequence) == before)
            return page->magic == MAGIC;
    }
    return false;
}

static bool
read_file(int dir, const char *name, struct screen *s)
{
    struct stat st;
    bool ok = false;
    int fd = syscall_openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0)
        return false;
    if (!syscall_fstat(fd, &st) && S_ISREG(st.st_mode) &&
        st.st_size == BO_PAGE_B) {
        void *p = syscall_mmap(NULL, BO_PAGE_B, PROT_READ, MAP_SHARED, fd, 0);
        if (p != MAP_FAILED) {
            ok = read_page(p, s);
            munmap(p, BO_PAGE_B);
        }
    }
    close(fd);
    return ok;
}

static void
look_in(const char *path, struct screen *best)
{
    int fd = syscall_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                            0);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;
    while (d && (e = readdir(d))) {
        struct screen s;
        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)))
            continue;
        int pid = atoi(e->d_name + strlen(PREFIX));
        if (leftover_remove(fd, e->d_name) || pid == getpid())
            continue;
        /* No such process: it was killed and a child lives, or it is in another
         * namespace, where its memory cannot be opened. */
        if (kill(pid, 0) < 0 && errno == ESRCH)
            continue;
        if (read_file(fd, e->d_name, &s) && s.pid == pid && s.fb_id &&
            s.shown_ns > best->shown_ns)
            *best = s;
    }
    if (d)
        closedir(d);
}

bool
screen_find(struct screen *screen)
{
    int saved = errno;
    memset(screen, 0, sizeof *screen);
    for (unsigned i = 0; i < ARRAY_SIZE(dirs); i++)
        look_in(dirs[i], screen);
    errno = saved;
    return screen->fb_id != 0;
}

/* Checks that a descriptor is the memory that the page describes, because any
 * process can write the page. */
static bool
is_memory_of(int fd, const struct screen *s)
{
    struct stat st;
    return !syscall_fstat(fd, &st) && S_ISREG(st.st_mode) &&
           st.st_dev == s->dev && st.st_ino == s->ino && s->size_B &&
           st.st_size > 0 && (uint64_t)st.st_size >= s->size_B;
}

struct bo *
screen_open(const struct screen *screen)
{
    char path[64];
    int err;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)screen->pid,
             screen->memory_fd);
    int fd = syscall_fd_up(
        syscall_openat(AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0));
    if (fd < 0)
        return NULL;
    struct bo *bo = NULL;
    if (is_memory_of(fd, screen) && !(bo = bo_import(fd, &err)) &&
        (bo = bo_alloc(screen->size_B))) {
        bo->memfd = fd;
        bo_expose(bo);
        return bo;
    }
    close(fd);
    return bo;
}
