/* avc_rebuild.c: samples of a macroblock: prediction and residual. ITU-T H.264,
 * 8.3 and 8.5. */
#include "engine/mfx/avc/avc.h"

uint8_t *
avc_samples_at(const struct avc_decoder *d, unsigned plane, unsigned column,
               unsigned row, bool mbaff_field, unsigned *stride)
{
    unsigned size = plane ? 8 : 16, line = row * size;
    *stride = d->stride[plane];
    if (mbaff_field) {
        line = row / 2 * 2 * size + (row & 1);
        *stride *= 2;
    }
    return d->planes[plane] + (size_t)line * d->stride[plane] + column * size;
}

uint8_t *
avc_samples(const struct avc_decoder *d, unsigned plane, unsigned *stride)
{
    return avc_samples_at(d, plane, d->column, d->row, d->mbaff_field, stride);
}

/* Whether intra prediction may use a macroblock. */
static bool
is_usable(const struct avc_decoder *d, int index)
{
    const struct avc_mb *mb = avc_at(d, index);
    return mb && (!d->picture.constrained_intra || avc_is_intra(mb));
}

/* What around a macroblock may be used. */
struct usable {
    bool left[4], diagonal[4], top, top_right;
};

static struct usable
find_usable(const struct avc_decoder *d)
{
    const struct avc_around *a = &d->around;
    struct usable u = {.top = is_usable(d, a->top),
                       .top_right = is_usable(d, a->top_right)};
    for (unsigned i = 0; i < 4; i++) {
        u.left[i] = is_usable(d, a->left[i]);
        u.diagonal[i] = is_usable(d, a->diagonal[i]);
    }
    /* A frame macroblock's left lines are of both fields of the pair. */
    if (d->picture.mbaff && !d->field && a->left[0] >= 0 &&
        d->mbs[a->left[0]].flags & AVC_FIELD)
        for (unsigned i = 0; i < 4; i++) {
            unsigned width = d->picture.width_mb;
            unsigned top = (d->row & ~1u) * width + d->column - 1;
            u.left[i] = is_usable(d, (int)top) &&
                        is_usable(d, (int)(top + width));
        }
    return u;
}

/* The place of a block in coding order; those after it are not there yet. */
static unsigned
order_of(unsigned x, unsigned y)
{
    return (y & 2) << 2 | (x & 2) << 1 | (y & 1) << 1 | (x & 1);
}

/* Neighbours of the block of `size` 4x4 blocks at (x, y). */
static unsigned
neighbours(const struct usable *u, unsigned x, unsigned y, unsigned size)
{
    unsigned has = 0, right = x + size;
    if (x || u->left[y])
        has |= AVC_HAS_LEFT;
    if (y || u->top)
        has |= AVC_HAS_TOP;
    if (x ? y || u->top : u->diagonal[y])
        has |= AVC_HAS_CORNER;
    if (y           ? right < 4 && order_of(right, y - 1) < order_of(x, y)
        : right < 4 ? u->top
                    : u->top_right)
        has |= AVC_HAS_TOP_RIGHT;
    return has;
}

/* What modes 0 to 8 of 4x4 and 8x8 blocks need. */
static const uint8_t needs[9] = {
    AVC_HAS_TOP,
    AVC_HAS_LEFT,
    0,
    AVC_HAS_TOP,
    AVC_HAS_TOP | AVC_HAS_LEFT | AVC_HAS_CORNER,
    AVC_HAS_TOP | AVC_HAS_LEFT | AVC_HAS_CORNER,
    AVC_HAS_TOP | AVC_HAS_LEFT | AVC_HAS_CORNER,
    AVC_HAS_TOP,
    AVC_HAS_LEFT,
};

static void
rebuild_blocks(struct avc_decoder *d, const struct usable *u, uint8_t *to,
               unsigned stride)
{
    bool big = d->mb->kind == AVC_INTRA_8X8;
    for (unsigned i = 0; i < 16; i += big ? 4 : 1) {
        unsigned x = i / 4 % 2 * 2 + i % 2, y = i / 8 * 2 + i % 4 / 2;
        unsigned block = y * 4 + x;
        unsigned mode = (unsigned)d->mb->intra_mode[block] % 9;
        unsigned has = neighbours(u, x, y, big ? 2 : 1);
        uint8_t *at = to + y * 4 * stride + x * 4;
        /* Guess: a broken mode predicts as DC does. */
        if (needs[mode] & ~has)
            mode = AVC_DC;
        if (big)
            avc_intra_8x8(at, stride, mode, has);
        else
            avc_intra_4x4(at, stride, mode, has);
        if (!(d->mb->nonzero >> block & 1))
            continue;
        if (big)
            d->recon->add_8x8(at, stride, d->coef[i]);
        else
            d->recon->add_4x4(at, stride, d->coef[block]);
    }
}

