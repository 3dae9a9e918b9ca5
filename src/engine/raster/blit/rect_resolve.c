/* rect_resolve.c: averages the samples of formats of UNORM bytes. */
#include "engine/raster/blit/rect_resolve.h"
#include "engine/raster/output/output.h"
#include "sampler/format/rt_unorm.h"

#define PIECE_PX 64
#define PIECE_ROWS 4
#define PIECE_B (PIECE_PX * PIECE_ROWS * 4)
/* Areas whose MCS entries are compared together: a row of tiles. */
#define AREA_ROWS 32

bool
rect_resolve_supports(const struct format_info *fmt)
{
    for (unsigned c = 0; c < 4; c++)
        if (fmt->ch[c].kind != FORMAT_NONE &&
            (fmt->ch[c].kind != FORMAT_UNORM || fmt->ch[c].bits != 8))
            return false;
    return !fmt->srgb && fmt->block_bits <= 32;
}

/* ---- bytes -------------------------------------------------------------- */

/* The reference: adds as shaders do and rounds as a render target does. */
static uint8_t
average_exactly(const uint8_t *const from[8], unsigned n, size_t i)
{
    float sum[8];
    for (unsigned s = 0; s < n; s++)
        sum[s] = (float)from[s][i] / 255.0f;
    for (unsigned count = n; count > 1; count /= 2)
        for (unsigned s = 0; s < count / 2; s++)
            sum[s] = sum[2 * s] + sum[2 * s + 1];
    return (uint8_t)rt_unorm_from_float(sum[0] * (1.0f / (float)n), 255);
}

/* Integer averages. Halfway cases round down: see rt_unorm_from_float(). Just
 * below 0.5, near a multiple of 2^-16, the rounding of the float sum decides.
 * `tie` marks these cases, from 112 to 127. */
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
        to[i] = (uint8_t)((sum[i] + half - 1) >> shift);
        tie[i] = (sum[i] & (n - 1)) == half && sum[i] >> (shift + 4) == 7;
    }
}

