/* color_tmpl.h: unpacks texels to floats, as the formats' unpack functions do,
 * and filters them; a part of sample_tmpl.h. */
#ifndef SAMPLER_PLAN_X86_COLOR_TMPL_H
#define SAMPLER_PLAN_X86_COLOR_TMPL_H

#include "sampler/plan/x86/texel_tmpl.h"

/* ---- numbers ---- */

/* Converts a half float. Unfiltered NaNs keep their bits; filtered NaNs are
 * settled by settle_nans() in the end. */
INLINE vfloat
half_float(vint half, bool filtered)
{
    vfloat f = v_half(half);
    vmask nan = v_not(v_fequal(f, f));
    if (filtered || !v_any(nan))
        return f;
    vint bits = (half & 0x7fff) << 13 | 0xff << 23 | (half & 0x8000) << 16;
    return (vfloat)v_iselect(nan, bits, (vint)f);
}

/* n / d for integers, correctly rounded: the quotient is off by less than one
 * ulp, and the remainder is exact. */
INLINE vfloat
divide_by(vfloat n, vfloat d)
{
    vfloat inv = v_splat(1.0f) / d, q = n * inv;
    return v_fma(v_fnma(q, d, n), inv, q);
}

INLINE vfloat
divide_exactly(vfloat n, float d)
{
    return divide_by(n, v_splat(d));
}

/* Byte 3 is linear, bytes 0 to 2 are sRGB. */
INLINE vfloat
srgb_byte(vint texel, unsigned byte)
{
    vint v = texel >> 8 * (int)byte & 0xff;
    if (byte == 3)
        return divide_exactly(v_float(v), 255.0f);
    return (vfloat)v_gather((const uint8_t *)format_srgb8, v << 2);
}

INLINE vfloat
packed_channel(const struct sample_packed *packed, vint dw, unsigned i)
{
    vint top = dw << v_isplat(packed->left[i]), n = v_isplat(packed->right[i]);
    vint v = packed->is_signed ? top >> n : v_srl_each(top, n);
    if (packed->is_int)
        return (vfloat)v;
    /* Of signed numbers the two least are both -1.0. */
    vfloat max = v_splat(packed->max[i]);
    return divide_by(v_fmax(v_float(v), -max), max);
}

INLINE struct lanes_color
unpack_texels(const struct sample_plan *p, enum sample_texel kind,
              bool filtered, struct lanes_bits t)
{
    struct lanes_color out = no_color();
    for (unsigned i = 0; i < channel_count(kind); i++) {
        vint dw = t.dw[0];
        switch (kind) {
        case SAMPLE_BYTES1:
        case SAMPLE_BYTES2:
        case SAMPLE_BYTES4:
        case SAMPLE_BYTE_BLOCKS:
            out.c[i] = v_float(v_srl(dw, 8 * i) & v_isplat(0xff));
            break;
        case SAMPLE_SRGB: out.c[i] = srgb_byte(dw, i); break;
        case SAMPLE_FLOAT1:
        case SAMPLE_FLOAT2:
        case SAMPLE_FLOAT4: out.c[i] = (vfloat)t.dw[i]; break;
        case SAMPLE_HALF1:
        case SAMPLE_HALF2:
        case SAMPLE_HALF4:
            out.c[i] = half_float(t.dw[i / 2] >> 16 * (int)(i & 1) & 0xffff,
                                  filtered);
            break;
        case SAMPLE_R11G11B10:
            out.c[i] = half_float(i == 0   ? (dw & 0x7ff) << 4
                                  : i == 1 ? v_srl(dw, 7) & 0x7ff0
                                           : v_srl(dw, 17) & 0x7fe0,
                                  filtered);
            break;
        case SAMPLE_UNORM16:
            out.c[i] = divide_exactly(v_float(dw & 0xffff), 65535.0f);
            break;
        case SAMPLE_UNORM24:
            out.c[i] = divide_exactly(v_float(dw & 0xffffff), 16777215.0f);
            break;
        case SAMPLE_PACKED: out.c[i] = packed_channel(&p->packed, dw, i); break;
        case SAMPLE_BLOCKS: /* load_blocks() */
        case SAMPLE_TEXELS: break;
        }
    }
    return out;
}

