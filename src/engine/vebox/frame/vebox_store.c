/* vebox_store.c: rows of 16 bits a channel, 4:4:4, to surfaces. Guess: fewer
 * bits are rounded to the nearest; pairs of chroma are averaged with halves
 * rounded up. */
#include "engine/vebox/frame/vebox_surface.h"

static inline uint32_t
round_to(uint16_t v, unsigned bits)
{
    uint32_t r = (v + (1u << (15 - bits))) >> (16 - bits);
    return MIN2(r, (1u << bits) - 1);
}

static inline void
put(uint8_t *bytes, uint32_t index, unsigned component_B, uint16_t v)
{
    if (component_B == 1) {
        bytes[index] = (uint8_t)round_to(v, 8);
        return;
    }
    bytes[index * 2] = (uint8_t)v;
    bytes[index * 2 + 1] = (uint8_t)(v >> 8);
}

/* Of a and the one after it, weight in eighths: 4 is the average. */
static inline uint16_t
between(uint16_t a, uint16_t b, unsigned weight)
{
    return (uint16_t)((a * (8 - weight) + b * weight + 4) >> 3);
}

/* Chroma of the pair of columns from x on, an even one. */
static inline uint16_t
chroma_x(const uint16_t *ch, uint32_t x, uint32_t width, unsigned weight)
{
    return between(ch[x], ch[x + 1 < width ? x + 1 : x], weight);
}

/* The functions below pack columns [x0, x1); x0 is even where pairs of columns
 * share chroma. */
struct columns {
    uint32_t x0, x1;
};

static void
pack_422(const struct vebox_surface *s, const struct vebox_line *line,
         struct columns at, unsigned weight, uint8_t *bytes)
{
    const uint8_t *place = s->format->place;
    unsigned b = s->format->component_B;
    for (uint32_t x = at.x0; x < at.x1; x += 2) {
        uint32_t last = x + 1 < s->width ? x + 1 : x;
        put(bytes, x * 2 + place[0], b, line->ch[0][x]);
        put(bytes, x * 2 + place[2], b, line->ch[0][last]);
        put(bytes, x * 2 + place[1], b,
            chroma_x(line->ch[1], x, s->width, weight));
        put(bytes, x * 2 + place[3], b,
            chroma_x(line->ch[2], x, s->width, weight));
    }
}

static void
pack_444(const struct vebox_surface *s, const struct vebox_line *line,
         struct columns at, uint8_t *bytes)
{
    const struct vebox_format *f = s->format;
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++)
        for (uint32_t x = at.x0; x < at.x1; x++)
            put(bytes, x * 4 + f->place[c], f->component_B, line->ch[c][x]);
}

static void
pack_1010102(const struct vebox_surface *s, const struct vebox_line *line,
             struct columns at, uint8_t *bytes)
{
    const uint8_t *place = s->format->place;
    for (uint32_t x = at.x0; x < at.x1; x++) {
        uint32_t v = round_to(line->ch[3][x], 2) << 30;
        for (unsigned c = 0; c < 3; c++)
            v |= round_to(line->ch[c][x], 10) << (place[c] * 10);
        memcpy(bytes + x * (size_t)4, &v, 4);
    }
}

static void
pack_565(const struct vebox_line *line, struct columns at, uint8_t *bytes)
{
    for (uint32_t x = at.x0; x < at.x1; x++) {
        uint32_t v = round_to(line->ch[0][x], 5) << 11 |
                     round_to(line->ch[1][x], 6) << 5 |
                     round_to(line->ch[2][x], 5);
        bytes[x * 2] = (uint8_t)v;
        bytes[x * 2 + 1] = (uint8_t)(v >> 8);
    }
}

static void
pack_luma(const struct vebox_surface *s, const struct vebox_line *line,
          struct columns at, uint8_t *bytes)
{
    for (uint32_t x = at.x0; x < at.x1; x++)
        put(bytes, x, s->format->component_B, line->ch[0][x]);
}

