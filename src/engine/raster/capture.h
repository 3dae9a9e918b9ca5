/* capture.h: the coordinates and colours that a kernel with a meaning
 * computes, by executing it for a few pixels with shared functions that only
 * listen. Internal to raster/. */
#ifndef ENGINE_RASTER_CAPTURE_H
#define ENGINE_RASTER_CAPTURE_H

#include "engine/raster/raster.h"

/* Raw bits: integers for ld, floats for sample. */
struct capture_table {
    uint32_t *u, *v; /* for each column, for each row */
    uint32_t layer, level;
};

/* The colour that all pixels of the setup get; false after a guest error. */
bool capture_color(const struct scene *sc, const struct setup *s,
                   uint32_t color[4]);
/* Coordinates of the pixels [x0, x0 + width) x [y0, y0 + height). The caller
 * has made u and v. */
bool capture_coords(const struct scene *sc, const struct setup *s, uint32_t x0,
                    uint32_t y0, uint32_t width, uint32_t height,
                    struct capture_table *t);

#endif
