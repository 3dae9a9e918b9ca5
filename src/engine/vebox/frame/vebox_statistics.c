/* vebox_statistics.c: the statistics surface, for encoders, cadence and noise
 * detection, and the histogram of ACE.
 *
 * Blocks: KBL PRM vol 2d, "Encoder Statistics Format". After them 32 dwords for
 * each frame and slice: 11 FMD variances, 6 of noise, 2 of skin tones, 2 of
 * gamut compression; in the histogram surface 256 dwords for each: intel/
 * media-driver's layouts. All work is slice 0's. What noise, skin and gamut
 * dwords count is not published: they are 0.
 *
 * Guess: differences are of 12 bits, whose sums fit the formats; variances 5
 * and 6 are the sums of neighbours in a field, which the manual's formulas of
 * tearing name (diff_cTcT, diff_cBcB); the sums of a frame saturate. */
#include "engine/vebox/frame/frame.h"

#include <stdlib.h>

#define BLOCK_X 16
#define SUMS_DW 32
#define SLICES 2
/* Of the histogram surface: after RGB's; previous and current frame of slice 0,
 * then of slice 1. */
#define ACE_AT_B 0x1800
#define ACE_STEP_B (STATISTICS_BINS * 4)
/* Flags of VEBOX_STATE's dword 1, and of the tables. */
#define NO_BLOCKS (1u << 17)
#define FULL_IMAGE (1u << 17)
#define IECP_AREA 67
/* An address: a page of 48 bits. */
#define PAGE_MASK UINT64_C(0xfffffffff000)

/* FMD variances, by the fields whose rows are compared: current and previous,
 * top and bottom. */
enum {
    CT_PT,
    CB_PB,
    CT_CB,
    CT_PB,
    CB_PT,
    CT_CT,
    CB_CB,
    MOVED,
    TEARS_NOW,
    TEARS_TOP_FIRST,
    TEARS_BOTTOM_FIRST,
};

/* ---- places -------------------------------------------------------------- */

/* Memory at an address of VEB_DI_IECP, if all of it is mapped. */
static uint8_t *
memory_at(const struct vebox_frame *f, const uint32_t *name, uint64_t size_B)
{
    const struct engine_vm *vm = f->ctx->vm;
    gpu_va va = ((uint64_t)name[1] << 32 | name[0]) & PAGE_MASK;
    if (!va)
        return NULL;
    if (vm_limit_B(vm, va) < size_B || vm_mapped_B(vm, va, size_B) < size_B) {
        guest_error("VEBOX: statistics at 0x%llx", (unsigned long long)va);
        return NULL;
    }
    return vm_ptr(vm, va);
}

static void
surface_init(struct vebox_frame *f, const uint32_t *name, bool blocks)
{
    struct vebox_statistics *s = &f->statistics;
    uint64_t rows = DIV_ROUND_UP(f->height, 4), blocks_B = 0;
    if (blocks) {
        s->block_pitch_B = ALIGN_POT(f->width, 64);
        blocks_B = s->block_pitch_B * rows;
    }
    uint64_t sums_B = SUMS_DW * 4 * SLICES * (s->two_frames ? 2 : 1);
    uint8_t *at = memory_at(f, name, blocks_B + sums_B);
    if (!at)
        return;
    s->sums = at + blocks_B;
    s->blocks = blocks ? at : NULL;
}

void
vebox_statistics_read_dndi(struct vebox_statistics *s, const uint32_t *dw)
{
    s->moved = bits_get(dw[15], 0, 7);
}

void
vebox_statistics_read_iecp(struct vebox_statistics *s, const uint32_t *dw)
{
    const uint32_t *area = dw + IECP_AREA;
    s->area_x[1] = s->area_y[1] = UINT32_MAX;
    if (area[0] & FULL_IMAGE)
        return;
    s->area_x[0] = bits_get(area[1], 0, 13);
    s->area_x[1] = bits_get(area[1], 16, 29);
    s->area_y[0] = bits_get(area[2], 0, 13);
    s->area_y[1] = bits_get(area[2], 16, 29);
}

void
vebox_statistics_init(struct vebox_frame *f, const uint32_t *names,
                      uint32_t flags)
{
    struct vebox_statistics *s = &f->statistics;
    bool filters = f->interlaced || f->denoise.enabled;
    s->two_frames = f->interlaced;
    surface_init(f, names + VEBOX_STATISTICS, filters && !(flags & NO_BLOCKS));
    if (f->iecp.enabled && f->iecp.ace.enabled)
        s->histogram = memory_at(f, names + VEBOX_HISTOGRAM,
                                 ACE_AT_B + 2 * SLICES * ACE_STEP_B);
}

/* ---- blocks -------------------------------------------------------------- */

/* Sums of a block. */
struct block {
    uint32_t stad, shcm, svcm;
    uint32_t fmd[STATISTICS_FMD];
};

/* Luma of four rows of a block and of two more, now and before. */
struct block_rows {
    const uint16_t *now[6], *then[6];
    unsigned rows;
    bool has_history, temporal; /* of the frame, of the denoise filter */
};

