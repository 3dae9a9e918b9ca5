/* setup_line.c: setup of points and lines, including outlines of polygons. */
#include "engine/raster/scene.h"

#include <math.h>

#define POINT_MIN_PX 0.125f
#define POINT_MAX_PX 255.875f

/* Constant depth; the other vertices have weight zero. */
void
setup_constant_planes(struct setup *s, const struct prim_vertex *v, float bias)
{
    const struct plane zero = {0, 0, 0};
    s->b1 = s->b2 = s->n1 = s->n2 = zero;
    s->q = (struct plane){v->w_inv, 0, 0};
    s->z = (struct plane){(double)v->z + bias, 0, 0};
}

/* Edges of a convex quadrangle in either winding; false if it is empty. */
static bool
setup_quadrangle(struct setup *s, const int64_t x[4], const int64_t y[4])
{
    int64_t area = (x[2] - x[0]) * (y[3] - y[1]) -
                   (x[3] - x[1]) * (y[2] - y[0]);
    if (!area)
        return false;
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = area > 0 ? i : (i + 1) % 4;
        unsigned to = area > 0 ? (i + 1) % 4 : i;
        setup_edge(&s->edge[i], x[from], y[from], x[to], y[to]);
    }
    s->cover = COVER_EDGES;
    s->edge_count = 4;
    return true;
}

static void
box_of_quadrangle(const struct scene *sc, struct setup *s, const int64_t x[4],
                  const int64_t y[4])
{
    setup_box(sc, s, MIN2(MIN2(x[0], x[1]), MIN2(x[2], x[3])),
              MIN2(MIN2(y[0], y[1]), MIN2(y[2], y[3])),
              MAX2(MAX2(x[0], x[1]), MAX2(x[2], x[3])),
              MAX2(MAX2(y[0], y[1]), MAX2(y[2], y[3])));
}

static float
point_width(const struct draw *d, const struct prim *p)
{
    float w = d->sf.point_width_source ==
                      GEN9_3DSTATE_SF_POINT_WIDTH_SOURCE_STATE
                  ? d->sf.point_width
                  : p->point_width;
    return fminf(fmaxf(w, POINT_MIN_PX), POINT_MAX_PX);
}

void
setup_point(struct prim_list *list, const struct prim *p,
            const struct prim_vertex *v, float bias, bool back)
{
    const struct scene *sc = list->scene;
    const struct draw *d = sc->draw;
    struct setup *s = setup_new(list, p);
    if (!s)
        return;
    s->kind = PRIM_POINT;
    s->back = back;
    float width = point_width(d, p);
    int64_t cx = prim_snap(v->x), cy = prim_snap(v->y);
    int64_t half = lrintf(width * (SUBPIXEL / 2));
    setup_constant_planes(s, v, bias);
    /* The weights are the sprite coordinates: 0 to 1 over the square. */
    s->ref_x = (double)(cx - half) / SUBPIXEL;
    s->ref_y = (double)(cy - half) / SUBPIXEL;
    s->b1.dx = s->b2.dy = 1.0 / width;
    if (d->raster.smooth_point_enable) {
        s->round = true;
        s->smooth = !sc->ms_raster;
        s->smooth_x = (float)cx / SUBPIXEL;
        s->smooth_y = (float)cy / SUBPIXEL;
        s->half_width = width * 0.5f;
        if (s->smooth)
            half += SUBPIXEL / 2;
    }
    int64_t x[4] = {cx - half, cx + half, cx + half, cx - half};
    int64_t y[4] = {cy - half, cy - half, cy + half, cy + half};
    if (!setup_quadrangle(s, x, y))
        return;
    if (d->wm.point_rasterization_rule ==
        GEN9_3DSTATE_WM_POINT_RASTERIZATION_RULE_RASTRULE_UPPER_RIGHT) {
        /* The right edge owns its points, not the left one. */
        s->edge[1].c += 1;
        s->edge[3].c -= 1;
    }
    box_of_quadrangle(sc, s, x, y);
    if (s->x0 >= s->x1 || s->y0 >= s->y1)
        return;
    const struct prim_vertex *vs[3] = {v, v, v};
    s->attr = attr_setup(list, p, vs, 1, back, true);
    setup_settle(s);
    setup_finish(list, s);
}

static void
line_planes(struct setup *s, const struct prim_vertex *v0,
            const struct prim_vertex *v1, float bias)
{
    double dx = s->line.x1 - s->line.x0, dy = s->line.y1 - s->line.y0;
    double k = SUBPIXEL / (dx * dx + dy * dy);
    s->ref_x = (double)s->line.x0 / SUBPIXEL;
    s->ref_y = (double)s->line.y0 / SUBPIXEL;
    s->b1 = (struct plane){0, dx * k, dy * k};
    s->b2 = s->n2 = (struct plane){0, 0, 0};
    double w0 = v0->w_inv, w1 = v1->w_inv;
    double z0 = v0->z, dz = (double)v1->z - v0->z;
    s->perspective = w0 != w1;
    s->q = (struct plane){w0, s->b1.dx * (w1 - w0), s->b1.dy * (w1 - w0)};
    s->n1 = (struct plane){0, s->b1.dx * w1, s->b1.dy * w1};
    s->z = (struct plane){z0 + bias, s->b1.dx * dz, s->b1.dy * dz};
}

