/* transform.h: passes that change the kernel's ops before code is made.
 *
 * Caller: session/passes.c, once jit_facts.start and regs are known, or before
 * for jit_drop_macros(). A pass replaces the ops with jit_take_ops(); new ops
 * live in the compilation's arena. One compilation belongs to one thread. */
#ifndef EU_JIT_TRANSFORM_TRANSFORM_H
#define EU_JIT_TRANSFORM_TRANSFORM_H

#include "eu/jit/analysis/lane_deps.h"

/* drop_macro.c: drops the part of IEEE macros that no channel executes. */
void jit_drop_macros(struct jit_facts *f);
/* if_convert.c: if-conversion, if jit_facts.may_if_convert; then repeats lane
 * dependence for the new ops. */
void jit_if_convert(struct jit_facts *f, struct jit_lane_deps *apart);
/* Whether the comparison is probably uniform: all channels take one side. */
bool jit_is_uniform(const struct eu_op *test);
/* guard_ifs.c: guarded IFs, in kernels without if-conversion. After
 * jit_find_live(), and changes what is live. False: no fixed point. */
bool jit_guard_ifs(struct jit_facts *f);
/* sink.c: runs before passes that depend on the order of ops. */
void jit_sink(struct jit_facts *f);

#endif
