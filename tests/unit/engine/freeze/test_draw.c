/* test_draw.c: freezes packets into struct draw. */
#include "draw_rig.h"

/* ---- what to draw ---- */

Test(draw, topology_comes_from_its_own_packet)
{
    EMIT(&rig, 0x784b0000, 5, 0x7b000005, 15, 4, 7, 2, 1, (uint32_t)-3);
    cr_assert_eq(run(), ENGINE_OK);
    const struct draw *d = &rig_record.draw;
    cr_assert_eq(rig_record.draws, 1);
    cr_assert_eq(d->topology, 5);
    cr_assert_eq(d->vertex_count, 4);
    cr_assert_eq(d->start_vertex, 7);
    cr_assert_eq(d->instance_count, 2);
    cr_assert_eq(d->start_instance, 1);
    cr_assert_eq(d->base_vertex, -3);
    cr_assert_not(d->indexed);
}

Test(draw, indirect_counts_come_from_registers)
{
    EMIT(&rig, LRI(0x2434, 30), LRI(0x2430, 1), LRI(0x2438, 5), LRI(0x243c, 2),
         LRI(0x2440, (uint32_t)-1), DRAW_INDIRECT);
    cr_assert_eq(run(), ENGINE_OK);
    const struct draw *d = &rig_record.draw;
    cr_assert_eq(d->vertex_count, 30);
    cr_assert_eq(d->start_vertex, 1);
    cr_assert_eq(d->instance_count, 5);
    cr_assert_eq(d->start_instance, 2);
    cr_assert_eq(d->base_vertex, -1);
}

Test(draw, draw_without_end_is_an_error)
{
    EMIT(&rig, 0x7b000005, 0, 0xdeadbeef, 0, 0xcafebabe, 0, 0);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    cr_assert_eq(rig_record.draws, 0);
}

Test(draw, predicated_draw_needs_the_result)
{
    EMIT(&rig, LRI(0x2418, 0), DRAW_PREDICATED);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draws, 0);
    EMIT(&rig, LRI(0x2418, 1), DRAW_PREDICATED);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draws, 1);
}

Test(draw, state_lasts_until_it_is_written_again)
{
    PACKET(0x7813, 3dstate_sf, 4, .line_width = 2.5f);
    cr_assert_eq(run(), ENGINE_OK);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_float_eq(rig_record.draw.sf.line_width, 2.5f, 0);
}

Test(draw, other_context_has_its_own_state)
{
    PACKET(0x7813, 3dstate_sf, 4, .line_width = 2.5f);
    cr_assert_eq(run(), ENGINE_OK);
    struct engine_context *other = engine_context_create(rig.engine, rig.vm);
    EMIT(&rig, DRAW, BBE);
    cr_assert_eq(rig_run(&rig, other, ENGINE_RCS), ENGINE_OK);
    cr_assert_float_eq(rig_record.draw.sf.line_width, 0, 0);
    engine_context_destroy(other);
}

Test(draw, noop_engine_draws_nothing_but_signals)
{
    struct rig noop;
    rig_init(&noop, &(struct engine_config){.gen = 9, .noop = true});
    EMIT(&noop, DRAW, 0x7a000004, 0x00104000, LO(RIG_DATA), 0, 0x11, 0, BBE);
    cr_assert_eq(rig_run(&noop, noop.ctx, ENGINE_RCS), ENGINE_OK);
    cr_assert_eq(rig_record.draws, 0);
    cr_assert_eq(*rig_dw(&noop, RIG_DATA), 0x11);
    rig_finish(&noop);
}

Test(draw, draw_that_fails_ends_the_batch)
{
    rig_record.on_draw = fail_draw;
    EMIT(&rig, DRAW, SDI(RIG_DATA, 1));
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
}

/* ---- vertices ---- */

