/* Vertices for the clipper: on which side of the planes they are, perspective
 * divide, viewport transform, snapping. */
#include "base/transpose.h"
#include "engine/geom/clip.h"

#include <float.h>
#include <math.h>

#define LANES 4

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

typedef base_vec4 vec;
typedef int32_t ivec __attribute__((vector_size(16)));

/* Four vertices, structure of arrays. */
struct lanes {
    vec x, y, z, w;
    ivec codes;
};

static inline void
load(struct lanes *l, const struct geom_vert *v)
{
    vec r[LANES];
    for (unsigned i = 0; i < LANES; i++)
        memcpy(&r[i], v[i].p.v.vue + 4, sizeof r[i]);
    transpose_4x4(r);
    *l = (struct lanes){r[0], r[1], r[2], r[3], {0}};
}

static inline void
find_codes(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
           struct lanes *l)
{
    bool d3d = g->draw->clip.api_mode == GEN9_3DSTATE_CLIP_API_MODE_APIMODE_D3D;
    vec x = l->x, y = l->y, z = l->z, w = l->w;
    ivec c = (x < -w) & CLIP_XMIN;
    c |= (x > w) & CLIP_XMAX;
    c |= (y < -w) & CLIP_YMIN;
    c |= (y > w) & CLIP_YMAX;
    c |= (x < vp->x_min_clip_guardband * w) & CLIP_GB_XMIN;
    c |= (x > vp->x_max_clip_guardband * w) & CLIP_GB_XMAX;
    c |= (y < vp->y_min_clip_guardband * w) & CLIP_GB_YMIN;
    c |= (y > vp->y_max_clip_guardband * w) & CLIP_GB_YMAX;
    c |= (z < (d3d ? (vec){0} : -w)) & CLIP_NEAR;
    c |= (z > w) & CLIP_FAR;
    c |= (w < FLT_MIN) & CLIP_W;
    ivec nan = (x != x) | (y != y) | (z != z) | (w != w);
    l->codes = (c & ~nan) | (nan & CLIP_NAN);
}

static inline void
to_screen(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
          struct lanes *l)
{
    if (g->draw->clip.perspective_divide_disable) {
        l->w = (vec){1, 1, 1, 1};
    } else {
        l->x /= l->w;
        l->y /= l->w;
        l->z /= l->w;
        l->w = 1.0f / l->w;
    }
    if (g->draw->sf.viewport_transform_enable) {
        l->x = vp->viewport_matrix_element_m00 * l->x +
               vp->viewport_matrix_element_m30;
        l->y = vp->viewport_matrix_element_m11 * l->y +
               vp->viewport_matrix_element_m31;
        l->z = vp->viewport_matrix_element_m22 * l->z +
               vp->viewport_matrix_element_m32;
    }
}

/* clip_on_screen() */
static inline ivec
is_on_screen(const struct lanes *l)
{
    return (l->x > -SCREEN_LIMIT) & (l->x < SCREEN_LIMIT) &
           (l->y > -SCREEN_LIMIT) & (l->y < SCREEN_LIMIT) & (l->z == l->z);
}

static void
prepare_lanes(const struct geom *g, const struct gen9_sf_clip_viewport *vp,
              struct geom_vert *v, unsigned viewport, uint32_t *code)
{
    struct lanes l;
    load(&l, v);
    if (g->draw->clip.clip_enable)
        find_codes(g, vp, &l);
    to_screen(g, vp, &l);
    ivec codes = l.codes | (~is_on_screen(&l) & (int32_t)CLIP_OFF);
    vec r[LANES] = {l.x, l.y, l.z, l.w};
    memcpy(code, &codes, sizeof codes);
    transpose_4x4(r);
    for (unsigned i = 0; i < LANES; i++) {
        struct prim_corner *c = &v[i].p;
        memcpy(&c->v.x, &r[i], sizeof r[i]);
        c->x = prim_snap(l.x[i]);
        c->y = prim_snap(l.y[i]);
        v[i].codes = (uint32_t)codes[i];
        v[i].viewport = (uint8_t)viewport;
    }
}

void
vertex_prepare_all(const struct geom *g, struct geom_vert *v, unsigned count,
                   unsigned viewport, uint32_t *codes)
{
    const struct gen9_sf_clip_viewport *vp = &g->draw->viewport[viewport];
    unsigned i = 0;
    if (!(g->user_clip | g->user_cull))
        for (; i + LANES <= count; i += LANES)
            prepare_lanes(g, vp, v + i, viewport, codes + i);
    for (; i < count; i++) {
        vertex_prepare(g, v + i, viewport);
        codes[i] = v[i].codes;
    }
}
