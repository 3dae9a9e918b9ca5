/* setup.h: triangle, line and point setup: primitives with edges, planes and
 * attribute deltas, and the lists that hold them. Called by bin for geom's
 * primitives; coverage, depth and shade read setups. A list and its setups
 * belong to the thread that fills it; all are read-only afterwards. */
#ifndef ENGINE_RASTER_SETUP_SETUP_H
#define ENGINE_RASTER_SETUP_SETUP_H

#include "base/arena.h"
#include "engine/state/prim.h"
#include "engine/raster/plane.h"
#include "engine/raster/setup/small_triangle.h"

#define ATTR_DW 16

enum cover_kind {
    COVER_BOX,   /* all pixels of the bounding box, all samples */
    COVER_EDGES, /* inside of edge[] */
    COVER_LINE,  /* one pixel per step of the major axis */
};

struct setup_line {
    int32_t x0, y0, x1, y1; /* subpixels, v0 -> v1 */
    bool x_major;
    uint32_t stipple_start; /* steps since the pattern began */
};

struct setup {
    struct scene *scene;
    uint8_t cover, kind; /* enum cover_kind, enum prim_kind as drawn */
    uint8_t edge_count;
    uint8_t viewport;
    uint16_t layer;
    bool back, perspective;
    bool conservative; /* edge[] lets in every pixel that is touched */
    bool poly_stipple, line_stipple, last_pixel;
    /* Smooth points and lines scale alpha by coverage. It depends on the
     * distances in pixels from (smooth_x, smooth_y), along (dir) and across. */
    bool smooth, round;
    bool small;  /* coverage is known: square[] */
    bool narrow; /* no side is longer than SMALL_MAX_SUBPX */
    /* setup_new() zeroes all members above, none below. */
    const uint32_t *attr;   /* ATTR_DW dwords an attribute, as in the payload */
    int32_t x0, y0, x1, y1; /* pixels, x1/y1 exclusive, clipped */
    double ref_x, ref_y;
    /* Linear weights of v1 and v2 (b1, b2), depth, 1/w (q), and with
     * perspective the weights over w (n1, n2). */
    struct plane b1, b2;
    float z_lo, z_hi;   /* depth_limits() */
    uint64_t square[4]; /* of struct small */
    struct plane z, q, n1, n2;
    /* Members from here on are missing in small setups of
     * scene_add_triangles(). */
    alignas(64) struct edge edge[4];
    struct setup_line line;
    float smooth_x, smooth_y, dir_x, dir_y;
    float half_length, half_width;
};
#define SETUP_SMALL_B offsetof(struct setup, edge)

/* The tiles that a setup's box touches, last ones inclusive. */
struct setup_ref {
    struct setup *setup;
    uint8_t tx0, ty0, tx1, ty1;
    bool large; /* coverage is not known: no square[] */
};

/* Tiles (x0, y0) to (x0 + width - 1, y0 + height - 1). */
struct tile_grid {
    unsigned x0, y0, width, height;
};

/* A list's primitives in a tile, in order. */
struct tile_part {
    struct setup **setup;
    unsigned count;
    bool large; /* any of them is */
};

/* Primitives of one owner, see prim.h. */
struct prim_list {
    struct scene *scene;
    struct arena arena; /* of the setups and their attributes */
    bool shared;        /* several cores read it */
    struct setup_ref *ref;
    unsigned count, capacity;
    uint64_t pair_count; /* setups times tiles they may touch */
    uint64_t work_px;
    uint32_t stipple_pos; /* of the line strip now being drawn */
    /* See bin_sort.c; in the arena. */
    unsigned sorted; /* how many part[] includes */
    struct tile_grid grid;
    struct tile_part *part; /* row by row */
};

/* ---- prim_list.c -------------------------------------------------------- */

struct depth_state;
/* A new setup of the list; NULL without memory. */
struct setup *setup_new(struct prim_list *list, const struct prim *prim);
/* Adds the finished and settled setup to the list unless its box is empty. */
void setup_finish(struct prim_list *list, struct setup *s);
/* NULL without memory. alone: a single core fills and draws the list. */
struct prim_list *list_create(bool alone);
/* Whether a flush is due. */
bool list_is_full(const struct prim_list *list);
void list_reset(struct prim_list *list);
void list_destroy(struct prim_list *list);

