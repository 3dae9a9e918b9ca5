/* footprint_to_unorm8_avx2.h: footprint_to_unorm8.h with vectors of eight
 * lanes; a part of footprint_avx2.c and footprint_grid_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TO_UNORM8_AVX2_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TO_UNORM8_AVX2_H

#include "sampler/plan/x86/footprint/footprint_bytes4.h"
#include "sampler/plan/kernel_types.h"

/* ---- macros for the kernel tables ---- */

#define BOTH(v) __m256 v##0, __m256 v##1
#define LOAD_BOTH(v)                                   \
    _mm256_loadu_ps((const float *)(const void *)(v)), \
        _mm256_loadu_ps((const float *)(const void *)(v) + LANES)
#define VECTORS_ARGS                                                    \
    const struct sample_plan *p, uint32_t *out, const int16_t at_dw[4], \
        struct block_cache *blocks, BOTH(a), BOTH(b), BOTH(c)
#define PIXELS_ARGS                                                            \
    const struct sample_plan *p, BOTH(u), BOTH(v), struct block_cache *blocks, \
        bool blue_first, __m256i out[2]
#define AS_FOOTPRINT(name) name
#define AS_VECTORS(name) (sample_in_registers_fn)(name##_vectors)
#define AS_PIXELS(name) (sample_to_unorm8_fn)(name##_pixels)

/* ---- pixels ---- */

/* Rounds sums as footprint_filter.h explains: bytes less 128. */
INLINE vint
round_sum(vint s)
{
    s += (1 << 15) - 254;
    return (s + (s >> 16) + v_srl(s, 24)) >> 16;
}

INLINE __m256i
round_sums(__m256i a, __m256i b)
{
    return _mm256_packs_epi32((__m256i)round_sum((vint)a),
                              (__m256i)round_sum((vint)b));
}

/* Rounds one channel to texels of a byte. */
INLINE vint
texel_of_sum(vint sum)
{
    return round_sum(sum) + 128;
}

/* Rounds to the texels of eight lanes. */
INLINE vint
texels_of_sums(const struct sums *s)
{
    __m256i texels = _mm256_packs_epi16(round_sums(s->f[0], s->f[1]),
                                        round_sums(s->f[2], s->f[3]));
    return (vint)_mm256_xor_si256(texels, _mm256_set1_epi8((char)0x80));
}

/* Converts 0..1 to bytes, the first channel lowest: see bytes_of_color(). */
INLINE vint
texels_of_color(enum sample_texel kind, const struct lanes_color *color)
{
    const int32_t magic = 0x4b400000;
    vint texels = v_isplat(0);
    for (unsigned c = 0; c < channel_count(kind); c++) {
        vfloat within = v_fmin(v_fmax(color->c[c], v_splat(0.0f)),
                               v_splat(1.0f));
        vfloat sum = v_fma(v_cut_16(within), v_splat(255.0f),
                           v_splat(0x1.8p23f - 255.0f * V_CUT_BASE));
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

/* Converts filtered colours: see answer_filtered(). */
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
