/* Thread payloads and results of VS, HS, DS and GS, with C functions in place
 * of the kernels; batches; order. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/pool.h"
#include "rig.h"

TestSuite(stages, .fini = rig_finish);

static uint32_t *
urb(struct thread_env *env, uint32_t handle)
{
    uint64_t at = (uint64_t)(handle & 0x07ffffff) * 64;
    cr_assert_lt(at, env->urb.size_B);
    return (uint32_t *)(void *)(env->urb.base + at);
}

static bool
lane_on(const struct eu_thread *t, unsigned lane)
{
    return t->sr0[2] >> lane & 1;
}

static float
in_float(struct eu_thread *t, unsigned grf, unsigned lane)
{
    return float_from_bits(eu_grf(t, grf)[lane]);
}

/* Copies the three elements and adds the first constant to x. */
static void
vs_copy(struct eu_thread *t, struct thread_env *env)
{
    const struct shader_stage *stage = env->stage;
    unsigned in = stage->grf_start + (stage->push ? stage->push_grf : 0);
    for (unsigned lane = 0; lane < 8; lane++) {
        if (!lane_on(t, lane))
            continue;
        uint32_t *vue = urb(env, eu_grf(t, 1)[lane]);
        for (unsigned d = 0; d < 12; d++)
            vue[d] = eu_grf(t, in + d)[lane];
        if (stage->push)
            vue[4] = bits_from_float(in_float(t, in, lane) * 0 +
                                     float_from_bits(vue[4]) +
                                     in_float(t, stage->grf_start, 0));
    }
}

static void
vs_on(void)
{
    rig_stage(STAGE_VS, vs_copy);
    rig.draw.vs.vertex_urb_entry_read_length = 2;
    rig.draw.vs.statistics_enable = true;
}

Test(stages, vs_gets_constants_and_inputs)
{
    static const uint32_t push[8] = {0x41200000 /* 10 */};
    rig_init(GEN9_3DPRIM_POINTLIST, 11);
    for (unsigned i = 0; i < 11; i++)
        rig_vertex(i, (float)i, 0, 0, 1, (float)i * 2);
    vs_on();
    rig.draw.stage[STAGE_VS].push = push;
    rig.draw.stage[STAGE_VS].push_grf = 1;
    rig_draw();
    cr_assert_eq(rig.prim_count, 11);
    for (unsigned i = 0; i < 11; i++) {
        cr_expect_eq(rig.prim[i].x[0], (float)i + 10);
        cr_expect_eq(rig.prim[i].attr[0][0], (float)i * 2);
    }
    cr_expect_eq(rig.stats.vs_invocations, 11);
}

/* A list of triangles of vertices whose x is their number. */
static void
draw_indexed(const uint16_t *index, unsigned count, unsigned vertex_count)
{
    rig_init(GEN9_3DPRIM_TRILIST, count);
    for (unsigned i = 0; i < vertex_count; i++)
        rig_vertex(i, (float)i, 0, 0, 1, 0);
    memcpy(rig.memory + 0x1000, index, count * sizeof *index);
    rig.draw.indexed = true;
    rig.draw.index_buffer.va = 0x1000;
    rig.draw.index_buffer.size_B = count * sizeof *index;
    rig.draw.index_buffer.index_B = 2;
    vs_on();
    rig_draw();
}

Test(stages, indexed_vertices_are_shaded_once)
{
    static const uint16_t index[] = {0, 1, 2, 2, 1, 3, 3, 1, 0};
    draw_indexed(index, 9, 4);
    cr_expect_eq(rig.stats.vs_invocations, 4);
    cr_assert_eq(rig.prim_count, 3);
    cr_expect_eq(rig.prim[2].x[2], 0);
    cr_expect_eq(rig.prim[1].x[2], 3);
}

/* The lanes that are left over repeat the last vertex: seven keys on, but not
 * in a row. */
Test(stages, few_vertices_that_lie_apart)
{
    static const uint16_t index[] = {2, 4, 9};
    draw_indexed(index, 3, 10);
    cr_assert_eq(rig.prim_count, 1);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_float_eq(rig.prim[0].x[i], index[i], 0);
}

/* 20000 vertices an instance, several chunks and batches each; the fetch
 * repeats the position of vertex 0, the id tells them apart. */
