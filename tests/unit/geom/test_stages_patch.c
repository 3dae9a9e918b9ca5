/* test_stages_patch.c: thread payloads and results of HS, DS and GS, with C
 * functions in place of kernels. */
#include "stages.h"

#include <stdlib.h>

#include "base/pool.h"

/* ---- GS --------------------------------------------------------------- */

#define GS_HEADER_DW 16 /* vertex count, then 32 bytes of control data */

static void
gs_on(rig_kernel kernel, unsigned topology, unsigned in_verts)
{
    rig_stage(STAGE_GS, kernel);
    struct gen9_3dstate_gs *gs = &rig.draw.gs;
    gs->dispatch_mode = GEN9_3DSTATE_GS_DISPATCH_MODE_SIMD8;
    gs->output_topology = topology;
    gs->output_vertex_size = 3; /* four slots */
    gs->control_data_header_size = 1;
    gs->include_vertex_handles = true;
    gs->include_primitive_id = true;
    gs->expected_vertex_count = in_verts;
    gs->reorder_mode = GEN9_3DSTATE_GS_REORDER_MODE_TRAILING;
    gs->statistics_enable = true;
    rig.draw.stage[STAGE_GS].grf_start = 3 + in_verts;
    rig.draw.urb_entry_B[3] = 1024;
}

static void
gs_vertex(uint32_t *entry, unsigned i, float x, float a)
{
    uint32_t *v = entry + GS_HEADER_DW + i * 16;
    v[4] = bits_from_float(x);
    v[7] = bits_from_float(1);
    v[8] = bits_from_float(a);
}

/* One line strip of the input's vertices, cut after the second. */
static void
gs_lines(struct eu_thread *t, struct thread_env *env)
{
    for (unsigned lane = 0; lane < 8; lane++) {
        if (!lane_on(t, lane))
            continue;
        uint32_t *out = urb(env, eu_grf(t, 1)[lane]);
        float id = (float)eu_grf(t, 2)[lane];
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t *in = urb(env, eu_grf(t, 3 + i % 3)[lane]);
            gs_vertex(out, i, float_from_bits(in[4]), id);
        }
        out[0] = 4;
        out[8] = 2; /* cut after vertex 1 */
    }
}

Test(stages, gs_reads_handles_and_cuts)
{
    rig_init(GEN9_3DPRIM_TRILIST, 60);
    for (unsigned i = 0; i < 60; i++)
        rig_vertex(i, (float)i, 0, 0, 1, 0);
    vs_on();
    gs_on(gs_lines, GEN9_3DPRIM_LINESTRIP, 3);
    rig_draw();
    cr_assert_eq(rig.prim_count, 40);
    for (unsigned i = 0; i < 20; i++) {
        cr_expect_eq(rig.prim[2 * i].x[0], (float)i * 3);
        cr_expect_eq(rig.prim[2 * i].x[1], (float)i * 3 + 1);
        cr_expect_eq(rig.prim[2 * i + 1].x[0], (float)i * 3 + 2);
        cr_expect_eq(rig.prim[2 * i + 1].x[1], (float)i * 3);
        cr_expect_eq(rig.prim[2 * i].attr[0][0], (float)i);
    }
    cr_expect_eq(rig.stats.gs_invocations, 20);
    cr_expect_eq(rig.stats.gs_primitives, 40);
}

Test(stages, gs_gets_odd_triangles_in_trailing_order)
{
    rig_init(GEN9_3DPRIM_TRISTRIP, 4);
    for (unsigned i = 0; i < 4; i++)
        rig_vertex(i, (float)i, 0, 0, 1, 0);
    vs_on();
    gs_on(gs_lines, GEN9_3DPRIM_LINESTRIP, 3);
    rig_draw();
    cr_assert_eq(rig.prim_count, 4);
    cr_expect_eq(rig.prim[2].x[0], 2);
    cr_expect_eq(rig.prim[2].x[1], 1);
    cr_expect_eq(rig.prim[3].x[0], 3);
}

/* A point per instance; handles come packed. */
static void
gs_instance(struct eu_thread *t, struct thread_env *env)
{
    for (unsigned lane = 0; lane < 8; lane++) {
        if (!lane_on(t, lane))
            continue;
        uint32_t handle = eu_grf(t, 1)[lane];
        uint32_t *out = urb(env, handle);
        const uint32_t *in = urb(env, eu_grf(t, 3)[2]);
        gs_vertex(out, 0, float_from_bits(in[4]), (float)(handle >> 27));
        out[0] = 1;
    }
}

