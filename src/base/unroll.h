/* unroll.h: loops of up to four times of which none is left when compilers look
 * at registers: arrays of vectors get some only then. For files compiled for an
 * instruction set. */
#ifndef BASE_UNROLL_H
#define BASE_UNROLL_H

/* Sanitizers keep such arrays in memory anyway, and compile for minutes. */
#ifdef __SANITIZE_ADDRESS__
#define LANES_UNROLLED for
#elif defined(__clang__)
#define LANES_UNROLLED _Pragma("unroll") for
#else
#define LANES_UNROLLED _Pragma("GCC unroll 4") for
#endif

#endif
