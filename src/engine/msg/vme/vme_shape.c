/* vme_shape.c: partitions of a macroblock, the choice among them, and the
 * answer's part that tells it. */
#include "engine/msg/vme/vme.h"

enum { MINOR_8X8, MINOR_8X4, MINOR_4X8, MINOR_4X4 };
/* Mode costs, by intel-vaapi-driver's names: bytes of M2. */
enum {
    COST_16X8 = 4,
    COST_8X8 = 5,
    COST_8X4 = 6,
    COST_4X4 = 7,
    COST_16X16 = 8
};

#define PART(x, y, width, height, mode, minor, cost)                    \
    {                                                                   \
        {x, y, width, height}, mode, minor, cost, (y) / 8 * 2 + (x) / 8 \
    }
#define MINOR_PART(x, y, width, height, minor, cost) \
    PART(x, y, width, height, VME_MODE_8X8, minor, cost)
#define QUARTER(x, y)                                    \
    MINOR_PART(x, y, 8, 4, MINOR_8X4, COST_8X4),         \
        MINOR_PART(x, y + 4, 8, 4, MINOR_8X4, COST_8X4), \
        MINOR_PART(x, y, 4, 8, MINOR_4X8, COST_8X4),     \
        MINOR_PART(x + 4, y, 4, 8, MINOR_4X8, COST_8X4), \
        MINOR_PART(x, y, 4, 4, MINOR_4X4, COST_4X4),     \
        MINOR_PART(x + 4, y, 4, 4, MINOR_4X4, COST_4X4), \
        MINOR_PART(x, y + 4, 4, 4, MINOR_4X4, COST_4X4), \
        MINOR_PART(x + 4, y + 4, 4, 4, MINOR_4X4, COST_4X4)

static const struct vme_part parts[VME_PARTS] = {
    PART(0, 0, 16, 16, VME_MODE_16X16, 0, COST_16X16),
    PART(0, 0, 16, 8, VME_MODE_16X8, 0, COST_16X8),
    PART(0, 8, 16, 8, VME_MODE_16X8, 0, COST_16X8),
    PART(0, 0, 8, 16, VME_MODE_8X16, 0, COST_16X8),
    PART(8, 0, 8, 16, VME_MODE_8X16, 0, COST_16X8),
    MINOR_PART(0, 0, 8, 8, MINOR_8X8, COST_8X8),
    MINOR_PART(8, 0, 8, 8, MINOR_8X8, COST_8X8),
    MINOR_PART(0, 8, 8, 8, MINOR_8X8, COST_8X8),
    MINOR_PART(8, 8, 8, 8, MINOR_8X8, COST_8X8),
    QUARTER(0, 0),
    QUARTER(8, 0),
    QUARTER(0, 8),
    QUARTER(8, 8),
};

/* Of a quarter's partitions, from the quarter's first minor one. */
static const struct {
    uint8_t first, count;
} minors[4] = {{0, 1}, {0, 2}, {2, 2}, {4, 4}};
#define QUARTER_PARTS 8

const struct vme_part *
vme_part(unsigned part)
{
    return &parts[part];
}

void
vme_sum_parts(const uint16_t blocks[16], unsigned out[VME_PARTS])
{
    unsigned *q = out + VME_8X8;
    for (unsigned i = 0; i < 4; i++) {
        const uint16_t *b = blocks + i * 4;
        unsigned *minor = out + VME_MINOR + i * QUARTER_PARTS;
        minor[0] = b[0] + b[1];
        minor[1] = b[2] + b[3];
        minor[2] = b[0] + b[2];
        minor[3] = b[1] + b[3];
        for (unsigned j = 0; j < 4; j++)
            minor[4 + j] = b[j];
        q[i] = minor[0] + minor[1];
    }
    out[VME_16X8] = q[0] + q[1];
    out[VME_16X8 + 1] = q[2] + q[3];
    out[VME_8X16] = q[0] + q[2];
    out[VME_8X16 + 1] = q[1] + q[3];
    out[VME_16X16] = out[VME_16X8] + out[VME_16X8 + 1];
}

