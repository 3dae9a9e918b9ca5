/* vebox_model.c: see vebox_model.h. */
#include "vebox_model.h"

/* Byte of each channel, or of each of Y0 U Y1 V. */
static const struct {
    unsigned kind; /* 0 packed 4:2:2, 1 packed 4:4:4, 2 planar, 3 gray, 4: 10 */
    unsigned bytes;
    unsigned at[4];
    unsigned share_x, share_y;
} formats[16] = {
    [0] = {0, 1, {0, 1, 2, 3}, 2, 1}, [1] = {0, 1, {1, 2, 3, 0}, 2, 1},
    [2] = {0, 1, {0, 3, 2, 1}, 2, 1}, [3] = {0, 1, {1, 0, 3, 2}, 2, 1},
    [4] = {2, 1, {0}, 2, 2},          [5] = {1, 1, {2, 1, 0, 3}, 1, 1},
    [6] = {0, 2, {0, 2, 4, 6}, 2, 1}, [7] = {4, 4, {0}, 1, 1},
    [8] = {1, 1, {0, 1, 2, 3}, 1, 1}, [9] = {1, 2, {2, 0, 4, 6}, 1, 1},
    [10] = {2, 2, {0}, 2, 1},         [11] = {3, 1, {0}, 1, 1},
    [12] = {2, 2, {0}, 2, 2},         [13] = {1, 2, {0, 2, 4, 6}, 1, 1},
    [15] = {3, 2, {0}, 1, 1},
};

struct model_surface
model_surface(unsigned format, enum model_tiling tiling, uint32_t width,
              uint32_t height, uint64_t va)
{
    static const uint32_t align[] = {64, 512, 128};
    unsigned kind = formats[format].kind, bytes = formats[format].bytes;
    unsigned pixel_B = kind == 0   ? bytes * 2
                       : kind == 1 ? bytes * 4
                       : kind == 4 ? 4
                                   : bytes;
    uint32_t row_B = (width + 1) * pixel_B;
    struct model_surface s = {.format = format,
                              .tiling = tiling,
                              .width = width,
                              .height = height,
                              .va = va};
    s.pitch_B = (row_B + align[tiling] - 1) / align[tiling] * align[tiling];
    s.chroma_row = (height + 31) / 32 * 32;
    return s;
}

uint32_t
model_size_B(const struct model_surface *s)
{
    return s->pitch_B * s->chroma_row * (formats[s->format].kind == 2 ? 2 : 1);
}

static uint8_t *
byte_at(struct rig *rig, const struct model_surface *s, uint32_t x_B,
        uint32_t y)
{
    uint64_t at;
    if (s->tiling == MODEL_LINEAR)
        at = (uint64_t)y * s->pitch_B + x_B;
    else if (s->tiling == MODEL_X)
        at = (y / 8 * (s->pitch_B / 512) + x_B / 512) * UINT64_C(4096) +
             y % 8 * 512 + x_B % 512;
    else
        at = (y / 32 * (s->pitch_B / 128) + x_B / 128) * UINT64_C(4096) +
             x_B % 128 / 16 * 512 + y % 32 * 16 + x_B % 16;
    return rig->mem + (s->va - RIG_VA) + at;
}

/* A component of 256. */
static double
component(struct rig *rig, const struct model_surface *s, uint32_t x_B,
          uint32_t y)
{
    double low = *byte_at(rig, s, x_B, y);
    if (formats[s->format].bytes == 1)
        return low;
    return low / 256 + *byte_at(rig, s, x_B + 1, y);
}

static void
read_packed(struct rig *rig, const struct model_surface *s, uint32_t x,
            uint32_t y, double v[4])
{
    const unsigned *at = formats[s->format].at;
    unsigned bytes = formats[s->format].bytes;
    if (formats[s->format].kind == 1) {
        for (unsigned c = 0; c < 4; c++)
            v[c] = component(rig, s, x * 4 * bytes + at[c], y);
        return;
    }
    uint32_t pair = x / 2 * 4 * bytes;
    v[0] = component(rig, s, pair + at[x % 2 * 2], y);
    v[1] = component(rig, s, pair + at[1], y);
    v[2] = component(rig, s, pair + at[3], y);
}

static void
read_ten(struct rig *rig, const struct model_surface *s, uint32_t x, uint32_t y,
         double v[4])
{
    uint32_t dw = 0;
    for (unsigned i = 0; i < 4; i++)
        dw |= (uint32_t)*byte_at(rig, s, x * 4 + i, y) << (i * 8);
    for (unsigned c = 0; c < 3; c++)
        v[c] = (dw >> (c * 10) & 1023) / 4.0;
    v[3] = (dw >> 30) * (65535 / 3.0) / 256;
}

struct model_pixel
model_read(struct rig *rig, const struct model_surface *s, uint32_t x,
           uint32_t y)
{
    struct model_pixel p = {{0, 128, 128, 65535 / 256.0}};
    unsigned bytes = formats[s->format].bytes;
    uint32_t pair = x / 2 * 2 * bytes;
    switch (formats[s->format].kind) {
    case 0:
    case 1: read_packed(rig, s, x, y, p.v); break;
    case 4: read_ten(rig, s, x, y, p.v); break;
    case 2:
        for (unsigned c = 0; c < 2; c++)
            p.v[1 + c] = component(rig, s, pair + c * bytes,
                                   s->chroma_row +
                                       y / formats[s->format].share_y);
        p.v[0] = component(rig, s, x * bytes, y);
        break;
    default: p.v[0] = component(rig, s, x * bytes, y); break;
    }
    return p;
}

unsigned
model_bits(unsigned format, unsigned channel)
{
    if (format == 7)
        return channel < 3 ? 10 : 2;
    if (formats[format].kind == 3 && channel)
        return 0;
    if (formats[format].kind != 1 && channel == 3)
        return 0;
    return formats[format].bytes * 8;
}

unsigned
model_sharing_x(unsigned format)
{
    return formats[format].share_x;
}

unsigned
model_sharing_y(unsigned format)
{
    return formats[format].share_y;
}

void
model_emit_surface(struct rig *rig, const struct model_surface *s,
                   unsigned which)
{
    uint32_t tiled = s->tiling == MODEL_LINEAR ? 0
                     : s->tiling == MODEL_X    ? 2
                                               : 3;
    bool planar = formats[s->format].kind == 2;
    EMIT(rig, 0x74000007, which, (s->height - 1) << 18 | (s->width - 1) << 4,
         s->format << 28 | (uint32_t)planar << 27 | (s->pitch_B - 1) << 3 |
             tiled,
         planar ? s->chroma_row : 0, 0, 0, s->pitch_B - 1, 0);
}
