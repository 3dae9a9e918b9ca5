/* filter_avx2.c: two quads at a time for formats of four UNORM bytes: the
 * same bits as filter_fast.c and filter.c (test_filter_fast.c).
 * Compiled with -mavx2; called only where the processor has it. */
#include <immintrin.h>

#include "sampler/sample.h"

typedef float vec8 __attribute__((vector_size(32)));
typedef int32_t ivec8 __attribute__((vector_size(32)));

struct level8 {
    const uint8_t *mem;
    ivec8 x_B, y, w, h;
};

struct axis8 {
    ivec8 i0, i1, w1;
};

static inline vec8
splat(float f)
{
    return (vec8)_mm256_set1_ps(f);
}

static inline ivec8
isplat(int32_t i)
{
    return (ivec8)_mm256_set1_epi32(i);
}

/* One value for each of the two quads. */
static inline ivec8
pair(int32_t a, int32_t b)
{
    return (ivec8)_mm256_set_m128i(_mm_set1_epi32(b), _mm_set1_epi32(a));
}

static inline vec8
floor8(vec8 v)
{
    return (vec8)_mm256_floor_ps((__m256)v);
}

static inline ivec8
int8(vec8 v)
{
    return (ivec8)_mm256_cvttps_epi32((__m256)v);
}

static inline vec8
float8(ivec8 i)
{
    return (vec8)_mm256_cvtepi32_ps((__m256i)i);
}

static inline ivec8
choose(ivec8 mask, ivec8 a, ivec8 b)
{
    return (ivec8)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)mask);
}

/* Coordinates below 2^23; lanes that do not execute count as 0. */
static inline bool
load_coords(const float *from, ivec8 live, vec8 *to)
{
    ivec8 bits = (ivec8)_mm256_loadu_ps(from) & live;
    vec8 u = (vec8)bits;
    ivec8 tame = (u > splat(-8388608.0f)) & (u < splat(8388608.0f));
    *to = u;
    return _mm256_movemask_ps((__m256)tame) == 0xff;
}

static inline vec8
scale(unsigned wrap, vec8 u, ivec8 size)
{
    vec8 n = float8(size);
    if (wrap == GEN9_TCM_WRAP)
        u -= floor8(u);
    else if (wrap == GEN9_TCM_MIRROR)
        u -= splat(2.0f) * floor8(u * splat(0.5f));
    u *= n;
    __m256 low = _mm256_max_ps((__m256)u, (__m256)splat(-2.0f));
    return (vec8)_mm256_min_ps(low, (__m256)(n + n + splat(2.0f)));
}

static inline ivec8
wrap8(unsigned wrap, ivec8 i, ivec8 n)
{
    if (wrap == GEN9_TCM_WRAP) {
        i += n & (i < 0);
        return i - (n & (i >= n));
    }
    if (wrap == GEN9_TCM_MIRROR) {
        i -= (n + n) & (i >= n + n);
        i = choose(i < 0, -1 - i, i);
        return choose(i >= n, n + n - 1 - i, i);
    }
    __m256i low = _mm256_max_epi32((__m256i)i, _mm256_setzero_si256());
    return (ivec8)_mm256_min_epi32(low, (__m256i)(n - 1));
}

static inline struct axis8
axis_linear(unsigned wrap, vec8 u, ivec8 size, bool round)
{
    vec8 x = scale(wrap, u, size) * splat(SAMPLE_ONE);
    ivec8 fixed = int8(floor8(round ? x + splat(0.5f) : x)) - SAMPLE_ONE / 2;
    ivec8 i = fixed >> 8;
    return (struct axis8){
        .i0 = wrap8(wrap, i, size),
        .i1 = wrap8(wrap, i + 1, size),
        .w1 = fixed & (SAMPLE_ONE - 1),
    };
}

