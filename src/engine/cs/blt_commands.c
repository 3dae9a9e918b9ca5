/* blt_commands.c: handlers of the blitter's commands. Those that draw go to
 * blt/. KBL PRM vol 2d, BR00 to BR30. */
#include "engine/blt/blt.h"
#include "engine/cs/cs.h"

_Static_assert(HW_BLT_SETUP_DW == 10, "length of XY_SETUP_BLT");

/* XY_SETUP_BLT and XY_SETUP_MONO_PATTERN_SL_BLT differ in their last two dwords
 * only: the pattern or its address. */
void
blt_setup(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    memcpy(cs->hw->blt_setup, dw, sizeof cs->hw->blt_setup);
}

void
blt_setup_clip(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    memcpy(cs->hw->blt_setup + 2, dw + 1, 8);
}

void
blt_draw(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    context_begin_work(cs->ctx);
    if (!blt_command_run(cs->ctx, dw, len_dw))
        cs->failed = true;
}

void
blt_fast_copy(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (cs->engine->config.gen < 9)
        cs_fail(cs, "XY_FAST_COPY_BLT before Gen9");
    else
        blt_draw(cs, dw, len_dw);
}
