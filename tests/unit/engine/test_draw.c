/* From packets to struct draw and struct dispatch. */
#include "rig.h"

#include <criterion/criterion.h>

static struct rig rig;

#define BASE_INSTRUCTION (RIG_KERNEL & ~UINT64_C(4095))
#define BASE_DYNAMIC RIG_STATE
#define BASE_SURFACE (RIG_STATE + 0x8000)

static void
setup(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9});
    rig_set_bases(&rig, BASE_SURFACE, BASE_DYNAMIC, BASE_INSTRUCTION);
    memset(rig_dw(&rig, RIG_KERNEL), 1, 0x1000);
}

static void
teardown(void)
{
    rig_finish(&rig);
}

TestSuite(draw, .init = setup, .fini = teardown, .timeout = 20);

static enum engine_result
run(void)
{
    EMIT(&rig, BBE);
    return rig_run(&rig, rig.ctx, ENGINE_RCS);
}

/* Packs and emits 3DSTATE packet `name` with opcode op. */
#define PACKET(op, name, len, ...)                  \
    do {                                            \
        struct gen9_##name p_ = {__VA_ARGS__};      \
        uint32_t dw_[len] = {0};                    \
        gen9_##name##_pack(&p_, dw_);               \
        dw_[0] |= (uint32_t)(op) << 16 | ((len)-2); \
        rig_emit(&rig, dw_, len);                   \
    } while (0)

#define DRAW 0x7b000005, 0, 3, 0, 1, 0, 0
#define DRAW_INDIRECT 0x7b000405, 0, 3, 0, 1, 0, 0
#define DRAW_PREDICATED 0x7b000105, 0, 3, 0, 1, 0, 0

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

static void
fail_draw(const struct draw *draw)
{
    atomic_store(draw->reset, true);
}

Test(draw, draw_that_fails_ends_the_batch)
{
    rig_record.on_draw = fail_draw;
    EMIT(&rig, DRAW, SDI(RIG_DATA, 1));
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
}

/* ---- draws that become one ---- */

#define TRIANGLES 0x784b0000, GEN9_3DPRIM_TRILIST
#define INDEXED(count, start) 0x7b000005, 0x100, count, start, 1, 0, 0

Test(draw, pieces_of_an_index_buffer_are_one_draw)
{
    EMIT(&rig, TRIANGLES, INDEXED(6, 30), INDEXED(3, 36), INDEXED(9, 3),
         INDEXED(3, 12), INDEXED(0, 90), INDEXED(3, 0));
    cr_assert_eq(run(), ENGINE_OK);
    const struct draw *d = &rig_record.draw;
    cr_assert_eq(rig_record.draws, 1);
    cr_assert_eq(d->vertex_count, 24);
    cr_assert_eq(d->start_vertex, 30);
    cr_assert_eq(d->range_count, 4);
    static const struct draw_range expect[] = {
        {0, 30, NULL}, {9, 3, NULL}, {21, 90, NULL}, {21, 0, NULL}};
    cr_assert_arr_eq(d->range, expect, sizeof expect);
    cr_assert_not(d->vs_varies);
}

Test(draw, pieces_that_are_too_many_are_several_draws)
{
    EMIT(&rig, TRIANGLES);
    for (unsigned i = 0; i < 1500; i++)
        EMIT(&rig, INDEXED(3, i * 10));
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draws, 2);
    cr_assert_eq(rig_record.draw.vertex_count, 3 * (1500 - 1024));
    cr_assert_eq(rig_record.draw.start_vertex, 10240);
}

/* Two draws with something in between, or that differ, remain two. */
static void
expect_two_draws(const uint32_t *between, unsigned count,
                 const uint32_t second[7])
{
    static const uint32_t first[] = {TRIANGLES, INDEXED(3, 0)};
    static const uint32_t plain[] = {INDEXED(3, 3)};
    rig_record.draws = 0;
    rig_at(&rig, RIG_BATCH);
    rig_emit(&rig, first, ARRAY_SIZE(first));
    rig_emit(&rig, between, count);
    rig_emit(&rig, second ? second : plain, 7);
    EMIT(&rig, BBE);
    cr_expect_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_OK);
    cr_expect_eq(rig_record.draws, 2);
}

#define DWORDS(...) \
    (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4

Test(draw, other_commands_end_a_draw)
{
    expect_two_draws(DWORDS(0x78180000, 1), NULL);
    expect_two_draws(DWORDS(SDI(RIG_DATA, 1)), NULL);
    expect_two_draws(DWORDS(0x7a000004, 0, 0, 0, 0, 0), NULL);
}

Test(draw, what_is_said_again_ends_no_draw)
{
    EMIT(&rig, TRIANGLES, 0x78180000, 1, INDEXED(3, 0), TRIANGLES, 0x78180000,
         1, INDEXED(3, 3));
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draws, 1);
    cr_assert_eq(rig_record.draw.vertex_count, 6);
}

Test(draw, draws_that_differ_stay_apart)
{
    static const uint32_t others[][7] = {
        {0x7b000005, 0x000, 3, 3, 1, 0, 0}, /* not indexed */
        {0x7b000005, 0x100, 4, 3, 1, 0, 0}, /* not whole triangles */
        {0x7b000005, 0x100, 3, 3, 2, 0, 0}, /* instances */
        {0x7b000005, 0x100, 3, 3, 1, 5, 0}, /* another first instance */
        {0x7b000005, 0x100, 3, 3, 1, 0, 7}, /* another base vertex */
        {0x7b000005, 0x100, UINT32_MAX, 3, 1, 0, 0}, /* too long together */
    };
    for (unsigned i = 0; i < ARRAY_SIZE(others); i++)
        expect_two_draws(NULL, 0, others[i]);
}

