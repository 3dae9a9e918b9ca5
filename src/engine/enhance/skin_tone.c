/* skin_tone.c: skin tone detection. KBL PRM vol 2d, VEBOX_STD_STE_STATE and
 * SAMPLER_STATE_8x8_AVS: a rectangle and a rhombus in the plane of saturation
 * and hue; in the VY subspace a piecewise linear membership of Y, and a lower
 * and an upper limit of V by Y. Their defaults are continuous at each point.
 *
 * Guess: margins lie inside of the limits, the score rises over them from 0 to
 * 1, and the least of all scores counts. */
#include "engine/enhance/enhance.h"

#include <math.h>

#include "base/base.h"
#include "base/fields.h"

/* dw: from the dword of the first point on. first: bit of that point. */
static struct skin_limit
limit_of(const uint32_t *dw, unsigned first, uint32_t last_slope,
         uint32_t margin)
{
    return (struct skin_limit){
        .point = {(int32_t)bits_get(dw[0], first, first + 7),
                  (int32_t)bits_get(dw[0], first + 8, first + 15),
                  (int32_t)bits_get(dw[1], 0, 7),
                  (int32_t)bits_get(dw[1], 8, 15)},
        .bias = {(int32_t)bits_get(dw[1], 16, 23),
                 (int32_t)bits_get(dw[1], 24, 31),
                 (int32_t)bits_get(dw[2], 0, 7),
                 (int32_t)bits_get(dw[2], 8, 15)},
        .slope = {(int32_t)fields_sext(dw[2] >> 16, 11),
                  (int32_t)fields_sext(dw[3], 11),
                  (int32_t)fields_sext(dw[3] >> 11, 11),
                  (int32_t)fields_sext(last_slope, 11)},
        .inv_margin = bits_get(margin, 0, 15)};
}

void
skin_limits_init(struct skin_tone *s, const uint32_t *dw, uint32_t last_slope)
{
    s->lower = limit_of(&dw[6], 16, dw[10], dw[5]);
    s->upper = limit_of(&dw[10], 11, last_slope, dw[6]);
}

struct skin_place
skin_place(const struct skin_tone *s, uint16_t u, uint16_t v)
{
    double c = s->cos_a / 128.0, n = s->sin_a / 128.0;
    double from_u = u / 256.0 - s->u_mid, from_v = v / 256.0 - s->v_mid;
    return (struct skin_place){.sat = from_u * c + from_v * n,
                               .hue = from_v * c - from_u * n};
}

/* How far inside of a limit, from 0 at its margin to 1. */
static double
inside(double distance, double margin)
{
    return margin > 0 ? CLAMP(distance / margin, 0.0, 1.0) : distance >= 0;
}

static double
limit_at(const struct skin_limit *l, double y)
{
    unsigned i = 3;
    while (i > 0 && y < l->point[i])
        i--;
    return l->bias[i] + l->slope[i] * (y - l->point[i]) / 256;
}

static double
vy_score(const struct skin_tone *s, double y, double v)
{
    double up = (y - s->y_point[0]) * s->y_slope[0] / 8;
    double down = (s->y_point[3] - y) * s->y_slope[1] / 8;
    double low = (v - limit_at(&s->lower, y)) * s->lower.inv_margin / 65536;
    double high = (limit_at(&s->upper, y) - v) * s->upper.inv_margin / 65536;
    double least = MIN2(MIN2(up, down), MIN2(low, high));
    return CLAMP(least, 0.0, 1.0);
}

double
skin_score(const struct skin_tone *s, uint16_t y, uint16_t v,
           struct skin_place at)
{
    double beyond = MIN2(s->sat_max - fabs(at.sat), s->hue_max - fabs(at.hue));
    if (beyond < 0)
        return 0;
    double box = inside(beyond, s->margin);
    double off = fabs(at.sat - s->diamond_du) +
                 s->diamond_alpha / 64.0 * fabs(at.hue - s->diamond_dv);
    double score = MIN2(box, inside(s->diamond_th - off, s->diamond_margin));
    if (s->by_luma && score > 0)
        score = MIN2(score, vy_score(s, y / 256.0, v / 256.0));
    return score;
}
