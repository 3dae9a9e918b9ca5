/* vme_sic.c: skip and intra check (SIC): distortion at given vectors. Intra is
 * in vme_intra.c. */
#include "engine/msg/vme/vme.h"

#include <stdlib.h>

#define CENTRES 4 /* phase M4: pairs for each quarter */

/* Whether one reference, or both, predict a quarter: SkipCenterMask. */
static unsigned
directions_of(const struct vme_call *v, unsigned quarter, bool quarters)
{
    return vme_byte(v, 1, 31) >> (quarters ? quarter * 2 : 0) & 3;
}

static struct vme_mv
centre_of(const struct vme_call *v, unsigned quarter, unsigned d)
{
    return vme_mv_of(v->in[CENTRES][quarter * 2 + d]);
}

/* Prediction of a partition from its centres; false: a reference is missing. */
static bool
predict_part(const struct vme_call *v, const uint8_t rect[4], unsigned quarter,
             unsigned directions, uint8_t out[VME_MB_PX][VME_MB_PX])
{
    uint8_t other[VME_MB_PX][VME_MB_PX];
    struct vme_picture p;
    for (unsigned d = 0; d < 2; d++) {
        bool second = d && directions == 3;
        if (!(directions >> d & 1))
            continue;
        if (!vme_reference_find(v, (enum vme_direction)d, quarter, &p))
            return false;
        vme_predict(v, &p, rect, centre_of(v, quarter, d),
                    second ? other : out);
        if (second)
            vme_mix(v, rect, other, out);
    }
    return true;
}

/* NonSkipZMvAdded and NonSkipModeAdded: the vector is coded, no skip. */
static unsigned
skip_penalties(const struct vme_call *v, unsigned part, unsigned quarter,
               unsigned directions)
{
    unsigned sum = 0;
    for (unsigned d = 0; d < 2; d++)
        if (directions >> d & 1 && bits_get(v->in[1][7], 5, 5))
            sum += vme_mv_cost(v, (enum vme_direction)d, quarter,
                               centre_of(v, quarter, d));
    return sum + (bits_get(v->in[1][7], 6, 6) ? vme_mode_cost(v, part) : 0);
}

/* W0.2, upper half: the sum of all blocks' plain differences, or the largest
 * 4x4 or 8x8 block's (BlockBasedSkipEnabled, T8x8FlagForInterEn). */
static unsigned
raw_distortion(const struct vme_call *v,
               const uint8_t predicted[VME_MB_PX][VME_MB_PX])
{
    unsigned sum = 0, most = 0, side = bits_get(v->in[1][0], 7, 7) ? 8 : 4;
    for (unsigned y = 0; y < VME_MB_PX; y += side)
        for (unsigned x = 0; x < VME_MB_PX; x += side) {
            unsigned d = vme_distortion(&v->source[y][x], &predicted[y][x],
                                        side, side, 0, false);
            sum += d;
            most = MAX2(most, d);
        }
    return bits_get(v->in[0][3], 19, 19) ? most : MIN2(sum, VME_COST_MAX);
}

/* ---- forward transform --------------------------------------------------- */

/* Four values, a step apart, by H.264's forward transform. */
static void
transform_line(int *at, unsigned step)
{
    int a = at[0] + at[3 * step], b = at[step] + at[2 * step];
    int c = at[step] - at[2 * step], d = at[0] - at[3 * step];
    at[0] = a + b;
    at[step] = 2 * d + c;
    at[2 * step] = a - b;
    at[3 * step] = d - 2 * c;
}

/* M2.6 and M2.7: 16 bits for DC, 8 for each step to higher frequencies. */
static unsigned
coefficient_limit(const struct vme_call *v, unsigned step)
{
    return step ? vme_byte(v, 2, 25 + step) : v->in[2][6] & 0xffff;
}

/* Of a 4x4 block, how many coefficients exceed their threshold, and by how much
 * in all. Guess: not scaled. */
static void
count_block(const struct vme_call *v, const uint8_t *source,
            const uint8_t *predicted, unsigned *count, unsigned *sum)
{
    int c[16];
    for (unsigned i = 0; i < 16; i++) {
        unsigned at = i / 4 * VME_MB_PX + i % 4;
        c[i] = source[at] - predicted[at];
    }
    for (unsigned i = 0; i < 4; i++)
        transform_line(c + i * 4, 1);
    for (unsigned i = 0; i < 4; i++)
        transform_line(c + i, 4);
    for (unsigned i = 0; i < 16; i++) {
        unsigned size = (unsigned)abs(c[i]),
                 most = coefficient_limit(v, i / 4 + i % 4);
        *count += size > most;
        *sum += size > most ? size - most : 0;
    }
}

/* FTEnable. W6.1: a count for each quarter, W6.2 and W6.3: a sum. */
static void
transform_check(struct vme_call *v,
                const uint8_t predicted[VME_MB_PX][VME_MB_PX])
{
    if (bits_get(v->in[1][0], 7, 7)) {
        unimp("forward transform of 8x8 in VME's skip check: its counts are 0");
        return;
    }
    for (unsigned q = 0; q < 4; q++) {
        unsigned count = 0, sum = 0;
        for (unsigned i = 0; i < 4; i++) {
            unsigned x = q % 2 * 8 + i % 2 * 4, y = q / 2 * 8 + i / 2 * 4;
            count_block(v, &v->source[y][x], &predicted[y][x], &count, &sum);
        }
        v->out[6][1] |= count << q * 8;
        v->out[6][2 + q / 2] |= MIN2(sum, VME_COST_MAX) << q % 2 * 16;
    }
}

/* ---- the check ----------------------------------------------------------- */

/* One 16x16 partition or four of 8x8: SkipType. */
static void
skip_check(struct vme_call *v)
{
    bool quarters = bits_get(v->in[0][3], 14, 14);
    struct vme_shape shape = vme_shape_make(
        quarters ? VME_MODE_8X8 : VME_MODE_16X16, 0);
    struct vme_result results[16] = {{0}};
    uint8_t predicted[VME_MB_PX][VME_MB_PX] = {{0}};
    for (unsigned i = 0; i < shape.count; i++) {
        const uint8_t *rect = vme_part(shape.part[i])->rect;
        unsigned directions = directions_of(v, i, quarters);
        struct vme_result *r = &results[i];
        if (!predict_part(v, rect, i, directions, predicted))
            return;
        r->direction = directions == 3   ? VME_BIDIRECTIONAL
                       : directions == 2 ? VME_BACKWARD
                                         : VME_FORWARD;
        r->mv[0] = centre_of(v, i, 0);
        r->mv[1] = centre_of(v, i, 1);
        r->distortion = vme_distortion(&v->source[rect[1]][rect[0]],
                                       &predicted[rect[1]][rect[0]], rect[2],
                                       rect[3], bits_get(v->in[0][3], 20, 21),
                                       bits_get(v->in[1][7], 21, 21)) +
                        skip_penalties(v, shape.part[i], i, directions);
    }
    vme_answer_shape(v, &shape, results);
    v->out[0][2] |= raw_distortion(v, (const uint8_t(*)[VME_MB_PX])predicted)
                    << 16;
    if (bits_get(v->in[0][3], 17, 17))
        transform_check(v, (const uint8_t(*)[VME_MB_PX])predicted);
}

/* IntraComputeType 2: none. */
void
vme_sic(struct vme_call *v)
{
    if (bits_get(v->in[1][0], 0, 0))
        skip_check(v);
    if (bits_get(v->in[5][1], 8, 9) < 2)
        vme_intra(v);
}
