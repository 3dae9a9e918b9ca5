/* image_copy.c: copies rectangles from one tiling to another.
 *
 * Cache lines are read and written whole. If both sides are tiled and their
 * tiles are not aligned to each other, each tile goes through a buffer of rows.
 * The buffer stays in the L1 cache. */
#include "sampler/surface/image_tiles.h"

/* Bytes [x_B, x_B + w_B) of rows [y, y + h) of a surface. */
struct block {
    uint32_t x_B, y, w_B, h;
};

static uint32_t
tile_width_B(const struct image *im)
{
    return image_tile_size[im->tiling].width_B;
}

static uint32_t
tile_height(const struct image *im)
{
    return image_tile_size[im->tiling].height;
}

static uint8_t *
linear_at(const struct image *im, uint32_t x_B, uint32_t y)
{
    return im->mem + (uint64_t)y * im->pitch_B + x_B;
}

/* The part of `all` in the tile that holds (x_B, y). */
static struct block
within_tile(const struct image *im, const struct block *all, uint32_t x_B,
            uint32_t y)
{
    uint32_t w = tile_width_B(im), h = tile_height(im);
    return (struct block){
        .x_B = x_B,
        .y = y,
        .w_B = MIN2(w - x_B % w, all->x_B + all->w_B - x_B),
        .h = MIN2(h - y % h, all->y + all->h - y),
    };
}

/* ---- Y tiles ------------------------------------------------------------- */

/* Four rows of a column are a cache line. */
#define LINE_ROWS 4
#define COLUMN_B 512 /* of a tile, 16 bytes wide */

/* The tiles of a row of tiles are consecutive, and so are their columns. */
static uint8_t *
y_line(const struct image *im, uint32_t y)
{
    return im->mem + (uint64_t)(y / 32) * (im->pitch_B / 128) * TILE_SIZE_B +
           y % 32 * 16;
}

/* Whole lines of consecutive columns. Loops without anything else: they are
 * most of what uploads and reads cost. */
static void
columns_to_y(uint8_t *restrict line, const uint8_t *restrict rows,
             size_t pitch_B, uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++, line += COLUMN_B, rows += 16) {
        if (i % 4 == 0)
            for (unsigned k = 0; k < LINE_ROWS; k++)
                __builtin_prefetch(rows + (LINE_ROWS + k) * pitch_B);
        for (unsigned k = 0; k < LINE_ROWS; k++)
            memcpy(line + k * 16, rows + k * pitch_B, 16);
    }
}

static void
y_to_columns(const uint8_t *restrict line, uint8_t *restrict rows,
             size_t pitch_B, uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++, line += COLUMN_B, rows += 16)
        for (unsigned k = 0; k < LINE_ROWS; k++)
            memcpy(rows + k * pitch_B, line + k * 16, 16);
}

static void
line_to_y(uint8_t *line, uint32_t x_B, uint32_t w_B, uint32_t h,
          const uint8_t *rows, size_t pitch_B)
{
    for (uint32_t at = 0, n; at < w_B; at += n) {
        uint32_t x = x_B + at;
        n = MIN2(16 - x % 16, w_B - at);
        uint8_t *to = line + (size_t)(x / 16) * COLUMN_B + x % 16;
        if (n == 16 && h == LINE_ROWS) {
            n = (w_B - at) & ~15u;
            columns_to_y(to, rows + at, pitch_B, n / 16);
            continue;
        }
        for (unsigned i = 0; i < h; i++)
            memcpy(to + i * 16, rows + at + i * pitch_B, n);
    }
}

static void
y_to_line(const uint8_t *line, uint32_t x_B, uint32_t w_B, uint32_t h,
          uint8_t *rows, size_t pitch_B)
{
    for (uint32_t at = 0, n; at < w_B; at += n) {
        uint32_t x = x_B + at;
        n = MIN2(16 - x % 16, w_B - at);
        const uint8_t *from = line + (size_t)(x / 16) * COLUMN_B + x % 16;
        if (n == 16 && h == LINE_ROWS) {
            n = (w_B - at) & ~15u;
            y_to_columns(from, rows + at, pitch_B, n / 16);
            continue;
        }
        for (unsigned i = 0; i < h; i++)
            memcpy(rows + at + i * pitch_B, from + i * 16, n);
    }
}

static void
rows_to_y(const struct image *im, const struct block *b, const uint8_t *rows,
          size_t pitch_B)
{
    for (uint32_t i = 0, n; i < b->h; i += n) {
        n = MIN2(LINE_ROWS - (b->y + i) % LINE_ROWS, b->h - i);
        line_to_y(y_line(im, b->y + i), b->x_B, b->w_B, n, rows + i * pitch_B,
                  pitch_B);
    }
}

static void
y_to_rows(const struct image *im, const struct block *b, uint8_t *rows,
          size_t pitch_B)
{
    for (uint32_t i = 0, n; i < b->h; i += n) {
        n = MIN2(LINE_ROWS - (b->y + i) % LINE_ROWS, b->h - i);
        y_to_line(y_line(im, b->y + i), b->x_B, b->w_B, n, rows + i * pitch_B,
                  pitch_B);
    }
}

