/* bin/bin.h: scenes, and the primitives of a flush sorted by tiles: lists,
 * deferred scenes, opaque culling, the loop over tiles. Private to bin/;
 * raster.h declares the entries for geom and freeze. The streamer thread,
 * except list_sort() and opaque_cull(), which run in any worker. */
#ifndef ENGINE_RASTER_BIN_BIN_H
#define ENGINE_RASTER_BIN_BIN_H

#include "engine/raster/raster.h"
#include "engine/raster/worker.h"

/* Draws the primitives of all lists, tile by tile. */
void bins_draw(struct raster *r);

/* ---- opaque_cull.c ---- */

/* Decides whether primitives of the scene are opaque or occludable. */
void opaque_cull_init(struct scene *scene);
/* Returns how many of the bin's first primitives a later one covers completely.
 * The caller skips them; their pixels and samples are already counted. */
unsigned opaque_cull(struct worker *w, const struct bin *bin);

/* ---- bin_sort.c ---- */

/* Sorts the list into part[]; false without memory. The list's owner or a
 * worker of the flush. */
bool list_sort(struct prim_list *list);

/* ---- scene.c ---- */

/* Derives the scene of a draw. */
void scene_init(struct scene *scene, struct raster *r, const struct draw *draw);

#endif