/* ---- setup_triangle.c, setup_line.c, attribute.c ------------------------ */

/* Adds the triangles whose bit in `which` is set, of `count`, at most
 * PRIM_TRIS. True: a flush is due. */
bool setup_triangles(struct prim_list *list, const struct prim_mesh *mesh,
                     const struct prim_tri *tri, unsigned count,
                     uint32_t which);
/* Clips a box to pixels: x0, y0, x1, y1 in subpixels, x1 and y1 inclusive. */
void setup_box(const struct scene *scene, struct setup *s, int64_t x0,
               int64_t y0, int64_t x1, int64_t y1);
/* Culls a primitive, or sets it up and adds it. */
void setup_primitive(struct prim_list *list, const struct prim *prim);
/* bias is added to all depths. */
void setup_point(struct prim_list *list, const struct prim *prim,
                 const struct prim_vertex *v, float bias, bool back);
void setup_segment(struct prim_list *list, const struct prim *prim,
                   const struct prim_vertex *v0, const struct prim_vertex *v1,
                   float bias, bool back);
/* Inside is to the right of the way from (x0, y0) to (x1, y1), y down;
 * subpixels. */
void setup_edge(struct edge *e, int64_t x0, int64_t y0, int64_t x1, int64_t y1);
/* Depth clamp of a viewport. For integer formats the limits are reduced to
 * 0..1, with the same stored depths. */
void depth_limits(const struct depth_state *ds,
                  const struct gen9_cc_viewport *cc, float *lo, float *hi);
/* Replaces all NaNs in the planes by the processor's own NaN. */
void setup_settle(struct setup *s);
/* Whether the whole pixel lies inside of all edges. */
bool setup_holds_pixel(const struct setup *s, int32_t x, int32_t y);
/* Whether two triangles cover each pixel of their box, one of them each. */
bool setup_is_box(const struct setup *a, const struct setup *b);
void setup_constant_planes(struct setup *s, const struct prim_vertex *v,
                           float bias);
/* Planes of a triangle, depths with their bias. x, y: snapped; area: twice the
 * triangle's, positive: clockwise with y down. */
void setup_triangle_planes(const struct scene *scene, struct setup *s,
                           const struct prim_vertex *const v[3],
                           const int32_t x[3], const int32_t y[3], double area);
/* Whether a triangle of this area is a back face. */
bool setup_is_back(const struct scene *scene, int64_t area);
bool setup_is_culled(const struct scene *scene, bool back);
void setup_triangle_edges(const struct scene *scene, const int32_t x[3],
                          const int32_t y[3], int64_t area,
                          struct edge edge[3]);
/* Fills in scene->rules. */
void setup_cull_rules(struct scene *scene);
/* Derives the attribute setup that all primitives share. */
void attr_plan(struct scene *scene);
/* Attribute deltas for v[0..count-1]; missing vertices count as v[0]. */
const uint32_t *attr_setup(struct prim_list *list, const struct prim *prim,
                           const struct prim_vertex *const v[3], unsigned count,
                           bool back, bool point);
/* attr_setup() into attr_room_B() bytes of the caller's. */
void attr_fill(const struct scene *scene, const struct prim *prim,
               const struct prim_vertex *const v[3], unsigned count, bool back,
               bool point, uint32_t *out);
/* Bytes of a primitive's attributes. */
size_t attr_room_B(const struct scene *scene);
/* attr_fill() of a triangle whose attributes are whole slots of its vertices.
 */
void attr_fill_plain(const struct scene *scene, const uint32_t *flat,
                     const uint32_t *const vue[3], unsigned slots,
                     uint32_t *out);

/* The planes that give a thread's weights, with perspective or linear. */
static inline struct run_weights
setup_run_weights(const struct setup *s, bool linear)
{
    bool divide = !linear && s->perspective;
    return (struct run_weights){.b1 = divide ? &s->n1 : &s->b1,
                                .b2 = divide ? &s->n2 : &s->b2,
                                .q = divide ? &s->q : NULL,
                                .ref_x = s->ref_x,
                                .ref_y = s->ref_y};
}

#endif
