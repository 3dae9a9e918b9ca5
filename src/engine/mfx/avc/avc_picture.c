/* avc_picture.c: begins and ends pictures: memory, concealment, the surface. */
#include "base/pool.h"
#include "engine/mfx/avc/avc.h"
#include "engine/vm/vm.h"

#include <stdlib.h>

#define SAMPLE_GREY 128

static void
free_planes(struct avc_decoder *d)
{
    free(d->mbs);
    d->mbs = NULL;
    for (unsigned i = 0; i < 3; i++) {
        free(d->planes[i]);
        d->planes[i] = NULL;
    }
    d->mb_capacity = 0;
}

static bool
make_room(struct avc_decoder *d, unsigned mbs)
{
    if (mbs <= d->mb_capacity)
        return true;
    free_planes(d);
    d->mbs = malloc(mbs * sizeof *d->mbs);
    for (unsigned i = 0; i < 3; i++)
        d->planes[i] = calloc(1, (size_t)mbs * (i ? 64 : 256));
    if (!d->mbs || !d->planes[0] || !d->planes[1] || !d->planes[2]) {
        free_planes(d);
        return false;
    }
    d->mb_capacity = mbs;
    return true;
}

void
avc_free(struct avc_decoder *d)
{
    free_planes(d);
    for (unsigned i = 0; d->jobs && i < AVC_JOBS; i++)
        free(d->jobs[i].bytes);
    free(d->jobs);
    for (unsigned i = 0; i < d->worker_count; i++)
        free(d->workers[i]);
    free(d->workers);
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
    d->slices = d->job_count = 0;
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
            d->number = ++d->slices;
        conceal_mb(d, i);
    }
    return missing;
}

/* ---- the surface ---- */

#define LINES_MAX 32 /* written at a time */

/* Lines of a plane in the surface. */
struct rows {
    uint8_t *at[LINES_MAX];
    unsigned count;
};

static struct rows
rows_of(const struct avc_picture *p, unsigned first_row, unsigned line,
        unsigned end)
{
    struct rows r = {.count = end - line};
    unsigned step = p->field ? 2 : 1;
    for (unsigned i = 0; i < r.count; i++)
        r.at[i] = p->target.base +
                  mfx_row_B(&p->target,
                            first_row + (line + i) * step + p->bottom);
    return r;
}

/* Eight samples of Cb and of Cr to a piece. */
static inline void
join_chroma(uint8_t *to, const uint8_t *cb, const uint8_t *cr)
{
    typedef uint8_t samples __attribute__((vector_size(MFX_PIECE_B)));
    samples a = {0}, b = {0};
    memcpy(&a, cb, sizeof a / 2);
    memcpy(&b, cr, sizeof b / 2);
    a = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                6, 22, 7, 23);
    memcpy(to, &a, sizeof a);
}

/* Column by column, as tiles have them. */
static void
write_luma(const struct avc_decoder *d, unsigned line, unsigned end)
{
    struct rows r = rows_of(&d->picture, 0, line, end);
    unsigned stride = d->stride[0];
    const uint8_t *from = d->planes[0] + (size_t)line * stride;
    for (unsigned x = 0; x < stride; x += MFX_PIECE_B) {
        size_t column_B = mfx_column_B(&d->picture.target, x);
        for (unsigned i = 0; i < r.count; i++)
            memcpy(r.at[i] + column_B, from + (size_t)i * stride + x,
                   MFX_PIECE_B);
    }
}

static void
write_chroma(const struct avc_decoder *d, unsigned line, unsigned end)
{
    struct rows r = rows_of(&d->picture, d->picture.target.u_row, line, end);
    unsigned stride = d->stride[1];
    const uint8_t *cb = d->planes[1] + (size_t)line * stride;
    const uint8_t *cr = d->planes[2] + (size_t)line * stride;
    for (unsigned x = 0; x < stride; x += MFX_PIECE_B / 2) {
        size_t column_B = mfx_column_B(&d->picture.target, x * 2);
        for (unsigned i = 0; i < r.count; i++) {
            size_t at = (size_t)i * stride + x;
            if (d->picture.mono)
                memset(r.at[i] + column_B, SAMPLE_GREY, MFX_PIECE_B);
            else
                join_chroma(r.at[i] + column_B, cb + at, cr + at);
        }
    }
}

/* Later rows of macroblocks filter no more than three lines of each field
 * above them. */
#define LINES_LEFT 8

/* Lines of both planes, lines of luma. */
static void
write_lines(const struct avc_decoder *d, unsigned line, unsigned end)
{
    for (; line < end; line += LINES_MAX) {
        unsigned to = MIN2(line + LINES_MAX, end);
        write_luma(d, line, to);
        write_chroma(d, line / 2, to / 2);
    }
}

struct finish {
    struct avc_decoder *d;
    atomic_uint next; /* row */
};

/* Filters the next row's edges, and writes the lines that no later filter
 * changes. Threads take rows in order, so that a row waits for none that nobody
 * has taken. */
static void
finish_row(void *arg, unsigned index, unsigned worker)
{
    (void)index;
    (void)worker;
    struct finish *f = arg;
    struct avc_decoder *d = f->d;
    unsigned step = d->picture.mbaff ? 2 : 1;
    unsigned row = atomic_fetch_add(&f->next, step);
    unsigned line = row * 16, end = (row + step) * 16;
    vm_thread_enter();
    avc_deblock_row(d, row);
    line -= row ? LINES_LEFT : 0;
    end -= row + step < d->picture.height_mb ? LINES_LEFT : 0;
    write_lines(d, line, end);
    vm_thread_leave();
}

static void
finish_rows(struct avc_decoder *d)
{
    unsigned step = d->picture.mbaff ? 2 : 1, height = d->picture.height_mb;
    struct finish f = {.d = d};
    for (unsigned row = 0; row < height; row++)
        atomic_init(&d->filtered[row], 0);
    pool_for(d->pool, DIV_ROUND_UP(height, step), finish_row, &f);
}

void
avc_end_picture(struct avc_decoder *d, struct mfx_report *report)
{
    if (!d->open)
        return;
    d->open = false;
    avc_decode_slices(d, report);
    unsigned missing = conceal_missing(d);
    if (missing) {
        report->errors |= MFX_AVC_CONCEALED;
        report->concealed += missing;
    }
    finish_rows(d);
}
