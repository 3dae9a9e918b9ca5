/* hw_state.c: reset of a hardware context, and its preemption level. */
#include "engine/state/hw_state.h"

/* Preemption level of compute: KBL PRM vol 2c, CS_CHICKEN1. 0 allows preemption
 * in the middle of threads, which NEO chooses (Observed: it writes 0x00060000).
 * The kernel's default is between commands. */
#define PREEMPT_GPGPU_LEVEL (3u << 1)
#define PREEMPT_GPGPU_COMMAND (2u << 1)

void
context_begin_work(struct engine_context *ctx)
{
    bool preemptible = !(ctx->hw->reg[REG_CS_CHICKEN1 / 4] &
                         PREEMPT_GPGPU_LEVEL);
    hang_set(&ctx->hang, ctx->engine->config.hang_limit_ms, preemptible);
}

void
context_init_state(struct engine_context *ctx)
{
    memset(ctx->hw, 0, sizeof *ctx->hw);
    ctx->hw->dirty = HW_PART_ALL;
    ctx->hw->reg[REG_CS_CHICKEN1 / 4] = PREEMPT_GPGPU_COMMAND;
}
