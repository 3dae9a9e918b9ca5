/* vebox_deinterlace.c: makes a frame of a field: rows of the other field are
 * interpolated in the kept one along edges, or taken from the frames' other
 * fields where nothing moves.
 *
 * The structure is the manual's (Ironlake PRM vol 4 part 1, 4.7.3: spatial
 * angle detection, a motion measure over time called STMM, a blend by it); its
 * formulas are not published, so all of these are guesses. Without history the
 * result is spatial alone, as there. */
#include "engine/vebox/frame/frame.h"

#include <stdlib.h>

/* Steps of an edge to the side that are looked at, and the window. */
#define ANGLES 3
#define WINDOW 1

void
vebox_deinterlace_init(struct vebox_deinterlace *d, const uint32_t *dw)
{
    bool top_first = bits_get(dw[16], 3, 3);
    /* The first field of the current frame, the second one of the previous. */
    d->kept[0] = !top_first;
    d->kept[1] = top_first;
    d->cadence[0] = bits_get(dw[17], 8, 9);
    d->cadence[1] = bits_get(dw[17], 16, 17);
    d->stmm_max = bits_get(dw[13], 0, 7);
    d->stmm_min = bits_get(dw[14], 24, 31);
    d->stmm_shift = bits_get(dw[14], 16, 19);
    d->blend_slow = bits_get(dw[13], 16, 23);
    d->blend_fast = bits_get(dw[13], 24, 30);
    d->sdi_delta = bits_get(dw[14], 0, 7);
    d->sdi_threshold = bits_get(dw[14], 8, 15);
}

/* Rows of the kept field around row y of the other one. */
struct around {
    const struct vebox_line *up, *down;
};

/* Difference of windows along an edge that moves `angle` columns a row. */
static inline int
edge_cost(const uint16_t *up, const uint16_t *down, uint32_t x, int angle)
{
    int sum = 0;
    for (int i = -WINDOW; i <= WINDOW; i++)
        sum += abs(up[(int)x + i + angle] - down[(int)x + i - angle]);
    return sum;
}

/* The angle with the least difference: 0 unless another one is better by
 * sdi_delta, and the vertical one bad enough to be an edge. */
static inline int
find_angle(const struct vebox_deinterlace *d, const uint16_t *up,
           const uint16_t *down, uint32_t x)
{
    int best = 0, vertical = edge_cost(up, down, x, 0);
    if (vertical <= (int)(d->sdi_threshold * 3 << 8))
        return 0;
    int least = vertical - (int)(d->sdi_delta << 8);
    for (int angle = 1; angle <= ANGLES; angle++) {
        int right = edge_cost(up, down, x, angle);
        int left = edge_cost(up, down, x, -angle);
        if (right < least)
            least = right, best = angle;
        if (left < least)
            least = left, best = -angle;
    }
    return best;
}

static void
interpolate_row(const struct vebox_deinterlace *d, const struct around *a,
                uint32_t width, struct vebox_line *to)
{
    for (uint32_t x = 0; x < width; x++) {
        int angle = find_angle(d, a->up->ch[0], a->down->ch[0], x);
        for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
            int turn = c == 0 ? angle : 0;
            to->ch[c][x] = (uint16_t)((a->up->ch[c][(int)x + turn] +
                                       a->down->ch[c][(int)x - turn] + 1) >>
                                      1);
        }
    }
}

static void
copy_row(struct vebox_line *to, const struct vebox_line *from, uint32_t width)
{
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++)
        memcpy(to->ch[c], from->ch[c], width * sizeof(uint16_t));
}

/* Cadence: the missing rows are those of a neighbouring field. Of the current
 * frame's first field the one before it is the previous frame's second, the one
 * after it the current frame's; of the previous frame's second field they are
 * the previous frame's first and the current frame's first. */
static enum vebox_stage
cadence_stage(unsigned cadence)
{
    return cadence == 1 ? VEBOX_ROWS_PREVIOUS : VEBOX_ROWS_CLEAN;
}

/* ---- motion -------------------------------------------------------------- */

/* Motion at a pixel, 0..255: how much it and its neighbours above and below
 * changed since the previous frame. */
static inline unsigned
motion_at(const struct vebox_line *now[3], const struct vebox_line *then[3],
          uint32_t x)
{
    unsigned most = 0;
    for (unsigned i = 0; i < 3; i++) {
        int change = abs(now[i]->ch[0][x] - then[i]->ch[0][x]) >> 8;
        most = MAX2(most, (unsigned)change);
    }
    return most;
}

