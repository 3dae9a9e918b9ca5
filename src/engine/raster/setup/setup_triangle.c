/* setup_triangle.c: setup of triangles and rectangles: culling, depth bias,
 * edges, planes. */
#include "engine/raster/scene.h"

#include <math.h>
#include <stdlib.h>

/* Edge function of (x0, y0) to (x1, y1), inside to the right as seen with y
 * down (clockwise). Top and left edges own the points on them: KBL follows the
 * D3D fill rule. */
void
setup_edge(struct edge *e, int64_t x0, int64_t y0, int64_t x1, int64_t y1)
{
    int64_t dx = x1 - x0, dy = y1 - y0;
    e->a = -dy;
    e->b = dx;
    e->c = dy * x0 - dx * y0;
    bool top_left = dy < 0 || (dy == 0 && dx > 0);
    if (!top_left)
        e->c -= 1;
}

/* The edge function at the pixel's innermost corner, minus its value at the
 * centre. */
static int64_t
corner_gain(const struct edge *e)
{
    return (llabs(e->a) + llabs(e->b)) * (SUBPIXEL / 2);
}

bool
setup_holds_pixel(const struct setup *s, int32_t x, int32_t y)
{
    int64_t cx = (int64_t)x * SUBPIXEL + SUBPIXEL / 2;
    int64_t cy = (int64_t)y * SUBPIXEL + SUBPIXEL / 2;
    if (s->cover == COVER_LINE)
        return false;
    for (unsigned i = 0; i < s->edge_count; i++) {
        const struct edge *e = &s->edge[i];
        int64_t gain = corner_gain(e) * (s->conservative ? 2 : 1);
        bool top_left = e->a > 0 || (e->a == 0 && e->b > 0);
        if (e->a * cx + e->b * cy + e->c - gain < (top_left ? 0 : -1))
            return false;
    }
    return true;
}

static int64_t
edge_at_pixel(const struct edge *e, int32_t x, int32_t y)
{
    return e->a * ((int64_t)x * SUBPIXEL + SUBPIXEL / 2) +
           e->b * ((int64_t)y * SUBPIXEL + SUBPIXEL / 2) + e->c;
}

/* The edge that does not have the centres of all pixels of the box inside; -1:
 * there is not one such edge. */
