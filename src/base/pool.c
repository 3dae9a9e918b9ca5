/* pool.c: worker threads that share the indices of a call. */
#include "base/pool.h"
#include "base/base.h"
#include "base/os_thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* How long an idle thread spins before it sleeps: waking it takes about as
 * long, and another call often comes by then. */
#define SPIN_NS 30000

/* A worker's share of a call's indices. Its owner takes them from the front; a
 * worker whose share is empty steals from the back. So the same indices run on
 * the same core in each call, even if some take longer, and find their data in
 * its caches. Data in another core's cache costs several times as much. */
struct share {
    alignas(128) _Atomic uint64_t left; /* begin | end << 32 */
    atomic_bool owned;
};

struct pool {
    pthread_mutex_t call; /* of the pool_for() that has the threads */
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    unsigned thread_count;
    pthread_t *threads;
    bool spins; /* each worker has a CPU */
    bool quit;
    /* the current call */
    atomic_uint generation;
    bool open;         /* threads may still join in */
    unsigned sleepers; /* threads that wait on `work` */
    atomic_uint busy;  /* threads that have joined in */
    void (*fn)(void *, unsigned, unsigned);
    void *ctx;
    void *tag;
    struct share *shares; /* one per worker */
};

__thread void *pool_tag __attribute__((tls_model("initial-exec")));

struct pool_thread {
    struct pool *pool;
    unsigned worker;
};

static bool
take_first(struct share *share, unsigned *index)
{
    uint64_t left = atomic_load(&share->left);
    do {
        *index = (uint32_t)left;
        if (*index >= left >> 32)
            return false;
    } while (!atomic_compare_exchange_weak(&share->left, &left, left + 1));
    return true;
}

static bool
take_last(struct share *share, unsigned *index)
{
    uint64_t left = atomic_load(&share->left), one = UINT64_C(1) << 32;
    do {
        if ((uint32_t)left >= left >> 32)
            return false;
        *index = (uint32_t)(left >> 32) - 1;
    } while (!atomic_compare_exchange_weak(&share->left, &left, left - one));
    return true;
}

static void
share_out(struct pool *pool, unsigned count)
{
    unsigned workers = pool->thread_count + 1;
    for (unsigned i = 0; i < workers; i++) {
        uint64_t begin = (uint64_t)count * i / workers;
        uint64_t end = (uint64_t)count * (i + 1) / workers;
        atomic_store(&pool->shares[i].left, begin | end << 32);
        atomic_store(&pool->shares[i].owned, false);
    }
}

/* Chooses a share by the processor, because threads move and cached data does
 * not. */
static unsigned
find_share(struct pool *pool)
{
    unsigned workers = pool->thread_count + 1;
    unsigned i = (unsigned)sched_getcpu() % workers;
    while (atomic_exchange(&pool->shares[i].owned, true))
        i = (i + 1) % workers;
    return i;
}

static void
drain(struct pool *pool, unsigned worker)
{
    unsigned workers = pool->thread_count + 1, own = find_share(pool), index;
    while (take_first(&pool->shares[own], &index))
        pool->fn(pool->ctx, index, worker);
    for (unsigned i = 1; i < workers; i++) {
        struct share *other = &pool->shares[(own + i) % workers];
        while (take_last(other, &index))
            pool->fn(pool->ctx, index, worker);
    }
}

static int64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Spins until the value differs from `old`, at most SPIN_NS. */
static void
spin_while(const struct pool *pool, const atomic_uint *value, unsigned old)
{
    if (!pool->spins)
        return;
    int64_t end_ns = now_ns() + SPIN_NS;
    do {
        for (unsigned i = 0; i < 16; i++) {
            if (atomic_load_explicit(value, memory_order_relaxed) != old)
                return;
            __builtin_ia32_pause();
        }
    } while (now_ns() < end_ns);
}

static bool
has_work_locked(const struct pool *pool, unsigned seen)
{
    return pool->generation != seen && pool->open;
}

