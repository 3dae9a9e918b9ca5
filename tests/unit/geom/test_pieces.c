/* test_pieces.c: draws whose ranges have their own constants, against drawing
 * range by range. */
#include <criterion/criterion.h>

#include "rig.h"

TestSuite(pieces, .fini = rig_finish);

#define RANGES 64
#define VERTICES 96
#define MAX_INDICES 256

/* Adds the first constant to position and attribute, and changes a constant
 * register, as kernels may. */
static void
vs_move(struct eu_thread *t, struct thread_env *env)
{
    const struct shader_stage *stage = env->stage;
    unsigned in = stage->grf_start + stage->push_grf;
    float *constant = (float *)(void *)eu_grf(t, stage->grf_start);
    for (unsigned lane = 0; lane < 8; lane++) {
        if (!(t->sr0[2] >> lane & 1))
            continue;
        uint64_t at_B = (uint64_t)eu_grf(t, 1)[lane] * 64;
        cr_assert_leq(at_B + 64, env->urb.size_B);
        float *vue = (float *)(void *)(env->urb.base + at_B);
        for (unsigned d = 4; d < 12; d++)
            memcpy(&vue[d], &eu_grf(t, in + d)[lane], 4);
        vue[4] += constant[0];
        vue[8] += constant[8];
    }
    constant[0] = constant[8] = 1000;
}

static uint32_t seed = 5;

static unsigned
below(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static struct draw_range range[RANGES];
static uint32_t push[RANGES][16];
static uint32_t vertices_of[RANGES];

static void
fill_ranges(void)
{
    uint32_t first = 0;
    for (unsigned i = 0; i < RANGES; i++) {
        float constant[2] = {(float)i * 16, (float)i};
        memcpy(&push[i][0], &constant[0], 4);
        memcpy(&push[i][8], &constant[1], 4);
        vertices_of[i] = 3 * (i % 5 == 4 ? 0 : 1 + below(i == 7 ? 85 : 6));
        range[i] = (struct draw_range){first, below(MAX_INDICES), push[i]};
        first += vertices_of[i];
    }
    rig.draw.vertex_count = first;
}

/* The last indices are far from the others; some are in the buffer. */
static void
fill_indices(void)
{
    uint32_t index[MAX_INDICES * 3];
    for (unsigned i = 0; i < ARRAY_SIZE(index); i++) {
        index[i] = below(VERTICES);
        if (i > MAX_INDICES / 2 && i % 7 == 0)
            index[i] = i % 2 ? 9000 : UINT32_MAX - below(4);
    }
    for (unsigned i = 0; i < VERTICES; i++)
        rig_vertex(i, (float)below(64), (float)below(64), 0, 1, (float)i);
    rig_vertex(9000, 3, 4, 0, 1, 77);
    memcpy(rig.memory + 0xa0000, index, sizeof index);
    rig.draw.indexed = true;
    rig.draw.index_buffer.va = 0xa0000;
    rig.draw.index_buffer.size_B = sizeof index;
    rig.draw.index_buffer.index_B = 4;
}

static void
begin(unsigned threads)
{
    rig_init(GEN9_3DPRIM_TRILIST, 0);
    rig_threads(threads);
    rig_stage(STAGE_VS, vs_move);
    fill_ranges();
    fill_indices();
    struct draw *d = &rig.draw;
    d->vs.vertex_urb_entry_read_length = 2;
    d->vs.statistics_enable = true;
    d->vf_statistics = true;
    d->clip.statistics_enable = true;
    d->stage[STAGE_VS].push_grf = 2;
    d->stage[STAGE_VS].push = push[0];
}

/* Mostly one mesh at other vertices, the last one beyond the buffer. */
static void
make_mesh(void)
{
    static const uint8_t quad[6] = {0, 1, 7, 7, 1, 3};
    uint32_t index[MAX_INDICES], first = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(index); i++) {
        index[i] = quad[i % 6] + i / 6 * 2;
        if (i >= 192)
            index[i] += i % 30 == 2 ? 9000 : UINT32_MAX - 70;
    }
    memcpy(rig.memory + 0xa0000, index, sizeof index);
    for (unsigned i = 0; i < RANGES; i++) {
        vertices_of[i] = i % 9 == 4 ? 12 : i % 11 == 3 ? 0 : 6;
        range[i].first = first;
        range[i].start_vertex = below(i % 5 ? 32 : 40) * 6 + i % 7 / 6;
        first += vertices_of[i];
    }
    rig.draw.vertex_count = first;
}

