/* format.c: formats by code, clamping, and the sRGB curve. */
#include <math.h>

#include "sampler/format/format_convert.h"
#include "sampler/format/format_ops.h"

const struct format_info *
format_info(unsigned code)
{
    return code < format_code_count ? format_by_code[code] : NULL;
}

void
format_unpack(const struct format_info *fmt, const void *src, union color *out)
{
    fmt->unpack(fmt, src, out);
}

void
format_pack(const struct format_info *fmt, const union color *in, void *dst)
{
    fmt->pack(fmt, in, dst);
}

void
format_unpack_none(const struct format_info *fmt, const void *src,
                   union color *out)
{
    unimp("format_unpack: %s is not a plain format", fmt->name);
    memset(out, 0, sizeof *out);
    out->f[3] = 1.0f;
}

void
format_pack_none(const struct format_info *fmt, const union color *in,
                 void *dst)
{
    unimp("format_pack: %s is not a plain format", fmt->name);
}

static float
clamp_float(float f, float lo)
{
    return f >= 1.0f ? 1.0f : f > lo ? f : f <= lo ? lo : 0.0f;
}

/* Half floats lose the payload of a NaN; SNORM has two codes for -1. */
static bool
channel_survives(const struct format_channel *ch)
{
    switch (ch->kind) {
    case FORMAT_NONE:
    case FORMAT_UINT:
    case FORMAT_SINT: return true;
    case FORMAT_UNORM: return ch->bits <= 16;
    case FORMAT_FLOAT: return ch->bits == 32;
    default: return false;
    }
}

bool
format_same_bits(const struct format_info *from, const struct format_info *to)
{
    if (from->compression != FORMAT_PLAIN || to->compression != FORMAT_PLAIN ||
        from->block_bits != to->block_bits || from->is_int != to->is_int ||
        from->srgb != to->srgb || from->lum || from->intensity ||
        from->alpha_only || to->lum || to->intensity || to->alpha_only)
        return false;
    unsigned bits = 0;
    for (unsigned c = 0; c < 4; c++) {
        const struct format_channel *a = &from->ch[c], *b = &to->ch[c];
        if (a->kind != b->kind || a->bits != b->bits ||
            a->start_bit != b->start_bit || !channel_survives(a))
            return false;
        bits += a->kind == FORMAT_NONE ? 0 : a->bits;
    }
    return bits == from->block_bits;
}

/* Channels that the format lacks take part in blending (source alpha), with the
 * range of the channels that it has. */
void
format_clamp(const struct format_info *fmt, union color *c)
{
    unsigned common = fmt->ch[0].kind ? fmt->ch[0].kind : fmt->ch[3].kind;
    for (unsigned i = 0; i < 4; i++) {
        unsigned kind = fmt->ch[i].kind;
        if (kind == FORMAT_NONE || kind == FORMAT_VOID)
            kind = common;
        if (kind == FORMAT_UNORM)
            c->f[i] = clamp_float(c->f[i], 0.0f);
        else if (kind == FORMAT_SNORM)
            c->f[i] = clamp_float(c->f[i], -1.0f);
    }
}

float
format_decode_srgb(uint32_t v, unsigned bits)
{
    if (bits == 8)
        return format_srgb8[v & 0xff];
    double d = (double)v / ((1u << bits) - 1);
    return (float)(d <= 0.04045 ? d / 12.92 : pow((d + 0.055) / 1.055, 2.4));
}

/* A step of 1/64 octave contains the thresholds of at most two codes. */
static uint32_t
encode_srgb8(float linear)
{
    uint32_t u = bits_from_float(linear);
    if (u >= 0x3f800000)
        return u > 0x7f800000 ? 0 : 255;
    const uint32_t least = (127 - 12) << 23; /* 2^-12 */
    unsigned code = u < least ? 0 : format_srgb8_start[(u - least) >> 17];
    const float *threshold = &format_srgb8_threshold[code + 1];
    return code + (linear >= threshold[0]) + (linear >= threshold[1]);
}

uint32_t
format_encode_srgb(float linear, unsigned bits)
{
    if (bits == 8)
        return encode_srgb8(linear);
    uint32_t max = (1u << bits) - 1;
    if (!(linear > 0.0f))
        return 0;
    if (linear >= 1.0f)
        return max;
    double d = linear <= 0.0031308 ? 12.92 * linear
                                   : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint32_t)(d * max + 0.5);
}
