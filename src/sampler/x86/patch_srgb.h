/* patch_srgb.h: filters of texels of which three bytes are sRGB, 64 bytes at
 * once; a part of patch_vbmi.c. */
#ifndef SAMPLER_PATCH_SRGB_H
#define SAMPLER_PATCH_SRGB_H

#include "sampler/x86/patch_taps.h"

/* Four texels of each lane, in turned order. */
struct srgb_square {
    const bits *line;
    bool wide;
    struct patch_taps taps;
    vfloat wx, wy; /* weights of the second column and row */
};

INLINE vfloat
srgb_weight(vint fixed)
{
    return v_float(fixed & v_constant(&lanes_constant.fraction)) *
           v_splat(1.0f / SAMPLE_ONE);
}

/* Byte `k` of the float that each byte stands for. What a lookup leaves out is
 * still the byte itself. */
INLINE bits
srgb_byte_of(bits t, __mmask64 high, unsigned k)
{
    const uint8_t *table = format_srgb8_byte[k];
    t = _mm512_mask2_permutex2var_epi8(load_table(table), t, ~high,
                                       load_table(table + 64));
    return _mm512_mask2_permutex2var_epi8(load_table(table + 128), t, high,
                                          load_table(table + 192));
}

/* mix() of finite numbers, none of them -0: weights of zero are like others. */
INLINE vfloat
mix_srgb(vfloat a, vfloat b, vfloat w)
{
    return a + (b - a) * w;
}

/* The floats that turned bytes stand for, put together of their bytes. */
INLINE void
srgb_floats(bits t, vfloat out[4])
{
    __mmask64 high = _mm512_movepi8_mask(t);
    bits byte0 = srgb_byte_of(t, high, 0), byte1 = srgb_byte_of(t, high, 1);
    bits byte2 = srgb_byte_of(t, high, 2), byte3 = srgb_byte_of(t, high, 3);
    bits low01 = _mm512_unpacklo_epi8(byte0, byte1);
    bits low23 = _mm512_unpacklo_epi8(byte2, byte3);
    bits high01 = _mm512_unpackhi_epi8(byte0, byte1);
    bits high23 = _mm512_unpackhi_epi8(byte2, byte3);
    out[0] = (vfloat)_mm512_unpacklo_epi16(low01, low23);
    out[1] = (vfloat)_mm512_unpackhi_epi16(low01, low23);
    out[2] = (vfloat)_mm512_unpacklo_epi16(high01, high23);
    out[3] = (vfloat)_mm512_unpackhi_epi16(high01, high23);
}

/* 2^32 times n / 255: see float_of_four(). */
INLINE void
alpha_floats(bits t, vfloat out[4])
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = scaled_float_of_four(
            _mm512_shuffle_epi8(t, load_shuffle(patch.spread[i])));
}

/* One channel of four texels; alpha 2^32 times. */
INLINE void
unpack_srgb(unsigned channel, bits t, vfloat corner[4])
{
    if (channel < 3)
        srgb_floats(t, corner);
    else
        alpha_floats(t, corner);
}

INLINE bits
take_srgb(const struct srgb_square *s, unsigned channel)
{
    return pick_taps(s->line, s->wide, &s->taps,
                     constant(&patch.channel[channel]));
}

/* One channel of the texels of one level or of two, then what is left of them.
 */
struct srgb_channel {
    vfloat t[2][4];
};

INLINE void
mix_srgb_squares(const struct srgb_square *s, unsigned levels,
                 struct srgb_channel *c)
{
    for (unsigned n = 0; n < levels; n++) {
        c->t[n][0] = mix_srgb(c->t[n][0], c->t[n][1], s[n].wx);
        c->t[n][2] = mix_srgb(c->t[n][2], c->t[n][3], s[n].wx);
    }
    for (unsigned n = 0; n < levels; n++)
        c->t[n][0] = mix_srgb(c->t[n][0], c->t[n][2], s[n].wy);
}

/* `w`: of the second level. Each step waits for the one before; processors do
 * not look far enough ahead for another channel's steps, so these come in
 * between. */
INLINE struct lanes_color
filter_srgb(const struct srgb_square *s, unsigned levels, vfloat w)
{
    struct lanes_color out;
    struct srgb_channel c[4];
    bits t[4][2];
    for (unsigned i = 0; i < 4; i++)
        for (unsigned n = 0; n < levels; n++)
            t[i][n] = take_srgb(&s[n], i);
#pragma GCC unroll 6
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned n = 0; n < levels && i < 4; n++)
            unpack_srgb(i, t[i][n], c[i].t[n]);
        if (i > 0 && i < 5)
            mix_srgb_squares(s, levels, &c[i - 1]);
        if (i > 1)
            out.c[i - 2] = levels > 1
                               ? mix_srgb(c[i - 2].t[0][0], c[i - 2].t[1][0], w)
                               : c[i - 2].t[0][0];
    }
    out.c[3] *= v_splat(0x1p-32f);
    return out;
}

#endif
