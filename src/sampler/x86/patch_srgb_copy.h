/* patch_srgb_copy.h: texels of which three bytes are sRGB, with AVX2; a part of
 * patch_avx2.c. Those that lanes look at become floats once each, and then each
 * lane's four channels are filtered side by side. */
#ifndef SAMPLER_PATCH_SRGB_COPY_H
#define SAMPLER_PATCH_SRGB_COPY_H

#include "sampler/format_ops.h"
#include "sampler/x86/patch_turn.h"

struct float_texels {
    alignas(32) float texel[COPY_SIDE][COPY_SIDE][4];
};

/* Of each table the float that is to go to lane i is loaded there, with its
 * neighbours around it. */
INLINE __m128
srgb_texel(const uint8_t *t)
{
    const float *curve = format_srgb8_room + 4, *alpha = format_unorm8_room + 4;
    __m128 c = _mm_loadu_ps(curve + t[0]);
    c = _mm_blend_ps(c, _mm_loadu_ps(curve + t[1] - 1), 2);
    c = _mm_blend_ps(c, _mm_loadu_ps(curve + t[2] - 2), 4);
    return _mm_blend_ps(c, _mm_loadu_ps(alpha + t[3] - 3), 8);
}

INLINE void
copy_16(uint8_t *to, const uint8_t *from)
{
    _mm_store_si128((__m128i *)(void *)to, v_load16(from));
}

INLINE void
srgb_texels(const struct sample_plan *p, const struct near *n,
            struct float_texels *out)
{
    alignas(16) uint8_t row[COPY_SIDE * 4];
    struct patch_lines l = find_lines(p, n->corner, 2);
    uint32_t last_x = (n->most & 0xffff) + 1, last_y = (n->most >> 16) + 1;
    for (uint32_t y = n->least >> 16; y <= last_y; y++) {
        const uint8_t *at = l.row[y / 4] + y % 4 * 16;
        for (unsigned i = 0; i < 3; i++)
            copy_16(row + 16 * i, at + l.column_B[i]);
        for (uint32_t x = n->least & 0xffff; x <= last_x; x++)
            _mm_store_ps(out->texel[y][x], srgb_texel(row + 4 * x));
    }
}

/* mix() of finite numbers, none of them -0: weights of zero are like others. */
INLINE __m256
mix_texels(__m256 a, __m256 b, __m256 w)
{
    return _mm256_add_ps(a, _mm256_mul_ps(_mm256_sub_ps(b, a), w));
}

/* Lanes k and k + 4. */
INLINE __m256
load_two(const struct float_texels *t, const int32_t from[LANES], unsigned k,
         unsigned x, unsigned y)
{
    const float *at = t->texel[y][x];
    return _mm256_set_m128(_mm_load_ps(at + from[k + 4]),
                           _mm_load_ps(at + from[k]));
}

INLINE __m256
filter_two_texels(const struct float_texels *t, const int32_t from[LANES],
                  unsigned k, __m256 wx, __m256 wy)
{
    __m256 above = mix_texels(load_two(t, from, k, 0, 0),
                              load_two(t, from, k, 1, 0), wx);
    __m256 below = mix_texels(load_two(t, from, k, 0, 1),
                              load_two(t, from, k, 1, 1), wx);
    return mix_texels(above, below, wy);
}

INLINE struct lanes_color
filter_texels(const struct float_texels *t, vint in, vint x, vint y)
{
    const int32_t step = (4 * COPY_SIDE) << 16 | 4;
    alignas(32) int32_t from[LANES];
    v_offsets((vint)_mm256_madd_epi16((__m256i)in, _mm256_set1_epi32(step)),
              from);
    __m256 wx = (__m256)(v_float(x & 0xff) * v_splat(1.0f / SAMPLE_ONE));
    __m256 wy = (__m256)(v_float(y & 0xff) * v_splat(1.0f / SAMPLE_ONE));
    __m256i f[4];
#define TWO(k)                                                         \
    f[k] = (__m256i)filter_two_texels(t, from, k,                      \
                                      _mm256_permute_ps(wx, (k)*0x55), \
                                      _mm256_permute_ps(wy, (k)*0x55))
    TWO(0);
    TWO(1);
    TWO(2);
    TWO(3);
#undef TWO
    return turn_pixels(f);
}

/* False if lanes are too far apart. */
INLINE bool
filter_srgb(const struct sample_plan *p, const struct near *n, struct both x,
            struct both y, struct filtered *out)
{
    struct float_texels texels;
    if (n->columns > 3 || n->rows > 3)
        return false;
    srgb_texels(p, n, &texels);
    out->low = filter_texels(&texels, n->in.low, x.low, y.low);
    out->high = filter_texels(&texels, n->in.high, x.high, y.high);
    return true;
}

#endif
