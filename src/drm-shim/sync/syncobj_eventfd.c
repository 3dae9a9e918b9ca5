#include "drm-shim/sync/syncobj_eventfd.h"

#include "base/base.h"
#include "drm-shim/core/core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct waiting_eventfd {
    struct syncobj *obj; /* no reference */
    uint64_t point;
    bool available;
    int fd; /* closed here */
    struct waiting_eventfd *next;
};

static struct waiting_eventfd *waiting;
static atomic_uint waiting_count; /* to be read without the lock */

static void
free_waiting(struct waiting_eventfd *w)
{
    close(w->fd);
    syncobj_unwatch(w->obj);
    free(w);
    atomic_fetch_sub(&waiting_count, 1);
}

static bool
point_reached(const struct waiting_eventfd *w)
{
    enum syncobj_state state = syncobj_state_locked(w->obj, w->point);
    return w->available ? state != SYNCOBJ_EMPTY : state == SYNCOBJ_SIGNALLED;
}

void
syncobj_eventfd_look(void)
{
    struct waiting_eventfd **link = &waiting;
    while (*link) {
        struct waiting_eventfd *w = *link;
        if (!point_reached(w)) {
            link = &w->next;
            continue;
        }
        uint64_t one = 1;
        ssize_t n = write(w->fd, &one, sizeof one);
        (void)n;
        *link = w->next;
        free_waiting(w);
    }
}

static bool
is_eventfd(int fd)
{
    char link[64], target[64] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return syscall_readlinkat(AT_FDCWD, link, target, sizeof target - 1) > 0 &&
           !strcmp(target, "anon_inode:[eventfd]");
}

int
syncobj_eventfd_add(struct syncobj *obj, uint64_t point, bool available, int fd)
{
    struct stat st;
    if (syscall_fstat(fd, &st) < 0)
        return -EBADF;
    if (!is_eventfd(fd))
        return -EINVAL;
    struct waiting_eventfd *w = malloc(sizeof *w);
    int own = syscall_fd_up(dup(fd));
    if (!w || own < 0) {
        free(w);
        if (own >= 0)
            close(own);
        return -ENOMEM;
    }
    syncobj_watch(obj);
    syncobj_look(obj);
    fence_lock();
    *w = (struct waiting_eventfd){obj, point, available, own, waiting};
    waiting = w;
    atomic_fetch_add(&waiting_count, 1);
    syncobj_eventfd_look();
    fence_unlock();
    return 0;
}

void
syncobj_eventfd_forget(const struct syncobj *obj)
{
    if (!atomic_load_explicit(&waiting_count, memory_order_relaxed))
        return;
    fence_lock();
    struct waiting_eventfd **link = &waiting;
    while (*link) {
        struct waiting_eventfd *w = *link;
        if (w->obj == obj) {
            *link = w->next;
            free_waiting(w);
        } else {
            link = &w->next;
        }
    }
    fence_unlock();
}

void
syncobj_eventfd_after_fork(void)
{
    while (waiting) {
        struct waiting_eventfd *w = waiting;
        waiting = w->next;
        free_waiting(w);
    }
}
