/* fork_order.c: one handler of fork() for all locks. */
#include "base/fork_order.h"

#include <stdatomic.h>

static const struct fork_row *_Atomic rows[FORK_RANKS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
before_fork(void)
{
    for (unsigned i = 0; i < FORK_RANKS; i++)
        if (atomic_load(&rows[i]))
            atomic_load(&rows[i])->before();
}

static void
after_fork_parent(void)
{
    for (unsigned i = FORK_RANKS; i-- > 0;)
        if (atomic_load(&rows[i]))
            atomic_load(&rows[i])->parent();
}

static void
after_fork_child(void)
{
    for (unsigned i = FORK_RANKS; i-- > 0;)
        if (atomic_load(&rows[i]))
            atomic_load(&rows[i])->child();
}

static void
register_handler(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void
fork_order_add(enum fork_rank rank, const struct fork_row *row)
{
    atomic_store(&rows[rank], row);
    pthread_once(&once, register_handler);
}
