/* payload.c: pixel shader threads: what they find in their registers.
 *
 * g0 header, then one header of subspans for each 16 slots, then for each 16
 * slots the barycentrics of every enabled mode, source depth, source W,
 * sample positions and coverage; then, from the start register on, constants
 * and attribute deltas. Observed: the layout that the stock driver's compiler
 * expects of Gen9. */
#include "engine/raster/raster.h"

#include <math.h>

enum where { WHERE_PIXEL, WHERE_CENTROID, WHERE_SAMPLE };

struct lane_pos {
    double x[16], y[16]; /* from the setup's reference point */
};

void
payload_prepare(struct worker *w)
{
    const struct shader_stage *ps = w->scene->ps;
    w->env = (struct thread_env){.stage = ps,
                                 .vm = w->draw->vm,
                                 .ps = &w->group,
                                 .reset = w->draw->reset,
                                 .worker = w->index};
    w->group.worker = w;
    struct eu_start start;
    memset(&start, 0, sizeof start);
    stage_start(ps, &start);
    start.simd = ps->simd;
    start.send = msg_sender();
    eu_launch_init(&w->launch, &start);
    memset(w->header, 0, sizeof w->header);
    stage_header(ps, w->header, w->index);
}

/* Guess: of a partly covered pixel, the covered sample with the lowest
 * number; the manuals leave the choice open. */
void
payload_centroid(const struct scene *sc, uint16_t cover, float *x, float *y)
{
    *x = *y = 0.5f;
    if (!cover || cover == sc->all_samples || !sc->ms_raster)
        return;
    unsigned i = (unsigned)__builtin_ctz(cover);
    *x = sc->sample_x[i] * (1.0f / SUBPIXEL);
    *y = sc->sample_y[i] * (1.0f / SUBPIXEL);
}

static void
lane_offset(const struct scene *sc, const struct quad *q, unsigned p,
            enum where where, float *x, float *y)
{
    *x = *y = 0.5f;
    if (where == WHERE_CENTROID) {
        payload_centroid(sc, sc->per_sample ? q->cover[p] : q->full[p], x, y);
    } else if (where == WHERE_SAMPLE && sc->per_sample) {
        *x = sc->sample_x[q->sample] * (1.0f / SUBPIXEL);
        *y = sc->sample_y[q->sample] * (1.0f / SUBPIXEL);
    }
}

static void
find_positions(const struct ps_group *g, unsigned base, enum where where,
               struct lane_pos *pos)
{
    const struct scene *sc = g->worker->scene;
    const struct setup *s = g->setup;
    for (unsigned i = 0; i < 16; i += 4) {
        unsigned n = (base + i) / 4;
        /* Slots without a quad repeat the first: harmless numbers. */
        const struct quad *q = &g->quad[n < g->quads ? n : 0];
        double x = q->x - s->ref_x, y = q->y - s->ref_y;
        for (unsigned p = 0; p < 4; p++) {
            float ox = 0.5f, oy = 0.5f;
            if (where != WHERE_PIXEL)
                lane_offset(sc, q, p, where, &ox, &oy);
            pos->x[i + p] = x + ((p & 1) + (double)ox);
            pos->y[i + p] = y + ((p >> 1) + (double)oy);
        }
    }
}

static inline double
plane_at(const struct plane *p, double x, double y)
{
    return p->c + p->dx * x + p->dy * y;
}

RASTER_LANES static void
barycentrics(const struct setup *s, bool perspective,
             const struct lane_pos *pos, float b1[16], float b2[16])
{
    if (!perspective || !s->perspective) {
        for (unsigned i = 0; i < 16; i++) {
            b1[i] = (float)plane_at(&s->b1, pos->x[i], pos->y[i]);
            b2[i] = (float)plane_at(&s->b2, pos->x[i], pos->y[i]);
        }
        return;
    }
    for (unsigned i = 0; i < 16; i++) {
        double w = 1 / plane_at(&s->q, pos->x[i], pos->y[i]);
        b1[i] = (float)(plane_at(&s->n1, pos->x[i], pos->y[i]) * w);
        b2[i] = (float)(plane_at(&s->n2, pos->x[i], pos->y[i]) * w);
    }
}

