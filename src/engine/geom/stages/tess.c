/* tess.c: the fixed-function tessellator. Points follow Direct3D 11, which
 * OpenGL leaves partly open. Segments are equal; a fractional partition has two
 * shorter ones where the next finer partition splits; edges are symmetric about
 * their middle. Triangles between an outer edge and the inner ring are merged
 * by position. */
#include "engine/geom/stages/tess.h"

#include <math.h>

#include "gen9_pack.h"

enum {
    DOMAIN_QUAD = GEN9_3DSTATE_TE_TE_DOMAIN_QUAD,
    DOMAIN_TRI = GEN9_3DSTATE_TE_TE_DOMAIN_TRI,
    DOMAIN_ISOLINE = GEN9_3DSTATE_TE_TE_DOMAIN_ISOLINE,
    PARTITION_INTEGER = GEN9_3DSTATE_TE_PARTITIONING_INTEGER,
    PARTITION_ODD = GEN9_3DSTATE_TE_PARTITIONING_ODD_FRACTIONAL,
    PARTITION_EVEN = GEN9_3DSTATE_TE_PARTITIONING_EVEN_FRACTIONAL,
};

/* Replaces an inner level of one if an outer level is finer. */
#define LEVEL_ABOVE_ONE (1.0f + 1.0f / TESS_ONE)

/* ---- axes ------------------------------------------------------------- */

static unsigned
without_top_bit(unsigned x)
{
    return x ? x & ~(1u << (31 - __builtin_clz(x))) : 0;
}

void
tess_axis_init(struct tess_axis *axis, unsigned partitioning, float level)
{
    *axis = (struct tess_axis){0};
    if (partitioning == PARTITION_INTEGER) {
        axis->segs = axis->floor_segs = (unsigned)level;
        return;
    }
    unsigned odd = partitioning == PARTITION_ODD;
    double half = ((double)level + odd) / 2;
    unsigned floor_half = (unsigned)floor(half);
    unsigned ceil_half = (unsigned)ceil(half);
    axis->fraction = half - floor_half;
    axis->floor_segs = 2 * floor_half - odd;
    axis->segs = 2 * ceil_half - odd;
    if (!odd)
        axis->split = without_top_bit(floor_half) * 2 + 1;
    else if (floor_half > 1)
        axis->split = without_top_bit(floor_half - 1) * 2 + 1;
}

int32_t
tess_axis_at(const struct tess_axis *axis, unsigned i)
{
    unsigned n = axis->segs;
    if (i * 2 == n)
        return TESS_ONE / 2;
    if (i * 2 > n)
        return TESS_ONE - tess_axis_at(axis, n - i);
    double at = (double)i / n;
    if (axis->floor_segs != n) {
        unsigned on_floor = i > axis->split ? i - 1 : i;
        double coarse = (double)on_floor / axis->floor_segs;
        at = coarse + (at - coarse) * axis->fraction;
    }
    return (int32_t)lrint(at * TESS_ONE);
}

/* ---- levels ----------------------------------------------------------- */

void
tess_levels_read(struct tess_levels *levels, unsigned domain,
                 const uint32_t header[8])
{
    /* Dwords of outer 0..3 and inner 0..1, by domain. */
    static const uint8_t dword[3][6] = {
        [DOMAIN_QUAD] = {7, 6, 5, 4, 3, 2},
        [DOMAIN_TRI] = {7, 6, 5, 5, 4, 4},
        [DOMAIN_ISOLINE] = {6, 7, 7, 7, 7, 7},
    };
    const uint8_t *dw = dword[MIN2(domain, 2)];
    for (unsigned i = 0; i < 4; i++)
        levels->outer[i] = float_from_bits(header[dw[i]]);
    for (unsigned i = 0; i < 2; i++)
        levels->inner[i] = float_from_bits(header[dw[4 + i]]);
}

static float
clamp_level(const struct tess_params *p, unsigned partitioning, float level)
{
    bool odd = partitioning == PARTITION_ODD;
    float least = partitioning == PARTITION_EVEN ? 2 : 1;
    float most = odd ? p->max_odd : p->max_not_odd;
    float cap = odd ? TESS_MAX_LEVEL - 1 : TESS_MAX_LEVEL;
    if (!(most >= least && most <= cap))
        most = cap;
    if (!(level >= least)) /* NaN too */
        level = least;
    level = MIN2(level, most);
    return partitioning == PARTITION_INTEGER ? ceilf(level) : level;
}

