/* video.c: handlers of the video ring. */
#include "engine/cs/cs.h"
#include "engine/mfx/mfx.h"

/* MFX_PIPE_MODE_SELECT: the next picture. */
void
video_begin_picture(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    mfx_end_picture(cs->ctx);
    mfx_store(&cs->hw->video, dw, len_dw);
}

void
video_state(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    mfx_store(&cs->hw->video, dw, len_dw);
}

/* Decodes an object. Contexts do so beside each other: their pictures share no
 * more than the worker pool. A batch of pictures that take far too long ends as
 * one whose EU threads do. */
static void
run_object(struct cs *cs, const uint32_t *dw,
           bool (*decode)(struct engine_context *ctx, const uint32_t *dw))
{
    struct ring *ring = &cs->engine->ring[cs->ring];
    ring_release(ring, cs->ctx->turn);
    if (hang_is_hopeless(&cs->ctx->hang, cs->begun_ns, 0, 1, "decoding") ||
        !decode(cs->ctx, dw))
        cs->failed = true;
    cs->ctx->turn = ring_acquire(ring);
    atomic_fetch_add(&cs->engine->epoch, 1);
}

void
video_mpeg2_object(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    run_object(cs, dw, mfx_mpeg2_object);
}

void
video_jpeg_object(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    run_object(cs, dw, mfx_jpeg_object);
}

void
video_avc_object(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    run_object(cs, dw, mfx_avc_object);
}

void
video_huc_copy(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    run_object(cs, dw, mfx_huc_copy);
}