void
payload_barycentrics(const struct setup *s, bool perspective, float x, float y,
                     float *b1, float *b2)
{
    double px = (double)x - s->ref_x, py = (double)y - s->ref_y;
    bool divide = perspective && s->perspective;
    double w = divide ? 1 / plane_at(&s->q, px, py) : 1;
    *b1 = (float)(plane_at(divide ? &s->n1 : &s->b1, px, py) * w);
    *b2 = (float)(plane_at(divide ? &s->n2 : &s->b2, px, py) * w);
}

/* A cursor over the register file that never leaves it. */
struct cursor {
    struct eu_thread *t;
    unsigned grf;
};

static void
put(struct cursor *c, const void *data, unsigned grfs)
{
    if (c->grf + grfs > EU_GRF_COUNT)
        return;
    memcpy(c->t->grf + c->grf * EU_GRF_B, data, grfs * EU_GRF_B);
    c->grf += grfs;
}

static void
put_barycentrics(struct cursor *c, const struct ps_group *g, unsigned base,
                 unsigned lanes)
{
    const struct scene *sc = g->worker->scene;
    static const enum where where[3] = {WHERE_PIXEL, WHERE_CENTROID,
                                        WHERE_SAMPLE};
    for (unsigned mode = 0; mode < 6; mode++) {
        if (!(sc->bary_modes >> mode & 1))
            continue;
        struct lane_pos pos;
        float b1[16], b2[16];
        find_positions(g, base, where[mode % 3], &pos);
        barycentrics(g->setup, mode < 3, &pos, b1, b2);
        for (unsigned i = 0; i < lanes; i += 8) {
            put(c, &b1[i], 1);
            put(c, &b2[i], 1);
        }
    }
}

static void
put_depth_and_w(struct cursor *c, const struct ps_group *g, unsigned base,
                unsigned lanes)
{
    const struct draw *d = g->worker->draw;
    const struct setup *s = g->setup;
    bool z = d->ps_extra.pixel_shader_uses_source_depth;
    bool w = d->ps_extra.pixel_shader_uses_source_w;
    if (!z && !w)
        return;
    enum where where = WHERE_PIXEL;
    if (d->wm.position_zw_interpolation_mode ==
        GEN9_3DSTATE_WM_POSITION_ZW_INTERPOLATION_MODE_INTERP_CENTROID)
        where = WHERE_CENTROID;
    else if (d->wm.position_zw_interpolation_mode ==
             GEN9_3DSTATE_WM_POSITION_ZW_INTERPOLATION_MODE_INTERP_SAMPLE)
        where = WHERE_SAMPLE;
    struct lane_pos pos;
    float v[16];
    find_positions(g, base, where, &pos);
    if (z) {
        for (unsigned i = 0; i < 16; i++)
            v[i] = (float)plane_at(&s->z, pos.x[i], pos.y[i]);
        put(c, v, lanes / 8);
    }
    if (w) {
        for (unsigned i = 0; i < 16; i++)
            v[i] = (float)(1 / plane_at(&s->q, pos.x[i], pos.y[i]));
        put(c, v, lanes / 8);
    }
}

/* A byte each for x and y, in sixteenths of a pixel. */
static void
put_positions(struct cursor *c, const struct ps_group *g, unsigned base)
{
    const struct draw *d = g->worker->draw;
    const struct scene *sc = g->worker->scene;
    unsigned select = d->ps.position_xy_offset_select;
    if (select == GEN9_3DSTATE_PS_POSITION_XY_OFFSET_SELECT_POSOFFSET_NONE)
        return;
    bool sample = select ==
                  GEN9_3DSTATE_PS_POSITION_XY_OFFSET_SELECT_POSOFFSET_SAMPLE;
    uint8_t xy[32];
    for (unsigned i = 0; i < 16; i++) {
        unsigned lane = base + i;
        const struct quad *q = &g->quad[lane / 4 < g->quads ? lane / 4 : 0];
        float x, y;
        lane_offset(sc, q, lane & 3, sample ? WHERE_SAMPLE : WHERE_CENTROID, &x,
                    &y);
        xy[2 * i] = (uint8_t)(x * 16);
        xy[2 * i + 1] = (uint8_t)(y * 16);
    }
    put(c, xy, 1);
}

