/* ief.c: the image enhancement filter: changes luma by what a pixel differs
 * from its neighbours, the more the stronger the edge is. Fields: KBL PRM vol
 * 2d, SAMPLER_STATE_8x8_AVS, and SFC_IEF_STATE.
 *
 * Guess, all of the arithmetic: the detail is the sum of differences by the
 * coefficients of 3x3 and 5x5, of 128; gain is of 64 and the weight of 8,
 * chosen by the gradient (EM in the manual). The smooth filter takes 3x3 alone,
 * takes the detail away, and the less the stronger the edge is. Where detail of
 * skin is revealed, skin has the weight of a strong edge; else its own is less.
 */
#include "engine/enhance/enhance.h"

#include <stdlib.h>

#include "base/fields.h"
#include "base/base.h"

/* Of what detail is shifted by: coefficients, gain and weight. */
#define DETAIL_SHIFT (7 + 6 + 3)

/* ---- state --------------------------------------------------------------- */

static int32_t
field_signed(uint32_t value, unsigned bits)
{
    return (int32_t)fields_sext(value, bits);
}

static void
skin_init(struct skin_tone *s, const uint32_t *dw)
{
    s->sin_a = field_signed(dw[3], 8);
    s->cos_a = field_signed(dw[3] >> 8, 8);
    s->sat_max = (int32_t)bits_get(dw[3], 16, 21);
    s->hue_max = (int32_t)bits_get(dw[3], 22, 27);
    s->diamond_margin = (int32_t)bits_get(dw[4], 12, 14);
    s->by_luma = bits_get(dw[4], 15, 15);
    s->u_mid = (int32_t)bits_get(dw[4], 16, 23);
    s->v_mid = (int32_t)bits_get(dw[4], 24, 31);
    s->diamond_dv = field_signed(dw[5], 7);
    s->diamond_th = (int32_t)bits_get(dw[5], 7, 12);
    s->diamond_alpha = (int32_t)bits_get(dw[5], 13, 20);
    s->margin = (int32_t)bits_get(dw[5], 21, 23);
    s->diamond_du = field_signed(dw[5] >> 24, 7);
    for (unsigned i = 0; i < 4; i++)
        s->y_point[i] = (int32_t)(dw[6] >> (i * 8) & 0xff);
    s->y_slope[0] = (int32_t)bits_get(dw[12], 27, 31);
    s->y_slope[1] = (int32_t)bits_get(dw[10], 27, 31);
    skin_limits_init(s, dw + 2, dw[4]);
}

/* The coefficient of a neighbour: c in a row or column with the pixel, x on a
 * diagonal, cx between. */
static unsigned
neighbour_coefficient(uint32_t r3, uint32_t r5, int x, int y)
{
    int far = MAX2(abs(x), abs(y)), sum = abs(x) + abs(y);
    if (far == 1)
        return sum == 1 ? bits_get(r3, 23, 27) : bits_get(r3, 18, 22);
    return sum == 2   ? bits_get(r5, 27, 31)
           : sum == 4 ? bits_get(r5, 17, 21)
                      : bits_get(r5, 22, 26);
}

void
ief_init(struct ief *f, uint32_t first, const uint32_t dw[IEF_DW])
{
    f->gain = bits_get(first, 0, 5);
    f->weak = bits_get(first, 6, 11);
    f->strong = bits_get(first, 12, 17);
    for (unsigned n = 0; n < 3; n++)
        f->weight[n] = bits_get(dw[2], 8 + n * 3, 10 + n * 3);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++)
            f->coefficient[y][x] = x == 2 && y == 2
                                       ? 0
                                       : (int)neighbour_coefficient(
                                             first, dw[2], x - 2, y - 2);
    f->hides_skin = bits_get(dw[5], 31, 31);
    skin_init(&f->skin, dw);
}

/* ---- pixels -------------------------------------------------------------- */

/* Steps to the right and down over two pixels, in 8 bits. */
static unsigned
gradient_at(const uint16_t *const rows[5], uint32_t x)
{
    int right = rows[2][x + 3] - rows[2][x + 1];
    int down = rows[3][x + 2] - rows[1][x + 2];
    return (unsigned)MAX2(abs(right), abs(down)) >> 8;
}

static int64_t
detail_at(const struct ief *f, const uint16_t *const rows[5], uint32_t x)
{
    int64_t detail = 0, center = rows[2][x + 2];
    unsigned first = f->smooth ? 1 : 0, end = f->smooth ? 4 : 5;
    for (unsigned j = first; j < end; j++)
        for (unsigned i = first; i < end; i++)
            detail += f->coefficient[j][i] * (center - rows[j][x + i]);
    return detail;
}

static double
weight_by_skin(const struct ief *f, unsigned weight, double skin)
{
    double full = f->hides_skin ? 0 : f->weight[2];
    return weight + (full - weight) * skin;
}

void
ief_row(const struct ief *f, const uint16_t *const rows[5], const uint16_t *u,
        const uint16_t *v, uint16_t *to, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++) {
        uint16_t y = rows[2][x + 2];
        unsigned step = gradient_at(rows, x);
        unsigned weight = f->weight[step >= f->strong ? 2 : step >= f->weak];
        int64_t detail = detail_at(f, rows, x) * f->gain;
        /* 256 is 1 of 8. */
        int64_t by = weight * 256;
        if (f->skin_tuned && detail)
            by = (int64_t)(weight_by_skin(
                               f, weight,
                               skin_score(&f->skin, y, v[x],
                                          skin_place(&f->skin, u[x], v[x]))) *
                           256);
        if (f->smooth)
            by -= 8 * 256;
        int64_t change = (detail * by + (1 << (DETAIL_SHIFT + 7))) >>
                         (DETAIL_SHIFT + 8);
        to[x] = (uint16_t)CLAMP(y + change, 0, 0xffff);
    }
}
