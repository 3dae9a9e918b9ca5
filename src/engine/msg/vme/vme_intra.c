/* vme_intra.c: intra prediction of SIC: the cheapest mode of each block, by
 * H.264's predictions (8.3) from edges in the payload and, within the
 * macroblock, from the source. */
#include "engine/msg/vme/vme.h"

enum {
    MODE_VERTICAL,
    MODE_HORIZONTAL,
    MODE_DC,
    MODE_DOWN_LEFT,
    MODE_DOWN_RIGHT,
    MODE_VERTICAL_RIGHT,
    MODE_HORIZONTAL_DOWN,
    MODE_VERTICAL_LEFT,
    MODE_HORIZONTAL_UP,
    MODES
};
/* The extension's name for 16x16's plane. */
#define MODE_PLANE 4

/* MbIntraStruct: which neighbours there are. */
enum { HAS_CORNER = 4, HAS_UP_RIGHT = 8, HAS_UP = 16, HAS_LEFT = 0x60 };

/* The macroblock with its edges: row 0 is above, column 0 is left. */
struct frame {
    uint8_t px[VME_MB_PX + 1][VME_MB_PX + 9];
    bool up, left, corner, up_right;
};

/* Neighbours of a block of n x n: left from the bottom up, the corner, above
 * from left to right. */
struct edges {
    unsigned n;
    bool up, left, corner;
    uint8_t e[8 + 1 + 16];
};

static void
read_frame(const struct vme_call *v, struct frame *f)
{
    unsigned has = vme_byte(v, 1, 29);
    f->up = has & HAS_UP;
    f->left = (has & HAS_LEFT) == HAS_LEFT;
    f->corner = has & HAS_CORNER;
    f->up_right = has & HAS_UP_RIGHT;
    f->px[0][0] = (uint8_t)vme_byte(v, 5, 7);
    for (unsigned i = 0; i < VME_MB_PX + 8; i++)
        f->px[0][1 + i] = (uint8_t)vme_byte(v, 5, 8 + i);
    for (unsigned y = 0; y < VME_MB_PX; y++) {
        f->px[1 + y][0] = (uint8_t)vme_byte(v, 6, y);
        memcpy(&f->px[1 + y][1], v->source[y], VME_MB_PX);
    }
}

/* ---- blocks of 4x4 and 8x8 ----------------------------------------------- */

static bool
has_up_right(const struct frame *f, unsigned n, unsigned x, unsigned y)
{
    if (!y)
        return x + n < VME_MB_PX ? f->up : f->up_right;
    return x + n < VME_MB_PX && (n == 8 ? !x : !(x / 4 == 1 && y / 4 % 2));
}

/* H.264 8.3.2.2.1. */
static void
smooth_edges(struct edges *b)
{
    uint8_t in[25], *e = b->e;
    unsigned n = b->n, first = b->left ? 0 : n + !b->corner;
    unsigned last = b->up ? 3 * n : n - !b->corner;
    memcpy(in, e, sizeof in);
    for (unsigned i = first; i <= last; i++) {
        unsigned low = i > first ? in[i - 1] : in[i];
        unsigned high = i < last ? in[i + 1] : in[i];
        /* Without a corner, the sides do not meet. */
        if (!b->corner && i == n - 1)
            high = in[i];
        if (!b->corner && i == n + 1)
            low = in[i];
        e[i] = (uint8_t)((low + 2u * in[i] + high + 2) / 4);
    }
}

static void
read_edges(const struct frame *f, unsigned n, unsigned x, unsigned y,
           struct edges *b)
{
    *b = (struct edges){.n = n,
                        .up = y || f->up,
                        .left = x || f->left,
                        .corner = x && y ? true
                                  : y    ? f->left
                                  : x    ? f->up
                                         : f->corner};
    bool right = has_up_right(f, n, x, y);
    for (unsigned i = 0; i < n; i++)
        b->e[n - 1 - i] = f->px[1 + y + i][x];
    b->e[n] = f->px[y][x];
    for (unsigned i = 0; i < 2 * n; i++)
        b->e[n + 1 + i] = f->px[y][1 + x + (i < n || right ? i : n - 1)];
    if (n == 8)
        smooth_edges(b);
}

static bool
block_allows(const struct edges *b, unsigned mode)
{
    switch (mode) {
    case MODE_VERTICAL:
    case MODE_DOWN_LEFT:
    case MODE_VERTICAL_LEFT: return b->up;
    case MODE_HORIZONTAL:
    case MODE_HORIZONTAL_UP: return b->left;
    case MODE_DC: return true;
    default: return b->up && b->left && b->corner;
    }
}

