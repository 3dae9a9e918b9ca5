/* avc_around.c: which macroblocks and blocks lie around the current one. ITU-T
 * H.264, 6.4.8 to 6.4.12. In MBAFF frames the neighbour of a line is the line
 * beside it, or the one above it of the same frame or field; tables 6-4 says so
 * with other words. */
#include "engine/mfx/avc/avc.h"

static int
if_available(const struct avc_decoder *d, int column, int row)
{
    int width = (int)d->picture.width_mb;
    if (column < 0 || column >= width || row < 0)
        return -1;
    bool own = avc_in_slice(d, (unsigned)column, (unsigned)row);
    return own ? row * width + column : -1;
}

static void
look_around_plain(struct avc_decoder *d)
{
    struct avc_around *a = &d->around;
    int x = (int)d->column, y = (int)d->row;
    int left = if_available(d, x - 1, y);
    for (unsigned i = 0; i < 4; i++) {
        a->left[i] = a->diagonal[i] = left;
        a->left_row[i] = (uint8_t)i;
        a->diagonal_row[i] = (uint8_t)((i + 3) % 4);
    }
    a->diagonal[0] = if_available(d, x - 1, y - 1);
    a->top = if_available(d, x, y - 1);
    a->top_right = if_available(d, x + 1, y - 1);
}

/* The macroblock of a pair that has a line of its 32; *row: of 4x4 blocks. */
static int
of_pair(const struct avc_decoder *d, int column, int pair_row, unsigned line,
        uint8_t *row)
{
    int top = if_available(d, column, pair_row);
    if (top < 0)
        return -1;
    bool field = d->mbs[top].flags & AVC_FIELD;
    unsigned bottom = field ? line % 2 : line / 16;
    *row = (uint8_t)((field ? line / 2 : line % 16) / 4);
    return top + (int)(bottom * d->picture.width_mb);
}

void
avc_look_around(struct avc_decoder *d)
{
    if (!d->picture.mbaff) {
        look_around_plain(d);
        return;
    }
    struct avc_around *a = &d->around;
    int x = (int)d->column, pair = (int)(d->row & ~1u);
    unsigned bottom = d->row & 1, step = d->field ? 2 : 1;
    unsigned first = d->field ? bottom : bottom * 16;
    uint8_t row;
    for (unsigned i = 0; i < 4; i++) {
        a->left[i] = of_pair(d, x - 1, pair, first + i * 4 * step,
                             &a->left_row[i]);
        if (i)
            a->diagonal[i] = of_pair(d, x - 1, pair, first + (i * 4 - 1) * step,
                                     &a->diagonal_row[i]);
    }
    if (!d->field && bottom) {
        a->top = (int)d->index - (int)d->picture.width_mb;
        a->top_right = -1;
        a->diagonal[0] = of_pair(d, x - 1, pair, 15, &a->diagonal_row[0]);
        return;
    }
    unsigned above = d->field ? 30 + bottom : 31;
    a->top = of_pair(d, x, pair - 2, above, &row);
    a->top_right = of_pair(d, x + 1, pair - 2, above, &row);
    a->diagonal[0] = of_pair(d, x - 1, pair - 2, above, &a->diagonal_row[0]);
}