void
rect_resolve_average(const uint8_t *const from[8], unsigned n, size_t size_B,
                     uint8_t *to)
{
    uint8_t tie[PIECE_B];
    for (size_t at = 0, size; at < size_B; at += size) {
        size = MIN2(size_B - at, PIECE_B);
        const uint8_t *part[8];
        for (unsigned s = 0; s < n; s++)
            part[s] = from[s] + at;
        add_up(part, n, size, to + at, tie);
        /* Ties are rare: skips eight bytes at a time. */
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

/* ---- pieces ------------------------------------------------------------- */

struct part {
    uint32_t x, y, w, h; /* in the target, pixels */
};

struct piece {
    struct part at;
    unsigned element_B, mcs_B;
    const uint8_t *entries; /* MCS entries, if any */
    alignas(64) uint8_t plane[8][PIECE_B];
    alignas(64) uint8_t out[PIECE_B];
    alignas(64) uint8_t control[PIECE_PX * AREA_ROWS * 4];
};

static struct image
rows_of(const struct part *at, uint8_t *mem, unsigned element_B)
{
    return (struct image){.mem = mem,
                          .tiling = TILING_LINEAR,
                          .pitch_B = at->w * element_B,
                          .width = at->w,
                          .height = at->h,
                          .element_B = element_B};
}

/* Copies the source of a part of the target. */
static void
copy_from(const struct rect_resolve *r, const struct image *to, uint32_t to_x,
          uint32_t to_y, const struct image *from, const struct part *at)
{
    image_copy(to, to_x, to_y, from, r->from_x + (at->x - r->to_x),
               r->from_y + (at->y - r->to_y), at->w, at->h);
}

static uint64_t
entry_at(const struct piece *p, unsigned i)
{
    uint64_t v = 0;
    memcpy(&v, p->entries + i * p->mcs_B, p->mcs_B);
    return v;
}

/* How many pixels from the i-th on share its entry. */
static unsigned
run_of_entries(const struct piece *p, unsigned i, unsigned count)
{
    const uint8_t *e = p->entries + (size_t)i * p->mcs_B;
    unsigned n = 1;
    while (i + n < count && !memcmp(e, e + (size_t)n * p->mcs_B, p->mcs_B))
        n++;
    return n;
}

static bool
is_clear(const struct rect_resolve *r, uint64_t entry)
{
    return (entry & r->mcs_clear) == r->mcs_clear;
}

/* Orders a pixel's samples as its entry maps them to planes. */
static void
order_pixel(const struct rect_resolve *r, struct piece *p, unsigned i)
{
    unsigned n = r->samples, bits = n == 2 ? 1 : n == 4 ? 2 : 4;
    uint64_t entry = entry_at(p, i);
    size_t at = (size_t)i * p->element_B;
    uint8_t old[8][4];
    for (unsigned s = 0; s < n; s++)
        memcpy(old[s], is_clear(r, entry) ? r->clear : p->plane[s] + at,
               p->element_B);
    for (unsigned s = 0; s < n; s++) {
        unsigned from = is_clear(r, entry) ? 0 : entry >> bits * s & (n - 1);
        memcpy(p->plane[s] + at, old[from], p->element_B);
    }
}

/* Orders all pixels of a piece, in runs: most pixels share their neighbour's
 * entry. */
static void
order_samples(const struct rect_resolve *r, struct piece *p)
{
    unsigned count = p->at.w * p->at.h;
    for (unsigned i = 0, n; i < count; i += n) {
        n = run_of_entries(p, i, count);
        uint64_t entry = entry_at(p, i);
        size_t at = (size_t)i * p->element_B;
        if (entry == mcs_identity(r->samples))
            continue;
        for (unsigned s = 1; s < r->samples && !entry; s++)
            memcpy(p->plane[s] + at, p->plane[0] + at, n * p->element_B);
        for (unsigned k = 0; k < n && entry; k++)
            order_pixel(r, p, i + k);
    }
}

/* Copies or fills a part whose pixels all share `entry`, if each pixel's
 * samples are equal; else false. */
static bool
draw_alike(const struct rect_resolve *r, const struct part *at, uint64_t entry)
{
    if (is_clear(r, entry))
        image_fill(&r->to, at->x, at->y, at->x + at->w, at->y + at->h,
                   r->clear);
    else if (!entry)
        copy_from(r, &r->to, at->x, at->y, &r->plane[0], at);
    return is_clear(r, entry) || !entry;
}

static void
draw_piece(const struct rect_resolve *r, struct piece *p)
{
    const unsigned count = p->at.w * p->at.h;
    bool ordered = true;
    if (r->mcs) {
        bool alike = run_of_entries(p, 0, count) == count;
        uint64_t first = entry_at(p, 0);
        if (alike && draw_alike(r, &p->at, first))
            return;
        ordered = alike && first == mcs_identity(r->samples);
    }
    const uint8_t *from[8];
    for (unsigned s = 0; s < r->samples; s++) {
        struct image rows = rows_of(&p->at, p->plane[s], p->element_B);
        copy_from(r, &rows, 0, 0, &r->plane[s], &p->at);
        from[s] = p->plane[s];
    }
    if (!ordered)
        order_samples(r, p);
    rect_resolve_average(from, r->samples, (size_t)count * p->element_B,
                         p->out);
    struct image rows = rows_of(&p->at, p->out, p->element_B);
    image_copy(&r->to, p->at.x, p->at.y, &rows, 0, 0, p->at.w, p->at.h);
}

/* ---- areas -------------------------------------------------------------- */

/* Loads the area's entries. True if they are all equal and the area has been
 * drawn. */
static bool
look_at_entries(const struct rect_resolve *r, struct piece *p,
                const struct part *area)
{
    struct image rows = rows_of(area, p->control, p->mcs_B);
    size_t size_B = (size_t)area->w * area->h * p->mcs_B;
    copy_from(r, &rows, 0, 0, &r->control, area);
    p->entries = p->control;
    return !memcmp(p->control, p->control + p->mcs_B, size_B - p->mcs_B) &&
           draw_alike(r, area, entry_at(p, 0));
}

static void
draw_area(const struct rect_resolve *r, struct piece *p,
          const struct part *area)
{
    if (r->mcs && look_at_entries(r, p, area))
        return;
    p->at = *area;
    for (uint32_t end = area->y + area->h; p->at.y < end; p->at.y += p->at.h) {
        p->at.h = MIN2(PIECE_ROWS - (r->to.y + p->at.y) % PIECE_ROWS,
                       end - p->at.y);
        draw_piece(r, p);
        p->entries += (size_t)area->w * p->at.h * p->mcs_B;
    }
}

void
rect_resolve_draw(const struct rect_resolve *r, uint32_t y0, uint32_t y1)
{
    struct piece p;
    struct part at;
    p.element_B = r->to.element_B;
    p.mcs_B = r->mcs ? r->control.element_B : 0;
    p.entries = p.control;
    for (at.y = y0; at.y < y1; at.y += at.h) {
        at.h = MIN2(AREA_ROWS - (r->to.y + at.y) % AREA_ROWS, y1 - at.y);
        for (at.x = r->to_x; at.x < r->to_x + r->width; at.x += at.w) {
            at.w = MIN2(PIECE_PX, r->to_x + r->width - at.x);
            draw_area(r, &p, &at);
        }
    }
}
