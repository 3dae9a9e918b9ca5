/* The draw loop: indices to batches of objects, batches through the stages. */
#include "engine/geom/geom.h"

#include <stdlib.h>

#include "base/pool.h"

/* Room beyond a batch's capacity: whether an object's vertices are new ones
 * is found out only when it has been let in. */
#define BATCH_SLACK GEOM_MAX_OBJECT_VERTS

/* Handing work to other threads costs as much as a few EU threads. */
#define GEOM_INLINE_JOBS 12

struct geom_job {
    struct geom *g;
    void (*fn)(struct geom *g, unsigned index, unsigned worker);
};

static void
run_job(void *ctx, unsigned index, unsigned worker)
{
    const struct geom_job *job = ctx;
    if (geom_stopped(job->g))
        return;
    vm_thread_enter();
    job->fn(job->g, index, worker);
    vm_thread_leave();
}

void
geom_fail(struct geom *g)
{
    if (g->draw->reset)
        atomic_store(g->draw->reset, true);
}

void
geom_for(struct geom *g, unsigned count,
         void (*fn)(struct geom *g, unsigned index, unsigned worker))
{
    struct geom_job job = {g, fn};
    if (count > GEOM_INLINE_JOBS && g->draw->pool &&
        pool_workers(g->draw->pool) > 1) {
        pool_for(g->draw->pool, count, run_job, &job);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        run_job(&job, i, 0);
}

void
geom_env(const struct geom *g, const struct shader_stage *stage,
         unsigned worker, struct thread_env *env, struct eu_start *start,
         uint32_t dispatch_mask)
{
    *env = (struct thread_env){
        .stage = stage,
        .vm = g->draw->vm,
        .urb = g->urb,
        .reset = g->draw->reset,
        .worker = worker,
    };
    stage_start(stage, start);
    start->simd = 8;
    start->dispatch_mask = dispatch_mask;
    start->vector_mask = dispatch_mask;
    start->send = msg_send;
    start->user = env;
}

unsigned
geom_payload(const struct shader_stage *stage, struct eu_thread *thread,
             unsigned fftid)
{
    unsigned grf = stage->grf_start;
    stage_header(stage, eu_grf(thread, 0), fftid);
    if (!stage->push)
        return MAX2(grf, 1);
    if (grf >= EU_GRF_COUNT || stage->push_grf > EU_GRF_COUNT - grf) {
        guest_error("%u constant registers do not fit behind r%u",
                    stage->push_grf, grf);
        return 0;
    }
    memcpy(eu_grf(thread, grf), stage->push, stage->push_grf * EU_GRF_B);
    return MAX2(grf + stage->push_grf, 1);
}

/* ---- batches ---------------------------------------------------------- */

static void
new_generation(struct batch *b)
{
    if (++b->generation)
        return;
    memset(b->slot, 0, sizeof *b->slot * (b->slot_mask + 1));
    b->generation = 1;
}

static void
batch_reset(struct batch *b)
{
    b->vert_count = b->object_count = b->index_count = 0;
    new_generation(b);
}

static void
batch_run(struct geom *g)
{
    struct batch *b = &g->batch;
    if (b->object_count && !geom_stopped(g)) {
        vs_run(g);
        for (unsigned i = 0; i < b->object_count && !geom_stopped(g); i++) {
            const struct batch_object *bo = &b->object[i];
            struct geom_vert *v[GEOM_MAX_OBJECT_VERTS];
            for (unsigned k = 0; k < bo->o.count; k++)
                v[k] = &b->vert[b->index[bo->first + k]];
            if (g->tess)
                hsds_patch(g, &bo->o, v);
            else
                geom_shaded(g, &bo->o, v);
        }
        if (g->tess)
            hsds_flush(g);
        if (g->gs)
            gs_flush(g);
    }
    batch_reset(b);
}

/* The batch's vertex of a key; there is room for it. */
static uint32_t
batch_vertex(struct geom *g, uint32_t key)
{
    struct batch *b = &g->batch;
    uint32_t h = (key * 0x9e3779b1u) >> 7;
    for (;; h++) {
        struct batch_slot *s = &b->slot[h & b->slot_mask];
        if (s->generation == b->generation) {
            if (s->key == key)
                return s->vert;
            continue;
        }
        uint32_t i = b->vert_count++;
        struct geom_vert *v = &b->vert[i];
        *s = (struct batch_slot){key, b->generation, i};
        *v = (struct geom_vert){
            .vue = geom_entry(g, &g->vs_urb, i),
            .viewport = GEOM_VIEWPORT_NONE,
            .edge_flag = true,
        };
        memset(v->vue, 0, g->vs_urb.entry_B);
        b->key[i] = key;
        b->instance[i] = g->instance;
        return i;
    }
}

static void
batch_object(void *ctx, const struct geom_assembled *in)
{
    struct geom *g = ctx;
    struct batch *b = &g->batch;
    if (b->vert_count + in->o.count > b->vert_cap + BATCH_SLACK ||
        b->index_count + in->o.count > b->index_cap ||
        b->object_count == b->object_cap)
        batch_run(g);
    struct batch_object *bo = &b->object[b->object_count++];
    bo->o = in->o;
    bo->first = b->index_count;
    for (unsigned i = 0; i < in->o.count; i++)
        b->index[b->index_count++] = batch_vertex(g, in->key[i]);
    /* The two halves of a quad are one primitive. */
    if (in->o.family != FAMILY_POLYGON || (in->o.edge_mask & 4))
        g->ia_primitives++;
}

/* Vertices of another instance are others. A small instance is not split, so
 * that none of its vertices is shaded twice. */
static void
batch_instance(struct geom *g)
{
    struct batch *b = &g->batch;
    uint32_t count = g->draw->vertex_count;
    if (count <= b->vert_cap && b->vert_count > b->vert_cap - count)
        batch_run(g);
    new_generation(b);
}

static bool
batch_init(struct geom *g, uint64_t total)
{
    struct batch *b = &g->batch;
    uint64_t cap = MIN2(GEOM_STAGE_URB_B / g->vs_urb.entry_B,
                        (uint64_t)GEOM_BATCH_VERTS);
    cap = MAX2(MIN2(cap, total), (uint64_t)GEOM_MAX_OBJECT_VERTS);
    b->vert_cap = (unsigned)cap;
    b->object_cap = (unsigned)MIN2(total * 2 + 2, (uint64_t)GEOM_BATCH_OBJECTS);
    b->index_cap = MAX2(b->object_cap * 4, GEOM_MAX_OBJECT_VERTS);
    uint32_t slots = 64;
    while (slots < (cap + BATCH_SLACK) * 2)
        slots *= 2;
    b->slot_mask = slots - 1;
    size_t room = cap + BATCH_SLACK;
    b->vert = malloc(sizeof *b->vert * room);
    b->key = malloc(sizeof *b->key * room);
    b->instance = malloc(sizeof *b->instance * room);
    b->object = malloc(sizeof *b->object * b->object_cap);
    b->index = malloc(sizeof *b->index * b->index_cap);
    b->slot = calloc(slots, sizeof *b->slot);
    b->generation = 1;
    g->vs_urb.entries = b->vert_cap + BATCH_SLACK;
    return b->vert && b->key && b->instance && b->object && b->index && b->slot;
}

static void
batch_finish(struct batch *b)
{
    free(b->vert);
    free(b->key);
    free(b->instance);
    free(b->object);
    free(b->index);
    free(b->slot);
}

/* ---- indices ---------------------------------------------------------- */

static uint32_t
read_index(const struct draw *draw, uint64_t i)
{
    unsigned size_B = draw->index_buffer.index_B;
    uint64_t at = i * size_B;
    if (at + size_B > draw->index_buffer.size_B)
        return 0;
    const void *p = vm_ptr(draw->vm, draw->index_buffer.va + at);
    uint16_t u16;
    uint32_t u32;
    switch (size_B) {
    case 1: return *(const uint8_t *)p;
    case 2: memcpy(&u16, p, 2); return u16;
    default: memcpy(&u32, p, 4); return u32;
    }
}

static void
walk_instance(struct geom *g)
{
    const struct draw *draw = g->draw;
    bool cut = draw->indexed && draw->vf.indexed_draw_cut_index_enable;
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < draw->vertex_count; i++) {
        uint32_t key = i;
        if (i % 1024 == 0 && geom_stopped(g))
            return;
        if (draw->indexed) {
            key = read_index(draw, (uint64_t)draw->start_vertex + i);
            if (cut && key == draw->vf.cut_index) {
                assemble_cut(&g->assembler);
                continue;
            }
        }
        vertices++;
        assemble_vertex(&g->assembler, key);
    }
    assemble_end(&g->assembler);
    g->ia_vertices += vertices;
}

