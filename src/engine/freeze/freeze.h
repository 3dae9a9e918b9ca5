/* freeze.h: makes an immutable struct draw or dispatch from hardware state and
 * runs it. Called by cs/ and queue/ in the thread that executes the context's
 * batch. The context owns draw_memory. */
#ifndef ENGINE_FREEZE_FREEZE_H
#define ENGINE_FREEZE_FREEZE_H

#include "engine/state/hw_state.h"

/* Runs a 3DPRIMITIVE. The draw may be held until draw_release(), so that the
 * next one can join it. The caller must call draw_release() before any other
 * command, except 3DSTATE_CONSTANT_VS if ctx->draw_varies. Then its pixels may
 * be deferred until draw_finish(), which the caller must call before any
 * command that is not state. False after a guest error. */
bool draw_run(struct engine_context *ctx, const uint32_t *prim);
void draw_release(struct engine_context *ctx);
void draw_finish(struct engine_context *ctx);
void draw_hz_op(struct engine_context *ctx);
/* Called before a command or dispatch writes memory: a known range, or any. */
void draw_note_write(struct engine_context *ctx, gpu_va va, uint64_t size_B);
void draw_note_any_write(struct engine_context *ctx);
/* Runs a GPGPU_WALKER. False after a guest error. */
bool dispatch_run(struct engine_context *ctx, const uint32_t *walker);
/* Run media commands: each is `len_dw` dwords. With ctx->media_waits, threads
 * of a group or of a family wait for further commands; the caller must call
 * media_end(), which runs them, before any command that is no media object.
 * False after a guest error. */
bool media_object_run(struct engine_context *ctx, const uint32_t *dw,
                      unsigned len_dw);
bool media_object_prt_run(struct engine_context *ctx, const uint32_t *dw,
                          unsigned len_dw);
bool media_object_walker_run(struct engine_context *ctx, const uint32_t *dw,
                             unsigned len_dw);
bool media_object_grpid_run(struct engine_context *ctx, const uint32_t *dw,
                            unsigned len_dw);
bool media_end(struct engine_context *ctx);
/* Drops what waits. */
void media_drop(struct engine_context *ctx);
/* Frees the memory that the context reuses from draw to draw. */
void draw_memory_free(struct engine_context *ctx);

#endif
