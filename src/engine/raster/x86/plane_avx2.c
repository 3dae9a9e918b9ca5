/* plane_avx2.c: planes four pixels at a time. Compiled with -mavx2; called
 * only where the processor has it. */
#include <immintrin.h>

#include "engine/raster/x86/plane_simd.h"

static inline void
to_floats(float out[16], const f64x8 *a, const f64x8 *b)
{
    __m256d v[4];
    memcpy(v, a, sizeof *a);
    memcpy(v + 2, b, sizeof *b);
    _mm256_storeu_ps(
        out, _mm256_set_m128(_mm256_cvtpd_ps(v[1]), _mm256_cvtpd_ps(v[0])));
    _mm256_storeu_ps(
        out + 8, _mm256_set_m128(_mm256_cvtpd_ps(v[3]), _mm256_cvtpd_ps(v[2])));
}

static inline void
copy_grfs(uint8_t *to, const uint8_t *from, unsigned count)
{
    for (; count; count--, to += PLANE_GRF_B, from += PLANE_GRF_B) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)from);
        _mm256_storeu_si256((__m256i *)(void *)to, v);
    }
}

const struct plane_ops plane_ops_avx2 = {weights, value, copy, run};
