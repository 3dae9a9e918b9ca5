/* pixel_group.c: the quads of a pixel shader thread, and places within a pixel.
 */
#include "engine/raster/pixel_group.h"

/* Spreads four bits to the coverage words of a quad's pixels: all samples or
 * none. */
static inline void
spread(const struct scene *sc, uint16_t cover[4], unsigned bits)
{
    group_spread(cover, bits);
    if (sc->samples == 1)
        return;
    for (unsigned p = 0; p < 4; p++)
        cover[p] = (uint16_t)(cover[p] * sc->all_samples);
}

/* Spreads the mask of each sample to the coverage words of four quads. */
static void
spread_samples(const struct scene *sc, const uint16_t *sample,
               struct quad quad[4])
{
    for (unsigned i = 0; i < 16; i++) {
        uint16_t cover = 0;
        for (unsigned k = 0; k < sc->samples; k++)
            cover |= (uint16_t)((sample[k] >> i & 1) << k);
        quad[i / 4].cover[i & 3] = quad[i / 4].input_coverage[i & 3] = cover;
    }
}

void
group_use_place(struct worker *w, unsigned n)
{
    struct ps_group *g = &w->block_group;
    int32_t x[4], y[4];
    batch_corners(&w->batch, n, x, y);
    for (unsigned i = 0; i < 4; i++) {
        g->quad[i].x = x[i];
        g->quad[i].y = y[i];
    }
}

/* Keeps coverage words that already hold the block's coverage: most blocks
 * repeat the one before. */
static void
set_quads(struct worker *w, unsigned n)
{
    const struct scene *sc = w->scene;
    struct block_batch *b = &w->batch;
    struct ps_group *g = &w->block_group;
    uint16_t live = b->block[n].live, full = b->block[n].input_coverage;
    group_use_place(w, n);
    if (b->block[n].partial_ms) {
        spread_samples(sc, b->sample[n], g->quad);
        b->known = false;
        return;
    }
    if (b->known && b->known_live == live && b->known_input_coverage == full)
        return;
    for (unsigned i = 0; i < 4; i++) {
        spread(sc, g->quad[i].cover, live >> (4 * i) & 15);
        spread(sc, g->quad[i].input_coverage, full >> (4 * i) & 15);
    }
    /* Late tests may remove coverage again. */
    b->known = sc->no_late_tests || sc->late_count_only;
    b->known_live = live;
    b->known_input_coverage = full;
}

void
group_use_block(struct worker *w, unsigned n)
{
    struct ps_group *g = &w->block_group;
    const struct batch_block *k = &w->batch.block[n];
    set_quads(w, n);
    g->block = !k->scattered;
    g->live = g->alive = k->live;
    g->helper = k->helper;
    g->tested = 0;
    g->settled_planes = 0;
}

/* Guess: of a partly covered pixel, the covered sample with the lowest
 * number; the manuals leave the choice open. */
void
pixel_centroid(const struct scene *sc, uint16_t cover, float *x, float *y)
{
    *x = *y = 0.5f;
    if (!cover || cover == sc->all_samples || !sc->ms_raster)
        return;
    unsigned i = (unsigned)__builtin_ctz(cover);
    *x = sc->sample_x[i] * (1.0f / SUBPIXEL);
    *y = sc->sample_y[i] * (1.0f / SUBPIXEL);
}

void
pixel_barycentrics(const struct setup *s, bool perspective, float x, float y,
                   float *b1, float *b2)
{
    double px = (double)x - s->ref_x, py = (double)y - s->ref_y;
    bool divide = perspective && s->perspective;
    double w = divide ? 1 / plane_at(&s->q, px, py) : 1;
    *b1 = (float)(plane_at(divide ? &s->n1 : &s->b1, px, py) * w);
    *b2 = (float)(plane_at(divide ? &s->n2 : &s->b2, px, py) * w);
}
