/* avs.c: the adaptive video scaler: a polyphase filter of eight or four taps
 * each way, around floor(u) - 3 and floor(u) - 1. Its phases are the upper five
 * bits of the fraction (ILK PRM vol 4 part 1, 4.8): Gen9 has coefficients for
 * each (KBL PRM vol 2d, SAMPLER_STATE_8x8_AVS). A sample's place is its number:
 * Observed: phase 0 of a copy has one tap, so no half pixel is subtracted.
 *
 * Guess: places are rounded to 1/256 sample before, like those of the other
 * filters, and sums are rounded once. Guess: the smooth filter is bilinear.
 * Guess: a channel adapts by its own samples, but those of RGB by G, or by
 * (R + 2G + B) / 4, and channels that do not have the default sharpness. */
#include "engine/enhance/enhance.h"
#include "engine/msg/media_sampler/media_sampler.h"

#include <math.h>

#define TAPS ADAPTIVE_TAPS
#define CENTER 3 /* the tap at floor(u) */
#define PHASES 32
#define FRACTION 256
/* Horizontal sums that are kept for other rows of pixels. */
#define KEPT_ROWS 16
/* Fields of the state, in bytes. */
#define STATE_MODE 15
#define STATE_TRANSITION (152 * 4)
#define STATE_MAX_8 (152 * 4 + 1)
#define STATE_MAX_4 (152 * 4 + 2)
#define STATE_SHARPNESS (152 * 4 + 3)
#define STATE_ADAPTIVE (153 * 4)
#define STATE_BYPASS (153 * 4 + 2)
#define ADAPTIVE_RGB 0x01
#define ADAPTIVE_ALL 0x02
#define BYPASS_Y 0x20
#define BYPASS_X 0x40
#define PHASE_B 32

/* Which samples a pixel takes along an axis, by the sharp filter, and the
 * smooth one's, which are at CENTER and after it. */
struct taps {
    int first;
    int16_t coefficient[TAPS]; /* 64 is 1.0 */
    int16_t smooth[2];
};

/* How a channel is filtered. */
struct kernel {
    const uint8_t *state;
    const struct media_surface *s;
    const struct media_channel *c;
    bool eight, bilinear;
    struct adaptive adaptive;
    bool by_green, by_luma; /* of RGB: whose samples sharpness comes from */
};

/* A row of horizontal sums, 64 times the value: of the channel, and of what the
 * sharpness comes from. */
struct kept {
    bool valid;
    int y;
    int32_t sum[AVS_WIDTH], guide[AVS_WIDTH];
};

/* Columns of a block: their taps and where their samples are. */
struct columns {
    unsigned width;
    struct taps taps[AVS_WIDTH];
    uint64_t x_B[AVS_WIDTH][TAPS];
};

/* ---- taps ---------------------------------------------------------------- */

