/* machine.h: loops of one instruction set, for machine.c. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

/* Runs that many turns of independent multiply-adds of vectors and returns how
 * many floating-point operations they were, of 32 bits each. */
double machine_fma_avx2(uint32_t turns);
double machine_fma_avx512(uint32_t turns);

#endif
