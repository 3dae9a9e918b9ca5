/* avc_residual.c: residual data of a macroblock, scaled while it is read. ITU-T
 * H.264, 7.3.5.3, 8.5. */
#include "engine/mfx/avc/avc.h"

/* Blocks in coded order, in raster numbers. */
static const uint8_t raster_of[16] = {0, 1, 4,  5,  2,  3,  6,  7,
                                      8, 9, 12, 13, 10, 11, 14, 15};

/* Of Cb and Cr, 8.5.8, for a qp of luma. */
static unsigned
chroma_qp(const struct avc_decoder *d, unsigned plane)
{
    int qp = d->mb->qp + d->picture.chroma_qp_offset[plane];
    return avc_chroma_qp[CLAMP(qp, 0, 51)];
}

/* nC of a luma block, or of chroma's block 0 to 3 of plane 1 or 2. */
static int
predict_total(const struct avc_decoder *d, unsigned plane, unsigned x,
              unsigned y)
{
    unsigned a_block, b_block, base = 0;
    const struct avc_mb *a, *b;
    if (plane) {
        base = 12 + plane * 4;
        a = avc_block_left(d, x, y * 2, &a_block);
        a_block = x ? y * 2 : a_block / 8 * 2 + 1;
        b = avc_block_above(d, x, y, &b_block);
        b_block = y ? x : 2 + x;
    } else {
        a = avc_block_left(d, x, y, &a_block);
        b = avc_block_above(d, x, y, &b_block);
    }
    int left = a ? a->total[base + a_block] : 0;
    int above = b ? b->total[base + b_block] : 0;
    return a && b ? (left + above + 1) >> 1 : left + above;
}

/* coded_block_flag's context increment from a neighbour's. */
static unsigned
near_coded(const struct avc_decoder *d, const struct avc_mb *mb, unsigned bit)
{
    if (!mb)
        return avc_is_intra(d->mb);
    return mb->coded >> bit & 1;
}

static bool
read_coded_flag(struct avc_decoder *d, unsigned cat, unsigned plane, unsigned x,
                unsigned y)
{
    unsigned a_bit, b_bit;
    const struct avc_mb *a, *b;
    if (cat == AVC_CAT_DC16 || cat == AVC_CAT_CHROMA_DC) {
        a = avc_at(d, d->around.left[0]);
        b = avc_at(d, d->around.top);
        a_bit = b_bit = AVC_CODED_DC + plane;
    } else if (plane) {
        unsigned base = AVC_CODED_CHROMA + (plane - 1) * 4;
        a = avc_block_left(d, x, y * 2, &a_bit);
        a_bit = base + (x ? y * 2 : a_bit / 8 * 2 + 1);
        b = avc_block_above(d, x, y, &b_bit);
        b_bit = base + (y ? x : 2 + x);
    } else {
        a = avc_block_left(d, x, y, &a_bit);
        b = avc_block_above(d, x, y, &b_bit);
    }
    unsigned inc = near_coded(d, a, a_bit) + 2 * near_coded(d, b, b_bit);
    return avc_cabac_get(&d->cabac, 85 + cat * 4 + inc);
}

/* Reads one block's levels. plane, x, y: where it is. Returns how many, -1:
 * malformed. */
static int
read_levels(struct avc_decoder *d, unsigned cat, unsigned plane, unsigned x,
            unsigned y, unsigned max, struct avc_levels *out)
{
    if (!d->picture.cabac) {
        int nc = cat == AVC_CAT_CHROMA_DC ? -1 : predict_total(d, plane, x, y);
        return avc_cavlc_block(&d->bits, nc, max, out);
    }
    if (!read_coded_flag(d, cat, plane, x, y))
        return 0;
    unsigned bit = plane ? AVC_CODED_CHROMA + (plane - 1) * 4 + y * 2 + x
                         : y * 4 + x;
    if (cat == AVC_CAT_DC16 || cat == AVC_CAT_CHROMA_DC)
        bit = AVC_CODED_DC + plane;
    d->mb->coded |= 1u << bit;
    return (int)avc_cabac_block(&d->cabac, cat, d->field, max, out);
}

/* Reads a 4x4 block from position `first` of the scan on. */
static bool
read_4x4(struct avc_decoder *d, unsigned cat, unsigned plane, unsigned block,
         unsigned first, unsigned matrix, unsigned qp)
{
    struct avc_levels levels;
    unsigned x = plane ? block % 2 : block % 4,
             y = plane ? block / 2 : block / 4;
    unsigned index = plane ? 12 + plane * 4 + block : block;
    int count = read_levels(d, cat, plane, x, y, 16 - first, &levels);
    if (count < 0)
        return false;
    d->mb->total[index] = (uint8_t)count;
    if (!count)
        return true;
    const uint8_t *scan = avc_scan_4x4[d->field] + first;
    const uint16_t *scale = d->picture.scale.x4[matrix][qp % 6];
    int16_t *coef = d->coef[index];
    for (unsigned i = 0; i < (unsigned)count; i++) {
        unsigned place = scan[levels.at[i]];
        coef[place] = avc_scale_4x4(levels.level[i], scale[place], qp);
    }
    if (!plane)
        d->mb->nonzero |= (uint16_t)(1u << block);
    return true;
}

