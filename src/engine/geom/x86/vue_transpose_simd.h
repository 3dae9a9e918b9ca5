/* vue_transpose_simd.h: shared by vue_transpose_avx2.c and
 * vue_transpose_avx512.c. */
#include <immintrin.h>

#include "base/unroll.h"
#include "engine/geom/vue_transpose_tmpl.h"

#define EACH_OF_FOUR(i) LANES_UNROLLED (unsigned i = 0; i < 4; i++)

/* Transposes rows of four in each half. */
static inline void
turn_rows(const __m256 r[4], __m256 out[4])
{
    __m256 a = _mm256_unpacklo_ps(r[0], r[2]);
    __m256 b = _mm256_unpacklo_ps(r[1], r[3]);
    __m256 c = _mm256_unpackhi_ps(r[0], r[2]);
    __m256 d = _mm256_unpackhi_ps(r[1], r[3]);
    out[0] = _mm256_unpacklo_ps(a, b);
    out[1] = _mm256_unpackhi_ps(a, b);
    out[2] = _mm256_unpacklo_ps(c, d);
    out[3] = _mm256_unpackhi_ps(c, d);
}

/* Stores the columns of rows 0 and 4, 1 and 5 and so on, which lie side by side
 * in r. */
static inline void
put_columns(const __m256 r[4], uint32_t (*out)[8])
{
    __m256 column[4];
    turn_rows(r, column);
    EACH_OF_FOUR (i)
        _mm256_storeu_ps((float *)out[i], column[i]);
}

static inline __m256
two_rows(const uint8_t *low, const uint8_t *high)
{
    return _mm256_insertf128_ps(
        _mm256_castps128_ps256(_mm_loadu_ps((const float *)(const void *)low)),
        _mm_loadu_ps((const float *)(const void *)high), 1);
}

static void
rows(const uint8_t *const row[8], uint32_t (*out)[8])
{
    __m256 r[4];
    EACH_OF_FOUR (i)
        r[i] = two_rows(row[i], row[i + 4]);
    put_columns(r, out);
}

static void
rows_apart(const uint8_t *row, uint32_t stride_B, uint32_t (*out)[8])
{
    const size_t step_B = stride_B;
    __m256 r[4];
    EACH_OF_FOUR (i)
        r[i] = two_rows(row + i * step_B, row + (i + 4) * step_B);
    put_columns(r, out);
}

/* Transposes four dwords of all rows: out has rows 0 and 4, 1 and 5 and so
 * on. */
static inline void
turn_four(const uint32_t (*in)[8], __m256 out[4])
{
    __m256 r[4];
    EACH_OF_FOUR (i)
        r[i] = _mm256_loadu_ps((const float *)in[i]);
    turn_rows(r, out);
}

static void
columns(const uint32_t (*in)[8], uint8_t *const row[8])
{
    __m256 low[4], high[4];
    turn_four(in, low);
    turn_four(in + 4, high);
    EACH_OF_FOUR (i)
        _mm256_storeu_ps((float *)(void *)row[i],
                         _mm256_permute2f128_ps(low[i], high[i], 0x20));
    EACH_OF_FOUR (i)
        _mm256_storeu_ps((float *)(void *)row[i + 4],
                         _mm256_permute2f128_ps(low[i], high[i], 0x31));
}

static inline __m256i
load_keys(const uint32_t *key)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)key);
}

/* The last eight keys may overlap the previous eight. */
static void
range(const uint32_t *key, uint32_t count, uint32_t *lo, uint32_t *hi)
{
    uint32_t all[2][8], n = MIN2(count, 8u);
    const uint32_t *low = key, *high = key;
    if (count > 8) {
        __m256i least = load_keys(key + count - 8), most = least;
        for (uint32_t i = 0; i < count - 8; i += 8) {
            __m256i k = load_keys(key + i);
            least = _mm256_min_epu32(least, k);
            most = _mm256_max_epu32(most, k);
        }
        memcpy(all[0], &least, sizeof all[0]);
        memcpy(all[1], &most, sizeof all[1]);
        low = all[0];
        high = all[1];
    }
    *lo = UINT32_MAX;
    *hi = 0;
    for (unsigned i = 0; i < n; i++) {
        *lo = MIN2(*lo, low[i]);
        *hi = MAX2(*hi, high[i]);
    }
}
