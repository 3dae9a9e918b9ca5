/* vebox_denoise.c: the denoise filter. The structure is the manual's (Ironlake
 * PRM vol 4 part 1, 4.7.1; KBL PRM vol 2d, VEBOX_DNDI_STATE): a temporal filter
 * blends with the previous frame by the history of a place, a spatial one
 * weighs 5x5 neighbours by their place and difference, and the less a place has
 * moved the more the temporal one counts. Its formulas are not published: all
 * of these are guesses. Differences are of 12 bits, as the manual has the sums
 * of 4x4 ("14-bit values"), of chroma 8 bits.
 *
 * A byte of history is for four columns of a row, from half of a row of the
 * STMM surface on: luma; from three quarters on: chroma. */
#include "engine/vebox/frame/frame.h"

#include <stdlib.h>

#define HISTORY_COLUMNS 4

void
vebox_denoise_init(struct vebox_denoise *d, const uint32_t *dw)
{
    d->progressive = bits_get(dw[2], 28, 28);
    d->chroma = bits_get(dw[4], 12, 12);
    d->moving = bits_get(dw[0], 0, 4);
    d->history_step = bits_get(dw[0], 8, 11);
    d->history_max = bits_get(dw[0], 12, 19);
    d->history_first = bits_get(dw[2], 10, 15);
    d->stad[0] = bits_get(dw[0], 20, 31);
    d->low[0] = bits_get(dw[1], 0, 9);
    d->high[0] = bits_get(dw[1], 10, 19);
    d->asd = bits_get(dw[1], 20, 31);
    d->low[1] = bits_get(dw[4], 0, 5);
    d->high[1] = bits_get(dw[4], 6, 11);
    d->stad[1] = bits_get(dw[4], 16, 23);
    d->hot_threshold = bits_get(dw[3], 20, 27);
    d->hot_count = bits_get(dw[3], 28, 31);
    for (unsigned i = 0; i < DENOISE_RANGES; i++)
        d->range_weight[i] = bits_get(dw[5], i * 5, i * 5 + 4);
    d->range_limit[0] = bits_get(dw[10], 16, 28);
    d->range_limit[1] = bits_get(dw[9], 0, 12);
    d->range_limit[2] = bits_get(dw[9], 16, 28);
    d->range_limit[3] = bits_get(dw[8], 0, 12);
    d->range_limit[4] = bits_get(dw[8], 16, 28);
    for (unsigned y = 0; y < 3; y++)
        for (unsigned x = 0; x < 3; x++)
            d->place_weight[y][x] = y < 2 ? bits_get(dw[11], y * 15 + x * 5,
                                                     y * 15 + x * 5 + 4)
                                          : bits_get(dw[10], x * 5, x * 5 + 4);
}

/* ---- space --------------------------------------------------------------- */

static inline unsigned
range_weight(const struct vebox_denoise *d, unsigned difference)
{
    unsigned i = 0;
    while (i + 1 < DENOISE_RANGES && difference >= d->range_limit[i])
        i++;
    return d->range_weight[i];
}

/* The 5x5 neighbours of a pixel, which is `center` by now, weighted by place
 * and by difference, of 12 bits. */
static unsigned
filter_space(const struct vebox_denoise *d, const struct vebox_line *rows[5],
             unsigned center, uint32_t x)
{
    uint64_t sum = 0, weights = 0;
    for (int j = -2; j <= 2; j++) {
        const uint16_t *row = rows[2 + j]->ch[0] + x;
        for (int i = -2; i <= 2; i++) {
            unsigned v = i || j ? row[i] : center;
            unsigned difference = (unsigned)abs((int)v - (int)center) >> 4;
            uint64_t weight = (uint64_t)range_weight(d, difference) *
                              d->place_weight[abs(j)][abs(i)];
            sum += weight * v;
            weights += weight;
        }
    }
    return weights ? (unsigned)((sum + weights / 2) / weights) : center;
}

static int
compare_u16(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* A hot pixel differs from most of its eight neighbours: their median. */
static unsigned
filter_hot(const struct vebox_denoise *d, const struct vebox_line *rows[5],
           unsigned c, uint32_t x)
{
    unsigned center = rows[2]->ch[c][x], different = 0, count = 0;
    uint16_t near[9];
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            uint16_t v = rows[2 + j]->ch[c][(int)x + i];
            different += (unsigned)abs((int)v - (int)center) > d->hot_threshold
                                                                   << 8;
            near[count++] = v;
        }
    }
    if (different < d->hot_count)
        return center;
    qsort(near, 9, sizeof near[0], compare_u16);
    return near[4];
}

/* ---- time ---------------------------------------------------------------- */

