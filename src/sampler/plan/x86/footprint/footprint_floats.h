/* footprint_floats.h: palette blocks that are filtered as floats: BC3, because
 * its alpha is no whole number of 255ths, and BC1 and BC3 in sRGB; a part of
 * footprint_vbmi.c. As in footprint_palette.h each message decodes the four
 * blocks of its footprint at once.
 *
 * The bits are those of decode_bc.c and filter.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_FLOATS_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_FLOATS_H

#include "sampler/plan/x86/color_tmpl.h"
#include "sampler/plan/x86/footprint/footprint_answer.h"
#include "sampler/plan/x86/footprint/footprint_palette.h"
#include "sampler/plan/x86/footprint/footprint_srgb.h"

/* Rows of 8x8 texels: two bytes of each of two blocks, which hold the row's
 * 3-bit indices. */
#define ALPHA_ROW(left, a, b)                                 \
    (a) + 8 * (left), (b) + 8 * (left), (a) + 8 * (left) + 8, \
        (b) + 8 * (left) + 8, 0, 0, 0, 0
#define INDEX_ROWS 0, 3, 6, 9, 16, 19, 22, 25, 4, 7, 10, 13, 20, 23, 26, 29
#define BLOCK_ROWS(left)                                                    \
    8 * (left), 8 * (left), 8 * (left), 8 * (left), 8 * (left) + 8,         \
        8 * (left) + 8, 8 * (left) + 8, 8 * (left) + 8, 8 * (left),         \
        8 * (left), 8 * (left), 8 * (left), 8 * (left) + 8, 8 * (left) + 8, \
        8 * (left) + 8, 8 * (left) + 8
#define FOR_BOTH(...)            \
    {                            \
        __VA_ARGS__, __VA_ARGS__ \
    }
#define END(a, b)                                      \
    {                                                  \
        a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b \
    }
static const struct {
    alignas(64) uint8_t row[64], from[64], block[64];
    float seven[2][16], five[2][16]; /* weights of two blocks' end points */
    int32_t end[2][2][16];           /* bytes of these end points */
    int32_t index;
} bc3 = {
    .row = {ALPHA_ROW(0, 2, 3), ALPHA_ROW(0, 3, 4), ALPHA_ROW(0, 5, 6),
            ALPHA_ROW(0, 6, 7), ALPHA_ROW(2, 2, 3), ALPHA_ROW(2, 3, 4),
            ALPHA_ROW(2, 5, 6), ALPHA_ROW(2, 6, 7)},
    .from = {INDEX_ROWS, INDEX_ROWS, INDEX_ROWS, INDEX_ROWS},
    .block = {BLOCK_ROWS(0), BLOCK_ROWS(0), BLOCK_ROWS(2), BLOCK_ROWS(2)},
    .seven = {FOR_BOTH(7, 0, 6, 5, 4, 3, 2, 1),
              FOR_BOTH(0, 7, 1, 2, 3, 4, 5, 6)},
    .five = {FOR_BOTH(5, 0, 4, 3, 2, 1, 0, 0),
             FOR_BOTH(0, 5, 1, 2, 3, 4, 0, 0)},
    .end = {{END(0, 8), END(1, 9)}, {END(16, 24), END(17, 25)}},
    .index = 0x07070707,
};

/* 16 colours and 32 alphas, channel by channel. The numbers select them for 8x8
 * texels; colour numbers are times four. */
struct float_palette {
    vfloat color[4], alpha[2];
    bits color_numbers, alpha_numbers;
};

/* ---- alpha ---- */

INLINE vfloat
load_floats(const float table[16])
{
    return (vfloat)_mm512_load_ps(table);
}

/* Loads one end point of each of two blocks, into eight lanes each. */
INLINE vfloat
end_point(__m256i alphas, const int32_t at[16])
{
    return v_float((vint)_mm512_maskz_permutexvar_epi8(
        0x1111111111111111, load_table(at), _mm512_castsi256_si512(alphas)));
}

/* decode_bc_ramp() of two blocks, divided as in divide_exactly(). A ramp of six
 * alphas ends in 0.0 and 1.0. */