static inline ivec8
offset_x_B(const struct surface *s, const struct level8 *lv, ivec8 x)
{
    ivec8 x_B = (x << 2) + lv->x_B;
    if (s->tiling == TILING_Y)
        return (x_B >> 7 << 12) + ((x_B & 0x70) << 5) + (x_B & 15);
    if (s->tiling == TILING_X)
        return (x_B >> 9 << 12) + (x_B & 511);
    return x_B;
}

static inline ivec8
offset_y_B(const struct surface *s, const struct level8 *lv, ivec8 y)
{
    int32_t pitch_B = (int32_t)s->row_pitch_B;
    y += lv->y;
    if (s->tiling == TILING_Y)
        return (y >> 5) * ((pitch_B & ~127) * 32) + ((y & 31) << 4);
    if (s->tiling == TILING_X)
        return (y >> 3) * ((pitch_B & ~511) * 8) + ((y & 7) << 9);
    return y * pitch_B;
}

static inline ivec8
gather(const struct level8 *lv, ivec8 offset_B)
{
    return (ivec8)_mm256_i32gather_epi32((const int *)(const void *)lv->mem,
                                         (__m256i)offset_B, 1);
}

static inline void
nearest(const struct sample_ctx *ctx, const struct level8 *lv, vec8 u, vec8 v,
        vec8 channel[4])
{
    ivec8 x = int8(floor8(scale(ctx->wrap[0], u, lv->w)));
    ivec8 y = int8(floor8(scale(ctx->wrap[1], v, lv->h)));
    x = offset_x_B(ctx->s, lv, wrap8(ctx->wrap[0], x, lv->w));
    y = offset_y_B(ctx->s, lv, wrap8(ctx->wrap[1], y, lv->h));
    ivec8 texel = gather(lv, x + y);
    for (unsigned c = 0; c < 4; c++)
        channel[c] = float8((texel >> 8 * (int)c) & 0xff);
}

/* Two bytes of each texel, in 16-bit halves: at most 255 * 256. */
static inline ivec8
mix_bytes(ivec8 a, ivec8 b, ivec8 w0, ivec8 w1)
{
    return (ivec8)_mm256_add_epi16(
        _mm256_mullo_epi16((__m256i)(a & 0xff00ff), (__m256i)w0),
        _mm256_mullo_epi16((__m256i)(b & 0xff00ff), (__m256i)w1));
}

static inline vec8
high_half(ivec8 v)
{
    return float8((ivec8)_mm256_srli_epi32((__m256i)v, 16));
}

/* Products have at most 24 bits, so that the order does not matter. */
static inline void
linear(const struct sample_ctx *ctx, const struct level8 *lv, vec8 u, vec8 v,
       bool mag, vec8 channel[4])
{
    const struct surface *s = ctx->s;
    struct axis8 ax = axis_linear(ctx->wrap[0], u, lv->w,
                                  sample_rounds(ctx->sp, 0, mag));
    struct axis8 ay = axis_linear(ctx->wrap[1], v, lv->h,
                                  sample_rounds(ctx->sp, 1, mag));
    ivec8 x0 = offset_x_B(s, lv, ax.i0), x1 = offset_x_B(s, lv, ax.i1);
    ivec8 y0 = offset_y_B(s, lv, ay.i0), y1 = offset_y_B(s, lv, ay.i1);
    ivec8 t00 = gather(lv, x0 + y0), t10 = gather(lv, x1 + y0);
    ivec8 t01 = gather(lv, x0 + y1), t11 = gather(lv, x1 + y1);
    ivec8 w1 = ax.w1 | ax.w1 << 16;
    ivec8 w0 = isplat(SAMPLE_ONE << 16 | SAMPLE_ONE) - w1;
    vec8 low = float8(ay.w1) * splat(1.0f / (SAMPLE_ONE * SAMPLE_ONE));
    vec8 top = splat(1.0f / SAMPLE_ONE) - low;
    for (unsigned c = 0; c < 2; c++) {
        int shift = 8 * (int)c;
        ivec8 a = mix_bytes(t00 >> shift, t10 >> shift, w0, w1);
        ivec8 b = mix_bytes(t01 >> shift, t11 >> shift, w0, w1);
        channel[c] = float8(a & 0xffff) * top + float8(b & 0xffff) * low;
        channel[c + 2] = high_half(a) * top + high_half(b) * low;
    }
}

