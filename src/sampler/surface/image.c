/* image.c: images as rows of bytes in tiles, and fills. */
#include "sampler/surface/image_tiles.h"

const struct image_tile_size image_tile_size[4] = {
    [TILING_LINEAR] = {0, 0},
    [TILING_W] = {64, 64},
    [TILING_X] = {512, 8},
    [TILING_Y] = {128, 32},
};

/* A W tile takes 128 bytes of the pitch. */
static uint32_t
tiles_per_row(const struct image *im)
{
    unsigned w = im->tiling == TILING_W ? 128
                                        : image_tile_size[im->tiling].width_B;
    return im->pitch_B / w;
}

uint64_t
image_tile_B(const struct image *im, uint32_t x_B, uint32_t y)
{
    uint64_t row = y / image_tile_size[im->tiling].height;
    return (row * tiles_per_row(im) +
            x_B / image_tile_size[im->tiling].width_B) *
           TILE_SIZE_B;
}

/* ---- making images ------------------------------------------------------ */

/* Rows must not overlap, and the last byte must be in memory. */
static bool
is_sound(const struct image *im, uint64_t limit_B)
{
    uint64_t right_B = im->x_B + (uint64_t)im->width * im->element_B;
    uint64_t bottom = (uint64_t)im->y + im->height;
    if (right_B > UINT32_MAX / 2 || bottom > UINT32_MAX / 2)
        return false;
    if (im->tiling == TILING_LINEAR)
        return (right_B <= im->pitch_B || im->height == 1) &&
               (bottom - 1) * im->pitch_B + right_B <= limit_B;
    uint64_t row_B = (uint64_t)tiles_per_row(im) *
                     image_tile_size[im->tiling].width_B;
    return right_B <= row_B &&
           image_tile_B(im, (uint32_t)right_B - 1, (uint32_t)bottom - 1) +
                   TILE_SIZE_B <=
               limit_B;
}

static bool
init_image(struct image *im, const struct surface *s, unsigned level,
           unsigned slice, unsigned sample, uint32_t width, uint32_t height)
{
    const struct format_info *fmt = s->fmt;
    if (!s->mem || s->type > SURFACE_CUBE || level >= SURFACE_LEVELS ||
        !s->has_layout || fmt->block_bits % 8 || surface_is_std(s))
        return false;
    uint64_t plane = (uint64_t)slice * (s->interleaved ? 1 : s->samples) +
                     sample;
    /* Offsets of 32 bits and more are beyond any memory. */
    if (plane * MAX2(s->qpitch_el_rows, 1) > UINT32_MAX)
        return false;
    uint32_t slice_x, slice_y;
    surface_slice_el(s, level, (uint32_t)plane, &slice_x, &slice_y);
    bool in_a_row = s->layout == LAYOUT_1D;
    uint64_t x = s->level_x_el[level] + (uint64_t)s->x_offset + slice_x;
    uint64_t y = s->level_y_el[level] + (uint64_t)s->y_offset + slice_y;
    if (in_a_row)
        y = 0;
    if (x > UINT32_MAX / 64 || y > UINT32_MAX / 2)
        return false;
    *im = (struct image){
        .mem = s->mem,
        .tiling = s->tiling,
        .pitch_B = s->row_pitch_B,
        .x_B = (uint32_t)x * fmt->element_B,
        .y = (uint32_t)y,
        .width = width,
        .height = in_a_row ? 1 : height,
        .element_B = fmt->element_B,
    };
    return is_sound(im, s->limit_B);
}

bool
image_init(struct image *im, const struct surface *s, unsigned level,
           unsigned slice, unsigned sample)
{
    const struct format_info *fmt = s->fmt;
    if (s->samples > 1 && s->interleaved)
        return false;
    uint32_t w = surface_level_width(s, level);
    uint32_t h = surface_level_height(s, level);
    return init_image(im, s, level, slice, sample,
                      DIV_ROUND_UP(w, fmt->block_w),
                      DIV_ROUND_UP(h, fmt->block_h));
}

bool
image_init_samples(struct image *im, const struct surface *s, unsigned level,
                   unsigned slice)
{
    if (s->samples <= 1 || !s->interleaved)
        return false;
    uint32_t w = 0, h = 0;
    tiling_interleave(s->samples, 0, &w, &h);
    /* Interleave the corner after the last 2x2 pixels. */
    w = ALIGN_POT(surface_level_width(s, level), 2);
    h = ALIGN_POT(surface_level_height(s, level), 2);
    tiling_interleave(s->samples, 0, &w, &h);
    return init_image(im, s, level, slice, 0, w, h);
}

bool
image_init_mcs(struct image *im, const struct surface *s, unsigned slice,
               unsigned entry_B)
{
    uint64_t y = (uint64_t)slice * s->aux_qpitch_el_rows;
    if (!s->aux_mem || y > UINT32_MAX / 2)
        return false;
    *im = (struct image){
        .mem = s->aux_mem,
        .tiling = TILING_Y,
        .pitch_B = s->aux_row_pitch_B,
        .y = (uint32_t)y,
        .width = s->width,
        .height = s->height,
        .element_B = entry_B,
    };
    return is_sound(im, s->aux_limit_B);
}

