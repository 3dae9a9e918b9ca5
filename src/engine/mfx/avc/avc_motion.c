/* avc_motion.c: partitions, references and vectors. ITU-T H.264, 7.3.5.1,
 * 7.3.5.2, 7.4.5 and 8.4.1. */
#include "engine/mfx/avc/avc.h"

/* Lists of predictions. */
enum { L0 = 1, L1 = 2, BI = 3 };

/* mb_type of B slices from 1 to 21: lists of both partitions; table 7-14. */
static const uint8_t b_lists[][2] = {
    {L0, 0},  {L1, 0},  {BI, 0},  {L0, L0}, {L0, L0}, {L1, L1}, {L1, L1},
    {L0, L1}, {L0, L1}, {L1, L0}, {L1, L0}, {L0, BI}, {L0, BI}, {L1, BI},
    {L1, BI}, {BI, L0}, {BI, L0}, {BI, L1}, {BI, L1}, {BI, BI}, {BI, BI}};
/* sub_mb_type of B slices from 1 to 12: lists and shape; table 7-18. */
static const uint8_t b_sub[][2] = {
    {L0, AVC_WHOLE},       {L1, AVC_WHOLE},       {BI, AVC_WHOLE},
    {L0, AVC_TWO_ROWS},    {L0, AVC_TWO_COLUMNS}, {L1, AVC_TWO_ROWS},
    {L1, AVC_TWO_COLUMNS}, {BI, AVC_TWO_ROWS},    {BI, AVC_TWO_COLUMNS},
    {L0, AVC_FOUR},        {L1, AVC_FOUR},        {BI, AVC_FOUR}};

#define B_8X8 22

/* ---- prediction of vectors ---- */

/* A neighbouring block's motion, as the current macroblock's frames or fields
 * have it: 8.4.1.3.2. */
static struct avc_near
near_block(const struct avc_decoder *d, const struct avc_mb *mb, unsigned list,
           unsigned block)
{
    if (!mb)
        return (struct avc_near){.ref = -2};
    struct avc_near n = {.ref = mb->ref[list][block / 8 * 2 + block % 4 / 2]};
    if (n.ref < 0)
        return (struct avc_near){.ref = -1};
    memcpy(n.mv, mb->mv[list][block], sizeof n.mv);
    if (d->picture.mbaff && mb != d->mb) {
        bool field = mb->flags & AVC_FIELD;
        if (field && !d->field) {
            n.ref >>= 1;
            n.mv[1] = (int16_t)(n.mv[1] * 2);
        } else if (!field && d->field) {
            n.ref <<= 1;
            n.mv[1] = (int16_t)(n.mv[1] / 2);
        }
    }
    return n;
}

/* The place of a block in coding order. */
static unsigned
order_of(unsigned x, unsigned y)
{
    return (y & 2) << 2 | (x & 2) << 1 | (y & 1) << 1 | (x & 1);
}

static struct avc_near
near_top_right(const struct avc_decoder *d, unsigned list, unsigned x,
               unsigned y, unsigned width)
{
    unsigned right = x + width;
    if (!y) {
        int index = right < 4 ? d->around.top : d->around.top_right;
        return near_block(d, avc_at(d, index), list, 12 + right % 4);
    }
    if (right >= 4 || order_of(right, y - 1) > order_of(x, y))
        return (struct avc_near){.ref = -2};
    return near_block(d, d->mb, list, (y - 1) * 4 + right);
}

static struct avc_near
near_top_left(const struct avc_decoder *d, unsigned list, unsigned x,
              unsigned y)
{
    if (x && y)
        return near_block(d, d->mb, list, (y - 1) * 4 + x - 1);
    if (x)
        return near_block(d, avc_at(d, d->around.top), list, 12 + x - 1);
    return near_block(d, avc_at(d, d->around.diagonal[y]), list,
                      d->around.diagonal_row[y] * 4u + 3);
}

void
avc_near_blocks(const struct avc_decoder *d, unsigned list, unsigned x,
                unsigned y, unsigned width, struct avc_near near[3])
{
    unsigned block;
    const struct avc_mb *mb = avc_block_left(d, x, y, &block);
    near[0] = near_block(d, mb, list, block);
    mb = avc_block_above(d, x, y, &block);
    near[1] = near_block(d, mb, list, block);
    near[2] = near_top_right(d, list, x, y, width);
    if (near[2].ref == -2)
        near[2] = near_top_left(d, list, x, y);
}

static int16_t
median(int16_t a, int16_t b, int16_t c)
{
    int16_t low = MIN2(a, b), high = MAX2(a, b);
    return MAX2(low, MIN2(high, c));
}

