/* decode.h: whole blocks of compressed textures to texels. Internal.
 * Every decoder writes block_w * block_h texels row by row, in linear light,
 * and accepts any bytes. Missing channels are 0, 0, 0, 1. */
#ifndef SAMPLER_DECODE_H
#define SAMPLER_DECODE_H

#include "sampler/format_ops.h"
#include "sampler/sampler.h"

void decode_bc1(const struct format_info *fmt, const uint8_t *block,
                union color *out);
void decode_bc2(const struct format_info *fmt, const uint8_t *block,
                union color *out);
void decode_bc3(const struct format_info *fmt, const uint8_t *block,
                union color *out);
void decode_bc4(const struct format_info *fmt, const uint8_t *block,
                union color *out);
void decode_bc5(const struct format_info *fmt, const uint8_t *block,
                union color *out);
void decode_bc6h(const struct format_info *fmt, const uint8_t *block,
                 union color *out);
void decode_bc7(const struct format_info *fmt, const uint8_t *block,
                union color *out);
void decode_etc(const struct format_info *fmt, const uint8_t *block,
                union color *out);
void decode_astc(const struct format_info *fmt, const uint8_t *block,
                 union color *out);
void decode_fxt1(const struct format_info *fmt, const uint8_t *block,
                 union color *out);
void decode_yuv(const struct format_info *fmt, const uint8_t *block,
                union color *out);
void decode_mono(const struct format_info *fmt, const uint8_t *block,
                 union color *out);

/* The four colours of a colour block of BC1 to BC3. BC1 with c0 <= c1 has
 * three and black, which is transparent if the format has alpha. */
void decode_bc_colors(const struct format_info *fmt, const uint8_t *block,
                      bool may_be_3, uint8_t rgba[4][4]);
/* The same through the format's curve. */
void decode_bc_palette(const struct format_info *fmt, const uint8_t *block,
                       bool may_be_3, union color texel[4]);
void decode_bc7_bytes(const uint8_t *block, uint8_t rgba[16][4]);
/* One channel from two end points, as 3-bit indices choose it; with e0 <= e1
 * there are six steps, and the last two mean the ends of the range. */
void decode_bc_ramp(const uint8_t *block, bool is_signed, float value[8]);

/* The colours of an ETC1 or ETC2 colour block, whose bits are those of an
 * integer with the first byte on top: of the left half or the upper one, and of
 * the other. Texels are numbered down the columns; texel n has the one whose
 * number is bits 16 + n and n.
 * False: the block is planar. */
struct decode_etc_colors {
    uint8_t rgba[8][4];
    bool rows; /* halves are rows */
};
bool decode_etc_color_block(uint64_t v, bool punch_through,
                            struct decode_etc_colors *out);
/* The values of an alpha block of 8 bits, and which one texel 0..15, counted
 * along the rows, has. */
void decode_etc_alpha_block(uint64_t v, uint8_t out[8]);
static inline unsigned
decode_etc_alpha_index(uint64_t v, unsigned texel)
{
    unsigned n = texel % 4 * 4 + texel / 4;
    return v >> (45 - 3 * n) & 7;
}

/* 8-bit channels to a texel; colour goes through the format's curve. */
static inline void
decode_store_rgba8(const struct format_info *fmt, const uint8_t rgba[4],
                   union color *out)
{
    const float *curve = fmt->srgb ? format_srgb8 : format_unorm8;
    for (unsigned i = 0; i < 3; i++)
        out->f[i] = curve[rgba[i]];
    out->f[3] = format_unorm8[rgba[3]];
}

/* Bits lo .. lo + n - 1 of a 128-bit block, n at most 32. */
static inline uint32_t
decode_bits(const uint64_t block[2], unsigned lo, unsigned n)
{
    uint64_t v;
    if (lo >= 64)
        v = lo >= 128 ? 0 : block[1] >> (lo - 64);
    else
        v = lo ? block[0] >> lo | block[1] << (64 - lo) : block[0];
    return (uint32_t)(v & ((UINT64_C(1) << n) - 1));
}

#endif
