/* cs.c: fetches, checks and executes a batch's commands. */
#include "engine/cs/cs.h"
#include "engine/mfx/mfx.h"

#include <stdio.h>

/* A batch may write to itself, so it is read command by command. Limits of an
 * endless batch: dwords read and jumps taken. Observed: stock drivers chain
 * blocks of 8 KB or more. */
#define BUDGET_DW (UINT64_C(1) << 26)
/* Guess: with a hang limit below 8 s, what is read in that time. */
#define BUDGET_DW_PER_MS 8192u
#define BUDGET_JUMPS (1u << 17)

static const struct cs_command *
find_command(uint32_t dw0, const struct cs_ring *ring)
{
    unsigned id = 0;
    switch (dw0 >> 29) {
    case 0: id = cs_index_mi[bits_get(dw0, 23, 28)]; break;
    case 2: id = cs_index_blt[bits_get(dw0, 22, 28)]; break;
    case 3: id = ring->commands[bits_get(dw0, 16, 28)]; break;
    }
    if (!id || !(cs_commands[id - 1].engines & ring->bit))
        return NULL;
    return &cs_commands[id - 1];
}

static unsigned
command_length(const struct cs_command *cmd, uint32_t dw0)
{
    if (!cmd->length_bits)
        return 1;
    return bits_get(dw0, 0, cmd->length_bits - 1) + 2;
}

/* MI_SET_PREDICATE turns the commands after it into no-ops. */
static bool
is_skipped(const struct hw_state *hw, const struct cs_command *cmd)
{
    if (cmd == &cs_commands[CMD_MI_SET_PREDICATE] ||
        cmd == &cs_commands[CMD_MI_BATCH_BUFFER_END])
        return false;
    bool result = hw->reg[REG_MI_PREDICATE_RESULT / 4] & 1;
    bool result_2 = hw->reg[REG_PREDICATE_RESULT_2 / 4] & 1;
    switch (hw->set_predicate) {
    case 1: return !result_2;
    case 2: return result_2;
    case 3: return !result;
    case 4: return result;
    case 15: return true;
    default: return false;
    }
}

/* Drivers re-emit unchanged packets; skip them. */
static bool
is_repeated(const struct hw_state *hw, const struct cs_command *cmd,
            const uint32_t *dw, unsigned len_dw)
{
    return cmd->store_dw >= 0 && !cmd->handler &&
           !memcmp(hw->packet + cmd->store_dw, dw, len_dw * 4);
}

/* Whether the command draws, or changes only state that the next draw is made
 * from. */
static bool
is_state(const struct cs_command *cmd)
{
    return cmd == &cs_commands[CMD_3DPRIMITIVE] ||
           (cmd->kind == CS_STATE && cmd->dirty != HW_PART_ALL);
}

/* Whether the command could affect a held draw. */
static bool
ends_draw(const struct engine_context *ctx, const struct cs_command *cmd)
{
    return cmd != &cs_commands[CMD_3DPRIMITIVE] &&
           (cmd != &cs_commands[CMD_3DSTATE_CONSTANT_VS] || !ctx->draw_varies);
}

/* Whether the command cannot observe a post-sync write that is held back. */
static bool
is_end(const struct cs_command *cmd)
{
    return cmd == &cs_commands[CMD_MI_NOOP] ||
           cmd == &cs_commands[CMD_MI_BATCH_BUFFER_END];
}

/* Whether threads of media objects may still wait after the command. */
static bool
ends_media(const struct cs_command *cmd)
{
    static const uint16_t keeps[] = {
        CMD_MI_NOOP,
        CMD_MI_BATCH_BUFFER_START,
        CMD_MI_BATCH_BUFFER_END,
        CMD_MEDIA_OBJECT,
        CMD_MEDIA_OBJECT_PRT,
        CMD_MEDIA_OBJECT_WALKER,
        CMD_MEDIA_OBJECT_GRPID,
    };
    for (unsigned i = 0; i < ARRAY_SIZE(keeps); i++)
        if (cmd == &cs_commands[keeps[i]])
            return false;
    return true;
}