static void
long_draw(unsigned topology, unsigned threads)
{
    rig_init(topology, 20000);
    rig_threads(threads);
    rig.draw.instance_count = 2;
    rig.draw.vf_statistics = true;
    rig_vertex(0, 0, 0, 0, 1, 0);
    rig.draw.vb[0].pitch_B = 0;
    rig.draw.sgvs.vertexid_enable = true;
    rig.draw.sgvs.vertexid_element_offset = 2;
    rig.flush_every = 777;
    rig_draw();
    cr_expect_eq(rig.stats.ia_vertices, 40000);
}

static unsigned
id_of(const struct rig_prim *p, unsigned v)
{
    return bits_from_float(p->attr[v][0]);
}

static void
check_long_strip(unsigned threads)
{
    long_draw(GEN9_3DPRIM_TRISTRIP, threads);
    cr_assert_eq(rig.prim_count, 2 * 19998);
    cr_expect_eq(rig.stats.ia_primitives, rig.prim_count);
    for (unsigned i = 0; i < rig.prim_count; i++) {
        unsigned n = i % 19998;
        cr_assert_eq(id_of(&rig.prim[i], 0), n & 1 ? n + 1 : n);
        cr_assert_eq(id_of(&rig.prim[i], 1), n & 1 ? n : n + 1);
        cr_assert_eq(id_of(&rig.prim[i], 2), n + 2);
        cr_assert_eq(rig.prim[i].p.primitive_id, n);
    }
    rig_finish();
}

static void
check_long_fan(unsigned threads)
{
    long_draw(GEN9_3DPRIM_TRIFAN, threads);
    cr_assert_eq(rig.prim_count, 2 * 19998);
    for (unsigned i = 0; i < rig.prim_count; i++) {
        cr_assert_eq(id_of(&rig.prim[i], 0), 0);
        cr_assert_eq(id_of(&rig.prim[i], 1), i % 19998 + 1);
        cr_assert_eq(id_of(&rig.prim[i], 2), i % 19998 + 2);
    }
    rig_finish();
}

static void
check_long_list(unsigned threads)
{
    /* Two vertices are left over. */
    long_draw(GEN9_3DPRIM_TRILIST, threads);
    cr_assert_eq(rig.prim_count, 2 * 6666);
    for (unsigned i = 0; i < rig.prim_count; i++)
        for (unsigned k = 0; k < 3; k++)
            cr_assert_eq(id_of(&rig.prim[i], k), i % 6666 * 3 + k);
    rig_finish();
}

static void
check_long_quad_strip(unsigned threads)
{
    long_draw(GEN9_3DPRIM_QUADSTRIP, threads);
    cr_assert_eq(rig.prim_count, 2 * 2 * 9999);
    cr_expect_eq(rig.stats.ia_primitives, 2 * 9999);
    for (unsigned i = 0; i < rig.prim_count; i++) {
        unsigned n = i / 2 % 9999 * 2;
        cr_assert_eq(id_of(&rig.prim[i], 0), n + 3);
        cr_assert_eq(id_of(&rig.prim[i], 1), i & 1 ? n : n + 2);
        cr_assert_eq(id_of(&rig.prim[i], 2), i & 1 ? n + 1 : n);
    }
    rig_finish();
}

Test(stages, long_draws_survive_chunks_and_batches)
{
    static const unsigned threads[] = {0, 1, 2, 8};
    for (unsigned i = 0; i < ARRAY_SIZE(threads); i++) {
        check_long_strip(threads[i]);
        check_long_fan(threads[i]);
        check_long_list(threads[i]);
        check_long_quad_strip(threads[i]);
    }
}

Test(stages, many_small_instances)
{
    rig_init(GEN9_3DPRIM_TRIFAN, 4);
    for (unsigned i = 0; i < 4; i++)
        rig_vertex(i, (float)i, 0, 0, 1, 0);
    rig.draw.instance_count = 3000;
    rig.draw.sgvs.instanceid_enable = true;
    rig.draw.sgvs.instanceid_element_offset = 2;
    vs_on();
    rig_draw();
    cr_assert_eq(rig.prim_count, 6000);
    for (unsigned i = 0; i < 6000; i++)
        for (unsigned k = 0; k < 3; k++)
            cr_assert_eq(bits_from_float(rig.prim[i].attr[k][0]), i / 2);
    cr_expect_eq(rig.stats.vs_invocations, 12000);
}

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

/* Claims more vertices than its entry has. */
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

/* ---- chunks that share vertices ---- */

#define GRID 128
static atomic_uint grid_threads;

static void
vs_counted(struct eu_thread *t, struct thread_env *env)
{
    atomic_fetch_add(&grid_threads, 1);
    vs_copy(t, env);
}

