/* vebox.h: the video enhancement engine and the scaler after it (SFC): a frame
 * is denoised, deinterlaced, corrected in colour (IECP), converted in format,
 * scaled and rotated. Called by cs/ in the thread that executes the context's
 * batch; bands of rows run on the worker pool.
 *
 * Packets are latched in struct vebox_state until the next of the same name.
 * VEB_DI_IECP reads the state tables in memory and processes a whole frame.
 * Frames are rows of 16 bits a channel, 4:4:4, from the input surface to the
 * output surface; nothing is kept between frames but what the batch names.
 *
 * Intel has published layouts, not rounding: what is a guess says so, and
 * docs/architecture.md lists what is exact. Sources: KBL PRM vol 2d, VEBOX_*
 * and SFC_* structures; intel/media-driver's KBL headers; Observed: stock iHD
 * and i965 of Debian 12. */
#ifndef ENGINE_VEBOX_VEBOX_H
#define ENGINE_VEBOX_VEBOX_H

#include "engine/state/hw_state.h"

/* Latches a state packet. */
void vebox_latch(struct vebox_state *v, const uint32_t *dw, unsigned len_dw);
/* VEB_DI_IECP: processes one frame. False: the batch has a guest error. */
bool vebox_process(struct engine_context *ctx, const uint32_t *dw,
                   unsigned len_dw);
/* VEBOX_TILING_CONVERT: copies the input surface to the output surface, whose
 * tiling may differ. */
bool vebox_convert_tiling(struct engine_context *ctx, const uint32_t *dw);

#endif
