/* rt_avx512.c: rt_tmpl.h with AVX-512 (F, BW, DQ, VL). Compiled for them;
 * called only if the processor has them. */
#include "engine/raster/x86/rows_avx512.h"

#define RT_TABLE rt_routine_avx512
#include "engine/raster/output/x86/rt_tmpl.h"
