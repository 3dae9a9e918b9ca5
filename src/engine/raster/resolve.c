/* resolve.c: averages of samples of formats of UNORM bytes. */
#include "engine/raster/resolve.h"

#include <math.h>

#define PIECE_PX 64
#define PIECE_ROWS 4
#define PIECE_B (PIECE_PX * PIECE_ROWS * 4)

/* ---- bytes --------------------------------------------------------------- */

/* The sum's rounding in float decides where an average lies between two
 * bytes. */
static uint8_t
average_exactly(const uint8_t *const from[8], unsigned n, size_t i)
{
    float sum[8];
    for (unsigned s = 0; s < n; s++)
        sum[s] = (float)from[s][i] / 255.0f;
    for (unsigned count = n; count > 1; count /= 2)
        for (unsigned s = 0; s < count / 2; s++)
            sum[s] = sum[2 * s] + sum[2 * s + 1];
    float f = sum[0] * (1.0f / (float)n);
    return (uint8_t)lrint((double)(f < 1 ? f : 1) * 255);
}

RASTER_LANES static void
add_up(const uint8_t *const from[8], unsigned n, size_t size_B, uint8_t *to,
       uint8_t *tie)
{
    uint16_t sum[PIECE_B];
    unsigned half = n / 2, shift = n == 2 ? 1 : n == 4 ? 2 : 3;
    for (size_t i = 0; i < size_B; i++)
        sum[i] = from[0][i];
    for (unsigned s = 1; s < n; s++)
        for (size_t i = 0; i < size_B; i++)
            sum[i] = (uint16_t)(sum[i] + from[s][i]);
    for (size_t i = 0; i < size_B; i++) {
        to[i] = (uint8_t)((sum[i] + half) >> shift);
        tie[i] = (sum[i] & (n - 1)) == half;
    }
}

void
resolve_average(const uint8_t *const from[8], unsigned n, size_t size_B,
                uint8_t *to)
{
    uint8_t tie[PIECE_B];
    for (size_t at = 0, size; at < size_B; at += size) {
        size = MIN2(size_B - at, PIECE_B);
        const uint8_t *part[8];
        for (unsigned s = 0; s < n; s++)
            part[s] = from[s] + at;
        add_up(part, n, size, to + at, tie);
        /* Most often there is none among many. */
        for (size_t i = 0; i < size; i++) {
            uint64_t some = 1;
            if (i % 8 == 0 && i + 8 <= size)
                memcpy(&some, tie + i, 8);
            if (!some)
                i += 7;
            else if (tie[i])
                to[at + i] = average_exactly(part, n, i);
        }
    }
}

/* ---- pieces -------------------------------------------------------------- */

struct piece {
    uint32_t x, y, w, h; /* in the target */
    unsigned element_B, mcs_B;
    alignas(64) uint8_t plane[8][PIECE_B];
    alignas(64) uint8_t control[PIECE_PX * PIECE_ROWS * 4];
    alignas(64) uint8_t out[PIECE_B];
};

static struct image
rows_of(const struct piece *p, uint8_t *mem, unsigned element_B)
{
    return (struct image){.mem = mem,
                          .tiling = TILING_LINEAR,
                          .pitch_B = p->w * element_B,
                          .width = p->w,
                          .height = p->h,
                          .element_B = element_B};
}

static uint64_t
control_at(const struct piece *p, unsigned i)
{
    uint64_t v = 0;
    memcpy(&v, p->control + i * p->mcs_B, p->mcs_B);
    return v;
}

/* Whether all pixels have the first one's entry. */
static bool
all_alike(const struct piece *p)
{
    size_t size_B = (size_t)p->w * p->h * p->mcs_B;
    return !memcmp(p->control, p->control + p->mcs_B, size_B - p->mcs_B);
}

/* Gives each pixel the samples that its entry names. */
static void
order_samples(const struct resolve *r, struct piece *p)
{
    unsigned n = r->samples, bits = n == 2 ? 1 : n == 4 ? 2 : 4;
    for (unsigned i = 0; i < p->w * p->h; i++) {
        uint64_t entry = control_at(p, i);
        uint8_t old[8][4];
        if (entry == mcs_identity(n))
            continue;
        size_t at = i * p->element_B;
        bool clear = (entry & r->mcs_clear) == r->mcs_clear;
        for (unsigned s = 0; s < n; s++)
            memcpy(old[s], clear ? r->clear : p->plane[s] + at, p->element_B);
        for (unsigned s = 0; s < n; s++)
            memcpy(p->plane[s] + at,
                   old[clear ? 0 : entry >> bits * s & (n - 1)], p->element_B);
    }
}

static void
load(const struct resolve *r, struct piece *p)
{
    for (unsigned s = 0; s < r->samples; s++) {
        struct image rows = rows_of(p, p->plane[s], p->element_B);
        image_copy(&rows, 0, 0, &r->plane[s], r->from_x + (p->x - r->to_x),
                   r->from_y + (p->y - r->to_y), p->w, p->h);
    }
}

static void
draw_piece(const struct resolve *r, struct piece *p)
{
    bool ordered = true;
    if (r->mcs) {
        struct image rows = rows_of(p, p->control, p->mcs_B);
        image_copy(&rows, 0, 0, &r->control, r->from_x + (p->x - r->to_x),
                   r->from_y + (p->y - r->to_y), p->w, p->h);
        uint64_t first = control_at(p, 0);
        bool alike = all_alike(p);
        ordered = alike && first == mcs_identity(r->samples);
        if (alike && (first & r->mcs_clear) == r->mcs_clear) {
            image_fill(&r->to, p->x, p->y, p->x + p->w, p->y + p->h, r->clear);
            return;
        }
    }
    load(r, p);
    if (!ordered)
        order_samples(r, p);
    const uint8_t *from[8];
    for (unsigned s = 0; s < r->samples; s++)
        from[s] = p->plane[s];
    resolve_average(from, r->samples, (size_t)p->w * p->h * p->element_B,
                    p->out);
    struct image rows = rows_of(p, p->out, p->element_B);
    image_copy(&r->to, p->x, p->y, &rows, 0, 0, p->w, p->h);
}

void
resolve_draw(const struct resolve *r, uint32_t y0, uint32_t y1)
{
    struct piece p;
    p.element_B = r->to.element_B;
    p.mcs_B = r->mcs ? r->control.element_B : 0;
    for (p.y = y0; p.y < y1; p.y += p.h) {
        p.h = MIN2(PIECE_ROWS - (r->to.y + p.y) % PIECE_ROWS, y1 - p.y);
        for (p.x = r->to_x; p.x < r->to_x + r->width; p.x += p.w) {
            p.w = MIN2(PIECE_PX, r->to_x + r->width - p.x);
            draw_piece(r, &p);
        }
    }
}
