/* cover_avx2.c: cover_find() in two vectors of eight values. Compiled with
 * -mavx2; called only where the processor has it. */
#include <immintrin.h>

#include "engine/raster/x86/cover_simd.h"

static inline unsigned
sign_bits(const i32x16 *v)
{
    __m256i half[2];
    memcpy(half, v, sizeof half);
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(half[0])) |
           (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(half[1])) << 8;
}

void
cover_find_avx2(const struct cover_job *job, struct cover_list *list)
{
    find(job, list);
}