static unsigned
block_mean(const struct edges *b)
{
    unsigned n = b->n, sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += (b->left ? b->e[i] : 0u) + (b->up ? b->e[n + 1 + i] : 0u);
    if (b->left && b->up)
        return (sum + n) / (2 * n);
    return b->left || b->up ? (sum + n / 2) / n : 128;
}

static unsigned
mean_of_two(const uint8_t *e, int i)
{
    return (e[i] + e[i + 1] + 1u) / 2;
}

/* Around i. */
static unsigned
mean_of_three(const uint8_t *e, int i)
{
    return (e[i - 1] + 2u * e[i] + e[i + 1] + 2) / 4;
}

/* The two modes around the diagonal; along is the nearer side's position, z
 * twice across minus along, sign which way e runs. */
static unsigned
near_diagonal(const struct edges *b, int across, int along, int sign)
{
    int n = (int)b->n, z = 2 * across - along, k = across - along / 2;
    if (z < -1)
        return mean_of_three(b->e, n - sign * (along - 2 * across - 1));
    if (z == -1)
        return mean_of_three(b->e, n);
    if (z % 2)
        return mean_of_three(b->e, n + sign * k);
    return mean_of_two(b->e, sign > 0 ? n + k : n - k - 1);
}

static unsigned
horizontal_up(const struct edges *b, int x, int y)
{
    int n = (int)b->n, z = x + 2 * y, k = n - 1 - (y + x / 2);
    if (z > 2 * n - 3)
        return b->e[0];
    if (z == 2 * n - 3)
        return (b->e[1] + 3u * b->e[0] + 2) / 4;
    return z % 2 ? mean_of_three(b->e, k - 1) : mean_of_two(b->e, k - 1);
}

static unsigned
predict_pixel(const struct edges *b, unsigned mode, int x, int y)
{
    const uint8_t *e = b->e;
    int n = (int)b->n, top = n + 1;
    switch (mode) {
    case MODE_VERTICAL: return e[top + x];
    case MODE_HORIZONTAL: return e[n - 1 - y];
    case MODE_DOWN_LEFT:
        if (x + y == 2 * n - 2)
            return (e[top + 2 * n - 2] + 3u * e[top + 2 * n - 1] + 2) / 4;
        return mean_of_three(e, top + x + y + 1);
    case MODE_DOWN_RIGHT: return mean_of_three(e, n + x - y);
    case MODE_VERTICAL_RIGHT: return near_diagonal(b, x, y, 1);
    case MODE_HORIZONTAL_DOWN: return near_diagonal(b, y, x, -1);
    case MODE_VERTICAL_LEFT:
        return y % 2 ? mean_of_three(e, top + x + y / 2 + 1)
                     : mean_of_two(e, top + x + y / 2);
    case MODE_HORIZONTAL_UP: return horizontal_up(b, x, y);
    default: return block_mean(b);
    }
}

/* ---- costs --------------------------------------------------------------- */

/* The best of something. */
struct choice {
    unsigned cost, mode;
};

static unsigned
intra_distortion(const struct vme_call *v, const uint8_t *source,
                 const uint8_t *predicted, unsigned side)
{
    return vme_distortion(source, predicted, side, side,
                          bits_get(v->in[0][3], 22, 23),
                          bits_get(v->in[1][7], 21, 21));
}

/* Modes of the neighbours give a prediction of the mode: H.264 8.3.1.1. modes:
 * of all 4x4 blocks, with a row and a column from M6.4. */
static unsigned
predicted_mode(uint8_t modes[5][5], const struct frame *f, unsigned x,
               unsigned y)
{
    if ((!x && !f->left) || (!y && !f->up))
        return MODE_DC;
    return MIN2(modes[y / 4 + 1][x / 4], modes[y / 4][x / 4 + 1]);
}

static struct choice
choose_block(const struct vme_call *v, const struct frame *f, unsigned n,
             unsigned x, unsigned y, unsigned expected)
{
    struct choice best = {UINT32_MAX, MODE_DC};
    uint8_t predicted[8][VME_MB_PX];
    unsigned not_dc = vme_byte(v, 6, n == 4 ? 30 : 29);
    struct edges b;
    read_edges(f, n, x, y, &b);
    for (unsigned mode = 0; mode < MODES; mode++) {
        if (!block_allows(&b, mode))
            continue;
        for (unsigned j = 0; j < n; j++)
            for (unsigned i = 0; i < n; i++)
                predicted[j][i] = (uint8_t)predict_pixel(&b, mode, (int)i,
                                                         (int)j);
        unsigned cost = intra_distortion(v, &v->source[y][x], predicted[0], n) +
                        (mode == MODE_DC ? 0 : not_dc) +
                        (mode == expected ? 0 : vme_u4u4(vme_byte(v, 2, 0)));
        if (cost < best.cost)
            best = (struct choice){cost, mode};
    }
    return best;
}

