/* vme_ime.c: integer motion estimation: search units of 4x4 places along a path
 * through a window of the reference, and the best vector of each partition. */
#include "engine/msg/vme/vme.h"

#define WINDOW_MAX_PX 2048u /* the extension: 2K luma pixels */
#define SIDE_MAX_PX 64u
#define UNIT_PX 4
#define PATH_STEPS 56u /* M4.0 to M5.5 */

/* Phases and their fields. */
enum { PATH = 4, STREAM_IN = 6, STREAM_OUT = 7 };

/* The best of each partition in one reference. */
struct record {
    unsigned cost[VME_PARTS]; /* with penalties but that of the mode */
    struct vme_mv mv[VME_PARTS];
    uint8_t pair[VME_PARTS]; /* of references */
};

/* A window and the path through it. */
struct search {
    struct vme_call *v;
    enum vme_direction direction;
    struct record *record;
    uint8_t pair;   /* of references */
    int x_px, y_px; /* of the window, from the source macroblock */
    unsigned width_px, height_px;
    unsigned units_x, units_y;
    int at_x, at_y; /* the current unit */
    uint32_t visited[SIDE_MAX_PX / UNIT_PX];
    uint8_t window[WINDOW_MAX_PX];
};

/* ---- one place ----------------------------------------------------------- */

/* WeightedSADHAAR: the power of two that divides each block. Guess: a weight
 * of two bits is a shift. */
static void
weigh_blocks(const struct vme_call *v, uint16_t blocks[16])
{
    if (!bits_get(v->in[1][7], 20, 20))
        return;
    for (unsigned i = 0; i < 16; i++)
        blocks[i] = (uint16_t)(blocks[i] >> (v->in[1][3] >> i * 2 & 3));
}

static void
try_place(struct search *s, unsigned x, unsigned y)
{
    struct vme_call *v = s->v;
    struct vme_mv mv = {(int16_t)((s->x_px + (int)x) * 4),
                        (int16_t)((s->y_px + (int)y) * 4)};
    const struct vme_part *parts = vme_part(0);
    uint16_t blocks[16];
    unsigned cost[VME_PARTS], penalty[4];
    vme_distortions(v, v->source, s->window + y * s->width_px + x, s->width_px,
                    blocks);
    weigh_blocks(v, blocks);
    vme_sum_parts(blocks, cost);
    for (unsigned q = 0; q < 4; q++)
        penalty[q] = vme_mv_cost(v, s->direction, q, mv) +
                     vme_direction_cost(v, s->direction, q);
    for (unsigned i = 0; i < VME_PARTS; i++) {
        cost[i] += penalty[parts[i].quarter];
        if (cost[i] >= s->record->cost[i])
            continue;
        s->record->cost[i] = cost[i];
        s->record->mv[i] = mv;
        s->record->pair[i] = s->pair;
    }
}

/* All places of a unit, if the window has it and it is new. */
static bool
try_unit(struct search *s)
{
    if (s->at_x < 0 || s->at_x >= (int)s->units_x || s->at_y < 0 ||
        s->at_y >= (int)s->units_y ||
        s->visited[s->at_y] & UINT32_C(1) << s->at_x)
        return false;
    s->visited[s->at_y] |= UINT32_C(1) << s->at_x;
    for (unsigned y = 0; y < UNIT_PX; y++)
        for (unsigned x = 0; x < UNIT_PX; x++)
            try_place(s, (unsigned)s->at_x * UNIT_PX + x,
                      (unsigned)s->at_y * UNIT_PX + y);
    return true;
}

/* ---- the path ------------------------------------------------------------ */

static int
signed_nibble(unsigned bits)
{
    return (int)(bits & 15) - (bits & 8 ? 16 : 0);
}

/* EarlyIMESuccessEn and its threshold. */
static bool
is_good_enough(const struct vme_call *v, const struct record *r)
{
    return bits_get(v->in[1][0], 5, 5) &&
           r->cost[VME_16X16] < vme_u4u4(v->in[1][0] >> 24);
}

/* A unit beside the best vector's that is new, or false. Guess: the extension
 * says no more than that the search follows gradients. */
static bool
next_adaptive(struct search *s)
{
    struct vme_mv best = s->record->mv[VME_16X16];
    int x = (best.x / 4 - s->x_px) / UNIT_PX;
    int y = (best.y / 4 - s->y_px) / UNIT_PX;
    for (int i = 0; i < 9; i++) {
        s->at_x = x + i % 3 - 1;
        s->at_y = y + i / 3 - 1;
        if (try_unit(s))
            return true;
    }
    return false;
}

/* LenSP units along the path, then AdaptiveEn's, MaxNumSU in all. Units outside
 * of the window do not count: the extension's exhaustive path of 48 units
 * leaves its window of 8 x 6 for a while. */
