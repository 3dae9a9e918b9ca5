/* avc_slice.c: slice data. ITU-T H.264, 7.3.4. */
#include "base/pool.h"
#include "engine/mfx/avc/avc.h"
#include "engine/vm/vm.h"

#include <stdlib.h>

/* ---- the slice's bytes ---- */

/* Copies the slice without emulation prevention, 7.3.1. */
static bool
copy_bytes(struct avc_job *job)
{
    const struct mfx_stream *s = &job->slice.stream;
    size_t needed_B = s->size_B + AVC_PADDING_B, out = 0;
    if (job->capacity_B < needed_B) {
        uint8_t *grown = realloc(job->bytes, needed_B);
        if (!grown)
            return false;
        job->bytes = grown;
        job->capacity_B = needed_B;
    }
    unsigned zeros = 0;
    for (size_t i = 0; i < s->size_B; i++) {
        uint8_t byte = s->bytes[i];
        if (zeros >= 2 && byte == 3) {
            zeros = 0;
            continue;
        }
        zeros = byte ? 0 : zeros + 1;
        job->bytes[out++] = byte;
    }
    memset(job->bytes + out, 0, AVC_PADDING_B);
    job->size_B = out;
    return true;
}

/* The bits up to rbsp_stop_one_bit. */
static size_t
count_bits(const uint8_t *bytes, size_t size_B)
{
    while (size_B && !bytes[size_B - 1])
        size_B--;
    if (!size_B)
        return 0;
    return size_B * 8 - 1 - (size_t)__builtin_ctz(bytes[size_B - 1]);
}

static bool
open_bytes(struct avc_decoder *d, const struct avc_job *job)
{
    const struct avc_slice *s = &d->slice;
    size_t size_B = job->size_B;
    if (s->first_byte >= size_B)
        return false;
    d->bits = (struct avc_bits){
        .bytes = job->bytes,
        .at = s->first_byte * 8 + s->first_bit,
        .end = count_bits(job->bytes, size_B),
    };
    if (!d->picture.cabac)
        return true;
    d->bits.end = size_B * 8;
    avc_cabac_init_states(
        &d->cabac, s->type == AVC_SLICE_I ? 0 : 1 + s->cabac_init, (int)s->qp);
    avc_cabac_start(&d->cabac, job->bytes + s->first_byte, job->bytes + size_B);
    return true;
}

/* ---- references ---- */

/* 8.4.2.1: fields of the frames of a list, that of the same parity first. */
static void
split_refs(const struct avc_decoder *d, const struct avc_ref_set *frames,
           unsigned bottom, struct avc_ref_set *fields)
{
    for (unsigned list = 0; list < 2; list++) {
        fields->count[list] = frames->count[list] * 2;
        for (unsigned i = 0; i < fields->count[list]; i++) {
            struct avc_ref *r = &fields->list[list][i];
            unsigned parity = (i & 1) ^ bottom;
            *r = frames->list[list][i / 2];
            r->poc = d->picture.poc[r->id / 4 % AVC_STORES * 2 + parity];
            r->id = (uint8_t)((r->id & ~3u) | (parity ? 2 : 1));
        }
    }
}

static void
set_refs(struct avc_decoder *d)
{
    const struct avc_slice *s = &d->slice;
    for (unsigned list = 0; list < 2; list++) {
        d->sets[0].count[list] = s->ref_count[list];
        memcpy(d->sets[0].list[list], s->ref[list], sizeof s->ref[list]);
    }
    for (unsigned i = 0; d->picture.mbaff && i < 2; i++)
        split_refs(d, &d->sets[0], i, &d->sets[1 + i]);
    d->refs = &d->sets[0];
}

/* ---- macroblocks ---- */

/* In coded order: pairs of an MBAFF frame count two. */
static void
go_to(struct avc_decoder *d, unsigned address)
{
    unsigned width = d->picture.width_mb, at = address;
    if (d->picture.mbaff)
        at /= 2;
    d->column = at % width;
    d->row = at / width;
    if (d->picture.mbaff)
        d->row = d->row * 2 + (address & 1);
    d->index = d->row * width + d->column;
    d->mb = &d->mbs[d->index];
}

