/* gs.c: geometry shader: SIMD8 threads with a lane per object or, if instanced,
 * a lane per instance of one object. Then their entries are read as objects. */
#include "engine/geom/geom.h"

#include <stdlib.h>

#define GS_MAX_THREADS 128
#define GS_MAX_OBJECT_VERTS 6

struct gs_input {
    struct geom_object o;
    struct geom_vert *v[GS_MAX_OBJECT_VERTS];
};

struct gs_queue {
    unsigned instances;
    unsigned threads_cap, objects_cap;
    unsigned threads_per_object; /* 0 unless instanced */
    unsigned header_B;           /* vertex count and control data */
    unsigned vertex_B;
    unsigned max_vertices;
    unsigned count;
    struct gs_input *input;
    struct geom_vert *vert; /* vertices of the entry being read */
};

static bool
gs_layout(struct geom *g, struct gs_queue *q)
{
    const struct gen9_3dstate_gs *gs = &g->draw->gs;
    q->vertex_B = (gs->output_vertex_size + 1) * 16;
    q->header_B = gs->control_data_header_size * 32 +
                  (gs->static_output ? 0 : 32);
    if (g->gs_urb.entry_B < q->header_B) {
        guest_error("GS entry of %u bytes for %u of control data",
                    g->gs_urb.entry_B, q->header_B);
        return false;
    }
    q->max_vertices = (g->gs_urb.entry_B - q->header_B) / q->vertex_B;
    g->last_slots = q->vertex_B / 16;
    return true;
}

bool
gs_init(struct geom *g)
{
    const struct gen9_3dstate_gs *gs = &g->draw->gs;
    struct gs_queue *q = calloc(1, sizeof *q);
    if (!q)
        return false;
    g->gs = q;
    if (gs->dispatch_mode != GEN9_3DSTATE_GS_DISPATCH_MODE_SIMD8)
        unimp("GS dispatch mode %u", gs->dispatch_mode);
    g->gs_urb.entry_B = ALIGN_POT(MAX2(g->draw->urb_entry_B[3], 64u), 64u);
    if (!gs_layout(g, q))
        return false;
    q->instances = gs->instance_control + 1;
    if (q->instances > 1)
        q->threads_per_object = DIV_ROUND_UP(q->instances, 8);
    uint64_t threads = GEOM_STAGE_URB_B * 2 / g->gs_urb.entry_B / 8;
    q->threads_cap = (unsigned)CLAMP(threads, 4, GS_MAX_THREADS);
    if (q->threads_per_object) {
        q->threads_cap = MAX2(q->threads_cap, q->threads_per_object);
        q->objects_cap = q->threads_cap / q->threads_per_object;
        q->threads_cap = q->objects_cap * q->threads_per_object;
    } else {
        q->objects_cap = q->threads_cap * 8;
    }
    g->gs_urb.entries = q->threads_cap * 8;
    q->input = malloc(sizeof *q->input * q->objects_cap);
    q->vert = malloc(sizeof *q->vert * MAX2(q->max_vertices, 1));
    return q->input && q->vert;
}

void
gs_finish(struct geom *g)
{
    if (!g->gs)
        return;
    free(g->gs->input);
    free(g->gs->vert);
    free(g->gs);
    g->gs = NULL;
}

/* ---- input ------------------------------------------------------------ */

/* Copies an object's vertices; gives odd strip triangles the winding of even
 * ones (Reorder Mode). */
static void
take_vertices(const struct geom *g, const struct geom_object *o,
              struct geom_vert *const *v, struct gs_input *in)
{
    static const uint8_t adjacent[2][6] = {{0, 5, 4, 3, 2, 1},
                                           {2, 1, 0, 5, 4, 3}};
    const struct gen9_3dstate_gs *gs = &g->draw->gs;
    bool trailing = gs->reorder_mode == GEN9_3DSTATE_GS_REORDER_MODE_TRAILING;
    for (unsigned i = 0; i < o->count; i++) {
        unsigned from = i;
        if (o->odd && o->kind == GEOM_TRI)
            from = assemble_odd_order(i, trailing);
        else if (o->odd && o->kind == GEOM_TRI_ADJ)
            from = adjacent[trailing][i];
        in->v[i] = v[from];
    }
    in->o = *o;
    if (!gs->discard_adjacency)
        return;
    if (o->kind == GEOM_LINE_ADJ) {
        in->v[0] = in->v[1];
        in->v[1] = in->v[2];
        in->o.count = 2;
    } else if (o->kind == GEOM_TRI_ADJ) {
        in->v[1] = in->v[2];
        in->v[2] = in->v[4];
        in->o.count = 3;
    }
}

