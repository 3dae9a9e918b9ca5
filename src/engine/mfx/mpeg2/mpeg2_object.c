/* mpeg2_object.c: MFD_MPEG2_BSD_OBJECT: makes a picture and a slice from
 * packets and decodes the slice. */
#include "engine/mfx/mfx.h"
#include "engine/mfx/mpeg2/mpeg2.h"

static void
read_picture(struct mpeg2_picture *p, const struct video_state *v)
{
    const uint32_t *dw = v->mpeg2;
    p->structure = bits_get(dw[1], 12, 13);
    p->type = bits_get(dw[2], 9, 10);
    p->width_mb = bits_get(dw[3], 0, 7) + 1;
    p->height_mb = bits_get(dw[3], 16, 23) + 1; /* of the frame */
    if (p->structure != MPEG2_FRAME)
        p->height_mb = DIV_ROUND_UP(p->height_mb, 2);
    for (unsigned i = 0; i < 4; i++)
        p->f_code[i / 2][i % 2] = (uint8_t)bits_get(dw[1], 16 + i * 4,
                                                    19 + i * 4);
    p->dc_precision = bits_get(dw[1], 14, 15);
    p->frame_pred_frame_dct = bits_get(dw[1], 10, 10);
    p->concealment_vectors = bits_get(dw[1], 9, 9);
    p->top_field_first = bits_get(dw[1], 11, 11);
    p->nonlinear_quantiser = bits_get(dw[1], 8, 8);
    p->intra_vlc = bits_get(dw[1], 7, 7);
    p->alternate_scan = bits_get(dw[1], 6, 6);
    for (unsigned i = 0; i < 2; i++)
        memcpy(p->matrix[i], v->matrix[i] + 2, sizeof p->matrix[i]);
}

/* The target and the references, which have its layout. Observed: addresses of
 * references that are not used are dummies or 0. */
static bool
init_surfaces(struct mpeg2_picture *p, const struct engine_context *ctx)
{
    const struct video_state *v = &ctx->hw->video;
    unsigned fields = p->structure == MPEG2_FRAME ? 1 : 2;
    uint32_t luma_rows = p->height_mb * 16 * fields;
    uint32_t u_row = bits_get(v->surface[4], 0, 14);
    uint32_t rows = MAX2(luma_rows, u_row + luma_rows / 2);
    if (!mfx_surface_init(&p->target, ctx->vm, v->surface, mfx_target_va(v),
                          p->width_mb * 16, rows))
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(p->ref); i++) {
        gpu_va va = mfx_va(v->buffers + 19 + i * 2);
        if (va && !mfx_surface_init(&p->ref[i], ctx->vm, v->surface, va,
                                    p->width_mb * 16, rows))
            return false;
    }
    return true;
}

bool
mfx_mpeg2_object(struct engine_context *ctx, const uint32_t *dw)
{
    struct mpeg2_picture picture = {0};
    struct mfx_report report = {0};
    read_picture(&picture, &ctx->hw->video);
    if (!picture.structure || !picture.type) {
        guest_error("MPEG-2 picture of structure %u and type %u",
                    picture.structure, picture.type);
        return false;
    }
    if (!init_surfaces(&picture, ctx))
        return false;
    const struct mpeg2_slice slice = {
        .stream = mfx_stream_at(ctx, dw[2], dw[1]),
        .first_bit = bits_get(dw[3], 0, 2),
        .column = bits_get(dw[3], 24, 31),
        .row = bits_get(dw[3], 16, 23),
        .mb_count = bits_get(dw[3], 8, 15),
        .quantiser_code = bits_get(dw[4], 24, 28),
    };
    mpeg2_decode_slice(&picture, &slice, &report);
    mfx_add_report(&ctx->hw->video, &report);
    return true;
}