/* Weights for a segment of a cut primitive: relative to the whole primitive. */
static void
cut_line_planes(struct setup *s, const struct prim *p,
                const struct prim_vertex *v0, const struct prim_vertex *v1)
{
    const struct prim_cut *cut = p->cut;
    const unsigned i = (unsigned)(v0 - p->v), k = (unsigned)(v1 - p->v);
    const struct plane along = s->b1;
    struct plane *const n[2] = {&s->n1, &s->n2}, *const b[2] = {&s->b1, &s->b2};
    for (unsigned j = 0; j < 2; j++) {
        double m0 = (double)cut->persp[i][j] * (double)v0->w_inv;
        double m1 = (double)cut->persp[k][j] * (double)v1->w_inv;
        double l0 = cut->linear[i][j], l1 = cut->linear[k][j];
        *n[j] = (struct plane){m0, along.dx * (m1 - m0), along.dy * (m1 - m0)};
        *b[j] = (struct plane){l0, along.dx * (l1 - l0), along.dy * (l1 - l0)};
    }
    s->perspective = true;
}

/* Wide lines without antialiasing are `width` pixels high in every column, or
 * wide in every row: OpenGL 4.6, 14.5.2. */
static bool
setup_wide_line(const struct scene *sc, struct setup *s, float width)
{
    const struct setup_line *l = &s->line;
    int64_t half = lrintf(width * (SUBPIXEL / 2));
    int64_t hx = l->x_major ? 0 : half, hy = l->x_major ? half : 0;
    int64_t x[4] = {l->x0 - hx, l->x1 - hx, l->x1 + hx, l->x0 + hx};
    int64_t y[4] = {l->y0 - hy, l->y1 - hy, l->y1 + hy, l->y0 + hy};
    box_of_quadrangle(sc, s, x, y);
    return setup_quadrangle(s, x, y);
}

/* A rectangle around the line. Smooth lines extend half a pixel further, where
 * coverage falls to zero. */
static bool
setup_rect_line(const struct scene *sc, struct setup *s, float width,
                bool smooth)
{
    const struct setup_line *l = &s->line;
    double dx = l->x1 - l->x0, dy = l->y1 - l->y0;
    double len = sqrt(dx * dx + dy * dy), pad = smooth ? SUBPIXEL / 2 : 0;
    double ux = dx / len, uy = dy / len;
    double across = width * (SUBPIXEL / 2) + pad;
    int64_t nx = lrint(-uy * across), ny = lrint(ux * across);
    int64_t ex = lrint(ux * pad), ey = lrint(uy * pad);
    int64_t x[4] = {l->x0 - ex - nx, l->x1 + ex - nx, l->x1 + ex + nx,
                    l->x0 - ex + nx};
    int64_t y[4] = {l->y0 - ey - ny, l->y1 + ey - ny, l->y1 + ey + ny,
                    l->y0 - ey + ny};
    s->smooth = smooth;
    s->smooth_x = (float)(l->x0 + dx / 2) / SUBPIXEL;
    s->smooth_y = (float)(l->y0 + dy / 2) / SUBPIXEL;
    s->dir_x = (float)ux;
    s->dir_y = (float)uy;
    s->half_length = (float)(len / (2 * SUBPIXEL));
    s->half_width = width * 0.5f;
    box_of_quadrangle(sc, s, x, y);
    return setup_quadrangle(s, x, y);
}

static bool
setup_thin_line(const struct scene *sc, struct setup *s)
{
    const struct setup_line *l = &s->line;
    s->cover = COVER_LINE;
    s->last_pixel = sc->draw->sf.last_pixel_enable;
    setup_box(sc, s, MIN2(l->x0, l->x1) - 1, MIN2(l->y0, l->y1) - 1,
              MAX2(l->x0, l->x1) + 1, MAX2(l->y0, l->y1) + 1);
    return true;
}

void
setup_segment(struct prim_list *list, const struct prim *p,
              const struct prim_vertex *v0, const struct prim_vertex *v1,
              float bias, bool back)
{
    const struct scene *sc = list->scene;
    const struct draw *d = sc->draw;
    struct setup *s = setup_new(list, p);
    if (!s)
        return;
    s->kind = PRIM_LINE;
    s->back = back;
    struct setup_line *l = &s->line;
    *l = (struct setup_line){prim_snap(v0->x),
                             prim_snap(v0->y),
                             prim_snap(v1->x),
                             prim_snap(v1->y),
                             false,
                             list->stipple_pos};
    int64_t dx = (int64_t)l->x1 - l->x0, dy = (int64_t)l->y1 - l->y0;
    int64_t adx = dx < 0 ? -dx : dx, ady = dy < 0 ? -dy : dy;
    if (!adx && !ady)
        return;
    l->x_major = adx >= ady;
    s->line_stipple = d->wm.line_stipple_enable;
    list->stipple_pos += (uint32_t)((MAX2(adx, ady) + 128) / SUBPIXEL);
    line_planes(s, v0, v1, bias);
    if (p->cut)
        cut_line_planes(s, p, v0, v1);
    float width = d->sf.line_width;
    /* Width 0 asks for the thinnest line, never antialiased: KBL PRM vol 2d,
     * 3DSTATE_SF, Line Width. */
    bool ok;
    if (!(width > 0))
        ok = setup_thin_line(sc, s);
    else if (sc->ms_raster || d->raster.antialiasing_enable)
        ok = setup_rect_line(sc, s, width, !sc->ms_raster);
    else if (width <= 1)
        ok = setup_thin_line(sc, s);
    else
        ok = setup_wide_line(sc, s, width);
    if (!ok || s->x0 >= s->x1 || s->y0 >= s->y1)
        return;
    const struct prim_vertex *vs[3] = {v0, v1, v0};
    s->attr = attr_setup(list, p, vs, p->cut ? 3 : 2, back, false);
    setup_settle(s);
    setup_finish(list, s);
}
