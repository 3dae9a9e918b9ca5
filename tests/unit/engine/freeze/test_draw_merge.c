/* test_draw_merge.c: which draws are merged, and which are deferred. */
#include "draw_rig.h"

/* ---- merged draws ---- */

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

/* Expects that two draws with commands between them, or with differences, are
 * not merged. */
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
        {0x7b000005, 0x100, 4, 3, 1, 0, 0}, /* an incomplete triangle */
        {0x7b000005, 0x100, 3, 3, 2, 0, 0}, /* instances */
        {0x7b000005, 0x100, 3, 3, 1, 5, 0}, /* another first instance */
        {0x7b000005, 0x100, 3, 3, 1, 0, 7}, /* another base vertex */
        {0x7b000005, 0x100, UINT32_MAX, 3, 1, 0, 0}, /* too long in total */
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
    /* And a draw before an invalid command. */
    rig_record.on_draw = NULL;
    rig_record.draws = 0;
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, TRIANGLES, INDEXED(3, 0), UINT32_MAX);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_GUEST_ERROR);
    cr_assert_eq(rig_record.draws, 1);
}

/* Number of deferred draws when the second of two draws begins, with commands
 * between them. */
static unsigned waiting_before;

static void
leave_pixels(const struct draw *draw)
{
    waiting_before = rig_record.waiting;
    if (draw->deferrable)
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

/* Draw i has sample mask i + 1, as long as it is deferred. */
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

/* ---- draws merged with other constants ---- */

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

static unsigned first_seen; /* of the first draw */

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

/* Two draws with different matrices and the commands of `between`. */
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

/* Too many constants for one draw, or for any draw. */
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