/* Keeps an inner area if the inner level is one but an outer level is finer. */
static float
open_inside(unsigned partitioning, float level)
{
    if (partitioning == PARTITION_INTEGER)
        return MAX2(level, 2);
    return MAX2(level, LEVEL_ABOVE_ONE);
}

struct tess_job {
    const struct tess_params *p;
    struct tess_mesh *mesh;
    bool flip; /* reverse the winding of triangles */
};

static unsigned
add_point(struct tess_job *j, int32_t u, int32_t v)
{
    struct tess_mesh *m = j->mesh;
    assert(m->point_count < TESS_MAX_POINTS);
    m->point[m->point_count] = (struct tess_point){u, v};
    return m->point_count++;
}

/* Counter-clockwise with u to the right and v up. */
static void
add_tri(struct tess_job *j, unsigned a, unsigned b, unsigned c)
{
    struct tess_mesh *m = j->mesh;
    if (m->object_verts != 3)
        return;
    assert(m->index_count + 3 <= TESS_MAX_INDICES);
    m->index[m->index_count++] = (uint16_t)a;
    m->index[m->index_count++] = (uint16_t)(j->flip ? c : b);
    m->index[m->index_count++] = (uint16_t)(j->flip ? b : c);
}

/* A row of points along one direction. */
struct tess_row {
    unsigned count; /* points */
    uint16_t id[TESS_MAX_LEVEL + 1];
    int32_t at[TESS_MAX_LEVEL + 1]; /* position along the row's edge */
};

static void
row_add(struct tess_row *r, unsigned id, int32_t at)
{
    r->id[r->count] = (uint16_t)id;
    r->at[r->count++] = at;
}

/* Triangulates the band between row a and row b on its left: the segment whose
 * middle comes first gets the next triangle. */
static void
stitch(struct tess_job *j, const struct tess_row *a, const struct tess_row *b)
{
    unsigned i = 0, k = 0;
    while (i + 1 < a->count || k + 1 < b->count) {
        bool on_a;
        if (k + 1 >= b->count) {
            on_a = true;
        } else if (i + 1 >= a->count) {
            on_a = false;
        } else {
            int32_t ma = a->at[i] + a->at[i + 1];
            int32_t mb = b->at[k] + b->at[k + 1];
            on_a = ma < mb || (ma == mb && ma <= TESS_ONE);
        }
        if (on_a) {
            add_tri(j, a->id[i], a->id[i + 1], b->id[k]);
            i++;
        } else {
            add_tri(j, a->id[i], b->id[k + 1], b->id[k]);
            k++;
        }
    }
}

/* ---- quads ------------------------------------------------------------ */

/* Edges in counter-clockwise order: v = 0, u = 1, v = 1, u = 0. */
static void
quad_edge_point(unsigned edge, int32_t at, int32_t *u, int32_t *v)
{
    switch (edge) {
    case 0: *u = at, *v = 0; break;
    case 1: *u = TESS_ONE, *v = at; break;
    case 2: *u = TESS_ONE - at, *v = TESS_ONE; break;
    default: *u = 0, *v = TESS_ONE - at; break;
    }
}

static void
quad_outer_rows(struct tess_job *j, const float level[4],
                struct tess_row row[4])
{
    unsigned first = 0;
    for (unsigned e = 0; e < 4; e++) {
        /* Levels have the order u = 0, v = 0, u = 1, v = 1. */
        static const uint8_t level_of[4] = {1, 2, 3, 0};
        struct tess_axis axis;
        tess_axis_init(&axis, j->p->partitioning, level[level_of[e]]);
        row[e].count = 0;
        for (unsigned i = 0; i < axis.segs; i++) {
            int32_t at = tess_axis_at(&axis, i), u, v;
            quad_edge_point(e, at, &u, &v);
            unsigned id = add_point(j, u, v);
            if (!e && !i)
                first = id;
            if (e && !i)
                row_add(&row[e - 1], id, TESS_ONE);
            row_add(&row[e], id, at);
        }
    }
    row_add(&row[3], first, TESS_ONE);
}