static uint8_t *
history_row(const struct vebox_motion *m, unsigned chroma, uint32_t y)
{
    return m->base ? m->base + (size_t)y * m->pitch_B +
                         m->pitch_B / 4 * (2 + chroma)
                   : NULL;
}

/* History that four columns have now: it grows while they are still, and begins
 * anew when more than `moving` of them moved or the sum of changes is too
 * large. */
static unsigned
next_history(const struct vebox_denoise *d, const struct vebox_line *now,
             const struct vebox_line *then, unsigned chroma, uint32_t x,
             uint32_t width, unsigned before)
{
    unsigned sum = 0, moved = 0, down = chroma ? 8 : 4;
    for (uint32_t i = x; i < MIN2(x + HISTORY_COLUMNS, width); i++) {
        unsigned change = (unsigned)abs(now->ch[chroma][i] -
                                        then->ch[chroma][i]) >>
                          down;
        sum += change;
        moved += change > d->high[chroma];
    }
    if (moved * 4 > d->moving || sum * 4 >= d->stad[chroma])
        return d->history_first;
    return MIN2(before + d->history_step, MAX2(d->history_max, 1u));
}

/* Blends a pixel with the previous frame: fully below the low threshold, not at
 * all above the high one; by at most the history, of 256. */
static unsigned
filter_time(const struct vebox_denoise *d, unsigned now, unsigned then,
            unsigned space, unsigned chroma, unsigned history)
{
    unsigned change = (unsigned)abs((int)now - (int)then) >> (chroma ? 8 : 4);
    unsigned low = d->low[chroma], high = d->high[chroma];
    unsigned part = change < low    ? 256
                    : change < high ? (high - change) * 256 / (high - low)
                                    : 0;
    unsigned weight = part * MIN2(history, 255u) / 256;
    return (space * (256 - weight) + then * weight + 128) / 256;
}

/* ------------------------------------------------------------------------- */

static void
denoise_channel(struct vebox_worker *w, unsigned c,
                const struct vebox_line *rows[5], const struct vebox_line *then,
                uint32_t y, struct vebox_line *to)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_denoise *d = &f->denoise;
    unsigned chroma = c > 0;
    const uint8_t *before = history_row(&f->stmm_in, chroma, y);
    unsigned history = 0;
    for (uint32_t x = 0; x < f->width; x++) {
        unsigned now = rows[2]->ch[c][x];
        if (d->hot_pixels)
            now = filter_hot(d, rows, c, x);
        unsigned space = chroma ? now : filter_space(d, rows, now, x);
        if (then && x % HISTORY_COLUMNS == 0)
            history = next_history(d, rows[2], then, chroma, x, f->width,
                                   before ? before[x / 4] : d->history_first);
        to->ch[c][x] = (uint16_t)(then ? filter_time(d, now, then->ch[c][x],
                                                     space, chroma, history)
                                       : space);
    }
}

void
vebox_denoise_row(struct vebox_worker *w, uint32_t y, struct vebox_line *to)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_denoise *d = &f->denoise;
    const struct vebox_line *rows[5], *then = NULL;
    for (int i = 0; i < 5; i++)
        rows[i] = vebox_row(w, VEBOX_ROWS_CURRENT,
                            vebox_row_near(f, y, i - 2, !d->progressive));
    if (f->has_history && d->temporal)
        then = vebox_row(w, VEBOX_ROWS_PREVIOUS, y);
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
        if (c == 0 || (c < 3 && d->chroma))
            denoise_channel(w, c, rows, then, y, to);
        else
            memcpy(to->ch[c], rows[2]->ch[c], f->width * sizeof(uint16_t));
    }
    vebox_extend_row(to, f->width);
}

void
vebox_denoise_history(struct vebox_worker *w, uint32_t y)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_denoise *d = &f->denoise;
    bool read = f->has_history && d->temporal;
    const struct vebox_line *now, *then;
    for (unsigned chroma = 0; chroma < 2; chroma++) {
        uint8_t *to = history_row(&f->stmm_out, chroma, y);
        const uint8_t *before = history_row(&f->stmm_in, chroma, y);
        if (!to)
            return;
        now = vebox_row(w, VEBOX_ROWS_CURRENT, y);
        then = read ? vebox_row(w, VEBOX_ROWS_PREVIOUS, y) : NULL;
        for (uint32_t x = 0; x < f->width; x += HISTORY_COLUMNS)
            to[x / 4] = (uint8_t)(then ? next_history(d, now, then, chroma, x,
                                                      f->width,
                                                      before ? before[x / 4]
                                                             : d->history_first)
                                       : d->history_first);
    }
}
