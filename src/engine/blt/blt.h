/* blt.h: the blitter: fills and copies rectangles of pixels, combined with
 * patterns by any of 256 raster operations. Called by cs/ in the thread that
 * executes the context's batch; nothing is kept between calls.
 *
 * Sources: KBL PRM vol 2d, BR00 to BR30; vol 6, "2D commands" (opcodes). */
#ifndef ENGINE_BLT_BLT_H
#define ENGINE_BLT_BLT_H

#include "engine/state/hw_state.h"

/* Runs one command that draws. Setup commands and BCS_SWCTRL have left their
 * state in ctx->hw. False after a guest error. */
bool blt_command_run(struct engine_context *ctx, const uint32_t *dw,
                     unsigned len_dw);

#endif
