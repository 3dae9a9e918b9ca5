/* quad.c: the general shade path: 2x2 quads grouped into pixel shader threads.
 */
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"

#include <math.h>

static bool
poly_stipple_hides(const struct draw *d, int32_t x, int32_t y)
{
    uint32_t px = (uint32_t)x + d->poly_stipple_offset.polygon_stipple_x_offset;
    uint32_t py = (uint32_t)y + d->poly_stipple_offset.polygon_stipple_y_offset;
    return !(d->poly_stipple[py & 31] >> (31 - (px & 31)) & 1);
}

/* The pattern advances by one bit every repeat_count steps along the major
 * axis. */
static bool
line_stipple_hides(const struct draw *d, const struct setup_line *l, int32_t x,
                   int32_t y)
{
    int32_t from = (l->x_major ? l->x0 : l->y0) >> 8;
    bool forward = l->x_major ? l->x1 > l->x0 : l->y1 > l->y0;
    int32_t step = ((l->x_major ? x : y) - from) * (forward ? 1 : -1);
    uint32_t pos = l->stipple_start + (uint32_t)MAX2(step, 0);
    uint32_t repeat = MAX2(d->line_stipple.line_stipple_repeat_count, 1u);
    return !(d->line_stipple.line_stipple_pattern >> (pos / repeat & 15) & 1);
}

static float
smooth_coverage(const struct setup *s, float x, float y)
{
    float dx = x - s->smooth_x, dy = y - s->smooth_y;
    float c;
    if (s->round) {
        c = s->half_width + 0.5f - sqrtf(dx * dx + dy * dy);
    } else {
        float along = fabsf(dx * s->dir_x + dy * s->dir_y);
        float across = fabsf(dy * s->dir_x - dx * s->dir_y);
        float c0 = fminf(s->half_width + 0.5f - across, 1);
        float c1 = fminf(s->half_length + 0.5f - along, 1);
        c = fmaxf(c0, 0) * fmaxf(c1, 0);
    }
    return fminf(fmaxf(c, 0), 1);
}

/* Samples of a round point on a multisampled target. */
static uint16_t
disc_samples(const struct scene *sc, const struct setup *s, int32_t x,
             int32_t y)
{
    uint16_t m = 0;
    for (unsigned i = 0; i < sc->samples; i++) {
        float dx = (float)x + sc->sample_x[i] * (1.0f / 256) - s->smooth_x;
        float dy = (float)y + sc->sample_y[i] * (1.0f / 256) - s->smooth_y;
        if (dx * dx + dy * dy < s->half_width * s->half_width)
            m |= (uint16_t)(1u << i);
    }
    return m;
}

static uint16_t
pixel_cover(struct worker *w, const struct setup *s, struct quad *q, unsigned p,
            uint16_t cover)
{
    int32_t x = q->x + (int32_t)(p & 1), y = q->y + (int32_t)(p >> 1);
    if (s->poly_stipple && poly_stipple_hides(w->draw, x, y))
        return 0;
    if (s->line_stipple && line_stipple_hides(w->draw, &s->line, x, y))
        return 0;
    if (s->smooth) {
        q->aa[p] = smooth_coverage(s, (float)x + 0.5f, (float)y + 0.5f);
        if (q->aa[p] <= 0)
            return 0;
    } else if (s->round) {
        cover &= disc_samples(w->scene, s, x, y);
    }
    return cover;
}

static void
run_group(struct worker *w)
{
    if (w->group.quads) {
        /* Blocks of earlier primitives come first. */
        if (w->cross_prim_batches)
            payload_run_blocks(w);
        payload_dispatch(w);
    }
    w->group.quads = 0;
    w->group.live = w->group.helper = 0;
}

/* Adds the completed quad in the group's next slot; live: bit per covered
 * pixel. */
static void
push(struct worker *w, const struct setup *s, unsigned live)
{
    struct ps_group *g = &w->group;
    g->setup = s;
    g->live |= live << (4 * g->quads);
    g->helper |= 15u << (4 * g->quads);
    g->quads++;
    if (g->quads * 4 >= w->scene->ps->simd)
        run_group(w);
}

static unsigned
lit_pixels(const struct quad *q)
{
    unsigned live = 0;
    for (unsigned p = 0; p < 4; p++)
        live |= (unsigned)(q->cover[p] != 0) << p;
    return live;
}

/* Adds one slot for each sample that any pixel covers. */
static void
push_samples(struct worker *w, const struct setup *s)
{
    struct ps_group *g = &w->group;
    const struct quad q = g->quad[g->quads];
    uint16_t any = q.cover[0] | q.cover[1] | q.cover[2] | q.cover[3];
    for (unsigned i = 0; i < w->scene->samples; i++) {
        if (!(any >> i & 1))
            continue;
        struct quad *one = &g->quad[g->quads];
        *one = q;
        one->sample = (uint8_t)i;
        for (unsigned p = 0; p < 4; p++)
            one->cover[p] &= (uint16_t)(1u << i);
        push(w, s, lit_pixels(one));
    }
}

