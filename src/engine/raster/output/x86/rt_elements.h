/* rt_elements.h: conversion of colours to the elements of a format and back, a
 * part of rt_tmpl.h. Gives the same bits as format_convert.h. */

/* Unsigned normalised channels within a dword. */
struct layout {
    uint8_t bits[4], shift[4];
    uint32_t ones; /* bits that have no channel and are stored as ones */
};

LANES_INLINE struct layout
layout_of(enum rt_format f)
{
    switch (f) {
    case RT_R8: return (struct layout){{8}, {0}, 0};
    case RT_RG8: return (struct layout){{8, 8}, {0, 8}, 0};
    case RT_RGBA8: return (struct layout){{8, 8, 8, 8}, {0, 8, 16, 24}, 0};
    case RT_BGRA8: return (struct layout){{8, 8, 8, 8}, {16, 8, 0, 24}, 0};
    case RT_BGRX8:
        return (struct layout){{8, 8, 8, 0}, {16, 8, 0, 24}, 0xff000000};
    case RT_BGR565: return (struct layout){{5, 6, 5, 0}, {11, 5, 0, 0}, 0};
    case RT_RGB10A2:
        return (struct layout){{10, 10, 10, 2}, {0, 10, 20, 30}, 0};
    case RT_BGR10A2:
        return (struct layout){{10, 10, 10, 2}, {20, 10, 0, 30}, 0};
    case RT_R16: return (struct layout){{16}, {0}, 0};
    case RT_RG16: return (struct layout){{16, 16}, {0, 16}, 0};
    default: return (struct layout){{0}, {0}, 0};
    }
}

LANES_INLINE unsigned
bytes_of(enum rt_format f)
{
    switch (f) {
    case RT_R8: return 1;
    case RT_RG8:
    case RT_BGR565:
    case RT_R16:
    case RT_R16F: return 2;
    case RT_RGBA16:
    case RT_RGBA16F:
    case RT_RG32: return 8;
    case RT_RGBA32: return 16;
    default: return 4;
    }
}

LANES_INLINE bool
is_unorm(enum rt_format f)
{
    return f < RT_R16F;
}

/* Whether memory has the channel. Blending may need alpha as a factor even
 * without it. */
LANES_INLINE bool
has_channel(enum rt_format f, unsigned c)
{
    switch (f) {
    case RT_RGBA16:
    case RT_RGBA16F:
    case RT_RGBA32: return true;
    case RT_RG16F:
    case RT_RG32: return c < 2;
    case RT_R16F:
    case RT_R32: return c < 1;
    case RT_R11G11B10F: return c < 3;
    default: return layout_of(f).bits[c] != 0;
    }
}

/* ---- channels ---- */

/* 2^23 * 1.5: the low bits of a sum with it are an integer, rounded once. */
#define INT_MAGIC 0x1.8p23f
#define INT_MAGIC_BITS 0x4b400000u

/* From 0..1 to an integer 0..2^bits - 1 in the low bits; the other bits are
 * INT_MAGIC's. See rt_unorm_from_float(). Rounding the sum to even is right for
 * the only halfway case, 0.5, unless there is one bit. */
LANES_INLINE vi
int_of_unit(vf v, unsigned bits)
{
    const float max = (float)((1u << bits) - 1);
    if (bits == 1)
        return i_if_greater(i_from_bits(v), i_all(0x3effffff),
                            i_all(INT_MAGIC_BITS + 1), i_all(INT_MAGIC_BITS));
    if (bits > RT_UNORM_BITS)
        return i_from_bits(f_fma(v, f_all(max), f_all(INT_MAGIC)));
    return i_from_bits(
        f_fma(f_cut_16(v), f_all(max), f_all(INT_MAGIC - CUT_BASE * max)));
}

LANES_INLINE vf
not_below_0(vf v)
{
    return f_max(v, f_all(0)); /* NaN to 0 */
}

/* Clamps to 0..1. Floats above zero compare like their bits as integers: see
 * int_of_any(). */
