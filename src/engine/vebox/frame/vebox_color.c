/* vebox_color.c: ACE, TCC and skin tones of the IECP. KBL PRM vol 2d has the
 * tables' fields and defaults; the arithmetic between them is deduced from
 * these: at its points each default curve is continuous. */
#include "engine/vebox/frame/vebox_iecp.h"

#include <math.h>
#include <stdlib.h>

#define NEUTRAL 0x8000

int32_t
vebox_pwl_value(const struct vebox_pwl *p, int32_t v)
{
    unsigned i = p->count - 1;
    while (i > 0 && v < p->point[i])
        i--;
    return p->bias[i] +
           (int32_t)(((int64_t)p->slope[i] * (v - p->point[i]) + 512) >> 10);
}

/* ---- ACE: automatic contrast enhancement --------------------------------- */

/* Eleven segments from Ymin to Ymax; the first begins at Ymin. Guess: luma
 * outside is kept. */
void
vebox_ace_init(struct vebox_ace *a, const uint32_t *dw)
{
    const uint8_t *points = (const uint8_t *)(dw + 1); /* Ymin, Y1 to Ymax */
    const uint8_t *biases = (const uint8_t *)(dw + 4); /* B1 to B10 */
    a->enabled = dw[0] & 1;
    a->pwl.count = 11;
    for (unsigned i = 0; i < 11; i++) {
        uint32_t slopes = dw[7 + i / 2];
        a->pwl.point[i] = points[i] << 8;
        a->pwl.bias[i] = (i ? biases[i - 1] : points[0]) << 8;
        a->pwl.slope[i] = (int32_t)(slopes >> (i % 2 * 16) & 0x7ff);
    }
    a->min = (uint16_t)(points[0] << 8);
    a->max = (uint16_t)(points[11] << 8);
}

void
vebox_ace_row(const struct vebox_ace *a, struct vebox_line *line,
              uint32_t width)
{
    uint16_t *luma = line->ch[0];
    for (uint32_t x = 0; x < width; x++)
        if (luma[x] >= a->min && luma[x] <= a->max)
            luma[x] = vebox_clamp16(vebox_pwl_value(&a->pwl, luma[x]));
}

/* ---- TCC: total color control -------------------------------------------- */

void
vebox_tcc_init(struct vebox_tcc *t, const uint32_t *dw)
{
    t->enabled = bits_get(dw[0], 7, 7);
    for (unsigned i = 0; i < TCC_COLORS; i++) {
        t->factor[i] = (int32_t)bits_get(dw[i / 3], 8 + i % 3 * 8,
                                         15 + i % 3 * 8);
        t->color[i] = (int32_t)(dw[2 + i / 3] >> (i % 3 * 10) & 0x3ff);
    }
    t->uv_threshold = (int32_t)bits_get(dw[9], 24, 30) << 8;
    t->uv_max = (int32_t)bits_get(dw[10], 0, 8) << 6;
}

/* The factor between the two base colors around a hue; 128 is 1. */
static double
tcc_factor(const struct vebox_tcc *t, double hue)
{
    unsigned i = TCC_COLORS - 1;
    if (hue >= t->color[0])
        for (i = 0; i + 1 < TCC_COLORS && hue >= t->color[i + 1]; i++) {
        }
    unsigned next = (i + 1) % TCC_COLORS;
    double width = t->color[next] - t->color[i];
    double from = hue - t->color[i];
    if (width <= 0)
        width += 1024;
    if (from < 0)
        from += 1024;
    return t->factor[i] +
           (t->factor[next] - t->factor[i]) * MIN2(from / width, 1.0);
}

/* Guess: hue is the angle of (U, V), of 1024; the biases of the transitions
 * have no published meaning and are left out. Gray is kept, and the larger of U
 * and V stays below UVMaxColor. */
void
vebox_tcc_row(const struct vebox_tcc *t, struct vebox_line *line,
              uint32_t width)
{
    const double turn = 1024 / 6.283185307179586;
    for (uint32_t x = 0; x < width; x++) {
        int u = line->ch[1][x] - NEUTRAL, v = line->ch[2][x] - NEUTRAL;
        int most = MAX2(abs(u), abs(v));
        if (most <= t->uv_threshold)
            continue;
        double hue = atan2(v, u) * turn;
        double factor = tcc_factor(t, hue < 0 ? hue + 1024 : hue) / 128;
        double limit = (double)MAX2(t->uv_max, most) / most;
        factor = MIN2(factor, limit);
        line->ch[1][x] = vebox_clamp16(lround(u * factor) + NEUTRAL);
        line->ch[2][x] = vebox_clamp16(lround(v * factor) + NEUTRAL);
    }
}

/* ---- skin tones ---------------------------------------------------------- */

/* Points S6, biases S7.2, slopes U3.8; before the first point a line through
 * (-most, -most). All in 16 bits here: 8 bits are the upper ones. */
