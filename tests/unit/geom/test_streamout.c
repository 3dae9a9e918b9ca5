/* test_streamout.c: stream output: contents of buffers, bounds and counters. */
#include <criterion/criterion.h>

#include "rig.h"

TestSuite(streamout, .fini = rig_finish);

#define SO_VA 0xa0000

/* Writes position x, y of each vertex to buffer 0. */
static void
start(unsigned topology, unsigned count)
{
    rig_init(topology, count);
    for (unsigned i = 0; i < 32; i++)
        rig_vertex(i, (float)i, (float)i + 0.5f, 0, 1, (float)i + 100);
    memset(rig.memory + SO_VA, 0xee, 4096);
    rig.draw.so.so_function_enable = true;
    rig.draw.so.so_statistics_enable = true;
    rig.draw.so.reorder_mode = GEN9_3DSTATE_GS_REORDER_MODE_TRAILING;
    rig.draw.so_stream[0].decl_count = 1;
    rig.draw.so_stream[0].decl[0] = (struct gen9_so_decl){.component_mask = 3,
                                                          .register_index = 1};
    rig.draw.so_stream[0].buffer_mask = 1;
    rig.draw.so_buffer[0].enabled = true;
    rig.draw.so_buffer[0].va = SO_VA;
    rig.draw.so_buffer[0].size_B = 4096;
    rig.draw.so_buffer[0].pitch_B = 8;
}

static float
out(unsigned i)
{
    float f;
    memcpy(&f, rig.memory + SO_VA + i * 4, 4);
    return f;
}

static uint32_t
out_bits(unsigned i)
{
    return bits_from_float(out(i));
}

Test(streamout, writes_components_and_counts)
{
    start(GEN9_3DPRIM_POINTLIST, 3);
    rig_draw();
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_eq(out(i * 2), (float)i);
        cr_expect_eq(out(i * 2 + 1), (float)i + 0.5f);
    }
    cr_expect_eq(out_bits(6), 0xeeeeeeee);
    cr_expect_eq(rig.so_offset[0], 24);
    cr_expect_eq(rig.stats.so_prims_written[0], 3);
    cr_expect_eq(rig.stats.so_storage_needed[0], 3);
    cr_expect_eq(rig.prim_count, 3, "it still draws");
}

Test(streamout, overflow_drops_the_whole_primitive)
{
    start(GEN9_3DPRIM_TRILIST, 9);
    rig.draw.so_buffer[0].size_B = 8 * 8; /* two triangles and two vertices */
    rig_draw();
    cr_expect_eq(out(10), 5);
    cr_expect_eq(out_bits(12), 0xeeeeeeee);
    cr_expect_eq(rig.so_offset[0], 48);
    cr_expect_eq(rig.stats.so_prims_written[0], 2);
    cr_expect_eq(rig.stats.so_storage_needed[0], 3);
}

Test(streamout, overflow_of_one_buffer_stops_all)
{
    start(GEN9_3DPRIM_POINTLIST, 4);
    rig.draw.so_stream[0].decl_count = 2;
    rig.draw.so_stream[0].decl[1] = (struct gen9_so_decl){
        .component_mask = 1, .register_index = 2, .output_buffer_slot = 2};
    rig.draw.so_stream[0].buffer_mask = 5;
    rig.draw.so_buffer[2] = (struct draw_so_buffer){
        .enabled = true,
        .va = SO_VA + 1024,
        .size_B = 8,
        .pitch_B = 4,
        .offset_B = &rig.so_offset[2]};
    rig_draw();
    cr_expect_eq(rig.so_offset[0], 16);
    cr_expect_eq(rig.so_offset[2], 8);
    cr_expect_eq(out(256), 100);
    cr_expect_eq(out(257), 101);
    cr_expect_eq(rig.stats.so_prims_written[0], 2);
    cr_expect_eq(rig.stats.so_storage_needed[0], 4);
}