static void
follow_path(struct search *s)
{
    const struct vme_call *v = s->v;
    unsigned most = MAX2(vme_byte(v, 1, 9), 1), tried = 0;
    unsigned length = MIN2(MAX2(vme_byte(v, 1, 8), 1), most);
    for (unsigned i = 0; i <= PATH_STEPS && tried < length; i++) {
        if (i) {
            unsigned step = vme_byte(v, PATH + (i - 1) / 32, (i - 1) % 32);
            s->at_x += signed_nibble(step);
            s->at_y += signed_nibble(step >> 4);
        }
        tried += try_unit(s);
        if (is_good_enough(v, s->record))
            return;
    }
    while (bits_get(v->in[1][0], 1, 1) && tried < most &&
           !is_good_enough(v, s->record) && next_adaptive(s))
        tried++;
}

/* ---- windows ------------------------------------------------------------- */

/* RefWidth and RefHeight; false: they are invalid. */
static bool
set_window(struct search *s)
{
    s->width_px = vme_byte(s->v, 0, 22);
    s->height_px = vme_byte(s->v, 0, 23);
    s->units_x = (s->width_px - VME_MB_PX) / UNIT_PX;
    s->units_y = (s->height_px - VME_MB_PX) / UNIT_PX;
    if (s->width_px >= VME_MB_PX + UNIT_PX && s->width_px <= SIDE_MAX_PX &&
        s->height_px >= VME_MB_PX + UNIT_PX && s->height_px <= SIDE_MAX_PX &&
        s->width_px * s->height_px <= WINDOW_MAX_PX)
        return true;
    guest_error("VME search window of %ux%u", s->width_px, s->height_px);
    return false;
}

/* Path i of the message, with its start and its reference. */
static bool
run_search(struct vme_call *v, unsigned i, bool dual_reference,
           struct record *record)
{
    struct search s = {.v = v,
                       .direction = i && dual_reference ? VME_BACKWARD
                                                        : VME_FORWARD,
                       .record = record};
    uint32_t start = vme_byte(v, 1, 10 + i);
    uint32_t corner = v->in[0][s.direction == VME_BACKWARD];
    struct vme_picture p;
    s.x_px = (int16_t)corner;
    s.y_px = (int16_t)(corner >> 16);
    s.at_x = (int)(start & 15);
    s.at_y = (int)(start >> 4);
    if (!set_window(&s) || !vme_reference_find(v, s.direction, 0, &p))
        return false;
    vme_fetch(&p, p.luma, v->x_px + s.x_px, v->y_px + s.y_px, s.width_px,
              s.height_px, s.window);
    follow_path(&s);
    return true;
}

/* ---- streams ------------------------------------------------------------- */

/* IME2 and IME3 of a record, and W7 and W8: distortions, references, vectors.
 */
static void
read_stream(const struct vme_call *v, unsigned phase, struct record *r)
{
    const uint32_t *a = v->in[phase], *b = v->in[phase + 1];
    r->cost[VME_16X16] = a[4] & 0xffff;
    r->pair[VME_16X16] = a[4] >> 16 & 15;
    r->mv[VME_16X16] = vme_mv_of(a[5]);
    for (unsigned i = 0; i < 8; i++) {
        r->cost[VME_16X8 + i] = a[i / 2] >> i % 2 * 16 & 0xffff;
        r->pair[VME_16X8 + i] = a[6] >> i * 4 & 15;
        r->mv[VME_16X8 + i] = vme_mv_of(b[i]);
    }
}

static void
write_stream(struct vme_call *v, unsigned phase, const struct record *r)
{
    uint32_t *a = v->out[phase], *b = v->out[phase + 1];
    a[4] = MIN2(r->cost[VME_16X16], VME_COST_MAX) | (uint32_t)r->pair[VME_16X16]
                                                        << 16;
    a[5] = vme_mv_bits(r->mv[VME_16X16]);
    for (unsigned i = 0; i < 8; i++) {
        a[i / 2] |= (uint32_t)MIN2(r->cost[VME_16X8 + i], VME_COST_MAX)
                    << i % 2 * 16;
        a[6] |= (uint32_t)r->pair[VME_16X8 + i] << i * 4;
        b[i] = vme_mv_bits(r->mv[VME_16X8 + i]);
    }
}

/* ---- the answer ---------------------------------------------------------- */

/* A partition's reference of two records: the cheaper one, or the one that
 * `only` names. */
static unsigned
better_record(const struct record records[2], unsigned part, int only)
{
    return only >= 0 ? (unsigned)only
                     : records[1].cost[part] < records[0].cost[part];
}

