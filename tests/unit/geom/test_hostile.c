/* test_hostile.c: draws of random state over random memory must end, and must
 * not access memory outside of the draw (run under a sanitizer to be sure). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "rig.h"

static _Thread_local uint64_t seed;

static uint32_t
random_bits(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static uint32_t
below(uint32_t n)
{
    return random_bits() % n;
}

/* Fills a packet's bits, often with plausible values. */
static void
scramble(void *p, size_t size_B)
{
    for (size_t i = 0; i < size_B; i++)
        if (!below(40))
            ((uint8_t *)p)[i] = (uint8_t)random_bits();
}

static uint32_t
random_float(void)
{
    static const float some[] = {0, 1, -1, 0.5f, 2, 3.7f, 64, 1e30f, -0.0f};
    if (!below(20))
        return random_bits();
    return bits_from_float(some[below(ARRAY_SIZE(some))]);
}

/* Writes random data wherever a handle points. */
static void
kernel(struct eu_thread *t, struct thread_env *env)
{
    static const uint8_t handles[] = {
        [STAGE_VS] = 1, [STAGE_HS] = 0, [STAGE_DS] = 4, [STAGE_GS] = 1};
    unsigned grf = handles[env->stage->kind];
    unsigned size_dw = rig.draw.urb_entry_B[env->stage->kind] / 4;
    for (unsigned lane = 0; lane < (grf ? 8 : 1); lane++) {
        if (grf && !(t->sr0[2] >> lane & 1))
            continue;
        uint64_t at = (uint64_t)(eu_grf(t, grf)[lane] & 0x07ffffff) * 64;
        cr_assert_leq(at + size_dw * 4, env->urb.size_B);
        uint32_t *out = (uint32_t *)(void *)(env->urb.base + at);
        for (unsigned i = 0; i < size_dw; i++)
            out[i] = random_float();
        if (env->stage->kind == STAGE_GS)
            out[0] = below(20);
        if (env->stage->kind == STAGE_HS)
            for (unsigned i = 2; i < 8; i++)
                out[i] = bits_from_float((float)below(7));
    }
}

static void
random_booleans(void)
{
    struct draw *d = &rig.draw;
    d->indexed = below(2);
    d->vf.indexed_draw_cut_index_enable = below(2);
    d->sgvs.vertexid_enable = below(2);
    d->sgvs.instanceid_enable = below(2);
    d->clip.viewport_xy_clip_test_enable = below(2);
    d->clip.guardband_clip_test_enable = below(4);
    d->clip.non_perspective_barycentric_enable = below(2);
    d->so.so_function_enable = below(2);
    d->gs.static_output = below(2);
    d->gs.discard_adjacency = below(2);
    d->gs.include_primitive_id = below(2);
    d->gs.include_vertex_handles = below(2);
    d->hs.include_vertex_handles = below(2);
    d->ds.compute_w_coordinate_enable = below(2);
}

static void
random_input(void)
{
    struct draw *d = &rig.draw;
    static const uint8_t index_B[] = {1, 2, 4};
    d->start_vertex = below(3) ? 0 : random_bits();
    d->base_vertex = below(3) ? 0 : (int32_t)random_bits();
    d->start_instance = below(3) ? 0 : random_bits();
    d->instance_count = below(4);
    d->index_buffer.va = below(RIG_MEMORY_B / 2);
    d->index_buffer.size_B = below(1000);
    d->index_buffer.index_B = index_B[below(3)];
    for (unsigned i = 0; i < DRAW_MAX_VB; i++) {
        d->vb[i].valid = below(4);
        d->vb[i].va = below(RIG_MEMORY_B / 2);
        d->vb[i].size_B = below(RIG_MEMORY_B / 2);
        d->vb[i].pitch_B = below(5) ? below(100) : random_bits();
    }
    d->ve_count = below(DRAW_MAX_VE + 1);
    for (unsigned i = 0; i < d->ve_count; i++) {
        struct gen9_vertex_element_state *ve = &d->ve[i].ve;
        ve->valid = below(8);
        ve->edge_flag_enable = !below(10);
        ve->vertex_buffer_index = below(64);
        ve->source_element_format = below(3) ? below(0x280) : 0;
        ve->source_element_offset = below(2048);
        ve->component_0_control = below(8);
        ve->component_1_control = below(8);
        ve->component_2_control = below(8);
        ve->component_3_control = below(8);
        d->ve[i].instancing = below(2);
        d->ve[i].step_rate = below(3);
    }
}

static void
random_output(void)
{
    struct draw *d = &rig.draw;
    for (unsigned i = 0; i < 4; i++) {
        d->urb_entry_B[i] = 64 * (1 + below(12));
        d->so_buffer[i].enabled = below(2);
        d->so_buffer[i].va = RIG_MEMORY_B / 2 + below(RIG_MEMORY_B / 4);
        d->so_buffer[i].size_B = below(2000);
        d->so_buffer[i].pitch_B = below(100);
        d->so_stream[i].decl_count = below(20);
        d->so_stream[i].buffer_mask = below(16);
        d->so_stream[i].read_offset = below(2);
        rig.so_offset[i] = below(4) ? 0 : random_bits();
        for (unsigned k = 0; k < 20; k++)
            d->so_stream[i].decl[k] = (struct gen9_so_decl){
                .component_mask = below(16),
                .register_index = below(64),
                .hole_flag = below(2),
                .output_buffer_slot = below(4)};
    }
    for (unsigned i = 0; i < DRAW_MAX_VIEWPORTS; i++)
        scramble(&d->viewport[i], sizeof d->viewport[i]);
}