/* ---- filters ---- */

/* Mixes bytes 0 and 2, or 1 and 3, of two texels in 16-bit halves: at most 255
 * * 256. */
INLINE vint
mix_bytes(vint a, vint b, bool odd, vint w0, vint w1)
{
    vint even = v_constant(&lanes_constant.even_bytes);
    a = odd ? v_srl16(a, 8) : a & even;
    b = odd ? v_srl16(b, 8) : b & even;
    return v_add16(v_mul16(a, w0), v_mul16(b, w1));
}

/* Products have at most 24 bits, so neither their order nor rounding matters.
 */
INLINE struct lanes_color
linear_bytes(enum sample_texel kind, const struct lanes_bits t[4], vint wx,
             vint wy)
{
    struct lanes_color out = no_color();
    vint w1 = wx | wx << 16;
    vint w0 = v_constant(&lanes_constant.weights) - w1;
    vfloat low = v_float(wy) * v_splat(1.0f / (SAMPLE_ONE * SAMPLE_ONE));
    vfloat top = v_splat(1.0f / SAMPLE_ONE) - low;
    for (unsigned i = 0; i < 2 && i < channel_count(kind); i++) {
        vint a = mix_bytes(t[0].dw[0], t[1].dw[0], i, w0, w1);
        vint b = mix_bytes(t[2].dw[0], t[3].dw[0], i, w0, w1);
        vint half = v_constant(&lanes_constant.low_half);
        out.c[i] = v_fma(v_float(a & half), top, v_float(b & half) * low);
        if (channel_count(kind) == 4)
            out.c[i + 2] = v_fma(v_float(v_srl(a, 16)), top,
                                 v_float(v_srl(b, 16)) * low);
    }
    return out;
}

/* With weight zero the second texel must not count: it may be infinite. */
INLINE struct lanes_color
mix_colors(enum sample_texel kind, struct lanes_color a, struct lanes_color b,
           vint weight)
{
    vfloat w = v_float(weight) * v_splat(1.0f / SAMPLE_ONE);
    vmask both = v_less(v_isplat(0), weight);
    for (unsigned i = 0; i < channel_count(kind); i++)
        a.c[i] = v_add_where(both, a.c[i], (b.c[i] - a.c[i]) * w);
    return a;
}

/* texel.c's compare_texel() for `count` texels. Sets m where it is true. */
INLINE void
compare_floats(unsigned func, const vfloat *t, vfloat ref, unsigned count,
               vmask *m)
{
#define EACH(value)                      \
    for (unsigned i = 0; i < count; i++) \
        m[i] = (value);                  \
    break
    switch (func) {
    case GEN9_COMPAREFUNCTION_ALWAYS: EACH(v_live(0xffff));
    case GEN9_COMPAREFUNCTION_LESS: EACH(v_fless(t[i], ref));
    case GEN9_COMPAREFUNCTION_EQUAL: EACH(v_fequal(t[i], ref));
    case GEN9_COMPAREFUNCTION_LEQUAL: EACH(v_fless_equal(t[i], ref));
    case GEN9_COMPAREFUNCTION_GREATER: EACH(v_fless(ref, t[i]));
    case GEN9_COMPAREFUNCTION_NOTEQUAL: EACH(v_not(v_fequal(t[i], ref)));
    case GEN9_COMPAREFUNCTION_GEQUAL: EACH(v_fless_equal(ref, t[i]));
    default: EACH(v_live(0));
    }
}

/* Like compare_floats() for numbers from 0 to 1. It compares them as integers,
 * which works for denormals even if they are flushed. `ref` may be NaN. */
