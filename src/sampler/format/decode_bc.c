/* decode_bc.c: BC1 to BC5 (S3TC, RGTC).
 * Format: D3D11 functional spec, "Block compressed formats". */
#include "sampler/format/texel_block.h"

static uint32_t
load_le16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t
load_le32(const uint8_t *p)
{
    return load_le16(p) | load_le16(p + 2) << 16;
}

static void
expand_565(uint32_t c, uint8_t rgb[3])
{
    uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;
    rgb[0] = (uint8_t)(r << 3 | r >> 2);
    rgb[1] = (uint8_t)(g << 2 | g >> 4);
    rgb[2] = (uint8_t)(b << 3 | b >> 2);
}

void
decode_bc_colors(const struct format_info *fmt, const uint8_t *block,
                 bool may_be_3, uint8_t palette[4][4])
{
    uint32_t c0 = load_le16(block), c1 = load_le16(block + 2);
    bool four = c0 > c1 || !may_be_3;
    expand_565(c0, palette[0]);
    expand_565(c1, palette[1]);
    for (unsigned i = 0; i < 3; i++) {
        unsigned a = palette[0][i], b = palette[1][i];
        palette[2][i] = (uint8_t)(four ? (2 * a + b) / 3 : (a + b) / 2);
        palette[3][i] = (uint8_t)(four ? (a + 2 * b) / 3 : 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        bool hole = i == 3 && !four && fmt->ch[3].kind != FORMAT_NONE;
        palette[i][3] = hole ? 0 : 255;
    }
}

void
decode_bc_palette(const struct format_info *fmt, const uint8_t *block,
                  bool may_be_3, union color texel[4])
{
    uint8_t palette[4][4];
    decode_bc_colors(fmt, block, may_be_3, palette);
    for (unsigned i = 0; i < 4; i++)
        decode_store_rgba8(fmt, palette[i], &texel[i]);
}

static void
decode_color(const struct format_info *fmt, const uint8_t *block, bool may_be_3,
             union color *out)
{
    uint32_t indices = load_le32(block + 4);
    union color texel[4];
    decode_bc_palette(fmt, block, may_be_3, texel);
    for (unsigned i = 0; i < 16; i++)
        out[i] = texel[indices >> 2 * i & 3];
}

/* Divides eight integers at once, each correctly rounded: a common divisor
 * changes no quotient. */
void
decode_bc_ramp(const uint8_t *block, bool is_signed, float value[8])
{
    static const float weight[2][2][8] = {
        {{5, 0, 4, 3, 2, 1, 0, 0}, {0, 5, 1, 2, 3, 4, 0, 0}},
        {{7, 0, 6, 5, 4, 3, 2, 1}, {0, 7, 1, 2, 3, 4, 5, 6}},
    };
    int e0 = block[0], e1 = block[1];
    float max = 255.0f;
    if (is_signed) {
        e0 = MAX2((int8_t)block[0], -127);
        e1 = MAX2((int8_t)block[1], -127);
        max = 127.0f;
    }
    bool seven = e0 > e1;
    float divisor = max * (seven ? 7.0f : 5.0f);
    for (unsigned i = 0; i < 8; i++)
        value[i] = (weight[seven][0][i] * (float)e0 +
                    weight[seven][1][i] * (float)e1) /
                   divisor;
    if (!seven) {
        value[6] = is_signed ? -1.0f : 0.0f;
        value[7] = 1.0f;
    }
}

static void
decode_channel(const uint8_t *block, bool is_signed, unsigned channel,
               union color *out)
{
    float value[8];
    decode_bc_ramp(block, is_signed, value);
    uint64_t indices = load_le16(block + 2) | (uint64_t)load_le32(block + 4)
                                                  << 16;
    for (unsigned i = 0; i < 16; i++)
        out[i].f[channel] = value[indices >> 3 * i & 7];
}

void
decode_bc1(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    decode_color(fmt, block, true, out);
}

void
decode_bc2(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    decode_color(fmt, block + 8, false, out);
    for (unsigned i = 0; i < 16; i++)
        out[i].f[3] = (float)(block[i / 2] >> 4 * (i % 2) & 15) / 15.0f;
}

void
decode_bc3(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    decode_color(fmt, block + 8, false, out);
    decode_channel(block, false, 3, out);
}

void
decode_bc4(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    for (unsigned i = 0; i < 16; i++)
        out[i] = (union color){.f = {0, 0, 0, 1}};
    decode_channel(block, fmt->ch[0].kind == FORMAT_SNORM, 0, out);
}

void
decode_bc5(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    decode_bc4(fmt, block, out);
    decode_channel(block + 8, fmt->ch[1].kind == FORMAT_SNORM, 1, out);
}
