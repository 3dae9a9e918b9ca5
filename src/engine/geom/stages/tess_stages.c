/* tess_stages.c: hull shader, tessellator, domain shader: turns patches into
 * objects.
 *
 * Patches are queued and their HS groups run on all workers. The tessellator
 * fills a queue of domain points. When the queue is full or the patches end, DS
 * threads run on all workers, and objects are passed on in patch order. */
#include "engine/geom/geom.h"
#include "engine/geom/stages/tess.h"

#include <stdlib.h>

#define TESS_MAX_PATCHES 64
#define TESS_POINTS_CAP 16384

struct tess_patch {
    struct geom_object o;
    uint32_t handle[GEOM_MAX_OBJECT_VERTS]; /* of the control points */
    unsigned point_first, point_count;      /* in the queue of points */
    unsigned index_first, index_count;
};

struct ds_work {
    uint16_t patch;
    uint8_t count;  /* points */
    uint32_t point; /* first point */
};

struct tess_state {
    struct tess_params params;
    unsigned instances; /* HS threads per patch */
    unsigned patch_cap, patch_count;
    unsigned patch_shown; /* patches before this one have been passed on */
    struct tess_patch *patch;
    unsigned point_cap, point_count;
    struct tess_point *point;
    struct geom_vert *vert; /* per point */
    unsigned index_cap, index_count;
    uint16_t *index; /* relative to the patch's first point */
    struct ds_work *work;
    unsigned work_count;
    struct tess_mesh mesh;
};

static bool
alloc_queues(struct geom *g, struct tess_state *t)
{
    uint64_t points = GEOM_STAGE_URB_B / g->ds_urb.entry_B;
    uint64_t patches = GEOM_STAGE_URB_B / g->hs_urb.entry_B;
    t->point_cap = (unsigned)CLAMP(points, TESS_MAX_POINTS, TESS_POINTS_CAP);
    t->patch_cap = (unsigned)CLAMP(patches, 4, TESS_MAX_PATCHES);
    t->index_cap = MAX2(t->point_cap * 6, TESS_MAX_INDICES);
    g->hs_urb.entries = t->patch_cap;
    g->ds_urb.entries = t->point_cap;
    t->patch = malloc(sizeof *t->patch * t->patch_cap);
    t->point = malloc(sizeof *t->point * t->point_cap);
    t->vert = malloc(sizeof *t->vert * t->point_cap);
    t->index = malloc(sizeof *t->index * t->index_cap);
    /* Each patch may have one incomplete thread. */
    t->work = malloc(sizeof *t->work * (t->point_cap / 8 + t->patch_cap + 1));
    return t->patch && t->point && t->vert && t->index && t->work;
}

bool
hsds_init(struct geom *g)
{
    const struct draw *draw = g->draw;
    if (!draw->stage[STAGE_HS].enabled || !draw->stage[STAGE_DS].enabled) {
        guest_error("tessellation without hull or domain shader");
        return false;
    }
    if (draw->hs.dispatch_mode != GEN9_3DSTATE_HS_DISPATCH_MODE_SINGLE_PATCH)
        unimp("HS dispatch mode %u", draw->hs.dispatch_mode);
    if (draw->ds.dispatch_mode == GEN9_3DSTATE_DS_DISPATCH_MODE_SIMD4X2)
        unimp("domain shaders in SIMD4x2");
    if (draw->hs.vertex_urb_entry_read_length)
        unimp("HS with pushed vertex data");
    struct tess_state *t = calloc(1, sizeof *t);
    if (!t)
        return false;
    g->tess = t;
    t->params = (struct tess_params){
        .domain = draw->te.te_domain,
        .partitioning = draw->te.partitioning,
        .topology = draw->te.output_topology,
        .max_odd = draw->te.maximum_tessellation_factor_odd,
        .max_not_odd = draw->te.maximum_tessellation_factor_not_odd,
    };
    t->instances = draw->hs.instance_count + 1;
    g->hs_urb.entry_B = ALIGN_POT(MAX2(draw->urb_entry_B[1], 64u), 64u);
    g->ds_urb.entry_B = ALIGN_POT(MAX2(draw->urb_entry_B[2], 64u), 64u);
    g->last_slots = g->ds_urb.entry_B / 16;
    return alloc_queues(g, t);
}

void
hsds_finish(struct geom *g)
{
    struct tess_state *t = g->tess;
    if (!t)
        return;
    free(t->patch);
    free(t->point);
    free(t->vert);
    free(t->index);
    free(t->work);
    free(t);
    g->tess = NULL;
}

/* ---- hull shader ------------------------------------------------------ */

