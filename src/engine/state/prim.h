/* prim.h: primitives on their way from geom/ to raster/. Data header.
 *
 * geom/ assembles, shades, clips and transforms; raster/ culls, sets up and
 * draws. The thread that executes the batch owns a scene. Each of its lists has
 * one owner at a time, so that several workers can set up primitives. Raster
 * draws list by list, each in the order of scene_add(). */
#ifndef ENGINE_STATE_PRIM_H
#define ENGINE_STATE_PRIM_H

#include "engine/state/draw.h"

#include <math.h>

enum prim_kind { PRIM_POINT, PRIM_LINE, PRIM_TRIANGLE, PRIM_RECT };

struct prim_vertex {
    /* Screen position after perspective divide and viewport transform; z in
     * depth range units, before bias; w_inv = 1 / clip w (1 when the divide
     * is off). */
    float x, y, z, w_inv;
    /* The vertex's URB entry from slot 0 (VUE header) on, 4 dwords per slot.
     * Unused after scene_add(). */
    const uint32_t *vue;
};

/* Fixed point of snapped positions: 24.8. Positions are limited to SNAP_MAX_PX,
 * so that products of two differences fit in 64 bits. Clipped geometry stays in
 * the guard band, far inside the limit. */
#define SUBPIXEL 256
#define SNAP_MAX_PX (1 << 20)

static inline int32_t
prim_snap(float v)
{
    v = v > -SNAP_MAX_PX ? v : -SNAP_MAX_PX; /* NaN too */
    v = v < SNAP_MAX_PX ? v : SNAP_MAX_PX;
    return (int32_t)lrintf(v * SUBPIXEL);
}

/* A vertex that triangles share. */
struct prim_corner {
    struct prim_vertex v;
    int32_t x, y; /* snapped */
};

/* The original vertices of a clipped triangle or line, and weights of the cut
 * vertices. Attributes without perspective are linear on the screen, so each
 * cut vertex has two sets of weights: v[i] is at vue[0] + w[0] * (vue[1] -
 * vue[0]) + w[1] * (vue[2] - vue[0]). For a line w[1] is 0. */
struct prim_cut {
    const uint32_t *vue[3];
    float persp[3][2], linear[3][2];
};

struct prim {
    uint8_t kind;      /* enum prim_kind */
    uint8_t provoking; /* index into v */
    uint8_t edge_mask; /* triangle: bit i, edge v[i] -> v[i+1] is a border */
    bool no_stipple_reset; /* line of a strip that continues the stipple */
    uint8_t viewport;      /* viewport index, already limited */
    uint16_t layer;        /* render target array index, already forced */
    uint32_t primitive_id;
    float point_width;  /* from the VUE header; raster picks state or this */
    unsigned vue_slots; /* slots in every v[].vue */
    /* Source of flat attributes if the clipper cut off the provoking vertex;
     * NULL: v[provoking].vue. */
    const uint32_t *flat_vue;
    /* NULL, unless 3DSTATE_CLIP asks for non-perspective barycentrics and the
     * primitive was clipped. If set, v[i].vue are correct for perspective
     * attributes only. */
    const struct prim_cut *cut;
    struct prim_vertex v[3]; /* rect: lower right, lower left, upper left */
};

/* Unclipped triangles whose edges are all borders, in viewport 0, by the
 * indices of their corners. */
struct prim_tri {
    uint16_t corner[3];
    uint32_t primitive_id;
};

#define PRIM_TRIS 16 /* triangles per call */

/* The mesh of prim_tri. Corners are first members of larger structs. */
#define PRIM_CORNER_STRIDE_B 40
struct prim_mesh {
    const struct prim_corner *corner; /* the first one */
    unsigned vue_slots;
    uint8_t provoking[2]; /* for even and odd primitive ids */
};

static inline const struct prim_corner *
prim_corner(const struct prim_mesh *mesh, const struct prim_tri *tri,
            unsigned i)
{
    const char *first = (const char *)mesh->corner;
    size_t at_B = (size_t)tri->corner[i] * PRIM_CORNER_STRIDE_B;
    return (const struct prim_corner *)(const void *)(first + at_B);
}

#endif
