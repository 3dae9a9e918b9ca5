/* test_oa.c: reports of performance counters, their registers, the flexible
 * counters, and when draws are counted. */
#include "rig.h"

#include "engine/oa/oa.h"
#include "engine/state/hw_state.h"

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

TestSuite(oa, .init = setup, .fini = teardown, .timeout = 20);

#define RPC(va, number) 0x14000002u, LO(va), HI(va), (number)
#define A(i) (4 + (i)) /* dword of a report */

static void
run(void)
{
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_OK);
}

static struct {
    unsigned count;
    enum engine_oa_moment moment[16];
    uint32_t context_id;
} samples;

static void
sample(uint32_t context_id, enum engine_oa_moment moment)
{
    cr_assert_lt(samples.count, 16u);
    samples.moment[samples.count++] = moment;
    samples.context_id = context_id;
}

static struct oa *
start(void)
{
    samples.count = 0;
    cr_assert(engine_oa_start(rig.engine, sample));
    struct oa *oa = oa_counting(rig.engine);
    cr_assert_not_null(oa);
    return oa;
}

Test(oa, a_report_has_256_bytes)
{
    *rig_dw(&rig, RIG_DATA + 256) = 0x1234;
    EMIT(&rig, RPC(RIG_DATA + 32, 1000), BBE);
    run();
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1000u, "lines of 64 bytes");
    uint32_t ticks = *rig_dw(&rig, RIG_DATA + 4);
    cr_assert_neq(ticks, 0u);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), engine_context_id(rig.ctx));
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 12), ticks * 95u, "1140 MHz");
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 256), 0x1234u);
}

Test(oa, the_global_gtt_is_privileged)
{
    *rig_dw(&rig, RIG_DATA) = 0x1234;
    EMIT(&rig, RPC(RIG_DATA | 1, 1000), BBE);
    run();
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0x1234u);
}

Test(oa, workers_add_up)
{
    struct oa *oa = start();
    uint32_t report[ENGINE_OA_REPORT_DW];
    for (unsigned worker = 0; worker < 100; worker++)
        oa_add(oa, worker, OA_PIXELS_RASTERIZED, 8);
    oa_add(oa, 3, OA_SLM_READ_B, (UINT64_C(0x5a) << 32 | 7) * 64);
    oa_add(oa, 3, OA_ATOMIC_MESSAGES, 9);
    engine_oa_report(rig.engine, 77, 5, report);
    cr_assert_eq(report[0], 77u);
    cr_assert_eq(report[2], 5u);
    cr_assert_eq(report[A(21)], 200u, "quads");
    cr_assert_eq(report[A(30)], 7u);
    cr_assert_eq(report[40 + 7] >> 16 & 0xff, 0x5au, "bits 39:32");
    cr_assert_eq(report[A(34)], 9u);
    cr_assert_eq(report[A(22)], 0u);

    EMIT(&rig, SRM(0x2800 + 8 * 21, RIG_DATA));
    EMIT(&rig, SRM(0x2800 + 8 * 30 + 4, RIG_DATA + 4));
    EMIT(&rig, SRM(0x2900 + 4 * 2, RIG_DATA + 8));
    EMIT(&rig, SRM(0x2910, RIG_DATA + 12), SRM(0x2920, RIG_DATA + 16));
    EMIT(&rig, SRM(0xa01c, RIG_DATA + 20), BBE);
    run();
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 200u);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 0x5au);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), 9u);
    cr_assert_neq(*rig_dw(&rig, RIG_DATA + 12), 0u);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 16), 0u);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 20) >> 23, 69u, "1150 MHz");
}

Test(oa, the_stream_learns_of_batches)
{
    start();
    EMIT(&rig, RPC(RIG_DATA, 1000), BBE);
    run();
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, RPC(RIG_DATA, 1001), BBE);
    run();
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, BBE);
    run();
    const enum engine_oa_moment want[] = {
        ENGINE_OA_BEGINS,     ENGINE_OA_ENDS,   ENGINE_OA_BEGINS,
        ENGINE_OA_ENDS_QUERY, ENGINE_OA_BEGINS, ENGINE_OA_ENDS};
    cr_assert_eq(samples.count, ARRAY_SIZE(want));
    cr_assert(!memcmp(samples.moment, want, sizeof want));
    cr_assert_eq(samples.context_id, engine_context_id(rig.ctx));
    engine_oa_stop(rig.engine);
    run();
    cr_assert_eq(samples.count, ARRAY_SIZE(want));
}

