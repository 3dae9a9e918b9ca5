/* avc_deblock.c: the loop filter over a picture. ITU-T H.264, 8.7. */
#include "engine/mfx/avc/avc.h"

#include <stdlib.h>

#define INTRA_EDGE 4
#define INTRA_INSIDE 3

/* ---- strengths, 8.7.2.1
 * -------------------------------------------------------- */

static bool
is_far(const int16_t *a, const int16_t *b, int limit_y)
{
    return abs(a[0] - b[0]) >= 4 || abs(a[1] - b[1]) >= limit_y;
}

/* Whether two inter blocks differ in references or vectors. */
static bool
moves_apart(const struct avc_mb *p, unsigned p_block, const struct avc_mb *q,
            unsigned q_block, int limit_y)
{
    unsigned p8 = p_block / 8 * 2 + p_block % 4 / 2;
    unsigned q8 = q_block / 8 * 2 + q_block % 4 / 2;
    unsigned p0 = p->ref_id[0][p8], p1 = p->ref_id[1][p8];
    unsigned q0 = q->ref_id[0][q8], q1 = q->ref_id[1][q8];
    if (!(p0 == q0 && p1 == q1) && !(p0 == q1 && p1 == q0))
        return true;
    bool straight = is_far(p->mv[0][p_block], q->mv[0][q_block], limit_y) ||
                    is_far(p->mv[1][p_block], q->mv[1][q_block], limit_y);
    bool crossed = is_far(p->mv[0][p_block], q->mv[1][q_block], limit_y) ||
                   is_far(p->mv[1][p_block], q->mv[0][q_block], limit_y);
    if (p0 == p1)
        return straight && crossed;
    return p0 == q0 ? straight : crossed;
}

/* Of an edge between blocks of inter macroblocks. */
static uint8_t
inter_strength(const struct avc_mb *p, unsigned p_block, const struct avc_mb *q,
               unsigned q_block, int limit_y)
{
    if ((p->nonzero >> p_block & 1) || (q->nonzero >> q_block & 1))
        return 2;
    return moves_apart(p, p_block, q, q_block, limit_y);
}

/* ---- edges
 * --------------------------------------------------------------------- */

/* An edge of a macroblock q; p: the one on the other side, or q. */
struct edge {
    const struct avc_mb *p, *q;
    unsigned at;   /* samples of luma from the macroblock's edge */
    bool vertical; /* the edge is */
    const uint8_t *bs;
};

static int
average_qp(const struct avc_decoder *d, const struct edge *e, unsigned plane)
{
    if (!plane)
        return (e->p->qp + e->q->qp + 1) >> 1;
    int offset = d->picture.chroma_qp_offset[plane - 1];
    int p = avc_chroma_qp[CLAMP(e->p->qp + offset, 0, 51)];
    int q = avc_chroma_qp[CLAMP(e->q->qp + offset, 0, 51)];
    return (p + q + 1) >> 1;
}

static void
filter_edge(const struct avc_decoder *d, const struct edge *e)
{
    uint32_t any;
    memcpy(&any, e->bs, sizeof any);
    if (!any)
        return;
    for (unsigned plane = 0; plane < (d->picture.mono ? 1 : 3); plane++) {
        unsigned stride, at = plane ? e->at / 2 : e->at;
        if (plane && e->at % 8)
            break;
        uint8_t *q0 = avc_samples(d, plane, &stride);
        int qp = average_qp(d, e, plane);
        int a = CLAMP(qp + e->q->alpha, 0, 51),
            b = CLAMP(qp + e->q->beta, 0, 51);
        ptrdiff_t across = e->vertical ? 1 : (ptrdiff_t)stride;
        ptrdiff_t along = e->vertical ? (ptrdiff_t)stride : 1;
        q0 += (ptrdiff_t)at * across;
        if (plane)
            avc_filter_chroma(q0, across, along, 8, e->bs, 2, a, b);
        else
            avc_filter_luma(q0, across, along, 16, e->bs, 4, a, b);
    }
}

/* The blocks of an edge, strengths of which are found one by one. */
static void
edge_strengths(const struct avc_decoder *d, const struct edge *e, uint8_t bs[4])
{
    bool inside = e->p == e->q, field = d->picture.field;
    if (avc_is_intra(e->p) || avc_is_intra(e->q)) {
        unsigned s = inside || (!e->vertical && field) ? INTRA_INSIDE
                                                       : INTRA_EDGE;
        memset(bs, (int)s, 4);
        return;
    }
    unsigned step = e->vertical ? 4 : 1, over = e->vertical ? 1 : 4;
    unsigned first = e->at / 4 * over,
             before = inside ? first - over : 3 * over;
    for (unsigned i = 0; i < 4; i++)
        bs[i] = inter_strength(e->p, before + i * step, e->q, first + i * step,
                               field ? 2 : 4);
}

/* The macroblock beside the current one, if that edge is filtered. */
static const struct avc_mb *
beyond(const struct avc_decoder *d, bool vertical)
{
    const struct avc_mb *q = d->mb;
    if (vertical ? !d->column : !d->row)
        return NULL;
    const struct avc_mb *p = vertical ? q - 1 : q - d->picture.width_mb;
    return q->deblock == 2 && p->slice != q->slice ? NULL : p;
}

static void
filter_macroblock(struct avc_decoder *d)
{
    unsigned step = d->mb->flags & AVC_8X8 ? 8 : 4;
    for (unsigned way = 0; way < 2; way++) {
        uint8_t bs[4];
        struct edge e = {.q = d->mb, .vertical = !way, .bs = bs};
        e.p = beyond(d, e.vertical);
        for (; e.at < 16; e.at += step, e.p = d->mb) {
            if (!e.p)
                continue;
            edge_strengths(d, &e, bs);
            filter_edge(d, &e);
        }
    }
}

void
avc_deblock(struct avc_decoder *d)
{
    unsigned width = d->picture.width_mb;
    d->mbaff_field = false;
    if (d->picture.mbaff) {
        unimp("the loop filter of MBAFF frames");
        return;
    }
    for (d->row = 0; d->row < d->picture.height_mb; d->row++)
        for (d->column = 0; d->column < width; d->column++) {
            d->mb = &d->mbs[d->row * width + d->column];
            if (d->mb->deblock != 1)
                filter_macroblock(d);
        }
}
