/* avc_predict.c: samples of inter macroblocks. ITU-T H.264, 8.4.2. */
#include "engine/mfx/avc/avc.h"

#define SAMPLE_GREY 128
#define PREDICTED_STRIDE 16

/* A rectangle of a reference's plane. */
struct area {
    int x_B, y;
    unsigned width_B, lines;
};

/* Lines of a frame or of a field. */
struct lines {
    const struct mfx_surface *surface;
    unsigned first_row, step;
    int width_B, lines, unit_B;
};

static void
fetch_outside(const struct lines *p, const struct area *a, unsigned line,
              uint32_t row, uint8_t *to)
{
    int unit = p->unit_B, last = p->width_B / unit - 1;
    for (int j = 0; j < (int)a->width_B; j++) {
        int x = (a->x_B + j) / unit, part = (a->x_B + j) % unit;
        if (a->x_B + j < 0) {
            x = 0;
            part = (a->x_B + j) & (unit - 1);
        }
        uint32_t at = (uint32_t)(CLAMP(x, 0, last) * unit + part);
        to[j] = mfx_piece(p->surface, at, row)[at % MFX_PIECE_B];
    }
}

/* Copies an area to the window; samples beyond an edge are as the last ones
 * before it. Returns its first byte. */
static const uint8_t *
fetch(struct avc_window *w, const struct lines *p, const struct area *a)
{
    if (!p->surface->base) {
        memset(w->bytes, SAMPLE_GREY, sizeof w->bytes);
        return w->bytes[0];
    }
    bool inside = a->x_B >= 0 && a->x_B + (int)a->width_B <= p->width_B;
    unsigned offset = inside ? (unsigned)a->x_B % MFX_PIECE_B : 0;
    unsigned end = offset + a->width_B;
    for (unsigned i = 0; i < a->lines; i++) {
        int line = CLAMP(a->y + (int)i, 0, p->lines - 1);
        uint32_t row = p->first_row + (unsigned)line * p->step;
        if (!inside) {
            fetch_outside(p, a, i, row, w->bytes[i]);
            continue;
        }
        for (unsigned at = 0; at < end; at += MFX_PIECE_B)
            memcpy(w->bytes[i] + at,
                   mfx_piece(p->surface, (unsigned)a->x_B - offset + at, row),
                   MFX_PIECE_B);
    }
    return w->bytes[0] + offset;
}

/* A block of the macroblock, in samples of luma. */
struct part {
    unsigned x, y, width, height;
};

static void
predict_from(struct avc_decoder *d, const struct avc_ref *ref,
             const int16_t *mv, const struct part *b, uint8_t (*to)[256])
{
    const struct avc_picture *p = &d->picture;
    unsigned fields = (ref->id & 3) == 3 ? 1 : 2, bottom = (ref->id & 3) == 2;
    int frame_lines = (int)p->height_mb * 16 * (p->field ? 2 : 1);
    struct lines plane = {
        .surface = &p->ref[ref->id / 4 % AVC_STORES],
        .first_row = bottom,
        .step = fields,
        .width_B = (int)p->width_mb * 16,
        .lines = frame_lines / (int)fields,
        .unit_B = 1,
    };
    int row = (int)(d->mbaff_field ? d->row / 2 : d->row) * 16;
    int x = (int)(d->column * 16 + b->x) * 4 + mv[0];
    int y = (row + (int)b->y) * 4 + mv[1];
    struct area a = {(x >> 2) - 2, (y >> 2) - 2, b->width + 5, b->height + 5};
    const uint8_t *from = fetch(&d->window, &plane, &a);
    unsigned at = b->y * PREDICTED_STRIDE + b->x;
    avc_luma(&d->window, from + 2 * AVC_WINDOW_B + 2, x & 3, y & 3, b->width,
             b->height, to[0] + at);
    if (p->mono)
        return;
    if (fields == 2) {
        int own = (int)(p->field ? p->bottom : d->row & 1);
        y += 2 * (own - (int)bottom);
    }
    plane.first_row += p->target.u_row;
    plane.lines /= 2;
    plane.unit_B = 2;
    a = (struct area){(x >> 3) * 2, y >> 3, b->width + 2, b->height / 2 + 1};
    from = fetch(&d->window, &plane, &a);
    at = b->y / 2 * PREDICTED_STRIDE + b->x / 2;
    avc_chroma(from, x & 7, y & 7, b->width / 2, b->height / 2, to[1] + at,
               to[2] + at);
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
combine_one(struct avc_decoder *d, unsigned list, int ref, unsigned plane,
            uint8_t *to, unsigned stride, const uint8_t *a, unsigned width,
            unsigned height)
{
    if (!is_explicit(d)) {
        for (unsigned y = 0; y < height; y++)
            memcpy(to + y * stride, a + y * PREDICTED_STRIDE, width);
        return;
    }
    const int16_t *w = d->slice.weight[list][ref >> d->mbaff_field][plane];
    avc_weight_one(to, stride, a,
                   &(struct avc_weights){
                       .w0 = w[0],
                       .offset = w[1],
                       .log2_denom = (int)d->slice.log2_denom[plane != 0]},
                   width, height);
}

static void
combine_two(struct avc_decoder *d, const int ref[2], unsigned plane,
            uint8_t *to, unsigned stride, unsigned at, unsigned width,
            unsigned height)
{
    const uint8_t *a = d->predicted[0][plane] + at;
    const uint8_t *b = d->predicted[1][plane] + at;
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
            avc_average(to, stride, a, b, width, height);
            return;
        }
    }
    avc_weight_two(to, stride, a, b, &w, width, height);
}

static void
predict_part(struct avc_decoder *d, const struct part *b)
{
    const struct avc_mb *mb = d->mb;
    unsigned block = b->y / 4 * 4 + b->x / 4, b8 = b->y / 8 * 2 + b->x / 8;
    int ref[2] = {mb->ref[0][b8], mb->ref[1][b8]};
    for (unsigned list = 0; list < 2; list++)
        if (ref[list] >= 0)
            predict_from(d, &d->refs->list[list][ref[list]],
                         mb->mv[list][block], b, d->predicted[list]);
    for (unsigned plane = 0; plane < (d->picture.mono ? 1 : 3); plane++) {
        unsigned half = plane != 0, stride;
        unsigned x = b->x >> half, y = b->y >> half;
        unsigned w = b->width >> half, h = b->height >> half;
        unsigned at = y * PREDICTED_STRIDE + x;
        uint8_t *to = avc_samples(d, plane, &stride) + y * stride + x;
        unsigned list = ref[0] < 0;
        if (ref[0] >= 0 && ref[1] >= 0)
            combine_two(d, ref, plane, to, stride, at, w, h);
        else if (ref[list] >= 0)
            combine_one(d, list, ref[list], plane, to, stride,
                        d->predicted[list][plane] + at, w, h);
    }
}

/* Whether all of a macroblock's blocks move alike: direct ones often do. */
static bool
is_uniform(const struct avc_mb *mb)
{
    for (unsigned list = 0; list < 2; list++) {
        for (unsigned i = 1; i < 4; i++)
            if (mb->ref[list][i] != mb->ref[list][0])
                return false;
        for (unsigned i = 1; i < 16; i++)
            if (memcmp(mb->mv[list][i], mb->mv[list][0], sizeof mb->mv[0][0]))
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