INLINE void
compare_unorms(unsigned func, const vfloat *texel, vfloat ref, unsigned count,
               vmask *m)
{
#define TEXEL ((vint)texel[i])
    vint r = (vint)ref;
    vmask number = v_fequal(ref, ref);
    switch (func) {
    case GEN9_COMPAREFUNCTION_ALWAYS: EACH(v_live(0xffff));
    case GEN9_COMPAREFUNCTION_LESS: EACH(v_and(number, v_less(TEXEL, r)));
    case GEN9_COMPAREFUNCTION_EQUAL: EACH(v_and(number, v_equal(TEXEL, r)));
    case GEN9_COMPAREFUNCTION_LEQUAL:
        EACH(v_and(number, v_not(v_less(r, TEXEL))));
    case GEN9_COMPAREFUNCTION_GREATER: EACH(v_and(number, v_less(r, TEXEL)));
    case GEN9_COMPAREFUNCTION_NOTEQUAL:
        EACH(v_not(v_and(number, v_equal(TEXEL, r))));
    case GEN9_COMPAREFUNCTION_GEQUAL:
        EACH(v_and(number, v_not(v_less(TEXEL, r))));
    default: EACH(v_live(0));
    }
#undef TEXEL
#undef EACH
}

INLINE bool
may_compare(enum sample_texel kind)
{
    return kind == SAMPLE_FLOAT1 || kind == SAMPLE_UNORM16 ||
           kind == SAMPLE_UNORM24;
}

/* Clamps the reference of a normalised depth to 0..1, as an integer, which
 * works for denormals even if they are flushed. NaN stays. */
INLINE vfloat
clamp_reference(enum sample_texel kind, vfloat ref)
{
    if (kind == SAMPLE_FLOAT1)
        return ref;
    vmask number = v_fequal(ref, ref);
    vint bits = v_max((vint)ref, v_isplat(0));
    bits = v_min(bits, v_constant(&lanes_constant.float_one));
    return v_select(number, (vfloat)bits, ref);
}

INLINE bool
compares_texels(const struct sample_plan *p, enum sample_texel kind)
{
    return may_compare(kind) && p->compare;
}

INLINE void
compare_texels(const struct sample_plan *p, enum sample_texel kind,
               const vfloat *t, vfloat ref, unsigned count, vmask *m)
{
    if (kind == SAMPLE_FLOAT1)
        compare_floats(p->compare_func, t, ref, count, m);
    else
        compare_unorms(p->compare_func, t, ref, count, m);
}

INLINE struct lanes_color
texel_color(const struct sample_plan *p, enum sample_texel kind,
            struct lanes_bits bits, vfloat ref)
{
    struct lanes_color c = unpack_texels(p, kind, false, bits);
    if (!compares_texels(p, kind))
        return c;
    vmask m;
    compare_texels(p, kind, &c.c[0], ref, 1, &m);
    c.c[0] = v_select(m, v_splat(0.0f), v_splat(1.0f));
    return c;
}

/* Averages comparison results with 8-bit weights: every step is exact, and so
 * is the sum of the products. */
INLINE struct lanes_color
linear_comparison(const struct sample_plan *p, enum sample_texel kind,
                  const struct lanes_bits t[4], vint wx, vint wy, vfloat ref)
{
    struct lanes_color out = no_color();
    vfloat depth[4];
    vmask m[4];
    depth[0] = unpack_texels(p, kind, true, t[0]).c[0];
    depth[1] = unpack_texels(p, kind, true, t[1]).c[0];
    depth[2] = unpack_texels(p, kind, true, t[2]).c[0];
    depth[3] = unpack_texels(p, kind, true, t[3]).c[0];
    compare_texels(p, kind, depth, ref, 4, m);
    vfloat x = v_float(wx) * v_splat(1.0f / SAMPLE_ONE), zero = v_splat(0.0f);
    vfloat y = v_float(wy) * v_splat(1.0f / SAMPLE_ONE), xy = x * y;
    vfloat upper_right = x - xy, lower_left = y - xy;
    vfloat upper_left = v_splat(1.0f) - x - lower_left;
    out.c[0] = v_select(m[0], zero, upper_left) +
               v_select(m[1], zero, upper_right) +
               v_select(m[2], zero, lower_left) + v_select(m[3], zero, xy);
    return out;
}

