/* tess.h: the tessellator: computes domain points and objects from tessellation
 * levels. Called by tess_stages.c. Pure. */
#ifndef ENGINE_GEOM_STAGES_TESS_H
#define ENGINE_GEOM_STAGES_TESS_H

#include "base/base.h"

#define TESS_MAX_LEVEL 64
#define TESS_MAX_POINTS (65 * 65)
#define TESS_MAX_INDICES (64 * 64 * 2 * 3)
#define TESS_ONE 65536 /* domain coordinates have 16 fraction bits */

struct tess_params {
    unsigned domain, partitioning, topology; /* 3DSTATE_TE values */
    float max_odd, max_not_odd;
};

struct tess_levels {
    float outer[4], inner[2];
};

struct tess_point {
    int32_t u, v;
};

struct tess_mesh {
    unsigned point_count, index_count;
    unsigned object_verts; /* 1, 2, 3 */
    struct tess_point point[TESS_MAX_POINTS];
    uint16_t index[TESS_MAX_INDICES];
};

/* The segments of a domain edge. */
struct tess_axis {
    unsigned segs;
    /* Fractional partitioning interpolates between `floor_segs` and `segs`
     * segments. In half the edge, point number `split` is the one that the
     * finer partition adds. */
    unsigned floor_segs, split;
    double fraction;
};

/* Reads levels from a patch header (8 dwords). */
void tess_levels_read(struct tess_levels *levels, unsigned domain,
                      const uint32_t header[8]);
/* Makes the mesh; it is empty if the patch is culled. */
void tess_run(const struct tess_params *params,
              const struct tess_levels *levels, struct tess_mesh *mesh);

/* level: clamped and, for integer partitioning, rounded. */
void tess_axis_init(struct tess_axis *axis, unsigned partitioning, float level);
int32_t tess_axis_at(const struct tess_axis *axis, unsigned i);

#endif
