/* patch_pixels_avx2.h: what patch_pixels.h does with vectors of eight lanes: a
 * part of patch_avx2.c and patch_rows_avx2.c. */
#ifndef SAMPLER_PATCH_PIXELS_AVX2_H
#define SAMPLER_PATCH_PIXELS_AVX2_H

#include "sampler/x86/patch_bytes4.h"
#include "sampler/pixels.h"

/* ---- what tables are made of ---- */

#define BOTH(v) __m256 v##0, __m256 v##1
#define LOAD_BOTH(v)                                   \
    _mm256_loadu_ps((const float *)(const void *)(v)), \
        _mm256_loadu_ps((const float *)(const void *)(v) + LANES)
#define VECTORS_ARGS                                                    \
    const struct sample_plan *p, uint32_t *out, const int16_t at_dw[4], \
        struct sample_blocks *blocks, BOTH(a), BOTH(b), BOTH(c)
#define PIXELS_ARGS                                \
    const struct sample_plan *p, BOTH(u), BOTH(v), \
        struct sample_blocks *blocks, bool blue_first, __m256i out[2]
#define AS_PATCH(name) name
#define AS_VECTORS(name) (sample_vectors_fn)(name##_vectors)
#define AS_PIXELS(name) (sample_pixels_fn)(name##_pixels)

/* ---- pixels ---- */

/* 65536 times bytes less 128, rounded as patch_pixels.h says: texels, but for
 * their first bits. */
INLINE __m256i
round_sums(__m256i a, __m256i b)
{
    const __m256i half = _mm256_set1_epi32((1 << 15) - 1);
    a = _mm256_add_epi32(a, half);
    b = _mm256_add_epi32(b, half);
    a = _mm256_add_epi32(a, _mm256_srli_epi32(a, 31));
    b = _mm256_add_epi32(b, _mm256_srli_epi32(b, 31));
    return _mm256_packs_epi32(_mm256_srai_epi32(a, 16),
                              _mm256_srai_epi32(b, 16));
}

/* The same of one channel: texels of a byte. */
INLINE vint
texel_of_sum(vint sum)
{
    sum += (1 << 15) - 1;
    return ((sum + v_srl(sum, 31)) >> 16) + 128;
}

/* Texels of eight lanes. */
INLINE vint
texels_of_sums(const struct sums *s)
{
    __m256i texels = _mm256_packs_epi16(round_sums(s->f[0], s->f[1]),
                                        round_sums(s->f[2], s->f[3]));
    return (vint)_mm256_xor_si256(texels, _mm256_set1_epi8((char)0x80));
}

/* 0..1 to bytes, the first channel's lowest: see bytes_of_color(). */
INLINE vint
texels_of_color(enum sample_texel kind, const struct lanes_color *color)
{
    const int32_t magic = 0x4b400000;
    vint texels = v_isplat(0);
    for (unsigned c = 0; c < channel_count(kind); c++) {
        vfloat within = v_fmin(v_fmax(color->c[c], v_splat(0.0f)),
                               v_splat(1.0f));
        vfloat sum = v_fma(within, v_splat(255.0f), v_splat(0x1.8p23f));
        texels |= ((vint)sum ^ magic) << (int)(8 * c);
    }
    return texels;
}

INLINE void
put_pixels(const struct sample_plan *p, struct both texel, bool blue_first,
           __m256i out[2])
{
    const struct sample_bytes *b = &p->bytes;
    __m256i order = _mm256_broadcastsi128_si256(v_load16(b->pixel[blue_first]));
    __m256i ones = (__m256i)v_constant(&b->ones);
    out[0] = _mm256_shuffle_epi8(_mm256_or_si256((__m256i)texel.low, ones),
                                 order);
    out[1] = _mm256_shuffle_epi8(_mm256_or_si256((__m256i)texel.high, ones),
                                 order);
}

/* What filters leave: see answer_filtered(). */
INLINE void
put_filtered(const struct sample_plan *p, enum sample_texel kind,
             struct filtered *f, bool blue_first, __m256i out[2])
{
    for (unsigned c = 0; is_scaled(kind) && c < 4; c++) {
        f->low.c[c] = divide_255(f->low.c[c], true);
        f->high.c[c] = divide_255(f->high.c[c], true);
    }
    struct both texel = {texels_of_color(kind, &f->low),
                         texels_of_color(kind, &f->high)};
    put_pixels(p, texel, blue_first, out);
}

#endif