LANES_INLINE vf
to_unit(vf v)
{
    return f_from_bits(
        i_least(i_from_bits(not_below_0(v)), i_from_bits(f_all(1))));
}

/* int_of_unit() of values that may exceed 1: integer comparisons use execution
 * units that are less busy than those for floats. */
LANES_INLINE vi
int_of_any(vf v, unsigned bits)
{
    return i_least(int_of_unit(v, bits),
                   i_all(INT_MAGIC_BITS + (1u << bits) - 1));
}

/* v / max, correctly rounded: multiplies by 1 / max in two parts. Verified for
 * all values of all widths. */
LANES_INLINE vf
unorm_of_int(vi v, unsigned bits)
{
    double exact = 1.0 / ((1u << bits) - 1);
    float high = (float)exact, low = (float)(exact - (double)high);
    vf f = f_from_int(v);
    return f_fma(f, f_all(high), f_mul(f, f_all(low)));
}

/* convert_ufloat_from_float() */
LANES_INLINE vi
int_of_ufloat(vf v, unsigned man_bits)
{
    const unsigned shift = 23 - man_bits;
    const uint32_t infinity = 0x1fu << man_bits;
    vi u = i_from_bits(v), abs = i_and(u, i_all(0x7fffffff));
    vi n = i_sub(abs, i_all(112u << 23));
    vi odd = i_and(i_shr(n, shift), i_all(1));
    vi half = i_all((1u << (shift - 1)) - 1);
    vi r = i_shr(i_add(i_add(n, half), odd), shift);
    /* Denormals: the sum rounds at their last bit. */
    const float last = 1u << (9 - man_bits);
    vi small = i_sub(i_from_bits(f_add(f_from_bits(abs), f_all(last))),
                     i_from_bits(f_all(last)));
    vi nan = i_or(i_all(infinity | 1u << (man_bits - 1)),
                  i_shr(i_and(u, i_all(0x7fffff)), shift));
    r = i_if_greater(abs, i_all(0x477fffff), i_all(infinity), r);
    r = i_if_greater(i_all(113u << 23), abs, small, r);
    r = i_if_greater(i_all(0), u, i_all(0), r);
    return i_if_greater(abs, i_all(0x7f800000), nan, r);
}

/* convert_float_from_small() */
LANES_INLINE vf
ufloat_of_int(vi v, unsigned man_bits)
{
    const unsigned shift = 23 - man_bits;
    vi up = i_all(112u << 23);
    vi normal = i_add(i_shl(v, shift), up);
    normal = i_if_greater(v, i_all((0x1fu << man_bits) - 1), i_add(normal, up),
                          normal);
    vf unit = f_all(man_bits == 6 ? 0x1p-20f : 0x1p-19f);
    vi small = i_from_bits(f_mul(f_from_int(v), unit));
    return f_from_bits(i_if_greater(i_all(1u << man_bits), v, small, normal));
}

/* ---- elements: up to four vectors, each a column of 16 bytes by four rows
 * (a row of smaller elements is widened to one) ---- */

/* Known range of normalised channels: 0..1, or not below 0. Bytes may have any
 * value. */
enum range { UNITS, NOT_BELOW_0 };

LANES_INLINE vi
unorm_field(struct layout l, unsigned c, const vf v[4], enum range range)
{
    if (!l.bits[c])
        return i_all(0);
    vi n = range == UNITS ? int_of_unit(v[c], l.bits[c])
                          : int_of_any(v[c], l.bits[c]);
    return i_shl(n, l.shift[c]);
}

LANES_INLINE vi
pack_unorm(enum rt_format f, const vf v[4], enum range range)
{
    const struct layout l = layout_of(f);
    uint32_t cancel = l.ones;
    EACH_CHANNEL (c)
        cancel ^= l.bits[c] ? INT_MAGIC_BITS << l.shift[c] : 0;
    vi all = i_xor(unorm_field(l, 0, v, range), unorm_field(l, 1, v, range),
                   unorm_field(l, 2, v, range));
    return i_xor(all, unorm_field(l, 3, v, range), i_all(cancel));
}

