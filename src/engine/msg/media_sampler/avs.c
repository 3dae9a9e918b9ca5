/* avs.c: the adaptive video scaler: a polyphase filter of eight or four taps
 * each way, around floor(u) - 3 and floor(u) - 1. Its phases are the upper five
 * bits of the fraction (ILK PRM vol 4 part 1, 4.8): Gen9 has coefficients for
 * each (KBL PRM vol 2d, SAMPLER_STATE_8x8_AVS). A sample's place is its number:
 * Observed: phase 0 of a copy has one tap, so no half pixel is subtracted.
 *
 * Guess: places are rounded to 1/256 sample before, like those of the other
 * filters, and sums are rounded once. Guess: the smooth filter is bilinear. */
#include "engine/msg/media_sampler/media_sampler.h"

#include <math.h>

#define TAPS 8
#define CENTER 3 /* the tap at floor(u) */
#define PHASES 32
#define FRACTION 256
/* Horizontal sums that are kept for other rows of pixels. */
#define KEPT_ROWS 16
/* Fields of the state, in bytes. */
#define STATE_MODE 15
#define STATE_SHARPNESS (152 * 4 + 3)
#define STATE_BYPASS (153 * 4 + 2)
#define BYPASS_XY 0x60
#define PHASE_B 32

/* Which samples a pixel takes along an axis. */
struct taps {
    int first;
    int16_t coefficient[TAPS]; /* 64 is 1.0 */
};

/* How a channel is filtered. */
struct kernel {
    const uint8_t *state;
    bool eight, bilinear;
    unsigned sharp; /* of 255 */
};

struct kept {
    bool valid;
    int y;
    int32_t sum[AVS_WIDTH];
};

static const uint8_t *
phase_at(const uint8_t *state, unsigned phase)
{
    /* Two tables, with other state between. */
    return state +
           (phase < 17 ? 64 + phase * PHASE_B : 640 + (phase - 17) * PHASE_B);
}

static void
bilinear_taps(struct taps *t, unsigned fraction)
{
    memset(t->coefficient, 0, sizeof t->coefficient);
    t->coefficient[CENTER + 1] = (int16_t)(fraction * 64 / FRACTION);
    t->coefficient[CENTER] = (int16_t)(64 - t->coefficient[CENTER + 1]);
}

/* Bytes of a phase: eight pairs of X and Y, then the four middle taps of each
 * axis for chroma. */
static void
polyphase_taps(struct taps *t, const struct kernel *k, unsigned phase,
               bool vertical)
{
    const int8_t *at = (const int8_t *)phase_at(k->state, phase);
    for (unsigned i = 0; i < TAPS; i++) {
        if (k->eight)
            t->coefficient[i] = at[i * 2 + vertical];
        else if (i >= 2 && i < 6)
            t->coefficient[i] = at[16 + i + vertical * 8];
        else
            t->coefficient[i] = 0;
    }
}

static struct taps
find_taps(const struct kernel *k, double place, bool vertical)
{
    struct taps t, smooth;
    const double most = 1 << 20;
    /* NaN becomes the least. */
    place = place > -most ? place < most ? place : most : -most;
    int at = (int)floor(place * FRACTION + 0.5);
    unsigned fraction = (unsigned)at % FRACTION;
    t.first = (at - (int)fraction) / FRACTION - CENTER;
    if (k->bilinear) {
        bilinear_taps(&t, fraction);
        return t;
    }
    polyphase_taps(&t, k, fraction * PHASES / FRACTION, vertical);
    if (k->sharp == 255)
        return t;
    bilinear_taps(&smooth, fraction);
    for (unsigned i = 0; i < TAPS; i++)
        t.coefficient[i] = (int16_t)((t.coefficient[i] * (int)k->sharp +
                                      smooth.coefficient[i] *
                                          (255 - (int)k->sharp)) /
                                     255);
    return t;
}

/* Mode: bit 0 adapts, bit 1 has eight taps of luma's coefficients for all
 * channels. Alpha always is bilinear. */
