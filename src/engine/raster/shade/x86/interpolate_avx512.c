/* interpolate_avx512.c: planes eight pixels at a time. Compiled for AVX-512 F
 * and DQ; called only if the processor has them. */
#include "engine/raster/shade/x86/interpolate_vectors.h"

typedef double eight __attribute__((vector_size(64)));

#include "engine/raster/shade/x86/interpolate_simd.h"

static inline eight
eight_of(f64x4 left, f64x4 right)
{
    __m512d v = _mm512_castpd256_pd512((__m256d)left);
    return (eight)_mm512_insertf64x4(v, (__m256d)right, 1);
}

static inline eight
columns_of(f64x4 v)
{
    return (eight)_mm512_permutexvar_pd(
        _mm512_setr_epi64(0, 1, 0, 1, 2, 3, 2, 3),
        _mm512_castpd256_pd512((__m256d)v));
}

static inline eight
rows_of(f64x4 v, unsigned half)
{
    const __m512i upper = _mm512_setr_epi64(0, 0, 1, 1, 0, 0, 1, 1);
    const __m512i lower = _mm512_setr_epi64(2, 2, 3, 3, 2, 2, 3, 3);
    return (eight)_mm512_permutexvar_pd(half ? lower : upper,
                                        _mm512_castpd256_pd512((__m256d)v));
}

static inline eight
load_eight(const double v[8])
{
    return (eight)_mm512_loadu_pd(v);
}

static inline eight
load_twice(const double quad[4])
{
    return (eight)_mm512_broadcast_f64x4(_mm256_load_pd(quad));
}

static inline void
store_eight(double to[8], eight v)
{
    _mm512_storeu_pd(to, (__m512d)v);
}

static inline eight
eight_add(eight a, eight b)
{
    return a + b;
}

static inline eight
eight_mul(eight a, eight b)
{
    return a * b;
}

static inline eight
eight_over(eight v)
{
    return 1 / v;
}

static inline eight
eight_plus(eight v, double all)
{
    return v + all;
}

static inline eight
eight_times(eight v, double all)
{
    return v * all;
}

static inline f32x8
eight_to_floats(eight v)
{
    return (f32x8)_mm512_cvtpd_ps((__m512d)v);
}

static inline void
store_floats(float out[16], f32x8 a, f32x8 b)
{
    __m512 low = _mm512_castps256_ps512((__m256)a);
    _mm512_storeu_ps(out, _mm512_insertf32x8(low, (__m256)b, 1));
}

/* Compiled code loads registers in pairs. A load cannot forward from two
 * stores: a pair must be stored at once. */
static inline void
copy_grfs(uint8_t *to, const uint8_t *from, unsigned count)
{
    for (; count > 1; count -= 2, to += 64, from += 64)
        _mm512_storeu_si512(to, _mm512_loadu_si512(from));
    if (count)
        _mm256_storeu_si256(
            (__m256i *)(void *)to,
            _mm256_loadu_si256((const __m256i *)(const void *)from));
}

#include "engine/raster/shade/x86/block_compact.h"
#include "engine/raster/shade/x86/chain_fill_prims.h"
#include "engine/raster/shade/x86/chain_fill_tmpl.h"

const struct interpolate_ops interpolate_ops_avx512 = {
    weights,    value,     block_weights, block_value,
    copy,       run,       fill_row,      fill_joined,
    begin_rows, fill_rows, count_caught,  put_blocks};
