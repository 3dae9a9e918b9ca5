/* blt_bench.h: a rig and the model side by side: what is emitted goes to both,
 * and their memories are compared. For one test file each. */
#ifndef TEST_BLT_BENCH_H
#define TEST_BLT_BENCH_H

#include "blt_maker.h"
#include "rig.h"

#include <criterion/criterion.h>

#define BATCH_DW 0x2000u /* then the batch is run */

static struct rig rig;
static struct blt_model model;
static struct blt_maker maker;
static unsigned emitted_dw, last_opcode;

static void
bench_compare(void)
{
    for (unsigned at = 0x10000; at < MODEL_B; at++)
        cr_assert_eq(rig.mem[at], model.mem[at],
                     "byte 0x%x is %02x, not %02x; last command 0x%02x", at,
                     rig.mem[at], model.mem[at], last_opcode);
}

static void
bench_run(void)
{
    EMIT(&rig, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_BCS), ENGINE_OK);
    emitted_dw = 0;
    if (memcmp(rig.mem + 0x10000, model.mem + 0x10000, MODEL_B - 0x10000) != 0)
        bench_compare();
}

static void
bench_emit(const uint32_t *dw, unsigned len_dw)
{
    rig_emit(&rig, dw, len_dw);
    emitted_dw += len_dw;
    if (dw[0] >> 23 == 0x22) {
        model.swctrl = dw[2] & 3;
        return;
    }
    last_opcode = dw[0] >> 22 & 127;
    blt_model_run(&model, dw, len_dw);
}

static void
bench_init(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9, .hang_limit_ms = 10000});
    maker = (struct blt_maker){88172645463325252u, bench_emit};
    for (unsigned at = 0x10000; at < MODEL_B; at++)
        rig.mem[at] = model.mem[at] = (uint8_t)blt_random(&maker);
}

static void
bench_finish(void)
{
    rig_finish(&rig);
}

/* A random blit; not all of them are compared at once. */
static inline void
bench_make(const struct blt_choice *choice)
{
    blt_make(&maker, choice);
    if (emitted_dw > BATCH_DW - 1000)
        bench_run();
}

#endif
