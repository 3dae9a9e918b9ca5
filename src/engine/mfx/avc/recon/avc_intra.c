/* avc_intra.c: intra prediction. ITU-T H.264, 8.3. */
#include "engine/mfx/avc/recon/recon.h"

#define SAMPLE_GREY 128
#define EDGE_MAX (3 * 8 + 2)

/* Neighbours of an N x N block in one line: left from the lowest up, the
 * corner, top and top right from the left. */
static inline unsigned
half_of(const uint8_t *a, const uint8_t *b)
{
    return (*a + *b + 1u) >> 1;
}

static inline unsigned
smooth(const uint8_t *centre)
{
    return (centre[-1] + 2u * centre[0] + centre[1] + 2) >> 2;
}

static inline uint8_t
predict_vertical_right(const uint8_t *corner, int x, int y)
{
    int k = x - (y >> 1), z = 2 * x - y;
    if (z >= 0)
        return (uint8_t)(z & 1 ? smooth(corner + k)
                               : half_of(corner + k, corner + k + 1));
    return (uint8_t)smooth(z == -1 ? corner : corner - (y - 2 * x - 1));
}

static inline uint8_t
predict_horizontal_down(const uint8_t *corner, int x, int y)
{
    int k = y - (x >> 1), z = 2 * y - x;
    if (z >= 0)
        return (uint8_t)(z & 1 ? smooth(corner - k)
                               : half_of(corner - k, corner - k - 1));
    return (uint8_t)smooth(z == -1 ? corner : corner + (x - 2 * y - 1));
}

static inline uint8_t
predict_vertical_left(const uint8_t *top, int x, int y)
{
    int k = x + (y >> 1);
    return (uint8_t)(y & 1 ? smooth(top + k + 1)
                           : half_of(top + k, top + k + 1));
}

static inline uint8_t
predict_horizontal_up(const uint8_t *corner, int size, int x, int y)
{
    int z = x + 2 * y, k = y + (x >> 1), last = 2 * size - 3;
    const uint8_t *left = corner - 1; /* left[-i] */
    if (z > last)
        return left[-(size - 1)];
    if (z == last)
        return (uint8_t)((left[-(size - 2)] + 3 * left[-(size - 1)] + 2) >> 2);
    return (uint8_t)(z & 1 ? smooth(left - k - 1)
                           : half_of(left - k, left - k - 1));
}

/* Modes 3 to 8. edge has 3 * size + 2 samples. */
static inline void
predict_direction(uint8_t *to, ptrdiff_t stride, unsigned mode,
                  const uint8_t *edge, int size)
{
    const uint8_t *corner = edge + size, *top = corner + 1;
    for (int y = 0; y < size; y++, to += stride)
        for (int x = 0; x < size; x++) {
            switch (mode) {
            case 3: to[x] = (uint8_t)smooth(top + x + y + 1); break;
            case 4: to[x] = (uint8_t)smooth(corner + x - y); break;
            case 5: to[x] = predict_vertical_right(corner, x, y); break;
            case 6: to[x] = predict_horizontal_down(corner, x, y); break;
            case 7: to[x] = predict_vertical_left(top, x, y); break;
            default: to[x] = predict_horizontal_up(corner, size, x, y); break;
            }
        }
}

static void
fill_block(uint8_t *to, ptrdiff_t stride, unsigned width, unsigned height,
           unsigned value)
{
    for (unsigned y = 0; y < height; y++)
        memset(to + y * stride, (int)value, width);
}