#if LANES == 16

/* Looks up red and blue in registers, 16 bits at once: one table has the
 * floats' upper halves, another the lower halves. */
INLINE void
srgb_texel(vint t, struct lanes_color *c)
{
    vint rb = t & v_constant(&lanes_constant.even_bytes);
    vint high = v_words(format_srgb8_high, rb);
    vint low = v_words(format_srgb8_low, rb);
    c->c[0] = (vfloat)(high << 16 | (low & 0xffff));
    c->c[2] = (vfloat)((high & -65536) | v_srl(low, 16));
    c->c[3] = divide_exactly(v_float(v_srl(t, 24)), 255.0f);
}

INLINE void
srgb_greens(vint a, vint b, vfloat *out_a, vfloat *out_b)
{
    vint g = (v_srl(a, 8) & 0xff) | (b & 0xff00) << 8;
    vint high = v_words(format_srgb8_high, g);
    vint low = v_words(format_srgb8_low, g);
    *out_a = (vfloat)(high << 16 | (low & 0xffff));
    *out_b = (vfloat)((high & -65536) | v_srl(low, 16));
}

INLINE void
srgb_corners(const struct lanes_bits t[4], struct lanes_color c[4])
{
    srgb_texel(t[0].dw[0], &c[0]);
    srgb_texel(t[1].dw[0], &c[1]);
    srgb_texel(t[2].dw[0], &c[2]);
    srgb_texel(t[3].dw[0], &c[3]);
    srgb_greens(t[0].dw[0], t[1].dw[0], &c[0].c[1], &c[1].c[1]);
    srgb_greens(t[2].dw[0], t[3].dw[0], &c[2].c[1], &c[3].c[1]);
}

#endif

/* sample_settle() for the lanes of `m`. */
INLINE struct lanes_color
settle_nans(enum sample_texel kind, vmask m, struct lanes_color v)
{
    vfloat nan = (vfloat)v_constant(&lanes_constant.nan);
    for (unsigned i = 0; may_be_nan(kind) && i < channel_count(kind); i++)
        v.c[i] = v_select(v_and(m, v_not(v_fequal(v.c[i], v.c[i]))), nan,
                          v.c[i]);
    return v;
}

INLINE struct lanes_color
mix_corners(enum sample_texel kind, const struct lanes_color t[4], vint wx,
            vint wy)
{
    struct lanes_color top = mix_colors(kind, t[0], t[1], wx);
    struct lanes_color low = mix_colors(kind, t[2], t[3], wx);
    return mix_colors(kind, top, low, wy);
}

INLINE struct lanes_color
linear_color(const struct sample_plan *p, enum sample_texel kind,
             const struct lanes_bits t[4], vint wx, vint wy, vfloat ref)
{
    struct lanes_color c[4];
    if (is_scaled(kind))
        return linear_bytes(kind, t, wx, wy);
    if (compares_texels(p, kind))
        return linear_comparison(p, kind, t, wx, wy, ref);
#if LANES == 16
    if (kind == SAMPLE_SRGB) {
        srgb_corners(t, c);
        return mix_corners(kind, c, wx, wy);
    }
#endif
    c[0] = unpack_texels(p, kind, true, t[0]);
    c[1] = unpack_texels(p, kind, true, t[1]);
    c[2] = unpack_texels(p, kind, true, t[2]);
    c[3] = unpack_texels(p, kind, true, t[3]);
    return mix_corners(kind, c, wx, wy);
}

#endif
