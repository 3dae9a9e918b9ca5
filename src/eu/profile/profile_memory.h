/* profile_memory.h: counters of host threads, for units. profile.c has the
 * lock; functions in _locked are called with it.
 *
 * Callers: profile_unit.c, profile_maps.c, and profile.c for the rest. Any
 * thread. */
#ifndef EU_PROFILE_PROFILE_MEMORY_H
#define EU_PROFILE_PROFILE_MEMORY_H

#include "base/base.h"

void profile_lock(void);
void profile_unlock(void);
/* Names the calling host thread. */
const void *profile_thread(void);
/* Names the process in files. */
uint64_t profile_process_locked(void);
/* The end of the slots that kernels have. */
uint32_t profile_slots_locked(void);
/* Says once that errno has cost counts. */
void profile_complain_locked(const char *what);

/* profile_maps.c: the counters of one host thread after another. */
struct profile_map {
    struct profile_map *next;
    uint64_t *counters;
    unsigned file; /* N of its file "counts.ID.N", or none */
};
#define PROFILE_NO_FILE UINT32_MAX
/* New counters, zero; in_file: the launcher reads them. NULL: no memory. */
uint64_t *profile_map_locked(bool in_file);
const struct profile_map *profile_maps(void);
/* Tells the launcher that the process has lost counts. */
void profile_note_lost(void);
/* In the child of fork(): the files are the parent's. */
void profile_maps_drop_locked(void);
/* The calling thread's own counters; NULL: no memory. */
uint64_t *profile_own_counters_locked(void);

/* profile_unit.c: where the calling thread counts for the unit; NULL: no
 * memory. */
uint64_t *profile_unit_counters_locked(void *unit);
/* The calling thread ends. */
void profile_units_leave_locked(void);
/* In the child of fork(): forgets all units. */
void profile_units_drop_locked(void);

#endif
