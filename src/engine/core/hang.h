/* hang.h: hang detection for EU threads, draws and dispatches. Called by cs/,
 * thread/ and the rooms that run draws and dispatches; any thread.
 *
 * i915 resets a context that does not yield the ring for about 10 s (heartbeats
 * of 2.5 s, then a preemption timeout). Here work hangs in two cases:
 * - No EU thread of it has ended for `limit` of processor time. Processor time
 *   makes this independent of a busy or stopped machine.
 * - A draw or dispatch has run for `limit`, and its progress so far predicts a
 *   total above HANG_PATIENCE times the limit.
 * So work that makes progress may take longer by as much as a processor is
 * slower than a GPU. */
#ifndef ENGINE_CORE_HANG_H
#define ENGINE_CORE_HANG_H

#include "base/base.h"
#include "base/clock.h"

/* Guess: one core is this many times slower than 24 EUs at 1.1 GHz. */
#define HANG_PATIENCE 20
/* i915 never resets a context that can be preempted in the middle of a compute
 * thread: it answers the heartbeat whatever its kernels do. Such a context
 * still hangs here, but its two limits are multiplied by these. */
#define HANG_PREEMPTIBLE_STUCK 6
#define HANG_PREEMPTIBLE_WHOLE 60

/* Limits of a context. */
struct hang {
    _Atomic int64_t limit_ns;
    _Atomic int64_t most_ns; /* whole time of a draw or dispatch */
};

/* Progress of one EU thread, or of EU threads that take turns on one host
 * thread. */
struct hang_watch {
    int64_t looked_ns; /* clock_tick_ns() */
    int64_t since_ns; /* processor time at the last progress; 0: not read yet */
};

/* Sets the limits before a draw or dispatch. */
void hang_set(struct hang *hang, unsigned limit_ms, bool preemptible);
/* Whether work that began at begun_ns (clock_tick_ns()) has exceeded the limit.
 * Costs nanoseconds. NULL: never. */
static inline bool
hang_is_late(const struct hang *hang, int64_t begun_ns)
{
    return hang &&
           clock_tick_ns() - begun_ns >
               atomic_load_explicit(&hang->limit_ns, memory_order_relaxed);
}
/* Whether late work, extrapolated from `done` of `total`, would exceed the
 * limit for a whole draw or dispatch. Then reports a guest error that names
 * `what`. */
bool hang_is_hopeless(const struct hang *hang, int64_t begun_ns, double done,
                      double total, const char *what);
/* Whether `watch` has seen no progress for `times` the limit. Then reports a
 * guest error. NULL hang: the default limit. */
bool hang_is_stuck(const struct hang *hang, struct hang_watch *watch,
                   unsigned times);

#endif
