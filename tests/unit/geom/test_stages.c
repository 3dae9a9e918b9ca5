/* test_stages.c: vertex shader threads with C functions in place of kernels;
 * batches; order. */
#include "stages.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/pool.h"

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

/* A triangle list with vertices whose x is their number. */
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

/* Unused lanes repeat the last vertex. The last key is the first plus seven,
 * but the keys are not consecutive. */
Test(stages, few_vertices_that_lie_apart)
{
    static const uint16_t index[] = {2, 4, 9};
    draw_indexed(index, 3, 10);
    cr_assert_eq(rig.prim_count, 1);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_float_eq(rig.prim[0].x[i], index[i], 0);
}

/* 20000 vertices per instance, which are several chunks and batches. The fetch
 * repeats vertex 0's position; ids differ. */
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

/* ---- chunks that share vertices ---- */

#define GRID 128
static atomic_uint grid_threads;

static void
vs_counted(struct eu_thread *t, struct thread_env *env)
{
    atomic_fetch_add(&grid_threads, 1);
    vs_copy(t, env);
}

/* Rows of a grid, `gap` numbers apart; the second half of the rows starts
 * `back` rows earlier. Vertices have only their number. */
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

/* 3000 triangles of one chunk, a quarter of them not visible. */
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

/* ---- draws without output ---- */

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
