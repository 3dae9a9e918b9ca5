/* vertex_prepare.c: clip codes, perspective divide, viewport transform and
 * snapping of vertices. */
#include "engine/geom/clip/clip.h"
#include "engine/geom/vue_transpose.h"

#include <float.h>
#include <math.h>

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

static struct vertex_space
find_space(const struct geom *g, unsigned viewport)
{
    const struct draw *d = g->draw;
    const struct gen9_sf_clip_viewport *vp = &d->viewport[viewport];
    return (struct vertex_space){
        .clips = d->clip.clip_enable,
        .d3d = d->clip.api_mode == GEN9_3DSTATE_CLIP_API_MODE_APIMODE_D3D,
        .divides = !d->clip.perspective_divide_disable,
        .transforms = d->sf.viewport_transform_enable,
        .viewport = (uint8_t)viewport,
        .scale = {vp->viewport_matrix_element_m00,
                  vp->viewport_matrix_element_m11,
                  vp->viewport_matrix_element_m22},
        .offset = {vp->viewport_matrix_element_m30,
                   vp->viewport_matrix_element_m31,
                   vp->viewport_matrix_element_m32},
        .guard = {vp->x_min_clip_guardband, vp->x_max_clip_guardband,
                  vp->y_min_clip_guardband, vp->y_max_clip_guardband},
    };
}

void
vertex_prepare_all(const struct geom *g, const uint32_t *vue, uint32_t stride_B,
                   struct geom_vert *v, unsigned count, unsigned viewport,
                   uint32_t *codes)
{
    const struct geom_lanes *lanes = geom_lanes_selected();
    struct vertex_space space = find_space(g, viewport);
    const uint8_t *at = (const uint8_t *)vue;
    size_t step_B = (size_t)lanes->verts * stride_B;
    assert(lanes->verts <= GEOM_PAD_VERTS);
    if (!(g->user_clip | g->user_cull)) {
        for (unsigned i = 0; i < count; i += lanes->verts, at += step_B)
            lanes->prepare(&space, at, stride_B, v + i, codes + i);
        return;
    }
    for (unsigned i = 0; i < count; i++, at += stride_B) {
        v[i] = (struct geom_vert){
            .p.v.vue = (const uint32_t *)(const void *)at,
            .viewport = GEOM_VIEWPORT_NONE,
            .edge_flag = true,
        };
        vertex_prepare(g, v + i, viewport);
        codes[i] = v[i].codes;
    }
}
