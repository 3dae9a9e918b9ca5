/* mpeg2_object.c: MFD_MPEG2_BSD_OBJECT: makes a picture and a slice from
 * packets. Slices of a picture wait, and rows of them are decoded in parallel:
 * no slice of MPEG-2 is longer than a row. */
#include "base/pool.h"
#include "engine/mfx/mfx.h"
#include "engine/mfx/mpeg2/mpeg2.h"
#include "engine/vm/vm.h"

#include <stdlib.h>

#define WAITING_MAX 256

/* Slices of one picture, in the order of rows. */
struct mpeg2_queue {
    struct mpeg2_picture picture;
    unsigned count, rows;
    struct mpeg2_slice slice[WAITING_MAX];
    struct mfx_report report[WAITING_MAX];
    unsigned row_begin[WAITING_MAX + 1]; /* the first slice of each row */
};

static void
read_picture(struct mpeg2_picture *p, const struct video_state *v)
{
    const uint32_t *dw = v->mpeg2;
    p->idct = mfx_idct_selected();
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

/* ---- slices that wait ---- */

static void
decode_row_of(void *arg, unsigned index, unsigned worker)
{
    (void)worker;
    struct mpeg2_queue *q = arg;
    vm_thread_enter();
    for (unsigned i = q->row_begin[index]; i < q->row_begin[index + 1]; i++)
        mpeg2_decode_slice(&q->picture, &q->slice[i], &q->report[i]);
    vm_thread_leave();
}

static void
find_rows(struct mpeg2_queue *q)
{
    q->rows = 0;
    for (unsigned i = 0; i < q->count; i++)
        if (!i || q->slice[i].row != q->slice[i - 1].row)
            q->row_begin[q->rows++] = i;
    q->row_begin[q->rows] = q->count;
}

/* Whether slices read memory that is written: the other field of a frame, or a
 * hostile picture's. */
static bool
shares_memory(const struct mpeg2_queue *q)
{
    const struct mpeg2_picture *p = &q->picture;
    size_t lines = p->height_mb * 16u * (p->structure == MPEG2_FRAME ? 1 : 2);
    lines = MAX2(lines, p->target.u_row + lines / 2) + 32;
    size_t size_B = lines * p->target.pitch_B;
    for (unsigned i = 0; i < ARRAY_SIZE(p->ref); i++)
        if (mfx_ranges_meet(p->target.base, size_B, p->ref[i].base, size_B))
            return true;
    for (unsigned i = 0; i < q->count; i++)
        if (mfx_ranges_meet(p->target.base, size_B, q->slice[i].stream.bytes,
                            q->slice[i].stream.size_B))
            return true;
    return false;
}

void
mfx_decode_waiting(struct engine_context *ctx)
{
    struct mpeg2_queue *q = ctx->mpeg2;
    if (!q || !q->count)
        return;
    struct pool *pool = engine_pool(ctx->engine);
    find_rows(q);
    pool_for(shares_memory(q) ? NULL : pool, q->rows, decode_row_of, q);
    for (unsigned i = 0; i < q->count; i++)
        mfx_add_report(&ctx->hw->video, &q->report[i]);
    q->count = 0;
}

static bool
add_slice(struct engine_context *ctx, const struct mpeg2_picture *picture,
          const struct mpeg2_slice *slice)
{
    if (!ctx->mpeg2)
        ctx->mpeg2 = calloc(1, sizeof *ctx->mpeg2);
    struct mpeg2_queue *q = ctx->mpeg2;
    if (!q)
        return false;
    bool goes_on = q->count && q->count < WAITING_MAX &&
                   slice->row >= q->slice[q->count - 1].row &&
                   !memcmp(picture, &q->picture, sizeof *picture);
    if (!goes_on)
        mfx_decode_waiting(ctx);
    memcpy(&q->picture, picture, sizeof *picture);
    q->report[q->count] = (struct mfx_report){0};
    q->slice[q->count++] = *slice;
    return true;
}

bool
mfx_mpeg2_object(struct engine_context *ctx, const uint32_t *dw)
{
    struct mpeg2_picture picture = {0};
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
    return add_slice(ctx, &picture, &slice);
}
