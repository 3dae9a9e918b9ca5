/* The clipper: view volume, user clip and cull distances, perspective divide,
 * viewport transform; what survives goes to the scene.
 *
 * A cut vertex is a weighted sum of the object's vertices; the weights are
 * kept in double and always computed from the inner to the outer end of an
 * edge, so both triangles of a shared edge get the same point. */
#include "engine/geom/geom.h"

#include <float.h>
#include <math.h>

enum clip_code {
    CLIP_XMIN = 1 << 0, /* viewport */
    CLIP_XMAX = 1 << 1,
    CLIP_YMIN = 1 << 2,
    CLIP_YMAX = 1 << 3,
    CLIP_VIEWPORT = 15,
    CLIP_GB_XMIN = 1 << 4, /* guard band */
    CLIP_GB_XMAX = 1 << 5,
    CLIP_GB_YMIN = 1 << 6,
    CLIP_GB_YMAX = 1 << 7,
    CLIP_GUARD_BAND = 15 << 4,
    CLIP_NEAR = 1 << 8,
    CLIP_FAR = 1 << 9,
    CLIP_W = 1 << 10,
    CLIP_NAN = 1 << 11,
    CLIP_USER_SHIFT = 12, /* bit per distance */
    CLIP_CULL_SHIFT = 20,
};
#define CLIP_USER (0xffu << CLIP_USER_SHIFT)
#define CLIP_CULL (0xffu << CLIP_CULL_SHIFT)

/* Smallest w that is kept of an object that reaches behind the eye, relative
 * to its largest. Guess: the guard band cuts long before. */
#define CLIP_MIN_W 1e-9

/* 3 vertices, 15 planes, each adds one at most. */
#define CLIP_MAX_POLYGON 20

#define SLOT_POSITION 1
#define SLOT_CLIP_DISTANCE 2

struct poly_vert {
    double pos[4];
    double weight[3]; /* of the object's vertices, linear in clip space */
    double linear[3]; /* the same, linear on the screen */
    bool edge;        /* the edge that starts here is a border */
    struct geom_vert *whole; /* NULL: made by the clipper */
    float x, y, z, w_inv;
    uint32_t *copy;
    uint64_t epoch;
};

/* One object on its way. */
struct clip_ctx {
    struct geom *g;
    const struct geom_object *o;
    struct geom_vert *const *v;
    const struct gen9_sf_clip_viewport *vp;
    struct geom_vert *provoking;
    double min_w;
    struct prim prim;
};

static uint32_t
user_mask(const struct draw *draw, bool cull)
{
    const struct gen9_3dstate_clip *clip = &draw->clip;
    if (cull) {
        if (clip->force_user_clip_distance_cull_test_enable_bitmask)
            return clip->user_clip_distance_cull_test_enable_bitmask;
        if (draw->stage[STAGE_GS].enabled)
            return draw->gs.user_clip_distance_cull_test_enable_bitmask;
        if (draw->stage[STAGE_DS].enabled)
            return draw->ds.user_clip_distance_cull_test_enable_bitmask;
        return draw->vs.user_clip_distance_cull_test_enable_bitmask;
    }
    if (clip->force_user_clip_distance_clip_test_enable_bitmask)
        return clip->user_clip_distance_clip_test_enable_bitmask;
    if (draw->stage[STAGE_GS].enabled)
        return draw->gs.user_clip_distance_clip_test_enable_bitmask;
    if (draw->stage[STAGE_DS].enabled)
        return draw->ds.user_clip_distance_clip_test_enable_bitmask;
    return draw->vs.user_clip_distance_clip_test_enable_bitmask;
}

void
clip_init(struct geom *g)
{
    const struct draw *draw = g->draw;
    const struct gen9_3dstate_clip *clip = &draw->clip;
    unsigned read = (draw->sbe.vertex_urb_entry_read_offset +
                     draw->sbe.vertex_urb_entry_read_length) *
                    2;
    g->vue_slots = CLAMP(read, 2, MAX2(g->last_slots, 2));
    if (!clip->clip_enable)
        return;
    g->user_clip = user_mask(draw, false);
    g->user_cull = user_mask(draw, true);
    uint32_t z = CLIP_W;
    if (draw->raster.viewport_z_near_clip_test_enable)
        z |= CLIP_NEAR;
    if (draw->raster.viewport_z_far_clip_test_enable)
        z |= CLIP_FAR;
    z |= g->user_clip << CLIP_USER_SHIFT;
    g->clip_codes = g->reject_codes = z;
    if (clip->guardband_clip_test_enable)
        g->clip_codes |= CLIP_GUARD_BAND;
    else if (clip->viewport_xy_clip_test_enable)
        g->clip_codes |= CLIP_VIEWPORT;
    g->reject_codes |= g->clip_codes & CLIP_GUARD_BAND;
    if (clip->viewport_xy_clip_test_enable)
        g->reject_codes |= CLIP_VIEWPORT;
    g->reject_codes |= g->user_cull << CLIP_CULL_SHIFT;
}