/* Rows of a grid, `gap` numbers apart; the second half of them goes back by as
 * many as that. The vertices' number is all that they have. */
static void
grid(unsigned gap, unsigned back, bool impure, unsigned threads)
{
    uint32_t *index = (uint32_t *)(void *)(rig.memory + 0x1000), n = 0;
    rig_threads(threads);
    for (uint32_t y = 0; y < GRID - 1; y++)
        for (uint32_t x = 0; x < GRID - 1; x++) {
            uint32_t row = y - (y >= GRID / 2 ? back : 0);
            uint32_t a = row * (GRID + gap) + x, below = a + GRID + gap;
            const uint32_t cell[] = {a, a + 1, below, a + 1, below + 1, below};
            memcpy(index + n, cell, sizeof cell);
            n += 6;
        }
    rig.draw.indexed = true;
    rig.draw.index_buffer.va = 0x1000;
    rig.draw.index_buffer.size_B = n * 4;
    rig.draw.index_buffer.index_B = 4;
    rig_vertex(0, 0.5f, 0, 0, 1, 0);
    rig.draw.vb[0].pitch_B = 0;
    rig.draw.sgvs.vertexid_enable = true;
    rig.draw.sgvs.vertexid_element_offset = 2;
    rig.draw.clip.maximum_vp_index = 0;
    rig.draw.instance_count = 2;
    vs_on();
    rig.kernel[STAGE_VS] = vs_counted;
    rig.impure = impure;
    grid_threads = 0;
    rig_draw();
    cr_assert_eq(rig.prim_count, 2 * n / 3);
    for (unsigned i = 0; i < rig.prim_count; i++)
        for (unsigned k = 0; k < 3; k++) {
            cr_assert_eq(id_of(&rig.prim[i], k), index[i * 3 % n + k]);
            cr_assert_eq(rig.prim[i].x[k], 0.5f);
        }
}

static void
check_grid(unsigned gap, unsigned back, unsigned threads, bool spares)
{
    const unsigned count = (GRID - 1) * (GRID - 1) * 6;
    rig_init(GEN9_3DPRIM_TRILIST, count);
    grid(gap, back, true, threads);
    unsigned all = grid_threads;
    uint64_t invocations = rig.stats.vs_invocations;
    rig_finish();
    rig_init(GEN9_3DPRIM_TRILIST, count);
    grid(gap, back, false, threads);
    cr_expect_eq(rig.stats.vs_invocations, invocations);
    cr_expect(spares ? grid_threads < all : grid_threads <= all);
    rig_finish();
}

Test(stages, chunks_begin_with_vertices_of_the_last)
{
    check_grid(0, 0, 0, true);
    check_grid(0, 3, 0, true);
    check_grid(0, 40, 0, false);
    check_grid(5, 0, 0, false);
    check_grid(0, 0, 3, false);
    check_grid(0, 7, 2, false);
}

/* ---- the rest --------------------------------------------------------- */

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

/* 3000 triangles of one chunk, a quarter of them out of sight. */
static void
mesh(unsigned threads)
{
    static uint16_t index[9000];
    for (unsigned i = 0; i < 9000; i++)
        index[i] = (uint16_t)(i / 3 % 4 * 8 + (i * 5 + i / 7) % 8);
    rig_init(GEN9_3DPRIM_TRILIST, 9000);
    rig_threads(threads);
    rig_clip();
    for (unsigned i = 0; i < 32; i++)
        rig_vertex(i, (float)i / 32 + (i < 8 ? 3 : 0), 0, 0, 1, (float)i);
    memcpy(rig.memory + 0x1000, index, sizeof index);
    rig.draw.indexed = true;
    rig.draw.index_buffer.va = 0x1000;
    rig.draw.index_buffer.size_B = sizeof index;
    rig.draw.index_buffer.index_B = 2;
    rig.draw.clip.statistics_enable = true;
    rig.draw.clip.maximum_vp_index = 0;
    rig_draw();
    cr_assert_eq(rig.prim_count, 2250);
    cr_expect_eq(rig.stats.cl_invocations, 3000);
    cr_expect_eq(rig.stats.cl_primitives, 2250);
    for (unsigned i = 0; i < 2250; i++) {
        unsigned id = i / 3 * 4 + i % 3 + 1;
        cr_assert_eq(rig.prim[i].p.primitive_id, id);
        for (unsigned k = 0; k < 3; k++)
            cr_assert_eq(rig.prim[i].attr[k][0], index[id * 3 + k]);
    }
}