static void
load_neighbours(struct vebox_worker *w, uint32_t y,
                const struct vebox_line *now[3],
                const struct vebox_line *then[3])
{
    for (int i = 0; i < 3; i++) {
        int64_t row = vebox_row_near(w->frame, (int64_t)y, i - 1, false);
        now[i] = vebox_row(w, VEBOX_ROWS_CLEAN, row);
        then[i] = vebox_row(w, VEBOX_ROWS_PREVIOUS, row);
    }
}

/* The motion of a pixel over time: it rises at once, and falls by the blending
 * constant for large values, or for small ones. Bytes of STMM serve two
 * columns. */
static inline unsigned
blend_motion(const struct vebox_deinterlace *d, unsigned before, unsigned now)
{
    unsigned keep = before > 64 ? d->blend_fast : d->blend_slow;
    keep = MIN2(keep, 128);
    unsigned blended = (before * keep + now * (128 - keep) + 64) >> 7;
    return MAX2(now, blended);
}

static inline const uint8_t *
motion_row(const struct vebox_motion *m, uint32_t y)
{
    return m->base ? m->base + (size_t)y * m->pitch_B : NULL;
}

/* How much of the spatial result a motion takes, of 256. */
static inline unsigned
motion_weight(const struct vebox_deinterlace *d, unsigned motion)
{
    unsigned max = MAX2(d->stmm_max, d->stmm_min + 1);
    unsigned m = CLAMP(motion, d->stmm_min, max) - d->stmm_min;
    return m * 256 / (max - d->stmm_min);
}

/* Where nothing moves, the other field's rows before and after. */
static void
blend_still(struct vebox_worker *w, uint32_t y, struct vebox_line *to)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_deinterlace *d = &f->deinterlace;
    const struct vebox_line *now[3], *then[3];
    const uint8_t *before = motion_row(&f->stmm_in, y);
    load_neighbours(w, y, now, then);
    for (uint32_t x = 0; x < f->width; x++) {
        unsigned motion = motion_at(now, then, x);
        motion = blend_motion(d, before ? before[x / 2] : 255, motion);
        int weight = (int)motion_weight(d, motion);
        for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
            int still = (now[1]->ch[c][x] + then[1]->ch[c][x] + 1) >> 1;
            int change = (to->ch[c][x] - still) * weight;
            to->ch[c][x] = (uint16_t)(still + ((change + 128) >> 8));
        }
    }
}

/* Without history the largest motion, so that the next frame is spatial too. */
void
vebox_deinterlace_motion(struct vebox_worker *w, uint32_t y)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_line *now[3], *then[3];
    uint8_t *to = (uint8_t *)motion_row(&f->stmm_out, y);
    const uint8_t *before = motion_row(&f->stmm_in, y);
    if (!to)
        return;
    uint32_t columns = (f->width + 1) / 2;
    if (!f->has_history) {
        memset(to, 255, columns);
        return;
    }
    load_neighbours(w, y, now, then);
    for (uint32_t x = 0; x < columns; x++) {
        unsigned motion = MAX2(motion_at(now, then, x * 2),
                               motion_at(now, then, x * 2 + 1));
        to[x] = (uint8_t)blend_motion(&f->deinterlace, before ? before[x] : 255,
                                      motion);
    }
}

/* ------------------------------------------------------------------------- */

void
vebox_deinterlace_row(struct vebox_worker *w, unsigned output, uint32_t y,
                      struct vebox_line *to)
{
    const struct vebox_frame *f = w->frame;
    const struct vebox_deinterlace *d = &f->deinterlace;
    enum vebox_stage own = output ? VEBOX_ROWS_PREVIOUS : VEBOX_ROWS_CLEAN;
    if (!d->enabled || (y & 1) == d->kept[output]) {
        copy_row(to, vebox_row(w, own, y), f->width);
        return;
    }
    unsigned cadence = f->has_history ? d->cadence[output] : 0;
    if (cadence) {
        copy_row(to, vebox_row(w, cadence_stage(cadence), y), f->width);
        return;
    }
    struct around a = {
        .up = vebox_row(w, own, y ? y - 1 : MIN2(y + 1, f->height - 1)),
        .down = vebox_row(w, own,
                          y + 1 < f->height ? y + 1
                          : y               ? y - 1
                                            : 0),
    };
    interpolate_row(d, &a, f->width, to);
    if (f->has_history)
        blend_still(w, y, to);
}
