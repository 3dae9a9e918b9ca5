/* patch_pixels.h: answers as pixels of four normalised bytes, which is what
 * most targets store of them; a part of patch_*.c. */
#ifndef SAMPLER_PATCH_PIXELS_H
#define SAMPLER_PATCH_PIXELS_H

#include "sampler/x86/patch_answer.h"
#include "sampler/x86/patch_filter.h"
#include "sampler/x86/patch_texels.h"
#include "sampler/pixels.h"

INLINE bits
in_order(bits pixels, const uint8_t order[16])
{
    __m128i o = _mm_load_si128((const __m128i *)(const void *)order);
    return _mm512_shuffle_epi8(pixels, _mm512_broadcast_i32x4(o));
}

/* Of two vectors' dwords, twice. */
#define FOUR(n)                                                                \
    4 * (n) + 2, 64 + 4 * (n) + 2, 4 * (n) + 2, 64 + 4 * (n) + 2, 4 * (n) + 6, \
        64 + 4 * (n) + 6, 4 * (n) + 6, 64 + 4 * (n) + 6, 4 * (n) + 10,         \
        64 + 4 * (n) + 10, 4 * (n) + 10, 64 + 4 * (n) + 10, 4 * (n) + 14,      \
        64 + 4 * (n) + 14, 4 * (n) + 14, 64 + 4 * (n) + 14
static const struct {
    alignas(64) uint8_t byte[64];
} third_bytes = {.byte = {FOUR(0), FOUR(4), FOUR(8), FOUR(12)}};
#undef FOUR

/* A byte n is n / 255 as a float, and n again. */
INLINE bits
pixels_of_texels(const struct sample_plan *p, bits texel, bool blue_first)
{
    const struct sample_bytes *b = &p->bytes;
    return in_order(_mm512_or_si512(texel, constant(&b->ones)),
                    b->pixel[blue_first]);
}

/* 0..1 to bytes, the first channel's lowest. The low bits of a sum with 2^23 *
 * 1.5 are an integer, rounded once. */
INLINE bits
bytes_of_color(const struct lanes_color *color)
{
    enum { XOR = 0x96 };
    const uint32_t magic = 0x4b400000;
    bits byte[4];
    for (unsigned c = 0; c < 4; c++)
        byte[c] = _mm512_slli_epi32(
            (bits)v_fma(color->c[c], v_splat(255.0f), v_splat(0x1.8p23f)),
            8 * c);
    bits all = _mm512_ternarylogic_epi32(byte[0], byte[1], byte[2], XOR);
    return _mm512_ternarylogic_epi32(
        all, byte[3],
        _mm512_set1_epi32(
            (int32_t)(magic ^ magic << 8 ^ magic << 16 ^ magic << 24)),
        XOR);
}

/* Any floats, in the order of memory. */
INLINE bits
pixels_of_floats(const struct sample_plan *p, enum sample_texel kind,
                 const struct lanes_color *color, bool blue_first)
{
    struct lanes_color within = *color;
    for (unsigned c = 0; c < channel_count(kind); c++)
        within.c[c] = v_fmin(v_fmax(color->c[c], v_splat(0.0f)), v_splat(1.0f));
    return pixels_of_texels(p, bytes_of_color(&within), blue_first);
}

/* Sums with patch.half as their bias, less 128 * 65536. As numbers from 0 to 1,
 * rounded, the middle between two bytes becomes the one that is nearer to 128:
 * one is added to negative sums. The bytes are the third ones. */
INLINE bits
pixels_of_sums(const struct sample_plan *p, const struct patch_sums *sums,
               bool blue_first)
{
    enum { OR_XOR = 0x1e };
    bits sum[4];
    for (unsigned c = 0; c < 4; c++)
        sum[c] = (bits)((vint)sums->c[c] + v_srl((vint)sums->c[c], 31));
    bits low = _mm512_maskz_permutex2var_epi8(
        0x3333333333333333, sum[0], load_table(third_bytes.byte), sum[1]);
    bits high = _mm512_maskz_permutex2var_epi8(
        0xcccccccccccccccc, sum[2], load_table(third_bytes.byte), sum[3]);
    bits pixels = _mm512_ternarylogic_epi32(constant(&patch.flip), low, high,
                                            OR_XOR);
    return in_order(pixels, p->bytes.answered[blue_first]);
}

/* What filters leave: see answer_filtered(). */
INLINE bits
pixels_of_filtered(const struct sample_plan *p, enum sample_texel kind,
                   struct lanes_color color, bool blue_first)
{
    if (!is_scaled(kind))
        return pixels_of_texels(p, bytes_of_color(&color), blue_first);
    for (unsigned c = 0; c < 4; c++)
        color.c[c] = divide_255(color.c[c], true);
    return in_order(bytes_of_color(&color), p->bytes.answered[blue_first]);
}

#endif
