/* palette.c: texels that index a palette, and formats of single bits. The
 * sampler looks colours up before it filters. Formats with an alpha of their
 * own take only colour from the palette. KBL PRM vol 2d, PALETTE_ENTRY; ILK PRM
 * vol 4 part 1, 4.1 "Texture Palette Lookup", 4.10.7, 4.10.8. Guess: the first
 * of the texels that share a byte is in its low bits, like channels. */
#include "sampler/format/texel_block.h"
#include "sampler/reference/sample.h"

static unsigned
take_bits(const struct format_channel *ch, uint32_t element)
{
    return element >> ch->start_bit & ((1u << ch->bits) - 1);
}

void
palette_decode(const struct surface *s, const uint8_t *element, uint32_t x,
               union color *out)
{
    const struct format_info *fmt = s->fmt;
    uint32_t v = 0;
    memcpy(&v, element, fmt->element_B);
    v >>= x % fmt->block_w * fmt->index.bits;
    unsigned index = take_bits(&fmt->index, v);
    uint32_t argb = s->palette ? s->palette[index] : 0;
    const struct format_channel *alpha = &fmt->ch[3];
    if (!fmt->indexed_alpha)
        argb = (argb & 0xffffff) |
               take_bits(alpha, v) * 255 / ((1u << alpha->bits) - 1) << 24;
    const uint8_t rgba[4] = {(uint8_t)(argb >> 16), (uint8_t)(argb >> 8),
                             (uint8_t)argb, (uint8_t)(argb >> 24)};
    decode_store_rgba8(fmt, rgba, out);
}

void
decode_mono(const struct format_info *fmt, const uint8_t *block,
            union color *out)
{
    for (unsigned i = 0; i < fmt->block_w; i++) {
        float f = (float)(*block >> i & 1);
        out[i] = fmt->intensity ? (union color){.f = {f, f, f, f}}
                                : (union color){.f = {f, 0, 0, 1}};
    }
}