INLINE vfloat
alpha_ramps(__m256i alphas, unsigned row)
{
    const float by7 = 7.0f * 255.0f, by5 = 5.0f * 255.0f;
    vfloat e0 = end_point(alphas, bc3.end[row][0]);
    vfloat e1 = end_point(alphas, bc3.end[row][1]);
    vmask seven = v_fless(e1, e0), last = v_live(0x8080);
    vfloat w0 = v_select(seven, load_floats(bc3.seven[0]),
                         load_floats(bc3.five[0]));
    vfloat w1 = v_select(seven, load_floats(bc3.seven[1]),
                         load_floats(bc3.five[1]));
    vfloat d = v_select(seven, v_splat(by7), v_splat(by5));
    vfloat inv = v_select(seven, v_splat(1.0f / by7), v_splat(1.0f / by5));
    vfloat n = v_fma(w0, e0, w1 * e1), q = n * inv;
    q = v_fma(v_fnma(q, d, n), inv, q);
    return v_select(v_and(last, v_not(seven)), v_splat(1.0f), q);
}

INLINE bits
alpha_numbers(__m256i alphas)
{
    bits rows = _mm512_permutexvar_epi8(load_table(bc3.row),
                                        _mm512_castsi256_si512(alphas));
    bits index = _mm512_multishift_epi64_epi8(load_table(bc3.from), rows);
    return _mm512_ternarylogic_epi32(load_table(bc3.block), index,
                                     load_constant(&bc3.index), AND_OR);
}

/* ---- colours ---- */

/* Converts colours channel by channel, with the sRGB curve if the format has
 * it. */
INLINE void
color_floats(const struct sample_plan *p, bits colors, vfloat out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        vint byte = v_srl((vint)colors, 8 * c) &
                    v_constant(&lanes_constant.fraction);
        out[c] = divide_255(v_float(byte), false);
    }
    if (!p->fmt->srgb)
        return;
    vfloat alpha = out[3];
    srgb_floats(
        _mm512_shuffle_epi8(colors, load_shuffle(footprint_table.transposed)),
        out);
    out[3] = alpha;
}

INLINE void
decode_float_palette(const struct sample_plan *p, enum palette_of kind,
                     const struct four_blocks *four, struct float_palette *out)
{
    struct footprint_palette bytes;
    bool bc3 = kind == PALETTE_BC3;
    decode_bc1_four(p, bc3 ? four->more : four->bits, !bc3, &bytes);
    color_floats(p, bytes.colors[0], out->color);
    out->color_numbers = bytes.numbers;
    if (!bc3)
        return;
    out->alpha[0] = alpha_ramps(four->bits, 0);
    out->alpha[1] = alpha_ramps(four->bits, 1);
    out->alpha_numbers = alpha_numbers(four->bits);
}

/* ---- texels ---- */

INLINE vfloat
pick_color(vfloat channel, vint i)
{
    return (vfloat)_mm512_permutexvar_ps((__m512i)i, (__m512)channel);
}

/* Filters texels of four blocks. */
INLINE struct lanes_color
filter_floats(const struct sample_plan *p, enum palette_of kind,
              struct four_blocks four, bits in, vint x, vint y)
{
    struct lanes_color texel[4];
    struct float_palette palette;
    bool bc3 = kind == PALETTE_BC3;
    bits at = number_taps(in, 0);
    decode_float_palette(p, kind, &four, &palette);
    vint color = (vint)_mm512_permutexvar_epi8(at, palette.color_numbers);
    vint alpha = bc3 ? (vint)_mm512_permutexvar_epi8(at, palette.alpha_numbers)
                     : color;
    /* The permutes ignore the bits above a number. */
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned c = 0; c < 4; c++)
            texel[i].c[c] = pick_color(palette.color[c],
                                       v_srl(color, 8 * i + 2));
        if (bc3)
            texel[i].c[3] = (vfloat)v_pick((vint)palette.alpha[0],
                                           (vint)palette.alpha[1],
                                           v_srl(alpha, 8 * i));
    }
    return mix_corners(SAMPLE_BLOCKS, texel,
                       x & v_constant(&lanes_constant.fraction),
                       y & v_constant(&lanes_constant.fraction));
}

#endif
