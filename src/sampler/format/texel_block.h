/* texel_block.h: decoders of whole compressed blocks. Internal. Each decoder
 * writes block_w * block_h texels row by row, in linear light, and accepts any
 * bytes. Missing channels are 0, 0, 0, 1. */
#ifndef SAMPLER_FORMAT_TEXEL_BLOCK_H
#define SAMPLER_FORMAT_TEXEL_BLOCK_H

#include "sampler/format/format_ops.h"
#include "sampler/format/format.h"

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

/* Decodes the four colours of a colour block of BC1 to BC3. BC1 with c0 <= c1
 * has three colours and black, which is transparent if the format has alpha. */
void decode_bc_colors(const struct format_info *fmt, const uint8_t *block,
                      bool may_be_3, uint8_t palette[4][4]);
/* decode_bc_colors() with the format's curve. */
void decode_bc_palette(const struct format_info *fmt, const uint8_t *block,
                       bool may_be_3, union color texel[4]);
void decode_bc7_bytes(const uint8_t *block, uint8_t rgba[16][4]);
/* Decodes the eight values of one channel that 3-bit indices select. With e0 <=
 * e1 there are six steps, and the last two values are the ends of the range. */
void decode_bc_ramp(const uint8_t *block, bool is_signed, float value[8]);

/* Decodes the colours of an ETC1 or ETC2 colour block, for each of its two
 * halves. v: the block as a big-endian integer. rgba[0..3] are the colours of
 * the left or upper half, rgba[4..7] of the other half. Texels are numbered
 * down the columns; bits 16 + n and n choose the colour of texel n. Returns
 * false if the block is planar. */
struct decode_etc_colors {
    uint8_t rgba[8][4];
    bool rows; /* halves are rows */
};
bool decode_etc_color_block(uint64_t v, bool punch_through,
                            struct decode_etc_colors *out);
/* The eight values of an 8-bit alpha block, and the number of texel 0..15, in
 * row order. */
void decode_etc_alpha_block(uint64_t v, uint8_t out[8]);
static inline unsigned
decode_etc_alpha_index(uint64_t v, unsigned texel)
{
    unsigned n = texel % 4 * 4 + texel / 4;
    return v >> (45 - 3 * n) & 7;
}

/* Stores 8-bit channels as a texel; colour goes through the format's curve. */
static inline void
decode_store_rgba8(const struct format_info *fmt, const uint8_t rgba[4],
                   union color *out)
{
    const float *curve = fmt->srgb ? format_srgb8 : format_unorm8;
    for (unsigned i = 0; i < 3; i++)
        out->f[i] = curve[rgba[i]];
    out->f[3] = format_unorm8[rgba[3]];
}

/* Extracts bits lo .. lo + n - 1 of a 128-bit block; n is at most 32. */
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
