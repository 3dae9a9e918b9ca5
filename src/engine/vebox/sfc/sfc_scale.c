/* sfc_scale.c: the scaler: 8x8 polyphase or bilinear, first rows, then
 * columns. */
#include "engine/vebox/sfc/sfc.h"

#define ONE (INT64_C(1) << 17)
#define PHASE_BITS 5
#define CENTER 3 /* the tap that phase 0 has its weight in */

/* ---- tables ---- */

static int16_t
coefficient(const uint32_t *dw, unsigned at)
{
    return (int16_t)vebox_signed(dw[at / 4] >> (at % 4 * 8), 8);
}

/* SFC_AVS_LUMA_Coeff_Table has x and y by turns, taps 0 to 7; the one of chroma
 * has taps 2 to 5. */
static void
tables_init(struct sfc *s, const struct vebox_state *v)
{
    for (unsigned p = 0; p < SFC_PHASES; p++) {
        for (unsigned t = 0; t < SFC_TAPS; t++) {
            unsigned at = (p * SFC_TAPS + t) * 2;
            s->x.luma[p][t] = coefficient(v->avs_luma + 1, at);
            s->y.luma[p][t] = coefficient(v->avs_luma + 1, at + 1);
        }
        for (unsigned t = 2; t < 6; t++) {
            unsigned at = (p * 4 + t - 2) * 2;
            s->x.chroma[p][t] = coefficient(v->avs_chroma + 1, at);
            s->y.chroma[p][t] = coefficient(v->avs_chroma + 1, at + 1);
        }
    }
}

static void
region_init(struct sfc_axis *a, uint32_t limit, uint32_t first, uint32_t count,
            uint32_t size, uint32_t step)
{
    a->first = MIN2(first, limit - 1);
    a->count = MIN2(count, limit - a->first);
    a->size = size;
    a->step = step;
}

void
sfc_axis_init(struct sfc *s, const struct vebox_state *v)
{
    const uint32_t *dw = v->sfc;
    region_init(&s->x, s->frame->width, bits_get(dw[6], 0, 11),
                bits_get(dw[5], 0, 11) + 1, bits_get(dw[8], 0, 11) + 1,
                bits_get(dw[15], 0, 20));
    region_init(&s->y, s->frame->height, bits_get(dw[6], 16, 27),
                bits_get(dw[5], 16, 27) + 1, bits_get(dw[8], 16, 27) + 1,
                bits_get(dw[14], 0, 20));
    bool scales = bits_get(dw[4], 7, 7);
    s->filter = !scales                      ? SFC_COPY
                : bits_get(dw[4], 4, 5) == 2 ? SFC_BILINEAR
                                             : SFC_POLYPHASE;
    bool adapts = s->filter == SFC_POLYPHASE;
    s->adaptive = (struct adaptive){
        .x = adapts && !bits_get(dw[4], 9, 9),
        .y = adapts && !bits_get(dw[4], 8, 8),
        .all_channels = bits_get(dw[4], 6, 6),
        .level = (uint8_t)bits_get(v->avs[1], 24, 31),
        .max_derivative_4 = (uint8_t)bits_get(v->avs[2], 16, 23),
        .max_derivative_8 = (uint8_t)bits_get(v->avs[2], 0, 7),
        .transition_4 = (uint8_t)bits_get(v->avs[1], 4, 6),
        .transition_8 = (uint8_t)bits_get(v->avs[1], 0, 2),
    };
    tables_init(s, v);
}

/* ---- positions ---- */

/* Where an output pixel's centre is in the source: whole pixel and fraction. */
struct position {
    int64_t whole;
    unsigned phase;  /* of 32; of the whole pixel */
    unsigned weight; /* fraction, of 64 */
};

static struct position
position_of(const struct sfc_axis *a, uint32_t at)
{
    int64_t p = ((2 * (int64_t)at + 1) * a->step - ONE) / 2;
    int64_t near = p + (1 << (16 - PHASE_BITS));
    int64_t phase = near >> (17 - PHASE_BITS);
    return (struct position){
        .whole = phase >> PHASE_BITS,
        .phase = (unsigned)phase & (SFC_PHASES - 1),
        .weight = ((unsigned)phase & (SFC_PHASES - 1)) * 2,
    };
}

static inline int64_t
clamp_to(const struct sfc_axis *a, int64_t at)
{
    return a->first + CLAMP(at, 0, (int64_t)a->count - 1);
}

/* The value of eight samples: sharp and smooth, by the sharpness of the channel
 * or, if `adapts`, of the samples. */
