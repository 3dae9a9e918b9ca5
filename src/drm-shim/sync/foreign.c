#include "drm-shim/sync/foreign.h"

#include "base/base.h"
#include "drm-shim/core/core.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ------------------------------------------------------------------------
 * Marks */

int
foreign_reopen(int fd, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = syscall_openat(AT_FDCWD, path, flags, 0);
    return own < 0 ? -errno : own;
}

void
foreign_reopen_in_place(int fd)
{
    int own = foreign_reopen(fd, O_RDWR | O_CLOEXEC);
    if (own < 0)
        return;
    syscall(SYS_dup3, own, fd, O_CLOEXEC);
    syscall(SYS_close, own);
}

bool
foreign_is_sealed(int fd)
{
    const int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    const int unwanted = F_SEAL_WRITE | F_SEAL_FUTURE_WRITE;
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & (wanted | unwanted)) == wanted;
}

uint64_t
foreign_new_marks(void)
{
    return (uint64_t)(uint32_t)fence_now_ns() << 24;
}

static bool
set_lock(int fd, short type, uint64_t at)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1};
    return !fcntl(fd, F_OFD_SETLK, &lock);
}

/* Where the system has no such locks, nobody waits for other processes. */
bool
foreign_mark(int fd, uint64_t at)
{
    return set_lock(fd, F_RDLCK, at) || (errno != ENOMEM && errno != ENOLCK);
}

void
foreign_unmark(int fd, uint64_t at)
{
    set_lock(fd, F_UNLCK, at);
}

#define LOCK_AT (UINT64_C(1) << 62) /* above all marks */
#define PATIENCE_NS 50000000

void
foreign_lock(int fd)
{
    int64_t end_ns = fence_now_ns() + PATIENCE_NS;
    while (!set_lock(fd, F_WRLCK, LOCK_AT) &&
           (errno == EAGAIN || errno == EACCES) && fence_now_ns() < end_ns)
        sched_yield();
}

void
foreign_unlock(int fd)
{
    set_lock(fd, F_UNLCK, LOCK_AT);
}

bool
foreign_find(int fd, struct mark_range in, struct mark_range *found)
{
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)in.first,
                         .l_len = (off_t)(in.end - in.first)};
    if (fcntl(fd, F_OFD_GETLK, &lock) || lock.l_type == F_UNLCK)
        return false;
    uint64_t first = (uint64_t)lock.l_start;
    uint64_t end = lock.l_len ? first + (uint64_t)lock.l_len : in.end;
    *found = (struct mark_range){MAX2(first, in.first), MIN2(end, in.end)};
    return true;
}

/* ------------------------------------------------------------------------
 * The thread */

struct item {
    struct foreign_watch watch;
    int64_t start_ns;
    uint32_t seen; /* of the hint, before is_over() */
    struct item *next;
};

/* The thread alone removes items. */
static struct {
    pthread_mutex_t lock;
    struct item *first;
    bool running;
    _Atomic uint32_t added; /* futex */
} foreign = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
has_ended(struct item *item, int64_t now_ns)
{
    const struct foreign_watch *w = &item->watch;
    if (w->hint)
        item->seen = atomic_load(w->hint);
    if (w->is_over(w->data))
        return true;
    if (w->endless)
        return false;
    return now_ns - item->start_ns > device_foreign_limit_ns();
}

static bool
is_unused(const struct item *item)
{
    fence_lock();
    bool unused = item->watch.fence &&
                  fence_is_unused_locked(item->watch.fence);
    fence_unlock();
    return unused;
}

static void
remove_item(struct item *item)
{
    pthread_mutex_lock(&foreign.lock);
    struct item **p = &foreign.first;
    while (*p != item)
        p = &(*p)->next;
    *p = item->next;
    pthread_mutex_unlock(&foreign.lock);
    if (item->watch.fence)
        fence_signal(item->watch.fence);
    fence_unref(item->watch.fence);
    item->watch.drop(item->watch.data);
    free(item);
}

/* Linux 5.16, if no filter of system calls denies it. */
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#define WAITV_MAX 128
#define WAITV_32 2
struct waitv {
    uint64_t value, address;
    uint32_t flags, reserved;
};

