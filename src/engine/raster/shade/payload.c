/* payload.c: the payload of pixel shader threads.
 *
 * g0 header, then one header of subspans for each 16 slots. Then for each 16
 * slots the barycentrics of every enabled mode, source depth, source W, sample
 * positions and coverage. Then, from the start register on, constants and
 * attribute deltas. Observed: the layout that the stock driver's compiler
 * expects of Gen9. */
#include "base/perf.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"

#include <math.h>

enum where { WHERE_PIXEL, WHERE_CENTROID, WHERE_SAMPLE };

struct lane_pos {
    double x[16], y[16]; /* from the setup's reference point */
};

/* ---- threads of a scene ---- */

/* Uniformity. uniform: with all lanes on, every thread of a primitive writes
 * the same colours; uniform_masked: with any lanes on. */
static void
find_sameness(struct worker *w)
{
    const uint32_t reading = 1u << EU_SFID_SAMPLER | 1u << EU_SFID_CONST;
    const struct eu_launch *l = &w->launch;
    w->uniform = w->captures_rt_write && l->steady && !(l->sfids & ~reading);
    for (unsigned i = 0; i < w->plan->part_count; i++) {
        unsigned kind = w->plan->part[i].kind;
        w->uniform &= kind == PAYLOAD_HEADER || kind == PAYLOAD_POSITIONS;
    }
    w->uniform_masked = l->start.vector_mask_enable ||
                        (l->lane_independent && !l->quad_dependent);
}

/* Whether threads of a primitive's blocks can form a chain: they differ only in
 * one set of weights or in positions, in live lanes and in the address of their
 * colours. */
static bool
makes_rows(const struct worker *w)
{
    const struct eu_launch *l = &w->launch;
    unsigned own = 0;
    bool others = false;
    for (unsigned i = 0; i < w->plan->part_count; i++) {
        const struct payload_part *p = &w->plan->part[i];
        bool places = p->kind == PAYLOAD_SUBSPANS;
        bool rows_have = p->kind == PAYLOAD_WEIGHTS ||
                         (places && p->grf == l->chain_grf);
        own += rows_have;
        others |= !rows_have && p->kind != PAYLOAD_HEADER &&
                  p->kind != PAYLOAD_POSITIONS &&
                  !(places && l->chain_sets_mask);
    }
    return w->captures_rt_write && l->chains && own == 1 && !others &&
           !(l->sfids >> EU_SFID_PI & 1) && eu_launch_takes(l, 0xffff);
}

/* Whether threads cannot distinguish a pixel with some of its samples from one
 * with all. */
static bool
sees_no_samples(const struct worker *w)
{
    const unsigned centroid =
        GEN9_3DSTATE_WM_POSITION_ZW_INTERPOLATION_MODE_INTERP_CENTROID;
    for (unsigned i = 0; i < w->plan->part_count; i++) {
        const struct payload_part *p = &w->plan->part[i];
        if (p->kind == PAYLOAD_COVERAGE ||
            (p->kind == PAYLOAD_WEIGHTS && p->mode % 3 == WHERE_CENTROID))
            return false;
    }
    return w->draw->wm.position_zw_interpolation_mode != centroid &&
           !(w->launch.sfids >> EU_SFID_PI & 1);
}

/* Whether even a block with few pixels gets its own thread. Does not depend on
 * the tier, because a kernel can observe its lane's number. */
static bool
is_cheap(const struct eu_launch *l)
{
    enum { FEW_B = 48 * 16 };
    return l->lane_independent && eu_kernel_size_B(l->start.kernel) <= FEW_B;
}

void
payload_launch_init(struct scene *sc)
{
    const struct shader_stage *ps = sc->ps;
    struct eu_start start;
    memset(&start, 0, sizeof start);
    stage_start(ps, &start);
    start.simd = ps->simd;
    eu_launch_init(&sc->launch, &start);
}

