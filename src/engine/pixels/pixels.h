/* pixels.h: what becomes of the pixels of each draw, for `softlake profile
 * --pixels` and `--overdraw` (pixels_file.h). A counted draw has counters of
 * its context, takes the general paths, and ends before the next one begins.
 *
 * Callers: freeze/, in the thread that executes the batch; a context owns one
 * struct pixels. pixels_map_find(): any worker. */
#ifndef ENGINE_PIXELS_PIXELS_H
#define ENGINE_PIXELS_PIXELS_H

#include "engine/engine.h"

struct draw;
struct draw_totals;
struct oa;
struct pixels;
struct sample_taps;
struct shader_stage;
struct surface;

/* Makes *kept on first use. NULL: nothing is counted. */
struct oa *pixels_counters(struct pixels **kept);
struct draw_totals *pixels_totals(struct pixels *pixels);
/* A dispatch has ended; likewise. */
void pixels_dispatch(struct pixels *pixels, const struct engine_context *ctx);
/* The draw has ended. pixels NULL: does nothing. */
void pixels_draw(struct pixels *pixels, const struct engine_context *ctx,
                 const struct draw *draw);
void pixels_free(struct pixels *pixels);

/* pixels_map.c, oa.find_map: how often each pixel of the target was written, by
 * layer and row of its level. A pixel belongs to the worker that draws its
 * tile. NULL: not wanted, or no room. */
uint16_t *pixels_map_find(const struct surface *s);

/* For the name of a file. */
uint64_t pixels_make_id(void);
/* Makes a file, zero, and maps it. It has its blocks at once: a full file
 * system is no signal later. NULL: no file, and errno is set. */
void *pixels_map_file(const char *path, uint64_t size_B);

/* pixels_texels.c: whether texels are counted; then messages of dispatches go
 * through counters, too. */
bool pixels_has_texels(void);
/* Adds a message's texels, and changes the list. live: lanes that are no helper
 * pixels. Any worker. */
void pixels_add_texels(const struct shader_stage *stage, const char *message,
                       const struct surface *surface, struct sample_taps *taps,
                       unsigned count, uint32_t live);

#endif
