/* test_draw_state.c: surfaces, samplers and pixel state of a draw. */
#include "draw_rig.h"

/* ---- surfaces and samplers ---- */

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
    cr_assert_eq(seen_surface.limit_B, vm_limit_B(rig.vm, RIG_DATA));
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

/* ---- pixels ---- */

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

Test(draw, depth_in_standard_tilings)
{
    static const struct {
        unsigned tiling;
        uint64_t column_8_B, column_32_B;
    } row[] = {
        {TILING_Y, 1024, 4096}, {TILING_YF, 512, 4096}, {TILING_YS, 512, 8192}};
    for (unsigned mode = 0; mode < 4; mode++) {
        PACKET(0x7805, 3dstate_depth_buffer, 8, .surface_type = 1,
               .surface_format = 1, .width = 99, .height = 49,
               .surface_pitch = 1023, .surface_qpitch = 64,
               .tiled_resource_mode = mode, .mip_tail_start_lod = 3,
               .surface_base_address = RIG_DATA);
        EMIT(&rig, DRAW);
        cr_assert_eq(run(), ENGINE_OK);
        const struct surface *s = &rig_record.draw.depth;
        if (mode == 3) { /* reserved */
            cr_assert_eq(s->type, SURFACE_NULL);
            continue;
        }
        cr_assert_eq(s->tiling, row[mode].tiling);
        cr_assert_eq(s->mip_tail_start, 3);
        cr_assert_eq(surface_offset_B(s, 0, 8, 0, 0, 0), row[mode].column_8_B);
        cr_assert_eq(surface_offset_B(s, 0, 32, 0, 0, 0),
                     row[mode].column_32_B);
    }
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

/* Changed by a command, then by the CPU between batches. */
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

/* Its pointers may be stale. */
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

Test(draw, hz_resolves_are_told_apart)
{
    for (unsigned hiz = 0; hiz < 2; hiz++) {
        PACKET(0x7852, 3dstate_wm_hz_op, 5, .depth_buffer_resolve_enable = !hiz,
               .hierarchical_depth_buffer_resolve_enable = hiz);
        EMIT(&rig, 0x7a000004, 0x00104000, LO(RIG_DATA), 0, 0, 0);
        cr_assert_eq(run(), ENGINE_OK);
        cr_assert_eq(rig_record.hz_ops, hiz + 1);
        cr_assert_eq(rig_record.hz_op.depth_resolve, !hiz);
        cr_assert_eq(rig_record.hz_op.hiz_resolve, hiz);
        cr_assert(!rig_record.hz_op.depth_clear);
    }
}

/* ---- writes that raster must be told ---- */

static void
expect_noted(const uint32_t *dw, unsigned count, uint64_t va, unsigned size_B)
{
    EMIT(&rig, DRAW);
    rig_record.noted_at = NULL;
    rig_emit(&rig, dw, count);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.noted_at, vm_ptr(rig.vm, va));
    cr_assert_eq(rig_record.noted_B, size_B);
}

#define EXPECT_NOTED(va, size_B, ...)             \
    expect_noted((const uint32_t[]){__VA_ARGS__}, \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / 4, va, size_B)

Test(draw, commands_say_what_they_write)
{
    const uint64_t va = RIG_DATA + 0x40;
    EXPECT_NOTED(va, 4, SDI(va, 1));
    EXPECT_NOTED(va, 8, 0x10000003u, LO(va), HI(va), 1, 2);
    EXPECT_NOTED(va, 4, SRM(GPR(0), va));
    EXPECT_NOTED(va, 4, 0x17000003u, LO(va), HI(va), LO(RIG_DATA), 0);
    EXPECT_NOTED(va, 4, 0x17800001u | 5u << 8, LO(va), HI(va));
    EXPECT_NOTED(va, 8, 0x7a000004, 0x00104000, LO(va), HI(va), 1, 2);
    EXPECT_NOTED(va, 8, 0x13004003u, LO(va), HI(va), 1, 2);
}

Test(draw, stages_that_may_write_anything_say_so)
{
    EMIT(&rig, DRAW, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.noted_any, 0);
    PACKET(0x781e, 3dstate_streamout, 5, .so_function_enable = true);
    EMIT(&rig, DRAW);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.noted_any, 1);
}
