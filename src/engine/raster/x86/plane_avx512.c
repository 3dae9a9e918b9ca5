/* plane_avx512.c: planes eight pixels at a time. Compiled for AVX-512 F;
 * called only where the processor has it. */
#include <immintrin.h>

#include "engine/raster/x86/plane_simd.h"

static inline void
to_floats(float out[8], const f64x8 *v)
{
    _mm256_storeu_ps(out, _mm512_cvtpd_ps((__m512d)*v));
}

const struct plane_ops plane_ops_avx512 = {weights, value};