/* ---- planes of chroma ---------------------------------------------------- */

static void
pack_chroma(const struct vebox_surface *s, const struct vebox_line lines[2],
            unsigned c, struct columns at, struct vebox_downsample method,
            uint8_t *bytes)
{
    uint32_t step = s->interleaved ? 2 : 1, first = s->interleaved ? c : 0;
    for (uint32_t x = at.x0 & ~1u; x < at.x1; x += 2) {
        uint16_t up = chroma_x(lines[0].ch[1 + c], x, s->width, method.x);
        uint16_t down = chroma_x(lines[1].ch[1 + c], x, s->width, method.x);
        put(bytes, x / 2 * step + first, s->format->component_B,
            between(up, down, method.y));
    }
}

static void
store_chroma(const struct vebox_surface *s, uint32_t row,
             const struct vebox_line lines[2], struct columns at,
             struct vebox_downsample method, uint8_t *bytes)
{
    uint32_t pair_B = s->format->component_B * (s->interleaved ? 2 : 1);
    uint32_t begin = at.x0 / 2 * pair_B, end = (at.x1 + 1) / 2 * pair_B;
    for (unsigned c = 0; c < 2; c++) {
        pack_chroma(s, lines, c, at, method, bytes);
        if (c == 1 || !s->interleaved)
            vebox_write_bytes(&s->plane[s->interleaved ? 1 : 1 + c], begin, row,
                              bytes + begin, end - begin);
    }
}

static void
store_row(const struct vebox_surface *s, uint32_t y,
          const struct vebox_line *line, struct columns at, unsigned weight,
          uint8_t *bytes)
{
    const struct vebox_format *f = s->format;
    switch (f->layout) {
    case VEBOX_PACKED_422:
        at.x0 &= ~1u;
        at.x1 = ALIGN_POT(at.x1, 2u);
        pack_422(s, line, at, weight, bytes);
        break;
    case VEBOX_PACKED_444: pack_444(s, line, at, bytes); break;
    case VEBOX_1010102: pack_1010102(s, line, at, bytes); break;
    case VEBOX_565: pack_565(line, at, bytes); break;
    default: pack_luma(s, line, at, bytes); break;
    }
    uint32_t begin = at.x0 * f->pixel_B;
    vebox_write_bytes(&s->plane[0], begin, y, bytes + begin,
                      at.x1 * f->pixel_B - begin);
}

/* Rows of chroma from pairs of rows: neighbours, or of one field. */
static void
store_shared_chroma(const struct vebox_surface *s, uint32_t y,
                    const struct vebox_line *lines, unsigned rows,
                    struct columns at, bool interlaced,
                    struct vebox_downsample method, uint8_t *bytes)
{
    static const uint8_t pairs[2][2][2] = {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}};
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *p = pairs[interlaced][i];
        if (p[0] >= rows || y / 2 + i >= (s->height + 1) / 2)
            continue;
        struct vebox_line two[2] = {lines[p[0]],
                                    lines[p[1] < rows ? p[1] : p[0]]};
        store_chroma(s, y / 2 + i, two, at, method, bytes);
    }
}

void
vebox_store_rows(const struct vebox_surface *s, uint32_t y,
                 const struct vebox_line *lines, unsigned rows,
                 const uint32_t x[2], bool interlaced,
                 struct vebox_downsample method, uint8_t *scratch)
{
    struct columns at = {x[0], x[1]};
    for (unsigned i = 0; i < rows; i++) {
        store_row(s, y + i, &lines[i], at, method.x, scratch);
        if (s->format->layout == VEBOX_PLANAR && !s->format->chroma_y) {
            struct vebox_line two[2] = {lines[i], lines[i]};
            store_chroma(s, y + i, two, at, method, scratch);
        }
    }
    if (s->format->layout == VEBOX_PLANAR && s->format->chroma_y)
        store_shared_chroma(s, y, lines, rows, at, interlaced, method, scratch);
}