/* ---- vertices --------------------------------------------------------- */

static void
vert_position(const struct geom_vert *v, float pos[4])
{
    memcpy(pos, v->vue + SLOT_POSITION * 4, 16);
}

static float
clip_distance(const struct geom *g, const struct geom_vert *v, unsigned i)
{
    unsigned slot = SLOT_CLIP_DISTANCE + i / 4;
    if (slot >= g->last_slots)
        return 0;
    return float_from_bits(v->vue[slot * 4 + i % 4]);
}

static uint32_t
vert_codes(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
           const struct geom_vert *v)
{
    float p[4];
    uint32_t c = 0;
    vert_position(v, p);
    float x = p[0], y = p[1], z = p[2], w = p[3];
    bool d3d = g->draw->clip.api_mode == GEN9_3DSTATE_CLIP_API_MODE_APIMODE_D3D;
    if (isnan(x) || isnan(y) || isnan(z) || isnan(w))
        return CLIP_NAN;
    c |= x < -w ? CLIP_XMIN : 0;
    c |= x > w ? CLIP_XMAX : 0;
    c |= y < -w ? CLIP_YMIN : 0;
    c |= y > w ? CLIP_YMAX : 0;
    c |= x < vp->x_min_clip_guardband * w ? CLIP_GB_XMIN : 0;
    c |= x > vp->x_max_clip_guardband * w ? CLIP_GB_XMAX : 0;
    c |= y < vp->y_min_clip_guardband * w ? CLIP_GB_YMIN : 0;
    c |= y > vp->y_max_clip_guardband * w ? CLIP_GB_YMAX : 0;
    c |= z < (d3d ? 0 : -w) ? CLIP_NEAR : 0;
    c |= z > w ? CLIP_FAR : 0;
    c |= w < FLT_MIN ? CLIP_W : 0;
    for (unsigned i = 0; (g->user_clip | g->user_cull) >> i; i++)
        if (!(clip_distance(g, v, i) >= 0)) /* NaN is outside */
            c |= 1u << (CLIP_USER_SHIFT + i) | 1u << (CLIP_CULL_SHIFT + i);
    return c;
}

