/* blt_model.c: see blt_model.h. */
#include "blt_model.h"

#include <string.h>

/* Bits of an offset in a tile, the highest first: of which coordinate. */
static const char *
tile_bits(enum model_tiling t, unsigned pixel_B)
{
    static const char *const ys[5] = {
        "XYXYXYXYYYYYXXXX", "XYXYXYXYXYYYXXXX", "XYXYXYXYXYYYXXXX",
        "XYXYXYXYXXYYXXXX", "XYXYXYXYXXYYXXXX",
    };
    unsigned log2 = 0;
    while (1u << log2 < pixel_B)
        log2++;
    switch (t) {
    case TILE_X: return "YYYXXXXXXXXX";
    case TILE_Y: return "XXXYYYYYXXXX";
    case TILE_YF: return ys[log2] + 4;
    case TILE_YS: return ys[log2];
    default: return "";
    }
}

static unsigned
count_bits(const char *bits, char which)
{
    unsigned n = 0;
    for (; *bits; bits++)
        n += *bits == which;
    return n;
}

unsigned
blt_model_tile_B(enum model_tiling t, unsigned pixel_B)
{
    return 1u << count_bits(tile_bits(t, pixel_B), 'X');
}

unsigned
blt_model_tile_rows(enum model_tiling t, unsigned pixel_B)
{
    return 1u << count_bits(tile_bits(t, pixel_B), 'Y');
}

static int64_t
divide_down(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

uint64_t
blt_model_address(enum model_tiling t, unsigned pixel_B, uint64_t base,
                  int64_t pitch_B, int64_t x_B, int64_t y)
{
    const char *bits = tile_bits(t, pixel_B);
    if (t == LINEAR)
        return base + (uint64_t)(y * pitch_B + x_B);
    int64_t w = blt_model_tile_B(t, pixel_B),
            h = blt_model_tile_rows(t, pixel_B);
    int64_t tile = divide_down(y, h) * (pitch_B / w) + divide_down(x_B, w);
    uint64_t x = (uint64_t)(x_B - divide_down(x_B, w) * w);
    uint64_t row = (uint64_t)(y - divide_down(y, h) * h), within = 0;
    unsigned count = (unsigned)strlen(bits);
    for (unsigned i = 0; i < count; i++) {
        uint64_t *from = bits[count - 1 - i] == 'X' ? &x : &row;
        within |= (*from & 1) << i;
        *from >>= 1;
    }
    uint64_t size_B = UINT64_C(1) << count;
    return base - base % size_B + (uint64_t)(tile * (int64_t)size_B) + within;
}

/* ---- a blit, by what each pixel needs ------------------------------------ */

struct surface_at {
    enum model_tiling tiling;
    uint64_t base;
    int64_t pitch_B;
};

struct one_blit {
    struct blt_model *m;
    unsigned depth, pixel_B;
    unsigned rop;
    bool write_byte[16];
    struct surface_at dst, src;
    int x1, y1, x2, y2; /* of the packet */
    int cx1, cy1, cx2, cy2;
    bool has_src;
    int sx, sy;
    /* bits as source */
    bool has_bits, bits_clear;
    const uint8_t *bits;
    unsigned bits_first, bits_stride;
    uint32_t src_color[2];
    /* pattern */
    enum { NO_PATTERN, SOLID, COLORS, BITS } pattern;
    const uint8_t *pattern_at;
    unsigned seed_x, seed_y;
    bool pattern_clear;
    uint32_t pattern_color[2];
    unsigned chroma;
    uint32_t low, high;
};

static int
s16(uint32_t v)
{
    return (int)(v & 0xffff) - (v & 0x8000 ? 65536 : 0);
}

static uint64_t
u48(const uint32_t *dw)
{
    return (uint64_t)(dw[1] % 65536) << 32 | dw[0];
}

static const uint8_t *
memory_at(const struct one_blit *b, uint64_t va)
{
    static const uint8_t zeros[256];
    return va - MODEL_VA < MODEL_B ? b->m->before + (va - MODEL_VA) : zeros;
}

static uint64_t
address_of(const struct one_blit *b, const struct surface_at *s, int x, int y)
{
    return blt_model_address(s->tiling, b->pixel_B, s->base, s->pitch_B,
                             (int64_t)x * b->pixel_B, y);
}

static uint32_t
read_color(const uint8_t *at, unsigned pixel_B)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < pixel_B && i < 4; i++)
        v |= (uint32_t)at[i] << 8 * i;
    return v;
}

