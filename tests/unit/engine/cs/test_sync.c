/* test_sync.c: post-sync writes, semaphores, atomics. */
#include "rig.h"

#include <criterion/criterion.h>
#include <time.h>

static struct rig rig;

static void
setup(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9,
                                           .threads = 1,
                                           .timestamp_hz = 12000000,
                                           .hang_limit_ms = 200});
}

static void
teardown(void)
{
    rig_finish(&rig);
}

TestSuite(sync, .init = setup, .fini = teardown, .timeout = 20);

static enum engine_result
run(void)
{
    return rig_run(&rig, rig.ctx, ENGINE_RCS);
}

Test(sync, pipe_control_writes_immediate_qword)
{
    EMIT(&rig, 0x7a000004, 0x00104000, LO(RIG_DATA), 0, 0x11, 0x22, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), UINT64_C(0x2200000011));
}

Test(sync, pipe_control_without_post_sync_writes_nothing)
{
    memset(rig_dw(&rig, RIG_DATA), 0xee, 8);
    EMIT(&rig, 0x7a000004, 0x00101021, LO(RIG_DATA), 0, 0x11, 0x22, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0xeeeeeeee);
}

static void
count_samples(const struct draw *draw)
{
    atomic_fetch_add(&draw->stats->ps_depth_count, 10);
}

#define DRAW 0x7b000005, 0, 3, 0, 1, 0, 0

Test(sync, pipe_control_writes_depth_count)
{
    rig_record.on_draw = count_samples;
    EMIT(&rig, DRAW, 0x7a000004, 0x0000a000, LO(RIG_DATA), 0, 0, 0, DRAW,
         0x7a000004, 0x0000a000, LO(RIG_DATA + 8), 0, 0, 0, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), 10);
    cr_assert_eq(rig_qw(&rig, RIG_DATA + 8), 20);
}

Test(sync, statistics_registers_are_64_bit_and_writable)
{
    rig_record.on_draw = count_samples;
    EMIT(&rig, LRI(0x2350, 0xfffffffb), LRI(0x2354, 1), DRAW,
         SRM(0x2350, RIG_DATA), SRM(0x2354, RIG_DATA + 4), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), UINT64_C(0x200000005));
}

Test(sync, timestamps_grow_with_the_clock)
{
    EMIT(&rig, 0x7a000004, 0x0000c000, LO(RIG_DATA), 0, 0, 0,
         SRM(0x2358, RIG_DATA + 8), SRM(0x235c, RIG_DATA + 12), BBE);
    uint64_t before = engine_timestamp(rig.engine);
    cr_assert_eq(run(), ENGINE_OK);
    uint64_t after = engine_timestamp(rig.engine);
    uint64_t first = rig_qw(&rig, RIG_DATA),
             second = rig_qw(&rig, RIG_DATA + 8);
    cr_assert_leq(before, first);
    cr_assert_leq(first, second);
    cr_assert_leq(second, after);
    cr_assert_lt(after, UINT64_C(1) << 36);
}

Test(sync, timestamp_rate_is_as_configured)
{
    uint64_t before = engine_timestamp(rig.engine);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    uint64_t ticks = engine_timestamp(rig.engine) - before;
    cr_assert_geq(ticks, 12000000 / 20);
    cr_assert_lt(ticks, 12000000);
}

Test(sync, flush_dw_writes_immediate)
{
    EMIT(&rig, 0x13004003, LO(RIG_DATA), 0, 0x5, 0x6, 0x13004002,
         LO(RIG_DATA + 8), 0, 0x7, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_BCS), ENGINE_OK);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), UINT64_C(0x600000005));
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), 7);
}

/* NEO uses the difference of two reads as a kernel's time. */
Test(sync, context_timestamp_advances)
{
    EMIT(&rig, SRM(0x23a8, RIG_DATA), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, SRM(0x23a8, RIG_DATA + 4), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    uint32_t ticks = *rig_dw(&rig, RIG_DATA + 4) - *rig_dw(&rig, RIG_DATA);
    cr_assert(ticks >= 12000 - 1 && ticks < 12000000 * 10u, "%u", ticks);
}

/* ---- semaphores ---- */

Test(sync, semaphore_that_passes_does_not_wait)
{
    *rig_dw(&rig, RIG_DATA) = 5;
    /* memory >= 5, == 5, != 4 */
    EMIT(&rig, 0x0e009002, 5, LO(RIG_DATA), 0, 0x0e00c002, 5, LO(RIG_DATA), 0,
         0x0e00d002, 4, LO(RIG_DATA), 0, SDI(RIG_DATA + 8, 1), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), 1);
}

Test(sync, semaphore_never_signalled_is_a_hang)
{
    EMIT(&rig, 0x0e00c002, 5, LO(RIG_DATA), 0, SDI(RIG_DATA + 8, 1), BBE);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), 0);
}

Test(sync, semaphore_lets_another_context_signal_on_the_same_ring)
{
    struct engine_context *other = engine_context_create(rig.engine, rig.vm);
    EMIT(&rig, 0x0e00c002, 5, LO(RIG_DATA), 0, SDI(RIG_DATA + 8, 1), BBE);
    rig_at(&rig, RIG_BATCH_2);
    EMIT(&rig, SDI(RIG_DATA, 5), BBE);
    engine_submit(rig.engine, &(struct engine_submit){.ctx = rig.ctx,
                                                      .batch_va = RIG_BATCH});
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    engine_submit(rig.engine, &(struct engine_submit){.ctx = other,
                                                      .batch_va = RIG_BATCH_2});
    engine_idle(rig.engine);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), 1);
    engine_context_destroy(other);
}

/* ---- atomics ---- */

/* Runs an inline atomic on RIG_DATA; returns the returned data. */
static uint64_t
atomic_op(unsigned opcode, uint64_t a, uint64_t b)
{
    EMIT(&rig, 0x17800009 | 1 << 16 | 1 << 18 | opcode << 8, LO(RIG_DATA), 0,
         LO(a), LO(b), HI(a), HI(b), 0, 0, 0, 0, SRM(GPR(4), RIG_DATA + 8),
         SRM(GPR(4) + 4, RIG_DATA + 12), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    return rig_qw(&rig, RIG_DATA + 8);
}

Test(sync, atomic_add_returns_old_value)
{
    *rig_dw(&rig, RIG_DATA) = 40;
    cr_assert_eq(atomic_op(7, 2, 0), 40);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 42);
}

Test(sync, atomic_signed_and_unsigned_maximum_differ)
{
    *rig_dw(&rig, RIG_DATA) = (uint32_t)-1;
    atomic_op(10, 5, 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 5, "IMAX");
    *rig_dw(&rig, RIG_DATA) = (uint32_t)-1;
    atomic_op(12, 5, 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), (uint32_t)-1, "UMAX");
}

Test(sync, atomic_8_byte_carries)
{
    uint64_t v = UINT64_MAX >> 32;
    memcpy(rig_dw(&rig, RIG_DATA), &v, 8);
    atomic_op(37, 0, 0); /* INC8B */
    cr_assert_eq(rig_qw(&rig, RIG_DATA), UINT64_C(1) << 32);
}

Test(sync, atomic_without_room_for_operands_is_an_error)
{
    EMIT(&rig, 0x17800001 | 1 << 18 | 7 << 8, LO(RIG_DATA), 0, BBE);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}