static const uint8_t *
phase_at(const uint8_t *state, unsigned phase)
{
    /* Two tables, with other state between. */
    return state +
           (phase < 17 ? 64 + phase * PHASE_B : 640 + (phase - 17) * PHASE_B);
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

/* One filter that has a fixed share of both. */
static void
blend_taps(struct taps *t, unsigned sharpness)
{
    for (unsigned i = 0; i < TAPS; i++) {
        int smooth = i == CENTER       ? t->smooth[0]
                     : i == CENTER + 1 ? t->smooth[1]
                                       : 0;
        t->coefficient[i] = (int16_t)adaptive_blend(t->coefficient[i], smooth,
                                                    sharpness);
    }
}

static struct taps
find_taps(const struct kernel *k, double place, bool vertical)
{
    struct taps t = {0};
    const double most = 1 << 20;
    /* NaN becomes the least. */
    place = place > -most ? place < most ? place : most : -most;
    int at = (int)floor(place * FRACTION + 0.5);
    unsigned fraction = (unsigned)at % FRACTION;
    t.first = (at - (int)fraction) / FRACTION - CENTER;
    t.smooth[1] = (int16_t)(fraction * 64 / FRACTION);
    t.smooth[0] = (int16_t)(64 - t.smooth[1]);
    polyphase_taps(&t, k, fraction * PHASES / FRACTION, vertical);
    if (k->bilinear)
        blend_taps(&t, 0);
    else if (!(vertical ? k->adaptive.y : k->adaptive.x))
        blend_taps(&t, k->adaptive.level);
    return t;
}

/* Mode: bit 0 adapts, as YUV always does; bit 1 has eight taps of luma's
 * coefficients for all channels. Alpha always is bilinear. */
static struct kernel
choose_kernel(const struct media_surface *s, const struct avs_block *b,
              unsigned channel)
{
    const uint8_t *state = b->state;
    struct kernel k = {
        .state = state,
        .s = s,
        .c = &s->channel[channel],
        .eight = channel == 1 || state[STATE_MODE] >> 5 & 1,
        .bilinear = channel == 3,
        .adaptive = {.all_channels = state[STATE_ADAPTIVE] & ADAPTIVE_ALL,
                     .level = state[STATE_SHARPNESS],
                     .max_derivative_4 = state[STATE_MAX_4],
                     .max_derivative_8 = state[STATE_MAX_8],
                     .transition_4 = state[STATE_TRANSITION] >> 4 & 7,
                     .transition_8 = state[STATE_TRANSITION] & 7}};
    bool adapts = (s->is_yuv || state[STATE_MODE] >> 4 & 1) &&
                  (channel == 1 || k.adaptive.all_channels) && !k.bilinear;
    k.adaptive.x = adapts && !(state[STATE_BYPASS] & BYPASS_X);
    k.adaptive.y = adapts && !(state[STATE_BYPASS] & BYPASS_Y);
    bool rgb = !s->is_yuv && s->channel[0].exists && s->channel[1].exists &&
               s->channel[2].exists;
    k.by_luma = rgb && state[STATE_ADAPTIVE] & ADAPTIVE_RGB;
    k.by_green = rgb && !k.by_luma && channel != 1;
    return k;
}

/* ---- places -------------------------------------------------------------- */

static double
place_of(float start, float step, float second, int at)
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
find_columns(struct columns *columns, const struct kernel *k,
             const struct avs_block *b)
{
    const struct media_channel *c = k->c;
    columns->width = b->width;
    for (unsigned x = 0; x < b->width; x++) {
        double u = place_of(b->u, b->du, b->ddu, b->column + (int)x);
        struct taps *t = &columns->taps[x];
        *t = find_taps(k, channel_place(u, k->s->width, c->x_px, c->sub_x),
                       false);
        for (unsigned i = 0; i < TAPS; i++)
            columns->x_B[x][i] = media_surface_x_B(k->s, c, t->first + (int)i);
    }
}

/* ---- filters ------------------------------------------------------------- */

static bool
has_guide(const struct kernel *k)
{
    return k->by_luma || k->by_green;
}

static uint16_t
read_guide(const struct kernel *k, uint64_t at_B)
{
    const struct media_channel *c = k->s->channel;
    uint32_t green = media_surface_read(k->s, &c[1], at_B);
    if (k->by_green)
        return (uint16_t)green;
    return (uint16_t)((media_surface_read(k->s, &c[0], at_B) + 2 * green +
                       media_surface_read(k->s, &c[2], at_B)) >>
                      2);
}

/* With the blend's share of the sharp filter. */
static int64_t
sum_taps(const struct taps *t, const int32_t v[TAPS], unsigned sharpness)
{
    int64_t sharp = 0;
    for (unsigned i = 0; i < TAPS; i++)
        sharp += (int64_t)t->coefficient[i] * v[i];
    if (sharpness == ADAPTIVE_SHARP)
        return sharp;
    return adaptive_blend(sharp,
                          (int64_t)t->smooth[0] * v[CENTER] +
                              (int64_t)t->smooth[1] * v[CENTER + 1],
                          sharpness);
}

/* Without taps that have no weight: copies have one. */
static void
sum_row(const struct kernel *k, const struct columns *columns, uint64_t y_B,
        struct kept *row)
{
    for (unsigned x = 0; x < columns->width; x++) {
        row->sum[x] = 0;
        for (unsigned i = 0; i < TAPS; i++)
            if (columns->taps[x].coefficient[i])
                row->sum[x] += columns->taps[x].coefficient[i] *
                               (int32_t)media_surface_read(
                                   k->s, k->c, columns->x_B[x][i] + y_B);
    }
}

static void
adapt_row(const struct kernel *k, const struct columns *columns, uint64_t y_B,
          struct kept *row)
{
    for (unsigned x = 0; x < columns->width; x++) {
        const struct taps *t = &columns->taps[x];
        uint16_t guide[TAPS];
        int32_t v[TAPS], g[TAPS];
        for (unsigned i = 0; i < TAPS; i++) {
            uint64_t at_B = columns->x_B[x][i] + y_B;
            v[i] = (int32_t)media_surface_read(k->s, k->c, at_B);
            guide[i] = has_guide(k) ? read_guide(k, at_B) : (uint16_t)v[i];
            g[i] = guide[i];
        }
        unsigned sharpness = k->adaptive.x
                                 ? adaptive_sharpness(&k->adaptive, guide)
                                 : ADAPTIVE_SHARP;
        row->sum[x] = (int32_t)sum_taps(t, v, sharpness);
        row->guide[x] = (int32_t)sum_taps(t, g, sharpness);
    }
}

static struct kept *
find_row(const struct kernel *k, const struct columns *columns,
         struct kept kept[KEPT_ROWS], int y)
{
    struct kept *row = &kept[(unsigned)y % KEPT_ROWS];
    if (row->valid && row->y == y)
        return row;
    uint64_t y_B = media_surface_y_B(k->s, k->c, y);
    if (k->adaptive.x || k->adaptive.y)
        adapt_row(k, columns, y_B, row);
    else
        sum_row(k, columns, y_B, row);
    row->valid = true;
    row->y = y;
    return row;
}

/* A row of pixels from rows of sums. */
static void
filter_row(const struct kernel *k, const struct columns *columns,
           const struct taps *down, struct kept kept[KEPT_ROWS],
           uint16_t out[AVS_WIDTH])
{
    int64_t sum[AVS_WIDTH] = {0};
    for (unsigned i = 0; i < TAPS; i++) {
        if (!down->coefficient[i])
            continue;
        const struct kept *row = find_row(k, columns, kept,
                                          down->first + (int)i);
        for (unsigned x = 0; x < columns->width; x++)
            sum[x] += (int64_t)down->coefficient[i] * row->sum[x];
    }
    for (unsigned x = 0; x < columns->width; x++) {
        int64_t v = (sum[x] + (1 << 11)) >> 12;
        out[x] = (uint16_t)CLAMP(v, 0, (int64_t)k->c->one);
    }
}

static void
adapt_column(const struct kernel *k, const struct columns *columns,
             const struct taps *down, struct kept kept[KEPT_ROWS],
             uint16_t out[AVS_WIDTH])
{
    const struct kept *rows[TAPS];
    for (unsigned i = 0; i < TAPS; i++)
        rows[i] = find_row(k, columns, kept, down->first + (int)i);
    for (unsigned x = 0; x < columns->width; x++) {
        uint16_t guide[TAPS];
        int32_t sums[TAPS];
        for (unsigned i = 0; i < TAPS; i++) {
            sums[i] = rows[i]->sum[x];
            guide[i] = (uint16_t)CLAMP(rows[i]->guide[x] / 64, 0, 0xffff);
        }
        int64_t v = sum_taps(down, sums,
                             adaptive_sharpness(&k->adaptive, guide));
        out[x] = (uint16_t)CLAMP((v + (1 << 11)) >> 12, 0, (int64_t)k->c->one);
    }
}

void
avs_filter(const struct media_surface *s, unsigned channel,
           const struct avs_block *b, uint16_t out[AVS_HEIGHT][AVS_WIDTH])
{
    const struct media_channel *c = &s->channel[channel];
    struct columns columns;
    struct kept kept[KEPT_ROWS];
    if (!c->exists) {
        for (unsigned i = 0; i < AVS_HEIGHT * AVS_WIDTH; i++)
            out[i / AVS_WIDTH][i % AVS_WIDTH] = channel == 3 ? c->one : 0;
        return;
    }
    struct kernel k = choose_kernel(s, b, channel);
    for (unsigned i = 0; i < KEPT_ROWS; i++)
        kept[i].valid = false;
    find_columns(&columns, &k, b);
    for (unsigned y = 0; y < b->height; y++) {
        double v = place_of(b->v, b->dv, b->ddv, b->row + (int)y);
        struct taps down = find_taps(
            &k, channel_place(v, s->height, c->y_px, c->sub_y), true);
        if (k.adaptive.y)
            adapt_column(&k, &columns, &down, kept, out[y]);
        else
            filter_row(&k, &columns, &down, kept, out[y]);
    }
}
