/* rect_sample.h: rectangles of sampled texels without threads. Private to
 * blit/. Any worker; a rect_sample belongs to the caller and is read-only after
 * rect_sample_init(). */
#ifndef ENGINE_RASTER_BLIT_RECT_SAMPLE_H
#define ENGINE_RASTER_BLIT_RECT_SAMPLE_H

#include "engine/raster/blit/shader_eval.h"
#include "sampler/plan/plan.h"

struct rect_sample {
    /* source */
    const struct surface *surface;
    const struct sampler *sampler;
    enum sample_op op;
    struct sample_plan plan;
    /* Samples all lanes, drawn or not; or NULL. */
    sample_footprint_fn footprint;
    uint32_t *u; /* 16 lanes per block */
    uint32_t blocks;
    const uint32_t *v; /* per row */
    alignas(64) uint32_t layer[16], level[16];
    /* target */
    struct image to;
    uint32_t x0, y0, x1, y1;
    const struct format_info *fmt;
    struct rt_state rt;
    rt_write_fn write; /* NULL: element by element */
    uint32_t pitch_B, column_B;
};

/* The image that a fetch of one sample reads. */
bool rect_find_texture(struct image *im, const struct surface *s, uint32_t lod,
                       uint32_t layer);
/* Whether coordinates are neighbours below the limit. */
bool rect_is_consecutive(const uint32_t *at, uint32_t count, uint32_t limit);

/* The caller has filled in the rectangle and the target's image. `tables` holds
 * coordinates and must outlive t. False if threads must draw it. */
bool rect_sample_init(struct rect_sample *t, const struct scene *sc,
                      const struct surface *target,
                      const struct eval_table *tables);
void rect_sample_finish(struct rect_sample *t);
/* Rows [y0, y1) of the rectangle. */
void rect_sample_draw(const struct rect_sample *t, uint32_t y0, uint32_t y1);

#endif
