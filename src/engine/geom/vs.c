/* Vertex shader threads: SIMD8, eight vertices of the batch each. */
#include "engine/geom/geom.h"

static void
put_inputs(struct geom *g, struct eu_thread *t, unsigned grf, unsigned first,
           unsigned count)
{
    const struct gen9_3dstate_vs *vs = &g->draw->vs;
    unsigned from = vs->vertex_urb_entry_read_offset * 8;
    unsigned dwords = vs->vertex_urb_entry_read_length * 8;
    unsigned have = fetch_slots(g->fetch) * 4;
    uint32_t in[DRAW_MAX_VE * 8];
    dwords = MIN2(dwords, EU_GRF_COUNT - grf);
    for (unsigned lane = 0; lane < 8; lane++) {
        if (lane < count) {
            struct geom_vert *v = &g->batch.vert[first + lane];
            fetch_vertex(g, g->batch.key[first + lane],
                         g->batch.instance[first + lane], in, &v->edge_flag);
        }
        for (unsigned d = 0; d < dwords; d++)
            eu_grf(t, grf + d)[lane] = lane < count && from + d < have
                                           ? in[from + d]
                                           : 0;
    }
}

static void
run_thread(struct geom *g, unsigned index, unsigned worker)
{
    const struct shader_stage *stage = &g->draw->stage[STAGE_VS];
    unsigned first = index * 8;
    unsigned count = MIN2(g->batch.vert_count - first, 8);
    struct eu_thread t;
    struct eu_start start;
    struct thread_env env;
    uint32_t mask = (1u << count) - 1;
    geom_env(g, stage, worker, &env, &start, mask);
    eu_launch_zero(&g->vs_launch, &t, 0);
    unsigned grf = geom_payload(stage, &t, worker);
    if (!grf) {
        geom_fail(g);
        return;
    }
    memset(g->batch.vert[first].vue, 0, (size_t)g->vs_urb.entry_B * count);
    for (unsigned lane = 0; lane < 8; lane++)
        eu_grf(&t, 1)[lane] = geom_handle(
            g, g->batch.vert[first + MIN2(lane, count - 1)].vue);
    put_inputs(g, &t, grf, first, count);
    msg_launch(&g->vs_launch, &t, &env, mask, mask);
}

/* VS off: the elements are the VUE (this is how drivers blit and clear). */
static void
run_fetch(struct geom *g)
{
    for (unsigned i = 0; i < g->batch.vert_count; i++) {
        struct geom_vert *v = &g->batch.vert[i];
        memset(v->vue, 0, g->vs_urb.entry_B);
        fetch_vertex(g, g->batch.key[i], g->batch.instance[i], v->vue,
                     &v->edge_flag);
    }
}

void
vs_run(struct geom *g)
{
    unsigned count = g->batch.vert_count;
    stats_add(STAT_vertices, count);
    if (!g->draw->stage[STAGE_VS].enabled) {
        run_fetch(g);
        return;
    }
    struct eu_start start;
    struct thread_env env;
    geom_env(g, &g->draw->stage[STAGE_VS], 0, &env, &start, 0);
    eu_launch_init(&g->vs_launch, &start);
    unsigned threads = DIV_ROUND_UP(count, 8);
    geom_for(g, threads, run_thread);
    stats_add(STAT_threads_vs, threads);
    if (g->draw->vs.statistics_enable)
        atomic_fetch_add(&g->draw->stats->vs_invocations, count);
}