void
gs_object(struct geom *g, const struct geom_object *o,
          struct geom_vert *const *v)
{
    struct gs_queue *q = g->gs;
    if (o->count > GS_MAX_OBJECT_VERTS) {
        unimp("GS on patches");
        return;
    }
    if (q->count == q->objects_cap)
        gs_flush(g);
    take_vertices(g, o, v, &q->input[q->count++]);
}

/* ---- threads ---------------------------------------------------------- */

/* Object and instance of a lane. False: the lane is unused. */
static bool
lane_work(const struct gs_queue *q, unsigned thread, unsigned lane,
          unsigned *object, unsigned *instance)
{
    if (!q->threads_per_object) {
        *object = thread * 8 + lane;
        *instance = 0;
    } else {
        *object = thread / q->threads_per_object;
        *instance = thread % q->threads_per_object * 8 + lane;
    }
    return *object < q->count && *instance < q->instances;
}

/* Writes handles of an object's vertices: a register per vertex with one lane
 * per object, or packed if all lanes share an object. */
static void
put_vertex_handles(struct geom *g, struct eu_thread *t, unsigned grf,
                   const struct gs_input *in, unsigned lane, bool instanced)
{
    for (unsigned i = 0; i < in->o.count; i++) {
        uint32_t handle = geom_handle(g, in->v[i]->p.v.vue);
        if (instanced)
            eu_grf(t, grf)[i] = handle;
        else
            eu_grf(t, grf + i)[lane] = handle;
    }
}

static void
put_vertex_data(struct geom *g, struct eu_thread *t, unsigned grf,
                const struct gs_input *in, unsigned lane, unsigned in_slots)
{
    const struct gen9_3dstate_gs *gs = &g->draw->gs;
    unsigned from = gs->vertex_urb_entry_read_offset * 8;
    unsigned dwords = gs->vertex_urb_entry_read_length * 8;
    for (unsigned i = 0; i < in->o.count; i++) {
        for (unsigned d = 0; d < dwords; d++) {
            unsigned r = grf + i * dwords + d;
            if (r >= EU_GRF_COUNT)
                return;
            eu_grf(t, r)[lane] = from + d < in_slots * 4
                                     ? in->v[i]->p.v.vue[from + d]
                                     : 0;
        }
    }
}

static void
run_thread(struct geom *g, unsigned index, unsigned worker)
{
    const struct draw *draw = g->draw;
    const struct shader_stage *stage = &draw->stage[STAGE_GS];
    struct gs_queue *q = g->gs;
    struct eu_thread t;
    struct eu_start start;
    struct thread_env env;
    unsigned in_slots = (g->tess ? g->ds_urb : g->vs_urb).entry_B / 16;
    uint32_t mask = 0;
    memset(t.grf, 0, sizeof t.grf);
    unsigned push = geom_payload(stage, &t, worker);
    if (!push) {
        geom_fail(g);
        return;
    }
    for (unsigned lane = 0; lane < 8; lane++) {
        unsigned object, instance;
        if (!lane_work(q, index, lane, &object, &instance))
            continue;
        const struct gs_input *in = &q->input[object];
        uint32_t *out = geom_entry(g, &g->gs_urb, index * 8 + lane);
        unsigned grf = 2;
        mask |= 1u << lane;
        memset(out, 0, g->gs_urb.entry_B);
        eu_grf(&t, 1)[lane] = geom_handle(g, out) | instance << 27;
        if (draw->gs.include_primitive_id)
            eu_grf(&t, grf++)[lane] = in->o.prim_id;
        if (draw->gs.include_vertex_handles)
            put_vertex_handles(g, &t, grf, in, lane, q->instances > 1);
        if (q->instances == 1)
            put_vertex_data(g, &t, push, in, lane, in_slots);
    }
    geom_env(g, stage, worker, &env, &start, mask);
    eu_thread_init(&t, &start);
    thread_run(&t, &env);
}

