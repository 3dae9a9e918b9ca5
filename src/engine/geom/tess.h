/* tess.h: the tessellator: levels to domain points and objects. Pure. */
#ifndef ENGINE_GEOM_TESS_H
#define ENGINE_GEOM_TESS_H

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

/* An edge of the domain cut into segments. */
struct tess_axis {
    unsigned segs;
    /* Fractional: between a cut into `floor_segs` and one into `segs`; point
     * number `split` of half the edge is the one that the finer cut adds. */
    unsigned floor_segs, split;
    double fraction;
};

/* Levels as a patch header (8 dwords) has them. */
void tess_levels_read(struct tess_levels *levels, unsigned domain,
                      const uint32_t header[8]);
/* Empty mesh when the patch is culled. */
void tess_run(const struct tess_params *params,
              const struct tess_levels *levels, struct tess_mesh *mesh);

/* level: already clamped and, for integer partitioning, rounded. */
void tess_axis_init(struct tess_axis *axis, unsigned partitioning, float level);
int32_t tess_axis_at(const struct tess_axis *axis, unsigned i);

#endif
