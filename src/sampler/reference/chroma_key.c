/* chroma_key.c: chroma keys: texels within a range of colours are replaced
 * before the filter, or kill the pixel. KBL PRM vol 2d, SAMPLER_STATE,
 * ChromaKey; ILK PRM vol 4 part 1, 4.3.1 and 4.10.6 (3DSTATE_CHROMA_KEY). */
#include "sampler/reference/sample.h"

/* Observed: the stock driver's table lists these formats. */
enum key_class { KEY_NONE, KEY_UNORM, KEY_SNORM, KEY_YUV, KEY_DECODED };

static enum key_class
key_class(const struct format_info *fmt)
{
    switch (fmt->code) {
    case 0x0c0: /* B8G8R8A8_UNORM */
    case 0x0e9: /* B8G8R8X8_UNORM */
    case 0x100: /* B5G6R5_UNORM */
    case 0x102: /* B5G5R5A1_UNORM */
    case 0x104: /* B4G4R4A4_UNORM */
    case 0x114: /* L8A8_UNORM */
    case 0x140: /* R8_UNORM */
    case 0x144: /* A8_UNORM */
    case 0x146: /* L8_UNORM */ return KEY_UNORM;
    case 0x107: /* R8G8_SNORM */
    case 0x119: /* R5G5_SNORM_B6_UNORM */ return KEY_SNORM;
    case 0x182: /* YCRCB_NORMAL */
    case 0x183: /* YCRCB_SWAPUVY */ return KEY_YUV;
    case 0x186: /* BC1_UNORM */
    case 0x187: /* BC2_UNORM */
    case 0x188: /* BC3_UNORM */ return KEY_DECODED;
    default: return KEY_NONE;
    }
}

bool
chroma_key_applies(const struct sampler *sp, const struct surface *s)
{
    return sp->chromakey && key_class(s->fmt) != KEY_NONE;
}

/* Repeats the high bits below the low bits. */
static int
widen_channel(uint32_t v, unsigned bits, unsigned to_bits)
{
    uint32_t wide = v << (to_bits - bits);
    for (unsigned have = bits; have < to_bits; have += bits)
        wide |= wide >> have;
    return (int)(wide & ((1u << to_bits) - 1));
}

/* A channel as 8 bits; SNORM has 7 bits and a sign. */
static int
channel_value(const struct format_channel *ch, uint32_t element, bool sign)
{
    if (ch->kind == FORMAT_NONE || ch->kind == FORMAT_VOID)
        return sign ? 0x7f : 0xff;
    uint32_t raw = element >> ch->start_bit & ((1u << ch->bits) - 1);
    if (ch->kind == FORMAT_UNORM)
        return widen_channel(raw, ch->bits, sign ? 7 : 8);
    uint32_t most = 1u << (ch->bits - 1);
    bool negative = raw & most;
    uint32_t magnitude = negative ? MIN2(2 * most - raw, most - 1) : raw;
    int wide = widen_channel(magnitude, ch->bits - 1u, 7);
    return negative ? -wide : wide;
}

static void
plain_values(const struct format_info *fmt, const uint8_t *element, bool sign,
             int value[4])
{
    uint32_t v = 0;
    memcpy(&v, element, fmt->element_B);
    for (unsigned c = 0; c < 4; c++)
        value[c] = channel_value(&fmt->ch[fmt->lum && c < 3 ? 0 : c], v, sign);
}

static void
decoded_values(const union color *texel, int value[4])
{
    for (unsigned c = 0; c < 4; c++)
        value[c] = (int)(texel->f[c] * 255.0f + 0.5f);
}

/* The right texel of a pair has no chroma: it gets the mean of its neighbours'
 * chroma. Guess: the mean is rounded down, and the last texel of a row gets the
 * left one's chroma. */
static void
yuv_values(struct sample_ctx *ctx, const struct key_texel *at, int value[4])
{
    const struct surface *s = ctx->s;
    union color pair[2];
    format_decode_texels(s->fmt, at->element, pair);
    decoded_values(&pair[at->x & 1], value);
    const uint8_t *right = at->x & 1 ? surface_ptr(s, at->level, at->x + 1,
                                                   at->y, at->slice, 0)
                                     : NULL;
    if (!right)
        return;
    int next[4];
    format_decode_texels(s->fmt, right, pair);
    decoded_values(&pair[0], next);
    value[0] = (value[0] + next[0]) / 2;
    value[2] = (value[2] + next[2]) / 2;
}

/* Keys have red in bits 23:16 and alpha on top. */
static int
key_channel(uint32_t key, unsigned c, bool sign)
{
    static const uint8_t shift[4] = {16, 8, 0, 24};
    int v = key >> shift[c] & 0xff;
    return sign && v & 0x80 ? -(v & 0x7f) : v;
}

static bool
is_within(const struct sampler *sp, const int value[4], bool sign)
{
    for (unsigned c = 0; c < 4; c++)
        if (value[c] < key_channel(sp->key_low, c, sign) ||
            value[c] > key_channel(sp->key_high, c, sign))
            return false;
    return true;
}

static bool
is_key(struct sample_ctx *ctx, enum key_class class, const struct key_texel *at)
{
    const struct format_info *fmt = ctx->s->fmt;
    int value[4];
    union color c;
    switch (class) {
    case KEY_UNORM:
    case KEY_SNORM:
        plain_values(fmt, at->element, class == KEY_SNORM, value);
        break;
    case KEY_YUV: yuv_values(ctx, at, value); break;
    default:
        texel_decode(ctx->s, at->element, at->x, at->y, at->slice, &ctx->blocks,
                     &c);
        decoded_values(&c, value);
        break;
    }
    return is_within(ctx->sp, value, class == KEY_SNORM);
}

bool
chroma_key_replaces(struct sample_ctx *ctx, const struct key_texel *at,
                    union color *black)
{
    enum key_class class = key_class(ctx->s->fmt);
    if (!is_key(ctx, class, at))
        return false;
    ctx->key_hit = true;
    *black = (union color){.f = {0, 0, 0, 0}};
    if (class == KEY_YUV)
        *black = (union color){
            .f = {0x80 / 255.0f, 0x10 / 255.0f, 0x80 / 255.0f, 0}};
    return ctx->sp->key_mode ==
           GEN9_SAMPLER_STATE_CHROMAKEY_MODE_KEYFILTER_REPLACE_BLACK;
}
