/* known.h: caches a value of the environment, read on first use. Any thread:
 * all threads read the same value, so races are harmless. */
#ifndef BASE_KNOWN_H
#define BASE_KNOWN_H

#include <limits.h>
#include <stdatomic.h>

/* Out of line, so that later calls need only a load. */
static __attribute__((noinline, cold)) int
known_first(atomic_int *known, int (*read)(void))
{
    int v = read() + 1;
    atomic_store_explicit(known, v, memory_order_relaxed);
    return v;
}

/* read() returns 0 to INT_MAX - 1. `known`: a static of the caller, initially
 * zero. */
static inline int
known_int(atomic_int *known, int (*read)(void))
{
    int v = atomic_load_explicit(known, memory_order_relaxed);
    return (v ? v : known_first(known, read)) - 1;
}

#endif
