/* mcs.c: the multisample control surface.
 *
 * An entry maps the samples of a pixel to planes. This file stores three
 * values, each pixel's own:
 *
 *   all ones  the pixel has the clear colour
 *   zero      all samples are in plane 0: the last write covered all of them,
 *             and its colours did not depend on samples that differ
 *   identity  each sample is in its own plane: some sample was written alone
 *
 * An entry depends on the writes to its pixel and on nothing else, so that it
 * is the same for all ways of drawing; but mcs_block.c may round to whole
 * blocks (PERF_MCS_BLOCKS), because that is faster. IVB PRM vol 4 part 1,
 * Multisample Control Surface: zero means that all samples are in plane 0; the
 * stock driver's resolves branch on it. Guess: the identity; hardware may put
 * samples that were written together in one plane. Observed: the stock driver
 * fills a new surface with ones and then drops a clear to zero. So a write to
 * some samples of a cleared pixel has to spread the clear colour first. */
#include "engine/raster/output/mcs.h"

unsigned
mcs_entry_B(unsigned samples)
{
    switch (samples) {
    case 2:
    case 4: return 1;
    case 8: return 4;
    case 16: return 8;
    default: return 0;
    }
}

uint64_t
mcs_identity(unsigned samples)
{
    switch (samples) {
    case 2: return 0x2;
    case 4: return 0xe4;
    case 8: return 0x76543210;
    case 16: return UINT64_C(0xfedcba9876543210);
    default: return 0;
    }
}

/* Y-tiled, one level, slices aux_qpitch_el_rows apart. */
static uint8_t *
mcs_at(const struct surface *s, uint32_t x, uint32_t y, unsigned slice)
{
    unsigned size = mcs_entry_B(s->samples);
    uint64_t xb = (uint64_t)x * size;
    uint64_t row = y + (uint64_t)slice * s->aux_qpitch_el_rows;
    uint64_t tile = row / 32 * (s->aux_row_pitch_B / 128) + xb / 128;
    uint64_t off = tile * 4096 + xb % 128 / 16 * 512 + row % 32 * 16 + xb % 16;
    return off + size <= s->aux_limit_B ? s->aux_mem + off : NULL;
}

static unsigned
plane_of(unsigned samples, uint64_t v, unsigned sample)
{
    unsigned bits = samples == 2 ? 1 : samples == 4 ? 2 : 4;
    return (unsigned)(v >> (bits * sample)) & (samples - 1);
}

void
mcs_fill_pixel(struct worker *w, struct target *t, const uint8_t *element,
               unsigned planes, int32_t x, int32_t y)
{
    unsigned tx = (unsigned)(x - w->tile_x), ty = (unsigned)(y - w->tile_y);
    for (unsigned i = 0; i < planes; i++) {
        uint8_t *p = view_at(target_view(w, t, i), tx, ty);
        if (p)
            memcpy(p, element, t->element_B);
    }
}

void
mcs_spread_pixel(struct worker *w, struct target *t, uint64_t v, int32_t x,
                 int32_t y)
{
    unsigned n = t->samples;
    unsigned tx = (unsigned)(x - w->tile_x), ty = (unsigned)(y - w->tile_y);
    uint8_t old[MAX_SAMPLES][16];
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *p = view_at(target_view(w, t, plane_of(n, v, i)), tx,
                                   ty);
        if (p)
            memcpy(old[i], p, t->element_B);
        else
            memset(old[i], 0, sizeof old[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        uint8_t *p = view_at(target_view(w, t, i), tx, ty);
        if (p)
            memcpy(p, old[i], t->element_B);
    }
}

/* The entry after a write, once colours have been moved for it. */
static uint64_t
settle_pixel(struct worker *w, struct target *t, uint64_t v, bool partial,
             int32_t x, int32_t y)
{
    const unsigned n = t->samples;
    const uint64_t identity = mcs_identity(n);
    const bool clear = mcs_is_clear(n, v);
    uint8_t element[16];
    /* Reads of the target are partial, and may precede what chooses a write. */
    if (!partial && (!v || !target_reads(t)))
        return 0;
    if (clear) {
        t->fmt->rt_pack(t->fmt, &t->surf.clear_color, element);
        mcs_fill_pixel(w, t, element, partial ? n : 1, x, y);
    } else if (v != identity) {
        mcs_spread_pixel(w, t, v, x, y);
    }
    return clear && !partial ? 0 : identity;
}

void
mcs_prepare_pixel(struct worker *w, struct target *t, int32_t x, int32_t y,
                  bool partial)
{
    const struct surface *s = &t->surf;
    uint32_t width = surface_level_width(s, t->level);
    uint32_t height = surface_level_height(s, t->level);
    if ((uint32_t)x >= width || (uint32_t)y >= height)
        return;
    uint8_t *p = mcs_at(s, (uint32_t)x, (uint32_t)y,
                        s->min_array + (unsigned)t->layer);
    uint64_t v = 0;
    if (!p)
        return;
    memcpy(&v, p, t->mcs_B);
    uint64_t next = settle_pixel(w, t, v, partial || t->rounds_mcs, x, y);
    if (next == v)
        return;
    memcpy(p, &next, t->mcs_B);
    unsigned n = mcs_block(w, x, y);
    t->mcs_first[n / 64] &= ~(UINT64_C(1) << n % 64);
}

void
mcs_clear_layer(const struct surface *s, unsigned level, unsigned slice)
{
    unsigned size = mcs_entry_B(s->samples);
    uint32_t width = surface_level_width(s, level);
    uint32_t height = surface_level_height(s, level);
    uint64_t ones = ~UINT64_C(0);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *p = mcs_at(s, x, y, slice);
            if (p)
                memcpy(p, &ones, size);
        }
    }
}
