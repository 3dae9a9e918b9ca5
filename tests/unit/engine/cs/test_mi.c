/* test_mi.c: MI commands: registers, memory, the flow of a batch. */
#include "rig.h"

#include <criterion/criterion.h>

static struct rig rig;

static void
setup(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9, .timestamp_hz = 12000000});
}

static void
teardown(void)
{
    rig_finish(&rig);
}

TestSuite(mi, .init = setup, .fini = teardown, .timeout = 20);

static enum engine_result
run(void)
{
    return rig_run(&rig, rig.ctx, ENGINE_RCS);
}

/* MI_MATH instruction words. */
#define ALU(op, a, b) ((uint32_t)(op) << 20 | (uint32_t)(a) << 10 | (b))
#define LOAD 0x080
#define LOADINV 0x480
#define LOAD0 0x081
#define STORE 0x180
#define STOREINV 0x580
#define SRCA 0x20
#define SRCB 0x21
#define ACCU 0x31
#define ZF 0x32
#define CF 0x33

static void
set_gpr(unsigned n, uint64_t value)
{
    EMIT(&rig, LRI(GPR(n), LO(value)), LRI(GPR(n) + 4, HI(value)));
}

static void
store_gpr(unsigned n, uint64_t va)
{
    EMIT(&rig, SRM(GPR(n), va), SRM(GPR(n) + 4, va + 4));
}

/* R2 = R0 op R1, R3 = flag. */
static void
math(unsigned op, unsigned flag, uint64_t a, uint64_t b)
{
    set_gpr(0, a);
    set_gpr(1, b);
    EMIT(&rig, 0x0d000000 | (5 - 1), ALU(LOAD, SRCA, 0), ALU(LOAD, SRCB, 1),
         ALU(op, 0, 0), ALU(STORE, 2, ACCU), ALU(STORE, 3, flag));
    store_gpr(2, RIG_DATA);
    store_gpr(3, RIG_DATA + 8);
    EMIT(&rig, BBE);
    cr_assert_eq(run(), ENGINE_OK);
}

Test(mi, math_adds_64_bits_with_carry)
{
    math(0x100, CF, UINT64_C(0xffffffff00000001), UINT64_C(0x00000001ffffffff));
    cr_assert_eq(rig_qw(&rig, RIG_DATA), UINT64_C(0x0000000100000000));
    cr_assert_eq(rig_qw(&rig, RIG_DATA + 8), UINT64_MAX);
}

Test(mi, math_carry_of_sub_is_borrow)
{
    math(0x101, CF, 5, 7);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), (uint64_t)-2);
    cr_assert_eq(rig_qw(&rig, RIG_DATA + 8), UINT64_MAX);
    math(0x101, CF, 7, 5);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), 2);
    cr_assert_eq(rig_qw(&rig, RIG_DATA + 8), 0);
}

Test(mi, math_zero_flag_stores_all_ones)
{
    math(0x102, ZF, 0xf0, 0x0f);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), 0);
    cr_assert_eq(rig_qw(&rig, RIG_DATA + 8), UINT64_MAX);
    math(0x103, ZF, 0xf0, 0x0f);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), 0xff);
    cr_assert_eq(rig_qw(&rig, RIG_DATA + 8), 0);
}

Test(mi, math_inverts_on_load_and_store)
{
    set_gpr(0, 0x1234);
    EMIT(&rig, 0x0d000000 | (4 - 1), ALU(LOADINV, SRCA, 0), ALU(LOAD0, SRCB, 0),
         ALU(0x103, 0, 0), ALU(STOREINV, 4, ACCU));
    store_gpr(4, RIG_DATA);
    EMIT(&rig, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_qw(&rig, RIG_DATA), 0x1234);
}

Test(mi, math_rejects_unknown_opcode)
{
    EMIT(&rig, 0x0d000000, ALU(0x7ff, 0, 0), BBE);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

Test(mi, load_register_imm_sets_several)
{
    EMIT(&rig, 0x11000003, GPR(5), 0x11, GPR(6), 0x22, SRM(GPR(5), RIG_DATA),
         SRM(GPR(6), RIG_DATA + 4), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0x11);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 0x22);
}

Test(mi, registers_move_to_memory_and_each_other)
{
    *rig_dw(&rig, RIG_DATA) = 0xcafe;
    EMIT(&rig, LRM(GPR(1), RIG_DATA), LRR(GPR(1), GPR(2)),
         SRM(GPR(2), RIG_DATA + 8), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), 0xcafe);
}

