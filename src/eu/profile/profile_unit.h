/* profile_unit.h: counts of single units of work, draws and dispatches.
 *
 * While pool_tag (base/pool.h) is a unit, the thread and the workers of its
 * pool_for() count for the unit, in memory of their own, which is one switch of
 * a pointer per launch of threads. The thread that executes the unit ends it
 * when all workers have.
 *
 * Callers: the engine's scope/. Any thread; a unit belongs to the one that took
 * it. */
#ifndef EU_PROFILE_PROFILE_UNIT_H
#define EU_PROFILE_PROFILE_UNIT_H

#include "base/base.h"
#include "eu/profile/profile_file.h"

struct eu_kernel;
struct eu_profile_unit;

/* The first of the kernel's counters, and their number; 0: it has none.
 * tiers/kernel_cache.c. */
uint32_t eu_kernel_counters(const struct eu_kernel *kernel, uint32_t *count);

/* A kernel of the unit: its counters, from a slot on. */
struct eu_profile_part {
    uint32_t slot, counters;
    unsigned stage, simd;
};

/* Takes memory for a unit. NULL: out of memory; then the threads count as
 * without units. */
struct eu_profile_unit *eu_profile_take_unit(void);
/* For all units that are not counted: their counts are in no file. NULL:
 * likewise. */
struct eu_profile_unit *eu_profile_outside(void);
/* Whether this thread works for a unit that is not counted. */
bool eu_profile_is_outside(void);
/* Adds what the parts have counted to the thread's own counters, writes the
 * record, and gives the unit back. All threads have ended the unit. */
void eu_profile_end_unit(struct eu_profile_unit *unit,
                         struct profile_unit *record,
                         const struct eu_profile_part *parts, unsigned count);

/* profile_maps.c: copies the counters of all threads of this process for a
 * snapshot (profile_file.h). */
void eu_profile_snapshot(uint32_t number);

#endif