Test(draw, draws_with_effects_stay_apart)
{
    PACKET(0x7820, 3dstate_ps, 12, ._8_pixel_dispatch_enable = true);
    PACKET(0x784f, 3dstate_ps_extra, 2, .pixel_shader_valid = true,
           .pixel_shader_has_uav = true);
    EMIT(&rig, TRIANGLES, INDEXED(3, 0), INDEXED(3, 3));
    PACKET(0x784f, 3dstate_ps_extra, 2, .pixel_shader_valid = true);
    PACKET(0x781f, 3dstate_sbe, 6, .primitive_id_override_component_x = true);
    EMIT(&rig, INDEXED(3, 0), INDEXED(3, 3));
    PACKET(0x781f, 3dstate_sbe, 6, .force_vertex_urb_entry_read_length = true);
    EMIT(&rig, INDEXED(3, 0), INDEXED(3, 3));
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draws, 5);
}

static void
check_data(const struct draw *draw)
{
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
}

Test(draw, a_held_draw_comes_before_what_follows)
{
    rig_record.on_draw = check_data;
    EMIT(&rig, TRIANGLES, INDEXED(3, 0), SDI(RIG_DATA, 1));
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draws, 1);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1);
}

Test(draw, a_held_draw_that_fails_ends_the_batch)
{
    rig_record.on_draw = fail_draw;
    EMIT(&rig, TRIANGLES, INDEXED(3, 0), INDEXED(3, 3));
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    /* And one before a command that is none. */
    rig_record.on_draw = NULL;
    rig_record.draws = 0;
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, TRIANGLES, INDEXED(3, 0), UINT32_MAX);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_GUEST_ERROR);
    cr_assert_eq(rig_record.draws, 1);
}

/* Draws with something between them; whether the pixels of the first are still
 * to come when the second begins. */
static unsigned waiting_before;

static void
leave_pixels(const struct draw *draw)
{
    waiting_before = rig_record.waiting;
    if (draw->may_wait)
        rig_leave_pixels(draw);
}

static void
expect_waiting(bool waits, const uint32_t *between, unsigned count)
{
    rig_record.on_draw = leave_pixels;
    rig_record.flushed = 0;
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, TRIANGLES, DRAW);
    rig_emit(&rig, between, count);
    EMIT(&rig, DRAW, BBE);
    cr_expect_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_OK);
    cr_expect_eq(waiting_before, waits, "command %08x", between[0]);
    cr_expect_eq(rig_record.flushed, 2);
    cr_expect_eq(rig_record.waiting, 0);
}

Test(draw, pixels_wait_until_more_than_state_comes)
{
    expect_waiting(true, DWORDS(0x78490001, 0, 1)); /* instancing */
    expect_waiting(true, DWORDS(0x78260000, 32));   /* VS binding table */
    expect_waiting(true, DWORDS(0x782a0000, 32));   /* PS binding table */
    expect_waiting(true, DWORDS(0x78180000, 1));    /* sample mask */
    expect_waiting(false, DWORDS(SDI(RIG_DATA, 1)));
    expect_waiting(false, DWORDS(SRM(0x2310, RIG_DATA)));
    expect_waiting(false, DWORDS(0x7a000004, 0, 0, 0, 0, 0));
}

static const struct draw *waiting_draw[40];
static unsigned first_of_flush;

/* Draw i has sample mask i + 1, for as long as it waits. */
static void
check_masks(const struct draw *draw)
{
    if (!rig_record.waiting)
        first_of_flush = rig_record.draws - 1;
    waiting_draw[rig_record.draws - 1] = draw;
    for (unsigned i = first_of_flush; i < rig_record.draws; i++)
        cr_expect_eq(waiting_draw[i]->sample_mask, i + 1, "draw %u of %u", i,
                     rig_record.draws);
    rig_leave_pixels(draw);
}