static bool
has_coefficients(const int16_t coef[16])
{
    uint64_t words[4];
    memcpy(words, coef, sizeof words);
    return words[0] | words[1] | words[2] | words[3];
}

static void
add_luma(struct avc_decoder *d, uint8_t *to, unsigned stride)
{
    if (d->mb->flags & AVC_8X8) {
        for (unsigned b8 = 0; b8 < 4; b8++)
            if (d->mb->nonzero >> (b8 / 2 * 8 + b8 % 2 * 2) & 1)
                d->recon->add_8x8(to + b8 / 2 * 8 * stride + b8 % 2 * 8, stride,
                                  d->coef[b8 * 4]);
        return;
    }
    for (unsigned i = 0; i < 16; i++)
        if (has_coefficients(d->coef[i]))
            d->recon->add_4x4(to + i / 4 * 4 * stride + i % 4 * 4, stride,
                              d->coef[i]);
}

/* Neighbours of the whole macroblock; a frame macroblock needs all left ones,
 * but for chroma's DC. */
static unsigned
whole_neighbours(const struct usable *u)
{
    unsigned has = u->top ? AVC_HAS_TOP : 0;
    if (u->left[0] && u->left[1] && u->left[2] && u->left[3])
        has |= AVC_HAS_LEFT;
    return u->diagonal[0] ? has | AVC_HAS_CORNER : has;
}

static void
rebuild_chroma(struct avc_decoder *d, const struct usable *u)
{
    /* DC, horizontal, vertical, plane */
    static const uint8_t chroma_needs[4] = {0, AVC_HAS_LEFT, AVC_HAS_TOP,
                                            AVC_HAS_LEFT | AVC_HAS_TOP |
                                                AVC_HAS_CORNER};
    unsigned has = u ? whole_neighbours(u) : 0, mode = d->mb->chroma_mode;
    if (chroma_needs[mode] & ~has)
        mode = 0;
    for (unsigned plane = 1; plane <= 2; plane++) {
        unsigned stride;
        uint8_t *to = avc_samples(d, plane, &stride);
        if (u)
            avc_intra_chroma(to, stride, mode, has,
                             u->left[0] | (unsigned)u->left[2] << 1);
        for (unsigned i = 0; d->mb->cbp >> 4 && i < 4; i++) {
            int16_t *coef = d->coef[12 + plane * 4 + i];
            if (has_coefficients(coef))
                d->recon->add_4x4(to + i / 2 * 4 * stride + i % 2 * 4, stride,
                                  coef);
        }
    }
}

static void
rebuild_intra(struct avc_decoder *d, uint8_t *to, unsigned stride)
{
    static const uint8_t whole_needs[4] = {AVC_HAS_TOP, AVC_HAS_LEFT, 0,
                                           AVC_HAS_LEFT | AVC_HAS_TOP |
                                               AVC_HAS_CORNER};
    struct usable u = find_usable(d);
    if (d->mb->kind == AVC_INTRA_16X16) {
        unsigned has = whole_neighbours(&u), mode = d->shape & 3;
        if (whole_needs[mode] & ~has)
            mode = AVC_DC;
        avc_intra_16x16(to, stride, mode, has);
        add_luma(d, to, stride);
    } else {
        rebuild_blocks(d, &u, to, stride);
    }
    if (!d->picture.mono)
        rebuild_chroma(d, &u);
}

void
avc_rebuild(struct avc_decoder *d)
{
    unsigned stride;
    uint8_t *to = avc_samples(d, 0, &stride);
    if (avc_is_intra(d->mb)) {
        rebuild_intra(d, to, stride);
        return;
    }
    avc_predict_inter(d);
    if (d->mb->cbp & 15)
        add_luma(d, to, stride);
    if (d->mb->cbp >> 4)
        rebuild_chroma(d, NULL);
}

void
avc_read_pcm(struct avc_decoder *d, const uint8_t *bytes)
{
    for (unsigned plane = 0; plane < (d->picture.mono ? 1 : 3); plane++) {
        unsigned stride, size = plane ? 8 : 16;
        uint8_t *to = avc_samples(d, plane, &stride);
        for (unsigned y = 0; y < size; y++, bytes += size)
            memcpy(to + y * stride, bytes, size);
    }
}
