/* format_generic.c: any plain format, channel by channel from its table row.
 * The common layouts have functions of their own in format_layouts.c, with the
 * same results (tests/unit/sampler/format/test_format.c compares them). */
#include <math.h>

#include "sampler/format/format_convert.h"
#include "sampler/format/format_ops.h"

/* Loads the bits of one channel. Elements have at most 256 bits and channels at
 * most 64, but a channel wider than 32 bits is aligned to its size. */
static uint64_t
load_bits(const uint8_t *src, const struct format_channel *ch)
{
    uint64_t v = 0;
    unsigned first = ch->start_bit / 8;
    unsigned last = (ch->start_bit + ch->bits - 1) / 8;
    for (unsigned i = last + 1; i-- > first;)
        v = v << 8 | src[i];
    v >>= ch->start_bit % 8;
    return ch->bits == 64 ? v : v & ((UINT64_C(1) << ch->bits) - 1);
}

static void
store_bits(uint8_t *dst, const struct format_channel *ch, uint64_t v)
{
    uint64_t mask = ch->bits == 64 ? ~UINT64_C(0)
                                   : (UINT64_C(1) << ch->bits) - 1;
    unsigned shift = ch->start_bit % 8;
    v = (v & mask) << shift;
    mask <<= shift;
    for (unsigned i = ch->start_bit / 8; mask; i++, v >>= 8, mask >>= 8)
        dst[i] = (uint8_t)((dst[i] & ~mask) | v);
}

static int32_t
sign_extend(uint64_t v, unsigned bits)
{
    return (int32_t)((uint32_t)v << (32 - bits)) >> (32 - bits);
}

static float
float_of(uint64_t v, const struct format_channel *ch)
{
    if (ch->bits == 16)
        return convert_float_from_half((uint16_t)v);
    if (ch->bits == 32)
        return float_from_bits((uint32_t)v);
    double d;
    memcpy(&d, &v, sizeof d);
    return (float)d;
}

static uint32_t
unpack_channel(const struct format_channel *ch, bool srgb, const void *src)
{
    uint64_t v = load_bits(src, ch);
    uint32_t u = (uint32_t)v;
    uint32_t max = (uint32_t)((UINT64_C(1) << (ch->bits & 63)) - 1);
    int32_t s = ch->bits <= 32 ? sign_extend(v, ch->bits) : 0;
    switch ((enum format_kind)ch->kind) {
    case FORMAT_UNORM:
        return bits_from_float(srgb ? format_decode_srgb(u, ch->bits)
                                    : convert_float_from_unorm(u, max));
    case FORMAT_SNORM:
        return bits_from_float(
            convert_float_from_snorm(s, (int32_t)(max >> 1)));
    case FORMAT_UINT:
    case FORMAT_RAW: return u;
    case FORMAT_SINT: return (uint32_t)s;
    case FORMAT_FLOAT: return bits_from_float(float_of(v, ch));
    case FORMAT_UFLOAT:
        return bits_from_float(convert_float_from_small(u, ch->bits - 5));
    case FORMAT_USCALED: return bits_from_float((float)u);
    case FORMAT_SSCALED: return bits_from_float((float)s);
    case FORMAT_UFIXED: return bits_from_float((float)(u / 65536.0));
    case FORMAT_SFIXED: return bits_from_float((float)(s / 65536.0));
    case FORMAT_NONE:
    case FORMAT_VOID: break;
    }
    return 0;
}

void
format_unpack_generic(const struct format_info *fmt, const void *src,
                      union color *out)
{
    for (unsigned i = 0; i < 4; i++) {
        const struct format_channel *ch = &fmt->ch[i];
        if (ch->kind != FORMAT_NONE && ch->kind != FORMAT_VOID)
            out->u[i] = unpack_channel(ch, fmt->srgb && i < 3, src);
        else
            out->u[i] = i < 3 ? 0 : fmt->is_int ? 1 : 0x3f800000;
    }
    if (fmt->lum || fmt->intensity)
        out->u[1] = out->u[2] = out->u[0];
    if (fmt->intensity)
        out->u[3] = out->u[0];
}

/* round(f * scale) to nearest even within [lo, hi]; NaN gives 0. */
static int64_t
round_clamped(float f, double scale, double lo, double hi)
{
    double d = f * scale;
    return d != d ? 0 : (int64_t)nearbyint(CLAMP(d, lo, hi));
}

/* `rt`: with the rounding of a render target write. */
static uint64_t
pack_channel(const struct format_channel *ch, bool srgb, bool rt, uint32_t u)
{
    float f = float_from_bits(u);
    uint32_t max = (uint32_t)((UINT64_C(1) << (ch->bits & 63)) - 1);
    int32_t smax = (int32_t)(max >> 1);
    switch ((enum format_kind)ch->kind) {
    case FORMAT_UNORM:
        if (rt && ch->bits <= RT_UNORM_BITS)
            return rt_unorm_from_float(f, max);
        return srgb ? format_encode_srgb(f, ch->bits)
                    : convert_unorm_from_float(f, max);
    case FORMAT_SNORM:
        return (uint32_t)convert_snorm_from_float(f, (uint32_t)smax);
    case FORMAT_UINT: return MIN2(u, max);
    case FORMAT_SINT: return (uint32_t)CLAMP((int32_t)u, -smax - 1, smax);
    case FORMAT_FLOAT:
        if (ch->bits == 16)
            return convert_half_from_float(f);
        if (ch->bits == 64) {
            double d = f;
            uint64_t v;
            memcpy(&v, &d, sizeof v);
            return v;
        }
        return u;
    case FORMAT_UFLOAT: return convert_ufloat_from_float(f, ch->bits - 5);
    case FORMAT_USCALED: return (uint64_t)round_clamped(f, 1, 0, max);
    case FORMAT_SSCALED:
        return (uint64_t)round_clamped(f, 1, -(double)smax - 1, smax);
    case FORMAT_UFIXED: return (uint64_t)round_clamped(f, 65536, 0, max);
    case FORMAT_SFIXED:
        return (uint64_t)round_clamped(f, 65536, -(double)smax - 1, smax);
    case FORMAT_RAW: return u;
    case FORMAT_NONE:
    case FORMAT_VOID: break;
    }
    return 0;
}

/* Guess: an unread alpha is stored as 1, other unread bits as 0. */
static uint64_t
void_bits(const struct format_info *fmt, unsigned i)
{
    struct format_channel like = fmt->ch[i];
    like.kind = fmt->ch[0].kind;
    return i == 3
               ? pack_channel(&like, false, false, fmt->is_int ? 1 : 0x3f800000)
               : 0;
}

static void
pack_channels(const struct format_info *fmt, bool rt, const union color *in,
              void *dst)
{
    for (unsigned i = 0; i < 4; i++) {
        const struct format_channel *ch = &fmt->ch[i];
        if (ch->kind == FORMAT_NONE)
            continue;
        store_bits(dst, ch,
                   ch->kind == FORMAT_VOID
                       ? void_bits(fmt, i)
                       : pack_channel(ch, fmt->srgb && i < 3, rt, in->u[i]));
    }
}

void
format_pack_generic(const struct format_info *fmt, const union color *in,
                    void *dst)
{
    pack_channels(fmt, false, in, dst);
}

/* Not called for sRGB formats. */
void
format_pack_rt_generic(const struct format_info *fmt, const union color *in,
                       void *dst)
{
    pack_channels(fmt, true, in, dst);
}