/* How long to sleep when no word comes: a small part of the time that the
 * youngest wait has taken. With words, that is for processes that have died. */
#define WORD_TICK_NS 100000000
#define TICK_MIN_NS 50000
#define TICK_MAX_NS 20000000

static struct timespec
tick_end(int64_t now_ns, int64_t tick_ns)
{
    int64_t end_ns = now_ns + tick_ns;
    return (struct timespec){end_ns / 1000000000, end_ns % 1000000000};
}

static void
sleep_for_words(uint32_t added)
{
    struct waitv words[WAITV_MAX] = {
        {added, (uintptr_t)&foreign.added, WAITV_32, 0}};
    unsigned count = 1;
    int64_t now_ns = fence_now_ns(), youngest_ns = 0;
    bool all = true;
    pthread_mutex_lock(&foreign.lock);
    for (struct item *i = foreign.first; i; i = i->next) {
        youngest_ns = MAX2(youngest_ns, i->start_ns);
        if (!i->watch.hint || count == WAITV_MAX)
            all = false;
        else
            words[count++] = (struct waitv){i->seen, (uintptr_t)i->watch.hint,
                                            WAITV_32, 0};
    }
    pthread_mutex_unlock(&foreign.lock);
    int64_t age_ns = (now_ns - youngest_ns) / 8;
    int64_t tick_ns = CLAMP(age_ns, TICK_MIN_NS, TICK_MAX_NS);
    struct timespec end = tick_end(now_ns, all ? WORD_TICK_NS : tick_ns);
    if (syscall(SYS_futex_waitv, words, count, 0, &end, CLOCK_MONOTONIC) >= 0 ||
        errno == ETIMEDOUT || errno == EAGAIN || errno == EINTR)
        return;
    end = (struct timespec){0, tick_ns};
    syscall(SYS_futex, &foreign.added, FUTEX_WAIT, added, &end, NULL, 0);
}

#define IDLE_TICKS 20 /* then the thread ends */

static bool
ends_idle(unsigned *idle)
{
    pthread_mutex_lock(&foreign.lock);
    *idle = foreign.first ? 0 : *idle + 1;
    bool end = *idle > IDLE_TICKS;
    if (end)
        foreign.running = false;
    pthread_mutex_unlock(&foreign.lock);
    return end;
}

static void *
watch_main(void *data)
{
    unsigned idle = 0;
    while (!ends_idle(&idle)) {
        uint32_t added = atomic_load(&foreign.added);
        int64_t now_ns = fence_now_ns();
        pthread_mutex_lock(&foreign.lock);
        struct item *next = foreign.first;
        pthread_mutex_unlock(&foreign.lock);
        for (struct item *i = next; i; i = next) {
            next = i->next;
            if (has_ended(i, now_ns) || is_unused(i))
                remove_item(i);
        }
        sleep_for_words(added);
    }
    return NULL;
}

static bool
add_item_locked(struct item *item)
{
    pthread_t thread;
    if (!foreign.running) {
        if (device_start_thread(&thread, watch_main, NULL))
            return false;
        pthread_detach(thread);
        foreign.running = true;
    }
    item->next = foreign.first;
    foreign.first = item;
    return true;
}

bool
foreign_watch(const struct foreign_watch *watch)
{
    struct item *item = malloc(sizeof *item);
    if (!item)
        return false;
    *item = (struct item){.watch = *watch, .start_ns = fence_now_ns()};
    if (watch->fence)
        fence_ref(watch->fence);
    pthread_mutex_lock(&foreign.lock);
    bool added = add_item_locked(item);
    pthread_mutex_unlock(&foreign.lock);
    if (!added) {
        fence_unref(item->watch.fence);
        free(item);
        return false;
    }
    atomic_fetch_add(&foreign.added, 1);
    syscall(SYS_futex, &foreign.added, FUTEX_WAKE, 1, NULL, NULL, 0);
    return true;
}

void
foreign_tell(_Atomic uint32_t *hint)
{
    atomic_fetch_add(hint, 1);
    syscall(SYS_futex, hint, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The memory of the items stays: their drop() may need what the parent's
 * threads have locked. */
void
foreign_after_fork(void)
{
    pthread_mutex_init(&foreign.lock, NULL);
    foreign.first = NULL;
    foreign.running = false;
}
