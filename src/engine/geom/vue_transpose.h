/* vue_transpose.h: vector routines of fetch.c, vertex_prepare.c and chunk.c,
 * one set per instruction set. Results equal the reference in these files bit
 * for bit. Pure; any worker. */
#ifndef ENGINE_GEOM_VUE_TRANSPOSE_H
#define ENGINE_GEOM_VUE_TRANSPOSE_H

#include "base/base.h"

struct geom_vert;

/* Inputs of vertex_prepare() from the draw, without user planes. */
struct vertex_space {
    bool clips, d3d, divides, transforms;
    uint8_t viewport;
    float scale[3], offset[3]; /* x, y, z */
    float guard[4];            /* x min, x max, y min, y max */
};

struct geom_lanes {
    unsigned verts; /* vertices per call of prepare */
    /* Initialises and prepares `verts` vertices whose entries lie stride_B
     * apart. codes: a second copy, side by side. */
    void (*prepare)(const struct vertex_space *space, const uint8_t *vue,
                    uint32_t stride_B, struct geom_vert *v, uint32_t *codes);
    /* Transposes four dwords of eight vertices to structure of arrays. */
    void (*rows)(const uint8_t *const row[8], uint32_t (*out)[8]);
    /* As rows, for rows stride_B apart. */
    void (*rows_apart)(const uint8_t *row, uint32_t stride_B,
                       uint32_t (*out)[8]);
    /* Transposes eight dwords of eight vertices to one row per vertex; equal
     * row pointers get the last vertex. */
    void (*columns)(const uint32_t (*in)[8], uint8_t *const row[8]);
    /* Least and greatest key. */
    void (*range)(const uint32_t *key, uint32_t count, uint32_t *lo,
                  uint32_t *hi);
};

extern const struct geom_lanes geom_lanes_ref, geom_lanes_avx2,
    geom_lanes_avx512;
const struct geom_lanes *geom_lanes_selected(void);

#endif
