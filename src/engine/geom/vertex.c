/* Vertices for the clipper: on which side of the planes they are, perspective
 * divide, viewport transform, snapping. */
#include "engine/geom/clip.h"

#include <float.h>
#include <math.h>

#define LANES 8

static uint32_t
vertex_codes(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
             const struct geom_vert *v)
{
    float p[4];
    uint32_t c = 0;
    clip_position(v, p);
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
void
clip_to_screen(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
               const float p[4], float out[4])
{
    float w_inv = 1.0f;
    float x = p[0], y = p[1], z = p[2];
    if (!g->draw->clip.perspective_divide_disable) {
        w_inv = 1.0f / p[3];
        x /= p[3];
        y /= p[3];
        z /= p[3];
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

void
vertex_prepare(const struct geom *g, struct geom_vert *v, unsigned viewport)
{
    if (v->viewport == viewport)
        return;
    const struct gen9_sf_clip_viewport *vp = &g->draw->viewport[viewport];
    struct prim_vertex *pv = &v->p.v;
    float p[4], s[4];
    v->viewport = (uint8_t)viewport;
    v->codes = g->draw->clip.clip_enable ? vertex_codes(g, vp, v) : 0;
    clip_position(v, p);
    clip_to_screen(g, vp, p, s);
    pv->x = s[0];
    pv->y = s[1];
    pv->z = s[2];
    pv->w_inv = s[3];
    v->p.x = prim_snap(pv->x);
    v->p.y = prim_snap(pv->y);
    if (!clip_on_screen(pv))
        v->codes |= CLIP_OFF;
}

/* ---- several ---------------------------------------------------------- */

/* Structure of arrays; loops over it become vector code. */
struct lanes {
    float x[LANES], y[LANES], z[LANES], w[LANES];
    uint32_t codes[LANES];
};

static void
load(struct lanes *l, const struct geom_vert *v)
{
    for (unsigned i = 0; i < LANES; i++) {
        float p[4];
        clip_position(&v[i], p);
        l->x[i] = p[0];
        l->y[i] = p[1];
        l->z[i] = p[2];
        l->w[i] = p[3];
    }
}

static void
find_codes(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
           struct lanes *l)
{
    bool d3d = g->draw->clip.api_mode == GEN9_3DSTATE_CLIP_API_MODE_APIMODE_D3D;
    float gx0 = vp->x_min_clip_guardband, gx1 = vp->x_max_clip_guardband;
    float gy0 = vp->y_min_clip_guardband, gy1 = vp->y_max_clip_guardband;
    for (unsigned i = 0; i < LANES; i++) {
        float x = l->x[i], y = l->y[i], z = l->z[i], w = l->w[i];
        float near = d3d ? 0 : -w;
        uint32_t c = 0;
        c |= x < -w ? CLIP_XMIN : 0;
        c |= x > w ? CLIP_XMAX : 0;
        c |= y < -w ? CLIP_YMIN : 0;
        c |= y > w ? CLIP_YMAX : 0;
        c |= x < gx0 * w ? CLIP_GB_XMIN : 0;
        c |= x > gx1 * w ? CLIP_GB_XMAX : 0;
        c |= y < gy0 * w ? CLIP_GB_YMIN : 0;
        c |= y > gy1 * w ? CLIP_GB_YMAX : 0;
        c |= z < near ? CLIP_NEAR : 0;
        c |= z > w ? CLIP_FAR : 0;
        c |= w < FLT_MIN ? CLIP_W : 0;
        bool nan = (x != x) | (y != y) | (z != z) | (w != w);
        l->codes[i] = nan ? CLIP_NAN : c;
    }
}

static void
divide(struct lanes *l)
{
    for (unsigned i = 0; i < LANES; i++) {
        float w = l->w[i];
        l->w[i] = 1.0f / w;
        l->x[i] /= w;
        l->y[i] /= w;
        l->z[i] /= w;
    }
}

static void
transform(struct lanes *l, const struct gen9_sf_clip_viewport *vp)
{
    float sx = vp->viewport_matrix_element_m00;
    float sy = vp->viewport_matrix_element_m11;
    float sz = vp->viewport_matrix_element_m22;
    float tx = vp->viewport_matrix_element_m30;
    float ty = vp->viewport_matrix_element_m31;
    float tz = vp->viewport_matrix_element_m32;
    for (unsigned i = 0; i < LANES; i++) {
        l->x[i] = sx * l->x[i] + tx;
        l->y[i] = sy * l->y[i] + ty;
        l->z[i] = sz * l->z[i] + tz;
    }
}

static void
prepare_lanes(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
              struct geom_vert *v, unsigned viewport)
{
    struct lanes l;
    load(&l, v);
    memset(l.codes, 0, sizeof l.codes);
    if (g->draw->clip.clip_enable)
        find_codes(g, vp, &l);
    if (!g->draw->clip.perspective_divide_disable)
        divide(&l);
    else
        for (unsigned i = 0; i < LANES; i++)
            l.w[i] = 1;
    if (g->draw->sf.viewport_transform_enable)
        transform(&l, vp);
    for (unsigned i = 0; i < LANES; i++) {
        struct prim_corner *c = &v[i].p;
        c->v.x = l.x[i];
        c->v.y = l.y[i];
        c->v.z = l.z[i];
        c->v.w_inv = l.w[i];
        c->x = prim_snap(l.x[i]);
        c->y = prim_snap(l.y[i]);
        v[i].codes = l.codes[i] | (clip_on_screen(&c->v) ? 0 : CLIP_OFF);
        v[i].viewport = (uint8_t)viewport;
    }
}

void
vertex_prepare_all(const struct geom *g, struct geom_vert *v, unsigned count,
                   unsigned viewport)
{
    const struct gen9_sf_clip_viewport *vp = &g->draw->viewport[viewport];
    unsigned i = 0;
    if (!(g->user_clip | g->user_cull))
        for (; i + LANES <= count; i += LANES)
            prepare_lanes(g, vp, v + i, viewport);
    for (; i < count; i++)
        vertex_prepare(g, v + i, viewport);
}
