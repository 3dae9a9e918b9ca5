/* texels.h: rectangles whose pixels are sampled texels, without threads.
 * Internal to raster/. */
#ifndef ENGINE_RASTER_TEXELS_H
#define ENGINE_RASTER_TEXELS_H

#include "engine/raster/capture.h"
#include "sampler/plan.h"

struct texels {
    /* what is sampled */
    const struct surface *surface;
    const struct sampler *sampler;
    enum sample_op op;
    struct sample_plan plan;
    sample_patch_fn patch; /* of all lanes, whichever are drawn; or NULL */
    uint32_t *u;           /* of each block: 16 lanes */
    uint32_t blocks;
    const uint32_t *v; /* of each row */
    alignas(64) uint32_t layer[16], level[16];
    /* where to */
    struct image to;
    uint32_t x0, y0, x1, y1;
    const struct format_info *fmt;
    struct rt_state rt;
    rt_write_fn write; /* NULL: element by element */
    uint32_t pitch_B, column_B;
};

/* The rectangle and the image are filled in; tables hold its coordinates, and
 * must last. False if threads must do it. */
bool texels_init(struct texels *t, const struct scene *sc,
                 const struct surface *target,
                 const struct capture_table *tables);
void texels_finish(struct texels *t);
/* Rows [y0, y1) of the rectangle. */
void texels_draw(const struct texels *t, uint32_t y0, uint32_t y1);

#endif