Test(draw, draws_stay_as_they_are_while_their_pixels_wait)
{
    rig_record.on_draw = check_masks;
    EMIT(&rig, TRIANGLES);
    for (uint32_t i = 0; i < ARRAY_SIZE(waiting_draw); i++)
        EMIT(&rig, 0x78180000, i + 1, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_expect_eq(rig_record.draws, ARRAY_SIZE(waiting_draw));
    cr_expect_eq(rig_record.flushed, ARRAY_SIZE(waiting_draw));
    cr_expect_gt(first_of_flush, 0);
}

Test(draw, pixels_with_effects_do_not_wait)
{
    rig_record.on_draw = leave_pixels;
    EMIT(&rig, TRIANGLES, DRAW);
    PACKET(0x7820, 3dstate_ps, 12, ._8_pixel_dispatch_enable = true);
    PACKET(0x784f, 3dstate_ps_extra, 2, .pixel_shader_valid = true,
           .pixel_shader_has_uav = true);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_expect_eq(rig_record.draws, 2);
    cr_expect_eq(rig_record.flushed, 1);
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
    /* Two rows, but 255 entries are claimed. */
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

/* ---- stages
 * ------------------------------------------------------------------ */

Test(draw, kernel_is_at_instruction_base_plus_pointer)
{
    PACKET(0x7810, 3dstate_vs, 9, .enable = true, .simd8_dispatch_enable = true,
           .kernel_start_pointer = 0x240,
           .dispatch_grf_start_register_for_urb_data = 5,
           .per_thread_scratch_space = 2,
           .scratch_space_base_pointer = 0x400000);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.kernel_code,
                 vm_ptr(rig.vm, BASE_INSTRUCTION + 0x240));
    const struct shader_stage *vs = &rig_record.draw.stage[STAGE_VS];
    cr_assert(vs->enabled);
    cr_assert_eq(vs->grf_start, 5);
    cr_assert_eq(vs->simd, 8);
    uint32_t g0[8] = {0};
    stage_header(vs, g0, 3);
    cr_assert_eq(g0[3] & 15, 2);
    cr_assert_eq(g0[5] & ~0x3ffu, 0x400000 + 3 * 4096);
    cr_assert_eq(g0[5] & 0x3ff, 3);
}

Test(draw, kernel_overwritten_in_place_is_seen)
{
    PACKET(0x7810, 3dstate_vs, 9, .enable = true,
           .simd8_dispatch_enable = true);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    rig_record.kernel_code = NULL;
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_null(rig_record.kernel_code,
                   "the same code is not decoded again");
    ((uint8_t *)rig_dw(&rig, RIG_KERNEL))[40] ^= 1;
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_not_null(rig_record.kernel_code);
}

Test(draw, malformed_kernel_is_an_error)
{
    memset(rig_dw(&rig, RIG_KERNEL), 0, 64);
    PACKET(0x7810, 3dstate_vs, 9, .enable = true,
           .simd8_dispatch_enable = true);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    cr_assert_eq(rig_record.draws, 0);
}

static void
check_ps_width(bool s8, bool s16, bool s32, unsigned simd, unsigned ksp)
{
    PACKET(0x784f, 3dstate_ps_extra, 2, .pixel_shader_valid = true);
    PACKET(0x7820, 3dstate_ps, 12, ._8_pixel_dispatch_enable = s8,
           ._16_pixel_dispatch_enable = s16, ._32_pixel_dispatch_enable = s32,
           .kernel_start_pointer_0 = 0x100, .kernel_start_pointer_1 = 0x200,
           .kernel_start_pointer_2 = 0x300,
           .dispatch_grf_start_register_for_constant_setup_data_0 = 10,
           .dispatch_grf_start_register_for_constant_setup_data_1 = 11,
           .dispatch_grf_start_register_for_constant_setup_data_2 = 12);
    EMIT(&rig, DRAW);
    rig_record.kernel_code = NULL;
    /* Make the code differ, so that it is looked up again. */
    for (unsigned i = 1; i <= 3; i++)
        ++*(uint8_t *)rig_dw(&rig, RIG_KERNEL + i * 0x100 + 8);
    cr_assert_eq(run(), ENGINE_OK);
    const struct shader_stage *ps = &rig_record.draw.stage[STAGE_PS];
    cr_assert_eq(ps->simd, simd);
    cr_assert_eq(ps->grf_start, 10 + ksp);
    cr_assert_eq(rig_record.kernel_code,
                 vm_ptr(rig.vm, BASE_INSTRUCTION + 0x100 * (ksp + 1)));
}

Test(draw, pixel_kernel_follows_enabled_widths)
{
    check_ps_width(1, 0, 0, 8, 0);
    check_ps_width(0, 1, 0, 16, 0);
    check_ps_width(0, 0, 1, 32, 0);
    check_ps_width(1, 1, 0, 16, 2);
    check_ps_width(1, 0, 1, 8, 0);
    check_ps_width(0, 1, 1, 16, 2);
    check_ps_width(1, 1, 1, 16, 2);
}

Test(draw, pixel_stage_is_off_without_width_or_valid_bit)
{
    PACKET(0x784f, 3dstate_ps_extra, 2, .pixel_shader_valid = true);
    PACKET(0x7820, 3dstate_ps, 12, .kernel_start_pointer_0 = 0x100);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_not(rig_record.draw.stage[STAGE_PS].enabled);
}

static void
emit_constants(unsigned op, const unsigned length[4], const uint64_t va[4])
{
    struct gen9_3dstate_constant_body body = {0};
    for (unsigned i = 0; i < 4; i++) {
        body.read_length[i] = length[i];
        body.buffer[i] = va[i];
    }
    uint32_t dw[11] = {op << 16 | 9};
    gen9_3dstate_constant_body_pack(&body, dw + 1);
    rig_emit(&rig, dw, 11);
}

Test(draw, constants_are_concatenated_in_slot_order)
{
    PACKET(0x7810, 3dstate_vs, 9, .enable = true,
           .simd8_dispatch_enable = true);
    for (unsigned i = 0; i < 64; i++)
        *rig_dw(&rig, RIG_DATA + i * 4) = i;
    EMIT(&rig, LRI(0x20d8, 0x00100010));
    emit_constants(0x7815, (unsigned[]){1, 0, 2, 1},
                   (uint64_t[]){RIG_DATA + 128, 0, RIG_DATA, RIG_DATA + 192});
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    const struct shader_stage *vs = &rig_record.draw.stage[STAGE_VS];
    cr_assert_eq(vs->push_grf, 4);
    cr_assert_eq(vs->push[0], 32);
    cr_assert_eq(vs->push[8], 0);
    cr_assert_eq(vs->push[23], 15);
    cr_assert_eq(vs->push[24], 48);
}

static uint32_t pushed[4];
static uint64_t serial[4];

static void
note_state(const struct draw *draw)
{
    const struct shader_stage *vs = &draw->stage[STAGE_VS];
    unsigned i = rig_record.draws - 1;
    cr_assert_lt(i, 4);
    pushed[i] = vs->push ? vs->push[0] : 0;
    serial[i] = draw->pixel_serial;
}

/* Memory is read again when a command may have written it, the rest of the
 * state only when it is sent. */
Test(draw, state_is_made_again_when_it_may_have_changed)
{
    rig_record.on_draw = note_state;
    PACKET(0x7810, 3dstate_vs, 9, .enable = true,
           .simd8_dispatch_enable = true);
    *rig_dw(&rig, BASE_DYNAMIC + 0x40) = 0x55;
    *rig_dw(&rig, BASE_DYNAMIC + 0x80) = 0x66;
    emit_constants(0x7815, (unsigned[]){1, 0, 0, 0},
                   (uint64_t[]){0x40, 0, 0, 0});
    EMIT(&rig, DRAW);
    emit_constants(0x7815, (unsigned[]){1, 0, 0, 0},
                   (uint64_t[]){0x80, 0, 0, 0});
    EMIT(&rig, DRAW, 0x78180000, 1, DRAW, SDI(BASE_DYNAMIC + 0x80, 0x77), DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    static const uint32_t expect[] = {0x55, 0x66, 0x66, 0x77};
    cr_assert_arr_eq(pushed, expect, sizeof expect);
    cr_assert_eq(serial[1], serial[0], "constants of the VS are not raster's");
    cr_assert_neq(serial[2], serial[1], "the sample mask is");
    cr_assert_neq(serial[3], serial[2], "memory may be");
    /* The CPU writes between batches. */
    rig_record.draws = 0;
    *rig_dw(&rig, BASE_DYNAMIC + 0x80) = 0x88;
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(pushed[0], 0x88);
}

/* ---- draws that become one with other constants ---- */

/* A matrix per object. */
static void
emit_matrix(unsigned i)
{
    emit_constants(0x7815, (unsigned[]){0, 0, 0, 1},
                   (uint64_t[]){0, 0, 0, RIG_DATA + i * 32});
}

static void
prepare_objects(void)
{
    rig_set_bases(&rig, BASE_SURFACE, BASE_DYNAMIC, BASE_INSTRUCTION);
    PACKET(0x7810, 3dstate_vs, 9, .enable = true,
           .simd8_dispatch_enable = true);
    for (unsigned i = 0; i < 128; i++)
        *rig_dw(&rig, RIG_DATA + i * 32) = 100 + i;
    EMIT(&rig, TRIANGLES);
}

static unsigned first_seen; /* of the draw */

static void
check_ranges(const struct draw *draw)
{
    cr_expect(draw->vs_varies);
    for (unsigned i = 0; i < draw->range_count; i++) {
        cr_expect_eq(draw->range[i].vs_push[0], 100 + first_seen + i);
        cr_expect_eq(draw->range[i].first, i * 6);
        cr_expect_eq(draw->range[i].start_vertex, (first_seen + i) * 6);
    }
    first_seen += draw->range_count;
}

Test(draw, objects_with_matrices_of_their_own_are_one_draw)
{
    rig_record.on_draw = check_ranges;
    prepare_objects();
    for (unsigned i = 0; i < DRAW_VARIED_RANGES * 2; i++) {
        emit_matrix(i);
        EMIT(&rig, INDEXED(6, i * 6));
    }
    cr_assert_eq(run(), ENGINE_OK);
    cr_expect_eq(rig_record.draws, 2);
    cr_expect_eq(first_seen, DRAW_VARIED_RANGES * 2);
    cr_expect_eq(rig_record.draw.vertex_count, DRAW_VARIED_RANGES * 6);
}

static void
check_last(const struct draw *draw)
{
    if (rig_record.draws == 1)
        cr_expect_eq(draw->range[1].vs_push[0], 101);
    else
        cr_expect_eq(draw->stage[STAGE_VS].push[0], 101);
}

Test(draw, what_follows_has_the_last_matrix)
{
    rig_record.on_draw = check_last;
    prepare_objects();
    emit_matrix(0);
    EMIT(&rig, INDEXED(3, 0));
    emit_matrix(1);
    EMIT(&rig, INDEXED(3, 0), 0x78180000, 1, INDEXED(3, 3));
    cr_assert_eq(run(), ENGINE_OK);
    cr_expect_eq(rig_record.draws, 2);
}

static void
check_pairs(const struct draw *draw)
{
    cr_expect(draw->vs_varies);
    cr_assert_eq(draw->range_count, 4);
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(draw->range[i].vs_push[0], 100 + i / 2);
}

Test(draw, several_draws_of_one_matrix)
{
    rig_record.on_draw = check_pairs;
    prepare_objects();
    emit_matrix(0);
    EMIT(&rig, INDEXED(3, 0), INDEXED(3, 30));
    emit_matrix(1);
    EMIT(&rig, INDEXED(3, 0), INDEXED(3, 3));
    cr_assert_eq(run(), ENGINE_OK);
    cr_expect_eq(rig_record.draws, 1);
}

static uint32_t matrix_of[4], vertices_of[4];

static void
note_matrix(const struct draw *draw)
{
    unsigned i = rig_record.draws - 1;
    cr_expect_not(draw->vs_varies);
    cr_assert_lt(i, 4);
    matrix_of[i] = draw->stage[STAGE_VS].push[0];
    vertices_of[i] = draw->vertex_count;
}

/* Two draws with another matrix, and what `between` says. */
static void
expect_two_objects(const uint32_t *between, unsigned count,
                   const uint32_t second[7])
{
    static const uint32_t plain[] = {INDEXED(3, 3)};
    rig_record.draws = 0;
    rig_record.on_draw = note_matrix;
    rig_at(&rig, RIG_BATCH);
    prepare_objects();
    emit_matrix(0);
    EMIT(&rig, INDEXED(3, 0));
    emit_matrix(1);
    rig_emit(&rig, between, count);
    rig_emit(&rig, second ? second : plain, 7);
    EMIT(&rig, BBE);
    cr_expect_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_OK);
    cr_expect_eq(rig_record.draws, 2);
    cr_expect_eq(matrix_of[0], 100);
    cr_expect_eq(matrix_of[1], 101);
    cr_expect_eq(vertices_of[0], 3);
}

Test(draw, objects_that_differ_in_more_stay_apart)
{
    static const uint32_t large[] = {INDEXED(999, 3)};
    static const uint32_t array[] = {0x7b000005, 0, 3, 3, 1, 0, 0};
    expect_two_objects(DWORDS(0x78180000, 1), NULL);
    expect_two_objects(DWORDS(0x78260000, 32), NULL);
    expect_two_objects(DWORDS(SDI(RIG_DATA + 4, 1)), NULL);
    expect_two_objects(NULL, 0, large);
    expect_two_objects(NULL, 0, array);
}

/* Too many constants for one draw, or for any. */
Test(draw, objects_with_other_layouts_stay_apart)
{
    static uint32_t longer[11];
    struct gen9_3dstate_constant_body body = {.read_length = {[3] = 2},
                                              .buffer = {[3] = RIG_DATA + 32}};
    gen9_3dstate_constant_body_pack(&body, longer + 1);
    longer[0] = 0x78150009;
    expect_two_objects(longer, 11, NULL);
    body.read_length[2] = 127;
    gen9_3dstate_constant_body_pack(&body, longer + 1);
    rig_record.on_draw = NULL;
    rig_at(&rig, RIG_BATCH);
    prepare_objects();
    emit_matrix(0);
    EMIT(&rig, INDEXED(3, 0));
    rig_emit(&rig, longer, 11);
    EMIT(&rig, INDEXED(3, 0), BBE);
    cr_expect_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_GUEST_ERROR);
}

