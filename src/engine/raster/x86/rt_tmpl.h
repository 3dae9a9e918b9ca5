/* rt_tmpl.h: blocks of a colour target, in the lanes of lanes_avx2.h or
 * lanes_avx512.h, one of which has been included. Conversions and blending
 * give the bits of src/sampler/format_convert.h and blend.c. */
#include "engine/raster/rt.h"
#include "gen9_pack.h"

/* Unsigned normalised channels within a dword. */
struct layout {
    uint8_t bits[4], shift[4];
    uint32_t ones; /* of what is not read */
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

/* Channels in memory; alpha is needed all the same where it is a factor. */
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

/* The integer of 0..2^bits - 1 for 0..1 in the low bits; the others are those
 * of INT_MAGIC. */
LANES_INLINE vi
int_of_unit(vf v, unsigned bits)
{
    return i_from_bits(
        f_fma(v, f_all((float)((1u << bits) - 1)), f_all(INT_MAGIC)));
}

LANES_INLINE vf
not_below_0(vf v)
{
    return f_max(v, f_all(0)); /* NaN to 0 */
}

LANES_INLINE vf
to_unit(vf v)
{
    return f_min(not_below_0(v), f_all(1));
}

/* int_of_unit() of what may be above 1, too: the units that compare integers
 * are less busy than those that compare floats. */
LANES_INLINE vi
int_of_any(vf v, unsigned bits)
{
    return i_least(int_of_unit(v, bits),
                   i_all(INT_MAGIC_BITS + (1u << bits) - 1));
}

/* Correctly rounded: 1 / max in two parts. Tried for all values of all
 * widths. */
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

/* What is known of normalised channels: to be at most 1, or no more than not to
 * be below 0. */
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
    for (unsigned c = 0; c < 4; c++)
        cancel ^= l.bits[c] ? INT_MAGIC_BITS << l.shift[c] : 0;
    vi all = i_xor(unorm_field(l, 0, v, range), unorm_field(l, 1, v, range),
                   unorm_field(l, 2, v, range));
    return i_xor(all, unorm_field(l, 3, v, range), i_all(cancel));
}

LANES_INLINE void
unpack_unorm(enum rt_format f, vi e, vf v[4])
{
    const struct layout l = layout_of(f);
    for (unsigned c = 0; c < 4; c++) {
        vi field = i_and(i_shr(e, l.shift[c]), i_all((1u << l.bits[c]) - 1));
        if (l.bits[c])
            v[c] = unorm_of_int(field, l.bits[c]);
    }
}

/* Two dwords a lane to columns, or back. */
LANES_INLINE void
columns_of_2(vi a, vi b, vi e[4])
{
    vi low = i_zip_low(a, b), high = i_zip_high(a, b);
    e[0] = i_even(low, high);
    e[1] = i_odd(low, high);
}

LANES_INLINE void
lanes_of_2(const vi e[4], vi *a, vi *b)
{
    vi low = i_even(e[0], e[1]), high = i_odd(e[0], e[1]);
    vi even = i_zip_low(low, high), odd = i_zip_high(low, high);
    *a = i_zip_low(even, odd);
    *b = i_zip_high(even, odd);
}

LANES_INLINE void
columns_of_4(const vi c[4], vi e[4])
{
    vi rg_low = i_zip_low(c[0], c[1]), rg_high = i_zip_high(c[0], c[1]);
    vi ba_low = i_zip_low(c[2], c[3]), ba_high = i_zip_high(c[2], c[3]);
    vi tl = i_zip2_low(rg_low, ba_low), tr = i_zip2_high(rg_low, ba_low);
    vi bl = i_zip2_low(rg_high, ba_high), br = i_zip2_high(rg_high, ba_high);
    e[0] = i_even(tl, bl);
    e[1] = i_even(tr, br);
    e[2] = i_odd(tl, bl);
    e[3] = i_odd(tr, br);
}

