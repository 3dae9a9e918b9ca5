/* test_flow.c: control flow, masks, messages, hostile kernels. Expected lanes
 * follow from the rules of BDW PRM vol 7, worked out by hand. */
#include "interp_run.h"

#include <xmmintrin.h>

#include "interp_kernels.h"

static const int32_t count_up[8] = {0, 1, 2, 3, 4, 5, 6, 7};

Test(interp_flow, if_else_takes_both_sides)
{
    struct test_thread *t = THREAD(if_else, 0xff);
    set_d(t, 1, count_up);
    RUN(t);
    expect_d(t, 4, D(1, 1, 1, 1, 2, 2, 2, 2));
    expect_d(t, 5, D(3, 3, 3, 3, 3, 3, 3, 3));
    test_thread_free(t);
}

Test(interp_flow, if_else_only_else)
{
    struct test_thread *t = THREAD(if_else, 0xff);
    set_d(t, 1, D(9, 9, 9, 9, 9, 9, 9, 9));
    RUN(t);
    expect_d(t, 4, D(2, 2, 2, 2, 2, 2, 2, 2));
    test_thread_free(t);
}

Test(interp_flow, undispatched_channels_change_nothing)
{
    struct test_thread *t = THREAD(if_else, 0x5a);
    set_d(t, 1, count_up);
    RUN(t);
    expect_d(t, 4, D(0, 1, 0, 1, 2, 0, 2, 0));
    expect_d(t, 5, D(0, 3, 0, 3, 3, 0, 3, 0));
    test_thread_free(t);
}

Test(interp_flow, no_channel_still_ends)
{
    struct test_thread *t = THREAD(loop_break, 0);
    RUN(t);
    expect_d(t, 5, D(0));
    test_thread_free(t);
}

Test(interp_flow, broken_channels_wait_behind_while)
{
    struct test_thread *t = THREAD(loop_break, 0xff);
    set_d(t, 1, D(3, 0, 7, 1, 1, 12, 2, 5));
    RUN(t);
    expect_d(t, 4, D(3, 0, 7, 1, 1, 12, 2, 5));
    expect_d(t, 5, D(7, 7, 7, 7, 7, 7, 7, 7));
    cr_expect_eq(t->eu.live, UINT32_MAX);
    test_thread_free(t);
}

Test(interp_flow, cont_takes_part_in_the_loop_test)
{
    struct test_thread *t = THREAD(loop_cont, 0xff);
    set_d(t, 1, D(1, 2, 3, 4, 5, 6, 7, 8));
    RUN(t);
    expect_d(t, 4, D(1, 2, 3, 4, 5, 6, 7, 8));
    /* and.z sets the flag for even counts: these channels skip the
     * increment. */
    expect_d(t, 5, D(1, 1, 2, 2, 3, 3, 4, 4));
    test_thread_free(t);
}

Test(interp_flow, halted_channels_resume_at_uip)
{
    struct test_thread *t = THREAD(halt, 0xff);
    set_d(t, 1, count_up);
    RUN(t);
    expect_d(t, 4, D(0, 0, 0, 5, 5, 5, 5, 5));
    expect_d(t, 5, D(6, 6, 6, 6, 6, 6, 6, 6));
    test_thread_free(t);
}

Test(interp_flow, all_halted_skips_the_block)
{
    struct test_thread *t = THREAD(halt, 0x7);
    set_d(t, 1, count_up);
    RUN(t);
    /* cmp, halt, halt, mov, mov, send: the mov between was not executed. */
    cr_expect_eq(t->eu.insn_count, 6);
    test_thread_free(t);
}

Test(interp_flow, forward_goto_moves_false_channels)
{
    struct test_thread *t = THREAD(goto_join, 0xff);
    set_d(t, 1, count_up);
    RUN(t);
    expect_d(t, 4, D(1, 1, 1, 1, 0, 0, 0, 0));
    expect_d(t, 5, D(2, 2, 2, 2, 2, 2, 2, 2));
    expect_d(t, 6, D(1, 1, 2, 3, 4, 5, 6, 7)); /* backward goto */
    expect_d(t, 7, D(3, 3, 3, 3, 3, 3, 3, 3));
    test_thread_free(t);
}

