/* gather_scatter.c: chooses the routines by instruction set. */
#include "engine/msg/dataport/gather_scatter.h"

const struct lane_routines *
lanes_for(enum cpu_level cpu)
{
    switch (cpu) {
    case CPU_AVX512: return &lanes_avx512;
    case CPU_AVX2: return &lanes_avx2;
    default: return NULL;
    }
}