static void
put_coverage(struct cursor *c, const struct ps_group *g, unsigned base,
             unsigned lanes)
{
    if (g->worker->draw->ps_extra.input_coverage_mask_state ==
        GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_NONE)
        return;
    uint32_t v[16] = {0};
    for (unsigned i = 0; i < lanes; i++) {
        unsigned lane = base + i;
        if (lane / 4 < g->quads)
            v[i] = g->quad[lane / 4].full[lane & 3];
    }
    put(c, v, lanes / 8);
}

static void
put_headers(struct cursor *c, const struct ps_group *g)
{
    static const uint8_t topology[] = {
        [PRIM_POINT] = GEN9_3DPRIM_POINTLIST,
        [PRIM_LINE] = GEN9_3DPRIM_LINELIST,
        [PRIM_TRIANGLE] = GEN9_3DPRIM_TRILIST,
        [PRIM_RECT] = GEN9_3DPRIM_RECTLIST,
    };
    const struct setup *s = g->setup;
    put(c, g->worker->header, 1);
    eu_grf(c->t, 0)[0] = topology[s->kind] | (uint32_t)s->back << 15 |
                         (uint32_t)(s->layer & 0x7ff) << 16 |
                         (uint32_t)s->viewport << 27;
    for (unsigned base = 0; base < g->lanes; base += 16) {
        uint32_t *r = eu_grf(c->t, c->grf++);
        memset(r, 0, EU_GRF_B);
        uint32_t ids = 0;
        for (unsigned i = 0; i < 4 && base / 4 + i < g->quads; i++) {
            const struct quad *q = &g->quad[base / 4 + i];
            ids |= (uint32_t)q->sample << (4 * i);
            r[2 + i] = ((uint32_t)q->x & 0xffff) | (uint32_t)q->y << 16;
        }
        r[0] = ids;
        r[7] = (g->lit >> base & 0xffff) * 0x10001u;
    }
}

/* Zero up to a register. Registers that are no payload hold zero, so that a
 * kernel which reads them does not depend on what this worker ran before. */
static void
pad(struct cursor *c, unsigned grf)
{
    if (grf > EU_GRF_COUNT || grf <= c->grf) {
        c->grf = MIN2(grf, EU_GRF_COUNT);
        return;
    }
    size_t size_B = (grf - c->grf) * EU_GRF_B;
    /* A compiler that knows how small this is makes it `rep stos`, which takes
     * several times as long as the library. */
    __asm__("" : "+r"(size_B));
    memset(c->t->grf + c->grf * EU_GRF_B, 0, size_B);
    c->grf = grf;
}

static void
fill_payload(struct worker *w, struct ps_group *g)
{
    const struct scene *sc = w->scene;
    const struct shader_stage *ps = sc->ps;
    struct cursor c = {&w->thread, 0};
    put_headers(&c, g);
    for (unsigned base = 0; base < g->lanes; base += 16) {
        unsigned lanes = MIN2(g->lanes, 16u);
        put_barycentrics(&c, g, base, lanes);
        put_depth_and_w(&c, g, base, lanes);
        put_positions(&c, g, base);
        put_coverage(&c, g, base, lanes);
    }
    pad(&c, ps->grf_start);
    if (ps->push)
        put(&c, ps->push, ps->push_grf);
    pad(&c, sc->attr_grf);
    put(&c, g->setup->attr, sc->attr_count * 2);
    eu_launch_zero(&w->launch, &w->thread, c.grf);
}

void
payload_dispatch(struct worker *w)
{
    struct ps_group *g = &w->group;
    if (atomic_load_explicit(w->draw->reset, memory_order_relaxed))
        return;
    g->lanes = w->scene->ps->simd;
    g->tested = 0;
    g->alive = g->lit;
    fill_payload(w, g);
    w->threads++;
    w->ps_count += count_bits(g->lit);
    msg_launch(&w->launch, &w->thread, &w->env, g->lit, g->helped);
}