static void
random_draw(void)
{
    static const uint8_t topologies[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,
                                         9,  10, 11, 12, 13, 14, 15, 16, 18,
                                         22, 30, 32, 34, 35, 40, 63};
    rig_init(topologies[below(ARRAY_SIZE(topologies))], below(60));
    rig_clip();
    struct draw *d = &rig.draw;
    random_booleans();
    random_input();
    random_output();
    for (unsigned i = 0; i < RIG_MEMORY_B / 8; i++)
        memcpy(rig.memory + i * 4, &(uint32_t){random_float()}, 4);
    d->clip.clip_mode = below(6);
    d->clip.force_user_clip_distance_clip_test_enable_bitmask = below(2);
    d->clip.user_clip_distance_clip_test_enable_bitmask = below(256);
    d->vs.user_clip_distance_cull_test_enable_bitmask = below(4);
    d->vs.vertex_urb_entry_read_length = below(20);
    d->vs.vertex_urb_entry_read_offset = below(3);
    d->hs.instance_count = below(3);
    d->te.te_domain = below(4);
    d->te.partitioning = below(4);
    d->te.output_topology = below(4);
    d->ds.patch_urb_entry_read_length = below(10);
    d->gs.output_vertex_size = below(8);
    d->gs.output_topology = below(8);
    d->gs.control_data_header_size = below(3);
    d->gs.control_data_format = below(2);
    d->gs.instance_control = below(3) ? 0 : below(32);
    d->gs.vertex_urb_entry_read_length = below(4);
    d->gs.static_output_vertex_count = below(30);
    d->gs.dispatch_mode = GEN9_3DSTATE_GS_DISPATCH_MODE_SIMD8;
    d->sbe.vertex_urb_entry_read_length = below(20);
    if (below(4))
        rig_stage(STAGE_VS, kernel);
    if (d->topology >= 32 || !below(10)) {
        rig_stage(STAGE_HS, kernel);
        rig_stage(STAGE_DS, kernel);
        d->te.te_enable = below(8);
    }
    if (!below(3))
        rig_stage(STAGE_GS, kernel);
    rig.flush_every = below(30);
    rig_draw();
    rig_finish();
}

Test(hostile, random_draws_end_well)
{
    for (unsigned i = 0; i < 150; i++) {
        seed = i;
        random_draw();
    }
}

/* ---- threads that fail ------------------------------------------------ */

static atomic_uint until_failure; /* threads */

/* Like the real ones: a failed thread leaves its outputs as they are. */
static void
failing_kernel(struct eu_thread *t, struct thread_env *env)
{
    if (atomic_load(&rig.reset))
        return;
    if (atomic_fetch_sub(&until_failure, 1) == 1)
        atomic_store(&rig.reset, true);
    else
        kernel(t, env);
}

/* Enough vertices for several jobs, positions of any kind: many are clipped. */
static void
failing_draw(unsigned topology, bool tess, bool gs, unsigned threads)
{
    rig_init(topology, 999);
    rig_clip();
    rig_threads(threads);
    rig_vertex(0, 0, 0, 0, 1, 0);
    rig.draw.vb[0].pitch_B = 0;
    rig.draw.sgvs.vertexid_enable = true;
    rig.draw.clip.maximum_vp_index = 0; /* the fast path of triangles */
    rig.draw.clip.force_zero_rta_index_enable = true;
    rig.draw.instance_count = 2;
    rig.draw.vs.vertex_urb_entry_read_length = 2;
    rig_stage(STAGE_VS, failing_kernel);
    for (unsigned i = 0; i < 4; i++)
        rig.draw.urb_entry_B[i] = 256;
    if (tess) {
        rig_stage(STAGE_HS, failing_kernel);
        rig_stage(STAGE_DS, failing_kernel);
        rig.draw.te.te_enable = true;
        rig.draw.te.te_domain = below(3);
        rig.draw.te.output_topology = 2;
    }
    if (gs) {
        rig_stage(STAGE_GS, failing_kernel);
        rig.draw.gs.dispatch_mode = GEN9_3DSTATE_GS_DISPATCH_MODE_SIMD8;
        rig.draw.gs.output_vertex_size = 1;
        rig.draw.gs.output_topology = GEN9_3DPRIM_TRISTRIP;
    }
    atomic_store(&until_failure, 1 + below(150));
    rig_draw();
    /* Other workers may add primitives that they have shaded before. */
    if (!threads)
        cr_assert_eq(rig.late_count, 0);
    rig_finish();
}

Test(hostile, draws_end_with_the_first_failed_thread)
{
    static const uint8_t plain[] = {GEN9_3DPRIM_TRILIST, GEN9_3DPRIM_TRISTRIP,
                                    GEN9_3DPRIM_TRIFAN, GEN9_3DPRIM_LINELIST,
                                    GEN9_3DPRIM_POINTLIST};
    for (unsigned i = 0; i < 200; i++) {
        seed = i;
        bool tess = i % 4 == 1;
        unsigned topology = tess ? 34 /* patches of 3 */
                                 : plain[i % ARRAY_SIZE(plain)];
        failing_draw(topology, tess, i % 4 == 3, i % 3 * 2);
    }
}
