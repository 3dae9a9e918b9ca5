/* fence_wait.c: waiting for fences and syncobjs. */
#include "base/base.h"
#include "drm-shim/core/core.h"
#include "drm-shim/sync/fence.h"
#include "drm-shim/sync/syncobj_eventfd.h"
#include "engine/engine.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* One sleeping thread, on its stack. */
struct sleeper {
    bool (*ready)(void *data);
    void *data;
    struct sleeper *next;
};

static struct {
    pthread_mutex_t lock;
    _Atomic uint32_t wakes; /* futex; counts */
    struct sleeper *sleepers;
    atomic_uint kicks; /* for threads that spin before they sleep */
} waits = {.lock = PTHREAD_MUTEX_INITIALIZER};

void
fence_lock(void)
{
    pthread_mutex_lock(&waits.lock);
}

void
fence_unlock(void)
{
    pthread_mutex_unlock(&waits.lock);
}

/* Wakes the sleepers only if one sleeper's condition holds: a client that waits
 * for the last of many batches sleeps through the others. */
void
fence_kick(void)
{
    atomic_fetch_add_explicit(&waits.kicks, 1, memory_order_release);
    syncobj_eventfd_look();
    struct sleeper *s = waits.sleepers;
    while (s && !s->ready(s->data))
        s = s->next;
    if (!s)
        return;
    atomic_fetch_add(&waits.wakes, 1);
    syscall(SYS_futex, &waits.wakes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
            0);
}

int64_t
fence_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void
timespec_from_ns(struct timespec *ts, int64_t ns)
{
    ts->tv_sec = ns / INT64_C(1000000000);
    ts->tv_nsec = ns % INT64_C(1000000000);
}

/* Spins for a moment, because waking a thread costs more than most batches
 * take. Called and left with the lock held. */
#define SPIN_NS 40000

static bool
spin_locked(bool (*ready)(void *data), void *data, int64_t deadline_ns)
{
    int64_t end_ns = MIN2(fence_now_ns() + SPIN_NS, deadline_ns);
    bool done = false;
    while (!done && fence_now_ns() < end_ns) {
        unsigned kicks = atomic_load(&waits.kicks);
        fence_unlock();
        for (int i = 0; i < 64 && atomic_load(&waits.kicks) == kicks; i++)
            __builtin_ia32_pause();
        fence_lock();
        if (atomic_load(&waits.kicks) != kicks)
            done = ready(data);
    }
    return done || ready(data);
}

/* Runs queued batches in the waiting thread, unless a batch may take longer
 * than the deadline allows: nothing ends the help before the batch. Called and
 * left with the lock held. */
#define HELP_NS INT64_C(3600000000000)

static bool
help_locked(bool (*ready)(void *data), void *data, int64_t deadline_ns)
{
    struct engine *engine = device_engine_if_any();
    if (!engine || deadline_ns - fence_now_ns() < HELP_NS)
        return false;
    bool done = false, helped = true;
    while (!done && helped) {
        fence_unlock();
        helped = engine_help(engine);
        fence_lock();
        done = ready(data);
    }
    return done;
}

/* Returns 0, -ETIMEDOUT, or -EINTR after a signal handler. The kernel goes on
 * itself where a wait has no deadline and the handler SA_RESTART. */
static int
futex_wait(uint32_t wakes, int64_t deadline_ns)
{
    struct timespec ts;
    timespec_from_ns(&ts, deadline_ns);
    long r = syscall(SYS_futex, &waits.wakes, FUTEX_WAIT_BITSET_PRIVATE, wakes,
                     deadline_ns == FENCE_FOREVER ? NULL : &ts, NULL,
                     FUTEX_BITSET_MATCH_ANY);
    return r < 0 && errno != EAGAIN ? -errno : 0;
}

/* 0, -ETIME, or -EINTR if that may end the wait. A signal that is handled just
 * before the thread sleeps is not seen. */
static int
sleep_locked(bool (*ready)(void *data), void *data, int64_t deadline_ns,
             bool interruptible)
{
    struct sleeper self = {ready, data, waits.sleepers};
    bool done = false;
    int err = 0;
    waits.sleepers = &self;
    while (!done && err != -ETIMEDOUT && !(interruptible && err == -EINTR)) {
        uint32_t wakes = atomic_load(&waits.wakes);
        fence_unlock();
        err = futex_wait(wakes, deadline_ns);
        fence_lock();
        done = ready(data);
    }
    struct sleeper **link = &waits.sleepers;
    while (*link != &self)
        link = &(*link)->next;
    *link = self.next;
    return done ? 0 : err == -ETIMEDOUT ? -ETIME : err;
}

static int
wait_until(bool (*ready)(void *data), void *data, int64_t deadline_ns,
           bool interruptible)
{
    int err = 0;
    fence_lock();
    if (!ready(data)) {
        if (fence_now_ns() >= deadline_ns)
            err = -ETIME;
        else if (!help_locked(ready, data, deadline_ns) &&
                 !spin_locked(ready, data, deadline_ns))
            err = sleep_locked(ready, data, deadline_ns, interruptible);
    }
    fence_unlock();
    return err;
}

/* Drivers that only poll may pass the current time. */
int
fence_wait_until(bool (*ready)(void *data), void *data, int64_t deadline_ns)
{
    return wait_until(ready, data, deadline_ns, false);
}

int
fence_wait_until_interruptible(bool (*ready)(void *data), void *data,
                               int64_t deadline_ns)
{
    return wait_until(ready, data, deadline_ns, true);
}

void
fence_forget_sleepers(void)
{
    waits.sleepers = NULL;
}