static bool
hs_payload(struct geom *g, struct eu_thread *t, const struct tess_patch *p,
           uint32_t *entry, unsigned instance, unsigned fftid)
{
    const struct shader_stage *stage = &g->draw->stage[STAGE_HS];
    memset(t->grf, 0, sizeof t->grf);
    if (!geom_payload(stage, t, fftid))
        return false;
    uint32_t *g0 = eu_grf(t, 0);
    g0[0] = geom_handle(g, entry);
    g0[1] = p->o.prim_id;
    g0[2] = instance << 17; /* barrier 0 in 16:13 */
    if (g->draw->hs.include_vertex_handles)
        memcpy(eu_grf(t, 1), p->handle, p->o.count * sizeof p->handle[0]);
    return true;
}

static void
run_hs(struct geom *g, unsigned index, unsigned worker)
{
    const struct shader_stage *stage = &g->draw->stage[STAGE_HS];
    struct tess_state *ts = g->tess;
    uint32_t *entry = geom_entry(g, &g->hs_urb, index);
    struct thread_group group = {.barrier_count = ts->instances};
    struct thread_env env;
    struct eu_start start;
    struct eu_thread *t = aligned_alloc(alignof(struct eu_thread),
                                        sizeof *t * ts->instances);
    if (!t) {
        geom_fail(g);
        return;
    }
    memset(entry, 0, g->hs_urb.entry_B);
    geom_env(g, stage, worker, &env, &start, 0xff);
    env.group = &group;
    bool ok = true;
    for (unsigned i = 0; i < ts->instances && ok; i++) {
        eu_thread_init(&t[i], &start);
        ok = hs_payload(g, &t[i], &ts->patch[index], entry, i,
                        worker * ts->instances + i);
    }
    if (ok)
        thread_run_group(t, ts->instances, &group, &env);
    else
        geom_fail(g);
    free(t);
}

/* ---- domain shader ---------------------------------------------------- */

/* Pushed patch data is the same for all lanes, so a register holds eight
 * dwords. */
static void
put_patch_data(struct geom *g, struct eu_thread *t, unsigned grf,
               const uint32_t *entry)
{
    const struct gen9_3dstate_ds *ds = &g->draw->ds;
    uint32_t from_B = ds->patch_urb_entry_read_offset * 32;
    uint32_t size_B = ds->patch_urb_entry_read_length * 32;
    uint32_t room_B = (EU_GRF_COUNT - grf) * EU_GRF_B;
    if (from_B >= g->hs_urb.entry_B)
        return;
    size_B = MIN2(size_B, g->hs_urb.entry_B - from_B);
    memcpy(eu_grf(t, grf), (const uint8_t *)entry + from_B,
           MIN2(size_B, room_B));
}

static void
put_domain_point(struct geom *g, struct eu_thread *t, unsigned lane,
                 const struct tess_point *p)
{
    const float one = 1.0f / TESS_ONE;
    int32_t w = 0;
    if (g->draw->ds.compute_w_coordinate_enable)
        w = TESS_ONE - p->u - p->v;
    eu_grf(t, 1)[lane] = bits_from_float((float)p->u * one);
    eu_grf(t, 2)[lane] = bits_from_float((float)p->v * one);
    eu_grf(t, 3)[lane] = bits_from_float((float)w * one);
}

static void
run_ds(struct geom *g, unsigned index, unsigned worker)
{
    const struct shader_stage *stage = &g->draw->stage[STAGE_DS];
    struct tess_state *ts = g->tess;
    const struct ds_work *work = &ts->work[index];
    const struct tess_patch *p = &ts->patch[work->patch];
    const uint32_t *patch = geom_entry(g, &g->hs_urb, work->patch);
    struct eu_thread t;
    struct eu_start start;
    struct thread_env env;
    memset(t.grf, 0, sizeof t.grf);
    unsigned grf = geom_payload(stage, &t, worker);
    if (!grf) {
        geom_fail(g);
        return;
    }
    eu_grf(&t, 0)[0] = geom_handle(g, patch);
    eu_grf(&t, 0)[1] = p->o.prim_id;
    for (unsigned lane = 0; lane < work->count; lane++) {
        struct geom_vert *v = &ts->vert[work->point + lane];
        *v = (struct geom_vert){
            .p.v.vue = geom_entry(g, &g->ds_urb, work->point + lane),
            .viewport = GEOM_VIEWPORT_NONE,
            .edge_flag = true,
        };
        memset(geom_entry(g, &g->ds_urb, work->point + lane), 0,
               g->ds_urb.entry_B);
        put_domain_point(g, &t, lane, &ts->point[work->point + lane]);
        eu_grf(&t, 4)[lane] = geom_handle(g, v->p.v.vue);
    }
    put_patch_data(g, &t, grf, patch);
    geom_env(g, stage, worker, &env, &start, (1u << work->count) - 1);
    eu_thread_init(&t, &start);
    thread_run(&t, &env);
}

