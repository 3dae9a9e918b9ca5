/* decode.h: whole blocks of compressed textures to texels. Internal.
 * Every decoder writes block_w * block_h texels row by row, in linear light,
 * and accepts any bytes. Missing channels are 0, 0, 0, 1. */
#ifndef SAMPLER_DECODE_H
#define SAMPLER_DECODE_H

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

/* 8-bit channels to a texel; colour goes through the format's curve. */
void decode_store_rgba8(const struct format_info *fmt, const uint8_t rgba[4],
                        union color *out);

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