Test(draw, constant_slot_0_is_relative_unless_told_otherwise)
{
    PACKET(0x7810, 3dstate_vs, 9, .enable = true,
           .simd8_dispatch_enable = true);
    *rig_dw(&rig, BASE_DYNAMIC + 0x40) = 0x55;
    emit_constants(0x7815, (unsigned[]){1, 0, 0, 0},
                   (uint64_t[]){0x40, 0, 0, 0});
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draw.stage[STAGE_VS].push[0], 0x55);
}

Test(draw, more_constants_than_registers_is_an_error)
{
    PACKET(0x7810, 3dstate_vs, 9, .enable = true,
           .simd8_dispatch_enable = true);
    emit_constants(0x7815, (unsigned[]){0, 0xffff, 0xffff, 1},
                   (uint64_t[]){0, RIG_DATA, RIG_DATA, RIG_DATA});
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

/* ---- surfaces and samplers
 * --------------------------------------------------- */

static struct surface seen_surface;
static struct sampler seen_sampler;

static void
look(const struct draw *draw)
{
    const struct shader_stage *ps = &draw->stage[STAGE_PS];
    seen_surface = *stage_surface(ps, 1);
    seen_sampler = *stage_sampler(ps, 1);
    cr_assert_eq(stage_surface(ps, 1), stage_surface(ps, 1));
    cr_assert_eq(stage_sampler_at(ps, ps->sampler_offset + 16)->border.u[2],
                 seen_sampler.border.u[2]);
}

static void
emit_surface(uint64_t va)
{
    struct gen9_render_surface_state rss = {
        .surface_type = SURFACE_2D,
        .surface_format = 0x0c7,
        .tile_mode = 3,
        .surface_horizontal_alignment = 1,
        .surface_vertical_alignment = 1,
        .width = 63,
        .height = 31,
        .surface_pitch = 255,
        .surface_base_address = RIG_DATA,
    };
    uint32_t dw[16] = {0};
    gen9_render_surface_state_pack(&rss, dw);
    memcpy(rig_dw(&rig, va), dw, sizeof dw);
}

Test(draw, binding_table_entry_is_decoded_when_asked_for)
{
    EMIT(&rig, 0x782a0000, 0x100); /* binding table */
    EMIT(&rig, 0x782f0000, 0x200); /* samplers */
    *rig_dw(&rig, BASE_SURFACE + 0x100 + 4) = 0x400;
    emit_surface(BASE_SURFACE + 0x400);
    *rig_dw(&rig, BASE_DYNAMIC + 0x210 + 12) = 4 << 6; /* TCX: border */
    *rig_dw(&rig, BASE_DYNAMIC + 0x210 + 8) = 0x340;   /* border colour */
    *rig_dw(&rig, BASE_DYNAMIC + 0x340 + 8) = 99;
    rig_record.on_draw = look;
    /* The clear colour changes between two draws of one batch. */
    uint64_t clear = BASE_SURFACE + 0x400 + 48;
    EMIT(&rig, SDI(clear, 5), DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(seen_surface.type, SURFACE_2D);
    cr_assert_eq(seen_surface.width, 64);
    cr_assert_eq(seen_surface.mem, vm_ptr(rig.vm, RIG_DATA));
    cr_assert_eq(seen_surface.limit_B, vm_limit_B(RIG_DATA));
    cr_assert_eq(seen_surface.clear_color.u[0], 5);
    cr_assert_eq(seen_sampler.border.u[2], 99);
    EMIT(&rig, SDI(clear, 6), DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(seen_surface.clear_color.u[0], 6);
}

static void
look_bindless(const struct draw *draw)
{
    const struct shader_stage *ps = &draw->stage[STAGE_PS];
    seen_surface = *stage_surface_bindless(ps, 0x440);
    cr_assert_eq(stage_surface_bindless(ps, 0x440),
                 stage_surface_bindless(ps, 0x440));
}

Test(draw, bindless_surface_is_relative_to_its_base)
{
    PACKET(0x6101, state_base_address, 19,
           .bindless_surface_state_base_address_modify_enable = true,
           .bindless_surface_state_base_address = RIG_DATA);
    emit_surface(RIG_DATA + 0x440);
    rig_record.on_draw = look_bindless;
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(seen_surface.width, 64);
}

Test(draw, bases_change_only_when_enabled)
{
    PACKET(0x6101, state_base_address, 19,
           .dynamic_state_base_address = 0x12345000,
           .surface_state_base_address_modify_enable = true,
           .surface_state_base_address = RIG_DATA);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draw.stage[STAGE_PS].dynamic_base_va, BASE_DYNAMIC);
    cr_assert_eq(rig_record.draw.stage[STAGE_PS].surface_base_va, RIG_DATA);
}

/* ---- pixels
 * ------------------------------------------------------------------ */

Test(draw, depth_and_stencil_become_surfaces)
{
    PACKET(0x7805, 3dstate_depth_buffer, 8, .surface_type = 1,
           .surface_format = 5, .depth_write_enable = true, .width = 99,
           .height = 49, .depth = 5, .lod = 2, .minimum_array_element = 3,
           .render_target_view_extent = 1, .surface_pitch = 511,
           .surface_qpitch = 16, .surface_base_address = RIG_DATA);
    PACKET(0x7806, 3dstate_stencil_buffer, 5, .stencil_buffer_enable = true,
           .surface_pitch = 255, .surface_qpitch = 20,
           .surface_base_address = RIG_DATA + 0x8000);
    PACKET(0x780d, 3dstate_multisample, 2, .number_of_multisamples = 2);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    const struct draw *d = &rig_record.draw;
    cr_assert_eq(d->depth.format, 0x10a);
    cr_assert_eq(d->depth.tiling, TILING_Y);
    cr_assert_eq(d->depth.halign_el, 8);
    cr_assert_eq(d->depth.width, 100);
    cr_assert_eq(d->depth.height, 50);
    cr_assert_eq(d->depth.depth, 6);
    cr_assert_eq(d->depth.row_pitch_B, 512);
    cr_assert_eq(d->depth.qpitch_el_rows, 64);
    cr_assert_eq(d->depth.samples, 4);
    cr_assert(d->depth.interleaved);
    cr_assert_eq(d->depth.mem, vm_ptr(rig.vm, RIG_DATA));
    cr_assert_eq(d->depth_level, 2);
    cr_assert_eq(d->depth_min_array, 3);
    cr_assert_eq(d->depth_view_extent, 1);
    cr_assert(d->depth_write_ok);
    cr_assert_not(d->stencil_write_ok);
    cr_assert_eq(d->stencil.format, 0x143);
    cr_assert_eq(d->stencil.tiling, TILING_W);
    cr_assert_eq(d->stencil.row_pitch_B, 256);
    cr_assert_eq(d->stencil.qpitch_el_rows, 80);
    cr_assert_eq(d->stencil.width, 100);
}

Test(draw, depth_is_null_before_it_is_set)
{
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draw.depth.type, SURFACE_NULL);
    cr_assert_eq(rig_record.draw.stencil.type, SURFACE_NULL);
    cr_assert_not_null(rig_record.draw.depth.fmt);
}

Test(draw, unknown_depth_format_is_null)
{
    PACKET(0x7805, 3dstate_depth_buffer, 8, .surface_type = 1,
           .surface_format = 6, .surface_base_address = RIG_DATA);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.draw.depth.type, SURFACE_NULL);
}

