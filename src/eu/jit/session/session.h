/* session.h: compiles one variant of a kernel, from begin to finish.
 *
 * A kernel has two variants of code. The unmasked variant runs while every
 * channel that the kernel could disable is on, and masks nothing except in
 * guarded IFs (transform/guard_ifs.c). The masked variant covers all other
 * states and is made when first needed. Both are lists of blocks that end at
 * control flow; inside a block GRF values stay in vector registers (regs/).
 * Variant exits lead from the unmasked variant to the masked one: addresses
 * that leave the code until the masked variant exists.
 *
 * Callers: the driver (variants.c); lockstep/ compiles its own order of ops
 * with the same parts. One compilation belongs to one thread. */
#ifndef EU_JIT_SESSION_SESSION_H
#define EU_JIT_SESSION_SESSION_H

#include "eu/jit/emit/emit.h"

/* passes.c: analyses and transforms, before code is made. whole: also the facts
 * about the kernel's start. */
bool jit_analyse(struct jit_facts *f, bool whole);
/* Returns the published code of one variant, or NULL. */
void *jit_make_code(struct jit *j, struct jit_facts *f);

/* session.c, steps of passes.c: the code of all blocks; exits to the other
 * variant; exits to the interpreter; jumps between blocks; constants after the
 * code. */
void jit_compile_blocks(struct jit *j);
void jit_emit_stubs(struct jit *j);
void jit_emit_exits(struct jit *j);
void jit_resolve_jumps(struct jit *j);
void jit_place_pool(struct jit *j);

/* Compiles a computing op. False: the interpreter runs it. */
bool jit_compile_alu(struct jit *j, const struct eu_op *op);
/* The op's operands that are dead after it, or overwritten by it. */
struct jit_set jit_dying_at(const struct jit *j, uint32_t op);

#endif