Test(stages, one_chunk_on_one_worker_is_not_flushed)
{
    mesh(0);
    cr_expect_eq(rig.flush_count, 0);
}

Test(stages, one_chunk_on_several_workers_keeps_its_order)
{
    mesh(3);
    cr_expect_eq(rig.flush_count, 1);
}

Test(stages, no_vertices_take_no_time)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 0);
    rig.draw.instance_count = UINT32_MAX;
    rig_draw();
    cr_expect_eq(rig.prim_count, 0);
}

static void
vs_fails(struct eu_thread *t, struct thread_env *env)
{
    atomic_store(env->reset, true);
}

Test(stages, a_reset_ends_the_draw)
{
    rig_init(GEN9_3DPRIM_POINTLIST, UINT32_MAX);
    rig.draw.instance_count = UINT32_MAX;
    vs_on();
    rig.kernel[STAGE_VS] = vs_fails;
    rig_draw();
    cr_expect_eq(rig.prim_count, 0);
}

Test(stages, hostile_state_does_no_harm)
{
    static uint32_t push[200 * 8];
    rig_init(GEN9_3DPRIM_POINTLIST, 1);
    vs_on();
    rig.draw.stage[STAGE_VS].push = push;
    rig.draw.stage[STAGE_VS].push_grf = 200;
    rig_draw();
    cr_expect(atomic_load(&rig.reset));
    rig.reset = false;
    rig.draw.stage[STAGE_VS].push = NULL;
    rig.draw.vs.vertex_urb_entry_read_length = 63;
    rig.draw.vs.vertex_urb_entry_read_offset = 63;
    rig.draw.topology = 30;
    rig_draw();
    rig.draw.topology = GEN9_3DPRIM_POINTLIST;
    rig_draw();
    cr_expect_eq(rig.prim_count, 1);
}

/* ---- draws that nobody sees -------------------------------------------- */

static unsigned unseen_threads;

static void
count_thread(struct eu_thread *t, struct thread_env *env)
{
    unseen_threads++;
}

/* All counters of a rejected draw, with and without the shader. */
static void
check_unseen(unsigned topology, bool indexed, bool disabled)
{
    struct pipeline_stats expect;
    rig_init(topology, 23);
    struct draw *d = &rig.draw;
    uint64_t dummy = 0;
    d->instance_count = 3;
    d->vf_statistics = true;
    d->vs.statistics_enable = true;
    d->clip.clip_enable = true;
    d->clip.statistics_enable = true;
    d->clip.clip_mode = disabled
                            ? 0
                            : GEN9_3DSTATE_CLIP_CLIP_MODE_CLIPMODE_REJECT_ALL;
    d->so.rendering_disable = disabled;
    d->indexed = indexed;
    d->index_buffer.va = 0x1000;
    d->index_buffer.size_B = 46;
    d->index_buffer.index_B = 2;
    for (unsigned i = 0; i < 23; i++)
        rig.memory[0x1000 + 2 * i] = (uint8_t)i;
    rig_stage(STAGE_VS, count_thread);
    d->stage[STAGE_VS].kernel = (const struct eu_kernel *)(const void *)&dummy;
    rig.impure = true;
    unseen_threads = 0;
    rig_draw();
    cr_expect_gt(unseen_threads, 0);
    memcpy(&expect, &rig.stats, sizeof expect);
    memset(&rig.stats, 0, sizeof rig.stats);
    rig.impure = false;
    unseen_threads = 0;
    rig_draw();
    cr_expect_eq(unseen_threads, 0);
    cr_expect_eq(rig.prim_count, 0);
    cr_expect_arr_eq(&expect, &rig.stats, sizeof expect, "topology %u",
                     topology);
    rig_finish();
}

Test(stages, unseen_draws_are_counted)
{
    static const uint8_t topology[] = {
        GEN9_3DPRIM_POINTLIST, GEN9_3DPRIM_LINESTRIP, GEN9_3DPRIM_TRILIST,
        GEN9_3DPRIM_TRISTRIP,  GEN9_3DPRIM_TRIFAN,    GEN9_3DPRIM_QUADLIST,
        GEN9_3DPRIM_QUADSTRIP, GEN9_3DPRIM_POLYGON,   GEN9_3DPRIM_LINELOOP};
    for (unsigned i = 0; i < ARRAY_SIZE(topology); i++)
        for (unsigned k = 0; k < 4; k++)
            check_unseen(topology[i], k & 1, k >> 1);
}