Test(draw, sample_positions_follow_the_count)
{
    EMIT(&rig, 0x791c0007, 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
         0x47464544, 0x43424140, 0x23222120, 0x00881110);
    static const uint8_t first[] = {0x88, 0x10, 0x20, 0x40, 0x00};
    static const uint8_t last[] = {0x88, 0x11, 0x23, 0x47, 0x0f};
    for (unsigned i = 0; i < 5; i++) {
        PACKET(0x780d, 3dstate_multisample, 2, .number_of_multisamples = i);
        EMIT(&rig, DRAW);
        cr_assert_eq(run(), ENGINE_OK);
        const struct draw *d = &rig_record.draw;
        unsigned n = d->samples - 1;
        cr_assert_eq(d->samples, 1u << i);
        cr_assert_eq(d->sample_x[0] << 4 | d->sample_y[0], first[i]);
        cr_assert_eq(d->sample_x[n] << 4 | d->sample_y[n], last[i]);
    }
}

Test(draw, dynamic_state_is_read_through_its_pointers)
{
    EMIT(&rig, 0x78210000, 0x1000, 0x78230000, 0x1400, 0x780f0000, 0x1420,
         0x78240000, 0x1481, 0x780e0000, 0x14c1);
    PACKET(0x7812, 3dstate_clip, 4, .maximum_vp_index = 1, .clip_enable = true);
    PACKET(0x7850, 3dstate_raster, 5, .scissor_rectangle_enable = true);
    struct gen9_sf_clip_viewport vp = {.viewport_matrix_element_m11 = 2.0f};
    uint32_t dw[16] = {0};
    gen9_sf_clip_viewport_pack(&vp, dw);
    memcpy(rig_dw(&rig, BASE_DYNAMIC + 0x1000 + 64), dw, 64);
    *rig_dw(&rig, BASE_DYNAMIC + 0x1400 + 12) = bits_from_float(0.5f);
    *rig_dw(&rig, BASE_DYNAMIC + 0x1420 + 12) = 0x00080007;
    *rig_dw(&rig, BASE_DYNAMIC + 0x1480) = 1u << 31;
    *rig_dw(&rig, BASE_DYNAMIC + 0x1480 + 4 + 8 * 7) = 1u << 31;
    *rig_dw(&rig, BASE_DYNAMIC + 0x14c0 + 8) = bits_from_float(0.25f);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    const struct draw *d = &rig_record.draw;
    cr_assert_float_eq(d->viewport[1].viewport_matrix_element_m11, 2.0f, 0);
    cr_assert_float_eq(d->cc_viewport[1].maximum_depth, 0.5f, 0);
    cr_assert_eq(d->scissor[1].scissor_rectangle_x_max, 7);
    cr_assert_eq(d->scissor[1].scissor_rectangle_y_max, 8);
    cr_assert(d->blend.alpha_to_coverage_enable);
    cr_assert(d->blend_entry[7].color_buffer_blend_enable);
    cr_assert_float_eq(d->cc.blend_constant_color_red, 0.25f, 0);
}

