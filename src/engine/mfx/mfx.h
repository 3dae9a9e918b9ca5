/* mfx.h: the video engine: decodes slices and scans from hardware state to
 * pixels. Called by cs/ in the thread that executes the context's batch.
 *
 * MFX packets are latched in struct video_state until the next of the same
 * name; MFX_PIPE_MODE_SELECT begins a picture and resets the status. An
 * MFD_*_BSD_OBJECT is decoded from the memory of the bitstream to the memory of
 * the surface: a scan of JPEG at once, slices with the rest of their picture.
 * Row stores are scratch of the hardware and never touched: with bit 12 of its
 * attributes set, such an "address" is an offset in a cache. Source:
 * intel/media-driver's KBL headers; Observed: stock iHD 23.1.
 */
#ifndef ENGINE_MFX_MFX_H
#define ENGINE_MFX_MFX_H

#include "engine/state/hw_state.h"

/* Latches a state packet. */
void mfx_store(struct video_state *v, const uint32_t *dw, unsigned len_dw);
/* Take or decode one slice or scan. False: the batch has a guest error. */
bool mfx_mpeg2_object(struct engine_context *ctx, const uint32_t *dw);
bool mfx_jpeg_object(struct engine_context *ctx, const uint32_t *dw);
bool mfx_avc_object(struct engine_context *ctx, const uint32_t *dw);
/* Whether slices wait, or an H.264 picture has not all of its slices. */
bool mfx_is_open(const struct engine_context *ctx);
/* Ends that picture: at the next one, at a flush, and at the end of a batch. */
void mfx_end_picture(struct engine_context *ctx);
/* Decodes slices of MPEG-2 that wait: before their status is read, and before
 * bitstreams are copied. */
void mfx_decode_waiting(struct engine_context *ctx);
/* Frees what decoders keep in a context. */
void mfx_free(struct engine_context *ctx);
/* HUC_STREAM_OBJECT: copies a bitstream; needs no firmware. */
bool mfx_huc_copy(struct engine_context *ctx, const uint32_t *dw);
/* Whether offset is a status register of the video engine, which batches read;
 * then its value. */
bool mfx_register(const struct video_state *v, uint32_t offset,
                  uint32_t *value);

#endif