static bool
is_between(const struct one_blit *b, uint32_t v, bool with_alpha)
{
    static const struct {
        unsigned bits[4];
    } parts[4] = {{{8}}, {{5, 6, 5}}, {{5, 5, 5, 1}}, {{8, 8, 8, 8}}};
    unsigned at = 0;
    for (unsigned i = 0; i < (with_alpha ? 4 : 3); i++) {
        unsigned n = parts[b->depth].bits[i];
        uint32_t c = v >> at & ((1u << n) - 1);
        uint32_t lo = b->low >> at & ((1u << n) - 1);
        uint32_t hi = b->high >> at & ((1u << n) - 1);
        if (n && (c < lo || c > hi))
            return false;
        at += n;
    }
    return true;
}

static void
draw_one(const struct one_blit *b, int x, int y)
{
    uint32_t p = 0, s = 0;
    unsigned px = ((unsigned)x + b->seed_x) % 8;
    unsigned py = ((unsigned)y + b->seed_y) % 8;
    if (b->pattern == SOLID)
        p = b->pattern_color[0];
    if (b->pattern == COLORS)
        p = read_color(b->pattern_at + (py * 8 + px) * b->pixel_B, b->pixel_B);
    if (b->pattern == BITS) {
        bool bit = b->pattern_at[py] & 0x80 >> px;
        if (!bit && b->pattern_clear)
            return;
        p = b->pattern_color[bit];
    }
    if (b->has_bits) {
        unsigned at = (unsigned)(y - b->y1) * b->bits_stride + b->bits_first +
                      (unsigned)(x - b->x1);
        bool bit = b->bits[at / 8] & 0x80 >> at % 8;
        if (!bit && b->bits_clear)
            return;
        s = b->src_color[bit];
    }
    const uint8_t *source = NULL;
    if (b->has_src) {
        source = memory_at(
            b, address_of(b, &b->src, b->sx + x - b->x1, b->sy + y - b->y1));
        s = read_color(source, b->pixel_B);
    }
    uint64_t to = address_of(b, &b->dst, x, y);
    uint32_t d = read_color(memory_at(b, to), b->pixel_B);
    uint32_t compared = b->chroma & 4 ? d : b->has_src || b->has_bits ? s : p;
    if (b->chroma & 1 &&
        is_between(b, compared, b->chroma == 3 || b->chroma == 5) !=
            (b->chroma >= 4))
        return;
    for (unsigned byte = 0; byte < b->pixel_B; byte++) {
        uint8_t out = 0;
        for (unsigned i = byte * 8; byte < 4 && i < byte * 8 + 8; i++) {
            unsigned which = (p >> i & 1) * 4 + (s >> i & 1) * 2 + (d >> i & 1);
            out |= (uint8_t)((b->rop >> which & 1) << i % 8);
        }
        if (byte >= 4 || b->pixel_B > 4)
            out = source[byte]; /* XY_FAST_COPY_BLT */
        if (b->write_byte[byte] && to + byte - MODEL_VA < MODEL_B)
            b->m->mem[to + byte - MODEL_VA] = out;
    }
}

/* ---- packets ------------------------------------------------------------- */

static void
set_control(struct one_blit *b, uint32_t dw0, uint32_t dw1)
{
    static const unsigned sizes_B[4] = {1, 2, 2, 4};
    b->depth = dw1 >> 24 & 3;
    b->pixel_B = sizes_B[b->depth];
    b->rop = dw1 >> 16 & 255;
    for (unsigned i = 0; i < 16; i++)
        b->write_byte[i] = b->depth != 3 ||
                           (i == 3 ? dw0 & 1u << 21 : dw0 & 1u << 20);
}

static struct surface_at
place(const struct one_blit *b, uint64_t base, uint32_t pitch, bool tiled,
      unsigned y_bit)
{
    struct surface_at s = {LINEAR, base, s16(pitch)};
    if (tiled) {
        s.tiling = b->m->swctrl & y_bit ? TILE_Y : TILE_X;
        s.pitch_B *= 4;
    }
    return s;
}

static void
set_rectangle(struct one_blit *b, const uint32_t *dw)
{
    b->x1 = s16(dw[0]);
    b->y1 = s16(dw[0] >> 16);
    b->x2 = s16(dw[1]);
    b->y2 = s16(dw[1] >> 16);
}

static void
color_source(struct one_blit *b, const uint32_t *dw, bool tiled)
{
    b->has_src = true;
    b->sx = s16(dw[0]);
    b->sy = s16(dw[0] >> 16);
    b->src = place(b, u48(dw + 2), dw[1], tiled, 1);
}

static void
bits_source(struct one_blit *b, uint32_t dw0, uint32_t dw1,
            const uint32_t *colors, const uint8_t *bits)
{
    b->has_bits = true;
    b->bits = bits;
    b->bits_clear = dw1 & 1u << 29;
    b->bits_first = dw0 >> 17 & 7;
    b->bits_stride = ((unsigned)(b->x2 - b->x1) + b->bits_first + 15) / 16 * 16;
    b->src_color[0] = colors[0];
    b->src_color[1] = colors[1];
}

