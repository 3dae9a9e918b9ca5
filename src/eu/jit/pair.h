/* pair.h: what code for several threads (pair.c) and those who run it
 * (pair_run.c) keep of the threads. */
#ifndef EU_JIT_PAIR_H
#define EU_JIT_PAIR_H

#include "eu/eu.h"

#include "eu/jit/compile.h"

/* Of the second thread, which has no use for its accumulators: there its
 * payload is kept while that of the first one is taken; and behind it registers
 * as all begin with them, which they change. Others behind it keep theirs in
 * the same place. */
#define KEPT_PAYLOAD \
    (sizeof(struct eu_thread) + offsetof(struct eu_thread, acc))
#define KEPT_GRFS (KEPT_PAYLOAD + EU_CATCH_GRF * EU_GRF_B)
/* Of a group each thread keeps its own. */
#define KEPT_OWN_GRFS (KEPT_GRFS - sizeof(struct eu_thread))

/* The loop that counts which the op is in, if both threads can leave it at its
 * head; or NULL. */
const struct jit_loop *jit_counted_loop(const struct jit *j, uint32_t op);

/* What is known of the thread that code is now for. */
void jit_get_side(const struct jit *j, struct jit_side *s);
void jit_set_side(struct jit *j, const struct jit_side *s);
/* What follows is for the next thread, in a circle. */
void jit_turn(struct jit *j);
/* The jump leads to where the threads are given up: before they have written
 * anything. */
void jit_lose(struct jit *j, uint32_t jump);

/* pair_ops.c: all but the last message; returns which op that is. */
uint32_t jit_pair_ops(struct jit *j, uint32_t *messages);

/* pair_loop.c */
uint32_t jit_count_ops(const struct jit *j, uint32_t first, uint32_t end);
/* These ops, of all threads, from what is left of the budget. */
void jit_spend(struct jit *j, uint32_t ops);
/* What is known where both threads leave a loop. */
struct jit_exit {
    uint32_t from;
    struct jit_side side[2];
};
void jit_pair_begin_loop(struct jit *j, const struct jit_loop *l);
/* Neither leaves, or both do. */
void jit_pair_leave_loop(struct jit *j, const struct jit_loop *l,
                         struct jit_exit *e);
void jit_pair_end_loop(struct jit *j, uint32_t i, const struct jit_exit *e);

/* pair_group.c: messages but for the last one, and the end. */
void jit_group_send(struct jit *j, uint32_t i);
void jit_end_group(struct jit *j);

#endif