Test(streamout, holes_are_left_alone)
{
    start(GEN9_3DPRIM_POINTLIST, 1);
    rig.draw.so_buffer[0].pitch_B = 16;
    rig.draw.so_stream[0].decl_count = 3;
    rig.draw.so_stream[0].decl[0] = (struct gen9_so_decl){.component_mask = 2,
                                                          .register_index = 1};
    rig.draw.so_stream[0].decl[1] = (struct gen9_so_decl){.component_mask = 3,
                                                          .hole_flag = true};
    rig.draw.so_stream[0].decl[2] = (struct gen9_so_decl){.component_mask = 8,
                                                          .register_index = 2};
    rig_draw();
    cr_expect_eq(out(0), 0.5f);
    cr_expect_eq(out_bits(1), 0xeeeeeeee);
    cr_expect_eq(out_bits(2), 0xeeeeeeee);
    cr_expect_eq(out(3), 100);
}

Test(streamout, continues_at_the_offset_and_writes_it_back)
{
    start(GEN9_3DPRIM_POINTLIST, 1);
    rig.so_offset[0] = 40;
    rig.draw.so_buffer[0].offset_write = true;
    rig.draw.so_buffer[0].offset_va = SO_VA + 2048;
    rig_draw();
    cr_expect_eq(out_bits(9), 0xeeeeeeee);
    cr_expect_eq(out(10), 0);
    cr_expect_eq(out_bits(512), 48);
}

Test(streamout, strips_fans_and_quads_come_apart)
{
    static const struct {
        unsigned topology, count;
        float x[6];
    } row[] = {
        {GEN9_3DPRIM_TRISTRIP, 4, {0, 1, 2, 2, 1, 3}},
        {GEN9_3DPRIM_TRIFAN, 4, {0, 1, 2, 0, 2, 3}},
        {GEN9_3DPRIM_QUADLIST, 4, {3, 0, 1, 3, 1, 2}},
        {GEN9_3DPRIM_LINESTRIP, 4, {0, 1, 1, 2, 2, 3}},
        {GEN9_3DPRIM_TRILIST_ADJ, 12, {0, 2, 4, 6, 8, 10}},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        start(row[i].topology, row[i].count);
        rig_draw();
        for (unsigned k = 0; k < 6; k++)
            cr_expect_eq(out(k * 2), row[i].x[k], "row %u vertex %u", i, k);
        if (i + 1 < ARRAY_SIZE(row))
            rig_finish();
    }
}

Test(streamout, leading_order)
{
    start(GEN9_3DPRIM_TRISTRIP, 4);
    rig.draw.so.reorder_mode = GEN9_3DSTATE_GS_REORDER_MODE_LEADING;
    rig_draw();
    cr_expect_eq(out(6), 1);
    cr_expect_eq(out(8), 3);
    cr_expect_eq(out(10), 2);
}

Test(streamout, rendering_disable_stops_before_the_clipper)
{
    start(GEN9_3DPRIM_POINTLIST, 3);
    rig.draw.so.rendering_disable = true;
    rig.draw.clip.statistics_enable = true;
    rig_draw();
    cr_expect_eq(rig.prim_count, 0);
    cr_expect_eq(rig.stats.cl_invocations, 0);
    cr_expect_eq(rig.so_offset[0], 24);
}

Test(streamout, streams_without_buffers_count_what_they_need)
{
    start(GEN9_3DPRIM_POINTLIST, 3);
    rig.draw.so_stream[0].decl_count = 0;
    rig.draw.so_stream[0].buffer_mask = 0;
    rig_draw();
    cr_expect_eq(rig.stats.so_storage_needed[0], 3);
    cr_expect_eq(rig.stats.so_prims_written[0], 0);
}

Test(streamout, hostile_declarations_do_no_harm)
{
    start(GEN9_3DPRIM_POINTLIST, 2);
    rig.draw.so_stream[0].decl_count = 128;
    for (unsigned i = 0; i < 128; i++)
        rig.draw.so_stream[0].decl[i] = (struct gen9_so_decl){
            .component_mask = 15,
            .register_index = 63,
            .output_buffer_slot = i & 3};
    rig.draw.so_stream[0].buffer_mask = 15;
    for (unsigned i = 0; i < 4; i++) {
        rig.draw.so_buffer[i].enabled = true;
        rig.draw.so_buffer[i].size_B = 64;
        rig.draw.so_buffer[i].va = RIG_MEMORY_B - 64;
        rig.draw.so_buffer[i].pitch_B = 8;
    }
    rig.so_offset[3] = UINT32_MAX;
    rig_draw();
    cr_expect_eq(rig.stats.so_prims_written[0], 0);
    rig.so_offset[3] = 0;
    rig_draw();
    cr_expect_eq(rig.stats.so_prims_written[0], 2);
}
