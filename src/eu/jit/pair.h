/* pair.h: what code for several threads (pair.c) and those who run it
 * (pair_run.c) keep of the threads. */
#ifndef EU_JIT_PAIR_H
#define EU_JIT_PAIR_H

#include "eu/eu.h"

struct jit;
struct jit_loop;

/* Of the second thread, which has no use for its accumulators: there its
 * payload is kept while that of the first one is taken; and behind it registers
 * as all begin with them, which they change. Others behind it keep theirs in
 * the same place. */
#define KEPT_PAYLOAD \
    (sizeof(struct eu_thread) + offsetof(struct eu_thread, acc))
#define KEPT_GRFS (KEPT_PAYLOAD + EU_CATCH_GRF * EU_GRF_B)

/* The loop that counts which the op is in, if both threads can leave it at its
 * head; or NULL. */
const struct jit_loop *jit_counted_loop(const struct jit *j, uint32_t op);

#endif
