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
refine_vector(struct refined *r, enum vme_direction d)
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

static unsigned
both_ways(const struct refined *r)
{
    uint8_t mixed[VME_MB_PX][VME_MB_PX];
    memcpy(mixed, r->predicted[VME_FORWARD], sizeof mixed);
    vme_mix(r->v, rect_of(r), r->predicted[VME_BACKWARD], mixed);
    return distortion_of(r, mixed) + penalty_of(r, VME_FORWARD, r->mv[0]) +
           penalty_of(r, VME_BACKWARD, r->mv[1]);
}

/* False: a reference is missing. */
static bool
start_part(struct refined *r, struct vme_call *v, unsigned part,
           unsigned directions)
{
    const uint8_t *rect = vme_part(part)->rect;
    r->v = v;
    r->part = part;
    r->quarter = vme_part(part)->quarter;
    const uint32_t *pair = v->in[VECTORS + r->quarter] +
                           (rect[1] % 8u / 4 * 2 + rect[0] % 8u / 4) * 2;
    for (unsigned d = 0; d < 2; d++) {
        r->mv[d] = vme_mv_of(pair[d]);
        if (directions >> d & 1 &&
            !vme_reference_find(v, (enum vme_direction)d, r->quarter,
                                &r->picture[d]))
            return false;
    }
    return true;
}

/* The refined vectors, one way or both. */
static bool
finish_part(struct vme_call *v, unsigned part, unsigned mode,
            struct vme_result *result)
{
    bool bidirectional = mode == VME_BIDIRECTIONAL;
    unsigned directions = bidirectional ? 3 : 1u << (mode & 1);
    struct refined r;
    if (!start_part(&r, v, part, directions))
        return false;
    for (unsigned d = 0; d < 2; d++)
        if (directions >> d & 1)
            refine_vector(&r, (enum vme_direction)d);
    result->direction = (enum vme_direction)(bidirectional ? VME_BIDIRECTIONAL
                                                           : mode & 1);
    result->distortion = (bidirectional ? both_ways(&r) : r.cost[mode & 1]) +
                         vme_mode_cost(v, part);
    result->mv[0] = r.mv[0];
    result->mv[1] = r.mv[1];
    return true;
}

/* Whether a partition may be predicted both ways without being told to:
 * BMEDisableFBR; minor shapes never are. */
static bool
may_be_both(const struct vme_call *v, unsigned part)
{
    const uint8_t *rect = vme_part(part)->rect;
    return !bits_get(v->in[0][3], 18, 18) && rect[2] >= 8 && rect[3] >= 8;
}

/* Of a shape's partitions as SubPredMode has them, and both ways. */
struct refinement {
    struct vme_result told[16], both[16];
    unsigned told_cost, both_cost;
    bool all_both; /* or some may not be */
};

static bool
refine_parts(struct vme_call *v, const struct vme_shape *shape,
             struct refinement *r)
{
    r->all_both = true;
    for (unsigned i = 0; i < shape->count; i++) {
        unsigned part = shape->part[i];
        unsigned mode = vme_byte(v, 2, 22) >> vme_part(part)->quarter * 2 & 3;
        if (mode == 3) {
            guest_error("VME refinement with an illegal direction");
            mode = VME_FORWARD;
        }
        if (!finish_part(v, part, mode, &r->told[i]))
            return false;
        r->both[i] = r->told[i];
        if (mode != VME_BIDIRECTIONAL &&
            (!may_be_both(v, part) ||
             !finish_part(v, part, VME_BIDIRECTIONAL, &r->both[i])))
            r->all_both = false;
        r->told_cost += r->told[i].distortion;
        r->both_cost += r->both[i].distortion;
    }
    return true;
}

/* Both ways where that costs less; BiMixDis: all partitions or none. */
static void
choose_directions(const struct vme_call *v, const struct vme_shape *shape,
                  struct refinement *r)
{
    bool mixed = !bits_get(v->in[1][0], 2, 2);
    bool all = r->all_both && r->both_cost < r->told_cost;
    for (unsigned i = 0; i < shape->count; i++)
        if (mixed ? r->both[i].distortion < r->told[i].distortion : all)
            r->told[i] = r->both[i];
}

void
vme_fbr(struct vme_call *v)
{
    struct vme_shape shape = vme_shape_make(vme_byte(v, 2, 20),
                                            vme_byte(v, 2, 21));
    struct refinement r = {0};
    if (!refine_parts(v, &shape, &r))
        return;
    choose_directions(v, &shape, &r);
    vme_answer_shape(v, &shape, r.told);
}
