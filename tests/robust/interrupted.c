/* interrupted.c: waits end when their time does, and with EINTR after a signal
 * whose handler does not restart system calls. */
#include "raw.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

#define SIZE_B 4096
#define TICK_US 20000
#define FOREVER_MS 3600000

static atomic_uint ticks;

static void
count_tick(int number)
{
    (void)number;
    atomic_fetch_add(&ticks, 1);
}

/* Signals of a timer, again and again: one that comes before a thread sleeps
 * need not end its wait. */
static void
start_ticks(int flags)
{
    struct sigaction action = {.sa_handler = count_tick, .sa_flags = flags};
    struct itimerval often = {{0, TICK_US}, {0, TICK_US}};
    sigaction(SIGALRM, &action, NULL);
    atomic_store(&ticks, 0);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void
stop_ticks(void)
{
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
}

/* A batch that runs until it may end. */
struct pending {
    int fd;
    uint32_t target;
    uint32_t *go;
    struct batch batch;
    int result;
};

static struct pending
make_pending(void)
{
    struct pending p = {.fd = open_render()};
    p.target = bo_create(p.fd, SIZE_B);
    p.batch = batch_create(p.fd, p.target, &p.go);
    return p;
}

static void
let_end(struct pending *p)
{
    atomic_store((_Atomic uint32_t *)p->go, 1);
}

static void *
submit(void *data)
{
    struct pending *p = data;
    p->result = batch_submit(p->fd, &p->batch, NULL);
    return NULL;
}

/* Nothing but the timer's thread, this one, may have its signals. */
static void
without_signals(void *(*run)(void *data), void *data, pthread_t *thread)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_create(thread, NULL, run, data);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void *
end_soon(void *data)
{
    sleep_ms(10 * TICK_US / 1000);
    let_end(data);
    return NULL;
}

/* GEM_WAIT for the batch of another thread. */
static void
test_objects(void)
{
    struct pending p = make_pending();
    pthread_t thread;
    without_signals(submit, &p, &thread);
    pthread_join(thread, NULL);
    start_ticks(0);
    int first = bo_wait(p.fd, p.target, -1);
    int second = bo_wait(p.fd, p.target, FOREVER_MS);
    stop_ticks();
    ok(!p.result && first == -EINTR && atomic_load(&ticks),
       "a signal ends a wait for an object (%d)", first);
    ok(second == -EINTR, "also one with a time limit (%d)", second);
    without_signals(end_soon, &p, &thread);
    start_ticks(SA_RESTART);
    int third = bo_wait(p.fd, p.target, -1);
    unsigned seen = atomic_load(&ticks);
    stop_ticks();
    pthread_join(thread, NULL);
    ok(!third && seen > 1, "SA_RESTART goes on after %u signals (%d)", seen,
       third);
}

static void
test_syncobjs(void)
{
    int fd = open_render();
    uint32_t empty = syncobj_create(fd);
    start_ticks(0);
    int result = syncobj_wait(fd, empty, FOREVER_MS);
    stop_ticks();
    ok(result == -EINTR, "a signal ends a wait for a syncobj (%d)", result);
    int64_t began_ms = now_ms();
    result = syncobj_wait(fd, empty, 100);
    int64_t took_ms = now_ms() - began_ms;
    ok(result == -ETIME && took_ms >= 100 && took_ms < 2000,
       "100 ms take %lld ms (%d)", (long long)took_ms, result);
}

/* The batch is of the waiting thread, which may execute batches while it waits;
 * but not for longer than it wants to wait. */
static void
test_limit(void)
{
    struct pending p = make_pending();
    submit(&p);
    int64_t began_ms = now_ms();
    int result = bo_wait(p.fd, p.target, 700);
    int64_t took_ms = now_ms() - began_ms;
    let_end(&p);
    ok(!p.result && result == -ETIME && took_ms >= 700 && took_ms < 3000,
       "700 ms take %lld ms (%d)", (long long)took_ms, result);
    result = bo_wait(p.fd, p.target, -1);
    ok(!result, "and the batch ends later (%d)", result);
}

int
main(void)
{
    test_objects();
    test_syncobjs();
    test_limit();
    return done_testing();
}
