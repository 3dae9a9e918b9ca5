/* raster.h: the rasteriser: primitives to pixels. All that geom, freeze and
 * messages may call.
 *
 * geom adds primitives to the lists of a scene (bin/, setup/). A flush sorts
 * them by tiles and gives tiles to workers (bin/). While a worker draws a tile
 * it owns it: coverage/ finds blocks, depth/ tests them, shade/ runs threads of
 * the pixel shader, output/ stores colours. blit/ draws rectangles without
 * threads if eu/summary knows what their shader does. bin/defer.c draws
 * deferrable scenes together. docs/architecture.md follows a primitive. */
#ifndef ENGINE_RASTER_RASTER_H
#define ENGINE_RASTER_RASTER_H

#include "engine/state/prim.h"

/* ---- scenes: the streamer thread; lists: their owners ---- */

struct scene;
struct prim_list;

/* The scene of a draw, after deferred scenes; NULL without memory. */
struct scene *scene_create(const struct draw *draw);
/* Draws the remaining primitives, unless the scene is deferred in the draw's
 * raster memory. */
void scene_destroy(struct scene *scene);
/* List i, created on first use; NULL without memory. */
struct prim_list *scene_list(struct scene *scene, unsigned i);
/* Bytes that all lists use. */
size_t scene_used_B(const struct scene *scene);
/* Adds a primitive; true if the list is so long that a flush is due. The list's
 * owner. */
bool scene_add(struct prim_list *list, const struct prim *prim);
/* Adds the triangles whose bit in `which` is set, of `count`, at most
 * PRIM_TRIS; true as above. */
bool scene_add_triangles(struct prim_list *list, const struct prim_mesh *mesh,
                         const struct prim_tri *tri, unsigned count,
                         uint32_t which);
/* Sorts a list, NULL or its owner's, that gets no more primitives before a
 * flush. Optional: a flush sorts the remaining lists, but only after all owners
 * are done. */
void scene_sort(struct prim_list *list);
/* Draws and empties all lists, including those of deferred scenes. */
void scene_flush(struct scene *scene);

/* ---- the context ---- */

/* Raster memory: kept by a context from draw to draw, with deferred scenes.
 * NULL is fine for all functions. Streamer thread. */
bool raster_has_deferred(const struct raster *raster);
void raster_flush(struct raster *raster);
void raster_free(struct raster *raster);
/* Clear tracking: something other than a draw's pixels writes size_B bytes at
 * `at`, or anywhere. */
void raster_note_write(struct raster *raster, const void *at, uint64_t size_B);
void raster_note_any_write(struct raster *raster);

/* Clears and resolves for HiZ operations. Streamer thread. */
void raster_hz_op(const struct hz_op *op);

#endif