/* Modes 0 to 2 from an edge as above. */
static inline void
predict_plain(uint8_t *to, ptrdiff_t stride, unsigned mode, unsigned has,
              const uint8_t *edge, unsigned size, unsigned log2_size)
{
    const uint8_t *corner = edge + size;
    unsigned sum = 0, sides = 0;
    if (mode == AVC_VERTICAL) {
        for (unsigned y = 0; y < size; y++)
            memcpy(to + y * stride, corner + 1, size);
        return;
    }
    if (mode == AVC_HORIZONTAL) {
        for (unsigned y = 0; y < size; y++)
            memset(to + y * stride, corner[-1 - (int)y], size);
        return;
    }
    for (unsigned i = 0; i < size; i++) {
        if (has & AVC_HAS_TOP)
            sum += corner[1 + i];
        if (has & AVC_HAS_LEFT)
            sum += corner[-1 - (int)i];
    }
    sides = !!(has & AVC_HAS_TOP) + !!(has & AVC_HAS_LEFT);
    unsigned value = SAMPLE_GREY;
    if (sides)
        value = (sum + (sides * size >> 1)) >> (log2_size + sides - 1);
    fill_block(to, stride, size, size, value);
}

/* Neighbours as they are; top right repeats the last one if it has none. */
static void
gather_edge(const uint8_t *to, ptrdiff_t stride, unsigned has, unsigned size,
            uint8_t *edge)
{
    const uint8_t *above = to - stride;
    for (unsigned i = 0; i < size; i++)
        edge[i] = has & AVC_HAS_LEFT ? to[(size - 1 - i) * stride - 1] : 0;
    edge[size] = has & AVC_HAS_CORNER ? above[-1] : 0;
    uint8_t *top = edge + size + 1;
    memset(top, 0, 2 * size + 1);
    if (!(has & AVC_HAS_TOP))
        return;
    memcpy(top, above, size);
    if (has & AVC_HAS_TOP_RIGHT)
        memcpy(top + size, above + size, size);
    else
        memset(top + size, top[size - 1], size);
    top[2 * size] = top[2 * size - 1];
}

void
avc_intra_4x4(uint8_t *to, ptrdiff_t stride, unsigned mode, unsigned has)
{
    uint8_t edge[EDGE_MAX];
    gather_edge(to, stride, has, 4, edge);
    if (mode <= AVC_DC)
        predict_plain(to, stride, mode, has, edge, 4, 2);
    else
        predict_direction(to, stride, mode, edge, 4);
}

/* 8.3.2.2.1: reference samples are filtered. */
static void
filter_edge(const uint8_t *in, unsigned has, uint8_t *out)
{
    const unsigned corner = 8, top = 9, end = 25;
    memcpy(out, in, EDGE_MAX);
    bool has_corner = has & AVC_HAS_CORNER;
    if (has & AVC_HAS_TOP) {
        out[top] = (uint8_t)(has_corner
                                 ? smooth(in + top)
                                 : (3u * in[top] + in[top + 1] + 2) >> 2);
        for (unsigned i = top + 1; i < end - 1; i++)
            out[i] = (uint8_t)smooth(in + i);
        out[end - 1] = (uint8_t)((in[end - 2] + 3u * in[end - 1] + 2) >> 2);
        out[end] = out[end - 1];
    }
    if (has & AVC_HAS_LEFT) {
        out[7] = (uint8_t)(has_corner ? smooth(in + 7)
                                      : (3u * in[7] + in[6] + 2) >> 2);
        for (unsigned i = 1; i < 7; i++)
            out[i] = (uint8_t)smooth(in + i);
        out[0] = (uint8_t)((in[1] + 3u * in[0] + 2) >> 2);
    }
    if (!has_corner)
        return;
    if ((has & AVC_HAS_TOP) && (has & AVC_HAS_LEFT))
        out[corner] = (uint8_t)smooth(in + corner);
    else if (has & AVC_HAS_TOP)
        out[corner] = (uint8_t)((3u * in[corner] + in[top] + 2) >> 2);
    else if (has & AVC_HAS_LEFT)
        out[corner] = (uint8_t)((3u * in[corner] + in[7] + 2) >> 2);
}