/* ---- one tile of other tilings ---- */

static void
rows_to_tile(const struct image *im, const struct block *b, const uint8_t *rows,
             size_t pitch_B)
{
    uint8_t *tile = im->mem + image_tile_B(im, b->x_B, b->y);
    uint32_t x = b->x_B % tile_width_B(im), y = b->y % tile_height(im);
    for (uint32_t i = 0; i < b->h; i++, rows += pitch_B) {
        if (im->tiling == TILING_X) {
            memcpy(tile + (y + i) * 512 + x, rows, b->w_B);
            continue;
        }
        for (uint32_t k = 0; k < b->w_B; k++)
            tile[tiling_offset_w_B(x + k, y + i, 128)] = rows[k];
    }
}

static void
tile_to_rows(const struct image *im, const struct block *b, uint8_t *rows,
             size_t pitch_B)
{
    const uint8_t *tile = im->mem + image_tile_B(im, b->x_B, b->y);
    uint32_t x = b->x_B % tile_width_B(im), y = b->y % tile_height(im);
    for (uint32_t i = 0; i < b->h; i++, rows += pitch_B) {
        if (im->tiling == TILING_X) {
            memcpy(rows, tile + (y + i) * 512 + x, b->w_B);
            continue;
        }
        for (uint32_t k = 0; k < b->w_B; k++)
            rows[k] = tile[tiling_offset_w_B(x + k, y + i, 128)];
    }
}

/* ---- images -------------------------------------------------------------- */

/* Copies any part of an image to rows. */
static void
image_to_rows(const struct image *im, const struct block *all, uint8_t *rows,
              size_t pitch_B)
{
    if (im->tiling == TILING_LINEAR) {
        for (uint32_t i = 0; i < all->h; i++)
            memcpy(rows + i * pitch_B, linear_at(im, all->x_B, all->y + i),
                   all->w_B);
        return;
    }
    if (im->tiling == TILING_Y) {
        y_to_rows(im, all, rows, pitch_B);
        return;
    }
    struct block b = {0};
    for (uint32_t y = all->y; y < all->y + all->h; y += b.h) {
        for (uint32_t x = all->x_B; x < all->x_B + all->w_B; x += b.w_B) {
            b = within_tile(im, all, x, y);
            tile_to_rows(im, &b, rows + (y - all->y) * pitch_B + x - all->x_B,
                         pitch_B);
        }
    }
}

static void
rows_to_image(const struct image *im, const struct block *all,
              const uint8_t *rows, size_t pitch_B)
{
    if (im->tiling == TILING_Y) {
        rows_to_y(im, all, rows, pitch_B);
        return;
    }
    struct block b = {0};
    for (uint32_t y = all->y; y < all->y + all->h; y += b.h) {
        for (uint32_t x = all->x_B; x < all->x_B + all->w_B; x += b.w_B) {
            b = within_tile(im, all, x, y);
            rows_to_tile(im, &b, rows + (y - all->y) * pitch_B + x - all->x_B,
                         pitch_B);
        }
    }
}

/* Copies part of a tile to the same place in another tile of its kind. */
static void
copy_alike(const struct image *to, const struct block *b,
           const struct image *from, uint32_t from_x_B, uint32_t from_y)
{
    uint8_t *t = to->mem + image_tile_B(to, b->x_B, b->y);
    const uint8_t *s = from->mem + image_tile_B(from, from_x_B, from_y);
    uint32_t x = b->x_B % tile_width_B(to), y = b->y % tile_height(to);
    if (to->tiling == TILING_Y) {
        for (uint32_t end = x + b->w_B, n; x < end; x += n) {
            n = MIN2(16 - x % 16, end - x);
            size_t at = x / 16 * 512 + x % 16 + y * 16;
            if (n == 16) {
                memcpy(t + at, s + at, (size_t)b->h * 16);
                continue;
            }
            for (uint32_t i = 0; i < b->h; i++)
                memcpy(t + at + i * 16, s + at + i * 16, n);
        }
    } else if (to->tiling == TILING_X) {
        for (uint32_t i = 0; i < b->h; i++)
            memcpy(t + (y + i) * 512 + x, s + (y + i) * 512 + x, b->w_B);
    } else {
        for (uint32_t i = y; i < y + b->h; i++)
            for (uint32_t k = x; k < x + b->w_B; k++)
                t[tiling_offset_w_B(k, i, 128)] =
                    s[tiling_offset_w_B(k, i, 128)];
    }
}

static bool
lie_alike(const struct image *to, const struct block *t,
          const struct image *from, const struct block *s)
{
    return to->tiling == from->tiling &&
           t->x_B % tile_width_B(to) == s->x_B % tile_width_B(to) &&
           t->y % tile_height(to) == s->y % tile_height(to);
}

