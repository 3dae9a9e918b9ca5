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

/* EU_JIT_COUNTS: counts an entry of the basic block that begins with the op, or
 * one run of the op. Clobbers rax and the CPU's flags. */
void jit_count(struct jit *j, uint32_t op, bool block);

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
