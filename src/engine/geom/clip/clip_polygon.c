/* clip_polygon.c: cuts triangles and lines at clip planes.
 *
 * A cut vertex is a weighted sum of the object's vertices. Weights are doubles,
 * computed from the inner to the outer end of an edge. So both triangles of a
 * shared edge get the same point. */
#include "engine/geom/clip/clip.h"

/* Smallest w, relative to the object's largest, that is kept of an object that
 * crosses the eye plane. Guess: the guard band cuts long before. */
#define CLIP_MIN_W 1e-9

struct poly_vert {
    double pos[4];
    double weight[3];        /* of the object's vertices, in clip space */
    bool edge;               /* the edge that starts here is a border */
    struct geom_vert *whole; /* NULL: created by the clipper */
    float x, y, z, w_inv;
    uint32_t *vue;
};

/* Signed distance to the plane of one code: negative is outside. */
static double
plane_distance(const struct clip_ctx *c, uint32_t code,
               const struct poly_vert *pv)
{
    const double *p = pv->pos;
    double w = p[3];
    switch (code) {
    case CLIP_XMIN: return p[0] + w;
    case CLIP_XMAX: return w - p[0];
    case CLIP_YMIN: return p[1] + w;
    case CLIP_YMAX: return w - p[1];
    case CLIP_GB_XMIN: return p[0] - (double)c->vp->x_min_clip_guardband * w;
    case CLIP_GB_XMAX: return (double)c->vp->x_max_clip_guardband * w - p[0];
    case CLIP_GB_YMIN: return p[1] - (double)c->vp->y_min_clip_guardband * w;
    case CLIP_GB_YMAX: return (double)c->vp->y_max_clip_guardband * w - p[1];
    case CLIP_NEAR:
        return c->g->draw->clip.api_mode ==
                       GEN9_3DSTATE_CLIP_API_MODE_APIMODE_D3D
                   ? p[2]
                   : p[2] + w;
    case CLIP_FAR: return w - p[2];
    case CLIP_W: return w - c->min_w;
    }
    unsigned i = (unsigned)__builtin_ctz(code) - CLIP_USER_SHIFT;
    double d = 0;
    for (unsigned k = 0; k < c->o->count; k++)
        if (pv->weight[k] != 0)
            d += pv->weight[k] * (double)clip_distance(c->g, c->v[k], i);
    return d;
}

static struct poly_vert
cut_edge(const struct poly_vert *in, double d_in, const struct poly_vert *out,
         double d_out)
{
    struct poly_vert r = {0};
    double t = d_in / (d_in - d_out);
    for (unsigned i = 0; i < 4; i++)
        r.pos[i] = in->pos[i] + t * (out->pos[i] - in->pos[i]);
    for (unsigned i = 0; i < 3; i++)
        r.weight[i] = in->weight[i] + t * (out->weight[i] - in->weight[i]);
    return r;
}

/* Sutherland-Hodgman against one plane. Edges along the plane are borders; the
 * rest of a cut edge keeps its flag (GL 2.1, 2.12). */
static unsigned
cut_polygon(const struct clip_ctx *c, uint32_t code, const struct poly_vert *in,
            unsigned n, struct poly_vert *out)
{
    double d[CLIP_MAX_POLYGON];
    unsigned m = 0;
    for (unsigned i = 0; i < n; i++)
        d[i] = plane_distance(c, code, &in[i]);
    for (unsigned i = 0; i < n; i++) {
        unsigned next = i + 1 == n ? 0 : i + 1;
        bool a = d[i] >= 0, b = d[next] >= 0;
        if (a)
            out[m++] = in[i];
        if (a && !b) {
            out[m] = cut_edge(&in[i], d[i], &in[next], d[next]);
            out[m++].edge = true;
        } else if (!a && b) {
            out[m] = cut_edge(&in[next], d[next], &in[i], d[i]);
            out[m++].edge = in[i].edge;
        }
        if (m + 2 > CLIP_MAX_POLYGON)
            break;
    }
    return m;
}

static void
start_polygon(struct clip_ctx *c, struct poly_vert *poly, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        float p[4];
        poly[i] = (struct poly_vert){
            .whole = c->v[i],
            .edge = c->prim.edge_mask >> i & 1,
        };
        poly[i].weight[i] = 1;
        clip_position(c->v[i], p);
        for (unsigned k = 0; k < 4; k++)
            poly[i].pos[k] = (double)p[k];
        c->min_w = MAX2(c->min_w, poly[i].pos[3] * CLIP_MIN_W);
    }
}

/* ---- to the scene ----------------------------------------------------- */

/* Attributes of a cut vertex: weighted sums, except for the header. */
static const uint32_t *
poly_vue(struct clip_ctx *c, struct poly_vert *pv)
{
    const struct geom *g = c->g;
    if (pv->whole)
        return pv->whole->p.v.vue;
    if (pv->vue)
        return pv->vue;
    assert(c->made < CLIP_MAX_POLYGON);
    pv->vue = g->cut_vue + c->made++ * g->vue_slots * 4;
    memcpy(pv->vue, c->provoking->p.v.vue, 16);
    for (unsigned i = 4; i < g->vue_slots * 4; i++) {
        double sum = 0;
        for (unsigned k = 0; k < c->o->count; k++)
            if (pv->weight[k] != 0)
                sum += pv->weight[k] *
                       (double)float_from_bits(c->v[k]->p.v.vue[i]);
        pv->vue[i] = bits_from_float((float)sum);
    }
    return pv->vue;
}

