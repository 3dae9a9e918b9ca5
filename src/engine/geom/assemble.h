/* assemble.h: primitive assembly: groups vertices in draw order into objects,
 * for every topology. Called by geom.c and chunk.c. Pure: it knows vertices
 * only by a 32-bit key. One owner at a time. */
#ifndef ENGINE_GEOM_ASSEMBLE_H
#define ENGINE_GEOM_ASSEMBLE_H

#include "base/base.h"

enum geom_kind {
    GEOM_POINT,
    GEOM_LINE,
    GEOM_TRI,
    GEOM_RECT,
    GEOM_LINE_ADJ,
    GEOM_TRI_ADJ,
    GEOM_PATCH,
};

/* Selects the provoking vertex field that applies; a polygon's first vertex
 * always provokes. */
enum geom_family { FAMILY_STRIP_LIST, FAMILY_FAN, FAMILY_POLYGON };

#define GEOM_MAX_OBJECT_VERTS 32

struct geom_object {
    uint8_t kind;   /* enum geom_kind */
    uint8_t count;  /* vertices */
    uint8_t family; /* enum geom_family */
    /* Triangle: bit i is set if edge v[i] -> v[i + 1] is a border. */
    uint8_t edge_mask;
    bool odd; /* second, fourth, ... of a triangle strip: vertices are in strip
                 order, so wound in reverse */
    bool edge_flags; /* vertices' edge flags apply */
    bool continues;  /* line of a strip that continues the stipple */
    uint32_t prim_id;
};

struct geom_assembled {
    struct geom_object o;
    uint32_t key[GEOM_MAX_OBJECT_VERTS];
};

typedef void (*assemble_fn)(void *ctx, const struct geom_assembled *object);

struct assembler {
    unsigned topology; /* 3DPRIM_* */
    assemble_fn emit;
    void *ctx;
    uint32_t count; /* vertices since the last cut */
    uint32_t prim_id;
    uint32_t first;    /* key of the first vertex since the cut */
    uint32_t ring[32]; /* the last 32 keys */
};

/* False: invalid topology. */
bool assemble_init(struct assembler *a, unsigned topology, assemble_fn emit,
                   void *ctx);
/* Vertices per primitive (size) and from one primitive to the next (step),
 * without cuts. False: the topology has no constant size; primitives can only
 * be counted one by one. */
struct assemble_span {
    uint8_t size, step; /* vertices */
};
bool assemble_span(unsigned topology, struct assemble_span *span);
/* Continues with primitive prim_id of a span topology, as if all vertices
 * before prim_id * step + keys had been given. keys = size - step; key: the
 * last `keys` of these vertices, first: vertex 0. */
void assemble_seek(struct assembler *a, const struct assemble_span *span,
                   uint32_t prim_id, uint32_t first, const uint32_t *key);
void assemble_vertex(struct assembler *a, uint32_t key);
/* Ends the strip (cut index). */
void assemble_cut(struct assembler *a);
/* Ends the strip and restarts with primitive 0 (next instance). */
void assemble_end(struct assembler *a);

/* Vertex order that gives odd triangles of a strip the winding of even ones:
 * index of the vertex in strip order. */
static inline unsigned
assemble_odd_order(unsigned i, bool trailing)
{
    /* trailing: i+1, i, i+2; leading: i, i+2, i+1 */
    static const uint8_t order[2][3] = {{0, 2, 1}, {1, 0, 2}};
    return order[trailing][i];
}

#endif