static int
find_diagonal(const struct setup *s)
{
    int found = -1;
    for (unsigned i = 0; i < s->edge_count; i++) {
        const struct edge *e = &s->edge[i];
        if (edge_at_pixel(e, s->x0, s->y0) >= 0 &&
            edge_at_pixel(e, s->x1 - 1, s->y0) >= 0 &&
            edge_at_pixel(e, s->x0, s->y1 - 1) >= 0 &&
            edge_at_pixel(e, s->x1 - 1, s->y1 - 1) >= 0)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

static bool
has_plain_edges(const struct setup *s)
{
    return s->cover == COVER_EDGES && !s->small && !s->conservative &&
           !s->poly_stipple && !s->smooth && s->x0 < s->x1 && s->y0 < s->y1;
}

bool
setup_is_box(const struct setup *a, const struct setup *b)
{
    if (!has_plain_edges(a) || !has_plain_edges(b) || a->layer != b->layer ||
        a->viewport != b->viewport || a->x0 != b->x0 || a->y0 != b->y0 ||
        a->x1 != b->x1 || a->y1 != b->y1)
        return false;
    int i = find_diagonal(a), k = find_diagonal(b);
    if (i < 0 || k < 0)
        return false;
    /* Inside of one is outside of the other: the functions add up to -1. */
    const struct edge *p = &a->edge[i], *q = &b->edge[k];
    return p->a == -q->a && p->b == -q->b && p->c == -1 - q->c;
}

/* From a box in subpixels, x1/y1 inclusive, to the pixels with a sample in it,
 * clipped. */
void
setup_box(const struct scene *sc, struct setup *s, int64_t x0, int64_t y0,
          int64_t x1, int64_t y1)
{
    unsigned vp = s->viewport;
    s->x0 = (int32_t)MAX2(x0 >> 8, (int64_t)sc->clip_x0[vp]);
    s->y0 = (int32_t)MAX2(y0 >> 8, (int64_t)sc->clip_y0[vp]);
    s->x1 = (int32_t)MIN2((x1 >> 8) + 1, (int64_t)sc->clip_x1[vp]);
    s->y1 = (int32_t)MIN2((y1 >> 8) + 1, (int64_t)sc->clip_y1[vp]);
}

/* An operation on two NaNs gives either one, as the compiler orders them. With
 * a single NaN, the processor's own, all kernels give equal bits. */
void
setup_settle(struct setup *s)
{
    struct plane *const p[] = {&s->b1, &s->b2, &s->q, &s->z, &s->n1, &s->n2};
    const unsigned count = ARRAY_SIZE(p) - (s->perspective ? 0 : 2);
    struct plane sum = {0, 0, 0};
    for (unsigned i = 0; i < count; i++) {
        sum.c += p[i]->c;
        sum.dx += p[i]->dx;
        sum.dy += p[i]->dy;
    }
    if (!isnan(sum.c + sum.dx + sum.dy))
        return;
    const uint64_t own_bits = UINT64_C(0xfff8000000000000);
    double own;
    memcpy(&own, &own_bits, sizeof own);
    for (unsigned i = 0; i < count; i++) {
        p[i]->c = isnan(p[i]->c) ? own : p[i]->c;
        p[i]->dx = isnan(p[i]->dx) ? own : p[i]->dx;
        p[i]->dy = isnan(p[i]->dy) ? own : p[i]->dy;
    }
}

/* value0 + b1 * (value1 - value0) + b2 * (value2 - value0) */
static struct plane
blend_planes(const struct setup *s, double v0, double v1, double v2)
{
    double d1 = v1 - v0, d2 = v2 - v0;
    return (struct plane){v0, s->b1.dx * d1 + s->b2.dx * d2,
                          s->b1.dy * d1 + s->b2.dy * d2};
}

static void
setup_planes(struct setup *s, const struct prim_vertex *const v[3],
             const int32_t x[3], const int32_t y[3], double area)
{
    double d1x = x[1] - x[0], d1y = y[1] - y[0];
    double d2x = x[2] - x[0], d2y = y[2] - y[0];
    const double k = SUBPIXEL / area;
    s->ref_x = (double)x[0] / SUBPIXEL;
    s->ref_y = (double)y[0] / SUBPIXEL;
    s->b1 = (struct plane){0, d2y * k, -d2x * k};
    s->b2 = (struct plane){0, -d1y * k, d1x * k};
    double w0 = v[0]->w_inv, w1 = v[1]->w_inv, w2 = v[2]->w_inv;
    s->perspective = w0 != w1 || w0 != w2;
    s->q = blend_planes(s, w0, w1, w2);
    if (s->perspective) {
        s->n1 = (struct plane){0, s->b1.dx * w1, s->b1.dy * w1};
        s->n2 = (struct plane){0, s->b2.dx * w2, s->b2.dy * w2};
    }
    s->z = blend_planes(s, v[0]->z, v[1]->z, v[2]->z);
    s->z.c += 0; /* no negative zero */
}

/* Barycentrics for a cut triangle: relative to the whole triangle. */
static void
setup_cut_planes(struct setup *s, const struct prim_cut *cut,
                 const struct prim_vertex *const v[3])
{
    double n[2][3], b[2][3];
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 2; k++) {
            n[k][i] = (double)cut->persp[i][k] * (double)v[i]->w_inv;
            b[k][i] = (double)cut->linear[i][k];
        }
    s->n1 = blend_planes(s, n[0][0], n[0][1], n[0][2]);
    s->n2 = blend_planes(s, n[1][0], n[1][1], n[1][2]);
    struct plane b1 = blend_planes(s, b[0][0], b[0][1], b[0][2]);
    s->b2 = blend_planes(s, b[1][0], b[1][1], b[1][2]);
    s->b1 = b1;
    s->perspective = true;
}

/* GlobalDepthOffsetConstant * r + Scale * slope, KBL PRM vol 2d,
 * 3DSTATE_RASTER; r is the format's smallest step. */
static float
depth_bias(const struct scene *sc, const struct prim_vertex *const v[3],
           double dzdx, double dzdy)
{
    const struct gen9_3dstate_raster *r = &sc->draw->raster;
    double step = 0;
    switch (sc->ds.kind) {
    case DEPTH_U24: step = 0x1p-24; break;
    case DEPTH_U16: step = 0x1p-16; break;
    case DEPTH_F32:
    case DEPTH_NONE: {
        double z = fmax(fabs(v[0]->z), fmax(fabs(v[1]->z), fabs(v[2]->z)));
        int e;
        frexp(z, &e); /* z = m * 2^e, m in [0.5, 1) */
        step = z > 0 ? ldexp(1, e - 1 - 23) : 0;
        break;
    }
    }
    double slope = fmax(fabs(dzdx), fabs(dzdy));
    double bias = r->global_depth_offset_constant * step +
                  r->global_depth_offset_scale * slope;
    double clamp = r->global_depth_offset_clamp;
    if (clamp > 0)
        bias = fmin(bias, clamp);
    else if (clamp < 0)
        bias = fmax(bias, clamp);
    return (float)bias;
}

/* Whether the vertices are finite. Then the triangle's planes are finite too:
 * its sides have 30 bits and its area is not zero, so doubles do not overflow.
 */
static bool
are_finite(const struct prim_vertex *const v[3], double z)
{
    for (unsigned i = 0; i < 3; i++)
        z += (double)v[i]->w_inv + (double)v[i]->z;
    return isfinite(z);
}

void
setup_triangle_planes(const struct scene *sc, struct setup *s,
                      const struct prim_vertex *const v[3], const int32_t x[3],
                      const int32_t y[3], double area)
{
    setup_planes(s, v, x, y, area);
    if (sc->draw->raster.global_depth_offset_enable_solid)
        s->z.c += depth_bias(sc, v, s->z.dx, s->z.dy);
    if (!are_finite(v, s->z.c))
        setup_settle(s);
}

struct tri {
    int32_t x[3], y[3];
    int64_t area; /* twice, subpixels; positive: clockwise with y down */
    bool back;
};

bool
setup_is_back(const struct scene *sc, int64_t area)
{
    bool clockwise = area > 0;
    bool cw_is_front = sc->draw->raster.front_winding ==
                       GEN9_3DSTATE_RASTER_FRONT_WINDING_CLOCKWISE;
    return area != 0 && clockwise != cw_is_front;
}

static void
find_facing(const struct scene *sc, struct tri *t)
{
    t->area = (int64_t)(t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) -
              (int64_t)(t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);
    t->back = setup_is_back(sc, t->area);
}

bool
setup_is_culled(const struct scene *sc, bool back)
{
    switch (sc->draw->raster.cull_mode) {
    case GEN9_3DSTATE_RASTER_CULL_MODE_NONE: return false;
    case GEN9_3DSTATE_RASTER_CULL_MODE_FRONT: return !back;
    case GEN9_3DSTATE_RASTER_CULL_MODE_BACK: return back;
    default: return true;
    }
}

/* Shape of a triangle: pixels, half-open and clipped, and edges. */
struct shape {
    struct small px; /* square[] if known */
    bool known, narrow;
    struct edge edge[3];
};

/* Whether all samples lie at the centres of their pixels. */
static bool
samples_are_centres(const struct scene *sc)
{
    return !sc->ms_raster &&
           !sc->draw->raster.conservative_rasterization_enable;
}

/* Distances from the borders of a box to the first possible sample. */
static void
find_margins(const struct scene *sc, int32_t *up, int32_t *down)
{
    bool centres = samples_are_centres(sc);
    *up = centres ? SUBPIXEL / 2 - 1 : 0;
    *down = centres ? SUBPIXEL / 2 : 0;
}

/* Finds the clipped box in pixels; returns the larger side of the whole box in
 * subpixels. */
static int32_t
shape_box(const struct scene *sc, unsigned vp, const struct tri *t,
          struct small *px)
{
    int32_t up, down;
    find_margins(sc, &up, &down);
    int32_t x0 = MIN2(t->x[0], MIN2(t->x[1], t->x[2]));
    int32_t x1 = MAX2(t->x[0], MAX2(t->x[1], t->x[2]));
    int32_t y0 = MIN2(t->y[0], MIN2(t->y[1], t->y[2]));
    int32_t y1 = MAX2(t->y[0], MAX2(t->y[1], t->y[2]));
    px->x0 = MAX2((x0 + up) >> 8, sc->clip_x0[vp]);
    px->y0 = MAX2((y0 + up) >> 8, sc->clip_y0[vp]);
    px->x1 = MIN2(((x1 - down) >> 8) + 1, sc->clip_x1[vp]);
    px->y1 = MIN2(((y1 - down) >> 8) + 1, sc->clip_y1[vp]);
    return MAX2(x1 - x0, y1 - y0);
}

void
setup_cull_rules(struct scene *sc)
{
    bool inner =
        sc->draw->ps_extra.input_coverage_mask_state ==
        GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_INNER_CONSERVATIVE;
    sc->rules = (struct cull_rules){
        .cw = -(int32_t)setup_is_culled(sc, setup_is_back(sc, 1)),
        .ccw = -(int32_t)setup_is_culled(sc, setup_is_back(sc, -1)),
        .x0 = sc->clip_x0[0],
        .y0 = sc->clip_y0[0],
        .x1 = sc->clip_x1[0],
        .y1 = sc->clip_y1[0],
        /* Inner coverage needs the edges. */
        .squares = samples_are_centres(sc) && !inner,
    };
    find_margins(sc, &sc->rules.up, &sc->rules.down);
}

void
setup_triangle_edges(const struct scene *sc, const int32_t x[3],
                     const int32_t y[3], int64_t area, struct edge edge[3])
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned next = i == 2 ? 0 : i + 1;
        unsigned from = area < 0 ? next : i, to = area < 0 ? i : next;
        setup_edge(&edge[i], x[from], y[from], x[to], y[to]);
        if (sc->draw->raster.conservative_rasterization_enable)
            edge[i].c += corner_gain(&edge[i]);
    }
}

