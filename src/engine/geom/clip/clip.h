/* clip.h: shared by clip.c, which tests objects, and clip_polygon.c, which cuts
 * them. Internal to geom/; one lane at a time. */
#ifndef ENGINE_GEOM_CLIP_CLIP_H
#define ENGINE_GEOM_CLIP_CLIP_H

#include "engine/geom/geom.h"

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
#define CLIP_OFF (1u << 31) /* not clip_on_screen() */

/* 3 vertices and 15 planes, each of which adds at most one vertex. */
#define CLIP_MAX_POLYGON 20

/* State of one object in the clipper. */
struct clip_ctx {
    struct geom *g;
    const struct geom_object *o;
    struct geom_vert *const *v;
    const struct gen9_sf_clip_viewport *vp;
    struct geom_vert *provoking;
    double min_w;
    unsigned made; /* vertices in cut_vue */
    struct prim prim;
};

/* Far outside any guard band; raster never sees positions beyond it. */
#define SCREEN_LIMIT 1e7f

static inline bool
clip_on_screen(const struct prim_vertex *v)
{
    return fabsf(v->x) < SCREEN_LIMIT && fabsf(v->y) < SCREEN_LIMIT &&
           !isnan(v->z);
}

/* The list that receives primitives; NULL: out of memory. */
struct prim_list *clip_list(struct geom *g);
static inline void
clip_position(const struct geom_vert *v, float pos[4])
{
    memcpy(pos, v->p.v.vue + 4, 16);
}

float clip_distance(const struct geom *g, const struct geom_vert *v,
                    unsigned i);
/* Divide and viewport transform: x, y, z, 1 / w. */
void clip_to_screen(const struct geom *g,
                    const struct gen9_sf_clip_viewport *vp, const float p[4],
                    float out[4]);
/* Adds c->prim with `count` vertices to the scene. */
void clip_emit(struct clip_ctx *c, unsigned count);

/* clip_polygon.c: cuts the object at the planes of `codes` and emits the
 * remaining part. */
void cut_triangle(struct clip_ctx *c, uint32_t codes);
void cut_line(struct clip_ctx *c, uint32_t codes);

#endif
