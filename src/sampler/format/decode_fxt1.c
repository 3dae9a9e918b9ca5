/* decode_fxt1.c: FXT1, blocks of 8x4 texels.
 * Format: GL_3DFX_texture_compression_FXT1. A block is two squares of 4x4
 * texels; colours have 5 bits per channel, blue lowest. */
#include "sampler/format/texel_block.h"

struct fxt1_color {
    int c[4];
};

static int
expand_5_bits(uint32_t v)
{
    return (int)((v * 255 + 15) / 31);
}

static int
expand_6_bits(uint32_t v)
{
    return (int)((v * 255 + 31) / 63);
}

/* Reads an opaque colour; its blue begins at bit `at`. */
static struct fxt1_color
read_color(const uint64_t bits[2], unsigned at)
{
    return (struct fxt1_color){{expand_5_bits(decode_bits(bits, at + 10, 5)),
                                expand_5_bits(decode_bits(bits, at + 5, 5)),
                                expand_5_bits(decode_bits(bits, at, 5)), 255}};
}

/* Reads a colour with a sixth, lowest bit of green. */
static struct fxt1_color
read_color6(const uint64_t bits[2], unsigned at, uint32_t green_lsb)
{
    struct fxt1_color out = read_color(bits, at);
    out.c[1] = expand_6_bits(decode_bits(bits, at + 5, 5) << 1 | green_lsb);
    return out;
}

/* a + (b - a) * i / n, rounded. */
static struct fxt1_color
mix_colors(const struct fxt1_color *a, const struct fxt1_color *b, int i, int n)
{
    struct fxt1_color out;
    for (unsigned c = 0; c < 4; c++)
        out.c[c] = ((n - i) * a->c[c] + i * b->c[c] + n / 2) / n;
    return out;
}

/* CC_HI: seven steps between two colours, and a transparent colour. */
static void
palette_hi(const uint64_t bits[2], struct fxt1_color palette[8])
{
    struct fxt1_color a = read_color(bits, 96), b = read_color(bits, 111);
    for (int i = 0; i < 7; i++)
        palette[i] = mix_colors(&a, &b, i, 6);
    palette[7] = (struct fxt1_color){{0}};
}

static void
palette_chroma(const uint64_t bits[2], struct fxt1_color palette[8])
{
    for (unsigned i = 0; i < 4; i++)
        palette[i] = read_color(bits, 64 + 15 * i);
}

/* CC_MIXED: two colours per square. Bit 124 replaces a middle step by a
 * transparent colour. Green has a sixth bit. The second colour stores it; the
 * first colour's is the upper index bit of the first texel. */
static void
palette_mixed(const uint64_t bits[2], unsigned square,
              struct fxt1_color palette[8])
{
    unsigned at = 64 + 30 * square;
    uint32_t lsb = decode_bits(bits, 125 + square, 1);
    uint32_t hidden = decode_bits(bits, 1 + 32 * square, 1);
    struct fxt1_color b = read_color6(bits, at + 15, lsb);
    if (!decode_bits(bits, 124, 1)) {
        struct fxt1_color a = read_color6(bits, at, lsb ^ hidden);
        for (int i = 0; i < 4; i++)
            palette[i] = mix_colors(&a, &b, i, 3);
        return;
    }
    struct fxt1_color a = read_color(bits, at);
    palette[0] = a;
    for (unsigned c = 0; c < 4; c++)
        palette[1].c[c] = (a.c[c] + b.c[c]) / 2;
    palette[2] = b;
    palette[3] = (struct fxt1_color){{0}};
}

/* CC_ALPHA: three colours with alpha. With bit 124, steps between the square's
 * colour and the middle one; without it, the three colours and a transparent
 * one. */
static void
palette_alpha(const uint64_t bits[2], unsigned square,
              struct fxt1_color palette[8])
{
    struct fxt1_color color[3];
    for (unsigned i = 0; i < 3; i++) {
        color[i] = read_color(bits, 64 + 15 * i);
        color[i].c[3] = expand_5_bits(decode_bits(bits, 109 + 5 * i, 5));
    }
    if (decode_bits(bits, 124, 1)) {
        for (int i = 0; i < 4; i++)
            palette[i] = mix_colors(&color[2 * square], &color[1], i, 3);
        return;
    }
    memcpy(palette, color, sizeof color);
    palette[3] = (struct fxt1_color){{0}};
}

void
decode_fxt1(const struct format_info *fmt, const uint8_t *block,
            union color *out)
{
    uint64_t bits[2];
    memcpy(bits, block, sizeof bits);
    unsigned mode = decode_bits(bits, 125, 3);
    unsigned width = mode < 2 ? 3 : 2; /* of an index */
    for (unsigned square = 0; square < 2; square++) {
        struct fxt1_color palette[8];
        if (mode < 2)
            palette_hi(bits, palette);
        else if (mode == 2)
            palette_chroma(bits, palette);
        else if (mode == 3)
            palette_alpha(bits, square, palette);
        else
            palette_mixed(bits, square, palette);
        for (unsigned i = 0; i < 16; i++) {
            unsigned at = (16 * square + i) * width;
            const int *c = palette[decode_bits(bits, at, width)].c;
            uint8_t rgba[4] = {(uint8_t)c[0], (uint8_t)c[1], (uint8_t)c[2],
                               (uint8_t)c[3]};
            decode_store_rgba8(fmt, rgba, &out[i / 4 * 8 + 4 * square + i % 4]);
        }
    }
}
