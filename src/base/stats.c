/* stats.c: counters per thread. */
#include "base/base.h"

#include <pthread.h>
#include <stdlib.h>

__thread struct stats_cell *stats_mine;

/* Cells outlive their threads, because their counts remain valid; a later
 * thread goes on counting in them. The shared cell is for threads that cannot
 * allocate one. */
static struct stats_cell shared;
static _Atomic(struct stats_cell *) cells = &shared;

/* Its destructor runs when a thread ends. */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void
leave_cell(void *cell)
{
    stats_mine = NULL;
    atomic_store(&((struct stats_cell *)cell)->owned, false);
}

static void
make_key(void)
{
    has_key = !pthread_key_create(&key, leave_cell);
}

/* A cell whose thread has ended, or a new one; NULL: no memory. */
static struct stats_cell *
take_cell(void)
{
    for (struct stats_cell *c = atomic_load(&cells); c; c = c->next)
        if (c != &shared && !atomic_load(&c->owned) &&
            !atomic_exchange(&c->owned, true))
            return c;
    struct stats_cell *cell = calloc(1, sizeof *cell);
    if (!cell)
        return NULL;
    atomic_init(&cell->owned, true);
    cell->next = atomic_load(&cells);
    while (!atomic_compare_exchange_weak(&cells, &cell->next, cell))
        ;
    return cell;
}

void
stats_add_first(enum stat_id s, uint64_t n)
{
    struct stats_cell *cell = take_cell();
    if (!cell) {
        atomic_fetch_add_explicit(&shared.counter[s], n, memory_order_relaxed);
        return;
    }
    stats_mine = cell;
    pthread_once(&once, make_key);
    if (has_key)
        pthread_setspecific(key, cell);
    stats_add(s, n);
}

uint64_t
stats_get(enum stat_id s)
{
    uint64_t sum = 0;
    for (const struct stats_cell *c = atomic_load(&cells); c; c = c->next)
        sum += atomic_load_explicit(&c->counter[s], memory_order_relaxed);
    return sum;
}

static const struct {
    const char *name, *help;
} rows[STAT_COUNT] = {
#define X(name, help) {#name, help},
    STATS(X)
#undef X
};

const char *
stats_name(enum stat_id s)
{
    return rows[s].name;
}

const char *
stats_help(enum stat_id s)
{
    return rows[s].help;
}
