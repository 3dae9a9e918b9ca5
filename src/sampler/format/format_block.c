/* format_block.c: decodes compressed blocks by encoding, with a cache. */
#include "sampler/format/texel_block.h"
#include "sampler/format/format_ops.h"

/* Two texels that share chroma: R is Cr, G is Y, B is Cb, without conversion.
 * The four orders: ILK PRM vol 4.1, "Video formats". */
void
decode_yuv(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    enum { NORMAL = 0x182, SWAPUVY = 0x183, SWAPUV = 0x18f, SWAPY = 0x190 };
    bool luma_odd = fmt->code == SWAPUVY || fmt->code == SWAPY;
    bool swap_uv = fmt->code == SWAPUVY || fmt->code == SWAPUV;
    const uint8_t *luma = block + luma_odd;
    const uint8_t *chroma = block + !luma_odd;
    for (unsigned i = 0; i < 2; i++) {
        uint8_t ycc[4] = {chroma[swap_uv ? 0 : 2], luma[2 * i],
                          chroma[swap_uv ? 2 : 0], 255};
        decode_store_rgba8(fmt, ycc, &out[i]);
    }
}

void
format_decode_texels(const struct format_info *fmt, const void *block,
                     union color *out)
{
    switch ((enum format_compression)fmt->compression) {
    case FORMAT_BC1: decode_bc1(fmt, block, out); return;
    case FORMAT_BC2: decode_bc2(fmt, block, out); return;
    case FORMAT_BC3: decode_bc3(fmt, block, out); return;
    case FORMAT_BC4: decode_bc4(fmt, block, out); return;
    case FORMAT_BC5: decode_bc5(fmt, block, out); return;
    case FORMAT_BC6H: decode_bc6h(fmt, block, out); return;
    case FORMAT_BC7: decode_bc7(fmt, block, out); return;
    case FORMAT_ETC1:
    case FORMAT_ETC2: decode_etc(fmt, block, out); return;
    case FORMAT_ASTC: decode_astc(fmt, block, out); return;
    case FORMAT_YUV: decode_yuv(fmt, block, out); return;
    case FORMAT_FXT1: decode_fxt1(fmt, block, out); return;
    case FORMAT_MONO: decode_mono(fmt, block, out); return;
    case FORMAT_PLAIN: fmt->unpack(fmt, block, out); return;
    case FORMAT_PLANAR:
    case FORMAT_PALETTE: break;
    }
    unimp("textures of format %s", fmt->name);
    for (unsigned i = 0; i < fmt->block_w * fmt->block_h; i++)
        out[i] = (union color){.f = {0, 0, 0, 1}};
}

void
format_decode_block(const struct format_info *fmt, const void *block,
                    unsigned x, unsigned y, union color *out)
{
    union color texels[FORMAT_BLOCK_TEXELS];
    format_decode_texels(fmt, block, texels);
    *out = texels[MIN2(y * fmt->block_w + x, FORMAT_BLOCK_TEXELS - 1u)];
}

void
format_block_cache_init(struct format_block_cache *cache,
                        const struct format_info *fmt)
{
    cache->fmt = fmt;
    cache->next = 0;
    memset(cache->block, 0, sizeof cache->block);
}

const union color *
format_block_cache_get(struct format_block_cache *cache, const void *block)
{
    for (unsigned i = 0; i < ARRAY_SIZE(cache->block); i++) {
        if (cache->block[i] == block)
            return cache->texel[i];
    }
    unsigned slot = cache->next;
    cache->next = (slot + 1) % ARRAY_SIZE(cache->block);
    cache->block[slot] = block;
    format_decode_texels(cache->fmt, block, cache->texel[slot]);
    return cache->texel[slot];
}
