/* tile_view.h: the memory of one level, layer and sample of a surface within a
 * tile: addresses of pixels, fills, and the end of clear blocks. Called by
 * blit, depth and output. Any worker. */
#ifndef ENGINE_RASTER_TILE_VIEW_H
#define ENGINE_RASTER_TILE_VIEW_H

#include "engine/raster/worker.h"
#include "sampler/surface/aux_codes.h"

/* Whether a format can be rendered to: elements of whole bytes, 16 at most. */
bool view_format_ok(const struct format_info *fmt);
/* Initialises a view. Reuses the tables of an earlier place if v->tabled is
 * true, so set it to false before the first call. */
void view_init(struct view *v, const struct surface *s, unsigned level,
               unsigned slice, unsigned sample, unsigned element_B,
               int32_t tile_x, int32_t tile_y);
/* Fills pixels [x0, x1) x [y0, y1) of the tile. value: the element, repeated to
 * 16 bytes. */
void view_fill(const struct view *v, unsigned x0, unsigned y0, unsigned x1,
               unsigned y1, const uint8_t value[16]);
/* The worker's tile in pixels of the target. */
static inline struct aux_rect
tile_rect_px(const struct worker *w)
{
    uint32_t x = (uint32_t)w->tile_x, y = (uint32_t)w->tile_y;
    return (struct aux_rect){x, y, x + TILE_PX, y + TILE_PX};
}

/* Ends clear blocks before they are drawn to: in the worker's tile, or in a
 * rectangle of a colour target. */
void tile_end_clear(const struct worker *w, const struct surface *s,
                    unsigned level, unsigned slice);
void rect_end_clear(const struct draw *d, const struct surface *s,
                    unsigned layer, const struct aux_rect *r);

#endif
