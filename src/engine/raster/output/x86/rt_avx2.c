/* rt_avx2.c: rt_tmpl.h with AVX2, FMA and F16C. Compiled for them; called only
 * if the processor has them. */
#include "engine/raster/x86/rows_avx2.h"

#define RT_TABLE rt_routine_avx2
#include "engine/raster/output/x86/rt_tmpl.h"