Test(interp_flow, call_and_return)
{
    struct test_thread *t = THREAD(call_ret, 0xff);
    RUN(t);
    expect_d(t, 4, D(1, 1, 1, 1, 0, 0, 0, 0));
    expect_d(t, 5, D(2, 2, 2, 2, 2, 2, 2, 2));
    expect_d(t, 6, D(3, 3, 3, 3, 3, 3, 3, 3));
    cr_expect_eq(get_u(t, 10, 1), 0xf);
    test_thread_free(t);
}

Test(interp_flow, wait_returns_until_notified)
{
    struct test_thread *t = THREAD(wait, 0xff);
    cr_assert_eq(eu_run(&t->eu, 1000), EU_WAITING);
    cr_assert_eq(eu_run(&t->eu, 1000), EU_WAITING);
    expect_d(t, 4, D(1, 1, 1, 1, 1, 1, 1, 1));
    expect_d(t, 5, D(0));
    t->eu.n0[0] = 1;
    RUN(t);
    expect_d(t, 5, D(2, 2, 2, 2, 2, 2, 2, 2));
    cr_expect_eq(t->eu.n0[0], 0);
    test_thread_free(t);
}

Test(interp_flow, budget_interrupts_and_continues)
{
    struct test_thread *t = THREAD(loop_break, 0xff);
    enum eu_status status;
    unsigned calls = 0;
    set_d(t, 1, D(3, 0, 7, 1, 1, 12, 2, 5));
    while ((status = eu_run(&t->eu, 1)) == EU_RUNNING)
        calls++;
    cr_expect_eq(status, EU_FINISHED);
    cr_expect_eq(calls + 1, t->eu.insn_count);
    expect_d(t, 4, D(3, 0, 7, 1, 1, 12, 2, 5));
    test_thread_free(t);
}

Test(interp_flow, endless_loop_uses_its_budget)
{
    struct test_thread *t = THREAD(forever, 0xff);
    cr_expect_eq(eu_run(&t->eu, 5000), EU_RUNNING);
    cr_expect_eq(t->eu.insn_count, 5000);
    test_thread_free(t);
}

Test(interp_flow, flags_of_upper_channels)
{
    struct test_thread *t = THREAD(flags_partial, 0xffff);
    set_d(t, 1, count_up);
    set_f(t, 2, F(1, 5, 3, 9, NAN, INFINITY, -1, 4));
    RUN(t);
    cr_expect_eq(get_u(t, 4, 0), 0xfffff0ff);
    cr_expect_eq(get_u(t, 4, 1), 0x00aa0000);
    expect_u(t, 5, U(0, ~0u, 0, ~0u, 0, ~0u, 0, ~0u)); /* F destination */
    test_thread_free(t);
}

Test(interp_flow, flag_writes_respect_the_mask)
{
    struct test_thread *t = THREAD(flags_partial, 0x0f00);
    set_d(t, 1, count_up);
    RUN(t);
    cr_expect_eq(get_u(t, 4, 0), 0xfffff0ff);
    cr_expect_eq(get_u(t, 4, 1), 0);
    test_thread_free(t);
}

Test(interp_flow, any_and_all_groups)
{
    /* f0.0 = 0xf120: nibbles 0 and 1..2 partly, 3 fully set */
    struct test_thread *t = THREAD(any_all, 0xffff);
    RUN(t);
    expect_d(t, 4, D(0, 0, 0, 0, 1, 1, 1, 1));
    expect_d(t, 5, D(1, 1, 1, 1, 1, 1, 1, 1));
    expect_d(t, 6, D(0, 0, 0, 0, 0, 0, 0, 0));
    expect_d(t, 7, D(0, 0, 0, 0, 1, 1, 1, 1));
    expect_d(t, 8, D(1, 1, 1, 1, 0, 0, 0, 0));
    cr_expect_eq(get_u(t, 10, 0), 1);
    cr_expect_eq(get_u(t, 10, 1), 0);
    test_thread_free(t);
}

Test(interp_flow, channel_enables_and_dispatch_mask)
{
    struct test_thread *t = THREAD(channel_enable, 0x7e);
    set_d(t, 1, count_up);
    RUN(t);
    /* ce0 depends on control flow only: lanes 1..3 wait, 4..6 run. */
    cr_expect_eq(get_u(t, 4, 0) & 0x7e, 0x70);
    cr_expect_eq(get_u(t, 4, 1) & 0x7e, 0x7e);
    cr_expect_eq(get_u(t, 4, 2), 0x7e);
    /* sr0.2 widened the dispatch mask. */
    expect_d(t, 7, D(1, 1, 1, 1, 1, 1, 1, 1));
    test_thread_free(t);
}