static void
set_field(struct avc_decoder *d, bool field)
{
    d->mbaff_field = field;
    d->field = field || d->picture.field;
    d->refs = &d->sets[field ? 1 + (d->row & 1) : 0];
    avc_look_around(d);
}

/* Of a pair without mb_field_decoding_flag, 7.4.4. */
static bool
infer_field(const struct avc_decoder *d)
{
    unsigned width = d->picture.width_mb, pair = d->row & ~1u;
    const struct avc_mb *mb = &d->mbs[pair * width + d->column];
    if (d->column && avc_in_slice(d, d->column - 1, pair))
        return mb[-1].flags & AVC_FIELD;
    if (pair && avc_in_slice(d, d->column, pair - 2))
        return (mb - 2 * width)->flags & AVC_FIELD;
    return false;
}

/* Where slice_data() is. */
struct progress {
    unsigned address;
    int run;           /* mb_skip_run that is left; -1: it comes next */
    bool field_known;  /* of the pair */
    bool next_skipped; /* the bottom macroblock's flag, read with the top's */
    bool next_known;
};

/* mb_skip_run; false: malformed. */
static bool
read_run(struct avc_decoder *d, struct progress *p, bool *skip)
{
    if (p->run < 0) {
        uint32_t run = avc_bits_ue(&d->bits);
        if (run > d->slice.end_mb - p->address)
            return false;
        p->run = (int)run;
    }
    *skip = p->run > 0;
    if (!*skip)
        return true;
    p->run--;
    bool top = d->picture.mbaff && !(p->address & 1);
    if (top && !p->run && d->bits.at < d->bits.end) {
        set_field(d, avc_bits_get(&d->bits, 1));
        p->field_known = true;
    }
    return true;
}

/* mb_skip_flag. A skipped top macroblock needs to know the bottom's, because a
 * field flag may follow that. */
static bool
read_skip_flag(struct avc_decoder *d, struct progress *p)
{
    if (p->next_known) {
        p->next_known = false;
        return p->next_skipped;
    }
    bool skip = avc_read_skip(d, d->field);
    if (!skip || !d->picture.mbaff || p->address & 1)
        return skip;
    bool field = d->mbaff_field;
    avc_begin_mb(d);
    d->mb->flags |= AVC_SKIP;
    go_to(d, p->address + 1);
    set_field(d, field);
    p->next_skipped = avc_read_skip(d, d->field);
    p->next_known = true;
    if (!p->next_skipped) {
        field = avc_read_field(d);
        p->field_known = true;
    }
    go_to(d, p->address);
    set_field(d, field);
    return true;
}

/* One macroblock; false: malformed. */
static bool
decode_one(struct avc_decoder *d, struct progress *p)
{
    bool skip = false, top = !(p->address & 1);
    go_to(d, p->address);
    if (d->picture.mbaff && top) {
        p->field_known = false;
        set_field(d, infer_field(d));
    } else {
        set_field(d, d->mbaff_field);
    }
    if (d->slice.type != AVC_SLICE_I) {
        if (d->picture.cabac)
            skip = read_skip_flag(d, p);
        else if (!read_run(d, p, &skip))
            return false;
    }
    if (skip) {
        avc_decode_skip(d);
        return true;
    }
    p->run = -1;
    if (d->picture.mbaff && !p->field_known) {
        set_field(d, avc_read_field(d));
        p->field_known = true;
    }
    return avc_decode_mb(d);
}

/* Whether the slice goes on after a macroblock. */
static bool
has_more(struct avc_decoder *d, const struct progress *p)
{
    if (d->picture.cabac) {
        if (d->picture.mbaff && !(p->address & 1))
            return true;
        return !avc_cabac_terminate(&d->cabac);
    }
    return p->run > 0 || d->bits.at < d->bits.end;
}

static bool
is_over(const struct avc_decoder *d)
{
    return d->picture.cabac ? avc_cabac_is_over(&d->cabac)
                            : d->bits.at > d->bits.end;
}

