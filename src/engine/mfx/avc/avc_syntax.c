/* avc_syntax.c: elements of the macroblock layer, by CAVLC or CABAC. ITU-T
 * H.264, 7.3.5, 9.1 and 9.3.3.1. */
#include "engine/mfx/avc/avc.h"

#define REF_MAX 32       /* ends a broken unary code */
#define QP_DELTA_MAX 104 /* as well */
#define MVD_PREFIX 9
#define MVD_SUFFIX_MAX 18
#define NO_TYPE 255

static const struct avc_mb *
mb_left(const struct avc_decoder *d)
{
    return avc_at(d, d->around.left[0]);
}

static const struct avc_mb *
mb_above(const struct avc_decoder *d)
{
    return avc_at(d, d->around.top);
}

/* ---- types ---- */

/* mb_type of I slices after its first bin. context: of the bins that follow;
 * step: how far contexts of the two halves lie apart. */
static unsigned
read_intra_bins(struct avc_cabac *c, unsigned context, unsigned slice_i)
{
    if (avc_cabac_terminate(c))
        return 25;
    unsigned type = 1 + 12 * avc_cabac_get(c, context);
    if (avc_cabac_get(c, context + 1))
        type += 4 + 4 * avc_cabac_get(c, context + 1 + slice_i);
    type += 2 * avc_cabac_get(c, context + 2 + slice_i);
    return type + avc_cabac_get(c, context + 2 + 2 * slice_i);
}

static bool
is_not_i_nxn(const struct avc_mb *mb)
{
    return mb && mb->kind != AVC_INTRA_4X4 && mb->kind != AVC_INTRA_8X8;
}

static unsigned
read_type_i(struct avc_decoder *d)
{
    unsigned inc = is_not_i_nxn(mb_left(d)) + is_not_i_nxn(mb_above(d));
    if (!avc_cabac_get(&d->cabac, 3 + inc))
        return 0;
    return read_intra_bins(&d->cabac, 6, 1);
}

static unsigned
read_type_p(struct avc_decoder *d)
{
    struct avc_cabac *c = &d->cabac;
    if (!avc_cabac_get(c, 14)) {
        if (!avc_cabac_get(c, 15))
            return 3 * avc_cabac_get(c, 16);
        return 2 - avc_cabac_get(c, 17);
    }
    if (!avc_cabac_get(c, 17))
        return 5;
    return 5 + read_intra_bins(c, 18, 0);
}

static bool
is_not_direct(const struct avc_mb *mb)
{
    return mb && !(mb->flags & AVC_DIRECT);
}

static unsigned
read_type_b(struct avc_decoder *d)
{
    struct avc_cabac *c = &d->cabac;
    unsigned inc = is_not_direct(mb_left(d)) + is_not_direct(mb_above(d));
    if (!avc_cabac_get(c, 27 + inc))
        return 0;
    if (!avc_cabac_get(c, 30))
        return 1 + avc_cabac_get(c, 32);
    unsigned bits = avc_cabac_get(c, 31) << 3;
    for (unsigned i = 3; i--;)
        bits |= avc_cabac_get(c, 32) << i;
    if (bits < 8)
        return bits + 3;
    if (bits == 14)
        return 11;
    if (bits == 15)
        return 22;
    if (bits != 13)
        return (bits << 1 | avc_cabac_get(c, 32)) - 4;
    if (!avc_cabac_get(c, 32))
        return 23;
    return 23 + read_intra_bins(c, 33, 0);
}

unsigned
avc_read_mb_type(struct avc_decoder *d)
{
    if (!d->picture.cabac)
        return avc_bits_ue(&d->bits);
    switch (d->slice.type) {
    case AVC_SLICE_P: return read_type_p(d);
    case AVC_SLICE_B: return read_type_b(d);
    default: return read_type_i(d);
    }
}

static unsigned
read_sub_type_b(struct avc_cabac *c)
{
    if (!avc_cabac_get(c, 36))
        return 0;
    if (!avc_cabac_get(c, 37))
        return 1 + avc_cabac_get(c, 39);
    unsigned type = 3;
    if (avc_cabac_get(c, 38)) {
        if (avc_cabac_get(c, 39))
            return 11 + avc_cabac_get(c, 39);
        type += 4;
    }
    type += 2 * avc_cabac_get(c, 39);
    return type + avc_cabac_get(c, 39);
}

unsigned
avc_read_sub_type(struct avc_decoder *d)
{
    struct avc_cabac *c = &d->cabac;
    if (!d->picture.cabac)
        return avc_bits_ue(&d->bits);
    if (d->slice.type == AVC_SLICE_B)
        return read_sub_type_b(c);
    if (avc_cabac_get(c, 21))
        return 0;
    if (!avc_cabac_get(c, 22))
        return 1;
    return 3 - avc_cabac_get(c, 23);
}

