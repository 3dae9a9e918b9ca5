/* if_kernels.h: random kernels with short IFs, most of which compiled code may
 * run without a branch (jit/transform/if_convert.c). */
#ifndef IF_KERNELS_H
#define IF_KERNELS_H

#include "rk.h"

/* One to three IFs, then the last message; make_sending_ifs(): also other
 * messages. One test at a time. */
void make_ifs(struct rk *k, uint64_t seed);
void make_sending_ifs(struct rk *k, uint64_t seed);
/* IFs in IFs, also in a loop, and ops that read and write flags in them
 * (jit/transform/guard_ifs.c). */
void make_nested_ifs(struct rk *k, uint64_t seed);

#endif