LANES_INLINE void
lanes_of_4(const vi e[4], vi c[4])
{
    vi tl = i_even(e[0], e[2]), tr = i_even(e[1], e[3]);
    vi bl = i_odd(e[0], e[2]), br = i_odd(e[1], e[3]);
    vi rg_top = i_zip_low(tl, tr), rg_bottom = i_zip_low(bl, br);
    vi ba_top = i_zip_high(tl, tr), ba_bottom = i_zip_high(bl, br);
    c[0] = i_zip2_low(rg_top, rg_bottom);
    c[1] = i_zip2_high(rg_top, rg_bottom);
    c[2] = i_zip2_low(ba_top, ba_bottom);
    c[3] = i_zip2_high(ba_top, ba_bottom);
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
        for (unsigned c = 0; c < 4; c++)
            d[c] = i_and(int_of_any(v[c], 16), i_all(0xffff));
        columns_of_2(pair_16(d[0], d[1]), pair_16(d[2], d[3]), e);
        return;
    case RT_R16F: e[0] = i_rows(i_half_from_float(v[0])); return;
    case RT_RG16F:
        e[0] = i_rows(
            pair_16(i_half_from_float(v[0]), i_half_from_float(v[1])));
        return;
    case RT_RGBA16F:
        for (unsigned c = 0; c < 4; c++)
            d[c] = i_half_from_float(v[c]);
        columns_of_2(pair_16(d[0], d[1]), pair_16(d[2], d[3]), e);
        return;
    case RT_R11G11B10F:
        d[0] = i_or(int_of_ufloat(v[0], 6), i_shl(int_of_ufloat(v[1], 6), 11));
        e[0] = i_rows(i_or(d[0], i_shl(int_of_ufloat(v[2], 5), 22)));
        return;
    case RT_R32: e[0] = i_rows(i_from_bits(v[0])); return;
    case RT_RG32: columns_of_2(i_from_bits(v[0]), i_from_bits(v[1]), e); return;
    case RT_RGBA32:
        for (unsigned c = 0; c < 4; c++)
            d[c] = i_from_bits(v[c]);
        columns_of_4(d, e);
        return;
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
        for (unsigned c = 0; c < 4; c += 2) {
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
    case RT_RGBA16F:
        lanes_of_2(e, &d[0], &d[2]);
        for (unsigned c = 0; c < 4; c += 2) {
            v[c] = f_from_half(low_16(d[c]));
            v[c + 1] = f_from_half(i_shr(d[c], 16));
        }
        return;
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
        for (unsigned c = 0; c < 4; c++)
            v[c] = f_from_bits(d[c]);
        return;
    default: unpack_unorm(f, i_rows(e[0]), v); return;
    }
}

/* Bits of the columns that belong to the lanes of a mask. */
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

/* ---- memory ---- */

LANES_INLINE unsigned
columns_in(enum rt_format f)
{
    return MAX2(bytes_of(f), 4u) / 4;
}

LANES_INLINE vi
load_column(enum rt_format f, const uint8_t *at, uint32_t pitch_B)
{
    switch (bytes_of(f)) {
    case 1: return i_load_rows_8(at, pitch_B);
    case 2: return i_load_rows_16(at, pitch_B);
    default: return pitch_B == 16 ? i_load_line(at) : i_load_rows(at, pitch_B);
    }
}

LANES_INLINE void
store_column(enum rt_format f, uint8_t *at, uint32_t pitch_B, vi e)
{
    switch (bytes_of(f)) {
    case 1: i_store_rows_8(at, pitch_B, e); return;
    case 2: i_store_rows_16(at, pitch_B, e); return;
    default:
        if (pitch_B == 16)
            i_store_line(at, e);
        else
            i_store_rows(at, pitch_B, e);
    }
}

LANES_INLINE void
store_some(enum rt_format f, const struct rt_block *b, const struct rt_plane *p,
           vi e[4])
{
    vi which[4];
    spread(f, p->mask, which);
    for (unsigned i = 0; i < columns_in(f); i++) {
        uint8_t *at = p->at + i * b->column_B;
        vi old = load_column(f, at, b->pitch_B);
        vi bits = i_and(which[i], i_load_line(b->state->mask));
        store_column(f, at, b->pitch_B, i_merge(old, e[i], bits));
    }
}

