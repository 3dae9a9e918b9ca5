/* stages.h: C functions in place of kernels, for the tests of stages. */
#ifndef TEST_STAGES_H
#define TEST_STAGES_H

#include <criterion/criterion.h>

#include "rig.h"

TestSuite(stages, .fini = rig_finish);

static inline uint32_t *
urb(struct thread_env *env, uint32_t handle)
{
    uint64_t at = (uint64_t)(handle & 0x07ffffff) * 64;
    cr_assert_lt(at, env->urb.size_B);
    return (uint32_t *)(void *)(env->urb.base + at);
}

static inline bool
lane_on(const struct eu_thread *t, unsigned lane)
{
    return t->sr0[2] >> lane & 1;
}

static inline float
in_float(struct eu_thread *t, unsigned grf, unsigned lane)
{
    return float_from_bits(eu_grf(t, grf)[lane]);
}

/* Copies the three elements and adds the first constant to x. */
static inline void
vs_copy(struct eu_thread *t, struct thread_env *env)
{
    const struct shader_stage *stage = env->stage;
    unsigned in = stage->grf_start + (stage->push ? stage->push_grf : 0);
    for (unsigned lane = 0; lane < 8; lane++) {
        if (!lane_on(t, lane))
            continue;
        uint32_t *vue = urb(env, eu_grf(t, 1)[lane]);
        for (unsigned d = 0; d < 12; d++)
            vue[d] = eu_grf(t, in + d)[lane];
        if (stage->push)
            vue[4] = bits_from_float(in_float(t, in, lane) * 0 +
                                     float_from_bits(vue[4]) +
                                     in_float(t, stage->grf_start, 0));
    }
}

static inline void
vs_on(void)
{
    rig_stage(STAGE_VS, vs_copy);
    rig.draw.vs.vertex_urb_entry_read_length = 2;
    rig.draw.vs.statistics_enable = true;
}

#endif
