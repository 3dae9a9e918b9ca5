/* avc_predict.c: samples of inter macroblocks. ITU-T H.264, 8.4.2. */
#include "engine/mfx/avc/avc.h"
#include "engine/mfx/mfx_fetch.h"

#define PREDICTED_STRIDE 16

/* A block of the macroblock, in samples of luma. */
struct part {
    unsigned x, y, width, height;
};

/* Where a block's samples go. */
struct planes {
    uint8_t *to[3];
    ptrdiff_t stride[3];
};

/* Luma at (x, y) in quarters. */
static void
predict_luma(struct avc_decoder *d, const struct mfx_view *view, int x, int y,
             const struct part *b, const struct planes *out)
{
    struct avc_window *w = &d->window;
    /* Samples between samples need two before them and three after them. */
    int before_x = x & 3 ? 2 : 0, before_y = y & 3 ? 2 : 0;
    unsigned width = b->width + (x & 3 ? 5 : 0);
    unsigned lines = b->height + (y & 3 ? 5 : 0);
    unsigned offset = mfx_fetch_lines(view, (x >> 2) - before_x,
                                      (y >> 2) - before_y, width, lines,
                                      w->bytes[0], AVC_WINDOW_B);
    d->recon->luma(w, w->bytes[before_y] + offset + before_x, x & 3, y & 3,
                   b->width, b->height, out->to[0], out->stride[0]);
}

/* Chroma at (x, y) in eighths. */
static void
predict_chroma(struct avc_decoder *d, const struct mfx_view *view, int x, int y,
               const struct part *b, const struct planes *out)
{
    struct avc_window *w = &d->window;
    unsigned offset = mfx_fetch_lines(view, (x >> 3) * 2, y >> 3, b->width + 2,
                                      b->height / 2 + 1, w->bytes[0],
                                      AVC_WINDOW_B);
    d->recon->chroma(w->bytes[0] + offset, x & 7, y & 7, b->width / 2,
                     b->height / 2, out->to + 1, out->stride[1]);
}

static void
predict_from(struct avc_decoder *d, const struct avc_ref *ref,
             const int16_t *mv, const struct part *b, const struct planes *out)
{
    const struct avc_picture *p = &d->picture;
    unsigned fields = (ref->id & 3) == 3 ? 1 : 2, bottom = (ref->id & 3) == 2;
    unsigned frame_lines = p->height_mb * 16 * (p->field ? 2 : 1);
    struct mfx_view view = {
        .surface = &p->ref[ref->id / 4 % AVC_STORES],
        .first_row = bottom,
        .row_step = fields,
        .width_B = p->width_mb * 16,
        .lines = frame_lines / fields,
        .unit_B = 1,
    };
    int row = (int)(d->mbaff_field ? d->row / 2 : d->row) * 16;
    int x = (int)(d->column * 16 + b->x) * 4 + mv[0];
    int y = (row + (int)b->y) * 4 + mv[1];
    predict_luma(d, &view, x, y, b, out);
    if (p->mono)
        return;
    if (fields == 2) {
        int own = (int)(p->field ? p->bottom : d->row & 1);
        y += 2 * (own - (int)bottom);
    }
    view.first_row += p->target.u_row;
    view.lines /= 2;
    view.unit_B = 2;
    predict_chroma(d, &view, x, y, b, out);
}

/* ---- weights ---- */

static bool
is_explicit(const struct avc_decoder *d)
{
    return d->slice.type == AVC_SLICE_P ? d->picture.weighted_pred
                                        : d->picture.weighted_bipred == 1;
}

static struct avc_weights
implicit_weights(const struct avc_decoder *d, const int ref[2])
{
    const struct avc_ref *ref0 = &d->refs->list[0][ref[0]];
    const struct avc_ref *ref1 = &d->refs->list[1][ref[1]];
    int scale = avc_scale_factor(d, ref0, ref1), w1 = 32;
    if (scale != INT32_MAX && !ref1->long_term && scale >> 2 >= -64 &&
        scale >> 2 <= 128)
        w1 = scale >> 2;
    return (struct avc_weights){.w0 = 64 - w1, .w1 = w1, .log2_denom = 5};
}

static void
weight_one(struct avc_decoder *d, unsigned list, int ref, unsigned plane,
           const struct planes *out, const uint8_t *a, const struct part *b)
{
    const int16_t *w = d->slice.weight[list][ref >> d->mbaff_field][plane];
    unsigned half = plane != 0;
    d->recon->weight_one(
        out->to[plane], out->stride[plane], a,
        &(struct avc_weights){.w0 = w[0],
                              .offset = w[1],
                              .log2_denom = (int)d->slice.log2_denom[half]},
        b->width >> half, b->height >> half);
}

