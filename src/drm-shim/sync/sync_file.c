#include "drm-shim/sync/sync_file.h"

#include "base/base.h"
#include "base/fd_pass.h"
#include "drm-shim/core/core.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ------------------------------------------------------------------------
 * The pair */

/* The name of the client's end tells it from other sockets. */
#define NAME_PREFIX "softlake-sync-"

static bool
bind_name(int fd)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int n = snprintf(sa.sun_path + 1, sizeof sa.sun_path - 1,
                     NAME_PREFIX "%d-%u-%llx", (int)getpid(),
                     device_new_serial(), (unsigned long long)fence_now_ns());
    size_t size_B = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n;
    return !bind(fd, (struct sockaddr *)&sa, (socklen_t)size_B);
}

int
sync_file_create(struct sync_file_end *end)
{
    int pair[2];
    struct stat st;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    int ours = syscall_fd_up(pair[1]);
    if (bind_name(pair[0]) && !syscall_fstat(pair[0], &st)) {
        *end = (struct sync_file_end){ours, st.st_ino};
        return pair[0];
    }
    close(pair[0]);
    close(ours);
    return -ENOMEM;
}

void
sync_file_signal(const struct sync_file_end *end)
{
    /* The message carries this end itself, so that it is not hung up: poll()
     * says POLLIN alone, as for a sync_file of the kernel. */
    if (!fd_pass_send(end->fd, end->fd))
        shutdown(end->fd, SHUT_RDWR);
    close(end->fd);
}

ino_t
sync_file_ino(int fd)
{
    struct sockaddr_un sa;
    socklen_t size_B = sizeof sa;
    struct stat st;
    int saved = errno;
    bool ok = !syscall_fstat(fd, &st) && S_ISSOCK(st.st_mode) &&
              !getsockname(fd, (struct sockaddr *)&sa, &size_B) &&
              sa.sun_family == AF_UNIX &&
              size_B >
                  offsetof(struct sockaddr_un, sun_path) + sizeof NAME_PREFIX &&
              !memcmp(sa.sun_path + 1, NAME_PREFIX, sizeof NAME_PREFIX - 1);
    errno = saved;
    return ok ? st.st_ino : 0;
}

bool
sync_file_has_signalled(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

/* ------------------------------------------------------------------------
 * Sync_files of other processes */

struct watch {
    int fd; /* closed here */
    ino_t ino;
    struct fence *fence;
    int64_t deadline_ns;
    struct watch *next;
};

/* One thread watches all of them. Under the fence lock. */
static struct {
    struct watch *first;
    int epoll; /* + 1; 0: no thread */
} watches;

static bool
has_ended(const struct watch *w)
{
    return sync_file_has_signalled(w->fd) || fence_now_ns() >= w->deadline_ns;
}

static bool
is_unused(const struct watch *w)
{
    return fence_is_unused_locked(w->fence);
}

/* Takes watches out of the list. */
static struct watch *
take_locked(bool (*is_over)(const struct watch *w))
{
    struct watch *taken = NULL;
    for (struct watch **p = &watches.first; *p;) {
        struct watch *w = *p;
        if (!is_over(w)) {
            p = &w->next;
            continue;
        }
        /* The client may have the same file: close() would not end the
         * events. */
        epoll_ctl(watches.epoll - 1, EPOLL_CTL_DEL, w->fd, NULL);
        *p = w->next;
        w->next = taken;
        taken = w;
    }
    return taken;
}

static void
free_watches(struct watch *w, bool signal)
{
    while (w) {
        struct watch *next = w->next;
        if (signal)
            fence_signal(w->fence);
        fence_unref(w->fence);
        close(w->fd);
        free(w);
        w = next;
    }
}

#define TICK_MS 1000
#define IDLE_TICKS 3 /* then the thread ends */

static void *
watch_main(void *data)
{
    int epoll = (int)(intptr_t)data;
    for (unsigned idle = 0; idle < IDLE_TICKS;) {
        struct epoll_event event;
        epoll_wait(epoll, &event, 1, TICK_MS);
        fence_lock();
        struct watch *ended = take_locked(has_ended);
        idle = watches.first || ended ? 0 : idle + 1;
        if (idle == IDLE_TICKS)
            watches.epoll = 0;
        fence_unlock();
        free_watches(ended, true);
    }
    close(epoll);
    return NULL;
}

static bool
start_thread_locked(void)
{
    pthread_t thread;
    if (watches.epoll)
        return true;
    int epoll = syscall_fd_up(epoll_create1(EPOLL_CLOEXEC));
    if (epoll < 0)
        return false;
    if (device_start_thread(&thread, watch_main, (void *)(intptr_t)epoll)) {
        close(epoll);
        return false;
    }
    pthread_detach(thread);
    watches.epoll = epoll + 1;
    return true;
}

static struct fence *
find_watch_locked(ino_t ino)
{
    for (struct watch *w = watches.first; w; w = w->next)
        if (w->ino == ino)
            return fence_ref(w->fence);
    return NULL;
}

static bool
add_watch_locked(struct watch *w)
{
    struct epoll_event event = {.events = EPOLLIN};
    if (!start_thread_locked() ||
        epoll_ctl(watches.epoll - 1, EPOLL_CTL_ADD, w->fd, &event))
        return false;
    w->next = watches.first;
    watches.first = w;
    return true;
}

struct fence *
sync_file_watch(int fd, ino_t ino)
{
    fence_lock();
    struct watch *unused = take_locked(is_unused);
    struct fence *fence = find_watch_locked(ino);
    fence_unlock();
    free_watches(unused, false);
    struct watch *w = fence ? NULL : malloc(sizeof *w);
    if (!w)
        return fence;
    *w = (struct watch){
        .fd = syscall_fd_up(dup(fd)),
        .ino = ino,
        .fence = fence_create(false),
        .deadline_ns = fence_now_ns() + device_foreign_limit_ns(),
    };
    if (w->fd >= 0 && w->fence) {
        fence = fence_ref(w->fence);
        fence_lock();
        bool added = add_watch_locked(w);
        fence_unlock();
        if (added)
            return fence;
        fence_unref(fence);
    }
    if (w->fd >= 0)
        close(w->fd);
    fence_unref(w->fence);
    free(w);
    return NULL;
}

void
sync_file_after_fork(void)
{
    if (watches.epoll)
        close(watches.epoll - 1);
    watches.epoll = 0;
    for (struct watch *w = watches.first; w; w = w->next)
        close(w->fd);
    watches.first = NULL; /* the memory stays: fence_unref() takes the lock */
}
