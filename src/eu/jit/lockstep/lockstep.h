/* lockstep.h: code for two or four threads of a chain, or two of a group, in
 * lockstep.
 *
 * Callers: the driver, after it has compiled a kernel, and launches, which run
 * such code once it pays. Any thread. Published code is immutable and belongs
 * to the struct eu_jit. */
#ifndef EU_JIT_LOCKSTEP_LOCKSTEP_H
#define EU_JIT_LOCKSTEP_LOCKSTEP_H

#include "eu/jit/jit_code.h"

/* lockstep_select.c: whether two threads of a chain can run in lockstep. Sets
 * jit.chain_grf to their payload, also if they cannot follow each other
 * singly. */
bool jit_makes_lockstep(struct jit *j);
/* Registers in which each thread needs the values of the chain's first
 * thread. */
struct jit_set jit_lockstep_keeps(const struct jit *j);
/* Whether two threads of a group can run in lockstep, and the registers that
 * they change before they may be given up. */
bool jit_makes_groups(const struct jit *j);
struct jit_set jit_group_keeps(const struct jit *j);

void eu_jit_free_lockstep(struct jit_lockstep *p);
/* eu_launch.two */
bool eu_jit_run_two(const struct eu_launch *l, struct eu_thread *t,
                    uint64_t budget);
/* eu_launch.lockstep */
bool eu_jit_run_lockstep(const struct eu_launch *l, struct eu_thread *t,
                         int64_t *left);

#endif
