/* footprint_float_copy.h: filters texels as floats with AVX2: sRGB bytes and
 * compressed blocks; a part of footprint_avx2.c. Each texel that lanes read is
 * converted once. Then each lane filters its four channels side by side. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_FLOAT_COPY_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_FLOAT_COPY_H

#include "sampler/format/format_ops.h"
#include "sampler/plan/x86/footprint/footprint_grid_axes.h"
#include "sampler/plan/x86/footprint/footprint_transpose.h"

struct float_texels {
    alignas(32) float texel[COPY_SIDE][COPY_SIDE][4];
};

/* Loads each channel's float directly into its lane: unaligned, with its
 * neighbours in the table around it, and blends the lanes. */
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
    struct footprint_lines l = find_lines(p, n->corner, 2);
    uint32_t last_x = (n->most & 0xffff) + 1, last_y = (n->most >> 16) + 1;
    for (uint32_t y = n->least >> 16; y <= last_y; y++) {
        const uint8_t *at = l.row[y / 4] + y % 4 * 16;
        for (unsigned i = 0; i < 3; i++)
            copy_16(row + 16 * i, at + l.column_B[i]);
        for (uint32_t x = n->least & 0xffff; x <= last_x; x++)
            _mm_store_ps(out->texel[y][x], srgb_texel(row + 4 * x));
    }
}

/* Transposes four texels of a row from channels. */
INLINE void
put_texels(const float *channels, float to[4][4])
{
    __m128 r = _mm_load_ps(channels), g = _mm_load_ps(channels + 16);
    __m128 b = _mm_load_ps(channels + 32), a = _mm_load_ps(channels + 48);
    _MM_TRANSPOSE4_PS(r, g, b, a);
    _mm_store_ps(to[0], r);
    _mm_store_ps(to[1], g);
    _mm_store_ps(to[2], b);
    _mm_store_ps(to[3], a);
}

INLINE void
block_texels(const struct sample_plan *p, struct block_cache *blocks,
             const struct near *n, struct float_texels *out)
{
    for (unsigned y = 0; y < n->rows; y++) {
        for (unsigned x = 0; x < n->columns; x++) {
            uint32_t at_B = block_offset_B(&p->tiling,
                                           (int32_t)(n->corner.bx + x),
                                           (int32_t)(n->corner.by + y));
            const float *texels = get_block(p, SAMPLE_BLOCKS, blocks, at_B,
                                            NULL, 0);
            for (unsigned i = 0; i < 4; i++)
                put_texels(texels + 4 * i, &out->texel[4 * y + i][4 * x]);
        }
    }
}

/* sRGB texels are finite and never -0, so a weight of zero needs no special
 * case. */
INLINE vfloat
mix_texels(enum sample_texel kind, vfloat a, vfloat b, vfloat w)
{
    return kind == SAMPLE_SRGB ? a + (b - a) * w : mix_pixels(a, b, w);
}

/* Loads a texel of lanes k and k + 4. */
INLINE vfloat
load_two(const struct float_texels *t, const int32_t from[LANES], unsigned k,
         unsigned x, unsigned y)
{
    const float *at = t->texel[y][x];
    return (vfloat)_mm256_set_m128(_mm_load_ps(at + from[k + 4]),
                                   _mm_load_ps(at + from[k]));
}

INLINE vfloat
filter_two_texels(enum sample_texel kind, const struct float_texels *t,
                  const int32_t from[LANES], unsigned k, vfloat wx, vfloat wy)
{
    vfloat above = mix_texels(kind, load_two(t, from, k, 0, 0),
                              load_two(t, from, k, 1, 0), wx);
    vfloat below = mix_texels(kind, load_two(t, from, k, 0, 1),
                              load_two(t, from, k, 1, 1), wx);
    return mix_texels(kind, above, below, wy);
}

INLINE struct lanes_color
filter_texels(enum sample_texel kind, const struct float_texels *t, vint in,
              vint x, vint y)
{
    const int32_t step = (4 * COPY_SIDE) << 16 | 4;
    alignas(32) int32_t from[LANES];
    v_offsets((vint)_mm256_madd_epi16((__m256i)in, _mm256_set1_epi32(step)),
              from);
    vfloat wx = axis_weight(x & 0xff), wy = axis_weight(y & 0xff);
    __m256i f[4];
#define TWO(k)                                                          \
    f[k] = (__m256i)filter_two_texels(kind, t, from, k, OF_LANE(wx, k), \
                                      OF_LANE(wy, k))
    TWO(0);
    TWO(1);
    TWO(2);
    TWO(3);
#undef TWO
    return transpose_pixels(f);
}

/* Returns false if lanes are too far apart. */
INLINE bool
filter_floats(const struct sample_plan *p, enum sample_texel kind,
              struct block_cache *blocks, const struct near *n, struct both x,
              struct both y, struct filtered *out)
{
    struct float_texels texels;
    if (n->columns > 3 || n->rows > 3)
        return false;
    if (kind == SAMPLE_SRGB)
        srgb_texels(p, n, &texels);
    else
        block_texels(p, blocks, n, &texels);
    out->low = filter_texels(kind, &texels, n->in.low, x.low, y.low);
    out->high = filter_texels(kind, &texels, n->in.high, x.high, y.high);
    return true;
}

#endif
