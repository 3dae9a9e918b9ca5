/* vebox.c: handlers of the VEBOX ring. */
#include "engine/vebox/vebox.h"
#include "engine/cs/cs.h"

void
vebox_state(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    vebox_latch(&cs->hw->vebox, dw, len_dw);
}

/* A batch of frames that take far too long ends as one whose EU threads do. */
void
vebox_di_iecp(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    context_begin_work(cs->ctx);
    if (hang_is_hopeless(&cs->ctx->hang, cs->begun_ns, 0, 1, "VEBOX") ||
        !vebox_process(cs->ctx, dw, len_dw))
        cs->failed = true;
}

void
vebox_tiling_convert(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    context_begin_work(cs->ctx);
    if (!vebox_convert_tiling(cs->ctx, dw))
        cs->failed = true;
}