bool
payload_only_draws(const struct scene *sc)
{
    const uint32_t tame = 1u << EU_SFID_SAMPLER | 1u << EU_SFID_CONST |
                          1u << EU_SFID_RENDER | 1u << EU_SFID_PI;
    const struct eu_launch *l = &sc->launch;
    return l->captures_rt_write && l->last_sfid == EU_SFID_RENDER &&
           !(l->sfids & ~tame);
}

void
payload_prepare(struct worker *w)
{
    const struct shader_stage *ps = w->scene->ps;
    w->env = (struct thread_env){.stage = ps,
                                 .vm = w->draw->vm,
                                 .ps = &w->group,
                                 .reset = w->draw->reset,
                                 .hang = w->draw->hang,
                                 .worker = w->index};
    w->group.worker = w->block_group.worker = w;
    w->launch = w->scene->launch;
    stage_header(ps, w->header, w->index);
    w->planes = interpolate_ops_selected();
    w->plan = &w->scene->plan;
    w->captures_rt_write = rt_batch_fits(w->scene) &&
                           !perf_leaves_out(PERF_RT_BATCH);
    find_sameness(w);
    w->uniform &= !perf_leaves_out(PERF_UNIFORM);
    w->chains = makes_rows(w) && !perf_leaves_out(PERF_CHAIN);
    chain_plan(w);
    const struct scene *sc = w->scene;
    w->batches_partial_blocks = sc->ms_no_sample_tests && ps->simd == 16 &&
                                sees_no_samples(w);
    w->cross_prim_batches = w->captures_rt_write &&
                            (sc->single_sample_no_stencil ||
                             w->batches_partial_blocks);
    w->thread_per_block = (sc->single_sample_no_stencil ||
                           w->batches_partial_blocks) &&
                          ps->simd == 16 && is_cheap(&w->launch);
    w->list_shading = sc->single_sample_no_stencil && ps->simd == 16 &&
                      (w->draw->sample_mask & 1);
    w->multi_prim_batches = w->list_shading && w->cross_prim_batches &&
                            w->thread_per_block && !w->uniform &&
                            !w->draw->wm.polygon_stipple_enable &&
                            !perf_leaves_out(PERF_MULTI_PRIM) &&
                            !perf_leaves_out(PERF_BLOCK_LIST);
}

/* ---- the parts ---- */

static void
lane_offset(const struct scene *sc, const struct quad *q, unsigned p,
            enum where where, float *x, float *y)
{
    *x = *y = 0.5f;
    if (where == WHERE_CENTROID) {
        pixel_centroid(sc, sc->per_sample ? q->cover[p] : q->input_coverage[p],
                       x, y);
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
        /* Slots without a quad repeat the first quad: any finite positions do.
         */
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

/* The place where attributes are evaluated: pixel centres, unless samples have
 * their own places. */
static enum where
look_at(const struct scene *sc, enum where where)
{
    if (!sc->ms_raster || (where == WHERE_SAMPLE && !sc->per_sample))
        return WHERE_PIXEL;
    return where;
}

static void
find_quads(const struct ps_group *g, unsigned base, struct lane_quads *at)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = base / 4 + i;
        /* Slots without a quad repeat the first quad: any finite positions do.
         */
        const struct quad *q = &g->quad[n < g->quads ? n : 0];
        at->x[i] = q->x - g->setup->ref_x;
        at->y[i] = q->y - g->setup->ref_y;
    }
}

static void
weights_anywhere(const struct setup *s, bool divide, const struct lane_pos *pos,
                 float out[32])
{
    const struct plane *p1 = divide ? &s->n1 : &s->b1;
    const struct plane *p2 = divide ? &s->n2 : &s->b2;
    for (unsigned i = 0; i < 16; i++) {
        double x = pos->x[i], y = pos->y[i];
        double w = divide ? 1 / plane_at(&s->q, x, y) : 1;
        out[i / 8 * 16 + (i & 7)] = (float)(plane_at(p1, x, y) * w);
        out[i / 8 * 16 + (i & 7) + 8] = (float)(plane_at(p2, x, y) * w);
    }
}