LANES_INLINE bool
is_bytes(enum rt_format f)
{
    return f == RT_RGBA8 || f == RT_BGRA8 || f == RT_BGRX8;
}

/* The channel in byte n of a pixel, for formats of four bytes. */
LANES_INLINE unsigned
channel_of_byte(enum rt_format f, unsigned n)
{
    return f == RT_RGBA8 || n == 1 || n == 3 ? n : 2 - n;
}

/* Two bytes of each pixel in the low half of its lane; the upper half is
 * undefined. */
LANES_INLINE vi
two_bytes(enum rt_format f, unsigned n, const vf v[4], enum range range)
{
    struct layout l = {.bits = {8, 8, 8, 8}};
    vi low = unorm_field(l, channel_of_byte(f, n), v, range);
    vi high = f == RT_BGRX8 && n == 2
                  ? i_all(0xff)
                  : unorm_field(l, channel_of_byte(f, n + 1), v, range);
    return i_or(low, i_shl(high, 8));
}

/* Rows of bytes. Unless the range is UNITS, saturating packs clamp to 0..1. */
LANES_INLINE vi
rows_of_bytes(enum rt_format f, const vf v[4], enum range range)
{
    if (range == UNITS)
        return i_rows_of_words(two_bytes(f, 0, v, range),
                               two_bytes(f, 2, v, range));
    vi places[4];
    EACH_CHANNEL (c)
        places[c] = i_places_16(v[channel_of_byte(f, c)]);
    if (f == RT_BGRX8)
        places[3] = i_all(UINT16_MAX);
    return i_rows_of_places(places);
}

/* Bytes to floats, for blending with the inverse of source alpha, where 2^-60
 * is as good as zero. The product with 257 times a byte rounds like the
 * quotient, or is a tie where the quotient is a little more: the addend decides
 * the tie. Verified for all bytes. */
LANES_INLINE void
unpack_bytes(enum rt_format f, vi e, vf v[4])
{
    const float little = 0x1p-60f;
    EACH_CHANNEL (n)
        v[channel_of_byte(f, n)] = f_fma(f_from_int(i_byte_twice(e, n)),
                                         f_all(0x1.0001p-16f), f_all(little));
    if (f == RT_BGRX8)
        v[3] = f_all(1);
}

LANES_INLINE void
unpack_unorm(enum rt_format f, vi e, vf v[4])
{
    const struct layout l = layout_of(f);
    EACH_CHANNEL (c) {
        vi field = i_and(i_shr(e, l.shift[c]), i_all((1u << l.bits[c]) - 1));
        if (l.bits[c])
            v[c] = unorm_of_int(field, l.bits[c]);
    }
}

/* Two dwords per lane to columns, or back. */
LANES_INLINE void
columns_of_2(vi a, vi b, vi e[2])
{
    e[0] = i_left_pairs(a, b);
    e[1] = i_right_pairs(a, b);
}

LANES_INLINE void
lanes_of_2(const vi e[2], vi *a, vi *b)
{
    *a = i_first_of_pairs(e[0], e[1]);
    *b = i_second_of_pairs(e[0], e[1]);
}

LANES_INLINE void
columns_of_4(const vi c[4], vi e[4])
{
    vi rg[2], ba[2];
    columns_of_2(c[0], c[1], rg);
    columns_of_2(c[2], c[3], ba);
    LANES_UNROLLED (unsigned i = 0; i < 2; i++) {
        e[2 * i] = i_zip2_low(rg[i], ba[i]);
        e[2 * i + 1] = i_zip2_high(rg[i], ba[i]);
    }
}

LANES_INLINE void
lanes_of_4(const vi e[4], vi c[4])
{
    const vi rg[2] = {i_zip2_low(e[0], e[1]), i_zip2_low(e[2], e[3])};
    const vi ba[2] = {i_zip2_high(e[0], e[1]), i_zip2_high(e[2], e[3])};
    lanes_of_2(rg, &c[0], &c[1]);
    lanes_of_2(ba, &c[2], &c[3]);
}

LANES_INLINE vi
pair_16(vi low, vi high)
{
    return i_or(low, i_shl(high, 16));
}

