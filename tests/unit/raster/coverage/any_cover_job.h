/* any_cover_job.h: hostile random jobs of cover_find(). */
#ifndef TEST_ANY_COVER_JOB_H
#define TEST_ANY_COVER_JOB_H

#include <stdlib.h>

#include "engine/raster/coverage/coverage.h"

static uint32_t state = 1;

static inline uint32_t
next_random(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 7;
}

static inline int64_t
between(int64_t lo, int64_t hi)
{
    uint64_t v = (uint64_t)next_random() << 24 ^ next_random();
    return lo + (int64_t)(v % (uint64_t)(hi - lo + 1));
}

/* An edge of any slope that passes near a point of the tile. */
static inline void
random_edge(struct cover_job *job, unsigned e)
{
    int64_t size = INT64_C(1) << between(0, 22);
    int64_t a = between(-size, size), b = between(-size, size);
    if (!between(0, 7))
        a = 0;
    if (!between(0, 7))
        b = 0;
    job->a[e] = a;
    job->b[e] = b;
    int64_t c = -a * between(-2, 65) - b * between(-2, 65) - between(0, 1);
    for (unsigned i = 0; i < job->samples; i++)
        job->c[e][i] = c + between(-(llabs(a) + llabs(b)) / 2,
                                   (llabs(a) + llabs(b)) / 2);
}

static inline uint64_t
random_range(void)
{
    if (between(0, 1))
        return UINT64_MAX;
    unsigned lo = (unsigned)between(0, 63), hi = (unsigned)between(lo, 63);
    return UINT64_MAX << lo & UINT64_MAX >> (63 - hi);
}

static inline struct cover_job
random_job(void)
{
    struct cover_job job = {.edges = (unsigned)between(0, 4),
                            .samples = 1u << between(0, 4),
                            .columns = random_range(),
                            .rows = random_range()};
    for (unsigned e = 0; e < job.edges; e++)
        random_edge(&job, e);
    return job;
}

#endif