static void
wait_for_work_locked(struct pool *pool, unsigned seen)
{
    unsigned last = pool->generation;
    if (pool->quit || has_work_locked(pool, seen))
        return;
    pthread_mutex_unlock(&pool->lock);
    spin_while(pool, &pool->generation, last);
    pthread_mutex_lock(&pool->lock);
    while (!pool->quit && !has_work_locked(pool, seen)) {
        pool->sleepers++;
        pthread_cond_wait(&pool->work, &pool->lock);
        pool->sleepers--;
    }
}

static void *
thread_main(void *arg)
{
    struct pool_thread t = *(struct pool_thread *)arg;
    struct pool *pool = t.pool;
    free(arg);
    unsigned seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        wait_for_work_locked(pool, seen);
        if (pool->quit)
            break;
        seen = pool->generation;
        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        pool_tag = pool->tag;
        drain(pool, t.worker);
        pool_tag = NULL;
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static bool
start_thread(struct pool *pool, unsigned index)
{
    struct pool_thread *t = malloc(sizeof *t);
    if (!t)
        return false;
    *t = (struct pool_thread){pool, index + 1};
    if (thread_start(&pool->threads[index], false, thread_main, t)) {
        free(t);
        return false;
    }
    return true;
}

static unsigned
count_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1
                                                  : (unsigned)CPU_COUNT(&set);
}

struct pool *
pool_create(unsigned threads)
{
    struct pool *pool = aligned_alloc(alignof(struct pool), sizeof *pool);
    if (!pool)
        return NULL;
    memset(pool, 0, sizeof *pool);
    pool->spins = threads < count_cpus();
    pool->threads = calloc(threads ? threads : 1, sizeof *pool->threads);
    pool->shares = aligned_alloc(alignof(struct share),
                                 (threads + 1) * sizeof *pool->shares);
    if (!pool->threads || !pool->shares) {
        free(pool->threads);
        free(pool->shares);
        free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->call, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);

    /* The application's signals are for its own threads. */
    sigset_t block, old;
    sigfillset(&block);
    static const int synchronous[] = {SIGSEGV, SIGBUS,  SIGFPE,
                                      SIGILL,  SIGTRAP, SIGABRT};
    for (unsigned i = 0; i < ARRAY_SIZE(synchronous); i++)
        sigdelset(&block, synchronous[i]);
    pthread_sigmask(SIG_SETMASK, &block, &old);
    while (pool->thread_count < threads &&
           start_thread(pool, pool->thread_count))
        pool->thread_count++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return pool;
}

void
pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->call);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->idle);
    free(pool->threads);
    free(pool->shares);
    free(pool);
}

unsigned
pool_workers(const struct pool *pool)
{
    return pool ? pool->thread_count + 1 : 1;
}

/* A worker that wakes late finds no work; the caller does not wait for it. */
static void
wait_for_threads(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    while (pool->busy) {
        unsigned busy = pool->busy;
        pthread_mutex_unlock(&pool->lock);
        spin_while(pool, &pool->busy, busy);
        pthread_mutex_lock(&pool->lock);
        if (pool->busy == busy)
            pthread_cond_wait(&pool->idle, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void
run_shared(struct pool *pool, unsigned count)
{
    share_out(pool, count);
    bool share = count > 1;
    if (share) {
        pthread_mutex_lock(&pool->lock);
        pool->generation++;
        pool->open = true;
        unsigned awake = pool->thread_count - pool->sleepers;
        for (unsigned i = awake; i < MIN2(count - 1, pool->thread_count); i++)
            pthread_cond_signal(&pool->work);
        pthread_mutex_unlock(&pool->lock);
    }
    drain(pool, 0);
    if (share)
        wait_for_threads(pool);
}

void
pool_for(struct pool *pool, unsigned count,
         void (*fn)(void *ctx, unsigned index, unsigned worker), void *ctx)
{
    if (count && pool && pool->thread_count &&
        !pthread_mutex_trylock(&pool->call)) {
        pool->fn = fn;
        pool->ctx = ctx;
        pool->tag = pool_tag;
        run_shared(pool, count);
        pthread_mutex_unlock(&pool->call);
        return;
    }
    /* Without atomic operations, which would wait for all earlier stores. */
    for (unsigned i = 0; i < count; i++)
        fn(ctx, i, 0);
}