/* ---- flags, of CABAC and transform_size_8x8_flag of both ---- */

bool
avc_read_skip(struct avc_decoder *d, bool field)
{
    const struct avc_mb *a = mb_left(d), *b = mb_above(d);
    unsigned inc = (a && !(a->flags & AVC_SKIP)) +
                   (b && !(b->flags & AVC_SKIP));
    return avc_cabac_get(&d->cabac,
                         (d->slice.type == AVC_SLICE_B ? 24 : 11) + inc);
}

bool
avc_read_field(struct avc_decoder *d)
{
    if (!d->picture.cabac)
        return avc_bits_get(&d->bits, 1);
    unsigned inc = 0, width = d->picture.width_mb, pair = d->row & ~1u;
    const struct avc_mb *mb = &d->mbs[pair * width + d->column];
    if (d->column && avc_in_slice(d, d->column - 1, pair))
        inc += !!(mb[-1].flags & AVC_FIELD);
    if (pair && avc_in_slice(d, d->column, pair - 2))
        inc += !!((mb - 2 * width)->flags & AVC_FIELD);
    return avc_cabac_get(&d->cabac, 70 + inc);
}

bool
avc_read_transform_8x8(struct avc_decoder *d)
{
    if (!d->picture.cabac)
        return avc_bits_get(&d->bits, 1);
    const struct avc_mb *a = mb_left(d), *b = mb_above(d);
    unsigned inc = (a && a->flags & AVC_8X8) + (b && b->flags & AVC_8X8);
    return avc_cabac_get(&d->cabac, 399 + inc);
}

/* ---- intra modes, coded_block_pattern, QP ---- */

int
avc_read_intra_mode(struct avc_decoder *d)
{
    if (!d->picture.cabac)
        return avc_bits_get(&d->bits, 1) ? -1 : (int)avc_bits_get(&d->bits, 3);
    if (avc_cabac_get(&d->cabac, 68))
        return -1;
    unsigned mode = 0;
    for (unsigned i = 0; i < 3; i++)
        mode |= avc_cabac_get(&d->cabac, 69) << i;
    return (int)mode;
}

unsigned
avc_read_chroma_mode(struct avc_decoder *d)
{
    if (!d->picture.cabac)
        return avc_bits_ue(&d->bits);
    /* 0 as well in macroblocks that have no mode. */
    const struct avc_mb *a = mb_left(d), *b = mb_above(d);
    unsigned inc = (a && a->chroma_mode) + (b && b->chroma_mode);
    if (!avc_cabac_get(&d->cabac, 64 + inc))
        return 0;
    if (!avc_cabac_get(&d->cabac, 67))
        return 1;
    return 2 + avc_cabac_get(&d->cabac, 67);
}

/* Whether the bit of the 8x8 block with a 4x4 block is 0. */
static bool
is_uncoded(const struct avc_mb *mb, unsigned block)
{
    unsigned bit = block / 8 * 2 + block % 4 / 2;
    return mb && !(mb->cbp >> bit & 1);
}

static unsigned
read_cbp_luma(struct avc_decoder *d)
{
    for (unsigned i = d->mb->cbp = 0; i < 4; i++) {
        unsigned a_block, b_block, x = i % 2 * 2, y = i / 2 * 2;
        const struct avc_mb *a = avc_block_left(d, x, y, &a_block);
        const struct avc_mb *b = avc_block_above(d, x, y, &b_block);
        unsigned inc = is_uncoded(a, a_block) + 2u * is_uncoded(b, b_block);
        d->mb->cbp |= (uint8_t)(avc_cabac_get(&d->cabac, 73 + inc) << i);
    }
    return d->mb->cbp;
}

static unsigned
read_cbp_chroma(struct avc_decoder *d)
{
    const struct avc_mb *a = mb_left(d), *b = mb_above(d);
    unsigned left = a ? a->cbp >> 4 : 0, above = b ? b->cbp >> 4 : 0;
    if (!avc_cabac_get(&d->cabac, 77 + !!left + 2u * !!above))
        return 0;
    return 1 + avc_cabac_get(&d->cabac, 81 + (left == 2) + 2u * (above == 2));
}

/* Table 9-4: coded_block_pattern by codeNum: intra, inter; for 4:2:0, then for
 * 4:0:0. */
