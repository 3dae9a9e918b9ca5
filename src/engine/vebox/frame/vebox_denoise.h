/* vebox_denoise.h: the denoise filter: a blend of the previous frame, where
 * little moves, and of neighbours that are alike. Its place in the frame's rows
 * is in frame.h. */
#ifndef ENGINE_VEBOX_DENOISE_H
#define ENGINE_VEBOX_DENOISE_H

#include <stdbool.h>
#include <stdint.h>

struct vebox_line;
struct vebox_worker;

#define DENOISE_RANGES 6

struct vebox_denoise {
    bool enabled, temporal, chroma, progressive, hot_pixels;
    unsigned history_max, history_step, history_first;
    /* Differences in 12 bits of luma, 8 bits of chroma. */
    unsigned low[2], high[2];
    unsigned stad[2], asd, moving;
    unsigned hot_threshold, hot_count;
    /* Weights by difference and by place; limits of the differences. */
    unsigned range_weight[DENOISE_RANGES], range_limit[DENOISE_RANGES - 1];
    unsigned place_weight[3][3]; /* by |y|, |x| */
};

/* dw: VEBOX_DNDI_STATE. */
void vebox_denoise_init(struct vebox_denoise *d, const uint32_t *dw);
/* Row y of the current frame, with margins. */
void vebox_denoise_row(struct vebox_worker *w, uint32_t y,
                       struct vebox_line *to);
/* Writes the history of row y for the next frame. */
void vebox_denoise_history(struct vebox_worker *w, uint32_t y);

#endif