unsigned
vme_mode_cost(const struct vme_call *v, unsigned part)
{
    return vme_u4u4(vme_byte(v, 2, parts[part].cost));
}

/* ---- the choice ---------------------------------------------------------- */

static unsigned
minor_part(unsigned quarter, unsigned minor, unsigned i)
{
    return minor == MINOR_8X8
               ? VME_8X8 + quarter
               : VME_MINOR + quarter * QUARTER_PARTS + minors[minor].first + i;
}

struct vme_shape
vme_shape_make(unsigned mode, unsigned minor_bits)
{
    static const uint8_t first[] = {VME_16X16, VME_16X8, VME_8X16};
    struct vme_shape s = {.mode = (uint8_t)(mode & 3)};
    if (s.mode != VME_MODE_8X8) {
        s.count = s.mode == VME_MODE_16X16 ? 1 : 2;
        for (unsigned i = 0; i < s.count; i++)
            s.part[i] = (uint8_t)(first[s.mode] + i);
        return s;
    }
    s.minors = (uint8_t)minor_bits;
    for (unsigned q = 0; q < 4; q++) {
        unsigned minor = minor_bits >> q * 2 & 3;
        for (unsigned i = 0; i < minors[minor].count; i++)
            s.part[s.count++] = (uint8_t)minor_part(q, minor, i);
    }
    return s;
}

#define NO_SHAPE UINT32_MAX

/* The cheapest minor shapes for each number of vectors. */
struct quarters {
    unsigned cost[17]; /* or NO_SHAPE */
    uint8_t minors[17];
};

static void
add_quarter(struct quarters *all, unsigned quarter, unsigned off,
            const unsigned cost[VME_PARTS])
{
    struct quarters next;
    memset(&next, 0xff, sizeof next);
    for (unsigned minor = 0; minor < 4; minor++) {
        unsigned sum = 0, count = minors[minor].count;
        for (unsigned i = 0; i < count; i++)
            sum += cost[minor_part(quarter, minor, i)];
        if (off >> (3 + minor) & 1)
            continue;
        for (unsigned n = 0; n + count <= 16; n++) {
            if (all->cost[n] == NO_SHAPE ||
                all->cost[n] + sum >= next.cost[n + count])
                continue;
            next.cost[n + count] = all->cost[n] + sum;
            next.minors[n + count] = (uint8_t)(all->minors[n] |
                                               minor << quarter * 2);
        }
    }
    *all = next;
}

struct choice {
    unsigned cost, max_vectors;
    unsigned best_cost; /* with any number of vectors */
    struct vme_shape shape;
};

static void
consider_shape(struct choice *c, unsigned cost, unsigned vectors, unsigned mode,
               unsigned minor_bits)
{
    c->best_cost = MIN2(c->best_cost, cost);
    if (vectors > c->max_vectors || cost >= c->cost)
        return;
    c->cost = cost;
    c->shape = vme_shape_make(mode, minor_bits);
}

/* SubMbPartMask: a bit for each shape that is left out. Without any, 16x16. */
struct vme_shape
vme_shape_choose(const struct vme_call *v, const unsigned cost[VME_PARTS])
{
    unsigned off = bits_get(v->in[0][3], 24, 30);
    struct choice c = {.cost = NO_SHAPE,
                       .max_vectors = MAX2(bits_get(v->in[1][1], 0, 5), 1),
                       .best_cost = NO_SHAPE,
                       .shape = vme_shape_make(VME_MODE_16X16, 0)};
    struct quarters all;
    memset(&all, 0xff, sizeof all);
    all.cost[0] = all.minors[0] = 0;
    for (unsigned q = 0; q < 4; q++)
        add_quarter(&all, q, off, cost);
    if (!(off & 1))
        consider_shape(&c, cost[VME_16X16], 1, VME_MODE_16X16, 0);
    if (!(off & 2))
        consider_shape(&c, cost[VME_16X8] + cost[VME_16X8 + 1], 2,
                       VME_MODE_16X8, 0);
    if (!(off & 4))
        consider_shape(&c, cost[VME_8X16] + cost[VME_8X16 + 1], 2,
                       VME_MODE_8X16, 0);
    for (unsigned n = 4; n <= 16; n++)
        if (all.cost[n] != NO_SHAPE)
            consider_shape(&c, all.cost[n], n, VME_MODE_8X8, all.minors[n]);
    c.shape.truncated = c.best_cost < c.cost;
    return c.shape;
}