Test(oa, the_gpu_is_busy_while_batches_run)
{
    start();
    EMIT(&rig, RPC(RIG_DATA, 2), RPC(RIG_DATA + 256, 4), BBE);
    run();
    uint32_t busy = *rig_dw(&rig, RIG_DATA + 256 + 4 * A(0)) -
                    *rig_dw(&rig, RIG_DATA + 4 * A(0));
    uint32_t clocks = *rig_dw(&rig, RIG_DATA + 256 + 12) -
                      *rig_dw(&rig, RIG_DATA + 12);
    cr_assert_eq(busy, clocks);
}

Test(oa, a_set_may_show_rings)
{
    const struct engine_oa_set rings = {.rings = true}, none = {0};
    uint32_t report[ENGINE_OA_REPORT_DW];
    start();
    EMIT(&rig, BBE);
    run();
    cr_assert(engine_oa_configure(rig.engine, &rings));
    engine_oa_report(rig.engine, 0, 0, report);
    cr_assert_neq(report[A(0)], 0u);
    cr_assert_eq(report[48], report[A(0)], "any ring: B0");
    cr_assert_eq(report[63], report[A(0)], "the render ring: C7");
    cr_assert(engine_oa_configure(rig.engine, &none));
    engine_oa_report(rig.engine, 0, 0, report);
    cr_assert_eq(report[48], 0u);
    cr_assert_eq(report[63], 0u);
}

Test(oa, draws_are_counted_while_a_stream_is_enabled)
{
    const uint32_t draw[7] = {0x7b000005, 0, 3, 0, 1};
    rig_emit(&rig, draw, 7);
    EMIT(&rig, BBE);
    run();
    cr_assert_eq(rig_record.draws, 1u);
    cr_assert_null(rig_record.draw.oa);
    struct oa *oa = start();
    run();
    cr_assert_eq(rig_record.draws, 2u);
    cr_assert_eq(rig_record.draw.oa, oa);
    cr_assert_not(rig_record.draw.deferrable);
    engine_oa_stop(rig.engine);
    run();
    cr_assert_null(rig_record.draw.oa);
}

/* ---- flexible counters --------------------------------------------------- */

static uint64_t
flexible(unsigned event, unsigned stage, unsigned kind)
{
    uint32_t selector = event | stage << 4 | kind << 8;
    const uint32_t flex[ENGINE_OA_FLEX] = {[3] = selector << 12};
    uint64_t a[OA_FLEX_COUNTERS];
    oa_flex_read(flex, a);
    return a[14 - OA_FLEX_FIRST]; /* the upper one of the fourth register */
}

Test(oa, flexible_counters_choose_event_stage_and_kind)
{
    struct eu_busy *b = &rig_record.busy;
    for (unsigned s = 0; s < EU_BUSY_STAGES; s++)
        for (unsigned k = 0; k < EU_SHAPES; k++) {
            b->cycles[s][EU_PIPE_FPU0][k] = 1 + 10 * s + 100 * k;
            b->cycles[s][EU_PIPE_FPU1][k] = 1000;
            b->cycles[s][EU_PIPE_SEND][k] = s == 4 ? 7 : 0;
        }
    /* VS is stage 1, PS 5; 3 are instructions of two sources. */
    cr_assert_eq(flexible(0, 1, 3), 1 + 100 * EU_SHAPE_BINARY);
    cr_assert_eq(flexible(0, 5, 4), 1 + 40 + 100 * EU_SHAPE_MOVE);
    cr_assert_eq(flexible(1, 5, 0), 1000 * EU_SHAPES);
    cr_assert_eq(flexible(1, 0, 2), 1000 * EU_BUSY_STAGES);
    cr_assert_eq(flexible(2, 0, 0), 7 * EU_SHAPES);
    cr_assert_eq(flexible(2, 1, 0), 0u);
    cr_assert_eq(flexible(3, 1, 0), flexible(0, 1, 0), "both FPUs");
    cr_assert_eq(flexible(4, 5, 0), flexible(1, 5, 0) + 7 * EU_SHAPES, "any");
    cr_assert_eq(flexible(5, 0, 0), 0u, "stalls");
    cr_assert_eq(flexible(8, 0, 0), 0u, "occupancy");
    cr_assert_eq(flexible(0, 0, 1), 0u, "hybrid instructions");
    cr_assert_eq(flexible(0, 9, 0), 0u, "no such stage");
}
