/* avc_mb.c: the macroblock layer. ITU-T H.264, 7.3.5. */
#include "engine/mfx/avc/avc.h"

#define PCM_B 256
#define PCM_CHROMA_B 64

/* Which 4x4 block of an 8x8 block tells its mode, and where blocks begin. */
static inline unsigned
block_at(unsigned b8)
{
    return b8 / 2 * 8 + b8 % 2 * 2;
}

void
avc_begin_mb(struct avc_decoder *d)
{
    struct avc_mb *mb = d->mb;
    mb->slice = (uint16_t)d->number;
    mb->kind = AVC_INTER;
    mb->flags = d->mbaff_field || d->picture.field ? AVC_FIELD : 0;
    mb->cbp = mb->chroma_mode = mb->direct = 0;
    mb->nonzero = 0;
    mb->coded = 0;
    mb->deblock = (uint8_t)d->slice.deblock;
    mb->alpha = (int8_t)d->slice.alpha;
    mb->beta = (int8_t)d->slice.beta;
    memset(mb->intra_mode, AVC_DC, sizeof mb->intra_mode);
    memset(mb->total, 0, sizeof mb->total);
    memset(mb->ref, -1, sizeof mb->ref);
    memset(mb->ref_id, AVC_NO_REF, sizeof mb->ref_id);
    memset(mb->mv, 0, sizeof mb->mv);
    memset(mb->mvd, 0, sizeof mb->mvd);
    d->shape = AVC_WHOLE;
}

/* ---- intra modes ---- */

/* Predicted mode, 8.3.1.1 and 8.3.2.1. */
static int
predict_mode(const struct avc_decoder *d, unsigned x, unsigned y)
{
    unsigned a_block, b_block;
    const struct avc_mb *a = avc_block_left(d, x, y, &a_block);
    const struct avc_mb *b = avc_block_above(d, x, y, &b_block);
    bool intra_only = d->picture.constrained_intra;
    if (!a || !b || (intra_only && (!avc_is_intra(a) || !avc_is_intra(b))))
        return AVC_DC;
    return MIN2(a->intra_mode[a_block], b->intra_mode[b_block]);
}

static void
read_intra_modes(struct avc_decoder *d)
{
    struct avc_mb *mb = d->mb;
    bool big = mb->kind == AVC_INTRA_8X8;
    for (unsigned i = 0; i < 16; i += big ? 4 : 1) {
        unsigned block = block_at(i / 4) + i % 4 / 2 * 4 + i % 2;
        int predicted = predict_mode(d, block % 4, block / 4);
        int mode = avc_read_intra_mode(d);
        if (mode < 0)
            mode = predicted;
        else if (mode >= predicted)
            mode++;
        mb->intra_mode[block] = (int8_t)mode;
        if (big)
            mb->intra_mode[block + 1] = mb->intra_mode[block + 4] =
                mb->intra_mode[block + 5] = (int8_t)mode;
    }
}

static bool
read_intra(struct avc_decoder *d, unsigned type)
{
    struct avc_mb *mb = d->mb;
    if (type > 25)
        return false;
    if (type) {
        mb->kind = type == 25 ? AVC_PCM : AVC_INTRA_16X16;
        if (type < 25) {
            d->shape = (type - 1) % 4;
            mb->cbp = (uint8_t)((type - 1) / 4 % 3 << 4 | (type > 12 ? 15 : 0));
        }
    } else {
        mb->kind = AVC_INTRA_4X4;
        if (d->picture.transform_8x8 && avc_read_transform_8x8(d)) {
            mb->kind = AVC_INTRA_8X8;
            mb->flags |= AVC_8X8;
        }
        read_intra_modes(d);
    }
    if (mb->kind == AVC_PCM || d->picture.mono)
        return true;
    unsigned mode = avc_read_chroma_mode(d);
    mb->chroma_mode = (uint8_t)mode;
    return mode <= 3;
}