/* For performance queries: pixels before and after early tests. */
static void
count_early(struct worker *w, unsigned covered, unsigned live)
{
    w->oa[OA_PIXELS_RASTERIZED] += count_bits(covered);
    w->oa[OA_PIXELS_FAILED_EARLY] += count_bits(covered & ~live);
}

void
quad_emit(struct worker *w, const struct setup *s, int32_t x, int32_t y,
          const uint8_t masks[MAX_SAMPLES])
{
    struct scene *sc = w->scene;
    /* Built in place: a group runs before it is full, so there is room. */
    struct quad *q = &w->group.quad[w->group.quads];
    bool special = s->poly_stipple || s->line_stipple || s->round || s->smooth;
    q->x = x;
    q->y = y;
    q->sample = 0;
    for (unsigned p = 0; p < 4; p++) {
        uint16_t cover = masks[0] >> p & 1;
        for (unsigned i = 1; i < sc->samples; i++)
            cover |= (uint16_t)((masks[i] >> p & 1) << i);
        cover &= (uint16_t)w->draw->sample_mask;
        if (special && cover)
            cover = pixel_cover(w, s, q, p, cover);
        q->cover[p] = cover;
        q->input_coverage[p] = 0;
    }
    unsigned covered = w->draw->oa ? lit_pixels(q) : 0;
    early_tests_quad(w, s, q);
    unsigned live = lit_pixels(q);
    if (w->draw->oa)
        count_early(w, covered, live);
    if (!sc->ps || !live)
        return;
    if (sc->per_sample)
        push_samples(w, s);
    else
        push(w, s, live);
}

void
quad_emit_samples(struct worker *w, const struct setup *s, int32_t x, int32_t y,
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
            quad_emit(w, s, x + (int32_t)(q & 1) * 2, y + (int32_t)(q >> 1) * 2,
                      m);
    }
}

void
quad_count_list(struct worker *w, const struct cover_list *list,
                const uint16_t *live)
{
    for (unsigned i = 0; i < list->count; i++)
        w->depth_count += count_block_bits(live ? live[i]
                                                : list->block[i].mask);
}

void
quad_emit_some(struct worker *w, const struct setup *s, int32_t x, int32_t y,
               uint16_t mask, uint16_t full)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned bits = mask >> (4 * i) & 15;
        if (!bits)
            continue;
        int32_t qx = x + (int32_t)(i & 1) * 2, qy = y + (int32_t)(i >> 1) * 2;
        if (w->cross_prim_batches) {
            payload_add_quad(w, s, qx, qy, bits, full >> (4 * i) & 15);
            continue;
        }
        struct quad *q = &w->group.quad[w->group.quads];
        q->x = qx;
        q->y = qy;
        q->sample = 0;
        group_spread(q->cover, bits);
        group_spread(q->input_coverage, full >> (4 * i) & 15);
        push(w, s, bits);
    }
}

void
quad_emit_block(struct worker *w, const struct setup *s, int32_t x, int32_t y,
                uint16_t full, uint16_t live)
{
    const struct scene *sc = w->scene;
    if (!live)
        return;
    if (sc->test_time == TEST_EARLY && !sc->count_late)
        w->depth_count += count_block_bits(live);
    if (w->draw->ps_extra.input_coverage_mask_state ==
        GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_DEPTH_COVERAGE)
        full = live;
    if (sc->ps->simd == 16 &&
        (w->thread_per_block || block_fills_thread(live))) {
        payload_add_block(w, s, x, y, live, full);
        return;
    }
    quad_emit_some(w, s, x, y, live, full);
}

void
quad_emit_covered(struct worker *w, const struct setup *s, int32_t x, int32_t y)
{
    const struct scene *sc = w->scene;
    uint16_t cover = sc->all_samples & (uint16_t)w->draw->sample_mask;
    uint64_t four = cover * UINT64_C(0x0001000100010001);
    if (!cover)
        return;
    if (sc->test_time == TEST_EARLY && !sc->count_late)
        w->depth_count += 16 * count_bits(cover);
    if (!sc->ps)
        return;
    if (sc->ps->simd == 16 && cover == sc->all_samples) {
        payload_add_block(w, s, x, y, 0xffff, 0xffff);
        return;
    }
    /* Starts a new thread, so that the block's lines are stored as a whole. */
    quad_flush(w);
    for (unsigned i = 0; i < 4; i++) {
        struct quad *q = &w->group.quad[w->group.quads];
        q->x = x + (int32_t)(i & 1) * 2;
        q->y = y + (int32_t)(i >> 1) * 2;
        q->sample = 0;
        memcpy(q->cover, &four, sizeof q->cover);
        memcpy(q->input_coverage, &four, sizeof q->input_coverage);
        push(w, s, 15);
    }
}

void
quad_end_primitive(struct worker *w, const struct setup *s)
{
    if (w->cross_prim_batches)
        payload_end_quads(w, s);
    else
        payload_run_blocks(w);
    run_group(w);
}

void
quad_flush(struct worker *w)
{
    payload_run_blocks(w);
    run_group(w);
}
