/* pair.h: what code for two threads (pair.c) and those who run it (pair_run.c)
 * keep of the threads. */
#ifndef EU_JIT_PAIR_H
#define EU_JIT_PAIR_H

#include "eu/eu.h"

/* Of the second thread, which has no use for its accumulators: there its
 * payload is kept while that of the first one is taken; and behind it registers
 * as both begin with them, which they change. */
#define KEPT_PAYLOAD \
    (sizeof(struct eu_thread) + offsetof(struct eu_thread, acc))
#define KEPT_GRFS (KEPT_PAYLOAD + EU_CATCH_GRF * EU_GRF_B)

#endif