static void
add_work(struct tess_state *t, unsigned patch)
{
    const struct tess_patch *p = &t->patch[patch];
    for (unsigned i = 0; i < p->point_count; i += 8)
        t->work[t->work_count++] = (struct ds_work){
            .patch = (uint16_t)patch,
            .count = (uint8_t)MIN2(p->point_count - i, 8),
            .point = p->point_first + i,
        };
}

static void
emit_patch(struct geom *g, const struct tess_patch *p)
{
    struct tess_state *t = g->tess;
    unsigned verts = t->mesh.object_verts;
    struct geom_object o = {
        .kind = (uint8_t)(verts == 1   ? GEOM_POINT
                          : verts == 2 ? GEOM_LINE
                                       : GEOM_TRI),
        .count = (uint8_t)verts,
        .edge_mask = 7,
        .prim_id = p->o.prim_id,
    };
    const uint16_t *index = t->index + p->index_first;
    for (unsigned i = 0; i + verts <= p->index_count; i += verts) {
        struct geom_vert *v[3];
        if (geom_stopped(g))
            return;
        /* Segments of an isoline form one line strip. */
        o.continues = verts == 2 && i && index[i] == index[i - 1];
        for (unsigned k = 0; k < verts; k++)
            v[k] = &t->vert[p->point_first + index[i + k]];
        geom_shaded(g, &o, v);
    }
}

/* Shades the queued points and passes on their objects. */
static void
flush_points(struct geom *g, unsigned patch_end)
{
    struct tess_state *t = g->tess;
    geom_for(g, t->work_count, run_ds);
    stats_add(STAT_threads_ds, t->work_count);
    if (g->draw->ds.statistics_enable)
        atomic_fetch_add(&g->draw->stats->ds_invocations, t->point_count);
    for (; t->patch_shown < patch_end && !geom_stopped(g); t->patch_shown++)
        emit_patch(g, &t->patch[t->patch_shown]);
    /* The GS reads the points' entries, which are reused next. */
    if (g->gs)
        gs_flush(g);
    t->point_count = t->index_count = t->work_count = 0;
}

/* ---- patches ---------------------------------------------------------- */

static void
queue_points(struct geom *g, unsigned i)
{
    struct tess_state *t = g->tess;
    struct tess_patch *p = &t->patch[i];
    struct tess_levels levels;
    tess_levels_read(&levels, t->params.domain, geom_entry(g, &g->hs_urb, i));
    tess_run(&t->params, &levels, &t->mesh);
    const struct tess_mesh *m = &t->mesh;
    if (t->point_count + m->point_count > t->point_cap ||
        t->index_count + m->index_count > t->index_cap)
        flush_points(g, i);
    p->point_first = t->point_count;
    p->point_count = m->point_count;
    p->index_first = t->index_count;
    p->index_count = m->index_count;
    memcpy(t->point + t->point_count, m->point,
           sizeof m->point[0] * m->point_count);
    memcpy(t->index + t->index_count, m->index,
           sizeof m->index[0] * m->index_count);
    t->point_count += m->point_count;
    t->index_count += m->index_count;
    add_work(t, i);
}

void
hsds_flush(struct geom *g)
{
    struct tess_state *t = g->tess;
    if (!t->patch_count)
        return;
    geom_for(g, t->patch_count, run_hs);
    stats_add(STAT_threads_hs, (uint64_t)t->patch_count * t->instances);
    if (g->draw->hs.statistics_enable)
        atomic_fetch_add(&g->draw->stats->hs_invocations, t->patch_count);
    t->patch_shown = 0;
    for (unsigned i = 0; i < t->patch_count && !geom_stopped(g); i++)
        queue_points(g, i);
    if (!geom_stopped(g))
        flush_points(g, t->patch_count);
    t->patch_count = 0;
    t->point_count = t->index_count = t->work_count = 0;
}

void
hsds_patch(struct geom *g, const struct geom_object *o,
           struct geom_vert *const *v)
{
    struct tess_state *t = g->tess;
    if (o->kind != GEOM_PATCH) {
        guest_error("tessellation of topology %u", g->draw->topology);
        return;
    }
    if (t->patch_count == t->patch_cap)
        hsds_flush(g);
    struct tess_patch *p = &t->patch[t->patch_count++];
    p->o = *o;
    for (unsigned i = 0; i < o->count; i++)
        p->handle[i] = geom_handle(g, v[i]->p.v.vue);
}