uint8_t *
image_at(const struct image *im, uint32_t x, uint32_t y)
{
    return im->mem + tiling_offset_B(im->tiling, im->x_B + x * im->element_B,
                                     im->y + y, im->pitch_B);
}

/* ---- bands ------------------------------------------------------------- */

unsigned
image_bands(const struct image *im, uint32_t y0, uint32_t y1)
{
    return (im->y + y1 - 1) / IMAGE_BAND - (im->y + y0) / IMAGE_BAND + 1;
}

void
image_band(const struct image *im, unsigned index, uint32_t *y0, uint32_t *y1)
{
    uint32_t begin = ((im->y + *y0) / IMAGE_BAND + index) * IMAGE_BAND;
    *y1 = MIN2(*y1, begin + IMAGE_BAND - im->y);
    *y0 = MAX2(im->y + *y0, begin) - im->y;
}

/* ---- fills ------------------------------------------------------------- */

/* Part of a tile: bytes [x0_B, x1_B) of rows [y0, y1). */
struct part {
    uint32_t x0_B, y0, x1_B, y1;
};

/* Stores as wide as the processor's vectors. Not with clang 14, whose
 * dispatcher has a name that other files do not find. Not with TSan, whose
 * runtime is not initialised when the dispatcher runs. */
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

typedef uint64_t vec __attribute__((vector_size(32), aligned(1), may_alias));

/* n_B is a multiple of the element's size. */
WIDE static void
fill(uint8_t *to, size_t n_B, const uint8_t value[16])
{
    vec v;
    memcpy(&v, value, 16);
    memcpy((uint8_t *)&v + 16, value, 16);
    for (; n_B >= 128; n_B -= 128, to += 128) {
        vec *at = (vec *)to;
        at[0] = at[1] = at[2] = at[3] = v;
    }
    for (; n_B >= 16; n_B -= 16, to += 16)
        memcpy(to, value, 16);
    for (size_t i = 0; i < n_B; i++)
        to[i] = value[i];
}

static void
fill_y(uint8_t *tile, const struct part *p, const uint8_t value[16])
{
    for (uint32_t x = p->x0_B & ~15u; x < p->x1_B; x += 16) {
        uint32_t x0 = MAX2(x, p->x0_B), x1 = MIN2(x + 16, p->x1_B);
        uint8_t *column = tile + x / 16 * 512;
        if (x1 - x0 == 16) {
            fill(column + p->y0 * 16, (p->y1 - p->y0) * 16, value);
            continue;
        }
        for (uint32_t y = p->y0; y < p->y1; y++)
            memcpy(column + y * 16 + x0 - x, value, x1 - x0);
    }
}

/* Bytes only: only stencil has W tiles. */
static void
fill_w(uint8_t *tile, const struct part *p, const uint8_t value[16])
{
    for (uint32_t y = p->y0; y < p->y1; y++)
        for (uint32_t x = p->x0_B; x < p->x1_B; x++)
            tile[tiling_offset_w_B(x, y, 128)] = value[x % 16];
}

static void
fill_tile(const struct image *im, uint8_t *tile, const struct part *p,
          const uint8_t value[16])
{
    uint32_t w_B = image_tile_size[im->tiling].width_B;
    uint32_t h = image_tile_size[im->tiling].height;
    if (!p->x0_B && !p->y0 && p->x1_B == w_B && p->y1 == h) {
        fill(tile, TILE_SIZE_B, value);
    } else if (im->tiling == TILING_Y) {
        fill_y(tile, p, value);
    } else if (im->tiling == TILING_W) {
        fill_w(tile, p, value);
    } else {
        for (uint32_t y = p->y0; y < p->y1; y++)
            fill(tile + y * 512 + p->x0_B, p->x1_B - p->x0_B, value);
    }
}

void
image_fill(const struct image *im, uint32_t x0, uint32_t y0, uint32_t x1,
           uint32_t y1, const uint8_t value[16])
{
    uint32_t x0_B = im->x_B + x0 * im->element_B;
    uint32_t x1_B = im->x_B + x1 * im->element_B;
    y0 += im->y;
    y1 += im->y;
    if (im->tiling == TILING_LINEAR) {
        for (uint32_t y = y0; y < y1; y++)
            fill(im->mem + (uint64_t)y * im->pitch_B + x0_B, x1_B - x0_B,
                 value);
        return;
    }
    uint32_t w_B = image_tile_size[im->tiling].width_B;
    uint32_t h = image_tile_size[im->tiling].height;
    for (uint32_t ty = y0 / h * h; ty < y1; ty += h) {
        for (uint32_t tx = x0_B / w_B * w_B; tx < x1_B; tx += w_B) {
            struct part p = {
                MAX2(tx, x0_B) - tx,
                MAX2(ty, y0) - ty,
                MIN2(tx + w_B, x1_B) - tx,
                MIN2(ty + h, y1) - ty,
            };
            fill_tile(im, im->mem + image_tile_B(im, tx, ty), &p, value);
        }
    }
}
