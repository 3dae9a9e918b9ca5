/* texel_tmpl.h: loads texels and makes numbers of them, as texel.c and the
 * formats' unpack functions have it; a part of sample_tmpl.h. */
#ifndef SAMPLER_TEXEL_TMPL_H
#define SAMPLER_TEXEL_TMPL_H

#include "sampler/x86/address_tmpl.h"

struct lanes_color {
    vfloat c[4];
};

/* A texel's bits; each dword of up to 128 bits by itself. */
struct lanes_bits {
    vint dw[4];
};

/* The corners of a linear filter: elements from the tiling's origin. */
struct lanes_corners {
    vint x0, x1, y0, y1;
};

INLINE unsigned
channel_count(enum sample_texel kind)
{
    switch (kind) {
    case SAMPLE_BYTES1:
    case SAMPLE_FLOAT1:
    case SAMPLE_HALF1:
    case SAMPLE_UNORM16:
    case SAMPLE_UNORM24: return 1;
    case SAMPLE_BYTES2:
    case SAMPLE_FLOAT2:
    case SAMPLE_HALF2: return 2;
    case SAMPLE_R11G11B10: return 3;
    default: return 4;
    }
}

/* Filtered as integers, and divided at the end. */
INLINE bool
is_scaled(enum sample_texel kind)
{
    return kind <= SAMPLE_BYTES4;
}

/* Dwords of an element; parts of one count as one. */
INLINE unsigned
element_dw(enum sample_texel kind)
{
    switch (kind) {
    case SAMPLE_FLOAT2:
    case SAMPLE_HALF4: return 2;
    case SAMPLE_FLOAT4: return 4;
    default: return 1;
    }
}

INLINE bool
is_part_of_dword(enum sample_texel kind)
{
    return kind == SAMPLE_BYTES1 || kind == SAMPLE_BYTES2 ||
           kind == SAMPLE_HALF1 || kind == SAMPLE_UNORM16;
}

/* ---- loading --------------------------------------------------------------
 */

/* Of elements smaller than a dword nothing is read beyond that dword. */
INLINE struct lanes_bits
load_bits(const struct sample_plan *p, enum sample_texel kind, vint at_B)
{
    struct lanes_bits b = {.dw = {{0}}};
    if (is_part_of_dword(kind))
        b.dw[0] = v_srl_each(v_gather(p->mem, at_B & -4), (at_B & 3) << 3);
    else if (element_dw(kind) == 1)
        b.dw[0] = v_gather(p->mem, at_B);
    else if (element_dw(kind) == 2)
        v_gather2(p->mem, at_B, b.dw);
    else
        v_gather4(p->mem, at_B, b.dw);
    return b;
}

/* Y tiles keep 4x4 elements of four bytes in one line of memory. Pixels next
 * to each other mostly look at one square of four such lines, which registers
 * hold: taking texels out of those costs a fraction of as many loads.
 * False if some lane looks elsewhere. */
INLINE bool
load_square(const struct sample_plan *p, const struct lanes_corners *at,
            vmask live, struct lanes_bits t[4])
{
#if LANES == 16
    if (!p->square.usable)
        return false;
    uint32_t first = v_least_pair(at->x0 >> 2 | at->y0 >> 2 << 16);
    uint32_t bx = first & 0xffff, by = first >> 16;
    vint x0 = at->x0 - (int32_t)(bx * 4), x1 = at->x1 - (int32_t)(bx * 4);
    vint y0 = at->y0 - (int32_t)(by * 4), y1 = at->y1 - (int32_t)(by * 4);
    if (v_any(v_and(live, v_test(x0 | x1 | y0 | y1, v_isplat(-8)))))
        return false;
    /* Blocks that no lane looks at need not exist. */
    uint32_t bx1 = MIN2(bx + 1, p->square.last_x);
    uint32_t by1 = MIN2(by + 1, p->square.last_y);
    const uint8_t *row0 = p->mem + (by >> 3) * (uint32_t)p->tiling.y_pitch_B +
                          (by & 7) * 64;
    const uint8_t *row1 = p->mem + (by1 >> 3) * (uint32_t)p->tiling.y_pitch_B +
                          (by1 & 7) * 64;
    vint a = v_line(row0 + bx * 512), b = v_line(row0 + bx1 * 512);
    vint c = v_line(row1 + bx * 512), d = v_line(row1 + bx1 * 512);
    x0 = (x0 & 3) | (x0 << 2 & 16);
    x1 = (x1 & 3) | (x1 << 2 & 16);
    vmask low0 = v_test(y0, v_isplat(4)), low1 = v_test(y1, v_isplat(4));
    y0 = y0 << 2 & 12;
    y1 = y1 << 2 & 12;
    t[0].dw[0] = v_iselect(low0, v_pick(c, d, x0 | y0), v_pick(a, b, x0 | y0));
    t[1].dw[0] = v_iselect(low0, v_pick(c, d, x1 | y0), v_pick(a, b, x1 | y0));
    t[2].dw[0] = v_iselect(low1, v_pick(c, d, x0 | y1), v_pick(a, b, x0 | y1));
    t[3].dw[0] = v_iselect(low1, v_pick(c, d, x1 | y1), v_pick(a, b, x1 | y1));
    return true;
#else
    return false;
#endif
}