/* ---- the answer ---------------------------------------------------------- */

/* Position of the 4x4 block at (x, y) in Z order. */
static unsigned
block_at(unsigned x, unsigned y)
{
    return (y / 8 * 2 + x / 8) * 4 + (y % 8 / 4 * 2 + x % 8 / 4);
}

static void
put_half(uint32_t *dw, unsigned i, unsigned value)
{
    unsigned shift = i % 2 * 16;
    dw[i / 2] = (dw[i / 2] & ~(0xffffu << shift)) |
                (uint32_t)MIN2(value, VME_COST_MAX) << shift;
}

/* W1 to W4: vectors of both directions for each 4x4 block, W5: distortions. */
static void
put_part(struct vme_call *v, const uint8_t rect[4], const struct vme_result *r)
{
    for (unsigned y = rect[1]; y < rect[1] + rect[3]; y += 4u)
        for (unsigned x = rect[0]; x < rect[0] + rect[2]; x += 4u) {
            unsigned b = block_at(x, y);
            v->out[1 + b / 4][b % 4 * 2] = vme_mv_bits(r->mv[VME_FORWARD]);
            v->out[1 + b / 4][b % 4 * 2 + 1] = vme_mv_bits(r->mv[VME_BACKWARD]);
            put_half(v->out[5], b, r->distortion);
        }
}

/* The type of a B macroblock of H.264, table 7-14, as i965's encoder passes it
 * on from W0.0. */
static unsigned
macroblock_type(const struct vme_shape *s, const struct vme_result *r)
{
    static const uint8_t halves[3][3] = {{4, 8, 12}, {10, 6, 14}, {16, 18, 20}};
    if (s->mode == VME_MODE_8X8)
        return 22;
    if (s->mode == VME_MODE_16X16)
        return 1u + r[0].direction;
    return halves[r[0].direction][r[1].direction] +
           (s->mode == VME_MODE_8X16 ? 1u : 0u);
}

void
vme_answer_shape(struct vme_call *v, const struct vme_shape *shape,
                 const struct vme_result *results)
{
    unsigned directions = 0, vectors = 0, distortion = 0;
    for (unsigned i = 0; i < shape->count; i++) {
        const struct vme_result *r = &results[i];
        const uint8_t *rect = parts[shape->part[i]].rect;
        put_part(v, rect, r);
        for (unsigned y = rect[1]; y < rect[1] + rect[3]; y += 4u)
            for (unsigned x = rect[0]; x < rect[0] + rect[2]; x += 4u) {
                unsigned shift = block_at(x, y) / 4 * 2;
                directions &= ~(3u << shift);
                directions |= (unsigned)r->direction << shift;
            }
        vectors += r->direction == VME_BIDIRECTIONAL ? 2 : 1;
        distortion += r->distortion;
    }
    v->out[0][0] = shape->mode | macroblock_type(shape, results) << 8 |
                   (vectors & 31) << 24;
    put_half(v->out[0], 4, distortion);
    v->out[0][6] = (uint32_t)shape->minors << 8 | directions << 16 |
                   (uint32_t)shape->truncated << 25;
    v->out[6][0] = v->in[1][6];
}
