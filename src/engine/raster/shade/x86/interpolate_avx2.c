/* interpolate_avx2.c: planes four pixels at a time. Compiled with -mavx2;
 * called only if the processor has AVX2. */
#include "engine/raster/shade/x86/interpolate_vectors.h"

typedef struct {
    f64x4 left, right;
} eight;

#include "engine/raster/shade/x86/interpolate_simd.h"

static inline eight
eight_of(f64x4 left, f64x4 right)
{
    return (eight){left, right};
}

static inline eight
columns_of(f64x4 v)
{
    return (eight){(f64x4)_mm256_permute4x64_pd((__m256d)v, 0x44),
                   (f64x4)_mm256_permute4x64_pd((__m256d)v, 0xee)};
}

static inline eight
rows_of(f64x4 v, unsigned half)
{
    f64x4 both = half ? (f64x4)_mm256_permute4x64_pd((__m256d)v, 0xfa)
                      : (f64x4)_mm256_permute4x64_pd((__m256d)v, 0x50);
    return (eight){both, both};
}

/* A struct copy would go through memory in smaller parts, and loads of whole
 * registers would wait for them. */
static inline eight
load_eight(const double v[8])
{
    return (eight){(f64x4)_mm256_loadu_pd(v), (f64x4)_mm256_loadu_pd(v + 4)};
}

static inline eight
load_twice(const double quad[4])
{
    f64x4 v = (f64x4)_mm256_load_pd(quad);
    return (eight){v, v};
}

static inline void
store_eight(double to[8], eight v)
{
    _mm256_storeu_pd(to, (__m256d)v.left);
    _mm256_storeu_pd(to + 4, (__m256d)v.right);
}

static inline eight
eight_add(eight a, eight b)
{
    return (eight){a.left + b.left, a.right + b.right};
}

static inline eight
eight_mul(eight a, eight b)
{
    return (eight){a.left * b.left, a.right * b.right};
}

static inline eight
eight_over(eight v)
{
    return (eight){1 / v.left, 1 / v.right};
}

static inline eight
eight_plus(eight v, double all)
{
    return (eight){v.left + all, v.right + all};
}

static inline eight
eight_times(eight v, double all)
{
    return (eight){v.left * all, v.right * all};
}

static inline f32x8
eight_to_floats(eight v)
{
    return (f32x8)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)v.right),
                                  _mm256_cvtpd_ps((__m256d)v.left));
}

static inline void
store_floats(float out[16], f32x8 a, f32x8 b)
{
    _mm256_storeu_ps(out, (__m256)a);
    _mm256_storeu_ps(out + 8, (__m256)b);
}

static inline void
copy_grfs(uint8_t *to, const uint8_t *from, unsigned count)
{
    for (; count; count--, to += PLANE_GRF_B, from += PLANE_GRF_B) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)from);
        _mm256_storeu_si256((__m256i *)(void *)to, v);
    }
}

#include "engine/raster/shade/x86/block_compact.h"
#include "engine/raster/shade/x86/chain_fill_prims.h"
#include "engine/raster/shade/x86/chain_fill_tmpl.h"

const struct interpolate_ops interpolate_ops_avx2 = {
    weights,    value,     block_weights, block_value,
    copy,       run,       fill_row,      fill_joined,
    begin_rows, fill_rows, count_caught,  put_blocks};