/* False: the triangle covers no sample, as far as a cheap test can tell. */
static bool
find_shape(const struct scene *sc, unsigned vp, const struct tri *t,
           struct shape *h)
{
    struct small *px = &h->px;
    if (!t->area)
        return false;
    int32_t side = shape_box(sc, vp, t, px);
    if (px->x0 >= px->x1 || px->y0 >= px->y1)
        return false;
    setup_triangle_edges(sc, t->x, t->y, t->area, h->edge);
    h->narrow = side <= SMALL_MAX_SUBPX;
    h->known = h->narrow && samples_are_centres(sc) &&
               ((px->x1 - 1) >> 2) - (px->x0 >> 2) < 4 &&
               ((px->y1 - 1) >> 2) - (px->y0 >> 2) < 4;
    bool clipped = px->x0 == sc->clip_x0[vp] || px->y0 == sc->clip_y0[vp] ||
                   px->x1 == sc->clip_x1[vp] || px->y1 == sc->clip_y1[vp];
    return !h->known || setup_small(h->edge, px, clipped);
}

static void
add_triangle(struct prim_list *list, const struct prim *p, const struct tri *t,
             const struct shape *h)
{
    const struct scene *sc = list->scene;
    struct setup *s = setup_new(list, p);
    if (!s)
        return;
    const struct prim_vertex *v[3] = {&p->v[0], &p->v[1], &p->v[2]};
    setup_triangle_planes(sc, s, v, t->x, t->y, (double)t->area);
    if (p->cut) {
        setup_cut_planes(s, p->cut, v);
        setup_settle(s);
    }
    s->cover = COVER_EDGES;
    s->edge_count = 3;
    s->back = t->back;
    s->conservative = sc->draw->raster.conservative_rasterization_enable;
    s->poly_stipple = sc->draw->wm.polygon_stipple_enable;
    memcpy(s->edge, h->edge, sizeof h->edge);
    s->x0 = h->px.x0;
    s->y0 = h->px.y0;
    s->x1 = h->px.x1;
    s->y1 = h->px.y1;
    s->small = h->known;
    s->narrow = h->narrow;
    if (h->known)
        memcpy(s->square, h->px.square, sizeof s->square);
    s->attr = attr_setup(list, p, v, 3, t->back, false);
    setup_finish(list, s);
}

