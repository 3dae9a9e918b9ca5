/* sfc_ief.c: the image enhancement filter: sharpens luma by what a pixel
 * differs from its 5x5 neighbours. Fields: KBL PRM vol 2d, SFC_IEF_STATE, and
 * SAMPLER_STATE_8x8's. Guess, all of the arithmetic: the detail is the sum of
 * differences by the coefficients of 3x3 and 5x5, of 128; gain is of 64 and the
 * weight of 8, chosen by the gradient. Skin tones are sharpened like others. */
#include "engine/vebox/sfc/sfc.h"

#include <stdlib.h>

void
sfc_ief_init(struct sfc_ief *i, const uint32_t *dw)
{
    i->gain = bits_get(dw[1], 0, 5);
    i->weak = bits_get(dw[1], 6, 11);
    i->strong = bits_get(dw[1], 12, 17);
    i->r3_x = bits_get(dw[1], 18, 22);
    i->r3_c = bits_get(dw[1], 23, 27);
    for (unsigned n = 0; n < 3; n++)
        i->weight[n] = bits_get(dw[2], 8 + n * 3, 10 + n * 3);
    i->r5_x = bits_get(dw[2], 17, 21);
    i->r5_cx = bits_get(dw[2], 22, 26);
    i->r5_c = bits_get(dw[2], 27, 31);
}

/* The coefficient of a neighbour: c in a row or column with the pixel, x on a
 * diagonal, cx between. */
static unsigned
neighbour_weight(const struct sfc_ief *i, int x, int y)
{
    int far = MAX2(abs(x), abs(y)), sum = abs(x) + abs(y);
    if (far == 1)
        return sum == 1 ? i->r3_c : i->r3_x;
    return sum == 2 ? i->r5_c : sum == 4 ? i->r5_x : i->r5_cx;
}

/* Steps to the right and down over two pixels, in 8 bits. */
static unsigned
gradient(const uint16_t *rows[5], uint32_t x)
{
    int right = rows[2][x + 1] - rows[2][(int)x - 1];
    int down = rows[3][x] - rows[1][x];
    return (unsigned)MAX2(abs(right), abs(down)) >> 8;
}

void
sfc_ief_row(struct sfc_worker *w, uint32_t y, struct vebox_line *to)
{
    const struct sfc *s = w->sfc;
    const struct sfc_ief *f = &s->ief;
    const uint16_t *rows[5];
    int weights[5][5] = {{0}};
    for (int j = 0; j < 5; j++) {
        rows[j] = sfc_scaled_row(w, (int64_t)y + j - 2)->ch[0];
        for (int i = 0; i < 5; i++)
            if (i != 2 || j != 2)
                weights[j][i] = (int)neighbour_weight(f, i - 2, j - 2);
    }
    for (uint32_t x = 0; x < s->x.size; x++) {
        int64_t center = rows[2][x], detail = 0;
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < 5; i++)
                detail += weights[j][i] * (center - rows[j][(int)x + i - 2]);
        unsigned step = gradient(rows, x);
        unsigned weight = f->weight[step >= f->strong ? 2 : step >= f->weak];
        detail = detail * (int64_t)(f->gain * weight);
        to->ch[0][x] = vebox_clamp16(center + ((detail + (1 << 15)) >> 16));
    }
}