static void
execute(struct cs *cs, const struct cs_command *cmd, const uint32_t *dw,
        unsigned len_dw)
{
    if (is_repeated(cs->hw, cmd, dw, len_dw))
        return;
    if (cs->ctx->draw_held && ends_draw(cs->ctx, cmd))
        draw_release(cs->ctx);
    if (cs->ctx->draw_waits && !is_state(cmd))
        draw_finish(cs->ctx);
    if (cs->ctx->media_waits && ends_media(cmd) && !media_end(cs->ctx)) {
        cs->failed = true;
        return;
    }
    if (cs->hw->set_predicate && is_skipped(cs->hw, cmd))
        return;
    if (cs->ctx->signal.to && !is_end(cmd))
        cs_send_signal(cs->ctx);
    cs->hw->dirty |= cmd->dirty;
    if (cmd->store_dw >= 0)
        memcpy(cs->hw->packet + cmd->store_dw, dw, len_dw * 4);
    cs->work += cmd->kind == CS_DRAW;
    if (cmd->kind == CS_UNIMPLEMENTED)
        unimp("%s on %s", cmd->name, cs->info->name);
    else if (cmd->kind == CS_DRAW && cs->engine->config.noop)
        return;
    else if (cmd->handler)
        cmd->handler(cs, dw, len_dw);
}

static void
trace_command(const struct cs *cs, const struct cs_command *cmd, gpu_va at,
              unsigned len_dw)
{
    char text[40 * 9 + 1] = "";
    for (unsigned i = 0; i < len_dw && i < 40; i++)
        snprintf(text + i * 9, 10, " %08x", vm_read32(cs->vm, at + i * 4));
    log_trace(TRACE_cs, "0x%llx: %s:%s%s", (unsigned long long)at, cmd->name,
              text, len_dw > 40 ? " ..." : "");
}

static void
step(struct cs *cs)
{
    gpu_va at = cs->pc;
    uint32_t dw0 = vm_read32(cs->vm, at);
    const struct cs_command *cmd = find_command(dw0, cs->info);
    if (!cmd) {
        cs_fail(cs, "unknown command 0x%08x at 0x%llx on %s", dw0,
                (unsigned long long)at, cs->info->name);
        return;
    }
    unsigned len_dw = command_length(cmd, dw0);
    if (trace_on(TRACE_cs))
        trace_command(cs, cmd, at, len_dw);
    if (len_dw < cmd->len_min_dw || len_dw > cmd->len_max_dw) {
        cs_fail(cs, "%s at 0x%llx has %u dwords", cmd->name,
                (unsigned long long)at, len_dw);
        return;
    }
    if (cs->dw_left < len_dw) {
        cs_fail(cs, "batch does not end");
        return;
    }
    cs->dw_left -= len_dw;
    cs->pc += len_dw * 4;
    uint32_t dw[CS_MAX_PACKET_DW];
    if (cmd->kind != CS_UNIMPLEMENTED)
        memcpy(dw, vm_ptr(cs->vm, at), len_dw * 4);
    execute(cs, cmd, dw, len_dw);
    stats_add(STAT_commands, 1);
    if (atomic_load_explicit(&cs->ctx->reset, memory_order_relaxed))
        cs->failed = true;
}

static uint64_t
dword_budget(const struct engine *engine)
{
    uint64_t in_time = (uint64_t)engine->config.hang_limit_ms *
                       BUDGET_DW_PER_MS;
    return MIN2(BUDGET_DW, in_time);
}

void
cs_free_context(struct engine_context *ctx)
{
    mfx_free(ctx);
}

enum engine_result
cs_run(struct engine_context *ctx, enum engine_ring ring, gpu_va batch_va)
{
    struct cs cs = {
        .engine = ctx->engine,
        .ctx = ctx,
        .vm = ctx->vm,
        .hw = ctx->hw,
        .ring = ring,
        .info = &cs_rings[ring],
        .pc = batch_va & ~UINT64_C(3),
        .dw_left = dword_budget(ctx->engine),
        .jumps_left = BUDGET_JUMPS,
        .begun_ns = clock_tick_ns(),
    };
    atomic_store(&ctx->reset, false);
    context_begin_work(ctx);
    ctx->signal.to = NULL;
    ctx->hw->set_predicate = 0;
    ctx->hw->dirty |= HW_PART_MEMORY; /* the CPU may have written memory */
    while (!cs.done && !cs.failed)
        step(&cs);
    if (cs.failed)
        media_drop(ctx);
    else if (!media_end(ctx) || atomic_load(&ctx->reset))
        cs.failed = true;
    draw_finish(ctx);
    video_end_picture(&cs);
    atomic_fetch_add(&ctx->engine->work, cs.work);
    return cs.failed ? ENGINE_GUEST_ERROR : ENGINE_OK;
}
