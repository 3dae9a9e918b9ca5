/* vebox_capture.c: black point, white balance and demosaicing of Bayer
 * patterns. KBL PRM vol 2d, VEBOX_CAPTURE_PIPE_STATE.
 *
 * The manual's thresholds of demosaicing have no published algorithm. Guess:
 * the gradient-corrected linear filters of Malvar, He and Cutler (2004), which
 * keep planes of linear colors as they are. Guess: the black point is
 * subtracted before white is balanced; the top green is in red's row; beyond
 * its borders the frame is mirrored, which keeps the pattern. */
#include "engine/vebox/frame/frame.h"

void
vebox_capture_init(struct vebox_capture *c, const uint32_t *dw,
                   unsigned pattern)
{
    /* Pixel (0, 0) is blue, red, green before red, green before blue. */
    static const uint8_t red[4][2] = {{1, 1}, {0, 0}, {1, 0}, {0, 1}};
    /* Bit of dword 2, dword and bit of the factor's field less 2 dwords. */
    static const struct {
        uint8_t msb, dw, shift;
    } fields[BAYER_COLORS] = {
        [BAYER_RED] = {7, 3, 16},
        [BAYER_GREEN_TOP] = {6, 3, 0},
        [BAYER_GREEN_BOTTOM] = {4, 4, 0},
        [BAYER_BLUE] = {5, 4, 16},
    };
    bool balances = dw[2] & 1, subtracts = dw[2] >> 1 & 1;
    c->enabled = true;
    c->red_x = red[pattern][0];
    c->red_y = red[pattern][1];
    for (unsigned i = 0; i < BAYER_COLORS; i++) {
        uint32_t low = dw[fields[i].dw] >> fields[i].shift & 0xffff;
        uint32_t high = dw[2] >> fields[i].msb & 1;
        uint32_t factor = dw[fields[i].dw + 2] >> fields[i].shift & 0xffff;
        c->black_point[i] = subtracts ? vebox_signed(high << 16 | low, 17) : 0;
        c->white_balance[i] = balances ? factor : 4096;
    }
}

static inline enum bayer_color
color_at(const struct vebox_capture *c, uint32_t x, uint32_t y)
{
    return (enum bayer_color)(((x ^ c->red_x) & 1) | ((y ^ c->red_y) & 1) << 1);
}

static void
mirror_row(uint16_t *row, uint32_t width)
{
    int64_t last = (int64_t)width - 1;
    for (int64_t i = 1; i <= VEBOX_MARGIN; i++) {
        int64_t inside = MIN2(i, last);
        row[-i] = row[inside];
        row[last + i] = row[last - inside];
    }
}

void
vebox_capture_correct(const struct vebox_capture *c, uint32_t y,
                      struct vebox_line *line, uint32_t width)
{
    uint16_t *row = line->ch[0];
    for (uint32_t x = 0; x < width; x++) {
        enum bayer_color color = color_at(c, x, y);
        int64_t v = vebox_clamp16((int64_t)row[x] - c->black_point[color]);
        row[x] = vebox_clamp16((v * c->white_balance[color] + 2048) >> 12);
    }
    mirror_row(row, width);
}

/* ---- demosaicing --------------------------------------------------------- */

/* The pixel and sums of its neighbours: one or two away in its row and column,
 * and on diagonals. */
struct near {
    int32_t center, row_1, row_2, column_1, column_2, diagonal;
};

static inline struct near
near_at(const uint16_t *rows[5], uint32_t x)
{
    return (struct near){
        .center = rows[2][x],
        .row_1 = rows[2][(int)x - 1] + rows[2][x + 1],
        .row_2 = rows[2][(int)x - 2] + rows[2][x + 2],
        .column_1 = rows[1][x] + rows[3][x],
        .column_2 = rows[0][x] + rows[4][x],
        .diagonal = rows[1][(int)x - 1] + rows[1][x + 1] + rows[3][(int)x - 1] +
                    rows[3][x + 1],
    };
}

static inline uint16_t
sixteenth(int32_t sum)
{
    return vebox_clamp16((sum + 8) >> 4);
}

/* Green at red or blue. */
static inline uint16_t
green_of(const struct near *n)
{
    return sixteenth(8 * n->center + 4 * (n->row_1 + n->column_1) -
                     2 * (n->row_2 + n->column_2));
}

/* At green: the color of its row, and that of its column. */
static inline uint16_t
along_row(const struct near *n)
{
    return sixteenth(10 * n->center + 8 * n->row_1 - 2 * n->diagonal -
                     2 * n->row_2 + n->column_2);
}

static inline uint16_t
along_column(const struct near *n)
{
    return sixteenth(10 * n->center + 8 * n->column_1 - 2 * n->diagonal -
                     2 * n->column_2 + n->row_2);
}

/* Blue at red, red at blue. */
static inline uint16_t
across(const struct near *n)
{
    return sixteenth(12 * n->center + 4 * n->diagonal -
                     3 * (n->row_2 + n->column_2));
}

static void
demosaic_pixel(const struct vebox_line *to, uint32_t x, enum bayer_color color,
               const struct near *n)
{
    uint16_t center = (uint16_t)n->center, rgb[3] = {center, center, center};
    switch (color) {
    case BAYER_RED:
        rgb[1] = green_of(n);
        rgb[2] = across(n);
        break;
    case BAYER_GREEN_TOP:
        rgb[0] = along_row(n);
        rgb[2] = along_column(n);
        break;
    case BAYER_GREEN_BOTTOM:
        rgb[0] = along_column(n);
        rgb[2] = along_row(n);
        break;
    case BAYER_BLUE:
        rgb[0] = across(n);
        rgb[1] = green_of(n);
        break;
    }
    for (unsigned c = 0; c < 3; c++)
        to->ch[c][x] = rgb[c];
}

static int64_t
mirrored(int64_t y, int64_t height)
{
    y = y < 0 ? -y : y;
    return y < height ? y : 2 * (height - 1) - y;
}

void
vebox_capture_row(struct vebox_worker *w, uint32_t y, struct vebox_line *to)
{
    const struct vebox_frame *f = w->frame;
    const uint16_t *rows[5];
    for (int j = 0; j < 5; j++) {
        int64_t row = mirrored((int64_t)y + j - 2, f->height);
        rows[j] = vebox_row(w, VEBOX_ROWS_RAW, row)->ch[0];
    }
    for (uint32_t x = 0; x < f->width; x++) {
        struct near n = near_at(rows, x);
        demosaic_pixel(to, x, color_at(&f->capture, x, y), &n);
        to->ch[3][x] = 0xffff;
    }
    vebox_extend_row(to, f->width);
}
