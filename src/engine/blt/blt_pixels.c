/* blt_pixels.c: any blit, pixel by pixel: the reference that blt_rows.c is
 * compared with. An operand is fetched only if something depends on it, because
 * its address may be meaningless. */
#include "engine/blt/blit.h"

/* Bits of components by colour depth, alpha last. Colours of 8 bits are
 * compared as one. */
static const uint32_t components[4][4] = {
    {0xff, 0, 0, 0},
    {0x001f, 0x07e0, 0xf800, 0},
    {0x001f, 0x03e0, 0x7c00, 0x8000},
    {0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000},
};

uint32_t
blt_rop(uint8_t rop, uint32_t pattern, uint32_t source, uint32_t destination)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < 8; i++)
        if (rop >> i & 1)
            out |= (i & 4 ? pattern : ~pattern) & (i & 2 ? source : ~source) &
                   (i & 1 ? destination : ~destination);
    return out;
}

static uint32_t
load_pixel(const struct blit *b, const struct blt_surface *s, int32_t x,
           int32_t y)
{
    uint32_t v = 0;
    gpu_va at = blt_address(s, (int64_t)x * b->pixel_B, y);
    memcpy(&v, vm_ptr(b->vm, at), b->pixel_B);
    return v;
}

/* Writes the bytes of the mask and no others, because somebody else may be
 * writing those. */
static void
store_pixel(const struct blit *b, int32_t x, int32_t y, uint32_t v)
{
    gpu_va at = blt_address(&b->dst, (int64_t)x * b->pixel_B, y);
    uint8_t *to = vm_ptr(b->vm, at);
    if (b->write_mask == blt_pixel_mask(b->pixel_B)) {
        memcpy(to, &v, b->pixel_B);
        return;
    }
    for (unsigned i = 0; i < b->pixel_B; i++)
        if (b->write_mask >> i * 8 & 0xff)
            to[i] = (uint8_t)(v >> i * 8);
}

static bool
load_bit(const struct blit *b, int32_t x, int32_t y)
{
    const struct blt_mono *m = &b->mono;
    uint64_t bit = (uint64_t)(y - m->y) * m->row_bits + m->first_bit +
                   (uint32_t)(x - m->x);
    const uint8_t *at = m->data ? m->data + bit / 8
                                : vm_ptr(b->vm, m->va + bit / 8);
    return *at >> (7 - bit % 8) & 1;
}

static bool
is_in_range(const struct blit *b, uint32_t color)
{
    for (unsigned i = 0; i < (b->chroma_alpha ? 4 : 3); i++) {
        uint32_t mask = components[b->depth][i], c = color & mask;
        if (c < (b->chroma_low & mask) || c > (b->chroma_high & mask))
            return false;
    }
    return true;
}

/* Whether the pixel is not drawn, by the range of colours. */
static bool
is_keyed(const struct blit *b, uint32_t pattern, uint32_t source,
         uint32_t destination)
{
    switch (b->chroma) {
    case BLT_CHROMA_SOURCE:
        return is_in_range(b, b->chroma_pattern ? pattern : source);
    case BLT_CHROMA_DESTINATION: return !is_in_range(b, destination);
    default: return false;
    }
}

static void
draw_pixel(const struct blit *b, int32_t x, int32_t y)
{
    uint32_t pattern = b->pattern[y & 7][x & 7], source = 0, destination = 0;
    if (!(b->pattern_drawn[y & 7] >> (x & 7) & 1))
        return;
    bool uses_source = blt_rop_uses_source(b->rop);
    if (b->source == BLT_SOURCE_MONO && (uses_source || b->mono.transparent)) {
        bool bit = load_bit(b, x, y);
        if (!bit && b->mono.transparent)
            return;
        source = bit ? b->mono.foreground : b->mono.background;
    }
    if (b->source == BLT_SOURCE_COLOR &&
        (uses_source || b->chroma == BLT_CHROMA_SOURCE))
        source = load_pixel(b, &b->src, x + b->src_dx, y + b->src_dy);
    if (blt_rop_uses_destination(b->rop) || b->chroma == BLT_CHROMA_DESTINATION)
        destination = load_pixel(b, &b->dst, x, y);
    if (!is_keyed(b, pattern, source, destination))
        store_pixel(b, x, y, blt_rop(b->rop, pattern, source, destination));
}

void
blt_row_any(const struct blit *b, int32_t y)
{
    if (b->backward_x) {
        for (int32_t x = b->x2; x-- > b->x1;)
            draw_pixel(b, x, y);
    } else {
        for (int32_t x = b->x1; x < b->x2; x++)
            draw_pixel(b, x, y);
    }
}
