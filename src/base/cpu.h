/* cpu.h: selects the instruction set that specialised code may use, and tells
 * which instructions are fast. Used by rooms with x86/ files; any thread. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

/* Each level includes the previous ones. */
enum cpu_level {
    CPU_SSE4,   /* the minimum that is required of an x86-64 */
    CPU_AVX2,   /* with FMA, F16C, BMI, LZCNT, POPCNT */
    CPU_AVX512, /* F, BW, DQ, VL, with BMI2 */
};

/* The processor's level, or less if SOFTLAKE_CPU says so; read once. */
enum cpu_level cpu_selected(void);
/* Whether a gather instruction is faster than separate loads. */
bool cpu_gathers_fast(void);
/* One of so many roots that wait for the divider is computed by multiplications
 * instead; 0: none. */
unsigned cpu_roots_in_steps(void);
/* Whether streaming stores are faster than stores that miss the caches. */
bool cpu_streams_fast(void);

#endif
