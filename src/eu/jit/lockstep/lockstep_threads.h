/* lockstep_threads.h: layout and compiler state shared by lockstep code
 * (lockstep.c) and lockstep_run.c. Private to lockstep/. */
#ifndef EU_JIT_LOCKSTEP_LOCKSTEP_THREADS_H
#define EU_JIT_LOCKSTEP_LOCKSTEP_THREADS_H

#include "eu/jit/lockstep/lockstep.h"
#include "eu/jit/regs/regs.h"

/* The second thread's accumulators are unused. They hold its payload while the
 * first thread's is taken, then the registers that all threads begin with and
 * that they change. Further threads use their own accumulators so. */
#define KEPT_PAYLOAD \
    (sizeof(struct eu_thread) + offsetof(struct eu_thread, acc))
#define KEPT_GRFS (KEPT_PAYLOAD + EU_CAPTURE_GRF * EU_GRF_B)
/* In a group each thread saves its own registers. */
#define KEPT_OWN_GRFS (KEPT_GRFS - sizeof(struct eu_thread))

/* The counted loop of op i, if both threads can leave it at its head; or
 * NULL. */
const struct jit_loop *jit_counted_loop(const struct jit *j, uint32_t i);

/* Patches the jump at `from` to give up the threads, before they have written
 * anything. */
void jit_lose(struct jit *j, uint32_t from);

/* lockstep_ops.c: compiles all ops before the last message; returns its
 * index. */
uint32_t jit_lockstep_ops(struct jit *j, uint32_t *messages);

/* lockstep_loop.c */
uint32_t jit_count_ops(const struct jit *j, uint32_t first, uint32_t end);
/* Takes the ops, for all threads, from the budget. */
void jit_spend(struct jit *j, uint32_t ops);
/* State where both threads leave a loop. */
struct jit_exit {
    uint32_t from;
    struct jit_side side[2];
};
void jit_lockstep_begin_loop(struct jit *j, const struct jit_loop *l);
/* Both threads leave, or neither. */
void jit_lockstep_leave_loop(struct jit *j, const struct jit_loop *l,
                             struct jit_exit *e);
void jit_lockstep_end_loop(struct jit *j, uint32_t i, const struct jit_exit *e);

/* lockstep_counts.c: profiles. Before begin, and at its head, a loop clears and
 * counts its turns; the end adds up all blocks before the op. */
#define LEFT_AT offsetof(struct eu_thread, chan_ip) /* budget at the begin */
#define TURNS_AT (LEFT_AT + sizeof(uint64_t))
#define MOST_TURNS 30u /* loops */
static_assert(sizeof((struct eu_thread){0}.chan_ip) >=
                  sizeof(uint64_t) + MOST_TURNS * sizeof(uint32_t),
              "room for them");
bool jit_lockstep_counts_fit(const struct jit *j);
bool jit_lockstep_counts_lanes(const struct jit *j);
bool jit_lockstep_counts_memory(const struct jit *j);
void jit_lockstep_need_lanes(struct jit *j);
void jit_lockstep_clear_turns(struct jit *j);
void jit_lockstep_count_turn(struct jit *j, const struct jit_loop *l);
void jit_lockstep_count(struct jit *j, uint32_t end);

/* lockstep_group.c: messages before the last one, and the end. */
void jit_group_send(struct jit *j, uint32_t i);
void jit_end_group(struct jit *j);

#endif
