/* profile.h: exact counts of executed instructions, for `softlake profile`.
 *
 * With SOFTLAKE_PROFILE=DIR every kernel has counters (profile_file.h). Each
 * host thread counts in memory of its own, without locks or atomics: a file
 * mapping, which the launcher reads after the process has ended.
 *
 * Callers: all of src/eu. Any thread. */
#ifndef EU_PROFILE_PROFILE_H
#define EU_PROFILE_PROFILE_H

#include "base/base.h"
#include "eu/memory_use.h"
#include "eu/profile/profile_file.h"

struct eu_kernel;

/* Whether all kernels count: SOFTLAKE_PROFILE. */
bool eu_profile_is_on(void);
/* From now on, kernels may count for this process alone, without files. */
void eu_profile_begin(void);
/* Whether active lanes and branches are counted, too: SOFTLAKE_PROFILE_LANES.
 */
bool eu_profile_has_lanes(void);
/* Whether memory accesses are counted, too: SOFTLAKE_PROFILE_MEMORY. */
bool eu_profile_has_memory(void);
/* Counts a message of the instruction whose first counter is at `at`; units:
 * length of an array. */
void eu_profile_add_memory(uint64_t *at, uint32_t units,
                           const struct eu_memory_use *use);
/* The number of arrays of counters that a kernel has. */
uint32_t eu_profile_arrays(void);
/* Gives this host thread counters. */
void eu_profile_enter_counted(void);
/* Call before this host thread runs a kernel with this slot. */
static inline void
eu_profile_enter(uint32_t slot)
{
    if (slot)
        eu_profile_enter_counted();
}
/* The counters of this host thread; NULL before eu_profile_enter(). */
uint64_t *eu_profile_counters(void);
/* For tests: makes this host thread count there. */
void eu_profile_count_at(uint64_t *array);
/* Where compiled code finds them: an offset from the thread pointer. */
int32_t eu_profile_tls_B(void);

/* Gives a new kernel its slot, or 0 if profiling is off or no counters are
 * left. begins: one byte per 8 bytes of code, 1 where an instruction begins.
 * bins: profile_file.h. */
uint32_t eu_profile_add(uint64_t hash, unsigned gen, const void *code,
                        uint32_t code_B, const uint8_t *begins, uint32_t bins);
void eu_profile_use(uint32_t slot, unsigned stage, unsigned simd);
/* Tells which instructions begin a basic block of the compiled kernel. */
void eu_profile_blocks(uint32_t slot, const uint8_t *begins, uint32_t units);
/* How often each instruction of a kernel has run, one element per 8 bytes of
 * code: all host threads together. After eu_profile_begin(). */
void eu_profile_counts_of(uint32_t slot, uint64_t *counts, uint32_t units);

#endif
