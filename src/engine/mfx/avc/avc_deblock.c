/* avc_deblock.c: the loop filter over a picture. ITU-T H.264, 8.7. */
#include "engine/mfx/avc/avc.h"

#include <sched.h>
#include <stdlib.h>

#define INTRA_EDGE 4
#define INTRA_INSIDE 3 /* or an edge between lines of fields */
#define CODED 2
#define MIXED 1
/* Below this sum of QP and offset no sample is filtered, table 8-16. */
#define FIRST_INDEX 16

/* ---- strengths, 8.7.2.1 ---- */

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

/* ---- edges ---- */

/* An edge of a macroblock q, or a part of one; p: the macroblock on the other
 * side, or q. */
struct edge {
    const struct avc_mb *p, *q;
    unsigned at;      /* samples of luma from the macroblock's edge */
    bool vertical;    /* the edge is */
    unsigned line[2]; /* the first line, of luma and of chroma */
    unsigned step;    /* from one line of the edge to the next */
    unsigned count;   /* samples of luma along the edge */
    uint8_t bs[4];    /* for each quarter of it */
    uint8_t *to[3];   /* the macroblock's samples */
    ptrdiff_t stride[3];
};

/* The macroblock that is filtered. */
struct site {
    const struct avc_decoder *d;
    const struct avc_mb *mb;
    unsigned column, row;
};

static bool
is_field(const struct avc_mb *mb)
{
    return mb->flags & AVC_FIELD;
}

static void
place_edge(const struct site *s, struct edge *e)
{
    bool mbaff_field = s->d->picture.mbaff && is_field(s->mb);
    for (unsigned plane = 0; plane < 3; plane++) {
        unsigned stride;
        e->to[plane] = avc_samples_at(s->d, plane, s->column, s->row,
                                      mbaff_field, &stride);
        e->stride[plane] = (ptrdiff_t)stride;
    }
}

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
filter_plane(const struct avc_decoder *d, const struct edge *e, unsigned plane)
{
    unsigned half = plane != 0;
    ptrdiff_t stride = e->stride[plane], step = stride * (ptrdiff_t)e->step;
    int qp = average_qp(d, e, plane);
    struct avc_lines l = {
        .across = e->vertical ? 1 : step,
        .along = e->vertical ? step : 1,
        .count = e->count >> half,
        .per_bs = e->count / 4 >> half,
        .index_a = CLAMP(qp + e->q->alpha, 0, 51),
        .index_b = CLAMP(qp + e->q->beta, 0, 51),
    };
    if (l.index_a < FIRST_INDEX || l.index_b < FIRST_INDEX)
        return;
    memcpy(l.bs, e->bs, sizeof l.bs);
    l.q0 = e->to[plane] + (ptrdiff_t)e->line[half] * stride +
           (ptrdiff_t)(e->at >> half) * l.across;
    if (plane)
        d->recon->filter_chroma(&l);
    else
        d->recon->filter_luma(&l);
}

static void
filter_edge(const struct avc_decoder *d, const struct edge *e)
{
    uint32_t any;
    memcpy(&any, e->bs, sizeof any);
    if (!any)
        return;
    filter_plane(d, e, 0);
    if (d->picture.mono || e->at % 8)
        return;
    filter_plane(d, e, 1);
    filter_plane(d, e, 2);
}

static bool
is_uniform(const struct avc_mb *mb)
{
    return mb->flags & AVC_UNIFORM;
}

/* The blocks of an edge, strengths of which are found one by one. */
static void
edge_strengths(struct edge *e)
{
    const struct avc_mb *p = e->p, *q = e->q;
    bool inside = p == q, field = is_field(q);
    if (avc_is_intra(p) || avc_is_intra(q)) {
        bool lines = !e->vertical && (field || is_field(p));
        memset(e->bs, inside || lines ? INTRA_INSIDE : INTRA_EDGE, 4);
        return;
    }
    unsigned step = e->vertical ? 4 : 1, over = e->vertical ? 1 : 4;
    unsigned first = e->at / 4 * over,
             before = inside ? first - over : 3 * over;
    bool mixed = field != is_field(p), alike = is_uniform(p) && is_uniform(q);
    int limit_y = field ? 2 : 4;
    bool apart = alike && !inside && moves_apart(p, 0, q, 0, limit_y);
    for (unsigned i = 0; i < 4; i++) {
        unsigned p_block = before + i * step, q_block = first + i * step;
        if ((p->nonzero >> p_block & 1) || (q->nonzero >> q_block & 1))
            e->bs[i] = CODED;
        else
            e->bs[i] = mixed ||
                       (alike ? apart
                              : moves_apart(p, p_block, q, q_block, limit_y));
    }
}

/* ---- macroblocks of MBAFF frames ---- */

/* The left edge between a frame and a field macroblock: lines of both
 * macroblocks of the pair there. Every second line, or half of the lines. */
