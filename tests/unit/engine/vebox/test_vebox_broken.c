/* test_vebox_broken.c: broken state of the VEBOX ring: guest errors, no access
 * out of bounds, no hang; and results that do not depend on threads. */
#include "vebox_bench.h"

TestSuite(vebox_broken, .init = bench_init, .fini = bench_finish,
          .timeout = 300);

Test(vebox_broken, commands_of_other_rings_are_unknown)
{
    EMIT(&rig, 0x70000003, 0, 0, 0, 0, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_VECS), ENGINE_GUEST_ERROR);
    rig_at(&rig, RIG_BATCH);
    emit_state(0);
    EMIT(&rig, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_VCS), ENGINE_GUEST_ERROR);
}

Test(vebox_broken, mi_commands_and_registers)
{
    EMIT(&rig, 0x13000082, 0, 0, 0, LRI(0x1a600, 0x1234),
         SRM(0x1a600, RIG_DATA), 0x13004002, LO(RIG_DATA + 8), 0, 77, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_VECS), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0x1234);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 8), 77);
}

static enum engine_result
run_with(uint32_t pitch_B, uint64_t in_va, uint64_t iecp_va)
{
    struct model_surface s = model_surface(5, MODEL_LINEAR, 64, 16, IN_VA);
    s.pitch_B = pitch_B;
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, 0x7402000e, F_IECP | F_CURRENT, 0, 0, LO(iecp_va), HI(iecp_va),
         0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    model_emit_surface(&rig, &s, 0);
    model_emit_surface(&rig, &s, 1);
    EMIT(&rig, 0x74030016, 63, LO(in_va), HI(in_va), 0, 0, 0, 0, 0, 0, 0, 0,
         LO(OUT_VA), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, BBE);
    return rig_run(&rig, rig.ctx, ENGINE_VECS);
}

Test(vebox_broken, state_that_does_not_fit)
{
    cr_assert_eq(run_with(256, IN_VA, IECP_VA), ENGINE_OK);
    cr_assert_eq(run_with(252, IN_VA, IECP_VA), ENGINE_GUEST_ERROR);
    cr_assert_eq(run_with(256, IN_VA, UINT64_C(0x700000000)),
                 ENGINE_GUEST_ERROR);
    /* Unmapped: the scratch page. */
    run_with(256, UINT64_C(0xfffffffff000), IECP_VA);
    run_with(256, UINT64_C(0x700000000), IECP_VA);
    cr_assert_eq(run_with(256, IN_VA, IECP_VA), ENGINE_OK);
}

/* Any dwords as packets, of small frames so that it ends. */
Test(vebox_broken, random_state)
{
    static const struct {
        uint32_t dw0;
        unsigned len_dw;
    } packets[] = {
        {0x7402000e, 16}, {0x74000007, 9}, {0x74000007, 9},  {0x75000000, 2},
        {0x75010020, 34}, {0x75020001, 3}, {0x75030016, 24}, {0x7505007f, 129},
        {0x7506003f, 65}, {0x75040000, 2}, {0x74010003, 5},  {0x74030016, 24},
    };
    for (unsigned n = 0; n < 300; n++) {
        rig_at(&rig, RIG_BATCH);
        for (unsigned i = 0; i < ARRAY_SIZE(packets); i++) {
            uint32_t dw[129] = {packets[i].dw0};
            for (unsigned at = 1; at < packets[i].len_dw; at++) {
                dw[at] = random_32() % 3 ? random_32() : 0;
                if (random_32() % 2 && packets[i].dw0 != 0x75010020)
                    dw[at] = (dw[at] & 0xff000) | (uint32_t)RIG_VA;
            }
            if (packets[i].dw0 == 0x74000007) {
                dw[1] = i & 1;
                dw[2] &= 0x01fc07f0;
            }
            if (packets[i].dw0 == 0x75010020)
                for (unsigned at = 2; at < 9; at++)
                    dw[at] &= at == 3 || at == 4 ? ~0u : 0x00ff00ff;
            rig_emit(&rig, dw, packets[i].len_dw);
        }
        EMIT(&rig, BBE);
        rig_run(&rig, rig.ctx, ENGINE_VECS);
        memcpy(rig.mem + 0x10000, rig.mem + 0x40000, 0x4000);
    }
}

/* ---- threads ---- */

static uint8_t first_result[0x80000];

static void
run_threads(unsigned threads)
{
    struct rig other;
    struct model_surface in = model_surface(4, MODEL_Y, 90, 150, IN_VA);
    struct model_surface out = model_surface(0, MODEL_X, 90, 150, OUT_VA);
    rig_init(&other, &(struct engine_config){
                         .gen = 9, .threads = threads, .hang_limit_ms = 5000});
    memcpy(other.mem + 0x10000, rig.mem + 0x10000, 0xf0000);
    struct rig keep = rig;
    rig = other;
    *rig_dw(&rig, DNDI_VA + 13 * 4) = 64 | 100u << 16 | 64u << 24;
    *rig_dw(&rig, DNDI_VA + 10 * 4) = 384u << 16 | 8;
    *rig_dw(&rig, DNDI_VA + 11 * 4) = 0x1ffff;
    *rig_dw(&rig, DNDI_VA + 5 * 4) = 0xfffff;
    rig_at(&rig, RIG_BATCH);
    emit_state(F_IECP | F_DN | F_DI | F_CURRENT | F_AVERAGE);
    model_emit_surface(&rig, &in, 0);
    model_emit_surface(&rig, &out, 1);
    cr_assert_eq(run_frame(90), ENGINE_OK);
    if (threads == 0)
        memcpy(first_result, rig.mem + 0x80000, sizeof first_result);
    cr_assert(!memcmp(first_result, rig.mem + 0x80000, sizeof first_result),
              "%u threads", threads);
    rig_finish(&rig);
    rig = keep;
}

Test(vebox_broken, threads_do_not_show)
{
    run_threads(0);
    run_threads(1);
    run_threads(2);
    run_threads(8);
}