void
avc_intra_8x8(uint8_t *to, ptrdiff_t stride, unsigned mode, unsigned has)
{
    uint8_t raw[EDGE_MAX], edge[EDGE_MAX + 1];
    gather_edge(to, stride, has, 8, raw);
    filter_edge(raw, has, edge);
    /* Diagonal down left ends with the last sample three times. */
    edge[EDGE_MAX - 1] = edge[EDGE_MAX - 2];
    if (mode <= AVC_DC)
        predict_plain(to, stride, mode, has, edge, 8, 3);
    else
        predict_direction(to, stride, mode, edge, 8);
}

/* 8.3.3.4 and 8.3.4.4: size 16 or 8. */
static void
predict_plane(uint8_t *to, ptrdiff_t stride, int size)
{
    const uint8_t *above = to - stride;
    int half = size / 2, h = 0, v = 0;
    for (int i = 1; i <= half; i++) {
        const uint8_t *low = to + (unsigned)(half - 1 + i) * stride - 1;
        const uint8_t *high = to - 1 - (ptrdiff_t)stride +
                              (ptrdiff_t)(half - i) * (ptrdiff_t)stride;
        h += i * (above[half - 1 + i] - above[half - 1 - i]);
        v += i * (*low - *high);
    }
    int b = size == 16 ? (5 * h + 32) >> 6 : (34 * h + 32) >> 6;
    int c = size == 16 ? (5 * v + 32) >> 6 : (34 * v + 32) >> 6;
    int a = 16 * (to[(unsigned)(size - 1) * stride - 1] + above[size - 1]);
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            int value = (a + b * (x - half + 1) + c * (y - half + 1) + 16) >> 5;
            to[(unsigned)y * stride + (unsigned)x] = (uint8_t)CLAMP(value, 0,
                                                                    255);
        }
}

void
avc_intra_16x16(uint8_t *to, ptrdiff_t stride, unsigned mode, unsigned has)
{
    if (mode > AVC_DC) {
        predict_plane(to, stride, 16);
        return;
    }
    uint8_t edge[33];
    for (unsigned i = 0; i < 16; i++)
        edge[i] = has & AVC_HAS_LEFT ? to[(15 - i) * stride - 1] : 0;
    edge[16] = 0;
    memset(edge + 17, 0, 16);
    if (has & AVC_HAS_TOP)
        memcpy(edge + 17, to - stride, 16);
    predict_plain(to, stride, mode, has, edge, 16, 4);
}

/* DC of a 4x4 block of chroma, 8.3.4.1 to 8.3.4.3. */
static unsigned
chroma_dc(const uint8_t *to, ptrdiff_t stride, unsigned x, unsigned y,
          bool left, bool top)
{
    unsigned above = 0, beside = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (top)
            above += *(to + x + i - stride);
        if (left)
            beside += to[(y + i) * stride - 1];
    }
    if (left && top && (x != 0) == (y != 0))
        return (above + beside + 4) >> 3;
    if (top && (x || !left))
        return (above + 2) >> 2;
    if (left)
        return (beside + 2) >> 2;
    return SAMPLE_GREY;
}

static void
predict_chroma_dc(uint8_t *to, ptrdiff_t stride, unsigned has, unsigned left)
{
    unsigned value[4];
    for (unsigned i = 0; i < 4; i++)
        value[i] = chroma_dc(to, stride, i % 2 * 4, i / 2 * 4,
                             left >> i / 2 & 1, has & AVC_HAS_TOP);
    for (unsigned i = 0; i < 4; i++)
        fill_block(to + i / 2 * 4 * stride + i % 2 * 4, stride, 4, 4, value[i]);
}

void
avc_intra_chroma(uint8_t *to, ptrdiff_t stride, unsigned mode, unsigned has,
                 unsigned left)
{
    switch (mode) {
    case 0: predict_chroma_dc(to, stride, has, left); break;
    case 1:
        for (unsigned y = 0; y < 8; y++)
            memset(to + y * stride, *(to + y * stride - 1), 8);
        break;
    case 2:
        for (unsigned y = 0; y < 8; y++)
            memcpy(to + y * stride, to - stride, 8);
        break;
    default: predict_plane(to, stride, 8); break;
    }
}