Test(mi, masked_register_keeps_other_bits)
{
    EMIT(&rig, LRI(0x7008, 0x00ff00aa), LRI(0x7008, 0x000f0005),
         SRM(0x7008, RIG_DATA), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0xa5);
}

Test(mi, store_data_imm_goes_by_length)
{
    memset(rig_dw(&rig, RIG_DATA), 0xee, 16);
    EMIT(&rig, 0x10000002, LO(RIG_DATA), 0, 0x1);
    /* A qword, without the qword flag. */
    EMIT(&rig, 0x10000003, LO(RIG_DATA + 8), 0, 0x2, 0x3, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 0xeeeeeeee);
    cr_assert_eq(rig_qw(&rig, RIG_DATA + 8), UINT64_C(0x300000002));
}

Test(mi, copy_mem_mem_copies_source_to_destination)
{
    *rig_dw(&rig, RIG_DATA) = 77;
    EMIT(&rig, 0x17000003, LO(RIG_DATA + 64), 0, LO(RIG_DATA), 0, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 64), 77);
}

Test(mi, global_gtt_write_is_a_noop)
{
    EMIT(&rig, 0x10400002, LO(RIG_DATA), 0, 0x1, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
}

/* ---- predicates ---------------------------------------------------------- */

static uint32_t
predicate_after(uint32_t command, uint64_t src0, uint64_t src1, uint32_t before)
{
    EMIT(&rig, LRI(0x2400, LO(src0)), LRI(0x2404, HI(src0)),
         LRI(0x2408, LO(src1)), LRI(0x240c, HI(src1)), LRI(0x2418, before),
         command, SRM(0x2418, RIG_DATA), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    return *rig_dw(&rig, RIG_DATA);
}

Test(mi, predicate_compares_64_bits)
{
    uint64_t a = UINT64_C(0x500000001), b = UINT64_C(0x400000001);
    cr_assert_eq(predicate_after(0x06000082, a, a, 0), 1);
    cr_assert_eq(predicate_after(0x06000082, a, b, 1), 0);
    cr_assert_eq(predicate_after(0x060000c2, a, b, 0), 1, "LOADINV");
}

Test(mi, predicate_xor_combines_with_result)
{
    cr_assert_eq(predicate_after(0x0600009a, 1, 1, 1), 0);
    cr_assert_eq(predicate_after(0x0600009a, 1, 1, 0), 1);
    cr_assert_eq(predicate_after(0x0600009a, 1, 2, 1), 1);
}

Test(mi, predicated_store_follows_result)
{
    uint32_t srm[4] = {SRM(GPR(0), RIG_DATA)};
    srm[0] |= 1 << 21;
    EMIT(&rig, LRI(GPR(0), 9), LRI(0x2418, 0));
    rig_emit(&rig, srm, 4);
    EMIT(&rig, LRI(0x2418, 1));
    srm[2] += 4;
    rig_emit(&rig, srm, 4);
    EMIT(&rig, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 9);
}

Test(mi, signals_and_the_status_page_change_nothing)
{
    uint64_t missing = stats_get(STAT_unimp);
    /* MI_STORE_DATA_INDEX of one dword and of two; MI_SEMAPHORE_SIGNAL to BCS
     * with a post-sync operation; then a store that the test sees. */
    EMIT(&rig, 0x10a00001, 0x100, 1, 0x10800002, 0x104, 2, 3, 0x0da10000, 7,
         SDI(RIG_DATA, 4), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 4);
    cr_assert_eq(stats_get(STAT_unimp), missing);
}

Test(mi, set_predicate_skips_until_switched_off)
{
    EMIT(&rig, LRI(0x23bc, 0), 0x00800001, SDI(RIG_DATA, 1), 0x00800000,
         SDI(RIG_DATA + 4, 2), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 2);
}

Test(mi, conditional_end_goes_on_while_memory_is_greater)
{
    *rig_dw(&rig, RIG_DATA) = 5;
    EMIT(&rig, 0x1b000002, 4, LO(RIG_DATA), 0, SDI(RIG_DATA + 8, 1), 0x1b000002,
         5, LO(RIG_DATA), 0, SDI(RIG_DATA + 12, 1), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), 1);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 12), 0);
}