Test(draw, vertex_buffers_and_elements)
{
    struct gen9_vertex_buffer_state vb = {
        .vertex_buffer_index = 3,
        .buffer_pitch = 12,
        .address_modify_enable = true,
        .buffer_starting_address = RIG_DATA + 1,
        .buffer_size = 100,
    };
    uint32_t dw[5] = {0x78080003};
    gen9_vertex_buffer_state_pack(&vb, dw + 1);
    rig_emit(&rig, dw, 5);
    struct gen9_vertex_element_state ve = {
        .vertex_buffer_index = 3, .valid = true, .source_element_format = 0x40};
    uint32_t el[3] = {0x78090001};
    gen9_vertex_element_state_pack(&ve, el + 1);
    rig_emit(&rig, el, 3);
    EMIT(&rig, 0x78490001, 0x100, 4, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    const struct draw *d = &rig_record.draw;
    cr_assert(d->vb[3].valid);
    cr_assert_eq(d->vb[3].va, RIG_DATA + 1);
    cr_assert_eq(d->vb[3].size_B, 100);
    cr_assert_eq(d->vb[3].pitch_B, 12);
    cr_assert_not(d->vb[0].valid);
    cr_assert_eq(d->ve_count, 1);
    cr_assert_eq(d->ve[0].ve.source_element_format, 0x40);
    cr_assert(d->ve[0].instancing);
    cr_assert_eq(d->ve[0].step_rate, 4);
}

Test(draw, hostile_vertex_buffer_index_is_an_error)
{
    EMIT(&rig, 0x78080003, 63u << 26, 0, 0, 0);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

Test(draw, too_many_vertex_elements_is_an_error)
{
    EMIT(&rig, 0x78090000 | (1 + 2 * 35 - 2));
    for (unsigned i = 0; i < 70; i++)
        EMIT(&rig, 0);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

Test(draw, stream_offset_of_ones_is_loaded_from_memory)
{
    *rig_dw(&rig, RIG_DATA) = 48;
    PACKET(0x7918, 3dstate_so_buffer, 8, .so_buffer_enable = true,
           .so_buffer_index = 2, .stream_offset_write_enable = true,
           .stream_output_buffer_offset_address_enable = true,
           .surface_base_address = RIG_DATA + 64, .surface_size = 15,
           .stream_output_buffer_offset_address = RIG_DATA,
           .stream_offset = UINT32_MAX);
    PACKET(0x781e, 3dstate_streamout, 5, .so_function_enable = true,
           .buffer_2_surface_pitch = 16, .stream_0_vertex_read_length = 3,
           .stream_0_vertex_read_offset = 1);
    EMIT(&rig, DRAW, SRM(0x5288, RIG_DATA + 4));
    cr_assert_eq(run(), ENGINE_OK);
    const struct draw_so_buffer *b = &rig_record.draw.so_buffer[2];
    cr_assert(b->enabled);
    cr_assert_eq(b->va, RIG_DATA + 64);
    cr_assert_eq(b->size_B, 64);
    cr_assert_eq(b->pitch_B, 16);
    cr_assert(b->offset_write);
    cr_assert_eq(*b->offset_B, 48);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 48);
    cr_assert_eq(rig_record.draw.so_stream[0].read_length, 4);
    cr_assert_eq(rig_record.draw.so_stream[0].read_offset, 1);
}

Test(draw, stream_declarations_stay_inside_their_packet)
{
    /* Two rows, although 255 entries are claimed. */
    EMIT(&rig, 0x79170005, 0x1, 0xffffffff, 0x0001000f, 0x0002000f, 0x0003000f,
         0x0004000f);
    PACKET(0x781e, 3dstate_streamout, 5, .so_function_enable = true);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    const struct draw_so_stream *s = rig_record.draw.so_stream;
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(s[i].decl_count, 2);
    cr_assert_eq(s[0].decl[0].component_mask, 15);
    cr_assert_eq(s[1].decl[0].component_mask, 1);
    cr_assert_eq(s[3].decl[1].component_mask, 4);
    cr_assert_eq(s[0].buffer_mask, 1);
}
