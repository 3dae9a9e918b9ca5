/* cover_avx2.c: cover_find() in two vectors of eight values. Compiled with
 * -mavx2; called only where the processor has it. */
#include <immintrin.h>

#include "engine/raster/x86/cover_simd.h"

void
cover_find_avx2(const struct cover_job *job, struct cover_list *list)
{
    find(job, list);
}
