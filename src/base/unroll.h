/* unroll.h: unrolls loops of up to four iterations early, because compilers
 * keep arrays of vectors in registers only without a loop. For files compiled
 * for one instruction set. */
#ifndef BASE_UNROLL_H
#define BASE_UNROLL_H

/* Inlined, so that arguments are constants. */
#define LANES_INLINE static inline __attribute__((always_inline))

/* Sanitizers keep such arrays in memory anyway, and compilation takes
 * minutes. */
#ifdef __SANITIZE_ADDRESS__
#define LANES_UNROLLED for
#elif defined(__clang__)
#define LANES_UNROLLED _Pragma("unroll") for
#else
#define LANES_UNROLLED _Pragma("GCC unroll 4") for
#endif

#endif