Test(interp_flow, vector_mask_replaces_dispatch_mask)
{
    struct test_thread *t = THREAD(if_else, 0x0f);
    struct eu_start start = {.kernel = t->eu.kernel,
                             .dispatch_mask = 0x01,
                             .vector_mask = 0x0f,
                             .vector_mask_enable = true,
                             .send = probe_send,
                             .user = &t->probe};
    eu_thread_init(&t->eu, &start);
    RUN(t);
    expect_d(t, 5, D(3, 3, 3, 3, 0, 0, 0, 0));
    test_thread_free(t);
}

Test(interp_flow, message_carries_everything)
{
    struct test_thread *t = THREAD(sends, 0xffff);
    set_d(t, 1, count_up);
    set_d(t, 2, D(0x22));
    set_d(t, 3, D(0x33));
    set_d(t, 4, D(0x44));
    set_d(t, 6, D(0x66));
    t->probe.count = 0;
    cr_assert_eq(eu_run(&t->eu, 4), EU_RUNNING); /* the first message */
    const struct eu_message *m = &t->probe.last;
    cr_assert_eq(t->probe.count, 1);
    cr_expect_eq(m->exec_mask, 0x0f);
    cr_expect_eq(m->exec_size, 8);
    cr_expect_eq(m->desc, 0x04105e07);
    cr_expect_eq(m->ex_desc, 0x4c);
    cr_expect_eq(m->mlen_grf, 2);
    cr_expect_eq(m->ex_mlen_grf, 1);
    cr_expect_eq(m->rlen_grf, 1);
    cr_expect_eq(t->probe.payload[0], 0x22);
    cr_expect_eq(t->probe.payload[1], 0x33);
    cr_expect_eq(t->probe.payload[2], 0x44);
    expect_u(t, 10,
             U(0x5e000000, 0x5e000001, 0x5e000002, 0x5e000003, 0x5e000004,
               0x5e000005, 0x5e000006, 0x5e000007));
    RUN(t);
    cr_expect_eq(t->probe.count, 2);
    cr_expect_eq(t->probe.last.sfid, EU_SFID_DC1);
    cr_expect_eq(t->probe.last.exec_mask, 0xffff);
    cr_expect_eq(t->probe.payload[0], 0x66);
    test_thread_free(t);
}

Test(interp_flow, surfaces_of_a_kernel)
{
    uint32_t used[8];
    struct test_thread *t = THREAD(sends, 0xff);
    cr_expect_not(eu_kernel_surfaces(t->eu.kernel, used));
    cr_expect_eq(used[0], 1u << 9);
    test_thread_free(t);
    t = THREAD(if_else, 0xff);
    cr_expect(eu_kernel_surfaces(t->eu.kernel, used));
    cr_expect_eq(used[0], 0);
    cr_expect_eq(eu_kernel_size_B(t->eu.kernel), sizeof kernel_if_else);
    test_thread_free(t);
}

Test(interp_flow, host_float_mode_is_kept)
{
    struct test_thread *t = THREAD(wait, 0xff);
    unsigned mode = 0x1f80 | 0x6000 | 0x8000; /* toward zero, FTZ */
    _mm_setcsr(mode);
    eu_run(&t->eu, 100);
    unsigned after = _mm_getcsr();
    _mm_setcsr(0x1f80);
    cr_expect_eq(after, mode);
    test_thread_free(t);
}

/* ---- hostile kernels ---- */

Test(interp_flow, registers_past_the_end_fail)
{
    struct test_thread *t = THREAD(grf_past_end, 0xffff);
    cr_expect_eq(eu_run(&t->eu, 100), EU_FAILED);
    cr_expect_eq(eu_run(&t->eu, 100), EU_FAILED);
    test_thread_free(t);
    t = THREAD(indirect_past_end, 0xff);
    cr_expect_eq(eu_run(&t->eu, 100), EU_FAILED);
    test_thread_free(t);
    t = THREAD(send_past_end, 0xff);
    cr_expect_eq(eu_run(&t->eu, 100), EU_FAILED);
    cr_expect_eq(t->probe.count, 0);
    test_thread_free(t);
}

Test(interp_flow, disabled_lanes_may_point_anywhere)
{
    struct test_thread *t = THREAD(indirect_past_end, 0x01);
    RUN(t);
    test_thread_free(t);
}