/* A macroblock's mode for each 4x4 block, in Z order. */
struct modes {
    unsigned cost;
    uint8_t z[16];
};

/* All blocks of n x n, in Z order: left neighbours of M6.4 first. */
static struct modes
choose_blocks(const struct vme_call *v, const struct frame *f, unsigned n)
{
    struct modes all = {0};
    uint8_t modes[5][5] = {{0}};
    for (unsigned i = 0; i < 4; i++) {
        modes[1 + i][0] = v->in[6][4] >> i * 4 & 15;
        modes[0][1 + i] = v->in[6][4] >> (16 + i * 4) & 15;
    }
    for (unsigned z = 0; z < 16; z += n * n / 16) {
        unsigned x = z / 4 % 2 * 8 + z % 2 * 4, y = z / 8 * 8 + z / 2 % 2 * 4;
        struct choice c = choose_block(v, f, n, x, y,
                                       predicted_mode(modes, f, x, y));
        all.cost += c.cost;
        for (unsigned i = 0; i < n * n / 16; i++) {
            all.z[z + i] = (uint8_t)c.mode;
            modes[1 + y / 4 + i / 2][1 + x / 4 + i % 2] = (uint8_t)c.mode;
        }
    }
    all.cost += vme_u4u4(vme_byte(v, 2, n == 4 ? 3 : 2));
    return all;
}

/* ---- 16x16 and chroma ---------------------------------------------------- */

/* A square block and its edges. */
struct square {
    unsigned side;
    bool up, left, corner;
    uint8_t above[VME_MB_PX + 1], before[VME_MB_PX + 1]; /* corner first */
};

static int
edge_slope(const uint8_t *edge, int half)
{
    int sum = 0;
    for (int i = 1; i <= half; i++)
        sum += i * (edge[half + i] - edge[half - i]);
    return sum;
}

/* H.264 8.3.3.4 and, for chroma, 8.3.4.4. */
static unsigned
plane_pixel(const struct square *s, unsigned x, unsigned y)
{
    int half = (int)s->side / 2;
    int b = s->side == 16 ? (5 * edge_slope(s->above, half) + 32) >> 6
                          : (34 * edge_slope(s->above, half) + 32) >> 6;
    int c = s->side == 16 ? (5 * edge_slope(s->before, half) + 32) >> 6
                          : (34 * edge_slope(s->before, half) + 32) >> 6;
    int a = 16 * (s->above[s->side] + s->before[s->side]);
    int at = (a + b * ((int)x - half + 1) + c * ((int)y - half + 1) + 16) >> 5;
    return (unsigned)CLAMP(at, 0, 255);
}

/* The mean of the edges of `count` pixels from x and y on. */
static unsigned
edge_mean(const struct square *s, unsigned x, unsigned y, unsigned count,
          bool up, bool left)
{
    unsigned sum = 0, n = (up + left) * count;
    for (unsigned i = 1; i <= count; i++)
        sum += (up ? s->above[x + i] : 0u) + (left ? s->before[y + i] : 0u);
    return n ? (sum + n / 2) / n : 128;
}

/* H.264 8.3.4.1 to 8.3.4.3: of the 4x4 block of chroma. */
static unsigned
chroma_mean(const struct square *s, unsigned x, unsigned y)
{
    bool up = s->up, left = s->left;
    if (x && !y && up)
        left = false;
    else if (!x && y && left)
        up = false;
    return edge_mean(s, x, y, 4, up, left);
}

static bool
square_allows(const struct square *s, unsigned mode)
{
    return mode == MODE_VERTICAL     ? s->up
           : mode == MODE_HORIZONTAL ? s->left
           : mode == MODE_DC         ? true
                                     : s->up && s->left && s->corner;
}

/* The four modes that 16x16 and chroma have, by 16x16's names. */
static void
predict_square(const struct square *s, unsigned mode,
               uint8_t out[VME_MB_PX][VME_MB_PX])
{
    for (unsigned y = 0; y < s->side; y++)
        for (unsigned x = 0; x < s->side; x++) {
            unsigned px = mode == MODE_VERTICAL     ? s->above[1 + x]
                          : mode == MODE_HORIZONTAL ? s->before[1 + y]
                          : mode == MODE_PLANE      ? plane_pixel(s, x, y)
                          : s->side == VME_MB_PX
                              ? edge_mean(s, 0, 0, 16, s->up, s->left)
                              : chroma_mean(s, x & 4, y & 4);
            out[y][x] = (uint8_t)px;
        }
}

static const uint8_t square_modes[4] = {MODE_VERTICAL, MODE_HORIZONTAL, MODE_DC,
                                        MODE_PLANE};