static void
predict_median(const struct avc_near near[3], int ref, int16_t *mv)
{
    unsigned same = 0, which = 0;
    for (unsigned i = 0; i < 3; i++)
        if (near[i].ref == ref) {
            same++;
            which = i;
        }
    if (near[1].ref == -2 && near[2].ref == -2 && near[0].ref != -2)
        same = 1, which = 0;
    for (unsigned i = 0; i < 2; i++)
        mv[i] = same == 1 ? near[which].mv[i]
                          : median(near[0].mv[i], near[1].mv[i], near[2].mv[i]);
}

void
avc_predict_vector(const struct avc_decoder *d, unsigned list, int ref,
                   unsigned x, unsigned y, unsigned width, int16_t *mv)
{
    struct avc_near near[3];
    avc_near_blocks(d, list, x, y, width, near);
    predict_median(near, ref, mv);
}

/* Of 16x8 and 8x16 partitions, 8.4.1.3: one neighbour comes first. */
static void
predict_half(const struct avc_decoder *d, unsigned list, int ref, bool rows,
             unsigned part, int16_t *mv)
{
    struct avc_near near[3];
    unsigned x = rows ? 0 : part * 2, y = rows ? part * 2 : 0;
    avc_near_blocks(d, list, x, y, rows ? 4 : 2, near);
    unsigned first = rows ? !part : part * 2;
    if (near[first].ref == ref)
        memcpy(mv, near[first].mv, sizeof near[first].mv);
    else
        predict_median(near, ref, mv);
}

void
avc_set_vector(struct avc_decoder *d, unsigned list, unsigned x, unsigned y,
               unsigned w, unsigned h, const int16_t *mv)
{
    for (unsigned j = y; j < y + h; j++)
        for (unsigned i = x; i < x + w; i++)
            memcpy(d->mb->mv[list][j * 4 + i], mv, 2 * sizeof *mv);
}

/* ---- syntax ---- */

/* Reads a difference and sets the vector of a partition that mv predicts. */
static void
read_vector(struct avc_decoder *d, unsigned list, unsigned x, unsigned y,
            unsigned w, unsigned h, int16_t *mv)
{
    uint8_t mvd[2];
    for (unsigned c = 0; c < 2; c++) {
        int v = avc_read_mvd(d, list, y * 4 + x, c);
        mvd[c] = (uint8_t)MIN2(v < 0 ? -(unsigned)v : (unsigned)v, 255u);
        mv[c] = (int16_t)(mv[c] + (int16_t)v);
    }
    avc_set_vector(d, list, x, y, w, h, mv);
    if (!d->picture.cabac)
        return;
    for (unsigned j = y; j < y + h; j++)
        for (unsigned i = x; i < x + w; i++)
            memcpy(d->mb->mvd[list][j * 4 + i], mvd, sizeof mvd);
}

/* The refIdx of the partition that begins at an 8x8 block; false: malformed. */
static bool
read_ref(struct avc_decoder *d, unsigned list, unsigned b8, bool is_0,
         int8_t *ref)
{
    unsigned count = d->refs->count[list], value = 0;
    if (count > 1 && !is_0)
        value = avc_read_ref(d, list, b8 / 2 * 8 + b8 % 2 * 2);
    *ref = (int8_t)value;
    return value < count && d->refs->list[list][value].present;
}

static void
name_refs(struct avc_decoder *d)
{
    for (unsigned list = 0; list < 2; list++)
        for (unsigned i = 0; i < 4; i++) {
            int ref = d->mb->ref[list][i];
            d->mb->ref_id[list][i] = ref < 0 ? AVC_NO_REF
                                             : d->refs->list[list][ref].id;
        }
}

/* One or two partitions with the lists that each has. */
static bool
read_halves(struct avc_decoder *d, const uint8_t lists[2])
{
    struct avc_mb *mb = d->mb;
    bool whole = d->shape == AVC_WHOLE, rows = d->shape == AVC_TWO_ROWS;
    for (unsigned list = 0; list < 2; list++)
        for (unsigned part = 0; part < (whole ? 1 : 2); part++) {
            unsigned b8 = rows ? part * 2 : part;
            int8_t ref;
            if (!(lists[part] >> list & 1))
                continue;
            if (!read_ref(d, list, b8, false, &ref))
                return false;
            if (whole)
                memset(mb->ref[list], ref, 4);
            else
                mb->ref[list][b8] = mb->ref[list][rows ? b8 + 1 : b8 + 2] = ref;
        }
    for (unsigned list = 0; list < 2; list++)
        for (unsigned part = 0; part < (whole ? 1 : 2); part++) {
            int16_t mv[2];
            unsigned b8 = rows ? part * 2 : part;
            if (!(lists[part] >> list & 1))
                continue;
            int ref = mb->ref[list][b8];
            if (whole)
                avc_predict_vector(d, list, ref, 0, 0, 4, mv);
            else
                predict_half(d, list, ref, rows, part, mv);
            read_vector(d, list, rows || whole ? 0 : part * 2,
                        rows ? part * 2 : 0, rows || whole ? 4 : 2,
                        rows ? 2 : 4, mv);
        }
    return true;
}