static void
put_weights(uint32_t *grf, const struct ps_group *g,
            const struct payload_part *part)
{
    const struct setup *s = g->setup;
    bool divide = part->mode < 3 && s->perspective;
    enum where where = look_at(g->worker->scene, part->mode % 3);
    float out[1][32];
    if (where == WHERE_PIXEL) {
        struct lane_quads at;
        find_quads(g, part->base, &at);
        g->worker->planes->weights(divide ? &s->n1 : &s->b1,
                                   divide ? &s->n2 : &s->b2,
                                   divide ? &s->q : NULL, &at, 1, out);
    } else {
        struct lane_pos pos;
        find_positions(g, part->base, where, &pos);
        weights_anywhere(s, divide, &pos, out[0]);
    }
    memcpy(grf, out, g->lanes == 8 ? 64 : 128);
}

static void
put_plane(uint32_t *grf, const struct ps_group *g,
          const struct payload_part *part, const struct plane *p, bool invert)
{
    enum where where = WHERE_PIXEL;
    switch (g->worker->draw->wm.position_zw_interpolation_mode) {
    case GEN9_3DSTATE_WM_POSITION_ZW_INTERPOLATION_MODE_INTERP_CENTROID:
        where = WHERE_CENTROID;
        break;
    case GEN9_3DSTATE_WM_POSITION_ZW_INTERPOLATION_MODE_INTERP_SAMPLE:
        where = WHERE_SAMPLE;
        break;
    default: break;
    }
    where = look_at(g->worker->scene, where);
    float out[1][16];
    if (where == WHERE_PIXEL) {
        struct lane_quads at;
        find_quads(g, part->base, &at);
        g->worker->planes->value(p, invert, &at, 1, out);
    } else {
        struct lane_pos pos;
        find_positions(g, part->base, where, &pos);
        for (unsigned i = 0; i < 16; i++) {
            double v = plane_at(p, pos.x[i], pos.y[i]);
            out[0][i] = (float)(invert ? 1 / v : v);
        }
    }
    memcpy(grf, out, g->lanes == 8 ? 32 : 64);
}

/* One byte each for x and y, in sixteenths of a pixel. */
static void
put_positions(uint32_t *grf, const struct ps_group *g, unsigned base)
{
    const struct draw *d = g->worker->draw;
    const struct scene *sc = g->worker->scene;
    bool sample = d->ps.position_xy_offset_select ==
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
    memcpy(grf, xy, sizeof xy);
}

static void
put_coverage(uint32_t *grf, const struct ps_group *g, unsigned base)
{
    for (unsigned i = 0; i < MIN2(g->lanes, 16u); i++) {
        unsigned lane = base + i;
        grf[i] = lane / 4 < g->quads
                     ? g->quad[lane / 4].input_coverage[lane & 3]
                     : 0;
    }
}

void
payload_header(const struct worker *w, const struct setup *s, uint32_t g0[8])
{
    static const uint8_t topology[] = {
        [PRIM_POINT] = GEN9_3DPRIM_POINTLIST,
        [PRIM_LINE] = GEN9_3DPRIM_LINELIST,
        [PRIM_TRIANGLE] = GEN9_3DPRIM_TRILIST,
        [PRIM_RECT] = GEN9_3DPRIM_RECTLIST,
    };
    memcpy(g0, w->header, sizeof w->header);
    g0[0] = topology[s->kind] | (uint32_t)s->back << 15 |
            (uint32_t)(s->layer & 0x7ff) << 16 | (uint32_t)s->viewport << 27;
}

/* Observed: with one sample the stock driver's gl_SampleMaskIn is this mask. On
 * Kaby Lake a shader that asks for inner coverage gets no bit for a pixel that
 * conservative rasterization adds. The pixel is written all the same (piglit's
 * innercoverage passes there). */