/* In a Y tile the block below comes next in memory, and after the rest of this
 * row in time: too many columns for the processor to see by itself. */
LANES_INLINE void
fetch_below(enum rt_format f, const struct rt_block *b,
            const struct rt_plane *p)
{
    for (unsigned i = 0; i < columns_in(f); i++)
        __builtin_prefetch(p->at + i * b->column_B + 4 * b->pitch_B, 1);
}

LANES_INLINE void
store(enum rt_format f, const struct rt_block *b, const struct rt_plane *p,
      vi e[4])
{
    if (p->mask != 0xffff || !b->state->mask_all) {
        store_some(f, b, p, e);
        return;
    }
    for (unsigned i = 0; i < columns_in(f); i++)
        store_column(f, p->at + i * b->column_B, b->pitch_B, e[i]);
}

/* ---- blending, as blend.c has it ---- */

/* To 0..1 what blending of a normalised format needs. */
LANES_INLINE void
units(enum rt_format f, vf v[4])
{
    for (unsigned c = 0; c < 4; c++) {
        if (has_channel(f, c) || c == 3)
            v[c] = to_unit(v[c]);
    }
}

/* What a normalised format stores, to NOT_BELOW_0. */
LANES_INLINE void
not_negative(enum rt_format f, vf v[4])
{
    for (unsigned c = 0; is_unorm(f) && c < 4; c++) {
        if (has_channel(f, c))
            v[c] = not_below_0(v[c]);
    }
}

LANES_INLINE void
clamp_channels(const struct rt_state *st, vf v[4])
{
    for (unsigned c = 0; c < 4; c++)
        v[c] = f_min(f_max(v[c], f_all(st->lo[c])), f_all(st->hi[c]));
}

struct blend_in {
    vf src[4], dst[4];
    const float *constant;
};

/* Channels first..last - 1 of a factor below BLENDFACTOR_ZERO. */
LANES_INLINE void
plain_factors(unsigned code, const struct blend_in *in, unsigned first,
              unsigned last, vf f[4])
{
    vf saturate = f_min(in->src[3], f_sub(f_all(1), in->dst[3]));
    for (unsigned c = first; c < last; c++) {
        switch (code) {
        case GEN9_BLENDFACTOR_SRC_COLOR: f[c] = in->src[c]; break;
        case GEN9_BLENDFACTOR_SRC_ALPHA: f[c] = in->src[3]; break;
        case GEN9_BLENDFACTOR_DST_ALPHA: f[c] = in->dst[3]; break;
        case GEN9_BLENDFACTOR_DST_COLOR: f[c] = in->dst[c]; break;
        case GEN9_BLENDFACTOR_CONST_COLOR: f[c] = f_all(in->constant[c]); break;
        case GEN9_BLENDFACTOR_CONST_ALPHA: f[c] = f_all(in->constant[3]); break;
        case GEN9_BLENDFACTOR_ONE: f[c] = f_all(1); break;
        case GEN9_BLENDFACTOR_SRC_ALPHA_SATURATE:
            f[c] = c == 3 ? f_all(1) : saturate;
            break;
        default: f[c] = f_all(0); break;
        }
    }
}

LANES_INLINE void
factors(unsigned code, const struct blend_in *in, unsigned first, unsigned last,
        vf f[4])
{
    bool inverse = code >= GEN9_BLENDFACTOR_ZERO;
    plain_factors(inverse ? code - 16 : code, in, first, last, f);
    for (unsigned c = first; inverse && c < last; c++)
        f[c] = f_sub(f_all(1), f[c]);
}

LANES_INLINE vf
combine(unsigned func, vf s, vf d, vf sf, vf df)
{
    switch (func) {
    case GEN9_BLENDFUNCTION_SUBTRACT: return f_sub(f_mul(s, sf), f_mul(d, df));
    case GEN9_BLENDFUNCTION_REVERSE_SUBTRACT:
        return f_sub(f_mul(d, df), f_mul(s, sf));
    case GEN9_BLENDFUNCTION_MIN: return f_unless_nan(d, f_min(s, d), s);
    case GEN9_BLENDFUNCTION_MAX: return f_unless_nan(d, f_max(s, d), s);
    default: return f_add(f_mul(s, sf), f_mul(d, df));
    }
}