/* The inner grid's border along outer edge e. */
static void
quad_inner_row(const struct tess_axis axis[2], unsigned base, unsigned e,
               struct tess_row *row)
{
    unsigned mu = axis[0].segs - 1, mv = axis[1].segs - 1;
    unsigned n = e % 2 ? mv : mu;
    row->count = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned k = e < 2 ? i : n - 1 - i; /* edges 2 and 3 run backwards */
        unsigned x = e == 1 ? mu - 1 : e == 3 ? 0 : k;
        unsigned y = e == 2 ? mv - 1 : e == 0 ? 0 : k;
        row_add(row, base + y * mu + x, tess_axis_at(&axis[e % 2], i + 1));
    }
}

static void
quad_inner_cells(struct tess_job *j, const struct tess_axis axis[2],
                 unsigned base)
{
    unsigned mu = axis[0].segs - 1, mv = axis[1].segs - 1;
    for (unsigned y = 0; y + 1 < mv; y++) {
        for (unsigned x = 0; x + 1 < mu; x++) {
            unsigned p00 = base + y * mu + x, p10 = p00 + 1;
            unsigned p01 = p00 + mu, p11 = p01 + 1;
            /* Diagonals point to the centre. */
            if ((x * 2 < mu - 1) == (y * 2 < mv - 1)) {
                add_tri(j, p00, p10, p11);
                add_tri(j, p00, p11, p01);
            } else {
                add_tri(j, p00, p10, p01);
                add_tri(j, p10, p11, p01);
            }
        }
    }
}