/* ---- output ----------------------------------------------------------- */

struct gs_strip {
    struct geom *g;
    const struct gs_input *in;
    unsigned count; /* vertices since the last cut */
    struct geom_vert *v[3];
    unsigned stream;
    uint64_t prims;
};

static void
strip_vertex(struct gs_strip *s, struct geom_vert *v, unsigned topology)
{
    struct geom_object o = {.edge_mask = 7, .prim_id = s->in->o.prim_id};
    s->v[0] = s->v[1];
    s->v[1] = s->v[2];
    s->v[2] = v;
    s->count++;
    switch (topology) {
    case GEN9_3DPRIM_POINTLIST:
        o.kind = GEOM_POINT;
        o.count = 1;
        break;
    case GEN9_3DPRIM_LINESTRIP:
        o.kind = GEOM_LINE;
        o.count = 2;
        o.continues = s->count > 2;
        break;
    case GEN9_3DPRIM_TRISTRIP:
        o.kind = GEOM_TRI;
        o.count = 3;
        o.odd = s->count % 2 == 0;
        break;
    default: unimp("GS output topology %u", topology); return;
    }
    if (s->count < o.count)
        return;
    s->prims++;
    output_object(s->g, &o, s->v + 3 - o.count, s->stream);
}

static unsigned
vertex_count(const struct geom *g, const uint32_t *entry)
{
    const struct gen9_3dstate_gs *gs = &g->draw->gs;
    uint32_t n = gs->static_output ? gs->static_output_vertex_count : entry[0];
    return MIN2(n, g->gs->max_vertices);
}

static uint64_t
read_entry(struct geom *g, const struct gs_input *in, uint32_t *entry)
{
    const struct gen9_3dstate_gs *gs = &g->draw->gs;
    struct gs_queue *q = g->gs;
    const uint32_t *control = entry + (gs->static_output ? 0 : 8);
    unsigned control_bits = gs->control_data_header_size * 256;
    bool sid = gs->control_data_format ==
               GEN9_3DSTATE_GS_CONTROL_DATA_FORMAT_SID;
    struct gs_strip s = {.g = g, .in = in, .stream = gs->default_stream_id};
    unsigned n = vertex_count(g, entry);
    for (unsigned i = 0; i < n; i++) {
        q->vert[i] = (struct geom_vert){
            .p.v.vue = entry + (q->header_B + i * q->vertex_B) / 4,
            .viewport = GEOM_VIEWPORT_NONE,
            .edge_flag = true,
        };
        unsigned bit = sid ? i * 2 : i;
        uint32_t bits = bit < control_bits ? control[bit / 32] >> (bit % 32)
                                           : 0;
        if (sid && control_bits)
            s.stream = bits & 3;
        strip_vertex(&s, &q->vert[i], gs->output_topology);
        if (!sid && (bits & 1))
            s.count = 0;
    }
    return s.prims;
}

void
gs_flush(struct geom *g)
{
    struct gs_queue *q = g->gs;
    const struct draw *draw = g->draw;
    uint64_t prims = 0;
    if (!q->count)
        return;
    unsigned threads = q->threads_per_object ? q->count * q->threads_per_object
                                             : DIV_ROUND_UP(q->count, 8);
    geom_for(g, threads, run_thread);
    stats_add(STAT_threads_gs, threads);
    for (unsigned t = 0; t < threads; t++) {
        for (unsigned lane = 0; lane < 8 && !geom_stopped(g); lane++) {
            unsigned object, instance;
            if (lane_work(q, t, lane, &object, &instance))
                prims += read_entry(g, &q->input[object],
                                    geom_entry(g, &g->gs_urb, t * 8 + lane));
        }
    }
    if (draw->gs.statistics_enable) {
        atomic_fetch_add(&draw->stats->gs_invocations,
                         (uint64_t)q->count * q->instances);
        atomic_fetch_add(&draw->stats->gs_primitives, prims);
    }
    q->count = 0;
}
