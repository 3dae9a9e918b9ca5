/* cs.c: the loop over a batch's commands. */
#include "engine/cs/cs.h"

#include <stdio.h>

/* Batches are read lazily, dword by dword: they may write to themselves. What
 * bounds an endless one: dwords read and jumps taken. Stock drivers chain
 * blocks of 8 KB or more. */
#define BUDGET_DW (UINT64_C(1) << 26)
#define BUDGET_JUMPS (1u << 17)

static const char *const ring_names[ENGINE_RING_COUNT] = {
    [ENGINE_RCS] = "rcs",
    [ENGINE_BCS] = "bcs",
    [ENGINE_VCS] = "vcs",
    [ENGINE_VECS] = "vecs",
};

/* Everything a video ring has beside MI: skipped by its length. */
static const struct cs_command media_command = {
    .name = "media command",
    .kind = CS_UNIMPLEMENTED,
    .engines = 1 << ENGINE_VCS | 1 << ENGINE_VECS,
    .length_bits = 12,
    .len_min_dw = 2,
    .len_max_dw = 4097,
    .store_dw = -1,
};

static const struct cs_command *
find_command(uint32_t dw0, enum engine_ring ring)
{
    unsigned id = 0;
    switch (dw0 >> 29) {
    case 0: id = cs_index_mi[bits_get(dw0, 23, 28)]; break;
    case 2: id = cs_index_blt[bits_get(dw0, 22, 28)]; break;
    case 3:
        /* The opcodes mean other things on other rings. */
        if (ring == ENGINE_VCS || ring == ENGINE_VECS)
            return &media_command;
        id = cs_index_gfx[bits_get(dw0, 16, 28)];
        break;
    }
    if (!id || !(cs_commands[id - 1].engines >> ring & 1))
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

/* MI_SET_PREDICATE turns what follows into no-ops. */
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

/* Drivers say many things again. */
static bool
is_repeated(const struct hw_state *hw, const struct cs_command *cmd,
            const uint32_t *dw, unsigned len_dw)
{
    return cmd->store_dw >= 0 && !cmd->handler &&
           !memcmp(hw->packet + cmd->store_dw, dw, len_dw * 4);
}

/* Whether a draw that is held can tell. */
static bool
ends_draw(const struct engine_context *ctx, const struct cs_command *cmd)
{
    return cmd != &cs_commands[CMD_3DPRIMITIVE] &&
           (cmd != &cs_commands[CMD_3DSTATE_CONSTANT_VS] || !ctx->draw_varies);
}

static void
execute(struct cs *cs, const struct cs_command *cmd, const uint32_t *dw,
        unsigned len_dw)
{
    if (is_repeated(cs->hw, cmd, dw, len_dw))
        return;
    if (cs->ctx->draw_held && ends_draw(cs->ctx, cmd))
        draw_release(cs->ctx);
    if (cs->ctx->draw_waits && !cs_is_state(cmd))
        draw_finish(cs->ctx);
    if (cs->hw->set_predicate && is_skipped(cs->hw, cmd))
        return;
    cs->hw->dirty |= cs_parts(cmd);
    if (cmd->store_dw >= 0)
        memcpy(cs->hw->packet + cmd->store_dw, dw, len_dw * 4);
    if (cmd->kind == CS_UNIMPLEMENTED)
        unimp("%s on %s", cmd->name, ring_names[cs->ring]);
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
    const struct cs_command *cmd = find_command(dw0, cs->ring);
    if (!cmd) {
        cs_fail(cs, "unknown command 0x%08x at 0x%llx on %s", dw0,
                (unsigned long long)at, ring_names[cs->ring]);
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

enum engine_result
cs_run(struct engine_context *ctx, enum engine_ring ring, gpu_va batch_va)
{
    struct cs cs = {
        .engine = ctx->engine,
        .ctx = ctx,
        .vm = ctx->vm,
        .hw = ctx->hw,
        .ring = ring,
        .pc = batch_va & ~UINT64_C(3),
        .dw_left = BUDGET_DW,
        .jumps_left = BUDGET_JUMPS,
    };
    atomic_store(&ctx->reset, false);
    ctx->hw->set_predicate = 0;
    ctx->hw->dirty |= HW_PART_MEMORY; /* the CPU may have written anything */
    while (!cs.done && !cs.failed)
        step(&cs);
    draw_finish(ctx);
    return cs.failed ? ENGINE_GUEST_ERROR : ENGINE_OK;
}
