/* vebox_bench.h: a rig with state tables and two surfaces for the tests of the
 * VEBOX. For one test file each. */
#ifndef TEST_VEBOX_BENCH_H
#define TEST_VEBOX_BENCH_H

#include "vebox_model.h"

#include <criterion/criterion.h>

#define DNDI_VA (RIG_VA + 0x10000)
#define IECP_VA (RIG_VA + 0x11000)
#define GAMMA_VA (RIG_VA + 0x13000)
#define IN_VA (RIG_VA + 0x20000)
#define PREVIOUS_VA (RIG_VA + 0x50000)
#define OUT_VA (RIG_VA + 0x80000)
#define STMM_VA (RIG_VA + 0xb0000)
#define DENOISED_VA (RIG_VA + 0xc0000)

/* Flags of VEBOX_STATE. */
#define F_IECP (1u << 2)
#define F_DN (1u << 3)
#define F_DI (1u << 4)
#define F_FIRST (1u << 5)
#define F_AVERAGE (3u << 6)
#define F_CURRENT (2u << 8)

static struct rig rig;
static uint64_t random_state;

static uint32_t
random_32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static void
bench_init(void)
{
    rig_init(&rig, &(struct engine_config){
                       .gen = 9, .threads = 1, .hang_limit_ms = 5000});
    random_state = 88172645463325252u;
    for (unsigned i = 0x20000; i < 0x100000; i++)
        rig.mem[i] = (uint8_t)random_32();
}

static void
bench_finish(void)
{
    rig_finish(&rig);
}

static inline void
emit_state(uint32_t flags)
{
    EMIT(&rig, 0x7402000e, flags, LO(DNDI_VA), 0, LO(IECP_VA), 0, 0, 0, 0, 0, 0,
         0, 0, 0, LO(GAMMA_VA), 0);
}

static inline enum engine_result
run_with_statistics(uint32_t width, uint64_t statistics_va,
                    uint64_t histogram_va)
{
    EMIT(&rig, 0x74030016, width - 1, LO(IN_VA), 0, LO(PREVIOUS_VA), 0,
         LO(STMM_VA), 0, LO(STMM_VA + 0x8000), 0, LO(DENOISED_VA), 0,
         LO(OUT_VA), 0, 0, 0, LO(statistics_va), 0, 0, 0, LO(histogram_va), 0,
         0, 0);
    EMIT(&rig, BBE);
    return rig_run(&rig, rig.ctx, ENGINE_VECS);
}

static inline enum engine_result
run_frame(uint32_t width)
{
    return run_with_statistics(width, 0, 0);
}

#endif