LANES_INLINE void
blend_any(const struct rt_state *st, const struct blend_in *in, vf out[4])
{
    vf sf[4], df[4];
    factors(st->src[0], in, 0, 3, sf);
    factors(st->dst[0], in, 0, 3, df);
    factors(st->src[1], in, 3, 4, sf);
    factors(st->dst[1], in, 3, 4, df);
    for (unsigned c = 0; c < 4; c++)
        out[c] = combine(st->func[c == 3], in->src[c], in->dst[c], sf[c],
                         df[c]);
}

LANES_INLINE void
blend_over(const struct blend_in *in, vf out[4])
{
    vf a = in->src[3], rest = f_sub(f_all(1), a);
    for (unsigned c = 0; c < 4; c++)
        out[c] = f_add(f_mul(in->src[c], a), f_mul(in->dst[c], rest));
}

LANES_INLINE void
blend(enum rt_format f, enum rt_mode mode, const struct rt_state *st,
      struct blend_in *in, vf out[4])
{
    in->constant = st->constant;
    if (mode == RT_OVER && is_unorm(f)) {
        /* From sources in [0, 1], as rt_state_init() sees to, the result is at
         * most a rounding above 1, which conversion does not see. */
        units(f, in->src);
        blend_over(in, out);
        return;
    }
    if (st->clamp_source)
        clamp_channels(st, in->src);
    if (mode == RT_OVER)
        blend_over(in, out);
    else
        blend_any(st, in, out);
    for (unsigned c = 0; !is_unorm(f) && c < 4; c++)
        out[c] = f_unless_nan(out[c], out[c], f_all(__builtin_nanf("")));
    if (st->clamp_result)
        clamp_channels(st, out);
    not_negative(f, out);
}

/* ---- the whole ---- */

LANES_INLINE void
write_plane(const struct rt_block *b, const struct rt_plane *p,
            enum rt_format f, enum rt_mode mode, const vf v[4], vi e[4])
{
    if (mode != RT_PLAIN) {
        struct blend_in in;
        vf out[4];
        for (unsigned n = 0; n < columns_in(f); n++)
            e[n] = load_column(f, p->at + n * b->column_B, b->pitch_B);
        memcpy(in.src, v, sizeof in.src);
        unpack(f, e, in.dst);
        blend(f, mode, b->state, &in, out);
        pack(f, out, mode == RT_OVER ? UNITS : NOT_BELOW_0, e);
    }
    store(f, b, p, e);
}

/* Without blending, colours as they will be stored. */
LANES_INLINE void
pack_plain(enum rt_format f, enum rt_mode mode, vf v[4], vi e[4])
{
    for (unsigned c = 0; c < 4; c++) {
        if (mode == RT_PLAIN && !has_channel(f, c))
            v[c] = f_all(0);
    }
    if (mode == RT_PLAIN) {
        not_negative(f, v);
        pack(f, v, NOT_BELOW_0, e);
    }
}

LANES_INLINE void
load_colors(const struct rt_block *b, size_t n, enum rt_format f,
            enum rt_mode mode, vf v[4], vi e[4])
{
    for (unsigned c = 0; c < 4; c++)
        v[c] = f_load(b->c[c] + n * b->step_dw);
    pack_plain(f, mode, v, e);
}

/* Copies of what they point to, where compilers know that no store to a target
 * changes them. */
LANES_INLINE void
write_blocks(const struct rt_block *block, enum rt_format f, enum rt_mode mode)
{
    const struct rt_block b = *block;
    const struct rt_plane *p = b.plane;
    vf v[4];
    vi e[4];
    if (b.planes == 1) {
        for (size_t n = 0; n < b.count; n++) {
            const struct rt_plane one = p[n];
            load_colors(&b, n, f, mode, v, e);
            fetch_below(f, &b, &one);
            write_plane(&b, &one, f, mode, v, e);
        }
        return;
    }
    for (size_t n = 0; n < b.count; n++) {
        load_colors(&b, n, f, mode, v, e);
        for (unsigned i = 0; i < b.planes; i++) {
            const struct rt_plane one = *p++;
            fetch_below(f, &b, &one);
            write_plane(&b, &one, f, mode, v, e);
        }
    }
}