static float depth_of[3], blue_of[3];
static uint32_t left_of[3];
static bool blends[3];

static void
note_pixel_state(const struct draw *draw)
{
    unsigned i = rig_record.draws - 1;
    cr_assert_lt(i, 3);
    depth_of[i] = draw->cc_viewport[0].maximum_depth;
    left_of[i] = draw->scissor[0].scissor_rectangle_x_min;
    blends[i] = draw->blend_entry[1].color_buffer_blend_enable;
    blue_of[i] = draw->cc.blend_constant_color_blue;
}

/* By a command, then by the CPU between batches. */
Test(draw, dynamic_state_is_read_again_when_it_may_have_changed)
{
    const gpu_va depth = BASE_DYNAMIC + 0x1400 + 4;
    const gpu_va scissor = BASE_DYNAMIC + 0x1420;
    const gpu_va blend = BASE_DYNAMIC + 0x1480 + 4 + 8;
    const gpu_va blue = BASE_DYNAMIC + 0x14c0 + 16;
    rig_record.on_draw = note_pixel_state;
    EMIT(&rig, 0x78230000, 0x1400, 0x780f0000, 0x1420, 0x78240000, 0x1481,
         0x780e0000, 0x14c1);
    PACKET(0x7850, 3dstate_raster, 5, .scissor_rectangle_enable = true);
    EMIT(&rig, DRAW, SDI(scissor, 3), DRAW, SDI(blend, 1u << 31), DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_expect_eq(left_of[0], 0);
    cr_expect_eq(left_of[1], 3);
    cr_expect_eq(left_of[2], 3);
    cr_expect_not(blends[1]);
    cr_expect(blends[2]);
    rig_record.draws = 0;
    *rig_dw(&rig, depth) = bits_from_float(0.5f);
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, DRAW, SDI(blue, bits_from_float(2)), DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_expect_float_eq(depth_of[0], 0.5f, 0);
    cr_expect_float_eq(blue_of[0], 0, 0);
    cr_expect_float_eq(blue_of[1], 2, 0);
    cr_expect_eq(left_of[1], 3);
}

/* Whose pointers may be left behind. */
Test(draw, state_no_longer_used_is_not_read)
{
    EMIT(&rig, 0x78210000, 0x1000);
    PACKET(0x7812, 3dstate_clip, 4, .clip_enable = true);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    rig_at(&rig, RIG_BATCH);
    PACKET(0x7812, 3dstate_clip, 4, .clip_enable = false);
    EMIT(&rig, 0x78210000, 0x7fffffc0, DRAW);
    uint64_t errors = stats_get(STAT_guest_errors);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(stats_get(STAT_guest_errors), errors);
}

Test(draw, state_never_pointed_to_is_not_read)
{
    PACKET(0x6101, state_base_address, 19,
           .dynamic_state_base_address_modify_enable = true,
           .dynamic_state_base_address = UINT64_C(0x2000000000));
    EMIT(&rig, DRAW);
    uint64_t errors = stats_get(STAT_guest_errors);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(stats_get(STAT_guest_errors), errors);
}

Test(draw, hz_op_runs_once_at_the_pipe_control)
{
    PACKET(0x7805, 3dstate_depth_buffer, 8, .surface_type = 1,
           .surface_format = 1, .width = 63, .height = 63, .surface_pitch = 255,
           .surface_base_address = RIG_DATA);
    PACKET(0x7804, 3dstate_clear_params, 3, .depth_clear_value = 0.75f,
           .depth_clear_value_valid = true);
    PACKET(0x7852, 3dstate_wm_hz_op, 5, .depth_buffer_clear_enable = true,
           .clear_rectangle_x_max = 64, .clear_rectangle_y_max = 32,
           .number_of_multisamples = 1, .sample_mask = 0xffff);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.hz_ops, 0);
    EMIT(&rig, 0x7a000004, 0x00104000, LO(RIG_DATA), 0, 0, 0);
    PACKET(0x7852, 3dstate_wm_hz_op, 5, .number_of_multisamples = 0);
    EMIT(&rig, 0x7a000004, 0x00104000, LO(RIG_DATA), 0, 0, 0);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.hz_ops, 1);
    const struct hz_op *op = &rig_record.hz_op;
    cr_assert(op->depth_clear);
    cr_assert_not(op->stencil_clear);
    cr_assert_float_eq(op->depth_value, 0.75f, 0);
    cr_assert_eq(op->x_max, 64);
    cr_assert_eq(op->y_max, 32);
    cr_assert_eq(op->samples, 2);
    cr_assert_eq(op->depth.samples, 2);
}