/* ---- PCM ---- */

static bool
read_pcm(struct avc_decoder *d)
{
    struct avc_mb *mb = d->mb;
    const uint8_t *bytes, *end = d->bits.bytes + d->bits.end / 8;
    size_t size_B = PCM_B + (d->picture.mono ? 0 : 2 * PCM_CHROMA_B);
    if (d->picture.cabac)
        bytes = avc_cabac_position(&d->cabac);
    else
        bytes = d->bits.bytes + (d->bits.at + 7) / 8;
    if (bytes > end || (size_t)(end - bytes) < size_B)
        return false;
    avc_read_pcm(d, bytes);
    if (d->picture.cabac)
        avc_cabac_start(&d->cabac, bytes + size_B, end);
    else
        d->bits.at = (size_t)(bytes - d->bits.bytes + (ptrdiff_t)size_B) * 8;
    mb->cbp = 0x2f;
    mb->coded = UINT32_MAX;
    mb->nonzero = 0xffff;
    memset(mb->total, 16, sizeof mb->total);
    return true;
}

/* ---- the layer ---- */

/* Whether transform_size_8x8_flag is read: no 8x8 block has smaller parts. */
static bool
allows_8x8(const struct avc_decoder *d)
{
    for (unsigned i = 0; i < 4; i++) {
        bool direct = d->mb->direct >> i & 1;
        if (direct ? !d->picture.direct_8x8_inference
                   : d->shape == AVC_FOUR && d->sub[i] != AVC_WHOLE)
            return false;
    }
    return true;
}

static bool
read_qp(struct avc_decoder *d)
{
    int delta = avc_read_qp_delta(d);
    d->qp_changed = delta != 0;
    if (delta < -26 || delta > 25)
        return false;
    d->slice.qp = (unsigned)((int)d->slice.qp + delta + 52) % 52;
    d->mb->qp = (uint8_t)d->slice.qp;
    return true;
}

/* After the prediction's syntax: the residual's. */
static bool
read_coefficients(struct avc_decoder *d)
{
    struct avc_mb *mb = d->mb;
    if (mb->kind != AVC_INTRA_16X16) {
        unsigned cbp = avc_read_cbp(d);
        if (cbp > 47)
            return false;
        mb->cbp = (uint8_t)cbp;
        if (cbp & 15 && mb->kind == AVC_INTER && d->picture.transform_8x8 &&
            allows_8x8(d) && avc_read_transform_8x8(d))
            mb->flags |= AVC_8X8;
    }
    if (!mb->cbp && mb->kind != AVC_INTRA_16X16) {
        d->qp_changed = false;
        return true;
    }
    return read_qp(d) && avc_read_residual(d);
}

bool
avc_decode_mb(struct avc_decoder *d)
{
    struct avc_mb *mb = d->mb;
    avc_begin_mb(d);
    mb->qp = (uint8_t)d->slice.qp;
    unsigned type = avc_read_mb_type(d);
    static const uint8_t first_intra[] = {
        [AVC_SLICE_P] = 5, [AVC_SLICE_B] = 23, [AVC_SLICE_I] = 0};
    unsigned intra = first_intra[d->slice.type];
    if (type >= intra) {
        if (!read_intra(d, type - intra))
            return false;
        if (mb->kind == AVC_PCM) {
            d->qp_changed = false;
            mb->qp = 0;
            return read_pcm(d);
        }
    } else {
        d->shape = type;
        if (!avc_read_motion(d))
            return false;
    }
    if (!read_coefficients(d))
        return false;
    avc_rebuild(d);
    return true;
}

void
avc_decode_skip(struct avc_decoder *d)
{
    avc_begin_mb(d);
    d->mb->flags |= AVC_SKIP;
    d->mb->qp = (uint8_t)d->slice.qp;
    d->qp_changed = false;
    avc_skip_motion(d);
    avc_rebuild(d);
}