/* Number of whole tiles that a block begins with. They are consecutive. */
static uint32_t
whole_tiles(const struct image *im, const struct block *b)
{
    bool whole = b->x_B % tile_width_B(im) == 0 &&
                 b->y % tile_height(im) == 0 && b->h >= tile_height(im);
    return whole ? b->w_B / tile_width_B(im) : 0;
}

/* Copies between tiles with the same boundaries on both sides. */
static void
copy_tiles_alike(const struct image *to, const struct block *t,
                 const struct image *from, const struct block *s)
{
    struct block b = {0};
    for (uint32_t y = t->y; y < t->y + t->h; y += b.h) {
        for (uint32_t x = t->x_B; x < t->x_B + t->w_B; x += b.w_B) {
            const struct block rest = {x, y, t->x_B + t->w_B - x,
                                       t->y + t->h - y};
            uint32_t from_x_B = s->x_B + x - t->x_B, from_y = s->y + y - t->y;
            uint32_t count = whole_tiles(to, &rest);
            b = within_tile(to, t, x, y);
            if (!count) {
                copy_alike(to, &b, from, from_x_B, from_y);
                continue;
            }
            b.w_B = count * tile_width_B(to);
            memcpy(to->mem + image_tile_B(to, x, y),
                   from->mem + image_tile_B(from, from_x_B, from_y),
                   (size_t)count * TILE_SIZE_B);
        }
    }
}

/* Copies between tiles with different boundaries. */
static void
copy_tiles(const struct image *to, const struct block *t,
           const struct image *from, const struct block *s)
{
    alignas(64) uint8_t buffer[TILE_SIZE_B];
    struct block b = {0};
    for (uint32_t y = t->y; y < t->y + t->h; y += b.h) {
        for (uint32_t x = t->x_B; x < t->x_B + t->w_B; x += b.w_B) {
            b = within_tile(to, t, x, y);
            const struct block source = {s->x_B + x - t->x_B, s->y + y - t->y,
                                         b.w_B, b.h};
            image_to_rows(from, &source, buffer, tile_width_B(to));
            rows_to_image(to, &b, buffer, tile_width_B(to));
        }
    }
}

static struct block
block_of(const struct image *im, uint32_t x, uint32_t y, uint32_t width,
         uint32_t height)
{
    return (struct block){im->x_B + x * im->element_B, im->y + y,
                          width * im->element_B, height};
}

void
image_copy(const struct image *to, uint32_t to_x, uint32_t to_y,
           const struct image *from, uint32_t from_x, uint32_t from_y,
           uint32_t width, uint32_t height)
{
    struct block t = block_of(to, to_x, to_y, width, height);
    struct block s = block_of(from, from_x, from_y, width, height);
    if (to->tiling == TILING_LINEAR)
        image_to_rows(from, &s, linear_at(to, t.x_B, t.y), to->pitch_B);
    else if (from->tiling == TILING_LINEAR)
        rows_to_image(to, &t, linear_at(from, s.x_B, s.y), from->pitch_B);
    else if (lie_alike(to, &t, from, &s))
        copy_tiles_alike(to, &t, from, &s);
    else
        copy_tiles(to, &t, from, &s);
}

/* ---- overlap ---- */

/* The range of bytes, *begin up to *end, that holds the whole block. */
static void
span_bytes(const struct image *im, const struct block *b, const uint8_t **begin,
           const uint8_t **end)
{
    uint32_t x1_B = b->x_B + b->w_B - 1, y1 = b->y + b->h - 1;
    if (im->tiling == TILING_LINEAR) {
        *begin = linear_at(im, b->x_B, b->y);
        *end = linear_at(im, x1_B, y1) + 1;
    } else {
        *begin = im->mem + image_tile_B(im, b->x_B, b->y);
        *end = im->mem + image_tile_B(im, x1_B, y1) + TILE_SIZE_B;
    }
}

uint64_t
image_span(const struct image_rect *r, const uint8_t **begin)
{
    struct block b = block_of(r->image, r->x, r->y, r->width, r->height);
    const uint8_t *end;
    span_bytes(r->image, &b, begin, &end);
    return (uint64_t)(end - *begin);
}

bool
image_overlap(const struct image_rect *a, const struct image_rect *b)
{
    const struct image *i = a->image, *k = b->image;
    struct block p = block_of(i, a->x, a->y, a->width, a->height);
    struct block q = block_of(k, b->x, b->y, b->width, b->height);
    const uint8_t *p0, *p1, *q0, *q1;
    span_bytes(i, &p, &p0, &p1);
    span_bytes(k, &q, &q0, &q1);
    if (p1 <= q0 || q1 <= p0)
        return false;
    /* Within one surface compare the rectangles themselves. */
    bool same = i->mem == k->mem && i->tiling == k->tiling &&
                i->pitch_B == k->pitch_B;
    return !same || (p.x_B < q.x_B + q.w_B && q.x_B < p.x_B + p.w_B &&
                     p.y < q.y + q.h && q.y < p.y + p.h);
}