/* Divide and viewport transform (3DSTATE_CLIP, 3DSTATE_SF). */
static void
to_screen(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
          const float p[4], float out[4])
{
    float w_inv = 1.0f;
    float x = p[0], y = p[1], z = p[2];
    if (!g->draw->clip.perspective_divide_disable) {
        w_inv = 1.0f / p[3];
        x *= w_inv;
        y *= w_inv;
        z *= w_inv;
    }
    if (g->draw->sf.viewport_transform_enable) {
        x = vp->viewport_matrix_element_m00 * x +
            vp->viewport_matrix_element_m30;
        y = vp->viewport_matrix_element_m11 * y +
            vp->viewport_matrix_element_m31;
        z = vp->viewport_matrix_element_m22 * z +
            vp->viewport_matrix_element_m32;
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w_inv;
}

static void
vert_prepare(const struct geom *g, struct geom_vert *v, unsigned viewport)
{
    if (v->viewport == viewport)
        return;
    const struct gen9_sf_clip_viewport *vp = &g->draw->viewport[viewport];
    float p[4], s[4];
    v->viewport = (uint8_t)viewport;
    v->codes = g->draw->clip.clip_enable ? vert_codes(g, vp, v) : 0;
    vert_position(v, p);
    to_screen(g, vp, p, s);
    v->x = s[0];
    v->y = s[1];
    v->z = s[2];
    v->w_inv = s[3];
}

/* ---- to the scene ----------------------------------------------------- */

static struct scene *
get_scene(struct geom *g)
{
    if (!g->scene)
        g->scene = scene_create(g->draw);
    return g->scene;
}

static uint32_t *
new_copy(struct geom *g)
{
    uint32_t *p = arena_alloc(scene_arena(g->scene), g->vue_slots * 16, 16);
    if (!p)
        geom_fail(g);
    return p;
}

/* The vertex as raster keeps it; NULL without memory. */
static const uint32_t *
vert_copy(struct geom *g, struct geom_vert *v)
{
    if (!v->copy || v->epoch != g->epoch) {
        v->copy = new_copy(g);
        v->epoch = g->epoch;
        if (v->copy)
            memcpy(v->copy, v->vue, MIN2(g->vue_slots, g->last_slots) * 16);
    }
    return v->copy;
}

/* Attributes of a cut vertex: sums, except for the header. */
static const uint32_t *
poly_copy(struct clip_ctx *c, struct poly_vert *pv)
{
    struct geom *g = c->g;
    if (pv->whole)
        return vert_copy(g, pv->whole);
    if (pv->copy && pv->epoch == g->epoch)
        return pv->copy;
    pv->copy = new_copy(g);
    pv->epoch = g->epoch;
    if (!pv->copy)
        return NULL;
    memcpy(pv->copy, c->provoking->vue, 16);
    for (unsigned i = 4; i < MIN2(g->vue_slots, g->last_slots) * 4; i++) {
        double sum = 0;
        for (unsigned k = 0; k < c->o->count; k++)
            if (pv->weight[k] != 0)
                sum += pv->weight[k] * (double)float_from_bits(c->v[k]->vue[i]);
        pv->copy[i] = bits_from_float((float)sum);
    }
    return pv->copy;
}

static bool
on_screen(const struct prim_vertex *v)
{
    /* Far beyond any guard band; raster need not expect it. */
    return fabsf(v->x) < 1e7f && fabsf(v->y) < 1e7f && !isnan(v->z);
}

static void
emit(struct clip_ctx *c, unsigned count)
{
    struct geom *g = c->g;
    for (unsigned i = 0; i < count; i++)
        if (!c->prim.v[i].vue || !on_screen(&c->prim.v[i]))
            return;
    if (scene_add(g->scene, &c->prim))
        g->epoch++;
}

static void
emit_whole(struct clip_ctx *c)
{
    struct geom *g = c->g;
    for (unsigned i = 0; i < c->o->count; i++) {
        struct geom_vert *v = c->v[i];
        c->prim.v[i] = (struct prim_vertex){v->x, v->y, v->z, v->w_inv,
                                            vert_copy(g, v)};
    }
    g->cl_primitives++;
    emit(c, c->o->count);
}

static void
poly_screen(struct clip_ctx *c, struct poly_vert *pv)
{
    if (pv->whole) {
        pv->x = pv->whole->x;
        pv->y = pv->whole->y;
        pv->z = pv->whole->z;
        pv->w_inv = pv->whole->w_inv;
        return;
    }
    float p[4], s[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = (float)pv->pos[i];
    to_screen(c->g, c->vp, p, s);
    pv->x = s[0];
    pv->y = s[1];
    pv->z = s[2];
    pv->w_inv = s[3];
}

static void
set_vertex(struct clip_ctx *c, unsigned i, struct poly_vert *pv)
{
    c->prim.v[i] = (struct prim_vertex){pv->x, pv->y, pv->z, pv->w_inv,
                                        poly_copy(c, pv)};
}

/* Where the vertices are in the whole triangle; false without memory. */
static bool
set_cut(struct clip_ctx *c, const struct poly_vert *const v[3])
{
    struct geom *g = c->g;
    struct prim_cut *cut = arena_alloc(scene_arena(g->scene), sizeof *cut,
                                       alignof(struct prim_cut));
    c->prim.cut = cut;
    if (!cut) {
        geom_fail(g);
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        cut->vue[i] = vert_copy(g, c->v[i]);
        if (!cut->vue[i])
            return false;
        for (unsigned k = 0; k < 2; k++) {
            cut->persp[i][k] = (float)v[i]->weight[k + 1];
            cut->linear[i][k] = (float)v[i]->linear[k + 1];
        }
    }
    return true;
}

static void
emit_polygon(struct clip_ctx *c, struct poly_vert *poly, unsigned n)
{
    bool linear = c->g->draw->clip.non_perspective_barycentric_enable;
    for (unsigned i = 0; i < n; i++)
        poly_screen(c, &poly[i]);
    c->prim.provoking = 0;
    for (unsigned i = 1; i + 1 < n; i++) {
        set_vertex(c, 0, &poly[0]);
        set_vertex(c, 1, &poly[i]);
        set_vertex(c, 2, &poly[i + 1]);
        c->prim.flat_vue = vert_copy(c->g, c->provoking);
        c->prim.edge_mask = (uint8_t)((i == 1 && poly[0].edge ? 1 : 0) |
                                      (poly[i].edge ? 2 : 0) |
                                      (i + 2 == n && poly[n - 1].edge ? 4 : 0));
        const struct poly_vert *v[3] = {&poly[0], &poly[i], &poly[i + 1]};
        if (linear && !set_cut(c, v))
            return;
        c->g->cl_primitives++;
        if (c->prim.flat_vue)
            emit(c, 3);
    }
}

/* ---- cutting ---------------------------------------------------------- */

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
    /* Guess: what lies behind the eye has no place on the screen, so there the
     * inner end's values stay. */
    double w_out = t * MAX2(out->pos[3], 0);
    double s = w_out > 0 ? w_out / ((1 - t) * in->pos[3] + w_out) : 0;
    for (unsigned i = 0; i < 3; i++) {
        r.weight[i] = in->weight[i] + t * (out->weight[i] - in->weight[i]);
        r.linear[i] = in->linear[i] + s * (out->linear[i] - in->linear[i]);
    }
    return r;
}

/* Sutherland-Hodgman against one plane. Edges along the plane are borders,
 * the rest of a cut edge stays what it was (GL 2.1, 2.12). */
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
        poly[i].weight[i] = poly[i].linear[i] = 1;
        vert_position(c->v[i], p);
        for (unsigned k = 0; k < 4; k++)
            poly[i].pos[k] = (double)p[k];
        c->min_w = MAX2(c->min_w, poly[i].pos[3] * CLIP_MIN_W);
    }
}