static inline void
same_level(const struct fast_level *lv, struct level8 *out)
{
    out->mem = lv->mem;
    out->x_B = isplat(lv->x_B);
    out->y = isplat(lv->y);
    out->w = isplat(lv->w);
    out->h = isplat(lv->h);
}

static inline bool
make_level(struct sample_ctx *ctx, const struct sample_lod lod[2],
           const uint32_t slice[2], bool second, struct level8 *out)
{
    int32_t level[2];
    for (unsigned i = 0; i < 2; i++)
        level[i] = lod[i].level + (second && lod[i].beta);
    const struct fast_level *p = filter_fast_level(ctx, level[0], slice[0]);
    if (!p)
        return false;
    same_level(p, out);
    if (level[0] == level[1] && slice[0] == slice[1])
        return true;
    struct fast_level a = *p;
    p = filter_fast_level(ctx, level[1], slice[1]);
    if (!p)
        return false;
    out->x_B = pair(a.x_B, p->x_B);
    out->y = pair(a.y, p->y);
    out->w = pair(a.w, p->w);
    out->h = pair(a.h, p->h);
    return true;
}

static inline vec8
pick(const struct sample_ctx *ctx, const vec8 channel[4], unsigned c)
{
    unsigned from = ctx->fast_pick[c];
    return from < 4              ? channel[from] / splat(255.0f)
           : from == SOURCE_ZERO ? splat(0.0f)
                                 : splat(1.0f);
}

static void
store(const struct sample_ctx *ctx, const vec8 channel[4], unsigned lane,
      ivec8 live, uint32_t out[4][SAMPLE_LANES])
{
    for (unsigned c = 0; c < 4; c++)
        _mm256_maskstore_epi32((int *)&out[c][lane], (__m256i)live,
                               (__m256i)pick(ctx, channel, c));
}

bool
filter_avx2_lanes(struct sample_ctx *ctx, const struct sample_lod lod[2],
                  unsigned lane, unsigned mask, uint32_t out[4][SAMPLE_LANES])
{
    const ivec8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
    ivec8 live = (isplat((int32_t)mask) & bit) == bit;
    vec8 u, v;
    uint32_t slice[2];
    struct level8 lv;
    if (lod[0].filter != lod[1].filter || lod[0].mag != lod[1].mag ||
        !load_coords(&ctx->req->u.f[lane], live, &u) ||
        !load_coords(&ctx->req->v.f[lane], live, &v) ||
        !filter_fast_slice(ctx, lane, &slice[0]) ||
        !filter_fast_slice(ctx, lane + 4, &slice[1]) ||
        !make_level(ctx, lod, slice, false, &lv))
        return false;
    bool smooth = lod[0].filter != FILTER_NEAREST;
    vec8 channel[4];
    if (smooth)
        linear(ctx, &lv, u, v, lod[0].mag, channel);
    else
        nearest(ctx, &lv, u, v, channel);
    if (lod[0].beta | lod[1].beta) {
        vec8 other[4];
        if (!make_level(ctx, lod, slice, true, &lv))
            return false;
        if (smooth)
            linear(ctx, &lv, u, v, lod[0].mag, other);
        else
            nearest(ctx, &lv, u, v, other);
        vec8 beta = float8(pair(lod[0].beta, lod[1].beta)) *
                    splat(1.0f / SAMPLE_ONE);
        for (unsigned c = 0; c < 4; c++)
            channel[c] += (other[c] - channel[c]) * beta;
    }
    store(ctx, channel, lane, live, out);
    return true;
}