/* only: the direction of all, or negative. */
static unsigned
choose_shape(struct vme_call *v, const struct record records[2], int only,
             struct vme_shape *shape)
{
    unsigned cost[VME_PARTS], sum = 0;
    for (unsigned i = 0; i < VME_PARTS; i++)
        cost[i] = MIN2(records[better_record(records, i, only)].cost[i],
                       VME_COST_MAX) +
                  vme_mode_cost(v, i);
    *shape = vme_shape_choose(v, cost);
    for (unsigned i = 0; i < shape->count; i++)
        sum += cost[shape->part[i]];
    return sum;
}

/* W0.1: which borders of its window a vector touches. Guess: left is 1, where
 * the extension has 0; the others are its numbers. */
static uint32_t
border_bits(const struct vme_call *v, struct vme_mv mv, bool backward)
{
    uint32_t corner = v->in[0][backward];
    int x = mv.x / 4 - (int16_t)corner, y = mv.y / 4 - (int16_t)(corner >> 16);
    int last_x = (int)vme_byte(v, 0, 22) - VME_MB_PX;
    int last_y = (int)vme_byte(v, 0, 23) - VME_MB_PX;
    uint32_t bits = (x <= 0 ? 1u : 0) | (x >= last_x - 1 ? 2u : 0) |
                    (y <= 0 ? 4u : 0) | (y >= last_y - 1 ? 8u : 0);
    return backward ? bits << 4 : bits;
}

/* UniMixDis: all partitions of the direction that costs less. */
static int
common_direction(struct vme_call *v, const struct record records[2])
{
    struct vme_shape shape;
    if (!bits_get(v->in[1][1], 28, 28))
        return -1;
    return choose_shape(v, records, 1, &shape) <
           choose_shape(v, records, 0, &shape);
}

/* W6.0: reference pairs of the quarters that a partition covers. */
static void
put_pairs(struct vme_call *v, const uint8_t rect[4], uint32_t pairs)
{
    for (unsigned q = 0; q < 4; q++) {
        unsigned x = q % 2 * 8, y = q / 2 * 8;
        if (x + 8 <= rect[0] || x >= rect[0] + rect[2] || y + 8 <= rect[1] ||
            y >= rect[1] + rect[3])
            continue;
        v->out[6][0] &= ~(UINT32_C(0xff) << q * 8);
        v->out[6][0] |= pairs << q * 8;
    }
}

static void
answer_search(struct vme_call *v, const struct record records[2],
              bool dual_reference)
{
    struct vme_shape shape;
    struct vme_result results[16] = {{0}};
    int only = common_direction(v, records);
    choose_shape(v, records, only, &shape);
    for (unsigned i = 0; i < shape.count; i++) {
        unsigned part = shape.part[i], b = better_record(records, part, only);
        struct vme_result *r = &results[i];
        r->direction = b && dual_reference ? VME_BACKWARD : VME_FORWARD;
        r->mv[VME_FORWARD] = records[dual_reference ? 0 : b].mv[part];
        if (dual_reference)
            r->mv[VME_BACKWARD] = records[1].mv[part];
        r->distortion = MIN2(records[b].cost[part], VME_COST_MAX) +
                        vme_mode_cost(v, part);
        v->out[0][1] |= border_bits(v, records[b].mv[part],
                                    b && dual_reference);
    }
    vme_answer_shape(v, &shape, results);
    for (unsigned i = 0; i < shape.count; i++) {
        unsigned part = shape.part[i];
        put_pairs(v, vme_part(part)->rect,
                  records[0].pair[part] | (uint32_t)records[1].pair[part] << 4);
    }
    if (is_good_enough(v, &records[0]))
        v->out[0][6] |= UINT32_C(1) << 24;
}

void
vme_ime(struct vme_call *v)
{
    unsigned control = bits_get(v->in[0][3], 8, 10);
    bool dual_reference = control == 7;
    unsigned paths = control & 1 ? 2 : 1, streams = dual_reference ? 2 : 1;
    struct record records[2];
    memset(records, 0, sizeof records);
    for (unsigned i = 0; i < 2 * VME_PARTS; i++)
        records[i / VME_PARTS].cost[i % VME_PARTS] = UINT32_MAX;
    for (unsigned i = 0; v->stream_in && i < streams; i++)
        read_stream(v, STREAM_IN + i * 2, &records[i]);
    for (unsigned i = 0; i < paths; i++)
        if (!run_search(v, i, dual_reference, &records[control & 2 ? i : 0]))
            return;
    answer_search(v, records, dual_reference);
    for (unsigned i = 0; v->stream_out && i < streams; i++)
        write_stream(v, STREAM_OUT + i * 2, &records[i]);
}