Test(draw, hz_resolve_does_nothing)
{
    PACKET(0x7852, 3dstate_wm_hz_op, 5, .depth_buffer_resolve_enable = true);
    EMIT(&rig, 0x7a000004, 0x00104000, LO(RIG_DATA), 0, 0, 0);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.hz_ops, 0);
}

/* ---- compute
 * ------------------------------------------------------------------ */

static void
emit_compute(bool indirect)
{
    struct gen9_interface_descriptor_data idd = {
        .kernel_start_pointer = 0x180,
        .sampler_state_pointer = 0x60,
        .binding_table_pointer = 0x80,
        .constant_urb_entry_read_length = 1,
        .cross_thread_constant_data_read_length = 2,
        .shared_local_memory_size = 3,
    };
    uint32_t dw[8] = {0};
    gen9_interface_descriptor_data_pack(&idd, dw);
    memcpy(rig_dw(&rig, BASE_DYNAMIC + 0x40), dw, sizeof dw);
    for (unsigned i = 0; i < 64; i++)
        *rig_dw(&rig, BASE_DYNAMIC + 0x100 + i * 4) = 100 + i;
    EMIT(&rig, 0x69040302);
    PACKET(0x7000, media_vfe_state, 9, .maximum_number_of_threads = 167);
    EMIT(&rig, 0x70010002, 0, 128, 0x100, 0x70020002, 0, 32, 0x40);
    /* What CURBE_LOAD has read may change afterwards. */
    EMIT(&rig, SDI(BASE_DYNAMIC + 0x100, 0));
    PACKET(0x7105, gpgpu_walker, 15, .simd_size = 1,
           .indirect_parameter_enable = indirect,
           .thread_width_counter_maximum = 3, .thread_group_id_x_dimension = 4,
           .thread_group_id_y_dimension = 5, .thread_group_id_z_dimension = 6,
           .right_execution_mask = 0xff, .bottom_execution_mask = ~0u);
}