static struct kernel
choose_kernel(const struct avs_block *b, unsigned channel)
{
    struct kernel k = {.state = b->state,
                       .eight = channel == 1 || b->state[STATE_MODE] >> 5 & 1,
                       .bilinear = channel == 3,
                       .sharp = b->state[STATE_SHARPNESS]};
    if ((b->state[STATE_BYPASS] & BYPASS_XY) != BYPASS_XY) {
        unimp("adaptive filtering of AVS: the sharp filter");
        k.sharp = 255;
    }
    return k;
}

static double
place_of(float start, float step, float second, unsigned at)
{
    return (double)start + (double)step * at +
           (double)second * at * ((double)at - 1) / 2;
}

/* In samples of the channel. */
static double
channel_place(double normalized, unsigned size_px, float first_px, bool sub)
{
    double at = normalized * size_px - (double)first_px;
    return sub ? at / 2 : at;
}

static void
sum_row(const struct media_surface *s, const struct media_channel *c,
        const struct taps *taps, uint64_t x_B[AVS_WIDTH][TAPS], unsigned width,
        struct kept *row)
{
    uint64_t y_B = media_surface_y_B(s, c, row->y);
    for (unsigned x = 0; x < width; x++) {
        row->sum[x] = 0;
        for (unsigned i = 0; i < TAPS; i++)
            if (taps[x].coefficient[i])
                row->sum[x] += taps[x].coefficient[i] *
                               (int32_t)media_surface_read(s, c,
                                                           x_B[x][i] + y_B);
    }
    row->valid = true;
}

/* A row of pixels from rows of sums. */
static void
filter_row(const struct media_surface *s, const struct media_channel *c,
           const struct taps *across, uint64_t x_B[AVS_WIDTH][TAPS],
           const struct taps *down, unsigned width, struct kept *kept,
           uint16_t out[AVS_WIDTH])
{
    int64_t sum[AVS_WIDTH] = {0};
    for (unsigned i = 0; i < TAPS; i++) {
        int y = down->first + (int)i;
        struct kept *row = &kept[(unsigned)y % KEPT_ROWS];
        if (!down->coefficient[i])
            continue;
        if (!row->valid || row->y != y) {
            row->y = y;
            sum_row(s, c, across, x_B, width, row);
        }
        for (unsigned x = 0; x < width; x++)
            sum[x] += (int64_t)down->coefficient[i] * row->sum[x];
    }
    for (unsigned x = 0; x < width; x++) {
        int64_t v = (sum[x] + (1 << 11)) >> 12;
        out[x] = (uint16_t)CLAMP(v, 0, (int64_t)c->one);
    }
}

void
avs_filter(const struct media_surface *s, unsigned channel,
           const struct avs_block *b, uint16_t out[AVS_HEIGHT][AVS_WIDTH])
{
    const struct media_channel *c = &s->channel[channel];
    struct taps across[AVS_WIDTH];
    uint64_t x_B[AVS_WIDTH][TAPS];
    struct kept kept[KEPT_ROWS];
    if (!c->exists) {
        for (unsigned i = 0; i < AVS_HEIGHT * AVS_WIDTH; i++)
            out[i / AVS_WIDTH][i % AVS_WIDTH] = channel == 3 ? c->one : 0;
        return;
    }
    struct kernel k = choose_kernel(b, channel);
    for (unsigned i = 0; i < KEPT_ROWS; i++)
        kept[i].valid = false;
    for (unsigned x = 0; x < b->width; x++) {
        double u = place_of(b->u, b->du, b->ddu, x);
        across[x] = find_taps(&k, channel_place(u, s->width, c->x_px, c->sub_x),
                              false);
        for (unsigned i = 0; i < TAPS; i++)
            x_B[x][i] = media_surface_x_B(s, c, across[x].first + (int)i);
    }
    for (unsigned y = 0; y < b->height; y++) {
        double v = place_of(b->v, b->dv, b->ddv, b->row + y);
        struct taps down = find_taps(
            &k, channel_place(v, s->height, c->y_px, c->sub_y), true);
        filter_row(s, c, across, x_B, &down, b->width, kept, out[y]);
    }
}