static unsigned
difference(uint16_t a, uint16_t b)
{
    return (unsigned)abs(a - b) >> 4;
}

/* Without a previous frame the largest difference: ILK PRM vol 4 part 1,
 * 4.7.5.2. */
static unsigned
since_then(const struct block_rows *r, uint16_t now, const uint16_t *then,
           uint32_t x)
{
    return r->has_history ? difference(now, then[x]) : 4095;
}

/* A pixel of the top field at row j and that of the bottom field below. */
static void
compare_fields(const struct block_rows *r, unsigned j, uint32_t x,
               unsigned moved, struct block *b)
{
    uint16_t top = r->now[j][x], bottom = r->now[j + 1][x];
    unsigned ct_pt = since_then(r, top, r->then[j], x);
    unsigned cb_pb = since_then(r, bottom, r->then[j + 1], x);
    unsigned ct_pb = since_then(r, top, r->then[j + 1], x);
    unsigned cb_pt = since_then(r, bottom, r->then[j], x);
    unsigned ct_cb = difference(top, bottom);
    unsigned ct_ct = difference(top, r->now[j + 2][x]);
    unsigned cb_cb = difference(bottom, r->now[j + 3][x]);
    unsigned pt_pt = 0, pb_pb = 0;
    if (r->has_history) {
        pt_pt = difference(r->then[j][x], r->then[j + 2][x]);
        pb_pb = difference(r->then[j + 1][x], r->then[j + 3][x]);
    }
    const uint32_t add[STATISTICS_FMD] = {
        [CT_PT] = ct_pt,
        [CB_PB] = cb_pb,
        [CT_CB] = ct_cb,
        [CT_PB] = ct_pb,
        [CB_PT] = cb_pt,
        [CT_CT] = ct_ct,
        [CB_CB] = cb_cb,
        [MOVED] = (ct_pt >> 4 > moved) + (cb_pb >> 4 > moved),
        [TEARS_NOW] = ct_cb > ct_ct + cb_cb,
        [TEARS_TOP_FIRST] = ct_pb > ct_ct + pb_pb,
        [TEARS_BOTTOM_FIRST] = cb_pt > pt_pt + cb_cb,
    };
    for (unsigned i = 0; i < STATISTICS_FMD; i++)
        b->fmd[i] += add[i];
}

/* Sums of 4x4 lose two bits before they are added. */
static void
sum_changes(const struct block_rows *r, uint32_t x, uint32_t end,
            struct block *b)
{
    uint32_t time = 0, across = 0, down = 0;
    for (unsigned j = 0; j < r->rows; j++)
        for (uint32_t i = x; i < end; i++) {
            time += r->temporal ? difference(r->now[j][i], r->then[j][i]) : 0;
            across += difference(r->now[j][i], r->now[j][i + 1]);
            down += difference(r->now[j][i], r->now[j + 1][i]);
        }
    b->stad += time >> 2;
    b->shcm += across >> 2;
    b->svcm += down >> 2;
}

static struct block
sum_block(const struct vebox_frame *f, const struct block_rows *noisy,
          const struct block_rows *clean, uint32_t x)
{
    struct block b = {0};
    uint32_t end = MIN2(x + BLOCK_X, f->x[1]);
    for (uint32_t i = x; f->denoise.enabled && i < end; i += 4)
        sum_changes(noisy, i, MIN2(i + 4, end), &b);
    for (uint32_t i = x; f->interlaced && i < end; i++)
        for (unsigned j = 0; j < clean->rows; j += 2)
            compare_fields(clean, j, i, f->statistics.moved, &b);
    return b;
}

/* A number of 17 bits as a mantissa of 8 bits, whose leading 1 is left out, and
 * a shift. */
struct packed_sum {
    uint32_t mantissa, shift;
};

static struct packed_sum
pack_sum(uint32_t sum)
{
    uint32_t shift = 7;
    if (sum < 256)
        return (struct packed_sum){sum, 0};
    sum = MIN2(sum, 511u << 8);
    while (sum >> (shift - 7) > 511)
        shift++;
    return (struct packed_sum){sum >> (shift - 7) & 0xff, shift};
}

static void
put_block(const struct vebox_frame *f, const struct block *b, uint8_t *to)
{
    struct packed_sum stad = pack_sum(b->stad), shcm = pack_sum(b->shcm),
                      svcm = pack_sum(b->svcm), fmd[CB_PT + 1];
    unsigned second = f->deinterlace.kept[1] ? TEARS_TOP_FIRST
                                             : TEARS_BOTTOM_FIRST;
    for (unsigned i = 0; i <= CB_PT; i++)
        fmd[i] = pack_sum(b->fmd[i]);
    const uint32_t dw[4] = {
        b->fmd[TEARS_NOW] << 24 | b->fmd[second] << 16 | b->fmd[MOVED] << 8,
        stad.shift << 28 | shcm.shift << 24 | svcm.shift << 20 |
            fmd[CT_PT].shift << 16 | fmd[CB_PB].shift << 12 |
            fmd[CT_CB].shift << 8 | fmd[CT_PB].shift << 4 | fmd[CB_PT].shift,
        fmd[CB_PB].mantissa << 24 | fmd[CT_CB].mantissa << 16 |
            fmd[CT_PB].mantissa << 8 | fmd[CB_PT].mantissa,
        stad.mantissa << 24 | shcm.mantissa << 16 | svcm.mantissa << 8 |
            fmd[CT_PT].mantissa,
    };
    memcpy(to, dw, sizeof dw);
}

