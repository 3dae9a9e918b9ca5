/* upper_halves.h: state that AVX code leaves. Only for processors with AVX. */
#ifndef UPPER_HALVES_H
#define UPPER_HALVES_H

#include <stdbool.h>
#include <stdint.h>

#define STORE_UPPER(n) "vextractf128 $1, %%ymm" #n ", " #n "*16(%0)\n"

/* Whether the upper halves of ymm0 to ymm15 are zero, as after functions that
 * neither take nor return vectors. Otherwise Intel's cores take some hundred
 * cycles for the next SSE instruction. */
static inline bool
upper_halves_are_clear(void)
{
    uint64_t upper[32], any = 0;
    __asm__ volatile(STORE_UPPER(0) STORE_UPPER(1) STORE_UPPER(2) STORE_UPPER(3)
                         STORE_UPPER(4) STORE_UPPER(5) STORE_UPPER(6)
                             STORE_UPPER(7) STORE_UPPER(8) STORE_UPPER(9)
                                 STORE_UPPER(10) STORE_UPPER(11) STORE_UPPER(12)
                                     STORE_UPPER(13) STORE_UPPER(14)
                                         STORE_UPPER(15)
                     :
                     : "r"(upper)
                     : "memory");
    for (unsigned i = 0; i < 32; i++)
        any |= upper[i];
    return !any;
}

#endif