static bool
decode_all(struct avc_decoder *d, struct mfx_report *report)
{
    struct progress p = {.address = d->slice.first_mb, .run = -1};
    d->mbaff_field = d->qp_changed = false;
    for (; p.address < d->slice.end_mb; p.address++) {
        if (!decode_one(d, &p) || is_over(d)) {
            d->mb->slice = 0;
            memset(d->coef, 0, sizeof d->coef);
            return false;
        }
        avc_store_motion(d);
        report->decoded++;
        if (!has_more(d, &p))
            return true;
    }
    return true;
}

static void
decode_job(struct avc_decoder *d, struct avc_job *job)
{
    d->slice = job->slice;
    d->number = job->number;
    set_refs(d);
    if (!open_bytes(d, job) || !decode_all(d, &job->report))
        job->report.errors |= MFX_AVC_BAD_SLICE;
}

/* ---- slices in parallel ---- */

/* Whether a slice reads memory that another one writes: motion, of a second
 * field or of a hostile picture. */
static bool
shares_memory(const struct avc_picture *p)
{
    size_t rows = ALIGN_POT(p->height_mb * (p->field ? 2u : 1u), 2u);
    size_t motion_B = rows * p->width_mb * 64;
    size_t lines = MAX2(rows * 16, p->target.u_row + rows * 8) + 32;
    size_t surface_B = lines * p->target.pitch_B;
    for (unsigned i = 0; i < AVC_STORES; i++)
        if (mfx_ranges_meet(p->motion, motion_B, p->ref_motion[i], motion_B) ||
            mfx_ranges_meet(p->motion, motion_B, p->ref[i].base, surface_B))
            return true;
    return false;
}

/* Makes a decoder for each worker but the caller. False: no memory. */
static bool
make_workers(struct avc_decoder *d)
{
    unsigned count = pool_workers(d->pool) - 1;
    if (count > d->worker_count) {
        struct avc_decoder **grown = realloc(d->workers,
                                             count * sizeof *d->workers);
        if (!grown)
            return false;
        d->workers = grown;
    }
    for (; d->worker_count < count; d->worker_count++) {
        d->workers[d->worker_count] = malloc(sizeof *d);
        if (!d->workers[d->worker_count])
            return false;
    }
    for (unsigned i = 0; i < count; i++)
        memcpy(d->workers[i], d, sizeof *d);
    return true;
}

static void
decode_in_pool(void *arg, unsigned index, unsigned worker)
{
    struct avc_decoder *d = arg;
    vm_thread_enter();
    decode_job(worker ? d->workers[worker - 1] : d, &d->jobs[index]);
    vm_thread_leave();
}

void
avc_decode_slices(struct avc_decoder *d, struct mfx_report *report)
{
    unsigned count = d->job_count;
    bool parallel = count > 1 && pool_workers(d->pool) > 1 &&
                    !shares_memory(&d->picture) && make_workers(d);
    if (parallel)
        pool_for(d->pool, count, decode_in_pool, d);
    for (unsigned i = 0; i < count; i++) {
        struct avc_job *job = &d->jobs[i];
        if (!parallel)
            decode_job(d, job);
        report->errors |= job->report.errors;
        report->decoded += job->report.decoded;
    }
    /* Concealment is the last slice's. */
    if (parallel) {
        d->slice = d->jobs[count - 1].slice;
        set_refs(d);
    }
    d->job_count = 0;
}

void
avc_add_slice(struct avc_decoder *d, struct mfx_report *report)
{
    /* Slices that wait have no macroblock in common. */
    unsigned waiting = d->job_count;
    if (waiting == AVC_JOBS ||
        (waiting && d->slice.first_mb < d->jobs[waiting - 1].slice.end_mb)) {
        struct avc_slice slice = d->slice;
        avc_decode_slices(d, report);
        d->slice = slice;
    }
    if (!d->jobs)
        d->jobs = calloc(AVC_JOBS, sizeof *d->jobs);
    if (!d->jobs || d->slices >= UINT16_MAX - 1) {
        report->errors |= MFX_AVC_BAD_SLICE;
        return;
    }
    struct avc_job *job = &d->jobs[d->job_count];
    job->slice = d->slice;
    job->number = ++d->slices;
    job->report = (struct mfx_report){0};
    if (copy_bytes(job))
        d->job_count++;
    else
        report->errors |= MFX_AVC_BAD_SLICE;
}
