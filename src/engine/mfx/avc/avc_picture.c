/* avc_picture.c: begins and ends pictures: memory, concealment, the surface. */
#include "engine/mfx/avc/avc.h"

#include <stdlib.h>

#define SAMPLE_GREY 128

static bool
make_room(struct avc_decoder *d, unsigned mbs)
{
    if (mbs <= d->mb_capacity)
        return true;
    avc_free(d);
    d->mbs = malloc(mbs * sizeof *d->mbs);
    for (unsigned i = 0; i < 3; i++)
        d->planes[i] = calloc(1, (size_t)mbs * (i ? 64 : 256));
    if (!d->mbs || !d->planes[0] || !d->planes[1] || !d->planes[2]) {
        avc_free(d);
        return false;
    }
    d->mb_capacity = mbs;
    return true;
}

void
avc_free(struct avc_decoder *d)
{
    free(d->mbs);
    for (unsigned i = 0; i < 3; i++)
        free(d->planes[i]);
    free(d->bytes);
    d->mbs = NULL;
    d->planes[0] = d->planes[1] = d->planes[2] = d->bytes = NULL;
    d->mb_capacity = 0;
    d->bytes_capacity = 0;
}

bool
avc_begin_picture(struct avc_decoder *d)
{
    unsigned mbs = d->picture.width_mb * d->picture.height_mb;
    if (mbs > AVC_MBS_MAX || !make_room(d, mbs))
        return false;
    for (unsigned i = 0; i < 3; i++)
        d->stride[i] = d->picture.width_mb * (i ? 8 : 16);
    for (unsigned i = 0; i < mbs; i++)
        d->mbs[i].slice = 0;
    memset(d->coef, 0, sizeof d->coef);
    d->slices = 0;
    d->open = true;
    return true;
}

/* ---- concealment ---- */

static void
fill_grey(struct avc_decoder *d)
{
    for (unsigned plane = 0; plane < 3; plane++) {
        unsigned stride, size = plane ? 8 : 16;
        uint8_t *to = avc_samples(d, plane, &stride);
        for (unsigned y = 0; y < size; y++)
            memset(to + y * stride, SAMPLE_GREY, size);
    }
}

/* Reference 0 of the last slice's list 0, or grey. */
static void
conceal_mb(struct avc_decoder *d, unsigned index)
{
    static const int16_t still[2] = {0, 0};
    d->column = index % d->picture.width_mb;
    d->row = index / d->picture.width_mb;
    d->index = index;
    d->mb = &d->mbs[index];
    d->mbaff_field = false;
    d->field = d->picture.field;
    d->refs = &d->sets[0];
    avc_begin_mb(d);
    d->mb->qp = 0;
    d->mb->deblock = 1;
    bool inter = d->slice.type != AVC_SLICE_I && d->sets[0].count[0] &&
                 d->sets[0].list[0][0].present;
    if (!inter) {
        fill_grey(d);
        avc_store_motion(d);
        return;
    }
    memset(d->mb->ref[0], 0, sizeof d->mb->ref[0]);
    memset(d->mb->ref_id[0], d->sets[0].list[0][0].id, sizeof d->mb->ref_id[0]);
    avc_set_vector(d, 0, 0, 0, 4, 4, still);
    avc_predict_inter(d);
    avc_store_motion(d);
}

static unsigned
conceal_missing(struct avc_decoder *d)
{
    unsigned mbs = d->picture.width_mb * d->picture.height_mb, missing = 0;
    for (unsigned i = 0; i < mbs; i++) {
        if (d->mbs[i].slice)
            continue;
        if (!missing++)
            d->slices++;
        conceal_mb(d, i);
    }
    return missing;
}

/* ---- the surface ---- */

static void
write_luma(const struct avc_decoder *d, unsigned y, unsigned row)
{
    const uint8_t *from = d->planes[0] + (size_t)y * d->stride[0];
    for (unsigned x = 0; x < d->stride[0]; x += MFX_PIECE_B)
        memcpy(mfx_piece(&d->picture.target, x, row), from + x, MFX_PIECE_B);
}

static void
write_chroma(const struct avc_decoder *d, unsigned y, unsigned row)
{
    const uint8_t *cb = d->planes[1] + (size_t)y * d->stride[1];
    const uint8_t *cr = d->planes[2] + (size_t)y * d->stride[2];
    for (unsigned x = 0; x < d->stride[1]; x += MFX_PIECE_B / 2) {
        uint8_t *to = mfx_piece(&d->picture.target, x * 2, row);
        if (d->picture.mono) {
            memset(to, SAMPLE_GREY, MFX_PIECE_B);
            continue;
        }
        for (unsigned i = 0; i < MFX_PIECE_B / 2; i++) {
            to[i * 2] = cb[x + i];
            to[i * 2 + 1] = cr[x + i];
        }
    }
}

static void
write_surface(const struct avc_decoder *d)
{
    const struct avc_picture *p = &d->picture;
    unsigned step = p->field ? 2 : 1, first = p->bottom;
    for (unsigned y = 0; y < p->height_mb * 16; y++)
        write_luma(d, y, y * step + first);
    for (unsigned y = 0; y < p->height_mb * 8; y++)
        write_chroma(d, y, p->target.u_row + y * step + first);
}

void
avc_end_picture(struct avc_decoder *d, struct mfx_report *report)
{
    if (!d->open)
        return;
    d->open = false;
    unsigned missing = conceal_missing(d);
    if (missing) {
        report->errors |= MFX_AVC_CONCEALED;
        report->concealed += missing;
    }
    avc_deblock(d);
    write_surface(d);
}