static void
fill_triangle(struct prim_list *list, const struct prim *p, const struct tri *t)
{
    unsigned vp = p->viewport < DRAW_MAX_VIEWPORTS ? p->viewport : 0;
    struct shape h;
    if (find_shape(list->scene, vp, t, &h))
        add_triangle(list, p, t, &h);
}

/* Depth bias of lines and points that outline a polygon. */
static float
outline_bias(const struct scene *sc, const struct prim *p, const struct tri *t,
             bool enable)
{
    if (!enable)
        return 0;
    struct setup tmp;
    const struct prim_vertex *v[3] = {&p->v[0], &p->v[1], &p->v[2]};
    memset(&tmp, 0, sizeof tmp);
    if (t->area)
        setup_planes(&tmp, v, t->x, t->y, (double)t->area);
    return depth_bias(sc, v, tmp.z.dx, tmp.z.dy);
}

static void
setup_triangle(struct prim_list *list, const struct prim *p)
{
    const struct scene *sc = list->scene;
    const struct gen9_3dstate_raster *r = &sc->draw->raster;
    struct tri t;
    for (unsigned i = 0; i < 3; i++) {
        t.x[i] = prim_snap(p->v[i].x);
        t.y[i] = prim_snap(p->v[i].y);
    }
    find_facing(sc, &t);
    if (setup_is_culled(sc, t.back))
        return;
    unsigned fill = t.back ? r->back_face_fill_mode : r->front_face_fill_mode;
    if (fill == GEN9_3DSTATE_RASTER_FRONT_FACE_FILL_MODE_WIREFRAME) {
        float bias = outline_bias(sc, p, &t,
                                  r->global_depth_offset_enable_wireframe);
        for (unsigned i = 0; i < 3; i++) {
            if (p->edge_mask >> i & 1)
                setup_segment(list, p, &p->v[i], &p->v[(i + 1) % 3], bias,
                              t.back);
        }
    } else if (fill == GEN9_3DSTATE_RASTER_FRONT_FACE_FILL_MODE_POINT) {
        float bias = outline_bias(sc, p, &t,
                                  r->global_depth_offset_enable_point);
        for (unsigned i = 0; i < 3; i++) {
            if (p->edge_mask >> i & 1)
                setup_point(list, p, &p->v[i], bias, t.back);
        }
    } else {
        fill_triangle(list, p, &t);
    }
}

