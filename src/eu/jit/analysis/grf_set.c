/* grf_set.c: runs of consecutive registers as sets. */
#include "eu/jit/analysis/analysis.h"

#define BITS(n) ((UINT64_C(1) << (n)) - 1)
#define RUN(n, g)                                           \
    {                                                       \
        {                                                   \
            (g)<64 ? BITS(n) << ((g)&63) : 0,               \
                (g) >= 64 ? BITS(n) << ((g)&63) : (g)> 64 - \
                    (n)                                     \
                ? BITS(n) >> ((64 - (g)) & 63)              \
                : 0,                                        \
        }                                                   \
    }
#define RUNS_4(n, g) \
    RUN(n, g), RUN(n, (g) + 1), RUN(n, (g) + 2), RUN(n, (g) + 3)
#define RUNS_16(n, g) \
    RUNS_4(n, g), RUNS_4(n, (g) + 4), RUNS_4(n, (g) + 8), RUNS_4(n, (g) + 12)
#define RUNS_64(n, g)                                          \
    RUNS_16(n, g), RUNS_16(n, (g) + 16), RUNS_16(n, (g) + 32), \
        RUNS_16(n, (g) + 48)
#define RUNS(n)                        \
    {                                  \
        RUNS_64(n, 0), RUNS_64(n, 64), \
    }
const struct jit_set jit_runs[4][EU_GRF_COUNT] = {RUNS(0), RUNS(1), RUNS(2),
                                                  RUNS(3)};