static uint32_t
pixel_mask(const struct worker *w, const struct ps_group *g, unsigned base)
{
    uint32_t mask = g->live >> base & 0xffff;
    if (w->draw->ps_extra.input_coverage_mask_state !=
        GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_INNER_CONSERVATIVE)
        return mask;
    for (unsigned i = 0; i < 16; i++) {
        unsigned lane = base + i;
        if (lane / 4 >= g->quads || !g->quad[lane / 4].input_coverage[lane & 3])
            mask &= ~(1u << i);
    }
    return mask;
}

static void
put_subspans(const struct worker *w, uint32_t *r, const struct ps_group *g,
             unsigned base)
{
    memset(r, 0, EU_GRF_B);
    uint32_t ids = 0;
    for (unsigned i = 0; i < 4 && base / 4 + i < g->quads; i++) {
        const struct quad *q = &g->quad[base / 4 + i];
        ids |= (uint32_t)q->sample << (4 * i);
        r[2 + i] = ((uint32_t)q->x & 0xffff) | (uint32_t)q->y << 16;
    }
    r[0] = ids;
    r[7] = pixel_mask(w, g, base) * 0x10001u;
}

static void
put_part(struct worker *w, const struct ps_group *g,
         const struct payload_part *part)
{
    uint32_t *grf = eu_grf(&w->thread, part->grf);
    switch ((enum payload_kind)part->kind) {
    case PAYLOAD_HEADER: payload_header(w, g->setup, grf); break;
    case PAYLOAD_SUBSPANS: put_subspans(w, grf, g, part->base); break;
    case PAYLOAD_WEIGHTS: put_weights(grf, g, part); break;
    case PAYLOAD_DEPTH: put_plane(grf, g, part, &g->setup->z, false); break;
    case PAYLOAD_W: put_plane(grf, g, part, &g->setup->q, true); break;
    case PAYLOAD_POSITIONS: put_positions(grf, g, part->base); break;
    case PAYLOAD_COVERAGE: put_coverage(grf, g, part->base); break;
    }
}

unsigned
payload_runs(const struct worker *w, const struct setup *s, bool stay,
             struct grf_copy *copy, unsigned count)
{
    static const uint8_t zero[EU_GRF_COUNT * EU_GRF_B];
    const uint8_t *const from[PAYLOAD_SOURCES] = {
        [PAYLOAD_ZERO] = zero,
        [PAYLOAD_PUSH] = (const uint8_t *)w->scene->ps->push,
        [PAYLOAD_ATTR] = (const uint8_t *)s->attr,
    };
    for (unsigned i = 0; i < w->plan->run_count; i++) {
        const struct payload_run *run = &w->plan->run[i];
        if (run->stays != stay)
            continue;
        copy[count++] = (struct grf_copy){from[run->source] + run->offset_B, 0,
                                          run->grf, run->count};
    }
    return count;
}

/* For performance queries and profiles. */
static void
count_thread(struct worker *w, const struct ps_group *g)
{
    w->oa[OA_PS_THREADS]++;
    w->oa[OA_QUADS] += g->quads;
    w->oa[OA_QUAD_PIXELS] += count_bits(g->live);
    if (w->draw->ps_extra.pixel_shader_kills_pixel)
        w->oa[OA_PIXELS_KILLED] += count_bits(g->live & ~g->tested);
}

void
payload_dispatch(struct worker *w)
{
    struct ps_group *g = &w->group;
    if (atomic_load_explicit(w->draw->reset, memory_order_relaxed))
        return;
    g->lanes = w->scene->ps->simd;
    g->tested = 0;
    g->alive = g->live;
    for (unsigned i = 0; i < w->plan->part_count; i++)
        put_part(w, g, &w->plan->part[i]);
    struct grf_copy copy[EU_GRF_COUNT];
    unsigned count = payload_runs(w, g->setup, true, copy, 0);
    count = payload_runs(w, g->setup, false, copy, count);
    w->planes->copy(w->thread.grf, copy, count, 0);
    w->threads++;
    w->ps_count += count_bits(g->live);
    w->env.ps = g;
    thread_launch(&w->launch, &w->thread, &w->env, g->live, g->helper);
    if (w->draw->oa)
        count_thread(w, g);
}