static inline uint16_t
mix(const struct sfc *s, const uint16_t v[SFC_TAPS], const int16_t *weights,
    unsigned weight, bool adapts)
{
    int64_t smooth = (int)(64 - weight) * v[CENTER] +
                     (int)weight * v[CENTER + 1],
            sharp = 0;
    unsigned sharpness = s->adaptive.level;
    if (s->filter == SFC_BILINEAR)
        return (uint16_t)((smooth + 32) >> 6);
    for (int t = 0; t < SFC_TAPS; t++)
        sharp += weights[t] * v[t];
    if (adapts)
        sharpness = adaptive_sharpness(&s->adaptive, v);
    int64_t sum = sharpness == ADAPTIVE_SHARP
                      ? sharp
                      : adaptive_blend(sharp, smooth, sharpness);
    return (uint16_t)CLAMP((sum + 32) >> 6, 0, 0xffff);
}

/* Guess: chroma adapts by its own samples. */
static inline bool
channel_adapts(const struct sfc *s, bool direction, unsigned channel)
{
    return direction && channel < 3 && (!channel || s->adaptive.all_channels);
}

/* ---- rows ---- */

static void
scale_x(const struct sfc *s, const struct vebox_line *from,
        struct vebox_line *to)
{
    const struct sfc_axis *a = &s->x;
    for (uint32_t x = 0; x < a->size; x++) {
        struct position p = position_of(a, x);
        int64_t tap[SFC_TAPS];
        for (int t = 0; t < SFC_TAPS; t++)
            tap[t] = clamp_to(a, p.whole + t - CENTER);
        for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
            const int16_t *weights = c ? a->chroma[p.phase] : a->luma[p.phase];
            uint16_t v[SFC_TAPS];
            for (int t = 0; t < SFC_TAPS; t++)
                v[t] = from->ch[c][tap[t]];
            to->ch[c][x] = mix(s, v, weights, p.weight,
                               channel_adapts(s, s->adaptive.x, c));
        }
    }
}

static void
copy_x(const struct sfc *s, const struct vebox_line *from,
       struct vebox_line *to)
{
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++)
        for (uint32_t x = 0; x < s->x.size; x++)
            to->ch[c][x] = from->ch[c][clamp_to(&s->x, x)];
}

/* A row of the source, scaled in x. */
static const struct vebox_line *
wide_row(struct sfc_worker *w, int64_t y)
{
    uint32_t row = (uint32_t)y, slot = row % VEBOX_ROWS;
    struct vebox_line *line = &w->wide.line[slot];
    if (w->wide.y[slot] == row)
        return line;
    const struct vebox_line *from = vebox_row(&w->vebox, VEBOX_ROWS_DONE, y);
    if (w->sfc->filter == SFC_COPY)
        copy_x(w->sfc, from, line);
    else
        scale_x(w->sfc, from, line);
    w->wide.y[slot] = row;
    return line;
}

static void
scale_y(struct sfc_worker *w, uint32_t y, struct vebox_line *to)
{
    const struct sfc *s = w->sfc;
    const struct sfc_axis *a = &s->y;
    struct position p = position_of(a, y);
    const struct vebox_line *rows[SFC_TAPS];
    for (int t = 0; t < SFC_TAPS; t++)
        rows[t] = wide_row(w, clamp_to(a, p.whole + t - CENTER));
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
        const int16_t *weights = c ? a->chroma[p.phase] : a->luma[p.phase];
        for (uint32_t x = 0; x < s->x.size; x++) {
            uint16_t v[SFC_TAPS];
            for (int t = 0; t < SFC_TAPS; t++)
                v[t] = rows[t]->ch[c][x];
            to->ch[c][x] = mix(s, v, weights, p.weight,
                               channel_adapts(s, s->adaptive.y, c));
        }
    }
}

static void
copy_y(struct sfc_worker *w, uint32_t y, struct vebox_line *to)
{
    const struct vebox_line *from = wide_row(w, clamp_to(&w->sfc->y, y));
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++)
        memcpy(to->ch[c], from->ch[c], w->sfc->x.size * sizeof(uint16_t));
}

const struct vebox_line *
sfc_scaled_row(struct sfc_worker *w, int64_t y)
{
    const struct sfc *s = w->sfc;
    uint32_t row = (uint32_t)CLAMP(y, 0, (int64_t)s->y.size - 1);
    uint32_t slot = row % VEBOX_ROWS;
    struct vebox_line *line = &w->scaled.line[slot];
    if (w->scaled.y[slot] == row)
        return line;
    if (s->filter == SFC_COPY)
        copy_y(w, row, line);
    else
        scale_y(w, row, line);
    vebox_extend_row(line, s->x.size);
    w->scaled.y[slot] = row;
    return line;
}
