/* if_kernels.h: random kernels with short IFs, most of which compiled code may
 * run without a branch (jit/flat.c). */
#ifndef IF_KERNELS_H
#define IF_KERNELS_H

#include "rk.h"

/* One to three of them, then the last message; at times others before. One test
 * at a time. */
void make_ifs(struct rk *k, uint64_t seed);
void make_sending_ifs(struct rk *k, uint64_t seed);

#endif
