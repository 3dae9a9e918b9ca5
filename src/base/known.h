/* known.h: what the environment says, read once. Any thread: every one reads
 * the same, so which of them stores it is all the same. */
#ifndef BASE_KNOWN_H
#define BASE_KNOWN_H

#include <limits.h>
#include <stdatomic.h>

/* Apart, so that asking again needs no more than a load. */
static __attribute__((noinline, cold)) int
known_first(atomic_int *known, int (*read)(void))
{
    int v = read() + 1;
    atomic_store_explicit(known, v, memory_order_relaxed);
    return v;
}

/* read() gives 0 to INT_MAX - 1; `known` is a static of the caller's, zero at
 * first. */
static inline int
known_int(atomic_int *known, int (*read)(void))
{
    int v = atomic_load_explicit(known, memory_order_relaxed);
    return (v ? v : known_first(known, read)) - 1;
}

#endif
