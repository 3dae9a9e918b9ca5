/* cpu.h: which instruction sets code made for one of them may use. Knows no
 * more of them than their names; any thread. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

/* Each has everything of those before it. */
enum cpu_level {
    CPU_SSE4,   /* what every x86-64 is taken to have, and no more */
    CPU_AVX2,   /* with FMA, F16C, BMI, LZCNT, POPCNT */
    CPU_AVX512, /* F, BW, DQ, VL, with BMI2 */
};

/* What the processor has, or less if SOFTLAKE_CPU says so; read once. */
enum cpu_level cpu_selected(void);
/* Whether a gather instruction is faster than loads one by one. */
bool cpu_gathers_fast(void);
/* Of so many roots that wait for the divider, one is made of multiplications
 * beside it; 0: none. */
unsigned cpu_roots_in_steps(void);
/* Whether stores past the caches are faster than those that miss them. */
bool cpu_streams_fast(void);

#endif
