/* group_path.c: ways to run a group, the fastest first. */
#include "engine/compute/group_run.h"

/* ---- any group ---- */

static bool
any_fits(const struct group_run *run)
{
    return true;
}

static void
begin_any(struct group_slot *slot, const struct group_run *run)
{
}

static void
trace_group(const struct group_run *run, const struct group_slot *slot)
{
    const uint32_t *id = slot->group.id;
    uint64_t insns = 0;
    for (unsigned i = 0; i < run->d->threads_per_group; i++)
        insns += slot->threads[i].insn_count;
    trace(dispatch, "group %u,%u,%u: %llu instructions", id[0], id[1], id[2],
          (unsigned long long)insns);
}

static void
run_any(const struct group_run *run, struct group_slot *slot)
{
    const struct dispatch *d = run->d;
    group_payload_give(run, slot);
    thread_launch_group(&slot->launch, slot->threads, d->threads_per_group,
                        run->mask, run->last_mask, &slot->group, &slot->env);
    if (d->watch)
        d->watch->group(d->watch->ctx, slot->threads, d->threads_per_group);
    if (trace_on(TRACE_dispatch))
        trace_group(run, slot);
}

static void
end_any(struct group_slot *slot)
{
}

/* ---- series: compiled threads that do not wait for each other ---- */

static bool
series_fits(const struct group_run *run)
{
    const struct eu_launch *l = &run->launch;
    return eu_launch_is_compiled(l) && l->start.ends_quietly &&
           !(l->sfids >> EU_SFID_GATEWAY & 1) && !trace_on(TRACE_dispatch);
}

static void
begin_series(struct group_slot *slot, const struct group_run *run)
{
    slot->series = (struct thread_group_series){
        .launch = &slot->launch,
        .threads = slot->threads,
        .count = run->d->threads_per_group,
        .mask = run->mask,
        .last_mask = run->last_mask,
        .group = &slot->group,
        .env = &slot->env,
    };
    thread_group_series_begin(&slot->series);
}

/* From this length on the start of a thread matters less than lockstep. */
#define LONG_INSNS 256

/* Whether the first group shows that two threads in lockstep would be
 * faster. */
static bool
is_long(const struct group_run *run, const struct group_slot *slot)
{
    int64_t spent = THREAD_TURN_INSNS - slot->series.left;
    return slot->launch.two && run->d->threads_per_group > 1 &&
           spent > (int64_t)run->d->threads_per_group * LONG_INSNS;
}

static void
run_series(const struct group_run *run, struct group_slot *slot)
{
    if (slot->is_long) {
        run_any(run, slot);
        return;
    }
    if (slot->series.finished)
        group_payload_renew(run, slot);
    else
        group_payload_give(run, slot);
    thread_group_series_run(&slot->series);
    if (!slot->group_count && is_long(run, slot)) {
        slot->is_long = true;
        thread_group_series_end(&slot->series);
    }
}

static void
end_series(struct group_slot *slot)
{
    thread_group_series_end(&slot->series);
}

/* ---- */

static const struct group_path paths[] = {
    {series_fits, begin_series, run_series, end_series, PERF_GROUP_SERIES,
     STAT_groups_series},
    {any_fits, begin_any, run_any, end_any, PERF_WAYS, STAT_groups_any},
};

const struct group_path *
group_path_choose(const struct group_run *run)
{
    const struct group_path *p = paths;
    while (!p->fits(run) || (p->off < PERF_WAYS && perf_leaves_out(p->off)))
        p++;
    return p;
}