/* ---- the draw --------------------------------------------------------- */

void
geom_shaded(struct geom *g, const struct geom_object *o,
            struct geom_vert *const *v)
{
    if (g->gs)
        gs_object(g, o, v);
    else
        output_object(g, o, v, 0);
}

static bool
urb_init(struct geom *g)
{
    struct urb_region *region[] = {&g->vs_urb, &g->hs_urb, &g->ds_urb,
                                   &g->gs_urb};
    uint64_t size_B = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(region); i++) {
        region[i]->handle = (uint32_t)(size_B / 64);
        size_B += (uint64_t)region[i]->entry_B * region[i]->entries;
    }
    /* Handles have 27 bits: an instanced GS keeps its instance above. */
    assert(size_B / 64 < 1u << 27);
    g->urb.base = aligned_alloc(64, ALIGN_POT(size_B, (uint64_t)64));
    g->urb.size_B = size_B;
    return g->urb.base != NULL;
}

static bool
geom_init(struct geom *g)
{
    const struct draw *draw = g->draw;
    if (!assemble_init(&g->assembler, draw->topology, batch_object, g)) {
        guest_error("primitive topology %u", draw->topology);
        return false;
    }
    if (!fetch_init(g))
        return false;
    uint32_t need_B = fetch_slots(g->fetch) * 16;
    bool vs = draw->stage[STAGE_VS].enabled;
    g->vs_urb.entry_B = vs ? draw->urb_entry_B[0]
                           : MAX2(need_B, draw->urb_entry_B[0]);
    g->vs_urb.entry_B = ALIGN_POT(MAX2(g->vs_urb.entry_B, 64u), 64u);
    g->last_slots = g->vs_urb.entry_B / 16;
    if (!batch_init(g, (uint64_t)draw->vertex_count * draw->instance_count))
        return false;
    if (draw->te.te_enable && !hsds_init(g))
        return false;
    if (draw->stage[STAGE_GS].enabled && !gs_init(g))
        return false;
    return output_init(g) && urb_init(g);
}

static void
add_statistics(struct geom *g)
{
    struct pipeline_stats *stats = g->draw->stats;
    stats_add(STAT_prims_in, g->ia_primitives);
    if (g->draw->vf_statistics) {
        atomic_fetch_add(&stats->ia_vertices, g->ia_vertices);
        atomic_fetch_add(&stats->ia_primitives, g->ia_primitives);
    }
}

void
geom_draw(const struct draw *draw)
{
    struct geom g = {.draw = draw};
    bool ok = geom_init(&g);
    if (ok) {
        vm_thread_enter();
        uint32_t instances = draw->vertex_count ? draw->instance_count : 0;
        for (uint32_t i = 0; i < instances; i++) {
            if (geom_stopped(&g))
                break;
            g.instance = i;
            batch_instance(&g);
            walk_instance(&g);
        }
        batch_run(&g);
        vm_thread_leave();
        add_statistics(&g);
        output_finish(&g);
    } else {
        trace(geom, "draw %llu dropped", (unsigned long long)draw->id);
    }
    if (g.scene)
        scene_destroy(g.scene);
    clip_finish(&g);
    gs_finish(&g);
    hsds_finish(&g);
    batch_finish(&g.batch);
    fetch_finish(&g);
    free(g.urb.base);
}