INLINE void
load_corners(const struct sample_plan *p, enum sample_texel kind,
             const struct lanes_corners *at, vmask live, struct lanes_bits t[4])
{
    if (element_dw(kind) == 1 && !is_part_of_dword(kind) &&
        load_square(p, at, live, t))
        return;
    vint x0_B = offset_x_B(&p->tiling, at->x0);
    vint x1_B = offset_x_B(&p->tiling, at->x1);
    vint y0_B = offset_y_B(&p->tiling, at->y0);
    vint y1_B = offset_y_B(&p->tiling, at->y1);
    t[0] = load_bits(p, kind, x0_B + y0_B);
    t[1] = load_bits(p, kind, x1_B + y0_B);
    t[2] = load_bits(p, kind, x0_B + y1_B);
    t[3] = load_bits(p, kind, x1_B + y1_B);
}

/* ---- numbers --------------------------------------------------------------
 */

/* A float of 5 bits of exponent, with its mantissa at the top of 23 bits. */
INLINE vfloat
small_float(vint bits)
{
    const vint infinity = v_isplat(31 << 23);
    vint scaled = (vint)((vfloat)bits * v_splat(0x1p112f));
    vint special = bits | v_isplat(0xff << 23);
    return (vfloat)v_iselect(v_less(bits, infinity), scaled, special);
}

INLINE vfloat
half_float(vint half)
{
    vint sign = (half & 0x8000) << 16;
    return (vfloat)((vint)small_float((half & 0x7fff) << 13) | sign);
}

/* x / 255, correctly rounded: the quotient is off by less than one unit in
 * the last place, and the remainder is exact. */
INLINE vfloat
div255(vfloat x)
{
    vfloat inv = v_splat(1.0f / 255.0f), q = x * inv;
    return v_fma(v_fnma(q, v_splat(255.0f), x), inv, q);
}

/* Bytes 0 to 2 are sRGB. */
INLINE vfloat
srgb_byte(vint texel, unsigned byte)
{
    vint v = texel >> 8 * (int)byte & 0xff;
    if (byte == 3)
        return div255(v_float(v));
    return (vfloat)v_gather((const uint8_t *)format_srgb8, v << 2);
}

INLINE struct lanes_color
unpack(enum sample_texel kind, struct lanes_bits t)
{
    struct lanes_color out;
    for (unsigned i = 0; i < channel_count(kind); i++) {
        vint dw = t.dw[0];
        switch (kind) {
        case SAMPLE_BYTES1:
        case SAMPLE_BYTES2:
        case SAMPLE_BYTES4: out.c[i] = v_float(dw >> 8 * (int)i & 0xff); break;
        case SAMPLE_SRGB: out.c[i] = srgb_byte(dw, i); break;
        case SAMPLE_FLOAT1:
        case SAMPLE_FLOAT2:
        case SAMPLE_FLOAT4: out.c[i] = (vfloat)t.dw[i]; break;
        case SAMPLE_HALF1:
        case SAMPLE_HALF2:
        case SAMPLE_HALF4:
            out.c[i] = half_float(t.dw[i / 2] >> 16 * (int)(i & 1) & 0xffff);
            break;
        case SAMPLE_R11G11B10:
            out.c[i] = small_float(i == 0   ? (dw & 0x7ff) << 17
                                   : i == 1 ? (dw & 0x7ff << 11) << 6
                                            : v_srl(dw, 22) << 18);
            break;
        case SAMPLE_UNORM16:
            out.c[i] = v_float(dw & 0xffff) / v_splat(65535.0f);
            break;
        case SAMPLE_UNORM24:
            out.c[i] = v_float(dw & 0xffffff) / v_splat(16777215.0f);
            break;
        case SAMPLE_BLOCKS: /* load_blocks() */
        case SAMPLE_TEXELS: break;
        }
    }
    return out;
}

/* ---- filters --------------------------------------------------------------
 */

/* Two bytes of each texel, in 16-bit halves: at most 255 * 256. */
INLINE vint
mix_bytes(vint a, vint b, vint w0, vint w1)
{
    return v_add16(v_mul16(a & 0xff00ff, w0), v_mul16(b & 0xff00ff, w1));
}

/* Products have at most 24 bits, so that the order does not matter. */
INLINE struct lanes_color
linear_bytes(enum sample_texel kind, const struct lanes_bits t[4], vint wx,
             vint wy)
{
    struct lanes_color out;
    vint w1 = wx | wx << 16, w0 = (SAMPLE_ONE << 16 | SAMPLE_ONE) - w1;
    vfloat low = v_float(wy) * v_splat(1.0f / (SAMPLE_ONE * SAMPLE_ONE));
    vfloat top = v_splat(1.0f / SAMPLE_ONE) - low;
    for (unsigned i = 0; i < 2 && i < channel_count(kind); i++) {
        int shift = 8 * (int)i;
        vint a = mix_bytes(t[0].dw[0] >> shift, t[1].dw[0] >> shift, w0, w1);
        vint b = mix_bytes(t[2].dw[0] >> shift, t[3].dw[0] >> shift, w0, w1);
        out.c[i] = v_float(a & 0xffff) * top + v_float(b & 0xffff) * low;
        if (kind == SAMPLE_BYTES4)
            out.c[i + 2] = v_float(v_srl(a, 16)) * top +
                           v_float(v_srl(b, 16)) * low;
    }
    return out;
}