static struct modes
choose_16x16(const struct vme_call *v, const struct frame *f)
{
    struct square s = {VME_MB_PX, f->up, f->left, f->corner, {0}, {0}};
    struct modes best = {.cost = UINT32_MAX};
    uint8_t predicted[VME_MB_PX][VME_MB_PX];
    for (unsigned i = 0; i <= VME_MB_PX; i++) {
        s.above[i] = f->px[0][i];
        s.before[i] = f->px[i][0];
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned mode = square_modes[i];
        if (!square_allows(&s, mode))
            continue;
        predict_square(&s, mode, predicted);
        unsigned cost = intra_distortion(v, v->source[0], predicted[0],
                                         VME_MB_PX) +
                        (mode == MODE_DC ? 0 : vme_byte(v, 6, 28));
        if (cost >= best.cost)
            continue;
        best.cost = cost;
        memset(best.z, (int)mode, sizeof best.z);
    }
    best.cost += vme_u4u4(vme_byte(v, 2, 1));
    return best;
}

/* Edges of a chroma plane: Cb and Cr take turns in M7, the corner in M6.5. */
static struct square
chroma_square(const struct vme_call *v, const struct frame *f, unsigned plane)
{
    struct square s = {8, f->up, f->left, f->corner, {0}, {0}};
    s.above[0] = s.before[0] = (uint8_t)vme_byte(v, 6, 20 + plane);
    for (unsigned i = 0; i < 8; i++) {
        s.before[1 + i] = (uint8_t)vme_byte(v, 7, i * 2 + plane);
        s.above[1 + i] = (uint8_t)vme_byte(v, 7, 16 + i * 2 + plane);
    }
    return s;
}

/* H.264's order of chroma modes: DC, horizontal, vertical, plane. The penalty
 * counts not at all, once, once and twice. */
static struct choice
choose_chroma(const struct vme_call *v, const struct frame *f,
              const struct vme_picture *p)
{
    static const uint8_t modes[4] = {MODE_DC, MODE_HORIZONTAL, MODE_VERTICAL,
                                     MODE_PLANE};
    static const uint8_t times[4] = {0, 1, 1, 2};
    struct choice best = {UINT32_MAX, 0};
    uint8_t source[2][VME_MB_PX][VME_MB_PX], row[8 * 8];
    uint8_t predicted[VME_MB_PX][VME_MB_PX];
    for (unsigned i = 0; i < 2; i++) {
        vme_fetch(p, i ? 0 : 2, v->x_px / 2, v->y_px / 2, 8, 8, row);
        for (unsigned y = 0; y < 8; y++)
            memcpy(source[i][y], row + y * 8, 8);
    }
    for (unsigned m = 0; m < 4; m++) {
        unsigned cost = vme_u4u4(vme_byte(v, 2, 11)) * times[m];
        for (unsigned i = 0; i < 2; i++) {
            struct square s = chroma_square(v, f, i);
            if (!square_allows(&s, modes[m])) {
                cost = UINT32_MAX;
                break;
            }
            predict_square(&s, modes[m], predicted);
            cost += intra_distortion(v, source[i][0], predicted[0], 8);
        }
        if (cost < best.cost)
            best = (struct choice){cost, m};
    }
    return best;
}

/* ---- the answer ---------------------------------------------------------- */

/* IntraPartMask: a bit for each size that is left out. */
void
vme_intra(struct vme_call *v)
{
    enum { INTRA_16X16, INTRA_8X8, INTRA_4X4, SIZES };
    unsigned off = vme_byte(v, 1, 28), best = SIZES;
    struct modes modes[SIZES];
    struct vme_picture p;
    struct frame f;
    read_frame(v, &f);
    for (unsigned i = 0; i < SIZES; i++) {
        if (off >> i & 1)
            continue;
        modes[i] = i == INTRA_16X16
                       ? choose_16x16(v, &f)
                       : choose_blocks(v, &f, i == INTRA_8X8 ? 8 : 4);
        if (best == SIZES || modes[i].cost < modes[best].cost)
            best = i;
    }
    if (best < SIZES) {
        v->out[0][0] |= best << 4;
        v->out[0][3] |= MIN2(modes[best].cost, VME_COST_MAX);
        for (unsigned i = 0; i < 16; i++)
            v->out[0][4 + i / 8] |= (uint32_t)modes[best].z[i] << i % 8 * 4;
    }
    v->out[0][6] |= vme_byte(v, 1, 29) & 0xfc;
    if (bits_get(v->in[5][1], 8, 9) || !vme_source_find(v, &p))
        return;
    if (!p.s.channel[2].sub_y) {
        unimp("intra chroma of VME without a picture of 4:2:0");
        return;
    }
    struct choice chroma = choose_chroma(v, &f, &p);
    v->out[0][3] |= MIN2(chroma.cost, VME_COST_MAX) << 16;
    v->out[0][6] |= chroma.mode;
}