/* Levels of an 8x8 block, or of each fourth place of it from `first` on, to
 * where its coefficients are. */
static void
scale_8x8(struct avc_decoder *d, unsigned b8, const struct avc_levels *levels,
          unsigned count, unsigned first, unsigned step)
{
    const struct avc_mb *mb = d->mb;
    const uint8_t *scan = avc_scan_8x8[d->field] + first;
    const uint16_t *scale = d->picture.scale.x8[!avc_is_intra(mb)][mb->qp % 6];
    int16_t *coef = d->coef[b8 * 4];
    for (unsigned i = 0; i < count; i++) {
        unsigned place = scan[levels->at[i] * step];
        coef[place] = avc_scale_8x8(levels->level[i], scale[place], mb->qp);
    }
}

/* An 8x8 block. Its coefficients take the places of four 4x4 blocks. */
static bool
read_8x8(struct avc_decoder *d, unsigned b8)
{
    struct avc_levels levels;
    unsigned first = b8 / 2 * 8 + b8 % 2 * 2, all = 0;
    struct avc_mb *mb = d->mb;
    if (d->picture.cabac) {
        all = avc_cabac_block(&d->cabac, AVC_CAT_8X8, d->field, 64, &levels);
        scale_8x8(d, b8, &levels, all, 0, 1);
        mb->coded |= 0x33u << first;
    }
    for (unsigned i = 0; i < 4 && !d->picture.cabac; i++) {
        unsigned block = first + i / 2 * 4 + i % 2;
        int count = read_levels(d, AVC_CAT_4X4, 0, block % 4, block / 4, 16,
                                &levels);
        if (count < 0)
            return false;
        scale_8x8(d, b8, &levels, (unsigned)count, i, 4);
        mb->total[block] = (uint8_t)count;
        all += (unsigned)count;
    }
    if (all)
        mb->nonzero |= (uint16_t)(0x33u << first);
    return true;
}

/* Intra16x16DCLevel: to raster order of blocks. */
static bool
read_dc16(struct avc_decoder *d)
{
    struct avc_levels levels;
    int count = read_levels(d, AVC_CAT_DC16, 0, 0, 0, 16, &levels);
    if (count < 0)
        return false;
    memset(d->dc, 0, sizeof d->dc);
    if (!count)
        return true;
    for (unsigned i = 0; i < (unsigned)count; i++)
        d->dc[avc_scan_4x4[d->field][levels.at[i]]] = levels.level[i];
    avc_transform_dc16(d->dc, d->picture.scale.x4[0][d->mb->qp % 6][0],
                       d->mb->qp);
    /* The DC of a block counts as its coefficient. */
    for (unsigned i = 0; i < 16; i++)
        d->coef[i][0] = d->dc[i];
    return true;
}

static bool
read_luma(struct avc_decoder *d)
{
    struct avc_mb *mb = d->mb;
    bool whole = mb->kind == AVC_INTRA_16X16;
    unsigned matrix = avc_is_intra(mb) ? 0 : 3;
    if (whole && !read_dc16(d))
        return false;
    for (unsigned b8 = 0; b8 < 4; b8++) {
        if (!(mb->cbp >> b8 & 1))
            continue;
        if (mb->flags & AVC_8X8) {
            if (!read_8x8(d, b8))
                return false;
            continue;
        }
        for (unsigned i = b8 * 4; i < b8 * 4 + 4; i++)
            if (!read_4x4(d, whole ? AVC_CAT_AC16 : AVC_CAT_4X4, 0,
                          raster_of[i], whole, matrix, mb->qp))
                return false;
    }
    return true;
}

static bool
read_chroma(struct avc_decoder *d)
{
    struct avc_mb *mb = d->mb;
    unsigned chroma = mb->cbp >> 4, intra = avc_is_intra(mb) ? 0 : 3;
    for (unsigned plane = 1; chroma && plane <= 2; plane++) {
        struct avc_levels levels;
        int16_t dc[4] = {0};
        unsigned qp = chroma_qp(d, plane - 1);
        int count = read_levels(d, AVC_CAT_CHROMA_DC, plane, 0, 0, 4, &levels);
        if (count < 0)
            return false;
        for (unsigned i = 0; i < (unsigned)count; i++)
            dc[levels.at[i]] = levels.level[i];
        if (count)
            avc_transform_chroma_dc(
                dc, d->picture.scale.x4[intra + plane][qp % 6][0], qp);
        for (unsigned i = 0; i < 4; i++)
            d->coef[12 + plane * 4 + i][0] = dc[i];
    }
    for (unsigned i = 0; chroma == 2 && i < 8; i++) {
        unsigned plane = 1 + i / 4;
        if (!read_4x4(d, AVC_CAT_CHROMA_AC, plane, i % 4, 1, intra + plane,
                      chroma_qp(d, plane - 1)))
            return false;
    }
    return true;
}

bool
avc_read_residual(struct avc_decoder *d)
{
    return read_luma(d) && read_chroma(d);
}