/* Texels of weight zero might be infinite, and do not count. */
INLINE struct lanes_color
mix(enum sample_texel kind, struct lanes_color a, struct lanes_color b,
    vint weight)
{
    vfloat w = v_float(weight) * v_splat(1.0f / SAMPLE_ONE);
    vmask both = v_less(v_isplat(0), weight);
    for (unsigned i = 0; i < channel_count(kind); i++) {
        vfloat mixed = a.c[i] + (b.c[i] - a.c[i]) * w;
        a.c[i] = is_scaled(kind) ? mixed : v_select(both, mixed, a.c[i]);
    }
    return a;
}

/* texel.c's compare_texel(): zero when true. */
INLINE struct lanes_color
compare(unsigned func, struct lanes_color texel, vfloat ref)
{
    vfloat t = texel.c[0];
    vmask m;
    switch (func) {
    case GEN9_COMPAREFUNCTION_ALWAYS: m = v_live(0xffff); break;
    case GEN9_COMPAREFUNCTION_LESS: m = v_fless(t, ref); break;
    case GEN9_COMPAREFUNCTION_EQUAL: m = v_fequal(t, ref); break;
    case GEN9_COMPAREFUNCTION_LEQUAL: m = v_fless_equal(t, ref); break;
    case GEN9_COMPAREFUNCTION_GREATER: m = v_fless(ref, t); break;
    case GEN9_COMPAREFUNCTION_NOTEQUAL: m = v_not(v_fequal(t, ref)); break;
    case GEN9_COMPAREFUNCTION_GEQUAL: m = v_fless_equal(ref, t); break;
    default: m = v_live(0); break;
    }
    texel.c[0] = v_select(m, v_splat(0.0f), v_splat(1.0f));
    return texel;
}

INLINE bool
may_compare(enum sample_texel kind)
{
    return kind == SAMPLE_FLOAT1 || kind == SAMPLE_UNORM16 ||
           kind == SAMPLE_UNORM24;
}

INLINE struct lanes_color
texel_color(const struct sample_plan *p, enum sample_texel kind,
            struct lanes_bits bits, vfloat ref)
{
    struct lanes_color c = unpack(kind, bits);
    if (may_compare(kind) && p->compare)
        return compare(p->compare_func, c, ref);
    return c;
}

#if LANES == 16

/* From registers, two of 16 bits at once: a float is its upper half from one
 * table and its lower half from another. */
INLINE void
srgb_corners(const struct lanes_bits t[4], struct lanes_color c[4])
{
    for (unsigned i = 0; i < 4; i++) {
        vint rb = t[i].dw[0] & 0xff00ff;
        vint high = v_words(format_srgb8_high, rb);
        vint low = v_words(format_srgb8_low, rb);
        c[i].c[0] = (vfloat)(high << 16 | (low & 0xffff));
        c[i].c[2] = (vfloat)((high & -65536) | v_srl(low, 16));
        c[i].c[3] = div255(v_float(v_srl(t[i].dw[0], 24)));
    }
    for (unsigned i = 0; i < 4; i += 2) {
        vint g = (v_srl(t[i].dw[0], 8) & 0xff) | (t[i + 1].dw[0] & 0xff00) << 8;
        vint high = v_words(format_srgb8_high, g);
        vint low = v_words(format_srgb8_low, g);
        c[i].c[1] = (vfloat)(high << 16 | (low & 0xffff));
        c[i + 1].c[1] = (vfloat)((high & -65536) | v_srl(low, 16));
    }
}

#endif

INLINE struct lanes_color
mix_corners(enum sample_texel kind, const struct lanes_color t[4], vint wx,
            vint wy)
{
    struct lanes_color top = mix(kind, t[0], t[1], wx);
    struct lanes_color low = mix(kind, t[2], t[3], wx);
    return mix(kind, top, low, wy);
}

INLINE struct lanes_color
linear_color(const struct sample_plan *p, enum sample_texel kind,
             const struct lanes_bits t[4], vint wx, vint wy, vfloat ref)
{
    if (is_scaled(kind))
        return linear_bytes(kind, t, wx, wy);
    struct lanes_color c[4];
#if LANES == 16
    if (kind == SAMPLE_SRGB) {
        srgb_corners(t, c);
        return mix_corners(kind, c, wx, wy);
    }
#endif
    for (unsigned i = 0; i < 4; i++)
        c[i] = texel_color(p, kind, t[i], ref);
    return mix_corners(kind, c, wx, wy);
}

#endif