/* ---- the flow of a batch ---- */

Test(mi, batch_chains)
{
    EMIT(&rig, BBS(RIG_BATCH_2), SDI(RIG_DATA, 1));
    rig_at(&rig, RIG_BATCH_2);
    EMIT(&rig, SDI(RIG_DATA + 4, 2), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 2);
}

Test(mi, second_level_batch_returns)
{
    EMIT(&rig, 0x18c00101, LO(RIG_BATCH_2), 0, SDI(RIG_DATA, 1), BBE);
    rig_at(&rig, RIG_BATCH_2);
    EMIT(&rig, SDI(RIG_DATA + 4, 2), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 2);
}

Test(mi, batch_sees_its_own_writes)
{
    /* The store patches the jump after it. */
    uint64_t patched = RIG_BATCH + 4 * 4 + 4;
    EMIT(&rig, SDI(patched, LO(RIG_BATCH_2)), BBS(RIG_BATCH));
    rig_at(&rig, RIG_BATCH_2);
    EMIT(&rig, SDI(RIG_DATA, 3), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 3);
}

Test(mi, endless_jump_ends_in_a_reset)
{
    EMIT(&rig, BBS(RIG_BATCH));
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    uint32_t active, pending;
    engine_context_resets(rig.ctx, &active, &pending);
    cr_assert_eq(active, 1);
    cr_assert_eq(pending, 0);
}

Test(mi, batch_of_zeros_ends_in_a_reset)
{
    /* Zero is MI_NOOP, and an unmapped page reads as zero. */
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

Test(mi, batch_of_zeros_ends_sooner_with_a_short_hang_limit)
{
    rig_finish(&rig);
    rig_init(&rig, &(struct engine_config){.gen = 9, .hang_limit_ms = 10});
    uint64_t before = stats_get(STAT_commands);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    cr_assert_lt(stats_get(STAT_commands) - before, 100000);
}

Test(mi, unknown_command_ends_in_a_reset)
{
    EMIT(&rig, 0x7fff0000, BBE);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

Test(mi, wrong_length_ends_in_a_reset)
{
    EMIT(&rig, 0x14800003, GPR(0), 0, 0, 0, BBE);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

Test(mi, context_works_after_a_reset)
{
    EMIT(&rig, LRI(GPR(0), 7), 0x7fff0000);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    EMIT(&rig, SRM(GPR(0), RIG_DATA), SDI(RIG_DATA + 4, 5), BBE);
    *rig_dw(&rig, RIG_DATA) = 1;
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0, "state is as after power-on");
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 5);
}

Test(mi, unmapped_memory_reads_zero_and_keeps_what_is_written)
{
    uint64_t nowhere = UINT64_C(0x7000000000);
    EMIT(&rig, LRI(GPR(0), 7), LRM(GPR(0), nowhere), SRM(GPR(0), RIG_DATA),
         SDI(nowhere + 8, 3), LRM(GPR(1), nowhere + 8),
         SRM(GPR(1), RIG_DATA + 4), BBE);
    *rig_dw(&rig, RIG_DATA) = 1;
    uint64_t errors = stats_get(STAT_guest_errors);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 3);
    cr_assert_gt(stats_get(STAT_guest_errors), errors);
}

/* ---- contexts and rings ---- */

Test(mi, registers_last_from_batch_to_batch)
{
    EMIT(&rig, LRI(GPR(3), 42), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    EMIT(&rig, SRM(GPR(3), RIG_DATA), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 42);
}

Test(mi, contexts_do_not_share_registers)
{
    struct engine_context *other = engine_context_create(rig.engine, rig.vm);
    EMIT(&rig, LRI(GPR(3), 42), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    EMIT(&rig, SRM(GPR(3), RIG_DATA), BBE);
    *rig_dw(&rig, RIG_DATA) = 1;
    cr_assert_eq(rig_run(&rig, other, ENGINE_RCS), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
    engine_context_destroy(other);
}

Test(mi, blitter_ring_has_its_own_register_base)
{
    EMIT(&rig, LRI(0x22600, 8), SRM(0x22600, RIG_DATA), BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_BCS), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 8);
}

Test(mi, render_commands_are_unknown_to_the_blitter)
{
    EMIT(&rig, 0x69040300, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_BCS), ENGINE_GUEST_ERROR);
}
