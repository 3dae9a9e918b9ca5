/* fence_wait.c: waiting for fences and syncobjs. */
#include "base/base.h"
#include "drm-shim/core/core.h"
#include "drm-shim/sync/fence.h"
#include "drm-shim/sync/syncobj_eventfd.h"
#include "engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

/* One sleeping thread, on its stack. */
struct sleeper {
    bool (*ready)(void *data);
    void *data;
    struct sleeper *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    struct sleeper *sleepers;
    atomic_uint kicks; /* for threads that spin before they sleep */
    pthread_once_t once;
} waits = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void
init_cond(void)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&waits.cond, &attr);
    pthread_condattr_destroy(&attr);
}

void
fence_lock(void)
{
    pthread_once(&waits.once, init_cond);
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
    if (s)
        pthread_cond_broadcast(&waits.cond);
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

/* Runs queued batches in the waiting thread, if its deadline leaves time.
 * Called and left with the lock held. */
#define HELP_NS 500000000

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

static bool
sleep_locked(bool (*ready)(void *data), void *data, int64_t deadline_ns)
{
    struct sleeper self = {ready, data, waits.sleepers};
    struct timespec ts;
    bool done = false;
    int err = 0;
    timespec_from_ns(&ts, deadline_ns);
    waits.sleepers = &self;
    while (!done && err != ETIMEDOUT) {
        if (deadline_ns == FENCE_FOREVER)
            pthread_cond_wait(&waits.cond, &waits.lock);
        else
            err = pthread_cond_timedwait(&waits.cond, &waits.lock, &ts);
        done = ready(data);
    }
    struct sleeper **link = &waits.sleepers;
    while (*link != &self)
        link = &(*link)->next;
    *link = self.next;
    return done;
}

/* Drivers that only poll may pass the current time. */
int
fence_wait_until(bool (*ready)(void *data), void *data, int64_t deadline_ns)
{
    fence_lock();
    bool done = ready(data);
    if (!done && fence_now_ns() < deadline_ns)
        done = help_locked(ready, data, deadline_ns) ||
               spin_locked(ready, data, deadline_ns) ||
               sleep_locked(ready, data, deadline_ns);
    fence_unlock();
    return done ? 0 : -ETIME;
}

void
fence_forget_sleepers(void)
{
    waits.sleepers = NULL;
    init_cond();
}
