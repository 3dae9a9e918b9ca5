/* loop_kernels.h: random kernels with loops that count, for the tests of rows
 * and lanes. */
#ifndef LOOP_KERNELS_H
#define LOOP_KERNELS_H

#include "encode.h"
#include "rows.h"

/* As many values as a loop may keep in registers of each thread. */
#define VALUES 9
#define VALUE_GRF(i) (40 + 2 * (i))
#define GIVEN_GRF 90 /* that nobody writes */
#define BEHIND_GRF 64

/* op (16|M0) r110.0<1>:d r110.0<8;8,1>:d imm:d */
struct code encode_count(unsigned opcode, uint32_t imm);

/* Values in any order, so that they go round in circles on their way to the
 * registers in which the loop has them. */
void add_values(struct rk *k, bool first);
void add_to_values(struct rk *k);

/* mov r110 0; loop: cmp.ge r110 times; break; ...; add r110 r110 1; while
 * given: instead of times, what some register has. */
void add_loop(struct rk *k, uint32_t times, bool given,
              void (*add_body)(struct rk *k));

/* Kernels that send nothing but the last message. */
void make_loops(struct rk *k, uint64_t seed);
void make_circles(struct rk *k, uint64_t seed);
/* The same, and others in loops, too. */
void make_sending_loops(struct rk *k, uint64_t seed);

#endif
