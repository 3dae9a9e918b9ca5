#include "base/base.h"

#include <stdlib.h>

__thread struct stats_cell *stats_mine;

/* Cells stay when their threads end: what they counted happened. The shared
 * one is for threads that found no memory. */
static struct stats_cell shared;
static _Atomic(struct stats_cell *) cells = &shared;

void
stats_add_first(enum stat_id s, uint64_t n)
{
    struct stats_cell *cell = calloc(1, sizeof *cell);
    if (!cell) {
        atomic_fetch_add_explicit(&shared.counter[s], n, memory_order_relaxed);
        return;
    }
    cell->next = atomic_load(&cells);
    while (!atomic_compare_exchange_weak(&cells, &cell->next, cell))
        ;
    stats_mine = cell;
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