static void
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

static void
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
    c->prim.flat_vue = vert_copy(c->g, c->provoking);
    c->g->cl_primitives++;
    if (c->prim.flat_vue)
        emit(c, 2);
}

/* ---- objects ---------------------------------------------------------- */

static void
clip_codes(struct clip_ctx *c)
{
    struct geom *g = c->g;
    uint32_t any = 0, all = ~0u;
    for (unsigned i = 0; i < c->o->count; i++) {
        any |= c->v[i]->codes;
        all &= c->v[i]->codes;
    }
    /* Observed by no one: hardware's result for NaN positions is undefined. */
    if (any & CLIP_NAN || all & g->reject_codes)
        return;
    any &= g->clip_codes;
    if (!any || c->o->kind == GEOM_RECT)
        emit_whole(c);
    else if (c->o->kind == GEOM_TRI)
        cut_triangle(c, any);
    else if (c->o->kind == GEOM_LINE)
        cut_line(c, any);
}

static unsigned
edge_mask(const struct geom_object *o, struct geom_vert *const *v)
{
    unsigned mask = o->edge_mask;
    for (unsigned i = 0; o->edge_flags && i < 3; i++)
        if (!v[i]->edge_flag)
            mask &= ~(1u << i);
    return mask;
}

static void
fill_prim(struct clip_ctx *c, unsigned provoking, unsigned viewport)
{
    static const uint8_t kind[] = {
        [GEOM_POINT] = PRIM_POINT,
        [GEOM_LINE] = PRIM_LINE,
        [GEOM_TRI] = PRIM_TRIANGLE,
        [GEOM_RECT] = PRIM_RECT,
    };
    const struct gen9_3dstate_clip *clip = &c->g->draw->clip;
    const uint32_t *header = c->provoking->vue;
    float width = float_from_bits(header[3]);
    if (clip->maximum_point_width > 0 && !isnan(width))
        width = CLAMP(width, clip->minimum_point_width,
                      clip->maximum_point_width);
    c->prim = (struct prim){
        .kind = kind[c->o->kind],
        .provoking = (uint8_t)provoking,
        .edge_mask = c->o->kind == GEOM_TRI ? (uint8_t)edge_mask(c->o, c->v)
                                            : 7,
        .no_stipple_reset = c->o->continues,
        .viewport = (uint8_t)viewport,
        /* Beyond 16 bits no array has layers. */
        .layer = clip->force_zero_rta_index_enable
                     ? 0
                     : (uint16_t)MIN2(header[1], 0xffffu),
        .primitive_id = c->o->prim_id,
        .point_width = width,
        .vue_slots = c->g->vue_slots,
    };
}

void
clip_object(struct geom *g, const struct geom_object *o,
            struct geom_vert *const *v, unsigned provoking)
{
    const struct gen9_3dstate_clip *clip = &g->draw->clip;
    unsigned mode = clip->clip_mode;
    g->cl_invocations++;
    if (clip->clip_enable &&
        mode == GEN9_3DSTATE_CLIP_CLIP_MODE_CLIPMODE_REJECT_ALL)
        return;
    struct clip_ctx c = {.g = g, .o = o, .v = v, .provoking = v[provoking]};
    if (!get_scene(g)) {
        geom_fail(g);
        return;
    }
    /* An index above the maximum counts as 0. */
    uint32_t viewport = c.provoking->vue[2];
    if (viewport > clip->maximum_vp_index || viewport >= DRAW_MAX_VIEWPORTS)
        viewport = 0;
    c.vp = &g->draw->viewport[viewport];
    for (unsigned i = 0; i < o->count; i++)
        vert_prepare(g, v[i], viewport);
    fill_prim(&c, provoking, viewport);
    if (!clip->clip_enable ||
        mode == GEN9_3DSTATE_CLIP_CLIP_MODE_CLIPMODE_ACCEPT_ALL)
        emit_whole(&c);
    else
        clip_codes(&c);
}
