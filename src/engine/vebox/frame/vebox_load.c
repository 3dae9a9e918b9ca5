/* vebox_load.c: rows of surfaces to 16 bits a channel, 4:4:4.
 *
 * Guess: chroma is repeated, not interpolated, so a conversion there and back
 * changes nothing; gray surfaces have U and V of 128. */
#include "engine/vebox/frame/vebox_surface.h"

#define NEUTRAL 0x8000

static inline uint16_t
component(const uint8_t *bytes, uint32_t index, unsigned component_B)
{
    if (component_B == 1)
        return (uint16_t)(bytes[index] << 8);
    return (uint16_t)(bytes[index * 2] | bytes[index * 2 + 1] << 8);
}

static void
fill_channel(uint16_t *to, uint32_t width, uint16_t value)
{
    for (uint32_t x = 0; x < width; x++)
        to[x] = value;
}

static void
load_packed_422(const struct vebox_surface *s, struct vebox_line *to,
                const uint8_t *bytes)
{
    const struct vebox_format *f = s->format;
    for (uint32_t x = 0; x < s->width; x++) {
        uint32_t pair = (x & ~1u) * 2;
        unsigned b = f->component_B;
        to->ch[0][x] = component(bytes, pair + f->place[(x & 1) * 2], b);
        to->ch[1][x] = component(bytes, pair + f->place[1], b);
        to->ch[2][x] = component(bytes, pair + f->place[3], b);
    }
}

static void
load_packed_444(const struct vebox_surface *s, struct vebox_line *to,
                const uint8_t *bytes)
{
    const struct vebox_format *f = s->format;
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++)
        for (uint32_t x = 0; x < s->width; x++)
            to->ch[c][x] = component(bytes, x * 4 + f->place[c],
                                     f->component_B);
}

static void
load_1010102(const struct vebox_surface *s, struct vebox_line *to,
             const uint8_t *bytes)
{
    for (uint32_t x = 0; x < s->width; x++) {
        uint32_t v;
        memcpy(&v, bytes + x * (size_t)4, 4);
        for (unsigned c = 0; c < 3; c++)
            to->ch[c][x] = (uint16_t)((v >> (c * 10) & 0x3ff) << 6);
        to->ch[3][x] = (uint16_t)((v >> 30) * 0x5555);
    }
}

static void
load_luma(const struct vebox_surface *s, struct vebox_line *to,
          const uint8_t *bytes)
{
    for (uint32_t x = 0; x < s->width; x++)
        to->ch[0][x] = component(bytes, x, s->format->component_B);
}

/* The row of chroma that luma row y has. Rows of chroma belong to the fields by
 * turns as well. */
static uint32_t
chroma_row(const struct vebox_surface *s, uint32_t y, bool interlaced)
{
    if (!s->format->chroma_y)
        return y;
    uint32_t row = interlaced ? y / 4 * 2 + (y & 1) : y / 2;
    return MIN2(row, (s->height + 1) / 2 - 1);
}

static void
load_chroma(const struct vebox_surface *s, uint32_t row, struct vebox_line *to,
            uint8_t *bytes)
{
    const struct vebox_format *f = s->format;
    uint32_t pairs = (s->width + 1) / 2;
    unsigned step = s->interleaved ? 2 : 1;
    for (unsigned c = 0; c < 2; c++) {
        if (c == 0 || !s->interleaved)
            vebox_read_bytes(&s->plane[1 + c], 0, row, bytes,
                             pairs * step * f->component_B);
        uint32_t first = s->interleaved ? c : 0;
        for (uint32_t x = 0; x < s->width; x++)
            to->ch[1 + c][x] = component(bytes, x / 2 * step + first,
                                         f->component_B);
    }
}

void
vebox_extend_row(struct vebox_line *line, uint32_t width)
{
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
        uint16_t *p = line->ch[c];
        for (int x = 1; x <= VEBOX_MARGIN; x++) {
            p[-x] = p[0];
            p[width - 1 + (unsigned)x] = p[width - 1];
        }
    }
}

void
vebox_load_row(const struct vebox_surface *s, uint32_t y, bool interlaced,
               struct vebox_line *to, uint8_t *scratch)
{
    const struct vebox_format *f = s->format;
    uint32_t columns = f->layout == VEBOX_PACKED_422 ? ALIGN_POT(s->width, 2u)
                                                     : s->width;
    vebox_read_bytes(&s->plane[0], 0, y, scratch, columns * f->pixel_B);
    switch (f->layout) {
    case VEBOX_PACKED_422: load_packed_422(s, to, scratch); break;
    case VEBOX_PACKED_444: load_packed_444(s, to, scratch); break;
    case VEBOX_1010102: load_1010102(s, to, scratch); break;
    case VEBOX_PLANAR:
        load_luma(s, to, scratch);
        load_chroma(s, chroma_row(s, y, interlaced), to, scratch);
        break;
    default: /* gray; Bayer patterns are demosaiced from it */
        load_luma(s, to, scratch);
        fill_channel(to->ch[1], s->width, NEUTRAL);
        fill_channel(to->ch[2], s->width, NEUTRAL);
        break;
    }
    if (!f->alpha)
        fill_channel(to->ch[3], s->width, 0xffff);
    vebox_extend_row(to, s->width);
}