static void
filter_mixed_left(const struct site *s, const struct avc_mb *pair)
{
    bool field = is_field(s->mb), bottom = s->row & 1;
    for (unsigned half = 0; half < 2; half++) {
        struct edge e = {
            .p = pair + half * s->d->picture.width_mb,
            .q = s->mb,
            .vertical = true,
            .line = {field ? half * 8 : half, field ? half * 4 : half},
            .step = field ? 1 : 2,
            .count = 8,
        };
        place_edge(s, &e);
        for (unsigned i = 0; i < 4; i++) {
            unsigned q_row = field ? half * 2 + i / 2 : i;
            unsigned p_row = field ? i : bottom * 2 + i / 2;
            bool coded = (e.q->nonzero >> q_row * 4 & 1) ||
                         (e.p->nonzero >> (p_row * 4 + 3) & 1);
            e.bs[i] = coded ? CODED : MIXED;
            if (avc_is_intra(e.p) || avc_is_intra(e.q))
                e.bs[i] = INTRA_EDGE;
        }
        filter_edge(s->d, &e);
    }
}

/* The top edge of a frame macroblock under a field pair: once for each field.
 */
static void
filter_mixed_top(const struct site *s, const struct avc_mb *pair)
{
    for (unsigned parity = 0; parity < 2; parity++) {
        struct edge e = {
            .p = pair + parity * s->d->picture.width_mb,
            .q = s->mb,
            .line = {parity, parity},
            .step = 2,
            .count = 16,
        };
        place_edge(s, &e);
        edge_strengths(&e);
        filter_edge(s->d, &e);
    }
}

/* The macroblock above: of the same field, or of the frame. */
static const struct avc_mb *
above_mbaff(const struct site *s)
{
    unsigned width = s->d->picture.width_mb;
    const struct avc_mb *q = s->mb, *top = q - (s->row & 1) * width;
    if (s->row & 1 && !is_field(q))
        return top;
    if (s->row < 2)
        return NULL;
    const struct avc_mb *pair = top - 2 * width;
    bool second = !is_field(pair) || (is_field(q) && s->row & 1);
    return pair + second * width;
}

/* ---- macroblocks ---- */

/* The macroblock beside the current one, or NULL. */
static const struct avc_mb *
beyond(const struct site *s, bool vertical)
{
    if (vertical)
        return s->column ? s->mb - 1 : NULL;
    if (s->d->picture.mbaff)
        return above_mbaff(s);
    return s->row ? s->mb - s->d->picture.width_mb : NULL;
}

/* Filters an outer edge as only MBAFF frames have it. */
static bool
filter_mixed(const struct site *s, const struct edge *e)
{
    if (!s->d->picture.mbaff || is_field(e->p) == is_field(e->q))
        return false;
    unsigned width = s->d->picture.width_mb;
    if (e->vertical)
        filter_mixed_left(s, e->p - (s->row & 1) * width);
    else if (!is_field(e->q))
        filter_mixed_top(s, e->p);
    else
        return false;
    return true;
}

/* Edges of one direction. */
static void
filter_way(const struct site *s, struct edge *e, unsigned size)
{
    e->at = 0;
    e->p = beyond(s, e->vertical);
    if (e->p && e->q->deblock == 2 && e->p->slice != e->q->slice)
        e->p = NULL;
    if (e->p && !filter_mixed(s, e)) {
        edge_strengths(e);
        filter_edge(s->d, e);
    }
    e->p = e->q;
    for (e->at = size; e->at < 16; e->at += size) {
        edge_strengths(e);
        filter_edge(s->d, e);
    }
}

static void
filter_macroblock(const struct site *s)
{
    const struct avc_mb *mb = s->mb;
    unsigned size = mb->flags & AVC_8X8 ? 8 : 4;
    /* Nothing is filtered inside of such a macroblock. */
    if (is_uniform(mb) && !mb->nonzero)
        size = 16;
    struct edge e = {.q = mb, .step = 1, .count = 16};
    place_edge(s, &e);
    for (unsigned way = 0; way < 2; way++) {
        e.vertical = !way;
        filter_way(s, &e, size);
    }
}

static void
filter_at(const struct avc_decoder *d, unsigned column, unsigned row)
{
    struct site s = {.d = d, .column = column, .row = row};
    s.mb = &d->mbs[row * d->picture.width_mb + column];
    if (s.mb->deblock != 1)
        filter_macroblock(&s);
}

/* Waits until so many macroblocks of a row are filtered; returns how many are.
 */
static unsigned
wait_for_row(struct avc_decoder *d, unsigned row, unsigned count)
{
    unsigned done = 0, spins = 0;
    for (;;) {
        done = atomic_load_explicit(&d->filtered[row], memory_order_acquire);
        if (done >= count)
            return done;
        if (++spins % 64 == 0)
            sched_yield();
    }
}

void
avc_deblock_row(struct avc_decoder *d, unsigned row)
{
    unsigned rows = d->picture.mbaff ? 2 : 1, width = d->picture.width_mb;
    unsigned above = row ? 0 : width;
    for (unsigned column = 0; column < width; column++) {
        /* The left edge of the macroblock to the right above comes first. */
        unsigned needed = MIN2(column + 2, width);
        if (above < needed)
            above = wait_for_row(d, row - rows, needed);
        for (unsigned i = 0; i < rows; i++)
            filter_at(d, column, row + i);
        atomic_store_explicit(&d->filtered[row], column + 1,
                              memory_order_release);
    }
}
