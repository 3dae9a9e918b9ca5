/* loop_kernels.h: random kernels with counted loops, for the tests of chains
 * and lanes. */
#ifndef LOOP_KERNELS_H
#define LOOP_KERNELS_H

#include "encode.h"
#include "chains.h"

/* As many values as a loop may pin for each thread. */
#define VALUES 9
#define VALUE_GRF(i) (40 + 2 * (i))
#define GIVEN_GRF 90 /* never written */
#define BEHIND_GRF 64

/* op (16|M0) r110.0<1>:d r110.0<8;8,1>:d imm:d */
struct code encode_count(unsigned opcode, uint32_t imm);

/* Values in random order, so that they form cycles on their way to the loop's
 * pinned registers. */
void add_values(struct rk *k, bool first);
void add_to_values(struct rk *k);

/* mov r110 0; loop: cmp.ge r110 times; break; ...; add r110 r110 1; while.
 * given: the limit is a register's value instead of times. */
void add_loop(struct rk *k, uint32_t times, bool given,
              void (*add_body)(struct rk *k));

/* Kernels without messages except the last one. */
void make_loops(struct rk *k, uint64_t seed);
void make_circles(struct rk *k, uint64_t seed);
/* make_loops() with other messages, also in loops. */
void make_sending_loops(struct rk *k, uint64_t seed);

#endif
