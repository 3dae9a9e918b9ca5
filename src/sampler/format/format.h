/* format.h: surface formats, and conversion of one element or block to numbers.
 *
 * Who calls: the other sub-rooms of sampler/, and the engine by sampler.h. Pure
 * functions over const data, any thread; nothing here allocates, and the table
 * of formats is never freed. Blocks and elements are the caller's bytes.
 * Formats, with their sources: formats.csv. */
#ifndef SAMPLER_FORMAT_FORMAT_H
#define SAMPLER_FORMAT_FORMAT_H

#include "base/base.h"

enum format_kind { /* of one channel */
                   FORMAT_NONE,
                   FORMAT_UNORM,
                   FORMAT_SNORM,
                   FORMAT_UINT,
                   FORMAT_SINT,
                   FORMAT_FLOAT,  /* sf: 16, 32, 64 bits */
                   FORMAT_UFLOAT, /* uf: 10, 11 bits; shared exponent 9 bits */
                   FORMAT_USCALED,
                   FORMAT_SSCALED,
                   FORMAT_UFIXED,
                   FORMAT_SFIXED,
                   FORMAT_RAW,
                   FORMAT_VOID, /* x: present in memory, reads as 0 (alpha: 1)
                                 */
};

enum format_compression {
    FORMAT_PLAIN,
    FORMAT_BC1,
    FORMAT_BC2,
    FORMAT_BC3,
    FORMAT_BC4,
    FORMAT_BC5,
    FORMAT_BC6H,
    FORMAT_BC7,
    FORMAT_ETC1,
    FORMAT_ETC2,
    FORMAT_ASTC,
    FORMAT_FXT1,
    FORMAT_YUV, /* packed 4:2:2 */
    FORMAT_PLANAR,
    FORMAT_PALETTE,
    FORMAT_MONO, /* single bits */
};

struct format_channel {
    uint8_t kind; /* enum format_kind */
    uint8_t bits;
    uint8_t start_bit; /* from the element's least significant bit */
};

/* A texel or colour. The format decides which member is valid. */
union color {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};

struct format_info {
    const char *name;
    uint16_t code; /* SURFACE_FORMAT */
    uint16_t block_bits;
    uint8_t element_B; /* block_bits / 8, at least 1 */
    uint8_t block_w, block_h;
    struct format_channel ch[4]; /* r, g, b, a; luminance in r, with .lum */
    bool srgb;
    bool lum, intensity, alpha_only;
    bool is_int;         /* UINT or SINT channels: texels are integers */
    uint8_t compression; /* enum format_compression */
    /* Palette formats: the index, and its table. ch[3] is alpha's place, unless
     * alpha comes from the table, too. */
    struct format_channel index;
    uint8_t palette;
    bool indexed_alpha;
    /* capabilities on the current generation */
    bool can_sample, can_filter, can_shadow, can_render, can_blend;
    bool can_vertex, can_streamout, can_typed_write, can_typed_read;
    /* format_unpack() and format_pack() of this format, for inner loops.
     * Never NULL; compressed formats have functions that report unimp. */
    void (*unpack)(const struct format_info *fmt, const void *src,
                   union color *out);
    void (*pack)(const struct format_info *fmt, const union color *in,
                 void *dst);
    /* pack() with the rounding of a render target write, which differs from a
     * typed write for linear UNORM channels of up to 10 bits. */
    void (*rt_pack)(const struct format_info *fmt, const union color *in,
                    void *dst);
};

/* Returns NULL for a code without a format. */
const struct format_info *format_info(unsigned code);

/* Unpacks one plain element to rgba. Missing channels are 0, 0, 0, 1 (integer 1
 * for integer formats). sRGB is decoded to linear. */
void format_unpack(const struct format_info *fmt, const void *src,
                   union color *out);
/* Packs rgba into one plain element with the clamping, rounding (RTNE) and sRGB
 * encoding of a typed write. Writes only bytes of the element. */
void format_pack(const struct format_info *fmt, const union color *in,
                 void *dst);
/* Decodes one texel (x, y) of a compressed block. It decodes the whole block: a
 * caller that reads more than one texel should use one of the next two
 * functions. */
void format_decode_block(const struct format_info *fmt, const void *block,
                         unsigned x, unsigned y, union color *out);

#define FORMAT_BLOCK_TEXELS 144 /* of the largest block */

/* Decodes all block_w * block_h texels, row by row. */
void format_decode_texels(const struct format_info *fmt, const void *block,
                          union color *out);

/* Cache of the last decoded blocks, by address. Valid while memory does not
 * change, for example for one message. */
struct format_block_cache {
    const struct format_info *fmt;
    unsigned next;
    const void *block[4];
    union color texel[4][FORMAT_BLOCK_TEXELS];
};

void format_block_cache_init(struct format_block_cache *cache,
                             const struct format_info *fmt);
/* Returns the texels of a block, valid until the fourth call from now. */
const union color *format_block_cache_get(struct format_block_cache *cache,
                                          const void *block);
/* Whether unpacking any element of `from` and packing it as `to` keeps its
 * bits. */
bool format_same_bits(const struct format_info *from,
                      const struct format_info *to);
/* Clamps a colour to the range of the format, as blending does before and
 * after. Does nothing for float formats. */
void format_clamp(const struct format_info *fmt, union color *c);

#endif
