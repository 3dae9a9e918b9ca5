/* draw_rig.h: fixture of the tests of struct draw and struct dispatch: an
 * engine with base addresses set for each test, and macros that emit
 * packets. */
#ifndef TEST_DRAW_RIG_H
#define TEST_DRAW_RIG_H

#include "rig.h"

#include <criterion/criterion.h>

static struct rig rig;

#define BASE_INSTRUCTION (RIG_KERNEL & ~UINT64_C(4095))
#define BASE_DYNAMIC RIG_STATE
#define BASE_SURFACE (RIG_STATE + 0x8000)

static void
setup(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9});
    rig_set_bases(&rig, BASE_SURFACE, BASE_DYNAMIC, BASE_INSTRUCTION);
    memset(rig_dw(&rig, RIG_KERNEL), 1, 0x1000);
}

static void
teardown(void)
{
    rig_finish(&rig);
}

TestSuite(draw, .init = setup, .fini = teardown, .timeout = 20);

static inline enum engine_result
run(void)
{
    EMIT(&rig, BBE);
    return rig_run(&rig, rig.ctx, ENGINE_RCS);
}

/* Packs and emits 3DSTATE packet `name` with opcode op. */
#define PACKET(op, name, len, ...)                  \
    do {                                            \
        struct gen9_##name p_ = {__VA_ARGS__};      \
        uint32_t dw_[len] = {0};                    \
        gen9_##name##_pack(&p_, dw_);               \
        dw_[0] |= (uint32_t)(op) << 16 | ((len)-2); \
        rig_emit(&rig, dw_, len);                   \
    } while (0)

#define DRAW 0x7b000005, 0, 3, 0, 1, 0, 0
#define DRAW_INDIRECT 0x7b000405, 0, 3, 0, 1, 0, 0
#define DRAW_PREDICATED 0x7b000105, 0, 3, 0, 1, 0, 0
#define TRIANGLES 0x784b0000, GEN9_3DPRIM_TRILIST
#define INDEXED(count, start) 0x7b000005, 0x100, count, start, 1, 0, 0

static inline void
emit_constants(unsigned op, const unsigned length[4], const uint64_t va[4])
{
    struct gen9_3dstate_constant_body body = {0};
    for (unsigned i = 0; i < 4; i++) {
        body.read_length[i] = length[i];
        body.buffer[i] = va[i];
    }
    uint32_t dw[11] = {op << 16 | 9};
    gen9_3dstate_constant_body_pack(&body, dw + 1);
    rig_emit(&rig, dw, 11);
}

static inline void
fail_draw(const struct draw *draw)
{
    atomic_store(draw->reset, true);
}

#endif
