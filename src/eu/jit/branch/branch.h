/* branch.h: control flow: branches, channels that diverge and reconverge, and
 * calls of the interpreter for one op.
 *
 * Callers: session/, op by op; lockstep/ for counted loops. One compilation
 * belongs to one thread. */
#ifndef EU_JIT_BRANCH_BRANCH_H
#define EU_JIT_BRANCH_BRANCH_H

#include "eu/jit/regs/regs.h"

/* ---- lower_branch.c ---- */

void jit_lower_branch(struct jit *j, uint32_t index);
/* False: not a wait, or the interpreter must report its operand's error. */
bool jit_wait_is_native(const struct eu_op *op);
/* Also counts the wait's block (EU_JIT_COUNTS): a thread may wait more than
 * once, but runs it once. */
void jit_lower_wait(struct jit *j, uint32_t index);
void jit_lower_join(struct jit *j, uint32_t index);
/* Emits rarely executed code, after all blocks. */
void jit_lower_out_of_line(struct jit *j);
/* Emits a call of the interpreter's function for the op. */
void jit_call_op(struct jit *j, const struct eu_op *op);
/* Counted loop: returns the jump taken if all channels leave, to be patched,
 * and writes the flags of its comparison. */
uint32_t jit_test_counter(struct jit *j);
void jit_counter_flags(struct jit *j, const struct eu_op *op);

/* ---- guarded_if.c ---- */

/* A block begins: sets the guard. */
void jit_begin_guarded(struct jit *j, uint32_t index);
/* False: not part of a guarded IF. */
bool jit_lower_guarded(struct jit *j, uint32_t index);

/* ---- divergence.c; clobbers rax, rcx, rdx, rsi and rdi ---- */

/* eax := the branch's channels whose predicate is true, ecx := all its
 * channels, both as thread channels. Also counts them (EU_JIT_LANES). */
void jit_load_taken(struct jit *j, const struct eu_op *op);
/* Parks the channels in edx at ip_B; clobbers edx. */
void jit_park(struct jit *j, const struct eu_op *op, uint32_t ip_B);
/* Wakes the channels that wait at ip_B: eu_op_join() without the next op. */
void jit_wake(struct jit *j, uint32_t ip_B);

#endif