static const uint8_t cbp_of_code[2][48][2] = {
    {{47, 0},  {31, 16}, {15, 1},  {0, 2},   {23, 4},  {27, 8},  {29, 32},
     {30, 3},  {7, 5},   {11, 10}, {13, 12}, {14, 15}, {39, 47}, {43, 7},
     {45, 11}, {46, 13}, {16, 14}, {3, 6},   {5, 9},   {10, 31}, {12, 35},
     {19, 37}, {21, 42}, {26, 44}, {28, 33}, {35, 34}, {37, 36}, {42, 40},
     {44, 39}, {1, 43},  {2, 45},  {4, 46},  {8, 17},  {17, 18}, {18, 20},
     {20, 24}, {24, 19}, {6, 21},  {9, 26},  {22, 28}, {25, 23}, {32, 27},
     {33, 29}, {34, 30}, {36, 22}, {40, 25}, {38, 38}, {41, 41}},
    {{15, 0},
     {0, 1},
     {7, 2},
     {11, 4},
     {13, 8},
     {14, 3},
     {3, 5},
     {5, 10},
     {10, 12},
     {12, 15},
     {1, 7},
     {2, 11},
     {4, 13},
     {8, 14},
     {6, 6},
     {9, 9}}};

unsigned
avc_read_cbp(struct avc_decoder *d)
{
    bool mono = d->picture.mono;
    if (d->picture.cabac) {
        unsigned luma = read_cbp_luma(d);
        return luma | (mono ? 0 : read_cbp_chroma(d) << 4);
    }
    uint32_t code = avc_bits_ue(&d->bits);
    if (code >= (mono ? 16 : 48))
        return NO_TYPE;
    return cbp_of_code[mono][code][!avc_is_intra(d->mb)];
}

int
avc_read_qp_delta(struct avc_decoder *d)
{
    if (!d->picture.cabac)
        return avc_bits_se(&d->bits);
    if (!avc_cabac_get(&d->cabac, 60 + d->qp_changed))
        return 0;
    unsigned value = 1;
    while (value < QP_DELTA_MAX &&
           avc_cabac_get(&d->cabac, value == 1 ? 62 : 63))
        value++;
    int half = (int)(value + 1) / 2;
    return value & 1 ? half : -half;
}

/* ---- motion ---- */

/* Whether a neighbour's refIdx makes the current one likely not 0. */
static bool
is_ref_greater(const struct avc_decoder *d, const struct avc_mb *mb,
               unsigned list, unsigned block)
{
    if (!mb)
        return false;
    unsigned b8 = block / 8 * 2 + block % 4 / 2;
    if (mb->direct >> b8 & 1)
        return false;
    bool double_ = d->picture.mbaff && !d->field && mb->flags & AVC_FIELD;
    return mb->ref[list][b8] > (double_ ? 1 : 0);
}

unsigned
avc_read_ref(struct avc_decoder *d, unsigned list, unsigned block)
{
    unsigned count = d->refs->count[list];
    if (!d->picture.cabac) {
        if (count == 2)
            return !avc_bits_get(&d->bits, 1);
        return avc_bits_ue(&d->bits);
    }
    unsigned a_block, b_block;
    const struct avc_mb *a = avc_block_left(d, block % 4, block / 4, &a_block);
    const struct avc_mb *b = avc_block_above(d, block % 4, block / 4, &b_block);
    unsigned inc = is_ref_greater(d, a, list, a_block) +
                   2u * is_ref_greater(d, b, list, b_block),
             ref = 0;
    while (ref < REF_MAX && avc_cabac_get(&d->cabac, 54 + inc)) {
        ref++;
        inc = ref == 1 ? 4 : 5;
    }
    return ref;
}

/* absMvdComp of a neighbour, 9.3.3.1.1.7. */
static unsigned
near_mvd(const struct avc_decoder *d, const struct avc_mb *mb, unsigned list,
         unsigned block, unsigned component)
{
    if (!mb)
        return 0;
    unsigned v = mb->mvd[list][block][component];
    if (component && d->picture.mbaff) {
        bool field = mb->flags & AVC_FIELD;
        if (field && !d->field)
            v *= 2;
        else if (!field && d->field)
            v /= 2;
    }
    return v;
}

int
avc_read_mvd(struct avc_decoder *d, unsigned list, unsigned block,
             unsigned component)
{
    if (!d->picture.cabac)
        return avc_bits_se(&d->bits);
    struct avc_cabac *c = &d->cabac;
    unsigned a_block, b_block, base = component ? 47 : 40;
    const struct avc_mb *a = avc_block_left(d, block % 4, block / 4, &a_block);
    const struct avc_mb *b = avc_block_above(d, block % 4, block / 4, &b_block);
    unsigned sum = near_mvd(d, a, list, a_block, component) +
                   near_mvd(d, b, list, b_block, component);
    if (!avc_cabac_get(c, base + (sum < 3 ? 0 : sum > 32 ? 2 : 1)))
        return 0;
    unsigned value = 1;
    while (value < MVD_PREFIX && avc_cabac_get(c, base + MIN2(value + 2, 6u)))
        value++;
    if (value == MVD_PREFIX) {
        unsigned k = 3;
        for (; k < MVD_SUFFIX_MAX && avc_cabac_bypass(c); k++)
            value += 1u << k;
        while (k--)
            value += avc_cabac_bypass(c) << k;
    }
    return avc_cabac_bypass(c) ? -(int)value : (int)value;
}
