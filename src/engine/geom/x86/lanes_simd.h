/* lanes_simd.h: what lanes_avx2.c and lanes_avx512.c have in common. */
#include <immintrin.h>

#include "engine/geom/lanes_tmpl.h"

/* Rows of four in each half to columns. */
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

/* Of rows 0 and 4, 1 and 5 and so on side by side. */
static inline void
put_columns(const __m256 r[4], uint32_t (*out)[8])
{
    __m256 column[4];
    turn_rows(r, column);
    for (unsigned i = 0; i < 4; i++)
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
    for (unsigned i = 0; i < 4; i++)
        r[i] = two_rows(row[i], row[i + 4]);
    put_columns(r, out);
}

static void
rows_apart(const uint8_t *row, uint32_t stride_B, uint32_t (*out)[8])
{
    const size_t step_B = stride_B;
    __m256 r[4];
    for (unsigned i = 0; i < 4; i++)
        r[i] = two_rows(row + i * step_B, row + (i + 4) * step_B);
    put_columns(r, out);
}

/* Four of the dwords of all rows: rows 0 and 4, 1 and 5 and so on. */
static inline void
turn_four(const uint32_t (*in)[8], __m256 out[4])
{
    __m256 r[4];
    for (unsigned i = 0; i < 4; i++)
        r[i] = _mm256_loadu_ps((const float *)in[i]);
    turn_rows(r, out);
}

static void
columns(const uint32_t (*in)[8], uint8_t *const row[8])
{
    __m256 low[4], high[4];
    turn_four(in, low);
    turn_four(in + 4, high);
    for (unsigned i = 0; i < 4; i++)
        _mm256_storeu_ps((float *)(void *)row[i],
                         _mm256_permute2f128_ps(low[i], high[i], 0x20));
    for (unsigned i = 0; i < 4; i++)
        _mm256_storeu_ps((float *)(void *)row[i + 4],
                         _mm256_permute2f128_ps(low[i], high[i], 0x31));
}

static inline __m256i
load_keys(const uint32_t *key)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)key);
}

/* The last eight may have been looked at before. */
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

/* ---- triangles that draw nothing ----------------------------------------- */

/* The opposite of snap(). */
static inline void unzip(ivec *x, ivec *y, const int32_t in[LANES][2]);
static inline ivec least(ivec a, ivec b);
static inline ivec most(ivec a, ivec b);
/* A bit for each lane that is negative. */
static inline uint32_t signs(ivec v);

/* may_be_seen() in lanes.c. */
static inline ivec
are_gone(const struct prim_sieve *s, const ivec x[3], const ivec y[3])
{
    ivec x0 = least(x[0], least(x[1], x[2])), x1 = most(x[0], most(x[1], x[2]));
    ivec y0 = least(y[0], least(y[1], y[2])), y1 = most(y[0], most(y[1], y[2]));
    ivec zero = {0};
    ivec left = most((x0 + s->up) >> 8, zero + s->x0);
    ivec right = least((x1 - s->down) >> 8, zero + (s->x1 - 1));
    ivec top = most((y0 + s->up) >> 8, zero + s->y0);
    ivec bottom = least((y1 - s->down) >> 8, zero + (s->y1 - 1));
    ivec small = most(x1 - x0, y1 - y0) - GEOM_SIEVE_SIDE;
    uvec dx1 = (uvec)(x[1] - x[0]), dy1 = (uvec)(y[1] - y[0]);
    uvec dx2 = (uvec)(x[2] - x[0]), dy2 = (uvec)(y[2] - y[0]);
    ivec area = (ivec)(dx1 * dy2 - dx2 * dy1);
    ivec negated = (ivec) - (uvec)area;
    ivec culled = (area & s->ccw) | (negated & s->cw) |
                  (~(area | negated) & s->flat);
    return (right - left) | (bottom - top) | (small & culled);
}

static inline uint32_t
sieve_some(const struct prim_sieve *s, const struct geom_vert *vert,
           const struct batch_tri *tri, unsigned count)
{
    alignas(64) int32_t at[3][LANES][2];
    ivec x[3], y[3];
    for (unsigned i = 0; i < LANES; i++) {
        const struct batch_tri *t = &tri[MIN2(i, count - 1)];
        for (unsigned k = 0; k < 3; k++)
            memcpy(at[k][i], &vert[t->vert[k]].p.x, sizeof at[k][i]);
    }
    for (unsigned k = 0; k < 3; k++)
        unzip(&x[k], &y[k], at[k]);
    return ~signs(are_gone(s, x, y)) & ((1u << count) - 1);
}

static uint32_t
sieve(const struct prim_sieve *s, const struct geom_vert *vert,
      const struct batch_tri *tri, unsigned count)
{
    uint32_t seen = 0;
    for (unsigned i = 0; i < count; i += LANES)
        seen |= sieve_some(s, vert, tri + i, MIN2(count - i, LANES)) << i;
    return seen;
}
