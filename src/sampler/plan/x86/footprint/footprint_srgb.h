/* footprint_srgb.h: filters texels with three sRGB bytes, 64 bytes at once; a
 * part of footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_SRGB_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_SRGB_H

#include "sampler/plan/x86/footprint/footprint_taps.h"

/* The four corners of each lane, in transposed order. */
struct srgb_square {
    const bits *line;
    bool wide;
    struct footprint_taps taps;
    vfloat wx, wy; /* weights of the second column and row */
};

INLINE vfloat
srgb_weight(vint fixed)
{
    return v_float(fixed & v_constant(&lanes_constant.fraction)) *
           v_splat(1.0f / SAMPLE_ONE);
}

/* Looks up byte `k` of each byte's float. A masked-out lane of the first lookup
 * keeps the byte itself for the second. */
INLINE bits
srgb_byte_of(bits t, __mmask64 high, unsigned k)
{
    const uint8_t *table = format_srgb8_byte[k];
    t = _mm512_mask2_permutex2var_epi8(load_table(table), t, ~high,
                                       load_table(table + 64));
    return _mm512_mask2_permutex2var_epi8(load_table(table + 128), t, high,
                                          load_table(table + 192));
}

/* mix_colors() for finite numbers without -0: a weight of zero needs no special
 * case. */
INLINE vfloat
mix_srgb(vfloat a, vfloat b, vfloat w)
{
    return a + (b - a) * w;
}

/* Converts transposed sRGB bytes to floats, looked up byte by byte. */
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
            _mm512_shuffle_epi8(t, load_shuffle(footprint_table.spread[i])));
}

/* Unpacks one channel of four texels; alpha times 2^32. */
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
                     load_constant(&footprint_table.channel[channel]));
}

/* One channel of the corners on one or two levels, then of the mixed colours.
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

/* `w`: weight of the second level. The steps of three channels are interleaved,
 * because the steps of one depend on each other and processors do not look far
 * enough ahead. */
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