Test(stages, gs_instances_follow_each_other)
{
    rig_init(GEN9_3DPRIM_TRILIST, 6);
    for (unsigned i = 0; i < 6; i++)
        rig_vertex(i, (float)i, 0, 0, 1, 0);
    vs_on();
    gs_on(gs_instance, GEN9_3DPRIM_POINTLIST, 3);
    rig.draw.gs.instance_control = 10; /* 11 instances */
    rig_draw();
    cr_assert_eq(rig.prim_count, 22);
    for (unsigned i = 0; i < 22; i++) {
        cr_expect_eq(rig.prim[i].x[0], i < 11 ? 2 : 5);
        cr_expect_eq(rig.prim[i].attr[0][0], (float)(i % 11));
    }
    cr_expect_eq(rig.stats.gs_invocations, 22);
}

/* Four points, to streams 0 to 3. */
static void
gs_streams(struct eu_thread *t, struct thread_env *env)
{
    for (unsigned lane = 0; lane < 8; lane++) {
        if (!lane_on(t, lane))
            continue;
        uint32_t *out = urb(env, eu_grf(t, 1)[lane]);
        for (unsigned i = 0; i < 4; i++)
            gs_vertex(out, i, (float)i, 0);
        out[0] = 4;
        out[8] = 0xe4;
    }
}

Test(stages, gs_streams_go_their_ways)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 3);
    vs_on();
    gs_on(gs_streams, GEN9_3DPRIM_POINTLIST, 1);
    rig.draw.gs.control_data_format = GEN9_3DSTATE_GS_CONTROL_DATA_FORMAT_SID;
    rig.draw.so.so_function_enable = true;
    rig.draw.so.so_statistics_enable = true;
    for (unsigned i = 0; i < 4; i++) {
        rig.draw.so_stream[i].decl_count = 1;
        rig.draw.so_stream[i].decl[0] = (struct gen9_so_decl){
            .component_mask = 1, .register_index = 1, .output_buffer_slot = i};
        rig.draw.so_stream[i].buffer_mask = 1u << i;
        rig.draw.so_buffer[i].enabled = true;
        rig.draw.so_buffer[i].va = 0xa0000 + i * 64;
        rig.draw.so_buffer[i].size_B = 64;
        rig.draw.so_buffer[i].pitch_B = 4;
    }
    rig_draw();
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(rig.so_offset[i], 12);
        cr_expect_eq(rig.stats.so_prims_written[i], 3);
        cr_expect_eq(vm_read32(&rig.vm, 0xa0000 + i * 64 + 8),
                     bits_from_float((float)i));
    }
    cr_assert_eq(rig.prim_count, 3, "only stream 0 is drawn");
}

/* Reports more vertices than its entry has. */
static void
gs_liar(struct eu_thread *t, struct thread_env *env)
{
    for (unsigned lane = 0; lane < 8; lane++)
        if (lane_on(t, lane))
            urb(env, eu_grf(t, 1)[lane])[0] = UINT32_MAX;
}

Test(stages, gs_vertex_count_is_bounded_by_the_entry)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 1);
    vs_on();
    gs_on(gs_liar, GEN9_3DPRIM_POINTLIST, 1);
    rig_draw();
    cr_expect_eq(rig.prim_count, (1024 - 64) / 64);
}

Test(stages, gs_adjacency_in_both_forms)
{
    rig_init(GEN9_3DPRIM_TRILIST_ADJ, 6);
    for (unsigned i = 0; i < 6; i++)
        rig_vertex(i, (float)i, 0, 0, 1, 0);
    vs_on();
    gs_on(gs_lines, GEN9_3DPRIM_LINESTRIP, 6);
    rig_draw();
    cr_expect_eq(rig.prim[0].x[1], 1);
    rig.prim_count = 0;
    rig.draw.gs.discard_adjacency = true;
    rig_draw();
    cr_expect_eq(rig.prim[0].x[1], 2);
    cr_expect_eq(rig.prim[1].x[0], 4);
}

/* ---- HS, DS ----------------------------------------------------------- */

/* Quad of level 2; the second instance passes the sum of the control points'
 * x in a patch value. */