LANES_INLINE void
pack(enum rt_format f, const vf v[4], enum range range, vi e[4])
{
    vi d[4];
    switch (f) {
    case RT_RGBA16:
        EACH_CHANNEL (c)
            d[c] = i_and(int_of_any(v[c], 16), i_all(0xffff));
        columns_of_2(pair_16(d[0], d[1]), pair_16(d[2], d[3]), e);
        return;
    case RT_R16F: e[0] = i_rows(i_half_from_float(v[0])); return;
    case RT_RG16F:
        e[0] = i_rows(
            pair_16(i_half_from_float(v[0]), i_half_from_float(v[1])));
        return;
    case RT_RGBA16F: i_columns_of_halves(v, e); return;
    case RT_R11G11B10F:
        d[0] = i_or(int_of_ufloat(v[0], 6), i_shl(int_of_ufloat(v[1], 6), 11));
        e[0] = i_rows(i_or(d[0], i_shl(int_of_ufloat(v[2], 5), 22)));
        return;
    case RT_R32: e[0] = i_rows(i_from_bits(v[0])); return;
    case RT_RG32: columns_of_2(i_from_bits(v[0]), i_from_bits(v[1]), e); return;
    case RT_RGBA32:
        EACH_CHANNEL (c)
            d[c] = i_from_bits(v[c]);
        columns_of_4(d, e);
        return;
    case RT_RGBA8:
    case RT_BGRA8:
    case RT_BGRX8: e[0] = rows_of_bytes(f, v, range); return;
    default: e[0] = i_rows(pack_unorm(f, v, range)); return;
    }
}

LANES_INLINE vi
low_16(vi v)
{
    return i_and(v, i_all(0xffff));
}

/* Channels that memory lacks read as 0, alpha as 1. */
LANES_INLINE void
unpack(enum rt_format f, const vi e[4], vf v[4])
{
    vi d[4];
    v[0] = v[1] = v[2] = f_all(0);
    v[3] = f_all(1);
    switch (f) {
    case RT_RGBA16:
        lanes_of_2(e, &d[0], &d[2]);
        LANES_UNROLLED (unsigned c = 0; c < 4; c += 2) {
            v[c] = unorm_of_int(low_16(d[c]), 16);
            v[c + 1] = unorm_of_int(i_shr(d[c], 16), 16);
        }
        return;
    case RT_R16F: v[0] = f_from_half(i_rows(e[0])); return;
    case RT_RG16F:
        d[0] = i_rows(e[0]);
        v[0] = f_from_half(low_16(d[0]));
        v[1] = f_from_half(i_shr(d[0], 16));
        return;
    case RT_RGBA16F: f_from_halves(e, v); return;
    case RT_R11G11B10F:
        d[0] = i_rows(e[0]);
        v[0] = ufloat_of_int(i_and(d[0], i_all(0x7ff)), 6);
        v[1] = ufloat_of_int(i_and(i_shr(d[0], 11), i_all(0x7ff)), 6);
        v[2] = ufloat_of_int(i_shr(d[0], 22), 5);
        return;
    case RT_R32: v[0] = f_from_bits(i_rows(e[0])); return;
    case RT_RG32:
        lanes_of_2(e, &d[0], &d[1]);
        v[0] = f_from_bits(d[0]);
        v[1] = f_from_bits(d[1]);
        return;
    case RT_RGBA32:
        lanes_of_4(e, d);
        EACH_CHANNEL (c)
            v[c] = f_from_bits(d[c]);
        return;
    default: unpack_unorm(f, i_rows(e[0]), v); return;
    }
}

/* Masks for the columns: all bits of the lanes in `mask`. */
LANES_INLINE void
spread(enum rt_format f, uint32_t mask, vi e[4])
{
    vi m = i_lanes(mask);
    const vi all[4] = {m, m, m, m};
    switch (bytes_of(f)) {
    case 8: columns_of_2(m, m, e); return;
    case 16: columns_of_4(all, e); return;
    default: e[0] = i_rows(m); return;
    }
}