static void
poly_screen(struct clip_ctx *c, struct poly_vert *pv)
{
    if (pv->whole) {
        pv->x = pv->whole->p.v.x;
        pv->y = pv->whole->p.v.y;
        pv->z = pv->whole->p.v.z;
        pv->w_inv = pv->whole->p.v.w_inv;
        return;
    }
    float p[4], s[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = (float)pv->pos[i];
    clip_to_screen(c->g, c->vp, p, s);
    pv->x = s[0];
    pv->y = s[1];
    pv->z = s[2];
    pv->w_inv = s[3];
}

static void
set_vertex(struct clip_ctx *c, unsigned i, struct poly_vert *pv)
{
    c->prim.v[i] = (struct prim_vertex){pv->x, pv->y, pv->z, pv->w_inv,
                                        poly_vue(c, pv)};
}

/* Sets the weights of the vertices in the original object. Screen-linear
 * weights also hold behind the eye, where w is negative. */
static void
set_cut(struct clip_ctx *c, struct prim_cut *cut,
        const struct poly_vert *const v[3])
{
    double w[3] = {0};
    *cut = (struct prim_cut){.vue = {NULL}};
    c->prim.cut = cut;
    for (unsigned k = 0; k < c->o->count; k++) {
        float p[4];
        clip_position(c->v[k], p);
        w[k] = (double)p[3];
    }
    for (unsigned i = 0; i < 3; i++) {
        cut->vue[i] = c->v[i < c->o->count ? i : 0]->p.v.vue;
        for (unsigned k = 0; k < 2; k++) {
            double weight = v[i]->weight[k + 1];
            cut->persp[i][k] = (float)weight;
            cut->linear[i][k] = (float)(weight * w[k + 1] / v[i]->pos[3]);
        }
    }
}

static void
emit_polygon(struct clip_ctx *c, struct poly_vert *poly, unsigned n)
{
    bool linear = c->g->draw->clip.non_perspective_barycentric_enable;
    for (unsigned i = 0; i < n; i++)
        poly_screen(c, &poly[i]);
    c->prim.provoking = 0;
    c->prim.flat_vue = c->provoking->p.v.vue;
    for (unsigned i = 1; i + 1 < n; i++) {
        set_vertex(c, 0, &poly[0]);
        set_vertex(c, 1, &poly[i]);
        set_vertex(c, 2, &poly[i + 1]);
        c->prim.edge_mask = (uint8_t)((i == 1 && poly[0].edge ? 1 : 0) |
                                      (poly[i].edge ? 2 : 0) |
                                      (i + 2 == n && poly[n - 1].edge ? 4 : 0));
        const struct poly_vert *v[3] = {&poly[0], &poly[i], &poly[i + 1]};
        struct prim_cut cut;
        if (linear)
            set_cut(c, &cut, v);
        c->g->cl_primitives++;
        c->g->cl_pieces++;
        clip_emit(c, 3);
    }
}

/* ---- objects ---------------------------------------------------------- */

void
cut_triangle(struct clip_ctx *c, uint32_t codes)
{
    struct poly_vert poly[2][CLIP_MAX_POLYGON];
    unsigned n = 3, at = 0;
    start_polygon(c, poly[0], 3);
    while (codes && n >= 3) {
        uint32_t code = codes & -codes;
        codes &= codes - 1;
        n = cut_polygon(c, code, poly[at], n, poly[!at]);
        at = !at;
    }
    if (n >= 3)
        emit_polygon(c, poly[at], n);
}

void
cut_line(struct clip_ctx *c, uint32_t codes)
{
    struct poly_vert p[2];
    start_polygon(c, p, 2);
    for (; codes; codes &= codes - 1) {
        uint32_t code = codes & -codes;
        double d0 = plane_distance(c, code, &p[0]);
        double d1 = plane_distance(c, code, &p[1]);
        if (d0 < 0 && d1 < 0)
            return;
        if (d1 < 0)
            p[1] = cut_edge(&p[0], d0, &p[1], d1);
        else if (d0 < 0)
            p[0] = cut_edge(&p[1], d1, &p[0], d0);
    }
    for (unsigned i = 0; i < 2; i++) {
        poly_screen(c, &p[i]);
        set_vertex(c, i, &p[i]);
    }
    c->prim.flat_vue = c->provoking->p.v.vue;
    const struct poly_vert *v[3] = {&p[0], &p[1], &p[0]};
    struct prim_cut cut;
    if (c->g->draw->clip.non_perspective_barycentric_enable)
        set_cut(c, &cut, v);
    c->g->cl_primitives++;
    c->g->cl_pieces++;
    clip_emit(c, 2);
}