static void
bits_pattern(struct one_blit *b, uint32_t dw1, const uint32_t *colors,
             const uint8_t *rows)
{
    b->pattern = dw1 & 1u << 31 ? SOLID : BITS;
    b->pattern_clear = dw1 & 1u << 28;
    b->pattern_at = rows;
    b->pattern_color[0] = colors[0];
    b->pattern_color[1] = colors[1];
}

static void
colors_pattern(struct one_blit *b, const uint8_t *at)
{
    b->pattern = COLORS;
    b->pattern_at = at;
}

static const uint8_t *
pattern_memory(const struct one_blit *b, const uint32_t *dw)
{
    return memory_at(b, u48(dw) / 64 * 64);
}

static void
solid_pattern(struct one_blit *b, uint32_t color)
{
    b->pattern = SOLID;
    b->pattern_color[0] = color;
}

static void
key(struct one_blit *b, const uint32_t *dw, unsigned at)
{
    b->chroma = dw[0] >> 17 & 7;
    b->low = dw[at];
    b->high = dw[at + 1];
}

static const uint8_t *
as_bytes(const uint32_t *dw)
{
    return (const uint8_t *)dw;
}

static void
read_xy(struct one_blit *b, const uint32_t *dw)
{
    static const uint8_t fixed[6][8] = {
        {0, 0, 0, 255, 0, 0, 0, 0},    {8, 8, 8, 8, 8, 8, 8, 8},
        {128, 64, 32, 16, 8, 4, 2, 1}, {1, 2, 4, 8, 16, 32, 64, 128},
        {8, 8, 8, 255, 8, 8, 8, 8},    {129, 66, 36, 24, 24, 36, 66, 129},
    };
    bool src_tiled = dw[0] & 1u << 15;
    b->seed_x = dw[0] >> 12 & 7;
    b->seed_y = dw[0] >> 8 & 7;
    switch (dw[0] >> 22 & 127) {
    case 0x50: solid_pattern(b, dw[6]); break;
    case 0x51: colors_pattern(b, pattern_memory(b, dw + 6)); break;
    case 0x52: bits_pattern(b, dw[1], dw + 6, as_bytes(dw + 8)); break;
    case 0x53: color_source(b, dw + 6, src_tiled); break;
    case 0x54:
        bits_source(b, dw[0], dw[1], dw + 8, memory_at(b, u48(dw + 6)));
        break;
    case 0x55:
        color_source(b, dw + 6, src_tiled);
        colors_pattern(b, pattern_memory(b, dw + 10));
        break;
    case 0x56:
        bits_source(b, dw[0], dw[1], dw + 8, memory_at(b, u48(dw + 6)));
        colors_pattern(b, pattern_memory(b, dw + 10));
        break;
    case 0x57:
        color_source(b, dw + 6, src_tiled);
        bits_pattern(b, dw[1], dw + 10, as_bytes(dw + 12));
        break;
    case 0x58:
        bits_source(b, dw[0], dw[1], dw + 8, memory_at(b, u48(dw + 6)));
        bits_pattern(b, dw[1], dw + 10, as_bytes(dw + 12));
        break;
    case 0x59: bits_pattern(b, dw[1], dw + 6, fixed[dw[0] >> 15 & 15]); break;
    case 0x71: bits_source(b, dw[0], dw[1], dw + 6, as_bytes(dw + 8)); break;
    case 0x72: colors_pattern(b, as_bytes(dw + 6)); break;
    case 0x73:
        color_source(b, dw + 6, src_tiled);
        key(b, dw, 10);
        break;
    case 0x74:
        color_source(b, dw + 6, src_tiled);
        colors_pattern(b, as_bytes(dw + 10));
        break;
    case 0x75:
        bits_source(b, dw[0], dw[1], dw + 8, memory_at(b, u48(dw + 6)));
        colors_pattern(b, as_bytes(dw + 10));
        break;
    case 0x76:
        colors_pattern(b, pattern_memory(b, dw + 6));
        key(b, dw, 8);
        break;
    case 0x77:
        colors_pattern(b, as_bytes(dw + 8));
        key(b, dw, 6);
        break;
    }
}

static void
clip(struct one_blit *b)
{
    const uint32_t *s = b->m->setup;
    b->cx1 = s16(s[2]);
    b->cy1 = s16(s[2] >> 16);
    b->cx2 = s16(s[3]);
    b->cy2 = s16(s[3] >> 16);
}