static void
run_quad(struct tess_job *j, const float outer[4], float inner[2])
{
    struct tess_row row[4], in;
    struct tess_axis axis[2];
    bool minimal = inner[0] <= 1 && inner[1] <= 1;
    for (unsigned i = 0; i < 4; i++)
        minimal = minimal && outer[i] <= 1;
    quad_outer_rows(j, outer, row);
    if (minimal) {
        add_tri(j, 0, 1, 2);
        add_tri(j, 0, 2, 3);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        tess_axis_init(&axis[i], j->p->partitioning,
                       open_inside(j->p->partitioning, inner[i]));
    unsigned base = j->mesh->point_count;
    for (unsigned y = 1; y < axis[1].segs; y++)
        for (unsigned x = 1; x < axis[0].segs; x++)
            add_point(j, tess_axis_at(&axis[0], x), tess_axis_at(&axis[1], y));
    for (unsigned e = 0; e < 4; e++) {
        quad_inner_row(axis, base, e, &in);
        stitch(j, &row[e], &in);
    }
    quad_inner_cells(j, axis, base);
}

/* ---- triangles -------------------------------------------------------- */

/* Adds a point on an edge by the weights of the edge's ends. Edges are
 * counter-clockwise: w -> u, u -> v, v -> w. */
static unsigned
tri_point(struct tess_job *j, unsigned edge, int32_t start, int32_t end)
{
    int32_t third = TESS_ONE - start - end;
    switch (edge) {
    case 0: return add_point(j, end, third);
    case 1: return add_point(j, start, end);
    default: return add_point(j, third, start);
    }
}

static void
tri_outer_rows(struct tess_job *j, const float level[3], struct tess_row row[3])
{
    unsigned first = j->mesh->point_count;
    for (unsigned e = 0; e < 3; e++) {
        /* Levels have the order u = 0, v = 0, w = 0. */
        static const uint8_t level_of[3] = {1, 2, 0};
        struct tess_axis axis;
        tess_axis_init(&axis, j->p->partitioning, level[level_of[e]]);
        row[e].count = 0;
        for (unsigned i = 0; i < axis.segs; i++) {
            int32_t at = tess_axis_at(&axis, i);
            unsigned id = tri_point(j, e, TESS_ONE - at, at);
            if (e && !i)
                row_add(&row[e - 1], id, TESS_ONE);
            row_add(&row[e], id, at);
        }
    }
    row_add(&row[2], first, TESS_ONE);
}

/* Rows of ring k, whose corners are where perpendiculars on the edges' points k
 * meet: its distance from an edge is two thirds of the position. */
static void
tri_ring_rows(struct tess_job *j, const struct tess_axis *axis, unsigned k,
              struct tess_row row[3])
{
    unsigned n = axis->segs;
    /* Even, so that its half is exact and the ring symmetric. */
    int32_t inset = 2 * (int32_t)lrint(tess_axis_at(axis, k) / 3.0);
    unsigned first = j->mesh->point_count;
    if (2 * k == n) {
        unsigned id = add_point(j, inset, inset);
        for (unsigned e = 0; e < 3; e++) {
            row[e].count = 0;
            row_add(&row[e], id, TESS_ONE / 2);
        }
        return;
    }
    for (unsigned e = 0; e < 3; e++) {
        row[e].count = 0;
        for (unsigned i = k; i < n - k; i++) {
            int32_t at = tess_axis_at(axis, i);
            int32_t end = i == k ? inset : at - inset / 2;
            unsigned id = tri_point(j, e, TESS_ONE - inset - end, end);
            if (e && i == k)
                row_add(&row[e - 1], id, tess_axis_at(axis, n - k));
            row_add(&row[e], id, at);
        }
    }
    row_add(&row[2], first, tess_axis_at(axis, n - k));
}

static void
run_tri(struct tess_job *j, const float outer[3], float inner)
{
    struct tess_row rows[2][3];
    struct tess_axis axis;
    unsigned at = 0;
    tri_outer_rows(j, outer, rows[0]);
    if (inner <= 1 && outer[0] <= 1 && outer[1] <= 1 && outer[2] <= 1) {
        add_tri(j, 0, 1, 2);
        return;
    }
    tess_axis_init(&axis, j->p->partitioning,
                   open_inside(j->p->partitioning, inner));
    for (unsigned k = 1; k * 2 <= axis.segs; k++) {
        tri_ring_rows(j, &axis, k, rows[!at]);
        for (unsigned e = 0; e < 3; e++)
            stitch(j, &rows[at][e], &rows[!at][e]);
        at = !at;
    }
    if (axis.segs % 2)
        add_tri(j, rows[at][0].id[0], rows[at][1].id[0], rows[at][2].id[0]);
}

/* ---- isolines --------------------------------------------------------- */

static void
run_isoline(struct tess_job *j, float density, float detail)
{
    struct tess_mesh *m = j->mesh;
    struct tess_axis across, along;
    tess_axis_init(&across, PARTITION_INTEGER, density);
    tess_axis_init(&along, j->p->partitioning, detail);
    for (unsigned y = 0; y < across.segs; y++) {
        int32_t v = tess_axis_at(&across, y);
        for (unsigned x = 0; x <= along.segs; x++) {
            unsigned id = add_point(j, tess_axis_at(&along, x), v);
            if (!x || m->object_verts != 2)
                continue;
            m->index[m->index_count++] = (uint16_t)(id - 1);
            m->index[m->index_count++] = (uint16_t)id;
        }
    }
}

/* ---- all -------------------------------------------------------------- */

static bool
is_culled(const struct tess_params *p, const struct tess_levels *levels)
{
    unsigned n = p->domain == DOMAIN_QUAD ? 4 : p->domain == DOMAIN_TRI ? 3 : 2;
    for (unsigned i = 0; i < n; i++)
        if (!(levels->outer[i] > 0))
            return true;
    return false;
}

void
tess_run(const struct tess_params *p, const struct tess_levels *levels,
         struct tess_mesh *mesh)
{
    struct tess_job j = {
        .p = p,
        .mesh = mesh,
        /* The PRM's clockwise has v down. Observed: Mesa sets TRI_CW for
         * OpenGL's counter-clockwise. */
        .flip = p->topology == GEN9_3DSTATE_TE_OUTPUT_TOPOLOGY_TRI_CCW,
    };
    float outer[4], inner[2];
    mesh->point_count = mesh->index_count = 0;
    mesh->object_verts = p->topology == GEN9_3DSTATE_TE_OUTPUT_TOPOLOGY_POINT
                             ? 1
                         : p->topology == GEN9_3DSTATE_TE_OUTPUT_TOPOLOGY_LINE
                             ? 2
                             : 3;
    if (is_culled(p, levels))
        return;
    for (unsigned i = 0; i < 4; i++)
        outer[i] = clamp_level(p, p->partitioning, levels->outer[i]);
    for (unsigned i = 0; i < 2; i++)
        inner[i] = clamp_level(p, p->partitioning, levels->inner[i]);
    switch (p->domain) {
    case DOMAIN_QUAD: run_quad(&j, outer, inner); break;
    case DOMAIN_TRI: run_tri(&j, outer, inner[0]); break;
    case DOMAIN_ISOLINE:
        run_isoline(&j, clamp_level(p, PARTITION_INTEGER, levels->outer[0]),
                    outer[1]);
        break;
    default: guest_error("tessellation domain %u", p->domain); return;
    }
    if (mesh->object_verts == 1)
        for (unsigned i = 0; i < mesh->point_count; i++)
            mesh->index[mesh->index_count++] = (uint16_t)i;
}
