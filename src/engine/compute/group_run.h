/* group_run.h: the groups of a dispatch on the workers: data, payload, ways to
 * run a group. Private to compute/. The dispatch's thread makes a run, which is
 * immutable while workers use it; each worker has a slot of its own. */
#ifndef ENGINE_COMPUTE_GROUP_RUN_H
#define ENGINE_COMPUTE_GROUP_RUN_H

#include "engine/compute/compute.h"

#include "base/perf.h"
#include "base/stats.h"
#include "engine/state/draw.h"
#include "engine/thread/thread.h"

/* Which registers a thread's start has to set. */
struct payload_plan {
    unsigned grfs; /* g0, the constants */
    /* Live registers after them, which begin as zeros. */
    uint8_t beyond[EU_GRF_COUNT];
    unsigned beyond_count;
    /* What the kernel changes of both: set for each thread in a series. */
    uint8_t changed[EU_GRF_COUNT], changed_beyond[EU_GRF_COUNT];
    unsigned changed_count, changed_beyond_count;
};

/* A worker's memory, reused from group to group. */
struct group_slot {
    struct eu_thread *threads; /* threads_per_group */
    uint8_t *payload;          /* per thread, without the group's id */
    struct thread_group group;
    struct mem_range slm;
    struct thread_env env;
    struct eu_launch launch; /* the run's, with this slot's SLM */
    struct thread_group_series series;
    bool is_long;         /* lockstep is faster than a series */
    uint64_t group_count; /* executed so far */
    unsigned until_look;  /* groups until the next check for a hang */
};

struct group_run {
    const struct dispatch *d;
    uint64_t groups;
    int64_t begun_ns;    /* clock_tick_ns() */
    uint64_t first, end; /* linear indices of this batch's groups */
    uint32_t size[3];
    unsigned chunk;           /* groups that a worker takes at a time */
    struct group_slot *slots; /* one per worker */
    unsigned workers;
    const struct group_path *path;
    struct eu_launch launch;
    uint32_t mask, last_mask;
    uint32_t lanes; /* enabled lanes per group */
    struct payload_plan payload;
};

/* A way to run a group. */
struct group_path {
    bool (*fits)(const struct group_run *);
    void (*begin)(struct group_slot *, const struct group_run *);
    void (*run)(const struct group_run *, struct group_slot *);
    void (*end)(struct group_slot *);
    enum perf_way off; /* PERF_WAYS: always on */
    enum stat_id groups;
};

/* group_path.c: the first path that fits. The run's launch is made. */
const struct group_path *group_path_choose(const struct group_run *run);

/* payload.c */
void group_payload_plan(struct group_run *run);
/* Prepares the slot's payload, without groups' IDs. */
void group_payload_fill(const struct group_run *run, struct group_slot *slot,
                        unsigned worker);
/* Sets all registers of the slot's threads; renew: only registers that an
 * earlier group of the same slot may have changed. */
void group_payload_give(const struct group_run *run, struct group_slot *slot);
void group_payload_renew(const struct group_run *run, struct group_slot *slot);

#endif
