/* lanes.h: parts of fetch.c, vertex.c and chunk.c made for one
 * instruction set. Each has its reference, which it agrees with bit for bit, in
 * those files. */
#ifndef ENGINE_GEOM_LANES_H
#define ENGINE_GEOM_LANES_H

#include "base/base.h"

struct geom_vert;

/* What vertex_prepare() takes from the draw; no user planes. */
struct vertex_space {
    bool clips, d3d, divides, transforms;
    uint8_t viewport;
    float scale[3], offset[3]; /* x, y, z */
    float guard[4];            /* min and max of x, of y */
};

struct geom_lanes {
    unsigned verts; /* at a time */
    /* Makes that many, whose entries lie stride_B apart; codes: once more, side
     * by side. */
    void (*prepare)(const struct vertex_space *space, const uint8_t *vue,
                    uint32_t stride_B, struct geom_vert *v, uint32_t *codes);
    /* Four dwords of eight vertices, structure of arrays. */
    void (*rows)(const uint8_t *const row[8], uint32_t (*out)[8]);
    /* The same of rows that lie stride_B apart. */
    void (*rows_apart)(const uint8_t *row, uint32_t stride_B,
                       uint32_t (*out)[8]);
    /* Eight dwords of eight vertices, each in a row of its own; where rows are
     * the same, the last one's. */
    void (*columns)(const uint32_t (*in)[8], uint8_t *const row[8]);
    /* Least and greatest. */
    void (*range)(const uint32_t *key, uint32_t count, uint32_t *lo,
                  uint32_t *hi);
};

extern const struct geom_lanes geom_lanes_ref, geom_lanes_avx2,
    geom_lanes_avx512;
const struct geom_lanes *geom_lanes_selected(void);

#endif
