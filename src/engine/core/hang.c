/* hang.c: limits on processor time and on predicted time. */
#include "engine/core/hang.h"

#define LIMIT_NS INT64_C(10000000000)
/* Reading processor time costs a system call, so read it this seldom. */
#define LOOK_NS INT64_C(20000000)

void
hang_set(struct hang *hang, unsigned limit_ms, bool preemptible)
{
    int64_t limit_ns = limit_ms * INT64_C(1000000);
    int64_t most_ns = limit_ns * HANG_PATIENCE;
    if (preemptible) {
        limit_ns *= HANG_PREEMPTIBLE_STUCK;
        most_ns *= HANG_PREEMPTIBLE_WHOLE;
    }
    atomic_store_explicit(&hang->limit_ns, limit_ns, memory_order_relaxed);
    atomic_store_explicit(&hang->most_ns, most_ns, memory_order_relaxed);
}

bool
hang_is_hopeless(const struct hang *hang, int64_t begun_ns, double done,
                 double total, const char *what)
{
    if (!hang_is_late(hang, begun_ns))
        return false;
    double so_far_s = (double)(clock_tick_ns() - begun_ns) * 1e-9;
    double most_s = (double)hang->most_ns * 1e-9;
    double all_s = done > 0 ? so_far_s * total / done : so_far_s;
    if (all_s <= most_s)
        return false;
    guest_error("%s would take %.0f s: hang", what, all_s);
    return true;
}

bool
hang_is_stuck(const struct hang *hang, struct hang_watch *watch, unsigned times)
{
    int64_t now_ns = clock_tick_ns();
    if (watch->looked_ns && now_ns - watch->looked_ns < LOOK_NS)
        return false;
    watch->looked_ns = now_ns;
    int64_t spent_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!watch->since_ns)
        watch->since_ns = spent_ns;
    int64_t limit_ns = hang ? hang->limit_ns : LIMIT_NS;
    if (spent_ns - watch->since_ns < limit_ns * times)
        return false;
    guest_error("kernel still runs after %.1f s: hang",
                (double)(spent_ns - watch->since_ns) * 1e-9);
    return true;
}
