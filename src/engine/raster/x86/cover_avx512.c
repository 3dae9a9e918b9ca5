/* cover_avx512.c: cover_find() in vectors of sixteen values. Compiled for
 * AVX-512 F and DQ; called only where the processor has them. */
#include <immintrin.h>

#include "engine/raster/x86/cover_simd.h"

void
cover_find_avx512(const struct cover_job *job, struct cover_list *list)
{
    find(job, list);
}
