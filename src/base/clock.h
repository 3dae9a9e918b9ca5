/* clock.h: the system's clocks, read through the C library itself. Programs may
 * interpose clock_gettime() (faketime, benchmarks), which can make it slow, or
 * stop or speed up time. Used by every room; any thread. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

int64_t clock_ns(clockid_t id);

/* The time of the last timer tick: some milliseconds coarse, but read in a few
 * nanoseconds. For checks that need not run each time. */
static inline int64_t
clock_tick_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC_COARSE);
}

#endif
