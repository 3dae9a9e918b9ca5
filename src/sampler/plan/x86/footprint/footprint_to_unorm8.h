/* footprint_to_unorm8.h: answers as pixels of four UNORM bytes, as most render
 * targets store them; a part of footprint_*.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TO_UNORM8_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TO_UNORM8_H

#include "sampler/plan/x86/footprint/footprint_answer.h"
#include "sampler/plan/x86/footprint/footprint_filter.h"
#include "sampler/plan/x86/footprint/footprint_texels.h"
#include "sampler/plan/kernel_types.h"

INLINE bits
in_order(bits pixels, const uint8_t order[16])
{
    __m128i o = _mm_load_si128((const __m128i *)(const void *)order);
    return _mm512_shuffle_epi8(pixels, _mm512_broadcast_i32x4(o));
}

/* Third bytes of two vectors' dwords, twice. */
#define FOUR(n)                                                                \
    4 * (n) + 2, 64 + 4 * (n) + 2, 4 * (n) + 2, 64 + 4 * (n) + 2, 4 * (n) + 6, \
        64 + 4 * (n) + 6, 4 * (n) + 6, 64 + 4 * (n) + 6, 4 * (n) + 10,         \
        64 + 4 * (n) + 10, 4 * (n) + 10, 64 + 4 * (n) + 10, 4 * (n) + 14,      \
        64 + 4 * (n) + 14, 4 * (n) + 14, 64 + 4 * (n) + 14
static const struct {
    alignas(64) uint8_t byte[64];
} third_bytes = {.byte = {FOUR(0), FOUR(4), FOUR(8), FOUR(12)}};
#undef FOUR

/* A byte n becomes n / 255 as a float, and byte n again. */
INLINE bits
pixels_of_texels(const struct sample_plan *p, bits texel, bool blue_first)
{
    const struct sample_bytes *b = &p->bytes;
    return in_order(_mm512_or_si512(texel, load_constant(&b->ones)),
                    b->pixel[blue_first]);
}

/* Converts 0..1 to bytes as a render target does, the first channel lowest: see
 * rt_unorm_from_float(). Adding 2^23 * 1.5 leaves an integer in the low bits.
 */
INLINE bits
bytes_of_color(const struct lanes_color *color)
{
    enum { XOR = 0x96 };
    const uint32_t magic = 0x4b400000;
    bits byte[4];
    for (unsigned c = 0; c < 4; c++)
        byte[c] = _mm512_slli_epi32(
            (bits)v_fma(v_cut_16(color->c[c]), v_splat(255.0f),
                        v_splat(0x1.8p23f - 255.0f * V_CUT_BASE)),
            8 * c);
    bits all = _mm512_ternarylogic_epi32(byte[0], byte[1], byte[2], XOR);
    return _mm512_ternarylogic_epi32(
        all, byte[3],
        _mm512_set1_epi32(
            (int32_t)(magic ^ magic << 8 ^ magic << 16 ^ magic << 24)),
        XOR);
}

/* Converts any floats, in the order of memory. */
INLINE bits
pixels_of_floats(const struct sample_plan *p, enum sample_texel kind,
                 const struct lanes_color *color, bool blue_first)
{
    struct lanes_color within = *color;
    for (unsigned c = 0; c < channel_count(kind); c++)
        within.c[c] = v_fmin(v_fmax(color->c[c], v_splat(0.0f)), v_splat(1.0f));
    return pixels_of_texels(p, bytes_of_color(&within), blue_first);
}

/* Rounds with round_sum(). */
INLINE bits
pixels_of_sums(const struct sample_plan *p, const struct footprint_sums *sums,
               bool blue_first)
{
    enum { OR_XOR = 0x1e };
    bits sum[4];
    for (unsigned c = 0; c < 4; c++)
        sum[c] = (bits)round_sum((vint)sums->c[c]);
    bits low = _mm512_maskz_permutex2var_epi8(
        0x3333333333333333, sum[0], load_table(third_bytes.byte), sum[1]);
    bits high = _mm512_maskz_permutex2var_epi8(
        0xcccccccccccccccc, sum[2], load_table(third_bytes.byte), sum[3]);
    bits pixels = _mm512_ternarylogic_epi32(
        load_constant(&footprint_table.flip), low, high, OR_XOR);
    return in_order(pixels, p->bytes.answered[blue_first]);
}

/* Converts filtered colours: see answer_filtered(). */
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