static void
load_rows(struct vebox_worker *w, enum vebox_stage stage, uint32_t y,
          unsigned rows, struct block_rows *to)
{
    const struct vebox_frame *f = w->frame;
    to->rows = rows;
    to->has_history = f->has_history;
    to->temporal = f->has_history && f->denoise.temporal;
    for (unsigned j = 0; j < 6; j++) {
        int64_t row = vebox_row_near(f, y + j, 0, true);
        to->now[j] = vebox_row(w, stage, row)->ch[0];
        to->then[j] = f->has_history
                          ? vebox_row(w, VEBOX_ROWS_PREVIOUS, row)->ch[0]
                          : NULL;
    }
}

static void
block_row(struct vebox_worker *w, uint32_t y, unsigned rows)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_statistics *s = &f->statistics;
    struct block_rows noisy, clean;
    load_rows(w, VEBOX_ROWS_CURRENT, y, rows, &noisy);
    load_rows(w, VEBOX_ROWS_CLEAN, y, rows, &clean);
    for (uint32_t x = f->x[0] & ~(BLOCK_X - 1u); x < f->x[1]; x += BLOCK_X) {
        struct block b = sum_block(f, &noisy, &clean, x);
        for (unsigned i = 0; i < STATISTICS_FMD; i++)
            w->sums.fmd[i] += b.fmd[i];
        if (s->blocks)
            put_block(f, &b,
                      s->blocks + (size_t)(y / 4) * s->block_pitch_B +
                          x / BLOCK_X * STATISTICS_BLOCK_B);
    }
}

/* ---- the histogram ------------------------------------------------------- */

/* Luma that ACE gets of a row. */
static void
count_row(struct vebox_worker *w, unsigned output, uint32_t y)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_statistics *s = &f->statistics;
    uint32_t end = MIN2(s->area_x[1], f->x[1] - 1) + 1;
    if (y < s->area_y[0] || y > s->area_y[1])
        return;
    vebox_deinterlace_row(w, output, y, &w->spare[0]);
    vebox_iecp_row_to_ace(&f->iecp, &w->spare[0], f->width);
    for (uint32_t x = MAX2(s->area_x[0], f->x[0]); x < end; x++)
        w->sums.histogram[output][w->spare[0].ch[0][x] >> 8]++;
}

/* ------------------------------------------------------------------------- */

void
vebox_statistics_rows(struct vebox_worker *w, uint32_t y, unsigned rows)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_statistics *s = &f->statistics;
    if (s->blocks || (s->sums && f->interlaced))
        block_row(w, y, rows);
    for (unsigned i = 0; s->histogram && i < rows; i++)
        for (unsigned output = 0;
             output < (s->two_frames && f->has_history ? 2u : 1u); output++)
            count_row(w, output, y + i);
}

static void
put_sums(const struct vebox_statistics *s, const struct vebox_sums *sums)
{
    uint32_t dw[2 * SLICES][SUMS_DW] = {{0}};
    for (unsigned i = 0; i < STATISTICS_FMD; i++)
        dw[s->two_frames][i] = (uint32_t)MIN2(sums->fmd[i], UINT32_MAX);
    memcpy(s->sums, dw, SUMS_DW * 4 * SLICES * (s->two_frames ? 2 : 1));
}

static void
put_histogram(const struct vebox_statistics *s, const struct vebox_sums *sums)
{
    uint8_t *at = s->histogram + ACE_AT_B;
    memset(at, 0, 2 * SLICES * ACE_STEP_B);
    memcpy(at, sums->histogram[1], ACE_STEP_B);
    memcpy(at + ACE_STEP_B, sums->histogram[0], ACE_STEP_B);
}

void
vebox_statistics_finish(const struct vebox_frame *f,
                        struct vebox_worker *workers, unsigned count)
{
    struct vebox_sums *sums = &workers[0].sums;
    for (unsigned n = 1; n < count; n++) {
        const struct vebox_sums *more = &workers[n].sums;
        for (unsigned i = 0; i < STATISTICS_FMD; i++)
            sums->fmd[i] += more->fmd[i];
        for (unsigned i = 0; i < 2 * STATISTICS_BINS; i++)
            sums->histogram[i / STATISTICS_BINS][i % STATISTICS_BINS] +=
                more->histogram[i / STATISTICS_BINS][i % STATISTICS_BINS];
    }
    if (f->statistics.sums)
        put_sums(&f->statistics, sums);
    if (f->statistics.histogram)
        put_histogram(&f->statistics, sums);
}