/* Whether the block went past the caches. */
LANES_INLINE bool
stream(enum rt_format f, enum rt_mode mode, const struct rt_block *b,
       const struct rt_plane *p, const vi e[4])
{
    if (mode != RT_PLAIN || f != RT_RGBA32 || !b->streams ||
        p->mask != 0xffff || !b->state->mask_all || b->pitch_B != 16 ||
        (uintptr_t)p->at % 64)
        return false;
    for (unsigned i = 0; i < columns_in(f); i++)
        i_stream_line(p->at + i * b->column_B, e[i]);
    return true;
}

/* A block whose colours a thread still has in registers; its memory has been
 * fetched. */
LANES_INLINE void
write_row(const vf color[4], const struct eu_row *row,
          const struct rt_block *block, uint32_t mask, enum rt_format f,
          enum rt_mode mode)
{
    const struct rt_block b = *block;
    const struct rt_plane p = {row->caught, mask};
    vf v[4];
    vi e[4];
    memcpy(v, color, sizeof v);
    pack_plain(f, mode, v, e);
    if (!stream(f, mode, &b, &p, e))
        write_plane(&b, &p, f, mode, v, e);
    if (b.rest->copies)
        row_copy_next(b.rest, row);
}

#define WRITER(format, name, mode)                                       \
    static void write_##format##_##name(const struct rt_block *b)        \
    {                                                                    \
        write_blocks(b, format, mode);                                   \
    }                                                                    \
    static void tail_##format##_##name(F_ARGS, const struct eu_row *row, \
                                       const struct rt_block *at,        \
                                       uint32_t mask)                    \
    {                                                                    \
        const vf color[4] = F_PASSED;                                    \
        write_row(color, row, at, mask, format, mode);                   \
    }
#define WRITERS(format)             \
    WRITER(format, plain, RT_PLAIN) \
    WRITER(format, over, RT_OVER)   \
    WRITER(format, blend, RT_BLEND)

WRITERS(RT_R8)
WRITERS(RT_RG8)
WRITERS(RT_RGBA8)
WRITERS(RT_BGRA8)
WRITERS(RT_BGRX8)
WRITERS(RT_BGR565)
WRITERS(RT_RGB10A2)
WRITERS(RT_BGR10A2)
WRITERS(RT_R16)
WRITERS(RT_RG16)
WRITERS(RT_RGBA16)
WRITERS(RT_R16F)
WRITERS(RT_RG16F)
WRITERS(RT_RGBA16F)
WRITERS(RT_R11G11B10F)
WRITERS(RT_R32)
WRITERS(RT_RG32)
WRITERS(RT_RGBA32)

#undef WRITERS
#undef WRITER
#define PAIR(name)                               \
    {                                            \
        write_##name, (rt_tail_fn)(tail_##name), \
    }
#define ROW(format) \
    [format] = {PAIR(format##_plain), PAIR(format##_over), PAIR(format##_blend)}

const struct rt_routine RT_TABLE[RT_FORMATS][RT_MODES] = {
    ROW(RT_R8),    ROW(RT_RG8),     ROW(RT_RGBA8),      ROW(RT_BGRA8),
    ROW(RT_BGRX8), ROW(RT_BGR565),  ROW(RT_RGB10A2),    ROW(RT_BGR10A2),
    ROW(RT_R16),   ROW(RT_RG16),    ROW(RT_RGBA16),     ROW(RT_R16F),
    ROW(RT_RG16F), ROW(RT_RGBA16F), ROW(RT_R11G11B10F), ROW(RT_R32),
    ROW(RT_RG32),  ROW(RT_RGBA32),
};

#undef ROW
#undef PAIR
