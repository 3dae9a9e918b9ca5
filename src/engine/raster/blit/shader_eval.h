/* shader_eval.h: evaluates a kernel that has a summary: executes it for a few
 * pixels with shared functions that only record its messages, for the
 * coordinates and colours that it computes. Private to blit/. The streamer
 * thread. */
#ifndef ENGINE_RASTER_BLIT_SHADER_EVAL_H
#define ENGINE_RASTER_BLIT_SHADER_EVAL_H

#include "engine/raster/worker.h"

/* Raw bits: integers for ld, floats for sample. */
struct eval_table {
    uint32_t *u, *v; /* per column, per row */
    uint32_t layer, level;
};

/* What the first pixel fetches and stores, and how that changes by a column or
 * a row, modulo 2^32. */
struct eval_element {
    uint32_t at, at_column, at_row; /* index of the buffer's element */
    uint32_t u, u_column, v, v_row; /* of the texel */
    uint32_t layer, level;
};

/* The colour of all pixels of the setup; false after a guest error. */
bool shader_eval_color(const struct scene *sc, const struct setup *s,
                       uint32_t color[4]);
/* Coordinates of the pixels [x0, x0 + width) x [y0, y0 + height); false after a
 * guest error. The caller provides u[width] and v[height]. */
bool shader_eval_coords(const struct scene *sc, const struct setup *s,
                        uint32_t x0, uint32_t y0, uint32_t width,
                        uint32_t height, struct eval_table *t);
/* The element of pixel (x, y) of a kernel that copies from or to a buffer;
 * false after a guest error. */
bool shader_eval_element(const struct scene *sc, const struct setup *s,
                         uint32_t x, uint32_t y, struct eval_element *e);

#endif