static void
combine_two(struct avc_decoder *d, const int ref[2], unsigned plane,
            const struct planes *out, const struct part *part)
{
    const uint8_t *a = d->predicted[0][plane], *b = d->predicted[1][plane];
    uint8_t *to = out->to[plane];
    ptrdiff_t stride = out->stride[plane];
    unsigned width = part->width >> (plane != 0);
    unsigned height = part->height >> (plane != 0);
    struct avc_weights w;
    if (is_explicit(d)) {
        unsigned shift = d->mbaff_field;
        const int16_t *w0 = d->slice.weight[0][ref[0] >> shift][plane];
        const int16_t *w1 = d->slice.weight[1][ref[1] >> shift][plane];
        w = (struct avc_weights){
            .w0 = w0[0],
            .w1 = w1[0],
            .offset = (w0[1] + w1[1] + 1) >> 1,
            .log2_denom = (int)d->slice.log2_denom[plane != 0]};
    } else {
        w.w1 = 32;
        if (d->picture.weighted_bipred == 2)
            w = implicit_weights(d, ref);
        if (w.w1 == 32) {
            d->recon->average(to, stride, a, b, width, height);
            return;
        }
    }
    d->recon->weight_two(to, stride, a, b, &w, width, height);
}

/* A list's samples before they are weighted. */
static struct planes
unweighted(struct avc_decoder *d, unsigned list)
{
    struct planes p;
    for (unsigned i = 0; i < 3; i++) {
        p.to[i] = d->predicted[list][i];
        p.stride[i] = PREDICTED_STRIDE;
    }
    return p;
}

/* Where a block is in the picture. */
static struct planes
planes_of(const struct avc_decoder *d, const struct part *b)
{
    struct planes p;
    for (unsigned i = 0; i < 3; i++) {
        unsigned stride, half = i != 0;
        p.to[i] = avc_samples(d, i, &stride);
        p.to[i] += (b->y >> half) * (size_t)stride + (b->x >> half);
        p.stride[i] = (ptrdiff_t)stride;
    }
    return p;
}

static void
predict_part(struct avc_decoder *d, const struct part *b)
{
    const struct avc_mb *mb = d->mb;
    unsigned block = b->y / 4 * 4 + b->x / 4, b8 = b->y / 8 * 2 + b->x / 8;
    int ref[2] = {mb->ref[0][b8], mb->ref[1][b8]};
    bool both = ref[0] >= 0 && ref[1] >= 0;
    bool weighted = both || is_explicit(d);
    struct planes out = planes_of(d, b);
    for (unsigned list = 0; list < 2; list++) {
        if (ref[list] < 0)
            continue;
        struct planes to = weighted ? unweighted(d, list) : out;
        predict_from(d, &d->refs->list[list][ref[list]], mb->mv[list][block], b,
                     &to);
    }
    for (unsigned plane = 0; weighted && plane < (d->picture.mono ? 1 : 3);
         plane++) {
        unsigned list = ref[0] < 0;
        if (both)
            combine_two(d, ref, plane, &out, b);
        else if (ref[list] >= 0)
            weight_one(d, list, ref[list], plane, &out,
                       d->predicted[list][plane], b);
    }
}

/* Whether all of a macroblock's blocks move alike: direct ones often do. */
static bool
is_uniform(const struct avc_mb *mb)
{
    for (unsigned list = 0; list < 2; list++) {
        const int8_t *ref = mb->ref[list];
        const int16_t(*mv)[2] = mb->mv[list];
        if (memcmp(ref, ref + 1, 3) || memcmp(mv, mv + 1, 15 * sizeof *mv))
            return false;
    }
    return true;
}

static void
predict_quarter(struct avc_decoder *d, unsigned b8)
{
    unsigned shape = d->sub[b8], x0 = b8 % 2 * 8, y0 = b8 / 2 * 8;
    unsigned w = shape == AVC_WHOLE || shape == AVC_TWO_ROWS ? 8 : 4;
    unsigned h = shape == AVC_WHOLE || shape == AVC_TWO_COLUMNS ? 8 : 4;
    for (unsigned y = 0; y < 8; y += h)
        for (unsigned x = 0; x < 8; x += w)
            predict_part(d, &(struct part){x0 + x, y0 + y, w, h});
}

void
avc_predict_inter(struct avc_decoder *d)
{
    unsigned shape = d->shape;
    if (shape == AVC_FOUR && d->mb->direct == 15 && is_uniform(d->mb))
        shape = AVC_WHOLE;
    if (shape == AVC_WHOLE)
        d->mb->flags |= AVC_UNIFORM;
    switch (shape) {
    case AVC_WHOLE: predict_part(d, &(struct part){0, 0, 16, 16}); break;
    case AVC_TWO_ROWS:
        predict_part(d, &(struct part){0, 0, 16, 8});
        predict_part(d, &(struct part){0, 8, 16, 8});
        break;
    case AVC_TWO_COLUMNS:
        predict_part(d, &(struct part){0, 0, 8, 16});
        predict_part(d, &(struct part){8, 0, 8, 16});
        break;
    default:
        for (unsigned b8 = 0; b8 < 4; b8++)
            predict_quarter(d, b8);
    }
}
