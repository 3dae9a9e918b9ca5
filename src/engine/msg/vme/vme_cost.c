/* vme_cost.c: distortion of predictions, and penalties of motion vectors. */
#include "engine/msg/vme/vme.h"

#include <stdlib.h>

enum { HAAR = 2 };

/* Guess: the sum of the absolute coefficients of a Haar transform of 2x2
 * residuals, halved, so that it compares with plain differences. */
static unsigned
haar_block(const uint8_t *source, const uint8_t *pixels, unsigned source_px,
           unsigned stride_px, bool ac_only)
{
    int a = source[0] - pixels[0], b = source[1] - pixels[1];
    int c = source[source_px] - pixels[stride_px];
    int d = source[source_px + 1] - pixels[stride_px + 1];
    int sum = abs(a - b + c - d) + abs(a + b - c - d) + abs(a - b - c + d);
    return (unsigned)(sum + (ac_only ? 0 : abs(a + b + c + d)));
}

static unsigned
haar_4x4(const uint8_t *source, const uint8_t *pixels, unsigned source_px,
         unsigned stride_px, bool ac_only)
{
    unsigned sum = 0;
    for (unsigned y = 0; y < 4; y += 2)
        for (unsigned x = 0; x < 4; x += 2)
            sum += haar_block(source + y * source_px + x,
                              pixels + y * stride_px + x, source_px, stride_px,
                              ac_only);
    return sum / 2;
}

static unsigned
sad_4x4(const uint8_t *source, const uint8_t *pixels, unsigned source_px,
        unsigned stride_px)
{
    unsigned sum = 0;
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++)
            sum += (unsigned)abs(source[y * source_px + x] -
                                 pixels[y * stride_px + x]);
    return sum;
}

unsigned
vme_distortion(const uint8_t *source, const uint8_t *pixels, unsigned width,
               unsigned height, unsigned mode, bool ac_only)
{
    unsigned sum = 0;
    for (unsigned y = 0; y < height; y += 4)
        for (unsigned x = 0; x < width; x += 4) {
            unsigned at = y * VME_MB_PX + x;
            sum += mode == HAAR || ac_only
                       ? haar_4x4(source + at, pixels + at, VME_MB_PX,
                                  VME_MB_PX, ac_only)
                       : sad_4x4(source + at, pixels + at, VME_MB_PX,
                                 VME_MB_PX);
        }
    return sum;
}

/* Differences of four rows, added up per column. Copies of the rows cannot
 * overlap the sums, so the loops become vectors. */
static void
sad_rows(const uint8_t *source, const uint8_t *pixels, unsigned stride_px,
         uint16_t out[VME_MB_PX])
{
    uint16_t column[VME_MB_PX] = {0};
    for (unsigned y = 0; y < 4; y++) {
        uint8_t a[VME_MB_PX], b[VME_MB_PX], d[VME_MB_PX];
        memcpy(a, source + y * VME_MB_PX, sizeof a);
        memcpy(b, pixels + y * stride_px, sizeof b);
        for (unsigned x = 0; x < VME_MB_PX; x++)
            d[x] = (uint8_t)(MAX2(a[x], b[x]) - MIN2(a[x], b[x]));
        for (unsigned x = 0; x < VME_MB_PX; x++)
            column[x] = (uint16_t)(column[x] + d[x]);
    }
    memcpy(out, column, sizeof column);
}

static const uint8_t z_order[4][4] = {
    {0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}};

void
vme_distortions(const struct vme_call *v,
                const uint8_t source[VME_MB_PX][VME_MB_PX],
                const uint8_t *pixels, unsigned stride_px, uint16_t out[16])
{
    bool ac_only = bits_get(v->in[1][7], 21, 21);
    bool haar = ac_only || bits_get(v->in[0][3], 20, 21) == HAAR;
    uint16_t column[VME_MB_PX];
    for (unsigned y = 0; y < 4; y++) {
        const uint8_t *row = pixels + y * 4 * stride_px;
        if (!haar)
            sad_rows(source[y * 4], row, stride_px, column);
        for (unsigned x = 0; x < 4; x++)
            out[z_order[y][x]] = haar ? (uint16_t)haar_4x4(
                                            &source[y * 4][x * 4], row + x * 4,
                                            VME_MB_PX, stride_px, ac_only)
                                      : (uint16_t)(column[x * 4] +
                                                   column[x * 4 + 1] +
                                                   column[x * 4 + 2] +
                                                   column[x * 4 + 3]);
    }
}

/* ---- penalties ----------------------------------------------------------- */

/* Control points at distances 0, 1, 2, 4 ... 64 and straight lines between;
 * beyond, the last one and the rest of the distance, at most 255. Guess: the
 * extension starts with 1; intel-vaapi-driver fills the table so. */
static unsigned
distance_cost(const struct vme_call *v, unsigned distance)
{
    unsigned point = 0, at = 0, next = 1;
    if (distance >= 64)
        return MIN2(vme_u4u4(vme_byte(v, 2, 19)) + distance - 64, 255);
    while (distance >= next) {
        at = next;
        next *= 2;
        point++;
    }
    int low = (int)vme_u4u4(vme_byte(v, 2, 12 + point));
    int high = (int)vme_u4u4(vme_byte(v, 2, 13 + point));
    return (unsigned)(low +
                      (high - low) * (int)(distance - at) / (int)(next - at));
}

unsigned
vme_mv_cost(const struct vme_call *v, enum vme_direction d, unsigned quarter,
            struct vme_mv mv)
{
    if (!(v->in[2][3] | v->in[2][4]))
        return 0;
    uint32_t centre = v->in[3][quarter * 2 + (d == VME_BACKWARD)];
    unsigned precision = bits_get(v->in[1][7], 16, 17);
    unsigned dx = (unsigned)abs(mv.x - (int16_t)centre);
    unsigned dy = (unsigned)abs(mv.y - (int16_t)(centre >> 16));
    return distance_cost(v, dx >> precision) +
           distance_cost(v, dy >> precision);
}

/* Mode 9 is the penalty of backward references, RefIDCost of pictures after the
 * first pair. Guess: one each. */
unsigned
vme_direction_cost(const struct vme_call *v, enum vme_direction d,
                   unsigned quarter)
{
    unsigned backward = d == VME_BACKWARD;
    unsigned pair = v->in[1][6] >> (quarter * 8 + backward * 4) & 15;
    return (d == VME_FORWARD ? 0 : vme_u4u4(vme_byte(v, 2, 9))) +
           (pair ? vme_u4u4(vme_byte(v, 2, 10)) : 0);
}