static void
read_sub_vectors(struct avc_decoder *d, unsigned list, unsigned b8)
{
    unsigned shape = d->sub[b8], x0 = b8 % 2 * 2, y0 = b8 / 2 * 2;
    unsigned w = shape == AVC_WHOLE || shape == AVC_TWO_ROWS ? 2 : 1;
    unsigned h = shape == AVC_WHOLE || shape == AVC_TWO_COLUMNS ? 2 : 1;
    for (unsigned y = y0; y < y0 + 2; y += h)
        for (unsigned x = x0; x < x0 + 2; x += w) {
            int16_t mv[2];
            avc_predict_vector(d, list, d->mb->ref[list][b8], x, y, w, mv);
            read_vector(d, list, x, y, w, h, mv);
        }
}

/* sub_mb_pred(); refs_are_0: P_8x8ref0. */
static bool
read_quarters(struct avc_decoder *d, bool refs_are_0)
{
    struct avc_mb *mb = d->mb;
    bool b_slice = d->slice.type == AVC_SLICE_B;
    uint8_t lists[4];
    for (unsigned i = 0; i < 4; i++) {
        unsigned type = avc_read_sub_type(d);
        if (type > (b_slice ? 12u : 3u))
            return false;
        lists[i] = L0;
        d->sub[i] = (uint8_t)type;
        if (b_slice && type) {
            lists[i] = b_sub[type - 1][0];
            d->sub[i] = b_sub[type - 1][1];
        } else if (b_slice) {
            lists[i] = 0;
            mb->direct |= (uint8_t)(1u << i);
        }
    }
    if (mb->direct)
        avc_direct(d, mb->direct);
    for (unsigned list = 0; list < 2; list++)
        for (unsigned i = 0; i < 4; i++)
            if (lists[i] >> list & 1 &&
                !read_ref(d, list, i, refs_are_0, &mb->ref[list][i]))
                return false;
    for (unsigned list = 0; list < 2; list++)
        for (unsigned i = 0; i < 4; i++)
            if (lists[i] >> list & 1)
                read_sub_vectors(d, list, i);
    return true;
}

bool
avc_read_motion(struct avc_decoder *d)
{
    static const uint8_t p_lists[2] = {L0, L0};
    unsigned type = d->shape;
    bool ok;
    if (d->slice.type == AVC_SLICE_P) {
        d->shape = MIN2(type, (unsigned)AVC_FOUR);
        ok = d->shape == AVC_FOUR ? read_quarters(d, type == 4)
                                  : read_halves(d, p_lists);
    } else if (!type) {
        d->mb->flags |= AVC_DIRECT;
        d->mb->direct = 15;
        d->shape = AVC_FOUR;
        avc_direct(d, 15);
        ok = true;
    } else if (type == B_8X8) {
        d->shape = AVC_FOUR;
        ok = read_quarters(d, false);
    } else {
        d->shape = type < 4   ? AVC_WHOLE
                   : type % 2 ? AVC_TWO_COLUMNS
                              : AVC_TWO_ROWS;
        ok = read_halves(d, b_lists[type - 1]);
    }
    name_refs(d);
    return ok;
}

/* P_Skip, 8.4.1.1, and B_Skip. */
void
avc_skip_motion(struct avc_decoder *d)
{
    struct avc_mb *mb = d->mb;
    if (d->slice.type == AVC_SLICE_B) {
        mb->flags |= AVC_DIRECT;
        mb->direct = 15;
        d->shape = AVC_FOUR;
        avc_direct(d, 15);
        name_refs(d);
        return;
    }
    struct avc_near near[3];
    int16_t mv[2] = {0, 0};
    memset(mb->ref[0], 0, sizeof mb->ref[0]);
    avc_near_blocks(d, 0, 0, 0, 4, near);
    bool still = false;
    for (unsigned i = 0; i < 2; i++)
        still |= near[i].ref == -2 ||
                 (near[i].ref == 0 && !near[i].mv[0] && !near[i].mv[1]);
    if (!still)
        predict_median(near, 0, mv);
    avc_set_vector(d, 0, 0, 0, 4, 4, mv);
    name_refs(d);
}