static void
skin_pwl(struct vebox_pwl *p, int32_t most, const int32_t point[3],
         const int32_t bias[3], const uint32_t slope[4])
{
    p->count = 4;
    p->point[0] = p->bias[0] = -most * 256;
    p->slope[0] = (int32_t)slope[0] * 4;
    for (unsigned i = 1; i < 4; i++) {
        p->point[i] = point[i - 1] * 256;
        p->bias[i] = bias[i - 1] * 64;
        p->slope[i] = (int32_t)slope[i] * 4;
    }
}

/* The curves of bright skin; dark skin has its own. Guess: they are used for
 * luma below Skin_types_thresh only if Skin_Types_Enable, which is left out. */
static void
skin_curves(struct vebox_ste *s, const uint32_t *dw)
{
    const int32_t sat_point[3] = {vebox_signed(dw[15], 7),
                                  vebox_signed(dw[15] >> 7, 7),
                                  vebox_signed(dw[15] >> 14, 7)};
    const int32_t sat_bias[3] = {vebox_signed(dw[15] >> 21, 10),
                                 vebox_signed(dw[16], 10),
                                 vebox_signed(dw[16] >> 10, 10)};
    const uint32_t sat_slope[4] = {
        bits_get(dw[16], 20, 30), bits_get(dw[17], 0, 10),
        bits_get(dw[17], 11, 21), bits_get(dw[18], 0, 10)};
    const int32_t hue_point[3] = {vebox_signed(dw[18] >> 11, 7),
                                  vebox_signed(dw[18] >> 18, 7),
                                  vebox_signed(dw[18] >> 25, 7)};
    const int32_t hue_bias[3] = {vebox_signed(dw[19], 10),
                                 vebox_signed(dw[19] >> 10, 10),
                                 vebox_signed(dw[19] >> 20, 10)};
    const uint32_t hue_slope[4] = {
        bits_get(dw[20], 0, 10), bits_get(dw[20], 11, 21),
        bits_get(dw[21], 0, 10), bits_get(dw[21], 11, 21)};
    skin_pwl(&s->sat, s->skin.sat_max, sat_point, sat_bias, sat_slope);
    skin_pwl(&s->hue, s->skin.hue_max, hue_point, hue_bias, hue_slope);
}

static void
skin_init(struct skin_tone *s, const uint32_t *dw)
{
    s->sat_max = (int32_t)bits_get(dw[0], 4, 9);
    s->hue_max = (int32_t)bits_get(dw[0], 10, 15);
    s->u_mid = (int32_t)bits_get(dw[0], 16, 23);
    s->v_mid = (int32_t)bits_get(dw[0], 24, 31);
    s->sin_a = vebox_signed(dw[1], 8);
    s->cos_a = vebox_signed(dw[1] >> 10, 8);
    s->margin = (int32_t)bits_get(dw[1], 18, 20);
    s->diamond_du = vebox_signed(dw[1] >> 21, 7);
    s->diamond_margin = (int32_t)bits_get(dw[1], 28, 30);
    s->diamond_dv = vebox_signed(dw[2], 7);
    s->diamond_th = (int32_t)bits_get(dw[2], 7, 12);
    s->diamond_alpha = (int32_t)bits_get(dw[2], 13, 20);
    s->by_luma = bits_get(dw[3], 7, 7);
    for (unsigned i = 0; i < 4; i++)
        s->y_point[i] = (int32_t)(i < 3 ? dw[3] >> (8 + i * 8) & 0xff
                                        : dw[4] & 0xff);
    s->y_slope[0] = (int32_t)bits_get(dw[4], 8, 12);
    s->y_slope[1] = (int32_t)bits_get(dw[4], 13, 17);
    skin_limits_init(s, dw, dw[14]);
}

void
vebox_ste_init(struct vebox_ste *s, const uint32_t *dw)
{
    s->find = dw[0] & 1;
    s->change = dw[0] >> 1 & 1;
    s->show = dw[0] >> 2 & 1;
    skin_init(&s->skin, dw);
    skin_curves(s, dw);
}

void
vebox_ste_row(const struct vebox_ste *s, struct vebox_line *line,
              uint32_t width)
{
    double c = s->skin.cos_a / 128.0, n = s->skin.sin_a / 128.0;
    for (uint32_t x = 0; x < width; x++) {
        struct skin_place at = skin_place(&s->skin, line->ch[1][x],
                                          line->ch[2][x]);
        double score = skin_score(&s->skin, line->ch[0][x], line->ch[2][x], at);
        if (s->show)
            line->ch[0][x] = vebox_clamp16(lround(score * 0xffff));
        if (!s->change || score <= 0)
            continue;
        double sat2 = vebox_pwl_value(&s->sat, (int32_t)(at.sat * 256)) / 256.0;
        double hue2 = vebox_pwl_value(&s->hue, (int32_t)(at.hue * 256)) / 256.0;
        double ds = (sat2 - at.sat) * score, dh = (hue2 - at.hue) * score;
        line->ch[1][x] = vebox_clamp16(line->ch[1][x] +
                                       lround((ds * c - dh * n) * 256));
        line->ch[2][x] = vebox_clamp16(line->ch[2][x] +
                                       lround((ds * n + dh * c) * 256));
    }
}