static void
hs_levels(struct eu_thread *t, struct thread_env *env)
{
    uint32_t *patch = urb(env, eu_grf(t, 0)[0]);
    unsigned instance = eu_grf(t, 0)[2] >> 17 & 0x7f;
    if (instance == 0) {
        for (unsigned i = 2; i < 8; i++)
            patch[i] = bits_from_float(2);
        return;
    }
    float sum = 0;
    for (unsigned i = 0; i < 12; i++)
        sum += float_from_bits(urb(env, eu_grf(t, 1)[i])[4]);
    patch[8] = bits_from_float(sum);
    patch[9] = eu_grf(t, 0)[1]; /* primitive id */
}

static void
ds_point(struct eu_thread *t, struct thread_env *env)
{
    const uint32_t *pushed = eu_grf(t, env->stage->grf_start);
    for (unsigned lane = 0; lane < 8; lane++) {
        if (!lane_on(t, lane))
            continue;
        uint32_t *out = urb(env, eu_grf(t, 4)[lane]);
        out[4] = eu_grf(t, 1)[lane];
        out[5] = eu_grf(t, 2)[lane];
        out[6] = eu_grf(t, 3)[lane];
        out[7] = bits_from_float(1);
        out[8] = pushed[8]; /* register 1, first dword */
        out[9] = eu_grf(t, 0)[1];
        cr_expect_eq(urb(env, eu_grf(t, 0)[0])[8], pushed[8]);
    }
}

static void
tess_on(unsigned patches)
{
    rig_init(31 + 12, patches * 12);
    for (unsigned i = 0; i < patches * 12; i++)
        rig_vertex(i, (float)(i / 12), 0, 0, 1, 0);
    vs_on();
    rig_stage(STAGE_HS, hs_levels);
    rig_stage(STAGE_DS, ds_point);
    rig.draw.hs.instance_count = 1;
    rig.draw.hs.include_vertex_handles = true;
    rig.draw.hs.statistics_enable = true;
    rig.draw.ds.patch_urb_entry_read_length = 2;
    rig.draw.ds.statistics_enable = true;
    rig.draw.te.te_enable = true;
    rig.draw.te.output_topology = GEN9_3DSTATE_TE_OUTPUT_TOPOLOGY_TRI_CW;
    rig.draw.te.maximum_tessellation_factor_not_odd = 64;
    rig.draw.te.maximum_tessellation_factor_odd = 63;
}

Test(stages, patches_become_triangles_in_order)
{
    tess_on(150);
    rig_draw();
    cr_assert_eq(rig.prim_count, 150 * 8);
    for (unsigned i = 0; i < rig.prim_count; i++) {
        unsigned patch = i / 8;
        for (unsigned k = 0; k < 3; k++) {
            cr_assert_eq(rig.prim[i].attr[k][0], (float)patch * 12);
            cr_assert_eq(bits_from_float(rig.prim[i].attr[k][1]), patch);
        }
        cr_assert_eq(rig.prim[i].p.primitive_id, patch);
    }
    cr_expect_eq(rig.stats.hs_invocations, 150);
    cr_expect_eq(rig.stats.ds_invocations, 150 * 9);
}

static void
hs_finest(struct eu_thread *t, struct thread_env *env)
{
    uint32_t *patch = urb(env, eu_grf(t, 0)[0]);
    for (unsigned i = 2; i < 8; i++)
        patch[i] = bits_from_float(64);
}

Test(stages, finest_patches_stream_through_bounded_memory)
{
    tess_on(8);
    rig.kernel[STAGE_HS] = hs_finest;
    rig_draw();
    cr_expect_eq(rig.prim_count, 8 * 8192);
}

Test(stages, tessellation_feeds_the_gs)
{
    tess_on(5);
    gs_on(gs_lines, GEN9_3DPRIM_LINESTRIP, 3);
    rig_draw();
    cr_expect_eq(rig.prim_count, 5 * 8 * 2);
    cr_expect_eq(rig.prim[0].attr[0][0], 0);
    cr_expect_eq(rig.prim[79].attr[0][0], 4);
}

Test(stages, any_number_of_workers_draws_the_same)
{
    struct rig_prim *expect = malloc(sizeof *expect * 1200);
    tess_on(150);
    rig_draw();
    memcpy(expect, rig.prim, sizeof *expect * 1200);
    rig.prim_count = 0;
    rig.draw.pool = pool_create(3);
    rig_draw();
    cr_assert_eq(rig.prim_count, 1200);
    for (unsigned i = 0; i < 1200; i++) {
        cr_assert_arr_eq(expect[i].x, rig.prim[i].x, sizeof expect[i].x);
        cr_assert_arr_eq(expect[i].attr, rig.prim[i].attr,
                         sizeof expect[i].attr);
    }
    free(expect);
}