/* Rectangle: v0 lower right, v1 lower left, v2 upper left. Covers pixels whose
 * centres lie in the half-open box, with any number of samples. */
static void
setup_rect(struct prim_list *list, const struct prim *p)
{
    int32_t x[3], y[3];
    for (unsigned i = 0; i < 3; i++) {
        x[i] = prim_snap(p->v[i].x);
        y[i] = prim_snap(p->v[i].y);
    }
    double area = (double)(x[1] - x[0]) * (y[2] - y[0]) -
                  (double)(x[2] - x[0]) * (y[1] - y[0]);
    struct setup *s = area != 0 ? setup_new(list, p) : NULL;
    if (!s)
        return;
    const struct prim_vertex *v[3] = {&p->v[0], &p->v[1], &p->v[2]};
    setup_planes(s, v, x, y, area);
    s->cover = COVER_BOX;
    /* Centres in [min, max): pixel i when min <= 256 i + 128 < max. */
    int64_t x0 = MIN2(x[0], x[1]), x1 = MAX2(x[0], x[1]);
    int64_t y0 = MIN2(y[1], y[2]), y1 = MAX2(y[1], y[2]);
    setup_box(list->scene, s, x0 + 127, y0 + 127, x1 - 129, y1 - 129);
    if (s->x0 >= s->x1 || s->y0 >= s->y1)
        return;
    s->attr = attr_setup(list, p, v, 3, false, false);
    setup_settle(s);
    setup_finish(list, s);
}

void
setup_primitive(struct prim_list *list, const struct prim *p)
{
    if (!p->no_stipple_reset)
        list->stipple_pos = 0;
    switch (p->kind) {
    case PRIM_POINT: setup_point(list, p, &p->v[0], 0, false); break;
    case PRIM_LINE: setup_segment(list, p, &p->v[0], &p->v[1], 0, false); break;
    case PRIM_TRIANGLE: setup_triangle(list, p); break;
    case PRIM_RECT: setup_rect(list, p); break;
    default: break;
    }
}

void
depth_limits(const struct depth_state *ds, const struct gen9_cc_viewport *cc,
             float *lo, float *hi)
{
    float least = cc->minimum_depth, most = cc->maximum_depth;
    if (ds->kind == DEPTH_U16 || ds->kind == DEPTH_U24) {
        /* A NaN as minimum leaves only zero. + 0.0f turns -0 into 0. */
        most = isnan(least) ? 0 : isnan(most) ? 1 : CLAMP(most, 0, 1) + 0.0f;
        least = isnan(least) ? 0 : CLAMP(least, 0, 1) + 0.0f;
    }
    *lo = least;
    *hi = most;
}
