/* geom.c: runs a draw through the geometry pipeline; functions that the stages
 * share. */
#include "engine/geom/geom.h"
#include "engine/geom/vue_transpose.h"

#include <stdlib.h>

#include "base/pool.h"

/* Up to so many jobs run inline: handing work to other threads costs as much as
 * a few EU threads. */
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
geom_look_at_clock(struct geom *g)
{
    double done = (double)(g->splits ? g->ia_primitives : g->ia_vertices);
    if (hang_is_hopeless(g->draw->hang, g->begun_ns, done * g->lanes_count,
                         g->work, "draw"))
        geom_fail(g);
}

void
geom_for(struct geom *g, unsigned count,
         void (*fn)(struct geom *g, unsigned index, unsigned worker))
{
    struct geom_job job = {g, fn};
    if (g->lane) {
        for (unsigned i = 0; i < count && !geom_stopped(g); i++)
            fn(g, i, g->worker);
        return;
    }
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
        .hang = g->draw->hang,
        .worker = worker,
    };
    stage_start(stage, start);
    start->simd = 8;
    start->dispatch_mask = dispatch_mask;
    start->vector_mask = dispatch_mask;
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

bool
geom_urb_init(struct geom *g)
{
    struct urb_region *region[] = {&g->vs_urb, &g->hs_urb, &g->ds_urb,
                                   &g->gs_urb};
    uint64_t size_B = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(region); i++) {
        region[i]->handle = (uint32_t)(size_B / 64);
        size_B += (uint64_t)region[i]->entry_B * region[i]->entries;
    }
    /* Handles have 27 bits; an instanced GS puts its instance above. */
    assert(size_B / 64 < 1u << 27);
    g->urb.base = geom_take(g, GEOM_URB, size_B);
    g->urb.size_B = size_B;
    g->urb.put_columns = geom_lanes_selected()->columns;
    return g->urb.base != NULL;
}

/* Whether only the counters can tell that the draw ran. */
static bool
is_unseen(const struct draw *draw)
{
    const struct shader_stage *vs = &draw->stage[STAGE_VS];
    bool rejected = draw->clip.clip_enable &&
                    draw->clip.clip_mode ==
                        GEN9_3DSTATE_CLIP_CLIP_MODE_CLIPMODE_REJECT_ALL;
    return (rejected || draw->so.rendering_disable) &&
           !draw->so.so_function_enable && !draw->te.te_enable &&
           !draw->stage[STAGE_GS].enabled &&
           (!vs->enabled || (vs->kernel && eu_kernel_is_pure(vs->kernel)));
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
    g->tris = tris_possible(g);
    g->unseen = is_unseen(draw) && !draw->oa;
    if (!batch_init(g))
        return false;
    if (draw->te.te_enable && !hsds_init(g))
        return false;
    if (draw->stage[STAGE_GS].enabled && !gs_init(g))
        return false;
    return output_init(g) && geom_urb_init(g);
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

static void
give_totals(const struct geom *g, struct draw_totals *t)
{
    *t = (struct draw_totals){
        .vertices = g->ia_vertices,
        .prims = g->ia_primitives,
        .clip_in = g->cl_invocations,
        .clip_cut = g->cl_cut,
        .clip_pieces = g->cl_pieces,
        .clip_out = g->cl_primitives,
    };
}

void
geom_draw(const struct draw *draw)
{
    struct geom g = {.draw = draw};
    geom_find_kept(&g);
    bool ok = geom_init(&g);
    if (ok) {
        vm_thread_enter();
        chunks_run(&g);
        vm_thread_leave();
        add_statistics(&g);
        output_finish(&g);
        if (draw->totals)
            give_totals(&g, draw->totals);
    } else {
        trace(geom, "draw %llu dropped", (unsigned long long)draw->id);
    }
    if (g.scene)
        scene_destroy(g.scene);
    clip_finish(&g);
    gs_finish(&g);
    hsds_finish(&g);
    batch_finish(&g);
    fetch_finish(&g);
    geom_give(&g, GEOM_URB, g.urb.base);
}