Test(draw, walker_becomes_a_dispatch)
{
    emit_compute(false);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.dispatches, 1);
    const struct dispatch *d = &rig_record.dispatch;
    cr_assert_eq(d->stage.simd, 16);
    cr_assert_eq(d->stage.binding_table_offset, 0x80);
    cr_assert_eq(d->stage.sampler_offset, 0x60);
    cr_assert_eq(rig_record.kernel_code,
                 vm_ptr(rig.vm, BASE_INSTRUCTION + 0x180));
    cr_assert_eq(d->threads_per_group, 4);
    cr_assert_eq(d->group_end[0], 4);
    cr_assert_eq(d->group_end[2], 6);
    cr_assert_eq(d->right_mask, 0xff);
    cr_assert_eq(d->slm_B, 4096);
    cr_assert_eq(d->cross_thread_grf, 2);
    cr_assert_eq(d->per_thread_grf, 1);
    cr_assert_eq(d->curbe_B, 128);
    uint32_t first;
    memcpy(&first, d->curbe, 4);
    cr_assert_eq(first, 100);
    cr_assert_eq(d->max_concurrent_threads, 168);
}

Test(draw, indirect_walker_takes_registers)
{
    EMIT(&rig, LRI(0x2500, 7), LRI(0x2504, 0), LRI(0x2508, 9));
    emit_compute(true);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.dispatch.group_end[0], 7);
    cr_assert_eq(rig_record.dispatch.group_end[1], 0);
    cr_assert_eq(rig_record.dispatch.group_end[2], 9);
}

Test(draw, oversized_curbe_is_an_error)
{
    EMIT(&rig, 0x70010002, 0, 0x1ffff, 0);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}
