/* test_dispatch.c: freezes packets into struct dispatch. */
#include "draw_rig.h"

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
    /* The driver may change the constants after CURBE_LOAD. */
    EMIT(&rig, SDI(BASE_DYNAMIC + 0x100, 0));
    PACKET(0x7105, gpgpu_walker, 15, .simd_size = 1,
           .indirect_parameter_enable = indirect,
           .thread_width_counter_maximum = 3, .thread_group_id_x_dimension = 4,
           .thread_group_id_y_dimension = 5, .thread_group_id_z_dimension = 6,
           .right_execution_mask = 0xff, .bottom_execution_mask = ~0u);
}

Test(draw, walker_may_write_anything)
{
    emit_compute(false);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_record.noted_any, 1);
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
