/* test_noise.c: batches of known commands with random contents must not crash,
 * hang or reach an assert, whatever draws and dispatches they make. */
#include "rig.h"

#include "engine/cs/cs.h"

#include <criterion/criterion.h>

TestSuite(noise, .timeout = 60);

static uint64_t state = 88172645463325252u;

static uint32_t
noise(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Mostly small numbers, sometimes valid addresses, sometimes random values. */
static uint32_t
value(void)
{
    switch (noise() % 8) {
    case 0: return noise();
    case 1: return UINT32_MAX;
    case 2:
    case 3: return (uint32_t)RIG_VA + noise() % RIG_SIZE_B;
    case 4: return 1u << noise() % 32;
    default: return noise() % 64;
    }
}

/* dw0 of a command by its id, or 0. */
static uint32_t
opcode_of(unsigned id)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(cs_index_mi); i++)
        if (cs_index_mi[i] == id + 1)
            return i << 23;
    for (uint32_t i = 0; i < ARRAY_SIZE(cs_index_gfx); i++)
        if (cs_index_gfx[i] == id + 1)
            return 3u << 29 | i << 16;
    return 0;
}

static void
emit_noise(struct rig *rig)
{
    unsigned id = noise() % CMD_COUNT;
    /* Endless waits are tested elsewhere, because they take time. */
    if (id == CMD_MI_SEMAPHORE_WAIT || id == CMD_MI_BATCH_BUFFER_START)
        return;
    const struct cs_command *cmd = &cs_commands[id];
    uint32_t dw[CS_MAX_PACKET_DW];
    unsigned len = cmd->len_min_dw;
    if (cmd->len_max_dw > len)
        len += noise() % MIN2(cmd->len_max_dw - len + 1, 80u);
    for (unsigned i = 0; i < len; i++)
        dw[i] = value();
    uint32_t flags = dw[0] & ~(cmd->length_bits > 8 ? 0xffffu : 0xffu) & 0x7fff;
    dw[0] = opcode_of(id) | (cmd->length_bits ? len - 2 : 0) | flags;
    rig_emit(rig, dw, len);
}

static void
touch(const struct shader_stage *stage)
{
    for (unsigned i = 0; i < STAGE_BTI_COUNT; i += 51)
        cr_assert_not_null(stage_surface(stage, i)->fmt);
    cr_assert_not_null(stage_surface_bindless(stage, noise())->fmt);
    for (unsigned i = 0; i < 20; i++)
        cr_assert_not_null(stage_sampler(stage, i));
    uint32_t g0[8];
    stage_header(stage, g0, 1);
    for (unsigned i = 0; i < stage->push_grf * 8; i++)
        state += stage->push[i];
}

static void
on_draw(const struct draw *draw)
{
    for (unsigned i = 0; i < STAGE_CS; i++)
        touch(&draw->stage[i]);
    cr_assert_not_null(draw->depth.fmt);
    cr_assert_not_null(draw->stencil.fmt);
    cr_assert_leq(draw->samples, 16);
    cr_assert_leq(draw->ve_count, DRAW_MAX_VE);
    for (unsigned i = 0; i < 4; i++)
        cr_assert_leq(draw->so_stream[i].decl_count, 128);
}

static void
fill(struct rig *rig)
{
    for (unsigned at = 0x10000; at < RIG_SIZE_B; at += 4)
        *rig_dw(rig, RIG_VA + at) = value();
}

Test(noise, random_batches_do_no_harm)
{
    struct rig rig;
    rig_init(&rig, &(struct engine_config){.gen = 9, .hang_limit_ms = 1});
    unsigned finished = 0;
    fill(&rig);
    for (unsigned n = 0; n < 4000; n++) {
        rig_record.on_draw = on_draw;
        for (unsigned i = noise() % 24; i > 0; i--)
            emit_noise(&rig);
        EMIT(&rig, 0x7b000005, 0, noise() % 64, 0, 1, 0, 0, BBE);
        finished += rig_run(&rig, rig.ctx, ENGINE_RCS) == ENGINE_OK;
        if (n % 64 == 63)
            fill(&rig);
    }
    cr_log_info("%u of 4000 ended, %u draws, %u dispatches", finished,
                rig_record.draws, rig_record.dispatches);
    cr_assert_gt(rig_record.draws, 100);
    rig_finish(&rig);
}
