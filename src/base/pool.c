#include "base/pool.h"
#include "base/base.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t call; /* one pool_for at a time */
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    unsigned thread_count;
    pthread_t *threads;
    bool quit;
    /* the current call */
    unsigned generation;
    bool open;     /* threads may still join in */
    unsigned busy; /* those that have */
    void (*fn)(void *, unsigned, unsigned);
    void *ctx;
    unsigned count;
    atomic_uint next;
};

struct pool_thread {
    struct pool *pool;
    unsigned worker;
};

static void
drain(struct pool *pool, unsigned worker)
{
    for (;;) {
        unsigned i = atomic_fetch_add(&pool->next, 1);
        if (i >= pool->count)
            return;
        pool->fn(pool->ctx, i, worker);
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
        while (!pool->quit && (pool->generation == seen || !pool->open))
            pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->quit)
            break;
        seen = pool->generation;
        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        drain(pool, t.worker);
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
    if (pthread_create(&pool->threads[index], NULL, thread_main, t)) {
        free(t);
        return false;
    }
    return true;
}

struct pool *
pool_create(unsigned threads)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->threads = calloc(threads ? threads : 1, sizeof *pool->threads);
    if (!pool->threads) {
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
    free(pool);
}

unsigned
pool_workers(const struct pool *pool)
{
    return pool->thread_count + 1;
}

void
pool_for(struct pool *pool, unsigned count,
         void (*fn)(void *ctx, unsigned index, unsigned worker), void *ctx)
{
    if (!count)
        return;
    pthread_mutex_lock(&pool->call);
    pool->fn = fn;
    pool->ctx = ctx;
    pool->count = count;
    atomic_store(&pool->next, 0);
    /* A futex hand-off costs more than a small piece of work. */
    bool share = count > 1 && pool->thread_count;
    if (share) {
        pthread_mutex_lock(&pool->lock);
        pool->generation++;
        pool->open = true;
        for (unsigned i = 0; i < MIN2(count - 1, pool->thread_count); i++)
            pthread_cond_signal(&pool->work);
        pthread_mutex_unlock(&pool->lock);
    }
    drain(pool, 0);
    if (share) {
        /* Waking up takes longer than some calls: who has not come yet finds
         * nothing left to do, and nobody waits for it. */
        pthread_mutex_lock(&pool->lock);
        pool->open = false;
        while (pool->busy)
            pthread_cond_wait(&pool->idle, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->call);
}
