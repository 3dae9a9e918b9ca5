/* blt_operands.c: patterns of 8x8 pixels and sources of bits. KBL PRM vol 2d,
 * BR00 to BR30. BR00: a seed is "the pattern pixel position which corresponds
 * to X = 0", so the pattern's pixel is the destination's column and row plus
 * the seeds, modulo 8. */
#include "engine/blt/blit.h"

/* Guess: the bytes of these names of Windows; nobody is known to use them. The
 * manual names 0 to 5 and 8 to 11. */
#define FIXED_PATTERNS 12
static const uint8_t fixed_patterns[FIXED_PATTERNS][8] = {
    {0x00, 0x00, 0x00, 0xff, 0x00, 0x00, 0x00, 0x00}, /* horizontal */
    {0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08}, /* vertical */
    {0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01}, /* falling diagonal */
    {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80}, /* rising diagonal */
    {0x08, 0x08, 0x08, 0xff, 0x08, 0x08, 0x08, 0x08}, /* cross */
    {0x81, 0x42, 0x24, 0x18, 0x18, 0x24, 0x42, 0x81}, /* diagonal cross */
    [8] = {0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55},  /* screen door */
    [9] = {0xcc, 0xcc, 0x33, 0x33, 0xcc, 0xcc, 0x33, 0x33},  /* wide */
    [10] = {0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01}, /* walking one */
    [11] = {0x7f, 0xbf, 0xdf, 0xef, 0xf7, 0xfb, 0xfd, 0xfe}, /* walking zero */
};

void
blt_solid_pattern(struct blit *b, uint32_t color)
{
    for (unsigned i = 0; i < 64; i++)
        b->pattern[i / 8][i % 8] = color;
    memset(b->pattern_drawn, 0xff, sizeof b->pattern_drawn);
}

void
blt_mono_pattern(struct blit *b, const uint8_t rows[8],
                 const uint32_t colors[2], uint32_t br13, struct blt_seed seed)
{
    if (br13 >> 31) {
        /* Solid Pattern Select. Guess: it wins over transparency. */
        blt_solid_pattern(b, colors[0]);
        return;
    }
    bool transparent = br13 >> 28 & 1;
    for (unsigned y = 0; y < 8; y++) {
        b->pattern_drawn[y] = 0;
        for (unsigned x = 0; x < 8; x++) {
            bool bit = rows[(y + seed.y) & 7] >> (7 - ((x + seed.x) & 7)) & 1;
            b->pattern[y][x] = colors[bit];
            if (bit || !transparent)
                b->pattern_drawn[y] |= (uint8_t)(1u << x);
        }
    }
}

static void
set_color_pattern(struct blit *b, const uint8_t *pixels, struct blt_seed seed)
{
    for (unsigned y = 0; y < 8; y++) {
        for (unsigned x = 0; x < 8; x++) {
            unsigned at = ((y + seed.y) & 7) * 8 + ((x + seed.x) & 7);
            memcpy(&b->pattern[y][x], pixels + (size_t)at * b->pixel_B,
                   b->pixel_B);
        }
    }
}

static bool
is_pattern_read(const struct blit *b)
{
    return blt_rop_uses_pattern(b->rop) ||
           (b->chroma == BLT_CHROMA_SOURCE && b->chroma_pattern);
}

/* Base is a multiple of 64 bytes, so a line never crosses a page. */
void
blt_color_pattern(struct blit *b, gpu_va va, struct blt_seed seed)
{
    uint8_t pixels[64 * 4];
    if (!is_pattern_read(b))
        return;
    va &= ~UINT64_C(63);
    for (unsigned at = 0; at < 64u * b->pixel_B; at += 64)
        memcpy(pixels + at, vm_ptr(b->vm, va + at), 64);
    set_color_pattern(b, pixels, seed);
}

bool
blt_inline_pattern(struct blit *b, const uint32_t *data, unsigned data_dw,
                   struct blt_seed seed)
{
    if (!is_pattern_read(b))
        return true;
    if (data_dw < 16u * b->pixel_B) {
        guest_error("blit: %u dwords of an inline pattern", data_dw);
        return false;
    }
    set_color_pattern(b, (const uint8_t *)data, seed);
    return true;
}

void
blt_fixed_pattern(struct blit *b, unsigned number, const uint32_t colors[2],
                  uint32_t br13, struct blt_seed seed)
{
    if (number >= FIXED_PATTERNS || number == 6 || number == 7) {
        unimp("XY_MONO_PAT_FIXED_BLT: reserved pattern %u", number);
        number = 0;
    }
    blt_mono_pattern(b, fixed_patterns[number], colors, br13, seed);
}

/* Bits of the whole rectangle, in memory or in the packet. */
bool
blt_mono_bits(struct blit *b, uint32_t row_bits, uint32_t first_bit, gpu_va va,
              const uint32_t *data, unsigned data_dw)
{
    b->source = BLT_SOURCE_MONO;
    b->mono.va = va;
    b->mono.data = (const uint8_t *)data;
    b->mono.first_bit = first_bit;
    b->mono.row_bits = row_bits;
    b->mono.x = b->x1;
    b->mono.y = b->y1;
    if (!data || b->x1 >= b->x2 || b->y1 >= b->y2)
        return true;
    uint64_t last = (uint64_t)(b->y2 - b->y1 - 1) * row_bits + first_bit +
                    (uint32_t)(b->x2 - b->x1);
    if (last > data_dw * UINT64_C(32)) {
        guest_error("blit: %u dwords of inline bits are too few", data_dw);
        return false;
    }
    return true;
}
