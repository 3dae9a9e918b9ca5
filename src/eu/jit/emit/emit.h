/* emit.h: one variant's code under construction: begins and ends a compilation,
 * growing arrays, and jumps that are patched at the end.
 *
 * Callers: all sub-rooms that emit code, session/ and lockstep/ first. One
 * compilation belongs to one thread. Arrays lie in the compilation's arena,
 * except jit.variant_exits, which finished code takes over. */
#ifndef EU_JIT_EMIT_EMIT_H
#define EU_JIT_EMIT_EMIT_H

#include "eu/jit/jit_emit.h"
#include "eu/jit/mem/mem.h"

/* The caller owns the facts, which outlive the compilation. */
void jit_begin(struct jit *j, struct jit_facts *f,
               const struct eu_kernel *kernel, enum cpu_level cpu,
               unsigned flags);
/* Allocates the per-op arrays. False: no memory. */
bool jit_allocate(struct jit *j, struct jit_facts *f);
void jit_finish(struct jit *j);
/* Makes room for `need` items. False: no memory, and the compilation fails. */
bool jit_grow(struct jit *j, void **array, uint32_t *capacity, uint32_t need,
              size_t item_B);

/* The kernel's own op, which outlives the compilation. */
const struct eu_op *jit_lasting_op(struct jit *j, const struct eu_op *op);

/* ---- emit_counts.c: EU_JIT_COUNTS; clobber the CPU's flags ---- */

/* Where the instruction's counter is, from the address in
 * fs:[eu_profile_tls_B()] on. array: enum profile_array. */
size_t jit_counter_at(const struct jit *j, uint32_t ip_B, unsigned array);
/* Likewise its bin of no active lanes. set: enum profile_bins. */
size_t jit_bins_at(const struct jit *j, uint32_t ip_B, unsigned set);
/* Counts an entry of the basic block that begins with the op, and its active
 * lanes. Clobbers rax and rcx. */
void jit_count_block(struct jit *j, uint32_t first);
/* Code for blocks that begin without some lane, after all blocks. */
void jit_count_partial_blocks(struct jit *j);
/* Counts a run of the branch by no lane. Clobbers rax. */
void jit_count_skipped(struct jit *j, uint32_t op);
/* EU_JIT_LANES: counts the channels of a branch: eax takes it, of ecx. Clobbers
 * rdx, rsi and rdi. */
void jit_count_taken(struct jit *j, const struct eu_op *op);

/* EU_JIT_MEMORY: counts an access at rax by lanes that are all on: `array` says
 * whether at one place or at neighbours, which take size_B bytes. has_lines:
 * the memory has lines. Clobbers rsi and rdx. */
void jit_count_access(struct jit *j, uint32_t ip_B, unsigned array,
                      unsigned size_B, bool has_lines);

/* Whether the ops being compiled execute in all channels but for predicates. */
static inline bool
jit_all_on(const struct jit *j)
{
    return j->f->unmasked && !j->guard;
}

void jit_prologue(struct jit *j);
/* Emits a jump to the op, in the masked variant or in this one. */
void jit_jump_to(struct jit *j, enum x86_cc cc, uint32_t op, bool masked);
/* The jump at `at` leads to the op in the other variant. */
void jit_cross(struct jit *j, uint32_t at, uint32_t op);
/* A jump at `at`, from the op that is being compiled. */
struct jit_jump jit_jump_from(const struct jit *j, uint32_t at, uint32_t op);
/* Emits a jump to the end of the code. */
void jit_return(struct jit *j, enum x86_cc cc);
/* Returns from the code here; no vector register is in use. */
void jit_leave(struct jit *j);

#endif
