/* plane.h: planes: values that are linear over a primitive. Data header of
 * raster/. */
#ifndef ENGINE_RASTER_PLANE_H
#define ENGINE_RASTER_PLANE_H

#include <stdint.h>

/* value(x, y) = c + dx * (x - ref_x) + dy * (y - ref_y), pixels; reference
 * points are whole subpixels */
struct plane {
    double c, dx, dy;
};

/* Upper left corners of four quads, relative to the reference point. */
struct lane_quads {
    double x[4], y[4];
};

/* Weights that are computed as each thread begins, for blocks that are not
 * scattered. Planes as for interpolate_ops.weights(). */
struct run_weights {
    const struct plane *b1, *b2, *q;
    double ref_x, ref_y;
    uint8_t grf; /* first of four registers */
};

static inline double
plane_at(const struct plane *p, double x, double y)
{
    return p->c + p->dx * x + p->dy * y;
}

#endif
