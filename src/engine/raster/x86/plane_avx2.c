/* plane_avx2.c: planes four pixels at a time. Compiled with -mavx2; called
 * only where the processor has it. */
#include <immintrin.h>

#include "engine/raster/x86/plane_simd.h"

static inline void
to_floats(float out[8], const f64x8 *v)
{
    __m256d half[2];
    memcpy(half, v, sizeof half);
    _mm_storeu_ps(out, _mm256_cvtpd_ps(half[0]));
    _mm_storeu_ps(out + 4, _mm256_cvtpd_ps(half[1]));
}

const struct plane_ops plane_ops_avx2 = {weights, value};
