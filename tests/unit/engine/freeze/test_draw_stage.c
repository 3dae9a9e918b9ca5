/* test_draw_stage.c: kernels and constants of a draw. */
#include "draw_rig.h"

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
    /* Change the code, so that it is looked up again. */
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

/* State in memory is read again after a command that may write memory; other
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
