/* cover.c: which samples of a tile a primitive covers, block by block.
 * Blocks are 4x4 pixels; bit 4 * quad + pixel of a block's mask, quads and
 * the pixels within them in the order TL TR BL BR. */
#include "engine/raster/raster.h"

#define BLOCK_PX 4

struct box {
    int32_t x0, y0, x1, y1;
};

static inline int32_t
bit_x(unsigned bit)
{
    return (int32_t)((bit >> 2 & 1) * 2 + (bit & 1));
}

static inline int32_t
bit_y(unsigned bit)
{
    return (int32_t)((bit >> 3) * 2 + (bit >> 1 & 1));
}

/* Pixels of the block at (bx, by) that lie in the box. */
static uint16_t
box_mask(const struct box *b, int32_t bx, int32_t by)
{
    if (bx >= b->x0 && by >= b->y0 && bx + BLOCK_PX <= b->x1 &&
        by + BLOCK_PX <= b->y1)
        return 0xffff;
    uint16_t m = 0;
    for (unsigned i = 0; i < 16; i++) {
        int32_t x = bx + bit_x(i), y = by + bit_y(i);
        if (x >= b->x0 && x < b->x1 && y >= b->y0 && y < b->y1)
            m |= (uint16_t)(1u << i);
    }
    return m;
}

/* Quad by quad. */
static void
emit_block(struct worker *w, const struct setup *s, int32_t bx, int32_t by,
           const uint16_t *masks)
{
    unsigned n = w->scene->samples;
    for (unsigned q = 0; q < 4; q++) {
        uint8_t m[MAX_SAMPLES];
        unsigned any = 0;
        for (unsigned i = 0; i < n; i++) {
            m[i] = masks[i] >> (4 * q) & 15;
            any |= m[i];
        }
        if (any)
            quad_emit(w, s, bx + (int32_t)(q & 1) * 2,
                      by + (int32_t)(q >> 1) * 2, m);
    }
}

/* Pixels whose point (sx, sy) is inside of all edges. */
static uint16_t
edge_mask(const struct edge *const *edge, unsigned count, int64_t x, int64_t y)
{
    uint16_t m = 0xffff;
    for (unsigned i = 0; i < count && m; i++) {
        const struct edge *e = edge[i];
        int64_t v = e->a * x + e->b * y + e->c;
        int64_t dx = e->a * SUBPIXEL, dy = e->b * SUBPIXEL;
        uint16_t in = 0;
        for (unsigned b = 0; b < 16; b++)
            in |= (uint16_t)((v + dx * bit_x(b) + dy * bit_y(b) >= 0) << b);
        m &= in;
    }
    return m;
}

/* Range of the edge function over a square. */
static inline void
edge_range(const struct edge *e, int64_t x, int64_t y, int64_t size,
           int64_t *lo, int64_t *hi)
{
    int64_t v = e->a * x + e->b * y + e->c;
    int64_t dx = e->a * size, dy = e->b * size;
    *lo = v + MIN2(dx, 0) + MIN2(dy, 0);
    *hi = v + MAX2(dx, 0) + MAX2(dy, 0);
}

/* Edges that cut the square; -1 if it is outside of one. */
static int
active_edges(const struct edge *const *in, unsigned count, int64_t x, int64_t y,
             int64_t size, const struct edge **out)
{
    int n = 0;
    for (unsigned i = 0; i < count; i++) {
        int64_t lo, hi;
        edge_range(in[i], x, y, size, &lo, &hi);
        if (hi < 0)
            return -1;
        if (lo < 0)
            out[n++] = in[i];
    }
    return n;
}

static void
cover_block(struct worker *w, const struct setup *s, const struct box *box,
            const struct edge *const *edge, unsigned edges, int32_t bx,
            int32_t by)
{
    const struct scene *sc = w->scene;
    int64_t x = (int64_t)bx * SUBPIXEL, y = (int64_t)by * SUBPIXEL;
    const struct edge *cut[4];
    int n = active_edges(edge, edges, x, y, BLOCK_PX * SUBPIXEL, cut);
    if (n < 0)
        return;
    uint16_t inside = box_mask(box, bx, by), m[MAX_SAMPLES];
    bool special = s->poly_stipple || s->line_stipple || s->round || s->smooth;
    if (sc->simple && !special) {
        if (n)
            inside &= edge_mask(cut, (unsigned)n, x + SUBPIXEL / 2,
                                y + SUBPIXEL / 2);
        if (inside)
            quad_emit_block(w, s, bx, by, inside);
        return;
    }
    for (unsigned i = 0; i < sc->samples; i++) {
        if (i && (s->conservative || !sc->ms_raster))
            m[i] = m[0];
        else if (s->conservative)
            m[i] = inside & edge_mask(cut, (unsigned)n, x + SUBPIXEL / 2,
                                      y + SUBPIXEL / 2);
        else
            m[i] = inside & edge_mask(cut, (unsigned)n, x + sc->sample_x[i],
                                      y + sc->sample_y[i]);
    }
    emit_block(w, s, bx, by, m);
}

void
cover_setup(struct worker *w, const struct setup *s)
{
    struct box box = {MAX2(s->x0, w->tile_x), MAX2(s->y0, w->tile_y),
                      MIN2(s->x1, w->tile_x + TILE_PX),
                      MIN2(s->y1, w->tile_y + TILE_PX)};
    if (box.x0 >= box.x1 || box.y0 >= box.y1)
        return;
    if (s->cover == COVER_LINE) {
        cover_line(w, s);
        return;
    }
    if (s->cover == COVER_BOX &&
        constant_fill(w, s, box.x0, box.y0, box.x1, box.y1))
        return;
    const struct edge *all[4], *edge[4];
    for (unsigned i = 0; i < s->edge_count; i++)
        all[i] = &s->edge[i];
    int edges = active_edges(all, s->edge_count, (int64_t)w->tile_x * SUBPIXEL,
                             (int64_t)w->tile_y * SUBPIXEL, TILE_PX * SUBPIXEL,
                             edge);
    if (edges < 0)
        return;
    for (int32_t by = box.y0 & ~3; by < box.y1; by += BLOCK_PX) {
        for (int32_t bx = box.x0 & ~3; bx < box.x1; bx += BLOCK_PX)
            cover_block(w, s, &box, edge, (unsigned)edges, bx, by);
    }
}
