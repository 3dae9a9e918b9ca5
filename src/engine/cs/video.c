/* video.c: handlers of the video ring. */
#include "engine/cs/cs.h"
#include "engine/mfx/mfx.h"

/* Contexts decode beside each other: their pictures share no more than the
 * worker pool. So a context gives up its turn on the ring meanwhile, if its
 * batch came through the queue and has one. */
static void
leave_ring(struct cs *cs)
{
    if (cs->ctx->turn)
        ring_release(&cs->engine->ring[cs->ring], cs->ctx->turn);
}

static void
enter_ring(struct cs *cs)
{
    if (cs->ctx->turn)
        cs->ctx->turn = ring_acquire(&cs->engine->ring[cs->ring]);
    atomic_fetch_add(&cs->engine->epoch, 1);
}

void
video_end_picture(struct cs *cs)
{
    if (!mfx_is_open(cs->ctx))
        return;
    leave_ring(cs);
    mfx_end_picture(cs->ctx);
    enter_ring(cs);
}

/* MFX_PIPE_MODE_SELECT: the next picture. */
void
video_begin_picture(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    video_end_picture(cs);
    mfx_store(&cs->hw->video, dw, len_dw);
}

void
video_state(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    mfx_store(&cs->hw->video, dw, len_dw);
}

/* Decodes an object. A batch of pictures that take far too long ends as one
 * whose EU threads do. */
static void
run_object(struct cs *cs, const uint32_t *dw,
           bool (*decode)(struct engine_context *ctx, const uint32_t *dw))
{
    leave_ring(cs);
    if (hang_is_hopeless(&cs->ctx->hang, cs->begun_ns, 0, 1, "decoding") ||
        !decode(cs->ctx, dw))
        cs->failed = true;
    enter_ring(cs);
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
