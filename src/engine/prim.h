/* prim.h: primitives on their way from geom to raster.
 *
 * geom assembles, shades, clips and transforms; raster culls, sets up and
 * draws. A scene belongs to the streamer thread. Its lists each have one owner
 * at a time, so that several workers can set primitives up; they are drawn
 * list by list, in each in the order of scene_add(). */
#ifndef ENGINE_PRIM_H
#define ENGINE_PRIM_H

#include "engine/draw.h"

#include <math.h>

enum prim_kind { PRIM_POINT, PRIM_LINE, PRIM_TRIANGLE, PRIM_RECT };

struct prim_vertex {
    /* Screen position after perspective divide and viewport transform; z in
     * depth range units, before bias; w_inv = 1 / clip w (1 when the divide
     * is off). */
    float x, y, z, w_inv;
    /* The vertex's URB entry from slot 0 (VUE header) on, 4 dwords a slot.
     * Not needed after scene_add(). */
    const uint32_t *vue;
};

/* Fixed point of snapped positions: 24.8. Limited to this many pixels, so that
 * products of two differences stay well within 64 bits; clipped geometry stays
 * within the guard band, far inside. */
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

/* What the clipper cut a triangle or a line from. Attributes without
 * perspective are linear on the screen, so a cut vertex has two sets of
 * weights: v[i] is at
 * vue[0] + w[0] * (vue[1] - vue[0]) + w[1] * (vue[2] - vue[0]);
 * of a line w[1] is 0. */
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
    unsigned vue_slots; /* slots that every v[].vue has */
    /* Where flat attributes come from when the clipper cut the provoking
     * vertex away; NULL: v[provoking].vue. */
    const uint32_t *flat_vue;
    /* NULL, unless 3DSTATE_CLIP asks for non-perspective barycentrics and the
     * triangle or line was cut; v[i].vue then are right for perspective only.
     */
    const struct prim_cut *cut;
    struct prim_vertex v[3]; /* rect: lower right, lower left, upper left */
};

/* Whole triangles that have only borders and go to viewport 0, by the numbers
 * of their corners. */
struct prim_tri {
    uint16_t corner[3];
    uint32_t primitive_id;
};

#define PRIM_TRIS 16 /* at a time */

/* What they are of. Corners are the first members of something larger. */
#define PRIM_CORNER_STRIDE_B 40
struct prim_mesh {
    const struct prim_corner *corner; /* the first one */
    unsigned vue_slots;
    uint8_t provoking[2]; /* of even and odd primitive ids */
};

static inline const struct prim_corner *
prim_corner(const struct prim_mesh *mesh, const struct prim_tri *tri,
            unsigned i)
{
    const char *first = (const char *)mesh->corner;
    size_t at_B = (size_t)tri->corner[i] * PRIM_CORNER_STRIDE_B;
    return (const struct prim_corner *)(const void *)(first + at_B);
}

struct scene;
struct prim_list;

struct scene *scene_create(const struct draw *draw);
/* Draws what is left, unless it may wait in the draw's raster memory. */
void scene_destroy(struct scene *scene);
/* List i, made when it is first asked for; NULL without memory. */
struct prim_list *scene_list(struct scene *scene, unsigned i);
/* Bytes of all lists. */
size_t scene_used_B(const struct scene *scene);
/* True when the list is so long that a flush is due. The list's owner. */
bool scene_add(struct prim_list *list, const struct prim *prim);
/* The same for those of `count` triangles, at most PRIM_TRIS, that have a bit
 * in `which`. */
bool scene_add_triangles(struct prim_list *list, const struct prim_mesh *mesh,
                         const struct prim_tri *tri, unsigned count,
                         uint32_t which);
/* Prepares a list, NULL or its owner's, that gets no more before a flush. That
 * would do it, too, but when all owners are done. */
void scene_sort(struct prim_list *list);
/* Draws and empties all lists, with those of scenes before that wait. */
void scene_flush(struct scene *scene);

#endif
