/* blit/blit.h: pixels without threads: fills, copies and resolves of
 * rectangles, fast clears and their resolves. Called by bin. The streamer
 * thread; the pool's workers take bands of rows. */
#ifndef ENGINE_RASTER_BLIT_BLIT_H
#define ENGINE_RASTER_BLIT_BLIT_H

#include "engine/raster/raster.h"
#include "engine/raster/worker.h"

/* ---- rect_blit.c ---- */

/* Draws the primitives of a flush if all are rectangles whose shader has a
 * summary; false with nothing drawn if they need threads. */
bool rect_blit(struct raster *r);

/* ---- fast_clear.c ---- */

/* Fast clear of a layer of colour target 0. */
void fast_clear_layer(struct scene *scene, unsigned layer);
/* Resolve: stores the clear value in the clear blocks of a layer of colour
 * target 0. */
void fast_clear_resolve(struct scene *scene, unsigned layer);

#endif
