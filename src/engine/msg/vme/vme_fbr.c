/* vme_fbr.c: fractional and bidirectional refinement (FBR) of the vectors that
 * the payload gives to each partition. */
#include "engine/msg/vme/vme.h"

#define VECTORS 4 /* phases M4 to M7: pairs for each 4x4 block in Z order */
#define ROUNDS 2  /* half pixels, quarter pixels */

/* A partition in work. */
struct refined {
    struct vme_call *v;
    unsigned part, quarter;
    struct vme_picture picture[2];
    struct vme_mv mv[2];
    unsigned cost[2];
    uint8_t predicted[2][VME_MB_PX][VME_MB_PX];
};

static const uint8_t *
rect_of(const struct refined *r)
{
    return vme_part(r->part)->rect;
}

static unsigned
distortion_of(const struct refined *r,
              const uint8_t predicted[VME_MB_PX][VME_MB_PX])
{
    const struct vme_call *v = r->v;
    const uint8_t *rect = rect_of(r);
    return vme_distortion(
        &v->source[rect[1]][rect[0]], &predicted[rect[1]][rect[0]], rect[2],
        rect[3], bits_get(v->in[0][3], 20, 21), bits_get(v->in[1][7], 21, 21));
}

static unsigned
penalty_of(const struct refined *r, enum vme_direction d, struct vme_mv mv)
{
    return vme_mv_cost(r->v, d, r->quarter, mv) +
           vme_direction_cost(r->v, d, r->quarter);
}

/* Keeps a vector if it is the first or costs less. */
static void
try_vector(struct refined *r, enum vme_direction d, struct vme_mv mv)
{
    uint8_t predicted[VME_MB_PX][VME_MB_PX];
    vme_predict(r->v, &r->picture[d], rect_of(r), mv, predicted);
    unsigned cost = distortion_of(r, predicted) + penalty_of(r, d, mv);
    if (cost >= r->cost[d])
        return;
    r->cost[d] = cost;
    r->mv[d] = mv;
    memcpy(r->predicted[d], predicted, sizeof predicted);
}

/* The eight neighbours at half a pixel, then at a quarter, as SubPelMode has
 * it: 0, 1 or 3. */
static void
refine(struct refined *r, enum vme_direction d)
{
    unsigned mode = bits_get(r->v->in[0][3], 12, 13);
    r->cost[d] = UINT32_MAX;
    try_vector(r, d, r->mv[d]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        int step = round ? 1 : 2;
        struct vme_mv centre = r->mv[d];
        if (!(mode >> round & 1))
            break;
        for (int i = 0; i < 9; i++)
            if (i != 4)
                try_vector(
                    r, d,
                    (struct vme_mv){(int16_t)(centre.x + (i % 3 - 1) * step),
                                    (int16_t)(centre.y + (i / 3 - 1) * step)});
    }
}

/* BiWeight: of the backward prediction, in 64ths. */
static unsigned
both_ways(const struct refined *r)
{
    uint8_t mixed[VME_MB_PX][VME_MB_PX];
    const uint8_t *rect = rect_of(r);
    unsigned weight = bits_get(r->v->in[1][1], 16, 21);
    for (unsigned y = rect[1]; y < rect[1] + rect[3]; y++)
        for (unsigned x = rect[0]; x < rect[0] + rect[2]; x++)
            mixed[y][x] = (uint8_t)((r->predicted[0][y][x] * (64 - weight) +
                                     r->predicted[1][y][x] * weight + 32) /
                                    64);
    return distortion_of(r, mixed) + penalty_of(r, VME_FORWARD, r->mv[0]) +
           penalty_of(r, VME_BACKWARD, r->mv[1]);
}

static struct vme_mv
vector_at(uint32_t bits)
{
    return (struct vme_mv){(int16_t)bits, (int16_t)(bits >> 16)};
}

/* false: a reference is missing. */
static bool
start(struct refined *r, struct vme_call *v, unsigned part, unsigned directions)
{
    const uint8_t *rect = vme_part(part)->rect;
    r->v = v;
    r->part = part;
    r->quarter = vme_part(part)->quarter;
    const uint32_t *pair = v->in[VECTORS + r->quarter] +
                           (rect[1] % 8u / 4 * 2 + rect[0] % 8u / 4) * 2;
    for (unsigned d = 0; d < 2; d++) {
        r->mv[d] = vector_at(pair[d]);
        if (directions >> d & 1 &&
            !vme_reference_find(v, (enum vme_direction)d, r->quarter,
                                &r->picture[d]))
            return false;
    }
    return true;
}

/* The refined vectors, one way or both: SubPredMode says which, BMEDisableFBR
 * that both are not tried by themselves. */
static bool
finish_part(struct vme_call *v, unsigned part, unsigned mode,
            struct vme_result *result)
{
    bool bidirectional = mode == VME_BIDIRECTIONAL;
    unsigned directions = bidirectional ? 3 : 1u << (mode & 1);
    struct refined r;
    if (!start(&r, v, part, directions))
        return false;
    for (unsigned d = 0; d < 2; d++)
        if (directions >> d & 1)
            refine(&r, (enum vme_direction)d);
    result->direction = (enum vme_direction)(bidirectional ? VME_BIDIRECTIONAL
                                                           : mode & 1);
    result->distortion = (bidirectional ? both_ways(&r) : r.cost[mode & 1]) +
                         vme_mode_cost(v, part);
    result->mv[0] = r.mv[0];
    result->mv[1] = r.mv[1];
    return true;
}

/* SubPredMode, and bidirectional prediction where it costs less. */
static bool
refine_part(struct vme_call *v, unsigned part, struct vme_result *result)
{
    const uint8_t *rect = vme_part(part)->rect;
    unsigned quarter = vme_part(part)->quarter;
    unsigned mode = vme_byte(v, 2, 22) >> quarter * 2 & 3;
    struct vme_result both = {0};
    if (mode == 3) {
        guest_error("VME refinement with an illegal direction");
        mode = VME_FORWARD;
    }
    if (!finish_part(v, part, mode, result))
        return false;
    bool minor = rect[2] < 8 || rect[3] < 8;
    if (bits_get(v->in[0][3], 18, 18) || mode == VME_BIDIRECTIONAL || minor)
        return true;
    if (finish_part(v, part, VME_BIDIRECTIONAL, &both) &&
        both.distortion < result->distortion)
        *result = both;
    return true;
}

void
vme_fbr(struct vme_call *v)
{
    struct vme_shape shape = vme_shape_make(vme_byte(v, 2, 20),
                                            vme_byte(v, 2, 21));
    struct vme_result results[16] = {{0}};
    for (unsigned i = 0; i < shape.count; i++)
        if (!refine_part(v, shape.part[i], &results[i]))
            return;
    vme_answer_shape(v, &shape, results);
}
