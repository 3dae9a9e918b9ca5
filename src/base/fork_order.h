/* fork_order.h: fork() and the locks of the process.
 *
 * The child of fork() has one thread: a lock that another thread held stays
 * locked there for ever, and what it guards may be half changed. So fork()
 * takes every process-wide lock first. Each lock has a rank: a thread that
 * holds a lock takes only locks of higher ranks, and fork() takes all of them
 * in the order of their ranks. One handler of pthread_atfork() serves the
 * whole table, because handlers of their own would run in the order of their
 * registration.
 *
 * Locks that a thread holds for a whole batch are not in the table: fork() must
 * not wait for a batch. The child makes them anew. */
#ifndef BASE_FORK_ORDER_H
#define BASE_FORK_ORDER_H

#include <pthread.h>

enum fork_rank {
    FORK_DEVICE,     /* drm-shim: submissions, objects, fences; the engine */
    FORK_CONTROL,    /* commands for profiles */
    FORK_SCOPE,      /* submissions of profiles */
    FORK_SIGNALS,    /* installing the signal handler */
    FORK_KERNELS,    /* kernels by content */
    FORK_PROFILE,    /* counters and records of profiles */
    FORK_PIXELS,     /* rows of draws in profiles */
    FORK_PIXEL_MAPS, /* their pictures of overdraw */
    FORK_TEXELS,     /* rows of sampler messages */
    FORK_CODE,       /* memory of compiled code */
    FORK_JITDUMP,    /* perf's file */
    FORK_GDB,        /* gdb's list */
    FORK_RANKS
};

/* before() takes the locks of a rank, parent() and child() release them. */
struct fork_row {
    void (*before)(void);
    void (*parent)(void);
    void (*child)(void);
};

/* Registers the row of a rank, which must stay valid. Any thread, once. */
void fork_order_add(enum fork_rank rank, const struct fork_row *row);

/* In the file of a static mutex: fork() takes and releases it; in the child,
 * drop() runs before, for what is the parent's. */
#define FORK_LOCK_DROP(rank, mutex, drop)                                   \
    static void fork_take_lock(void)                                        \
    {                                                                       \
        pthread_mutex_lock(&(mutex));                                       \
    }                                                                       \
    static void fork_free_lock(void)                                        \
    {                                                                       \
        pthread_mutex_unlock(&(mutex));                                     \
    }                                                                       \
    static void fork_free_child_lock(void)                                  \
    {                                                                       \
        drop();                                                             \
        pthread_mutex_unlock(&(mutex));                                     \
    }                                                                       \
    __attribute__((constructor)) static void fork_add_lock(void)            \
    {                                                                       \
        static const struct fork_row row = {fork_take_lock, fork_free_lock, \
                                            fork_free_child_lock};          \
        fork_order_add(rank, &row);                                         \
    }

/* The child keeps what the mutex guards. */
static inline void
fork_drop_nothing(void)
{
}
#define FORK_LOCK(rank, mutex) FORK_LOCK_DROP(rank, mutex, fork_drop_nothing)

#endif
