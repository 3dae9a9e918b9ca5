/* test_flow_branch.c: branches that compilers rarely emit: single program flow,
 * BranchCtrl, BRD, BRC, writes to ip, computed jumps. */
#include "interp_run.h"

#include "interp_kernels.h"

#define LANES D(0, 1, 2, 3, 4, 5, 6, 7)
#define ALL(v) D(v, v, v, v, v, v, v, v)

Test(interp_branch, single_flow_moves_all_channels)
{
    struct test_thread *t = THREAD(single_flow, 0xff);
    set_d(t, 1, LANES);
    RUN(t);
    expect_d(t, 4, ALL(2));  /* IF that no channel takes */
    expect_d(t, 5, ALL(1));  /* IF that all channels take: ELSE jumps */
    expect_d(t, 6, ALL(5));  /* BREAK goes after the WHILE */
    expect_d(t, 7, ALL(4));  /* BREAK is taken at once */
    expect_d(t, 8, ALL(0));  /* forward GOTO, predicate false */
    expect_d(t, 9, ALL(-1)); /* ce0 */
    expect_d(t, 10, ALL(1));
    expect_d(t, 11, ALL(2)); /* RET */
    expect_d(t, 12, ALL(0)); /* HALT that some channels take */
    expect_d(t, 13, ALL(0)); /* HALT goes to UIP */
    expect_d(t, 14, ALL(1));
    test_thread_free(t);
}

Test(interp_branch, single_flow_keeps_the_dispatch_mask)
{
    struct test_thread *t = THREAD(single_flow, 0x0f);
    set_d(t, 1, LANES);
    RUN(t);
    expect_d(t, 4, D(2, 2, 2, 2));
    expect_d(t, 14, D(1, 1, 1, 1));
    test_thread_free(t);
}

Test(interp_branch, if_with_branch_control_goes_to_the_join_inside)
{
    struct test_thread *t = THREAD(branch_ctrl, 0xff);
    set_d(t, 1, LANES);
    RUN(t);
    expect_d(t, 4, ALL(0));
    expect_d(t, 5, D(0, 0, 0, 0, 2, 2, 2, 2));
    expect_d(t, 6, ALL(3));
    test_thread_free(t);
}

Test(interp_branch, brd_follows_the_channels_that_branch)
{
    struct test_thread *t = THREAD(brd, 0xff);
    set_d(t, 1, D(0, 1, 2, 3, 5, 5, 9, -1));
    RUN(t);
    expect_d(t, 6, D(1, 1, 2, 3, 5, 5, 9, 1));
    expect_d(t, 7, D(1, 1, 2, 3, 5, 5, 9, 1));
    /* Channels that do not branch wait after it, and no channel comes back. */
    expect_d(t, 8, ALL(0));
    expect_d(t, 9, D(0, 0, 0, 3, 3, 3, 3, 0));
    test_thread_free(t);
}

Test(interp_branch, brc_leaves_when_no_channel_stays)
{
    struct test_thread *t = THREAD(brc, 0xff);
    set_d(t, 1, LANES);
    RUN(t);
    expect_d(t, 4, D(0, 0, 0, 5, 5, 5, 5, 5));
    expect_d(t, 5, ALL(6));
    expect_d(t, 6, D(0, 0, 0, 7, 7, 7, 7, 7));
    expect_d(t, 7, D(0, 0, 0, 8, 8, 8, 8, 8));
    expect_d(t, 8, ALL(9));
    test_thread_free(t);

    t = THREAD(brc, 0xff);
    RUN(t);
    expect_d(t, 4, ALL(0));
    expect_d(t, 5, ALL(6));
    expect_d(t, 6, ALL(0));
    expect_d(t, 7, ALL(0));
    expect_d(t, 8, ALL(9));
    test_thread_free(t);
}

Test(interp_branch, a_write_to_ip_jumps)
{
    struct test_thread *t = THREAD(write_ip, 0xff);
    RUN(t);
    expect_d(t, 4, ALL(0));
    expect_d(t, 5, ALL(1));
    expect_d(t, 6, ALL(1)); /* f0.0 is clear: nothing was written */
    test_thread_free(t);

    t = THREAD(write_ip, 0xff);
    t->eu.f[0] = 1;
    cr_expect_eq(eu_run(&t->eu, 1000), EU_RUNNING); /* ip = 0, for ever */
    expect_d(t, 6, ALL(0));
    test_thread_free(t);
}

Test(interp_branch, code_behind_a_computed_jump_is_known)
{
    struct test_thread *t = THREAD(computed_jump, 0xff);
    set_d(t, 1, D(32));
    RUN(t);
    expect_d(t, 4, ALL(0));
    expect_d(t, 5, ALL(0));
    expect_d(t, 6, ALL(1));
    test_thread_free(t);
}

Test(interp_branch, a_computed_jump_must_hit_an_instruction)
{
    static const int32_t where[] = {8, 4, 0x1000, -0x1000, INT32_MAX};
    for (unsigned i = 0; i < ARRAY_SIZE(where); i++) {
        struct test_thread *t = THREAD(computed_jump, 0xff);
        set_d(t, 1, D(where[i]));
        cr_expect_eq(eu_run(&t->eu, 1000), EU_FAILED, "%d", where[i]);
        test_thread_free(t);
    }
}

Test(interp_branch, call_by_register_masks_its_channels)
{
    struct test_thread *t = THREAD(call_register, 0xff);
    t->eu.f[0] = 0x0f;
    RUN(t);
    expect_d(t, 5, D(2, 2, 2, 2));
    cr_expect_eq(get_u(t, 10, 0), 32); /* after the CALL */
    cr_expect_eq(get_u(t, 10, 1), 0x0f);
    expect_d(t, 4, ALL(1));
    expect_d(t, 6, ALL(3));
    test_thread_free(t);
}
