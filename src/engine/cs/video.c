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

/* Decodes an object. A batch of pictures that take far too long ends as one
 * whose EU threads do. */
static void
run_object(struct cs *cs, const uint32_t *dw,
           bool (*decode)(struct engine_context *ctx, const uint32_t *dw))
{
    if (hang_is_hopeless(&cs->ctx->hang, cs->begun_ns, 0, 1, "decoding") ||
        !decode(cs->ctx, dw))
        cs->failed = true;
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