static void
draw_one_by_one(void)
{
    uint32_t all = rig.draw.vertex_count;
    rig.draw.range_count = 1;
    for (unsigned i = 0; i < RANGES; i++) {
        const struct draw_range one = {.start_vertex = range[i].start_vertex};
        rig.draw.range = &one;
        rig.draw.start_vertex = one.start_vertex;
        rig.draw.vertex_count = vertices_of[i];
        rig.draw.stage[STAGE_VS].push = push[i];
        rig_draw();
    }
    rig.draw.stage[STAGE_VS].push = push[0];
    rig.draw.start_vertex = range[0].start_vertex;
    rig.draw.vertex_count = all;
}

static void
draw_at_once(void)
{
    rig.draw.vs_varies = true;
    rig.draw.range_count = RANGES;
    rig.draw.range = range;
    rig_draw();
}

static void
check(unsigned threads, bool mesh)
{
    static struct rig_prim expect[VERTICES * RANGES];
    begin(threads);
    if (mesh)
        make_mesh();
    draw_one_by_one();
    unsigned count = rig.prim_count;
    cr_assert_eq(count * 3, rig.draw.vertex_count);
    memcpy(expect, rig.prim, count * sizeof *expect);
    struct pipeline_stats stats;
    memcpy(&stats, &rig.stats, sizeof stats);
    memset(&rig.stats, 0, sizeof rig.stats);
    rig.prim_count = 0;
    draw_at_once();
    cr_assert_eq(rig.prim_count, count);
    for (unsigned i = 0; i < count; i++) {
        cr_expect_arr_eq(rig.prim[i].x, expect[i].x, sizeof expect[i].x);
        cr_expect_arr_eq(rig.prim[i].y, expect[i].y, sizeof expect[i].y);
        cr_expect_arr_eq(rig.prim[i].attr, expect[i].attr,
                         sizeof expect[i].attr);
        cr_expect_eq(rig.prim[i].p.primitive_id, i, "they count on");
    }
    cr_expect_arr_eq(&rig.stats, &stats, sizeof stats);
}

Test(pieces, are_what_they_are_one_by_one)
{
    for (unsigned i = 0; i < 20; i++) {
        check(0, i & 1);
        if (i < 19)
            rig_finish();
    }
}

Test(pieces, any_number_of_workers_draws_them)
{
    check(3, false);
    rig_finish();
    check(3, true);
}

/* Lanes without a vertex must not require clipping. */
Test(pieces, of_few_vertices_are_not_cut)
{
    begin(0);
    rig_clip();
    rig.draw.clip.maximum_vp_index = 0;
    for (unsigned i = 0; i < VERTICES; i++)
        rig_vertex(i, (float)below(64) / 64, (float)below(64) / 64, 0, 1, 0);
    memset(push, 0, sizeof push);
    memset(rig.memory + 0xa0000, 1, MAX_INDICES);
    rig.draw.index_buffer.index_B = 1;
    draw_at_once();
    cr_expect_eq(rig.prim_count * 3, rig.draw.vertex_count);
    cr_expect_eq(rig.stats.cl_primitives, rig.prim_count);
}

Test(pieces, without_constants)
{
    begin(0);
    for (unsigned i = 0; i < RANGES; i++)
        range[i].vs_push = NULL;
    rig.draw.stage[STAGE_VS].push_grf = 0;
    rig.draw.stage[STAGE_VS].push = NULL;
    draw_at_once();
    cr_expect_eq(rig.prim_count * 3, rig.draw.vertex_count);
}