Test(interp_flow, jump_out_of_the_kernel_fails)
{
    static const int32_t distances[] = {65536, -65536,    12,
                                        -8,    INT32_MAX, INT32_MIN};
    for (unsigned i = 0; i < ARRAY_SIZE(distances); i++) {
        uint32_t code[sizeof kernel_jump_far / 4];
        memcpy(code, kernel_jump_far, sizeof code);
        code[3] = (uint32_t)distances[i];
        const struct eu_kernel *k = eu_kernel_get(code, sizeof code, EU_GEN9);
        if (!k) /* found while decoding */
            continue;
        eu_kernel_unref(k);
        struct test_thread *t = test_thread_new(code, sizeof code, 0xff);
        cr_expect_eq(eu_run(&t->eu, 100), EU_FAILED);
        test_thread_free(t);
    }
}

Test(interp_flow, undecodable_kernels_are_refused)
{
    uint32_t zero[16] = {0};
    cr_expect_null(eu_kernel_get(zero, sizeof zero, EU_GEN9));
    cr_expect_null(eu_kernel_get(zero, 0, EU_GEN9));
    cr_expect_null(eu_kernel_get(kernel_if_else, 8, EU_GEN9));
    cr_expect_null(
        eu_kernel_get(kernel_if_else, sizeof kernel_if_else - 16, EU_GEN9));
    cr_expect_null(
        eu_kernel_get(kernel_if_else, sizeof kernel_if_else - 8, EU_GEN9));
    eu_kernel_unref(NULL);
}

Test(interp_flow, cache_goes_by_content)
{
    uint32_t copy[sizeof kernel_halt / 4 + 4];
    memcpy(copy, kernel_halt, sizeof kernel_halt);
    memset(copy + sizeof kernel_halt / 4, 0xff, 16); /* after the EOT */
    const struct eu_kernel *a = eu_kernel_get(kernel_halt, sizeof kernel_halt,
                                              EU_GEN9);
    const struct eu_kernel *b = eu_kernel_get(copy, sizeof copy, EU_GEN9);
    cr_expect_eq(a, b);
    copy[11] ^= 1;
    const struct eu_kernel *c = eu_kernel_get(copy, sizeof copy, EU_GEN9);
    cr_expect_neq(a, c);
    eu_kernel_unref(a);
    eu_kernel_unref(b);
    eu_kernel_unref(c);
}

Test(interp_flow, damaged_kernels_do_no_harm)
{
    uint32_t seed = 12345;
    for (unsigned n = 0; n < 6000; n++) {
        uint32_t code[512];
        unsigned which = n % ARRAY_SIZE(all_kernels);
        size_t size_B = all_kernels[which].size_B;
        cr_assert_leq(size_B, sizeof code);
        memcpy(code, all_kernels[which].code, size_B);
        for (unsigned i = 0; i < 1 + n % 3; i++) {
            seed = seed * 1664525 + 1013904223;
            code[(seed >> 8) % (size_B / 4)] ^= 1u << (seed >> 27);
        }
        const struct eu_kernel *k = eu_kernel_get(code, size_B, EU_GEN9);
        if (!k)
            continue;
        eu_kernel_unref(k);
        struct test_thread *t = test_thread_new(code, size_B, 0xff);
        eu_run(&t->eu, 300);
        test_thread_free(t);
    }
}

Test(interp_flow, pure_kernels_write_nothing_but_the_urb)
{
    uint32_t code[sizeof kernel_send_past_end / 4];
    static const bool pure[16] = {
        [EU_SFID_SAMPLER] = true,
        [EU_SFID_URB] = true,
        [EU_SFID_SPAWNER] = true,
        [EU_SFID_CONST] = true,
    };
    memcpy(code, kernel_send_past_end, sizeof code);
    for (unsigned sfid = 0; sfid < 14; sfid++) {
        code[0] = (code[0] & ~0x0f000000u) | sfid << 24;
        const struct eu_kernel *k = eu_kernel_get(code, sizeof code, EU_GEN9);
        if (!k)
            continue;
        cr_expect_eq(eu_kernel_is_pure(k), pure[sfid], "sfid %u", sfid);
        eu_kernel_unref(k);
    }
    const struct eu_kernel *k = eu_kernel_get(kernel_sends, sizeof kernel_sends,
                                              EU_GEN9);
    cr_assert_not_null(k);
    cr_expect_not(eu_kernel_is_pure(k), "message of a register");
    eu_kernel_unref(k);
}