static void
read_setup_user(struct one_blit *b, const uint32_t *dw)
{
    const uint32_t *s = b->m->setup;
    set_control(b, s[0], s[1]);
    b->dst = place(b, u48(s + 4), s[1], dw[0] & 1u << 11, 2);
    b->seed_x = dw[0] >> 12 & 7;
    b->seed_y = dw[0] >> 8 & 7;
    if ((dw[0] >> 22 & 127) != 0x24)
        set_rectangle(b, dw + 1);
    switch (dw[0] >> 22 & 127) {
    case 0x24:
        set_rectangle(b, (uint32_t[]){dw[1], dw[1]});
        b->x2++;
        b->y2++;
        solid_pattern(b, s[6]);
        break;
    case 0x25:
        if ((s[0] >> 22 & 127) == 0x11)
            bits_pattern(b, s[1], s + 6, as_bytes(s + 8));
        else
            colors_pattern(b, pattern_memory(b, s + 8));
        break;
    case 0x26: bits_source(b, 0, s[1], s + 6, memory_at(b, u48(dw + 3))); break;
    case 0x31: bits_source(b, 0, s[1], s + 6, as_bytes(dw + 3)); break;
    }
    b->bits_stride = (unsigned)(b->x2 - b->x1);
    if (dw[0] & 1u << 16)
        b->bits_stride = (b->bits_stride + 7) / 8 * 8;
    if (s[1] & 1u << 30)
        clip(b);
}

/* From right to left the addresses are those of last bytes. */
static void
read_bytes(struct one_blit *b, const uint32_t *dw)
{
    set_control(b, dw[0], dw[1]);
    b->x2 = (int)(dw[2] % 65536 / b->pixel_B);
    b->y2 = (int)(dw[2] / 65536);
    b->dst = place(b, u48(dw + 3), dw[1], false, 0);
    if ((dw[0] >> 22 & 127) == 0x40) {
        solid_pattern(b, dw[5]);
        return;
    }
    b->has_src = true;
    b->src = place(b, u48(dw + 6), dw[5], false, 0);
    if (dw[1] & 1u << 30) {
        b->dst.base -= (unsigned)b->x2 * b->pixel_B - 1;
        b->src.base -= (unsigned)b->x2 * b->pixel_B - 1;
    }
}

static struct surface_at
fast_place(uint64_t base, uint32_t pitch, unsigned mode, bool yf)
{
    static const enum model_tiling modes[4] = {LINEAR, TILE_X, TILE_Y, TILE_YS};
    enum model_tiling t = mode == 2 && yf ? TILE_YF : modes[mode];
    return (struct surface_at){t, base,
                               (int64_t)s16(pitch) * (t == LINEAR ? 1 : 4)};
}

static void
read_fast_copy(struct one_blit *b, const uint32_t *dw)
{
    static const unsigned sizes_B[8] = {1, 2, 0, 4, 8, 16, 0, 0};
    set_control(b, 0, 0xcc0000);
    b->pixel_B = sizes_B[dw[1] >> 24 & 7];
    set_rectangle(b, dw + 2);
    b->dst = fast_place(u48(dw + 4), dw[1], dw[0] >> 13 & 3, dw[1] >> 30 & 1);
    b->has_src = true;
    b->sx = s16(dw[6]);
    b->sy = s16(dw[6] >> 16);
    b->src = fast_place(u48(dw + 8), dw[7], dw[0] >> 20 & 3, dw[1] >> 31);
}

void
blt_model_run(struct blt_model *m, const uint32_t *dw, unsigned len_dw)
{
    unsigned opcode = dw[0] >> 22 & 127;
    struct one_blit b = {.m = m,
                         .cx1 = INT16_MIN,
                         .cy1 = INT16_MIN,
                         .cx2 = 1 << 20,
                         .cy2 = 1 << 20};
    (void)len_dw;
    if (opcode == 0x01 || opcode == 0x11) {
        memcpy(m->setup, dw, 40);
        return;
    }
    if (opcode == 0x03) {
        memcpy(m->setup + 2, dw + 1, 8);
        return;
    }
    memcpy(m->before, m->mem, sizeof m->before);
    if (opcode >= 0x50) {
        set_control(&b, dw[0], dw[1]);
        set_rectangle(&b, dw + 2);
        b.dst = place(&b, u48(dw + 4), dw[1], dw[0] & 1u << 11, 2);
        read_xy(&b, dw);
        if (dw[1] & 1u << 30)
            clip(&b);
    } else if (opcode == 0x42) {
        read_fast_copy(&b, dw);
    } else if (opcode >= 0x40) {
        read_bytes(&b, dw);
    } else {
        read_setup_user(&b, dw);
    }
    for (int y = b.y1; y < b.y2; y++)
        for (int x = b.x1; x < b.x2; x++)
            if (x >= b.cx1 && x < b.cx2 && y >= b.cy1 && y < b.cy2)
                draw_one(&b, x, y);
}
